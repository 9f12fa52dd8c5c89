/* The gradient of the low-rank likelihood: a second pass over the tiles.
 *
 * With the notation of features/weights.h, r = y - (posterior mean at the row), D = phi_s - phi_p F_d, E = D A^-1, and
 * the posterior covariance C of the weights,
 *
 *   d log p / d phi_s = -(E - r m') / sigma^2
 *   d log p / d phi_p = -(phi_p (I + G_pp)^-1 - E F_d' - r m_d') / sigma^2
 *   d log p / d sigma^2 = -1/2 [ 1/sigma^2 - (r^2 + phi C phi') / sigma^4 ],
 *                         phi C phi' = E D' + phi_p (I + G_pp)^-1 phi_p'
 *   d log p / d y = -r / sigma^2 */
#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include "base/context.h"
#include "base/matrix.h"
#include "lowrank/lowrank.h"

/* Replaces the Cholesky factor L (m, m), lower triangle, by (L L')^-1, both triangles. */
static lf_status invert_factor(lf_context *ctx, size_t m, double *L)
{
    if (m && LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, L, (lapack_int)m)) {
        return lf_fail(ctx, LF_ERROR_NUMERIC, "the precision matrix of the feature weights is singular");
    }
    lf_mirror(m, L, m);
    return LF_OK;
}

/* E (n, columns) <- -(E - r m') / sigma^2, sigma^2 of each row. */
static void to_adjoint(size_t n, size_t columns, const double *residual, const double *noise, const double *mean,
                       double *E)
{
#pragma omp parallel for schedule(static) if (n * columns > 10000)
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < n; i++) {
            E[j * n + i] = (residual[i] * mean[j] - E[j * n + i]) / noise[i];
        }
    }
}

static void multiply(CBLAS_TRANSPOSE transpose, size_t n, size_t columns, size_t inner, double alpha, const double *X,
                     const double *Y, double beta, double *Z)
{
    if (columns == 0 || inner == 0) {
        return;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, transpose, (int)n, (int)columns, (int)inner, alpha, X, (int)n, Y,
                (int)(transpose == CblasTrans ? columns : inner), beta, Z, (int)n);
}

static lf_status backward_tile(lf_context *ctx, const lf_features *features, int output, size_t n, const double *x,
                               const lf_targets *targets, lf_lowrank_work *work, const lf_replicate_weights *weights,
                               double *gradient)
{
    const double *y = targets->y, *noise = targets->noise;
    const lf_model *model = features->model;
    const lf_private_weights *private = &weights->outputs[output];
    size_t M = features->shared, m = private->m;
    double *D = work->shared, *E = work->by_shared, *residual = work->row_values, *variance = work->row_values + n;
    lf_status status = lf_features_rows(ctx, features, output, n, x, D, work->private);
    if (status) {
        return status;
    }
    memcpy(residual, y, n * sizeof *residual);
    memset(variance, 0, n * sizeof *variance);
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)M, -1, D, (int)n, weights->mean, 1, 1, residual, 1);
    if (m) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)m, -1, work->private, (int)n, private->mean, 1, 1,
                    residual, 1);
        multiply(CblasNoTrans, n, M, m, -1, work->private, private->F, 1, D);
        multiply(CblasNoTrans, n, m, m, 1, work->private, private->L, 0, work->by_private);
        lf_add_products(n, m, work->private, work->by_private, variance);
    }
    multiply(CblasNoTrans, n, M, M, 1, D, weights->L, 0, E);
    lf_add_products(n, M, D, E, variance);
    if (m) {
        multiply(CblasTrans, n, m, M, -1, E, private->F, 1, work->by_private);
        to_adjoint(n, m, residual, noise, private->mean, work->by_private);
    }
    to_adjoint(n, M, residual, noise, weights->mean, E);

    double by_noise = 0, by_offset = 0;
    for (size_t i = 0; i < n; i++) {
        double by_row = 0.5 * ((residual[i] * residual[i] + variance[i]) / noise[i] - 1) / noise[i];
        by_noise += by_row;
        by_offset += residual[i] / noise[i];
        if (targets->by_noise) {
            targets->by_noise[i] = by_row;
        }
        if (targets->by_y) {
            targets->by_y[i] = -residual[i] / noise[i];
        }
    }
    gradient[lf_index_noise(model, output)] += by_noise;
    gradient[lf_index_offset(model, output)] += by_offset / model->outputs[output].scale;
    return lf_features_backward(ctx, features, output, n, x, E, work->by_private, gradient);
}

lf_status lf_lowrank_gradient(lf_context *ctx, const lf_features *features, const lf_point_set *points,
                              const lf_targets *targets, lf_replicate_weights *weights, double *gradient)
{
    size_t p = (size_t)points->input_dim;
    lf_lowrank_work work;
    lf_status status = lf_lowrank_work_create(ctx, features, points, 1, &work);
    LF_TRY(status, invert_factor(ctx, features->shared, weights->L));
    for (int g = 0; !status && g < points->group_count; g++) {
        int output = points->target[g];
        lf_private_weights *private = &weights->outputs[output];
        if (private->m) {
            status = invert_factor(ctx, private->m, private->L);
        }
        for (size_t from = points->start[g]; !status && from < points->start[g + 1]; from += work.tile) {
            size_t remaining = points->start[g + 1] - from, n = remaining < work.tile ? remaining : work.tile;
            lf_targets tile = lf_targets_after(*targets, from);
            status = backward_tile(ctx, features, output, n, points->x + from * p, &tile, &work, weights, gradient);
        }
    }
    lf_lowrank_work_clear(&work);
    return status;
}
