/* Joint draws by pivoted Cholesky, which stops at the numerical rank: smooth processes have singular covariances. */
#include "predict/gaussian_draw.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"

lf_status lf_gaussian_draw(lf_context *ctx, size_t n, const double *mean, double *covariance, size_t count,
                           double *samples)
{
    if (n == 0) {
        return LF_OK;
    }
    for (size_t i = 0; i < n * n; i++) { /* LAPACK would set no pivots */
        if (!isfinite(covariance[i])) {
            return lf_fail(ctx, LF_ERROR_NUMERIC, "the covariance of %zu points is not finite: nothing can be drawn",
                           n);
        }
    }
    lapack_int *pivot = calloc(n, sizeof *pivot), rank = 0;
    double *z = lf_doubles(n, 1);
    if (!pivot || !z) {
        free(pivot);
        free(z);
        return lf_no_memory(ctx);
    }
    /* A positive status is that of a rank below n. */
    int info = LAPACKE_dpstrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, covariance, (lapack_int)n, pivot, &rank, -1);
    for (size_t s = 0; info >= 0 && s < count; s++) {
        double *sample = samples + s * n;
        lf_normals(ctx, n, z); /* all n, so that the stream does not depend on the rank */
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t k = 0; k <= i && k < (size_t)rank; k++) {
                sum += covariance[k * n + i] * z[k];
            }
            size_t row = (size_t)pivot[i] - 1;
            sample[row] = (mean ? mean[row] : 0) + sum;
        }
    }
    free(pivot);
    free(z);
    return info < 0 ? lf_no_memory(ctx) : LF_OK;
}
