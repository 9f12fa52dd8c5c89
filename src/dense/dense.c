/* The dense engine: log N(y | 0, K + Sigma) by Cholesky factorisation, O(N^3), one factor for each replicate. With
 * K + Sigma = L L' and alpha = (K + Sigma)^-1 y,
 *
 *   log p = -1/2 y' alpha - sum_i log L_ii - n/2 log 2 pi
 *   d log p / d(K + Sigma) = 1/2 (alpha alpha' - (K + Sigma)^-1)
 *
 * Several processes have the same rows and, where the context says how, each a part of the matrix (spread_factor.h). A device has the
 * whole matrix (device_factor.h). */
#include "dense/dense.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/block_cyclic.h"
#include "base/context.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/numbers.h"
#include "base/processes.h"
#include "base/rounding.h"
#include "dense/device_factor.h"
#include "dense/spread_factor.h"
#include "exact/exact_covariance.h"
#include "exact/feature_error.h"
#include "exact/state_covariance.h"
#include "exact/system_covariance.h"
#include "features/grid_spec.h"
#include "model/posterior_io.h"
#include "points/rows_file.h"

typedef struct dense {
    const lf_rows *rows;
    lf_exact_covariance kernel;
    lf_device *device;      /* NULL: the processor */
    const char *route;      /* its name */
    int known;              /* value and rounding are those of the parameters last evaluated */
    double value, rounding; /* log likelihood and its error by rounding */
} dense;

#define MAX_ROWS 20000.0 /* 3 GiB per matrix and process */

int lf_dense_is_spread(const lf_context *ctx, const lf_model *model, size_t n)
{
    return !model->system && lf_is_spread(ctx, n);
}

/* N^3: the Cholesky factor and the inverse of the covariance of all rows; and, for Matern forces and for equations, the covariances. */
static double cost(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options)
{
    double N = (double)rows->n / rows->count, total = rows->count * N * N * N;
    double parts = lf_dense_is_spread(ctx, model, (size_t)N) ? lf_process_count(ctx) : 1;
    int applies = !lf_rule_is_sampled(options->nodes) && !options->features && N <= MAX_ROWS * sqrt(parts) &&
                  (lf_has_exact_states(model) || !lf_model_composed_force(model));
    for (int r = 0; applies && model->system && r < rows->count; r++) {
        total += lf_system_covariance_cost(model, &rows->replicates[r].points);
    }
    for (int r = 0; applies && lf_has_exact_states(model) && r < rows->count; r++) {
        double more = lf_state_covariance_cost(ctx, model, &rows->replicates[r].points);
        if (more < 0) {
            return more;
        }
        total += more;
    }
    return applies ? total / parts : (double)INFINITY;
}

static void destroy(void *state)
{
    dense *engine = state;
    lf_device_close(engine->device);
    free(engine);
}

/* Fails if a device was asked for a matrix that is spread over processes. */
static lf_status check_device(lf_context *ctx, const lf_model *model, const lf_rows *rows, const char *device)
{
    int spread = 0;
    for (int r = 0; r < rows->count; r++) {
        spread = spread || lf_dense_is_spread(ctx, model, rows->replicates[r].points.n);
    }
    return spread && lf_device_is_named(device)
               ? lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                         "device %s: %d processes spread the matrix of the dense engine over their processors; use one "
                         "process, or the device cpu",
                         device, lf_process_count(ctx))
               : LF_OK;
}

static lf_status create(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        void **state)
{
    dense *engine = calloc(1, sizeof *engine);
    *state = engine;
    if (!engine) {
        return lf_no_memory(ctx);
    }
    engine->rows = rows;
    lf_status status = lf_exact_covariance_choose(ctx, model, options, rows->earliest, rows->latest, &engine->kernel);
    engine->route = lf_exact_covariance_name(model, engine->kernel);
    if (!status && options->features) {
        status = lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "the dense engine has no features; remove the number of features or use lowrank");
    }
    status = status ? status : check_device(ctx, model, rows, options->device);
    return status ? status : lf_device_open(ctx, options->device, &engine->device);
}

static void describe(const void *state, lf_engine_info *info)
{
    const dense *engine = state;
    info->nodes = engine->route;
    info->columns = engine->rows->n;
}

static lf_status error_bound(lf_context *ctx, const void *state, const lf_model *model, lf_error_bounds *bounds)
{
    const dense *engine = state;
    return lf_route_error(ctx, model, engine->kernel, engine->rows->earliest, engine->rows->latest, bounds);
}

/* The factorised covariance of one replicate. */
typedef struct factor {
    double *L; /* (n, n) lower triangle, Cholesky factor of K + Sigma; NULL: it is spread */
    lf_spread_factor *spread;
    lf_device_factor *there; /* NULL: the processor has the factor; otherwise it is on a device, and not in L */
    double *alpha;           /* (n) */
    double *y;               /* (n) scaled */
    double value, rounding;  /* log likelihood and its error by rounding */
} factor;

static void factor_clear(factor *f)
{
    free(f->L);
    free(f->alpha);
    free(f->y);
    lf_spread_factor_free(f->spread);
    lf_device_factor_free(f->there);
}

/* The factor of the whole matrix; diagonal and pivots as in spread_factor.h. */
static lf_status cholesky(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                          const lf_point_set *points, const double *noise, lf_device *device, double *diagonal,
                          double *pivots, factor *f)
{
    size_t n = points->n;
    double *L = f->L;
    int there = 0;
    lf_status status = lf_exact_covariance_matrix(ctx, model, kernel, points, points, L, n);
    for (size_t i = 0; !status && i < n; i++) {
        diagonal[i] = L[i * n + i] += noise[i];
    }
    if (!status && device) {
        status = lf_device_factor_create(ctx, device, n, L, pivots, &there, &f->there);
    }
    if (!status && device && !there) { /* the processor finds the row at fault, or decides otherwise */
        lf_device_factor_free(f->there);
        f->there = NULL;
    }
    if (!status && !there) {
        lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, L, (lapack_int)n);
        size_t factored = info > 0 ? (size_t)info - 1 : n;
        for (size_t i = 0; i < n; i++) {
            pivots[i] = i < factored ? L[i * n + i] : 0;
        }
    }
    return status;
}

/* f->alpha = (L L')^-1 f->y */
static lf_status solve(lf_context *ctx, size_t n, factor *f)
{
    memcpy(f->alpha, f->y, n * sizeof *f->alpha);
    if (f->spread) {
        return lf_spread_factor_solve(ctx, f->spread, f->alpha);
    }
    if (f->there) {
        return lf_device_factor_solve(ctx, f->there, f->alpha);
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, f->L, (int)n, f->alpha, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)n, f->L, (int)n, f->alpha, 1);
    return LF_OK;
}

static lf_status factorise(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                           const lf_replicate *replicate, lf_device *device, factor *f)
{
    size_t n = replicate->points.n;
    int spread = lf_dense_is_spread(ctx, model, n);
    double *noise = lf_doubles(n, 1), *diagonal = lf_doubles(n, 1), *pivots = lf_doubles(n, 1);
    *f = (factor){.L = spread ? NULL : lf_doubles(n, n), .alpha = lf_doubles(n, 1), .y = lf_doubles(n, 1)};
    lf_status status =
        noise && diagonal && pivots && (f->L || spread) && f->alpha && f->y
            ? LF_OK
            : lf_fail(ctx, LF_ERROR_MEMORY, "out of memory: the dense engine needs an %zu x %zu matrix", n, n);
    status = spread ? lf_agree(ctx, status) : status;
    if (!status) {
        lf_rows_scaled(model, replicate, f->y, noise);
        status = spread ? lf_spread_factor_create(ctx, model, kernel, &replicate->points, noise, diagonal, pivots,
                                                  &f->spread)
                        : cholesky(ctx, model, kernel, &replicate->points, noise, device, diagonal, pivots, f);
    }
    size_t row = status ? n : 0; /* the first row whose pivot is not above the rounding error */
    while (row < n && pivots[row] * pivots[row] > 1e-15 * diagonal[row]) {
        row++;
    }
    if (!status && row == n) {
        status = solve(ctx, n, f);
    }
    if (!status && row == n) {
        f->rounding = lf_rounding_error(n, diagonal, pivots, 1, f->alpha, NULL);
        f->value = -0.5 * cblas_ddot((int)n, f->y, 1, f->alpha, 1) - 0.5 * (double)n * log(2 * LF_PI);
        for (size_t i = 0; i < n; i++) {
            f->value -= log(pivots[i]);
        }
    }
    free(noise);
    free(diagonal);
    free(pivots);
    if (!status && row < n) {
        int g = 0;
        while (g + 1 < replicate->points.group_count && row >= replicate->points.start[g + 1]) {
            g++;
        }
        const lf_output *output = &model->outputs[replicate->points.target[g]];
        return lf_fail(
            ctx, LF_ERROR_NUMERIC,
            "the covariance of the data is not positive definite at output '%s', x = %.10g: its "
            "noise_variance %g is too small for repeated or very close inputs, or a constant is out of range",
            output->name, lf_input_raw(model, 0, replicate->points.x[row * (size_t)replicate->points.input_dim]),
            output->noise_variance);
    }
    return status;
}

/* f->L is overwritten by d log p / dK, both triangles. */
static lf_status adjoint(lf_context *ctx, size_t n, factor *f)
{
    if (f->there) {
        return lf_device_factor_adjoint(ctx, f->there, f->L);
    }
    if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, f->L, (lapack_int)n)) {
        return lf_fail(ctx, LF_ERROR_NUMERIC, "the covariance of the data is singular");
    }
    double *G = f->L;
#pragma omp parallel for schedule(dynamic, 16) if (n > 256)
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            G[j * n + i] = 0.5 * (f->alpha[i] * f->alpha[j] - G[j * n + i]);
        }
    }
    lf_mirror(n, G, n);
    return LF_OK;
}

/* Adds the gradient by the noise variances and by the parameters of the covariance. */
static lf_status covariance_gradient(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                     const lf_point_set *points, factor *f, double *gradient)
{
    size_t n = points->n;
    lf_status status = adjoint(ctx, n, f);
    for (int g = 0; !status && g < points->group_count; g++) {
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            gradient[lf_index_noise(model, points->target[g])] += f->L[i * n + i];
        }
    }
    return status ? status : lf_exact_covariance_gradient(ctx, model, kernel, points, points, f->L, n, gradient);
}

/* Adds the gradient of one replicate; its factor is lost. */
static lf_status add_gradient(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                              const lf_replicate *replicate, factor *f, double *gradient, double *by_y)
{
    const lf_point_set *points = &replicate->points;
    lf_status status = f->spread ? lf_spread_factor_gradient(ctx, model, kernel, f->spread, f->alpha, gradient)
                                 : covariance_gradient(ctx, model, kernel, points, f, gradient);
    for (int g = 0; !status && g < points->group_count; g++) {
        int d = points->target[g];
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            if (!model->system) {
                gradient[lf_index_offset(model, d)] += f->alpha[i] / model->outputs[d].scale;
            }
            if (by_y) {
                by_y[i] = -f->alpha[i];
            }
        }
    }
    return status;
}

/* Adds the value of one replicate to that of the engine. */
static void add_value(dense *engine, const factor *f)
{
    engine->value += f->value;
    engine->rounding += f->rounding;
}

static lf_status evaluate(lf_context *ctx, void *state, const lf_model *model, double *value, double *gradient,
                          double *by_y)
{
    dense *engine = state;
    lf_status status = LF_OK;
    engine->value = engine->rounding = 0;
    engine->known = 0;
    for (int r = 0; !status && r < engine->rows->count; r++) {
        const lf_replicate *replicate = &engine->rows->replicates[r];
        factor f;
        status = factorise(ctx, model, engine->kernel, replicate, engine->device, &f);
        add_value(engine, &f);
        if (!status && !isfinite(engine->value)) {
            status = lf_fail(ctx, LF_ERROR_NUMERIC, "the log likelihood is not a finite number");
        }
        if (!status && gradient) {
            status = add_gradient(ctx, model, engine->kernel, replicate, &f, gradient, by_y);
            by_y = by_y ? by_y + replicate->points.n : NULL;
        }
        factor_clear(&f);
    }
    status = engine->device ? lf_agree(ctx, status) : status; /* the device of one process may fail alone */
    *value = engine->value;
    engine->known = status == LF_OK && !(model->system && model->system->disturbed);
    return status;
}

static lf_status rounding(lf_context *ctx, void *state, const lf_model *model, double *value, double *error)
{
    dense *engine = state;
    lf_status status = engine->known ? LF_OK : evaluate(ctx, state, model, value, NULL, NULL);
    *value = engine->value;
    *error = engine->rounding;
    if (!status && model->system) { /* covariances are integrals, with larger errors than those of rounding */
        double relative, from = fmin(model->origin, engine->rows->earliest);
        status = lf_system_covariance_accuracy(ctx, model, engine->rows->latest - from, &relative);
        *error *= relative / DBL_EPSILON;
    }
    return status;
}

typedef struct dense_posterior {
    lf_exact_covariance kernel;
    int count;          /* replicates */
    lf_replicate *rows; /* (count) the training rows */
    factor *factors;    /* (count) */
} dense_posterior;

static void posterior_free(void *posterior)
{
    dense_posterior *p = posterior;
    for (int r = 0; r < p->count; r++) {
        if (p->rows) {
            lf_replicate_clear(&p->rows[r]);
        }
        if (p->factors) {
            factor_clear(&p->factors[r]);
        }
    }
    free(p->rows);
    free(p->factors);
    free(p);
}

static lf_status dense_posterior_create(lf_context *ctx, int count, dense_posterior **posterior)
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
static lf_status bring_here(lf_context *ctx, factor *f)
{
    lf_status status = f->there ? lf_device_factor_copy(ctx, f->there, f->L) : LF_OK;
    lf_device_factor_free(f->there);
    f->there = NULL;
    return status;
}

static lf_status posterior_create(lf_context *ctx, void *state, const lf_model *model, void **posterior)
{
    dense *engine = state;
    dense_posterior *p;
    lf_status status = dense_posterior_create(ctx, engine->rows->count, &p);
    *posterior = p;
    if (status) {
        return status;
    }
    p->kernel = posterior_kernel(model, engine->kernel);
    engine->value = engine->rounding = 0;
    engine->known = 0;
    for (int r = 0; !status && r < p->count; r++) {
        status = lf_replicate_copy(ctx, model, &engine->rows->replicates[r], &p->rows[r]);
        status = lf_agree(ctx, status);
        status = status ? status : factorise(ctx, model, p->kernel, &p->rows[r], engine->device, &p->factors[r]);
        status = status ? status : bring_here(ctx, &p->factors[r]);
        add_value(engine, &p->factors[r]);
    }
    status = engine->device ? lf_agree(ctx, status) : status;
    engine->known = status == LF_OK && p->kernel.route == engine->kernel.route;
    return status;
}

static json_t *posterior_save(const void *posterior)
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

static lf_status posterior_load(lf_context *ctx, const lf_model *model, const json_t *state, int replicates,
                                void **posterior)
{
    dense_posterior *p;
    json_t *list = NULL;
    size_t route = 0;
    double bytes = 0;
    lf_status status = dense_posterior_create(ctx, replicates, &p);
    *posterior = p;
    status = status ? status : lf_get_count(ctx, state, "route", 0, LF_ROUTE_LAST, &route);
    status = status ? status : lf_get_number(ctx, state, "tolerance", 0, 1, &p->kernel.tolerance);
    status = status ? status : lf_get_list(ctx, state, "rows", (size_t)replicates, &list);
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
        status = status ? status
                        : lf_check_memory(ctx, bytes, "condition the model by the kalman or the lowrank engine",
                                          "the stored posterior of the dense engine, with %.0f rows,", n);
    }
    status = lf_agree(ctx, status);
    for (int r = 0; !status && r < replicates; r++) {
        status = factorise(ctx, model, p->kernel, &p->rows[r], NULL, &p->factors[r]);
    }
    return status;
}

/* Predictions are possible at all inputs. */
static void posterior_range(const void *posterior, double *from, double *to)
{
    (void)posterior;
    *from = -(double)INFINITY;
    *to = (double)INFINITY;
}

/* The covariances of the rows with the points. */
static double predict_numbers(const void *posterior, int replicate, size_t points, int joint)
{
    (void)joint;
    const dense_posterior *p = posterior;
    const lf_spread_factor *spread = p->factors[replicate].spread;
    return (double)p->rows[replicate].points.n * (double)points / (spread ? spread->processes : 1);
}

static int predicts_together(const void *posterior, int replicate)
{
    return ((const dense_posterior *)posterior)->factors[replicate].spread != NULL;
}

static lf_status predict(lf_context *ctx, const void *posterior, const lf_model *model, int replicate,
                         const lf_point_set *points, double *mean, double *variance, double *covariance)
{
    const dense_posterior *p = posterior;
    const lf_point_set *rows = &p->rows[replicate].points;
    const factor *f = &p->factors[replicate];
    size_t n = rows->n, m = points->n;
    if (f->spread) {
        return lf_spread_factor_predict(ctx, model, p->kernel, f->spread, f->alpha, points, mean, variance, covariance);
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

const lf_engine_class lf_engine_dense = {.name = "dense",
                                         .allows_mean = 1,
                                         .allows_equations = 1,
                                         .allows_device = 1,
                                         .composed = LF_COMPOSED_ALL,
                                         .predicts_submodels = 1,
                                         .cost = cost,
                                         .memory = lf_dense_memory,
                                         .create = create,
                                         .destroy = destroy,
                                         .evaluate = evaluate,
                                         .describe = describe,
                                         .error_bound = error_bound,
                                         .rounding = rounding,
                                         .posterior_create = posterior_create,
                                         .posterior_free = posterior_free,
                                         .posterior_save = posterior_save,
                                         .posterior_load = posterior_load,
                                         .posterior_range = posterior_range,
                                         .predict_numbers = predict_numbers,
                                         .predict = predict,
                                         .predicts_together = predicts_together};
