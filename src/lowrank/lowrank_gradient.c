/* The gradient of the low-rank likelihood: a second pass over the tiles.
 *
 * With r = y - (mean at the row), D = phi_s - phi_p F_d, E = D A^-1, and C the covariance of the weights,
 *   d log p / d phi_s = -(E - r m') / sigma^2
 *   d log p / d phi_p = -(phi_p (I + G_pp)^-1 - E F_d' - r m_d') / sigma^2
 *   d log p / d sigma^2 = -1/2 [ 1/sigma^2 - (r^2 + phi C phi') / sigma^4 ],
 *                         phi C phi' = E D' + phi_p (I + G_pp)^-1 phi_p'
 *   d log p / d y = -r / sigma^2. */
#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include "base/context.h"
#include "base/matrix.h"
#include "lowrank/lowrank.h"

/* L (m, m), lower triangle, becomes the whole (L L')^-1. */
static lf_status invert(lf_context *ctx, size_t m, double *L)
{
    if (m && LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, L, (lapack_int)m)) {
        return lf_fail(ctx, LF_ERROR_NUMERIC, "the system of the columns is singular");
    }
    lf_mirror(m, L, m);
    return LF_OK;
}

/* E (n, columns) <- -(E - r m') / sigma^2, row by row. */
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

static void product(CBLAS_TRANSPOSE transpose, size_t n, size_t columns, size_t inner, double alpha, const double *X,
                    const double *Y, double beta, double *Z)
{
    if (columns == 0 || inner == 0) {
        return;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, transpose, (int)n, (int)columns, (int)inner, alpha, X, (int)n, Y,
                (int)(transpose == CblasTrans ? columns : inner), beta, Z, (int)n);
}

static lf_status backward_tile(lf_context *ctx, const lf_features *features, int output, size_t n, const double *x,
                               const double *y, const double *noise, lf_lowrank_work *work,
                               const lf_replicate_weights *weights, double *gradient)
{
    const lf_model *model = features->model;
    const lf_private_weights *own = &weights->outputs[output];
    size_t M = features->shared, m = own->m;
    double *D = work->shared, *E = work->by_shared, *residual = work->row, *leverage = work->row + n;
    lf_status status = lf_features_rows(ctx, features, output, n, x, D, work->private);
    if (status) {
        return status;
    }
    memcpy(residual, y, n * sizeof *residual);
    memset(leverage, 0, n * sizeof *leverage);
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)M, -1, D, (int)n, weights->mean, 1, 1, residual, 1);
    if (m) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)m, -1, work->private, (int)n, own->mean, 1, 1, residual,
                    1);
        product(CblasNoTrans, n, M, m, -1, work->private, own->F, 1, D);
        product(CblasNoTrans, n, m, m, 1, work->private, own->L, 0, work->by_private);
        lf_add_products(n, m, work->private, work->by_private, leverage);
    }
    product(CblasNoTrans, n, M, M, 1, D, weights->L, 0, E);
    lf_add_products(n, M, D, E, leverage);
    if (m) {
        product(CblasTrans, n, m, M, -1, E, own->F, 1, work->by_private);
        to_adjoint(n, m, residual, noise, own->mean, work->by_private);
    }
    to_adjoint(n, M, residual, noise, weights->mean, E);

    double by_noise = 0, by_offset = 0;
    for (size_t i = 0; i < n; i++) {
        by_noise += 0.5 * ((residual[i] * residual[i] + leverage[i]) / noise[i] - 1) / noise[i];
        by_offset += residual[i] / noise[i];
    }
    gradient[lf_index_noise(model, output)] += by_noise;
    gradient[lf_index_offset(model, output)] += by_offset / model->outputs[output].scale;
    return lf_features_backward(ctx, features, output, n, x, E, work->by_private, gradient);
}

lf_status lf_lowrank_gradient(lf_context *ctx, const lf_features *features, const lf_replicate *replicate,
                              lf_replicate_weights *weights, double *gradient)
{
    const lf_point_set *points = &replicate->points;
    size_t p = (size_t)points->input_dim;
    lf_lowrank_work work;
    lf_status status = lf_lowrank_work_create(ctx, features, replicate, 1, &work);
    status = status ? status : invert(ctx, features->shared, weights->L);
    for (int g = 0; !status && g < points->group_count; g++) {
        int output = points->target[g];
        lf_private_weights *own = &weights->outputs[output];
        if (own->m) {
            status = invert(ctx, own->m, own->L);
        }
        for (size_t from = points->start[g]; !status && from < points->start[g + 1]; from += work.tile) {
            size_t left = points->start[g + 1] - from, n = left < work.tile ? left : work.tile;
            status = backward_tile(ctx, features, output, n, points->x + from * p, work.y + from, work.noise + from,
                                   &work, weights, gradient);
        }
    }
    lf_lowrank_work_clear(&work);
    return status;
}
