/* Whitened residuals. */
#include "report/innovations.h"

#include <cblas.h>
#include <lapacke.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"

enum { STRETCH = 400 }; /* rows: their joint covariance costs the square, its factor the cube */

size_t lf_innovations_capacity(const lf_scaled_posterior *posterior, size_t n)
{
    return posterior->class->posterior->innovations || n < STRETCH ? n : STRETCH;
}

/* V (n, n), the posterior covariance at some rows of one output. */
static lf_status find_covariance(lf_context *ctx, const lf_scaled_posterior *posterior,
                                 const lf_innovations_rows *given, size_t n, const size_t *which, double *V)
{
    int target = given->target;
    size_t start[2] = {0, n};
    double *x = lf_doubles(n, 1), *mean = lf_doubles(n, 1), *variance = lf_doubles(n, 1);
    lf_status status = x && mean && variance ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        x[i] = given->rows->points.x[which[i]];
    }
    const lf_point_set set = {
        .n = n, .input_dim = 1, .x = x, .group_count = 1, .target = &target, .start = start, .order = NULL};
    LF_TRY(status,
           lf_scaled_posterior_predict(ctx, posterior, posterior->model, given->replicate, &set, mean, variance, V));
    free(x);
    free(mean);
    free(variance);
    return status;
}

static lf_status whiten(lf_context *ctx, const lf_scaled_posterior *posterior, const lf_innovations_rows *given,
                        size_t n, const size_t *which, double *z, size_t *count)
{
    double *C = lf_doubles(n, n);
    lf_status status = C ? find_covariance(ctx, posterior, given, n, which, C) : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            C[i * n + j] = (i == j ? given->noise[which[i]] : 0) - C[i * n + j];
        }
        z[i] = given->y[which[i]] - given->mean[which[i]];
    }
    if (!status && LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)n, C, (int)n) == 0) {
        cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, C, (int)n, z, 1);
        *count = n;
    }
    free(C);
    return status;
}

lf_status lf_innovations(lf_context *ctx, const lf_scaled_posterior *posterior, const lf_innovations_rows *given,
                         size_t room, double *z, size_t *count)
{
    size_t n = given->n < room ? given->n : room, first = (given->n - n) / 2; /* a stretch in the middle */
    *count = 0;
    if (n == 0) {
        return LF_OK;
    }
    if (!given->all) {
        return whiten(ctx, posterior, given, n, given->which + first, z, count);
    }
    for (size_t i = 0; i < n; i++) {
        z[i] = given->all[given->which[first + i]];
    }
    *count = n;
    return LF_OK;
}
