/* Posteriors of the dense engine: the rows and their factor. A model file has the rows, from which the factor is computed again. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/processes.h"
#include "dense/dense.h"
#include "dense/dense_factor.h"
#include "exact/state_covariance.h"
#include "model/posterior_io.h"
#include "points/rows_file.h"

typedef struct dense_posterior {
    lf_exact_covariance kernel;
    int count;                /* replicates */
    lf_replicate *rows;       /* (count) the training rows */
    lf_dense_factor *factors; /* (count) */
} dense_posterior;

static void free_posterior(void *posterior)
{
    dense_posterior *p = posterior;
    for (int r = 0; r < p->count; r++) {
        if (p->rows) {
            lf_replicate_clear(&p->rows[r]);
        }
        if (p->factors) {
            lf_dense_factor_clear(&p->factors[r]);
        }
    }
    free(p->rows);
    free(p->factors);
    free(p);
}

static lf_status allocate(lf_context *ctx, int count, dense_posterior **posterior)
{
    dense_posterior *p = *posterior = calloc(1, sizeof *p);
    if (!p) {
        return lf_no_memory(ctx);
    }
    p->count = count;
    p->rows = calloc((size_t)count + 1, sizeof *p->rows);
    p->factors = calloc((size_t)count + 1, sizeof *p->factors);
    return p->rows && p->factors ? LF_OK : lf_no_memory(ctx);
}

/* A posterior has exact covariances of Matern forces whatever the route of its engine, or of the older version that stored
 * it: it keeps the rows, so that nothing of a quadrature remains. */
static lf_exact_covariance posterior_kernel(const lf_model *model, lf_exact_covariance kernel)
{
    if (kernel.route == LF_ROUTE_QUADRATURE && lf_has_exact_states(model)) {
        kernel.route = LF_ROUTE_STATE_SPACE;
    }
    return kernel;
}

/* A posterior outlives the device of its engine. */
static lf_status bring_here(lf_context *ctx, lf_dense_factor *f)
{
    lf_status status = f->there ? lf_device_factor_copy(ctx, f->there, f->L) : LF_OK;
    lf_device_factor_free(f->there);
    f->there = NULL;
    return status;
}

lf_status lf_dense_posterior_create(lf_context *ctx, lf_dense *engine, const lf_model *model, const lf_targets *targets,
                                    void **posterior)
{
    const lf_rows *rows = engine->rows;
    lf_targets here = *targets;
    dense_posterior *p;
    lf_status status = allocate(ctx, rows->count, &p);
    *posterior = p;
    engine->value = engine->rounding = engine->known = 0;
    if (status) {
        return status;
    }
    p->kernel = posterior_kernel(model, engine->kernel);
    for (int r = 0; !status && r < p->count; r++) {
        lf_dense_factor *f = &p->factors[r];
        status = lf_replicate_copy(ctx, model, &rows->replicates[r], &p->rows[r]);
        status = lf_agree(ctx, status);
        LF_TRY(status,
               lf_dense_factorise(ctx, model, p->kernel, &p->rows[r].points, here.y, here.noise, engine->device, f));
        LF_TRY(status, bring_here(ctx, f));
        engine->value += f->value;
        engine->rounding += f->rounding;
        here = lf_targets_after(here, rows->replicates[r].points.n);
    }
    status = engine->device ? lf_agree(ctx, status) : status;
    engine->known = status == LF_OK && targets->of_rows && p->kernel.route == engine->kernel.route;
    return status;
}

static json_t *save(const void *posterior)
{
    const dense_posterior *p = posterior;
    json_t *state = json_object(), *list = json_array();
    int done = state && list && lf_put_number(state, "route", p->kernel.route) &&
               lf_put_number(state, "tolerance", p->kernel.tolerance);
    for (int r = 0; done && r < p->count; r++) {
        done = json_array_append_new(list, lf_replicate_save(&p->rows[r])) == 0;
    }
    done = json_object_set_new(state, "rows", list) == 0 && done;
    if (!done) {
        json_decref(state);
        return NULL;
    }
    return state;
}

/* The factor of stored rows. */
static lf_status factorise_stored(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                  const lf_replicate *rows, lf_dense_factor *f)
{
    double *y = lf_doubles(rows->points.n, 1), *noise = lf_doubles(rows->points.n, 1);
    lf_status status = lf_agree(ctx, y && noise ? LF_OK : lf_no_memory(ctx));
    if (!status) {
        lf_rows_scaled(model, rows, y, noise);
        status = lf_dense_factorise(ctx, model, kernel, &rows->points, y, noise, NULL, f);
    }
    free(y);
    free(noise);
    return status;
}

static lf_status load(lf_context *ctx, const lf_model *model, const json_t *state, int replicates, void **posterior)
{
    dense_posterior *p;
    json_t *list = NULL;
    size_t route = 0;
    double bytes = 0;
    lf_status status = allocate(ctx, replicates, &p);
    *posterior = p;
    LF_TRY(status, lf_get_count(ctx, state, "route", 0, LF_ROUTE_LAST, &route));
    LF_TRY(status, lf_get_number(ctx, state, "tolerance", 0, 1, &p->kernel.tolerance));
    LF_TRY(status, lf_get_list(ctx, state, "rows", (size_t)replicates, &list));
    if (!status) {
        p->kernel.route = (lf_route)route;
        p->kernel = posterior_kernel(model, p->kernel);
        status = lf_exact_covariance_obstacle(model, p->kernel.route)
                     ? lf_get_fail(ctx, "route", "belongs to another model")
                     : LF_OK;
    }
    for (int r = 0; !status && r < replicates; r++) {
        status = lf_replicate_load(ctx, model, json_array_get(list, (size_t)r), &p->rows[r]);
        double n = status ? 0 : (double)p->rows[r].points.n;
        bytes += sizeof(double) * n * n / (lf_dense_is_spread(ctx, model, (size_t)n) ? lf_process_count(ctx) : 1);
        LF_TRY(status, lf_check_memory(ctx, bytes, "condition the model by the kalman or the lowrank engine",
                                       "the stored posterior of the dense engine, with %.0f rows,", n));
    }
    status = lf_agree(ctx, status);
    for (int r = 0; !status && r < replicates; r++) {
        status = factorise_stored(ctx, model, p->kernel, &p->rows[r], &p->factors[r]);
    }
    return status;
}

/* Predictions are possible at all inputs. They need the covariances of the rows with the points. */
static lf_posterior_facts describe(const void *posterior, int replicate, size_t points, int joint)
{
    (void)joint;
    const dense_posterior *p = posterior;
    const lf_spread_factor *spread = p->factors[replicate].spread;
    return (lf_posterior_facts){.from = -(double)INFINITY,
                                .to = INFINITY,
                                .end = NAN,
                                .numbers = (double)p->rows[replicate].points.n * (double)points /
                                           (spread ? spread->processes : 1),
                                .together = spread != NULL};
}

static lf_status predict(lf_context *ctx, const void *posterior, const lf_model *model, int replicate,
                         const lf_point_set *points, double *mean, double *variance, double *covariance)
{
    const dense_posterior *p = posterior;
    const lf_point_set *rows = &p->rows[replicate].points;
    const lf_dense_factor *f = &p->factors[replicate];
    size_t n = rows->n, m = points->n;
    if (f->spread) {
        return lf_spread_factor_predict(ctx, model, f->spread, f->alpha, points, mean, variance, covariance);
    }
    double *cross = lf_doubles(n, m); /* (n, m) covariance of rows with points */
    if (!cross) {
        return lf_no_memory(ctx);
    }
    lf_status status = lf_exact_covariance_matrix(ctx, model, p->kernel, rows, points, cross, n);
    if (!status) {
        cblas_dgemv(CblasColMajor, CblasTrans, (int)n, (int)m, 1, cross, (int)n, f->alpha, 1, 0, mean, 1);
    }
    if (!status && (variance || covariance)) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, (int)m, 1, f->L, (int)n,
                    cross, (int)n);
    }
    if (!status && variance) {
        status = lf_exact_covariance_diagonal(ctx, model, p->kernel, points, variance);
        for (size_t i = 0; !status && i < m; i++) {
            double explained = cblas_ddot((int)n, cross + i * n, 1, cross + i * n, 1);
            variance[i] = variance[i] < explained ? 0 : variance[i] - explained; /* NaN stays NaN */
        }
    }
    if (!status && covariance) {
        status = lf_exact_covariance_matrix(ctx, model, p->kernel, points, points, covariance, m);
        if (!status) {
            cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)m, (int)n, -1, cross, (int)n, 1, covariance,
                        (int)m);
            lf_mirror(m, covariance, m);
        }
    }
    free(cross);
    return status;
}

const lf_posterior_class lf_dense_posterior_class = {
    .free = free_posterior, .save = save, .load = load, .describe = describe, .predict = predict};
