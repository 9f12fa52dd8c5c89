/* Predictions of the inducing engines. With B = K_*u L^-T, w = K_private(*, x) W, E = B - K_private(*, x) F and the
 * posterior N(m, (A A')^-1) of L^-1 u,
 *
 *   mean = B m + K_private(*, x) g,   cov = K_** - B B' - w w' + E (A A')^-1 E' */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "features/feature_covariance.h"
#include "features/weights.h"
#include "inducing/inducing_posterior.h"

enum { TILE = 1024 };

/* B, E A^-T and w at n points, column-major with leading dimension n. */
typedef struct point_rows {
    size_t n, M, max_private; /* max_private: the largest n of the private parts */
    double *B, *E;            /* (n, M) B, and E A^-T */
    double *w;                /* (n, max_private) */
} point_rows;

static void rows_clear(point_rows *r)
{
    free(r->B);
    free(r->E);
    free(r->w);
}

static lf_status rows_create(lf_context *ctx, const lf_inducing_posterior *p, const lf_inducing_weights *weights,
                             size_t n, point_rows *r)
{
    *r = (point_rows){.n = n, .M = p->kernel.u.n};
    for (size_t i = 0; i < weights->count; i++) {
        r->max_private = weights->private[i].n > r->max_private ? weights->private[i].n : r->max_private;
    }
    r->B = lf_doubles(n, r->M);
    r->E = lf_doubles(n, r->M);
    r->w = lf_doubles(n, r->max_private);
    return r->B && r->E && r->w ? LF_OK : lf_no_memory(ctx);
}

static const lf_inducing_private *find_private(const lf_inducing_posterior *p, const lf_inducing_weights *weights,
                                               int target)
{
    for (size_t i = 0; i < weights->count; i++) {
        if (weights->private[i].output == lf_target_output(p->model, target)) {
            return &weights->private[i];
        }
    }
    return NULL;
}

/* X = K_*u and cross = K_private(*, x) as products of feature rows. */
static lf_status feature_cross(lf_context *ctx, const lf_inducing_posterior *p, const lf_point_set *set,
                               const lf_inducing_private *private, double *X, double *cross)
{
    const lf_features *features = &p->kernel.features;
    int target = set->target[0];
    size_t n = set->n, m = lf_features_private(features, target), max_Y = 0, rows = private ? private->n : 0;
    for (int q = 0; q < p->model->force_count; q++) {
        size_t size = p->kernel.forces[q].S2 * p->kernel.forces[q].K;
        max_Y = size > max_Y ? size : max_Y;
    }
    double *shared = lf_doubles(n, features->shared), *private_columns = lf_doubles(n, m), *u = lf_doubles(max_Y, 1);
    double *training_shared = lf_doubles(rows, features->shared), *training_private = lf_doubles(rows, m);
    lf_status status = shared && private_columns && u && training_shared && training_private
                           ? lf_features_rows(ctx, features, target, n, set->x, shared, private_columns)
                           : lf_no_memory(ctx);
    for (int q = 0; !status && q < p->model->force_count; q++) {
        const lf_inducing_force *f = &p->kernel.forces[q];
        const double *weight = features->grids.sources[q].w;
        for (size_t i = 0; i < f->S2 * f->K; i++) { /* sqrt(w) E', from Y = w E' */
            double w = weight[i % f->S2 % (f->S2 / 2)];
            u[i] = w > 0 ? f->Y[i] / sqrt(w) : 0;
        }
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)f->K, (int)f->S2, 1,
                    shared + features->start[q] * n, (int)n, u, (int)f->S2, 0, X + f->first * n, (int)n);
    }
    if (!status && private) {
        status = lf_features_rows(ctx, features, private->output, rows, private->x, training_shared, training_private);
        if (!status) {
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)n, (int)rows, (int)m, 1, private_columns, (int)n,
                        training_private, (int)rows, 0, cross, (int)n);
        }
    }
    free(shared);
    free(private_columns);
    free(u);
    free(training_shared);
    free(training_private);
    return status;
}

static lf_status kernel_cross(lf_context *ctx, const lf_inducing_posterior *p, const lf_point_set *set,
                              const lf_inducing_private *private, double *X, double *cross)
{
    const lf_inducing_kernel *k = &p->kernel;
    lf_status status = lf_exact_covariance_matrix(ctx, p->model, k->exact, set, &k->u, X, set->n);
    if (!status && private) {
        int target = private->output;
        size_t start[2] = {0, private->n};
        lf_point_set training = {.n = private->n,
                                 .input_dim = set->input_dim,
                                 .x = private->x,
                                 .group_count = 1,
                                 .target = &target,
                                 .start = start};
        status = lf_exact_covariance_matrix(ctx, k->private_model, k->exact, set, &training, cross, set->n);
    }
    return status;
}

/* B, E A^-T, w and the means at points of one target. */
static lf_status fill_rows(lf_context *ctx, const lf_inducing_posterior *p, const lf_inducing_weights *weights,
                           const lf_point_set *set, point_rows *r, double *mean)
{
    int n = (int)set->n, M = (int)r->M;
    const lf_inducing_private *private = find_private(p, weights, set->target[0]);
    double *cross = lf_doubles(set->n, private ? private->n : 0);
    lf_status status = cross ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        status = (p->kernel.source == LF_INDUCING_FEATURES ? feature_cross : kernel_cross)(ctx, p, set, private, r->B,
                                                                                           cross);
    }
    if (!status) {
        lf_inducing_whiten(&p->kernel, set->n, 0, r->B, set->n);
        memcpy(r->E, r->B, set->n * r->M * sizeof *r->E);
        cblas_dgemv(CblasColMajor, CblasNoTrans, n, M, 1, r->B, n, weights->mean, 1, 0, mean, 1);
    }
    if (!status && private) {
        int m = (int)private->n;
        cblas_dgemv(CblasColMajor, CblasNoTrans, n, m, 1, cross, n, private->g, 1, 1, mean, 1);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, M, m, -1, cross, n, private->F, m, 1, r->E, n);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, m, m, 1, cross, n, private->W, m, 0, r->w, n);
    }
    if (!status) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, M, 1, weights->A, M, r->E, n);
    }
    free(cross);
    return status;
}

/* Prior variances at points of one target. */
static lf_status prior_variance(lf_context *ctx, const lf_inducing_posterior *p, const lf_point_set *set, double *k)
{
    if (p->kernel.source != LF_INDUCING_FEATURES) {
        return lf_exact_covariance_diagonal(ctx, p->model, p->kernel.exact, set, k);
    }
    const lf_features *features = &p->kernel.features;
    size_t n = set->n, m = lf_features_private(features, set->target[0]);
    double *shared = lf_doubles(n, features->shared), *private = lf_doubles(n, m);
    lf_status status = shared && private ? lf_features_rows(ctx, features, set->target[0], n, set->x, shared, private)
                                         : lf_no_memory(ctx);
    memset(k, 0, n * sizeof *k);
    if (!status) {
        lf_add_products(n, features->shared, shared, shared, k);
        lf_add_products(n, m, private, private, k);
    }
    free(shared);
    free(private);
    return status;
}

static lf_status tile_variance(lf_context *ctx, const lf_inducing_posterior *p, const lf_point_set *set,
                               const point_rows *r, const lf_inducing_private *private, double *variance)
{
    size_t n = set->n;
    double *explained = lf_doubles(n, 1);
    lf_status status = explained ? prior_variance(ctx, p, set, variance) : lf_no_memory(ctx);
    if (!status) {
        lf_add_products(n, r->M, r->B, r->B, explained);
        lf_add_products(n, private ? private->n : 0, r->w, r->w, explained);
        lf_add_products(n, r->M, r->E, r->E, variance);
        for (size_t i = 0; i < n; i++) {
            variance[i] -= explained[i];
            variance[i] = variance[i] < 0 ? 0 : variance[i]; /* NaN stays NaN */
        }
    }
    free(explained);
    return status;
}

static void copy_rows(size_t n, size_t columns, const double *from, double *to, size_t ld)
{
    for (size_t j = 0; j < columns; j++) {
        memcpy(to + j * ld, from + j * n, n * sizeof *to);
    }
}

static lf_status joint_covariance(lf_context *ctx, const lf_inducing_posterior *p, const lf_point_set *points,
                                  const point_rows *all, double *covariance)
{
    int n = (int)all->n, M = (int)all->M;
    double *private = lf_doubles(all->n, all->n);
    lf_status status = private ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        status = p->kernel.source == LF_INDUCING_FEATURES
                     ? lf_feature_covariance(ctx, &p->kernel.features, points, covariance)
                     : lf_exact_covariance_matrix(ctx, p->model, p->kernel.exact, points, points, covariance, all->n);
    }
    if (!status) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, M, -1, all->B, n, 1, covariance, n);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, M, 1, all->E, n, 1, covariance, n);
        lf_add_private_products(p->model, points, all->n, all->max_private, all->w, private);
        cblas_daxpy(n * n, -1, private, 1, covariance, 1);
        lf_mirror(all->n, covariance, all->n);
    }
    free(private);
    return status;
}

/* Fails on points outside the span of uniform features, which are periodic beyond it. */
static lf_status check_range(lf_context *ctx, const lf_inducing_posterior *p, const lf_point_set *points)
{
    double from, to;
    lf_inducing_posterior_range(p, &from, &to);
    double rounding = isfinite(to - from) ? 1e-9 * (to - from) : 0;
    for (size_t i = 0; i < points->n; i++) {
        double x = points->x[i * (size_t)points->input_dim];
        if (!(x >= from - rounding && x <= to + rounding)) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT,
                           "x = %.10g lies beyond the horizon [%.10g, %.10g] of these features; condition on the data "
                           "again with a larger horizon",
                           x, from, to);
        }
    }
    return LF_OK;
}

lf_status lf_inducing_predict(lf_context *ctx, const void *posterior, const lf_model *model, int replicate,
                              const lf_point_set *points, double *mean, double *variance, double *covariance)
{
    (void)model; /* the posterior uses its copy */
    const lf_inducing_posterior *p = posterior;
    const lf_inducing_weights *weights = &p->replicates[replicate];
    point_rows all = {0};
    lf_status status = check_range(ctx, p, points);
    LF_TRY(status, rows_create(ctx, p, weights, covariance ? points->n : 0, &all));
    for (int g = 0; !status && g < points->group_count; g++) {
        size_t step = TILE;
        for (size_t from = points->start[g]; !status && from < points->start[g + 1]; from += step) {
            size_t left = points->start[g + 1] - from, n = left < step ? left : step, start[2] = {0, n};
            lf_point_set set = {.n = n,
                                .input_dim = points->input_dim,
                                .x = points->x + from * (size_t)points->input_dim,
                                .group_count = 1,
                                .target = &points->target[g],
                                .start = start};
            point_rows tile;
            status = rows_create(ctx, p, weights, n, &tile);
            LF_TRY(status, fill_rows(ctx, p, weights, &set, &tile, mean + from));
            if (!status && variance) {
                status = tile_variance(ctx, p, &set, &tile, find_private(p, weights, set.target[0]), variance + from);
            }
            if (!status && covariance) {
                copy_rows(n, all.M, tile.B, all.B + from, all.n);
                copy_rows(n, all.M, tile.E, all.E + from, all.n);
                copy_rows(n, all.max_private, tile.w, all.w + from, all.n);
            }
            rows_clear(&tile);
        }
    }
    if (!status && covariance) {
        status = joint_covariance(ctx, p, points, &all, covariance);
    }
    rows_clear(&all);
    return status;
}
