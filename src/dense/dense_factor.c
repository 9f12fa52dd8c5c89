/* Factors and gradients of the dense engine. With K + Sigma = L L' and alpha = (K + Sigma)^-1 y,
 *
 *   log p = -1/2 y' alpha - sum_i log L_ii - n/2 log 2 pi
 *   d log p / d(K + Sigma) = 1/2 (alpha alpha' - (K + Sigma)^-1) */
#include "dense/dense_factor.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/processes.h"
#include "base/rounding.h"
#include "dense/dense.h"

void lf_dense_factor_clear(lf_dense_factor *f)
{
    free(f->L);
    free(f->alpha);
    lf_spread_factor_free(f->spread);
    lf_device_factor_free(f->there);
}

/* The factor of the whole matrix, of which f->L holds K; diagonal and pivots as in spread_factor.h. */
static lf_status cholesky(lf_context *ctx, size_t n, const double *noise, lf_device *device, double *diagonal,
                          double *pivots, lf_dense_factor *f)
{
    double *L = f->L;
    int there = 0;
    lf_status status = LF_OK;
    for (size_t i = 0; i < n; i++) {
        diagonal[i] = L[i * n + i] += noise[i];
    }
    if (device) {
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

/* f->alpha = (L L')^-1 y */
static lf_status solve(lf_context *ctx, size_t n, const double *y, lf_dense_factor *f)
{
    memcpy(f->alpha, y, n * sizeof *f->alpha);
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

lf_status lf_dense_factorise(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                             const lf_point_set *points, const double *y, const double *noise, lf_device *device,
                             lf_dense_factor *f)
{
    size_t n = points->n;
    int spread = lf_dense_is_spread(ctx, model, n);
    double *diagonal = lf_doubles(n, 1), *pivots = lf_doubles(n, 1);
    *f = (lf_dense_factor){.L = spread ? NULL : lf_doubles(n, n), .alpha = lf_doubles(n, 1)};
    lf_status status =
        diagonal && pivots && (f->L || spread) && f->alpha
            ? LF_OK
            : lf_fail(ctx, LF_ERROR_MEMORY, "out of memory: the dense engine needs an %zu x %zu matrix", n, n);
    status = spread ? lf_agree(ctx, status) : status;
    if (!status && spread) {
        status = lf_spread_factor_create(ctx, model, kernel, points, noise, diagonal, pivots, &f->spread);
    } else if (!status) {
        status = lf_exact_covariance_matrix(ctx, model, kernel, points, points, f->L, n);
        LF_TRY(status, cholesky(ctx, n, noise, device, diagonal, pivots, f));
    }
    size_t row = status ? n : 0; /* the first row whose pivot is not above the rounding error */
    while (row < n && pivots[row] * pivots[row] > 1e-15 * diagonal[row]) {
        row++;
    }
    if (!status && row == n) {
        status = solve(ctx, n, y, f);
    }
    if (!status && row == n) {
        f->rounding = lf_rounding_error(n, diagonal, pivots, 1, f->alpha, NULL);
        f->value = -0.5 * cblas_ddot((int)n, y, 1, f->alpha, 1) - 0.5 * (double)n * log(2 * LF_PI);
        for (size_t i = 0; i < n; i++) {
            f->value -= log(pivots[i]);
        }
    }
    free(diagonal);
    free(pivots);
    if (!status && row < n) {
        int g = 0;
        while (g + 1 < points->group_count && row >= points->start[g + 1]) {
            g++;
        }
        const lf_output *output = &model->outputs[points->target[g]];
        return lf_fail(
            ctx, LF_ERROR_NUMERIC,
            "the covariance of the data is not positive definite at output '%s', x = %.10g: its "
            "noise_variance %g is too small for repeated or very close inputs, or a constant is out of range",
            output->name, lf_input_raw(model, 0, points->x[row * (size_t)points->input_dim]), output->noise_variance);
    }
    return status;
}

/* f->L is overwritten by d log p / dK, both triangles. */
static lf_status adjoint(lf_context *ctx, size_t n, lf_dense_factor *f)
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
                                     const lf_point_set *points, double *by_noise, lf_dense_factor *f, double *gradient)
{
    size_t n = points->n;
    lf_status status = adjoint(ctx, n, f);
    for (int g = 0; !status && g < points->group_count; g++) {
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            gradient[lf_index_noise(model, points->target[g])] += f->L[i * n + i];
        }
    }
    for (size_t i = 0; !status && by_noise && i < n; i++) {
        by_noise[i] = f->L[i * n + i];
    }
    return status ? status : lf_exact_covariance_gradient(ctx, model, kernel, points, points, f->L, n, gradient);
}

lf_status lf_dense_gradient(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                            const lf_point_set *points, const lf_targets *targets, lf_dense_factor *f, double *gradient)
{
    lf_status status = f->spread
                           ? lf_spread_factor_gradient(ctx, model, f->spread, f->alpha, targets->by_noise, gradient)
                           : covariance_gradient(ctx, model, kernel, points, targets->by_noise, f, gradient);
    for (int g = 0; !status && g < points->group_count; g++) {
        int d = points->target[g];
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            if (!model->system) {
                gradient[lf_index_offset(model, d)] += f->alpha[i] / model->outputs[d].scale;
            }
            if (targets->by_y) {
                targets->by_y[i] = -f->alpha[i];
            }
        }
    }
    return status;
}
