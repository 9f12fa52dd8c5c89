/* The first pass of the low-rank engine: the posterior of the feature weights, and the marginal likelihood. With the
 * feature matrix Phi, A = I + Phi' Sigma^-1 Phi and alpha = Phi' Sigma^-1 y,
 *
 *   -log p = 1/2 log|Sigma| + 1/2 (y' Sigma^-1 y - alpha' A^-1 alpha) + 1/2 log|A| + n/2 log 2 pi
 *
 * The private columns of an output are eliminated as soon as all its rows are added (features/weights.h). */
#include "lowrank/lowrank.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/processes.h"

/* y' Sigma^-1 y less what is eliminated, log |Sigma| and of what is eliminated, and the number of rows. */
typedef struct totals {
    double quadratic_form, log_det, rows;
} totals;

lf_status lf_lowrank_work_create(lf_context *ctx, const lf_features *features, const lf_point_set *points,
                                 int with_gradient, lf_lowrank_work *work)
{
    size_t tile = 0, m = 0, M = features->shared;
    for (int g = 0; g < points->group_count; g++) {
        size_t n = points->start[g + 1] - points->start[g], m_d = lf_features_private(features, points->target[g]);
        tile = n > tile ? n : tile;
        m = m_d > m ? m_d : m;
    }
    tile = tile < LF_LOWRANK_TILE ? tile : LF_LOWRANK_TILE;
    *work = (lf_lowrank_work){.tile = tile,
                              .shared = lf_doubles(tile, M),
                              .private = lf_doubles(tile, m),
                              .by_shared = with_gradient ? lf_doubles(tile, M) : NULL,
                              .by_private = with_gradient ? lf_doubles(tile, m) : NULL,
                              .row_values = lf_doubles(tile, 2)};
    if (!work->shared || !work->private || !work->row_values ||
        (with_gradient && (!work->by_shared || !work->by_private))) {
        return lf_no_memory(ctx);
    }
    return LF_OK;
}

void lf_lowrank_work_clear(lf_lowrank_work *work)
{
    free(work->shared);
    free(work->private);
    free(work->by_shared);
    free(work->by_private);
    free(work->row_values);
    *work = (lf_lowrank_work){0};
}

/* Multiplies row i of X (n, columns) by factor[i]. */
static void scale_rows(size_t n, size_t columns, const double *factor, double *X)
{
#pragma omp parallel for schedule(static) if (n * columns > 10000)
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < n; i++) {
            X[j * n + i] *= factor[i];
        }
    }
}

/* Adds n rows of one output to A and alpha (in weights->L and weights->mean) and, for its private columns, to I + G_pp,
 * G_ps and b_p = Phi_p' Sigma^-1 y (in its L, F and mean). */
static lf_status add_tile(lf_context *ctx, const lf_features *features, int output, size_t n, const double *x,
                          const double *y, const double *noise, lf_lowrank_work *work, lf_replicate_weights *weights)
{
    lf_private_weights *private = &weights->outputs[output];
    int rows = (int)n, M = (int)features->shared, m = (int)private->m;
    double *inverse_sigma = work->row_values, *whitened_y = work->row_values + n; /* 1 / sigma, y / sigma */
    lf_status status = lf_features_rows(ctx, features, output, n, x, work->shared, work->private);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        inverse_sigma[i] = 1 / sqrt(noise[i]);
        whitened_y[i] = y[i] * inverse_sigma[i];
    }
    scale_rows(n, features->shared, inverse_sigma, work->shared);
    scale_rows(n, private->m, inverse_sigma, work->private);
    if (M) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, M, rows, 1, work->shared, rows, 1, weights->L, M);
        cblas_dgemv(CblasColMajor, CblasTrans, rows, M, 1, work->shared, rows, whitened_y, 1, 1, weights->mean, 1);
    }
    if (m) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, m, rows, 1, work->private, rows, 1, private->L, m);
        cblas_dgemv(CblasColMajor, CblasTrans, rows, m, 1, work->private, rows, whitened_y, 1, 1, private->mean, 1);
    }
    if (m && M) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, M, rows, 1, work->private, rows, work->shared, rows, 1,
                    private->F, m);
    }
    return LF_OK;
}

lf_status lf_lowrank_not_positive(lf_context *ctx, const char *name)
{
    return lf_fail(ctx, LF_ERROR_NUMERIC,
                   "the precision matrix of the feature weights of %s%s%s is not positive definite: a noise_variance "
                   "is too small for its signal, or a constant is out of range",
                   name ? "output '" : "the model", name ? name : "", name ? "'" : "");
}

/* log|L L'|. */
static double log_determinant(size_t m, const double *L)
{
    double sum = 0;
    for (size_t i = 0; i < m; i++) {
        sum += 2 * log(L[i * m + i]);
    }
    return sum;
}

/* Eliminates the private columns of an output: T = L_d^-1 G_ps, A -= T'T, alpha -= T' (L_d^-1 b_p); then F = L_d^-T T
 * and mean = L_d^-T L_d^-1 b_p. Adds their terms of -2 log p to *quadratic_form and *log_det. */
static lf_status eliminate_private(lf_context *ctx, const char *name, size_t shared, lf_private_weights *private,
                                   lf_replicate_weights *weights, double *quadratic_form, double *log_det)
{
    int m = (int)private->m, M = (int)shared;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', m, private->L, m)) {
        return lf_lowrank_not_positive(ctx, name);
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, m, private->L, m, private->mean, 1);
    *quadratic_form -= cblas_ddot(m, private->mean, 1, private->mean, 1);
    *log_det += log_determinant(private->m, private->L);
    if (M) {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, m, M, 1, private->L, m,
                    private->F, m);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, M, m, -1, private->F, m, 1, weights->L, M);
        cblas_dgemv(CblasColMajor, CblasTrans, m, M, -1, private->F, m, private->mean, 1, 1, weights->mean, 1);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, m, M, 1, private->L, m, private->F,
                    m);
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, m, private->L, m, private->mean, 1);
    return LF_OK;
}

/* L = I, mean = 0: the prior, to which the rows are added. Of several processes one adds it. */
static void set_to_prior(size_t m, double one, double *L, double *mean)
{
    memset(L, 0, m * m * sizeof *L);
    memset(mean, 0, m * sizeof *mean);
    for (size_t i = 0; i < m; i++) {
        L[i * m + i] = one;
    }
}

/* Adds the rows of one output. */
static lf_status add_output(lf_context *ctx, const lf_features *features, const lf_point_set *points, int group,
                            const lf_targets *targets, lf_lowrank_work *work, lf_replicate_weights *weights)
{
    size_t p = (size_t)points->input_dim;
    lf_status status = LF_OK;
    for (size_t from = points->start[group]; !status && from < points->start[group + 1]; from += work->tile) {
        size_t remaining = points->start[group + 1] - from, n = remaining < work->tile ? remaining : work->tile;
        status = add_tile(ctx, features, points->target[group], n, points->x + from * p, targets->y + from,
                          targets->noise + from, work, weights);
    }
    return status;
}

static lf_status eliminate(lf_context *ctx, const lf_features *features, int output, lf_replicate_weights *weights,
                           double *quadratic_form, double *log_det)
{
    lf_private_weights *private = &weights->outputs[output];
    return private->m ? eliminate_private(ctx, features->model->outputs[output].name, features->shared, private,
                                          weights, quadratic_form, log_det)
                      : LF_OK;
}

/* Adds the rows of all outputs and eliminates the private columns: those of each output as soon as its rows are added or, where several
 * processes have rows of it, after all sums. */
static lf_status add_rows(lf_context *ctx, const lf_features *features, const lf_point_set *points,
                          const lf_targets *targets, int shared, lf_lowrank_work *work, lf_replicate_weights *weights,
                          totals *total)
{
    size_t M = features->shared;
    double one = !shared || lf_process_rank(ctx) == 0;
    lf_status status = LF_OK;
    set_to_prior(M, one, weights->L, weights->mean);
    for (int d = 0; d < features->model->output_count; d++) {
        lf_private_weights *private = &weights->outputs[d];
        if (private->m) {
            set_to_prior(private->m, one, private->L, private->mean);
            memset(private->F, 0, private->m * M * sizeof *private->F);
        }
    }
    for (int g = 0; !status && g < points->group_count; g++) {
        status = add_output(ctx, features, points, g, targets, work, weights);
        if (!status && !shared) {
            status = eliminate(ctx, features, points->target[g], weights, &total->quadratic_form, &total->log_det);
        }
    }
    return status;
}

lf_status lf_lowrank_solve(lf_context *ctx, const lf_features *features, const lf_point_set *points,
                           const lf_targets *targets, int shared, lf_replicate_weights *weights, double *value)
{
    size_t n = points->n;
    int M = (int)features->shared;
    totals total = {.rows = (double)n};
    lf_lowrank_work work;
    lf_status status = lf_lowrank_work_create(ctx, features, points, 0, &work);
    LF_TRY(status, add_rows(ctx, features, points, targets, shared, &work, weights, &total));
    for (size_t i = 0; !status && i < n; i++) {
        total.quadratic_form += targets->y[i] * targets->y[i] / targets->noise[i];
        total.log_det += log(targets->noise[i]);
    }
    lf_lowrank_work_clear(&work);
    if (shared) {
        double sums[] = {total.quadratic_form, total.log_det, total.rows};
        status = lf_lowrank_sum(ctx, status, features, weights, 3, sums);
        total = (totals){sums[0], sums[1], sums[2]};
    }
    for (int d = 0; shared && !status && d < features->model->output_count; d++) {
        status = eliminate(ctx, features, d, weights, &total.quadratic_form, &total.log_det);
    }
    if (!status && M && LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', M, weights->L, M)) {
        status = lf_lowrank_not_positive(ctx, NULL);
    }
    if (status) {
        return status;
    }
    if (M) {
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, M, weights->L, M, weights->mean, 1);
        total.quadratic_form -= cblas_ddot(M, weights->mean, 1, weights->mean, 1);
        total.log_det += log_determinant(features->shared, weights->L);
        cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, M, weights->L, M, weights->mean, 1);
    }
    for (int d = 0; M && d < features->model->output_count; d++) {
        lf_private_weights *private = &weights->outputs[d];
        if (private->m) {
            cblas_dgemv(CblasColMajor, CblasNoTrans, (int)private->m, M, -1, private->F, (int)private->m, weights->mean,
                        1, 1, private->mean, 1);
        }
    }
    double log_likelihood = -0.5 * (total.quadratic_form + total.log_det + total.rows * log(2 * LF_PI));
    *value += !shared || lf_process_rank(ctx) == 0 ? log_likelihood : 0;
    return isfinite(log_likelihood) ? LF_OK
                                    : lf_fail(ctx, LF_ERROR_NUMERIC, "the log likelihood is not a finite number");
}
