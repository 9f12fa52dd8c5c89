/* The first pass of the low-rank engine: the weights of the columns given the rows, and the marginal likelihood.
 *
 * With columns Phi, A = I + Phi' Sigma^-1 Phi, alpha = Phi' Sigma^-1 y:
 *   -log p = 1/2 log|Sigma| + 1/2 (y' Sigma^-1 y - alpha' A^-1 alpha) + 1/2 log|A| + n/2 log 2 pi.
 * The private columns of an output are eliminated as soon as its rows have passed (engine/weights.h). */
#include "lowrank/lowrank.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"

lf_status lf_lowrank_work_create(lf_context *ctx, const lf_features *features, const lf_replicate *replicate,
                                 int with_gradient, lf_lowrank_work *work)
{
    const lf_point_set *points = &replicate->points;
    size_t tile = 0, m = 0, M = features->shared;
    for (int g = 0; g < points->group_count; g++) {
        size_t n = points->start[g + 1] - points->start[g], own = lf_features_private(features, points->target[g]);
        tile = n > tile ? n : tile;
        m = own > m ? own : m;
    }
    tile = tile < LF_LOWRANK_TILE ? tile : LF_LOWRANK_TILE;
    *work = (lf_lowrank_work){.tile = tile,
                              .shared = lf_doubles(tile, M),
                              .private = lf_doubles(tile, m),
                              .by_shared = with_gradient ? lf_doubles(tile, M) : NULL,
                              .by_private = with_gradient ? lf_doubles(tile, m) : NULL,
                              .row = lf_doubles(tile, 2),
                              .y = lf_doubles(points->n, 1),
                              .noise = lf_doubles(points->n, 1)};
    if (!work->shared || !work->private || !work->row || !work->y || !work->noise ||
        (with_gradient && (!work->by_shared || !work->by_private))) {
        return lf_no_memory(ctx);
    }
    lf_rows_scaled(features->model, replicate, work->y, work->noise);
    return LF_OK;
}

void lf_lowrank_work_clear(lf_lowrank_work *work)
{
    free(work->shared);
    free(work->private);
    free(work->by_shared);
    free(work->by_private);
    free(work->row);
    free(work->y);
    free(work->noise);
    *work = (lf_lowrank_work){0};
}

/* X (n, columns), row i times factor[i]. */
static void scale_rows(size_t n, size_t columns, const double *factor, double *X)
{
#pragma omp parallel for schedule(static) if (n * columns > 10000)
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < n; i++) {
            X[j * n + i] *= factor[i];
        }
    }
}

/* Adds n rows of one output to A and alpha (in weights->L and mean) and, for its private columns, to
 * G_pp, G_ps and b_p (in its L, F and mean). */
static lf_status add_tile(lf_context *ctx, const lf_features *features, int output, size_t n, const double *x,
                          const double *y, const double *noise, lf_lowrank_work *work, lf_replicate_weights *weights)
{
    lf_private_weights *own = &weights->outputs[output];
    int rows = (int)n, M = (int)features->shared, m = (int)own->m;
    double *root = work->row, *scaled = work->row + n; /* 1 / sigma, y / sigma */
    lf_status status = lf_features_rows(ctx, features, output, n, x, work->shared, work->private);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        root[i] = 1 / sqrt(noise[i]);
        scaled[i] = y[i] * root[i];
    }
    scale_rows(n, features->shared, root, work->shared);
    scale_rows(n, own->m, root, work->private);
    if (M) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, M, rows, 1, work->shared, rows, 1, weights->L, M);
        cblas_dgemv(CblasColMajor, CblasTrans, rows, M, 1, work->shared, rows, scaled, 1, 1, weights->mean, 1);
    }
    if (m) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, m, rows, 1, work->private, rows, 1, own->L, m);
        cblas_dgemv(CblasColMajor, CblasTrans, rows, m, 1, work->private, rows, scaled, 1, 1, own->mean, 1);
    }
    if (m && M) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, M, rows, 1, work->private, rows, work->shared, rows, 1,
                    own->F, m);
    }
    return LF_OK;
}

static lf_status too_little_noise(lf_context *ctx, const char *name)
{
    return lf_fail(ctx, LF_ERROR_NUMERIC,
                   "the columns of %s%s%s are not positive definite: a noise_variance is too small against its signal, "
                   "or a constant is out of range",
                   name ? "output '" : "the model", name ? name : "", name ? "'" : "");
}

/* log|L L'|, or NaN where a diagonal is not a positive number. */
static double log_determinant(size_t m, const double *L)
{
    double sum = 0;
    for (size_t i = 0; i < m; i++) {
        sum += 2 * log(L[i * m + i]);
    }
    return sum;
}

/* Eliminates the private columns of an output: T = L_d^-1 G_ps, A -= T'T, alpha -= T' (L_d^-1 b_p); then F = L_d^-T T
 * and mean = L_d^-T L_d^-1 b_p. Returns through *quadratic and *logarithm what leaves the likelihood with them. */
static lf_status eliminate(lf_context *ctx, const char *name, size_t shared, lf_private_weights *own,
                           lf_replicate_weights *weights, double *quadratic, double *logarithm)
{
    int m = (int)own->m, M = (int)shared;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', m, own->L, m)) {
        return too_little_noise(ctx, name);
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, m, own->L, m, own->mean, 1);
    *quadratic -= cblas_ddot(m, own->mean, 1, own->mean, 1);
    *logarithm += log_determinant(own->m, own->L);
    if (M) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, m, M, 1, own->L, m, own->F, m);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, M, m, -1, own->F, m, 1, weights->L, M);
        cblas_dgemv(CblasColMajor, CblasTrans, m, M, -1, own->F, m, own->mean, 1, 1, weights->mean, 1);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, m, M, 1, own->L, m, own->F, m);
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, m, own->L, m, own->mean, 1);
    return LF_OK;
}

/* The prior: what the sums start from. */
static void reset(size_t m, double *L, double *mean)
{
    memset(L, 0, m * m * sizeof *L);
    memset(mean, 0, m * sizeof *mean);
    for (size_t i = 0; i < m; i++) {
        L[i * m + i] = 1;
    }
}

/* The sums over the rows of all outputs, their private columns eliminated. */
static lf_status add_rows(lf_context *ctx, const lf_features *features, const lf_replicate *replicate,
                          lf_lowrank_work *work, lf_replicate_weights *weights, double *quadratic, double *logarithm)
{
    const lf_point_set *points = &replicate->points;
    size_t M = features->shared, p = (size_t)points->input_dim;
    lf_status status = LF_OK;
    reset(M, weights->L, weights->mean);
    for (int d = 0; d < features->model->output_count; d++) {
        lf_private_weights *own = &weights->outputs[d];
        if (own->m) {
            reset(own->m, own->L, own->mean);
            memset(own->F, 0, own->m * M * sizeof *own->F);
        }
    }
    for (int g = 0; !status && g < points->group_count; g++) {
        int output = points->target[g];
        for (size_t from = points->start[g]; !status && from < points->start[g + 1]; from += work->tile) {
            size_t left = points->start[g + 1] - from, n = left < work->tile ? left : work->tile;
            status = add_tile(ctx, features, output, n, points->x + from * p, work->y + from, work->noise + from, work,
                              weights);
        }
        if (!status && weights->outputs[output].m) {
            status = eliminate(ctx, features->model->outputs[output].name, M, &weights->outputs[output], weights,
                               quadratic, logarithm);
        }
    }
    return status;
}

lf_status lf_lowrank_solve(lf_context *ctx, const lf_features *features, const lf_replicate *replicate,
                           lf_replicate_weights *weights, double *value)
{
    size_t n = replicate->points.n;
    int M = (int)features->shared;
    double quadratic = 0, logarithm = 0;
    lf_lowrank_work work;
    lf_status status = lf_lowrank_work_create(ctx, features, replicate, 0, &work);
    status = status ? status : add_rows(ctx, features, replicate, &work, weights, &quadratic, &logarithm);
    for (size_t i = 0; !status && i < n; i++) {
        quadratic += work.y[i] * work.y[i] / work.noise[i];
        logarithm += log(work.noise[i]);
    }
    lf_lowrank_work_clear(&work);
    if (!status && M && LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', M, weights->L, M)) {
        status = too_little_noise(ctx, NULL);
    }
    if (status) {
        return status;
    }
    if (M) {
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, M, weights->L, M, weights->mean, 1);
        quadratic -= cblas_ddot(M, weights->mean, 1, weights->mean, 1);
        logarithm += log_determinant(features->shared, weights->L);
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, M, weights->L, M, weights->mean, 1);
    }
    for (int d = 0; M && d < features->model->output_count; d++) {
        lf_private_weights *own = &weights->outputs[d];
        if (own->m) {
            cblas_dgemv(CblasColMajor, CblasNoTrans, (int)own->m, M, -1, own->F, (int)own->m, weights->mean, 1, 1,
                        own->mean, 1);
        }
    }
    double log_likelihood = -0.5 * (quadratic + logarithm + (double)n * log(2 * LF_PI));
    *value += log_likelihood;
    return isfinite(log_likelihood) ? LF_OK
                                    : lf_fail(ctx, LF_ERROR_NUMERIC, "the log likelihood is not a finite number");
}
