/* Joint draws by pivoted Cholesky, which stops at the numerical rank: smooth processes have singular covariances. */
#include "predict/gaussian_draw.h"

#include <lapacke.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"

lf_status lf_gaussian_draw(lf_context *ctx, size_t n, const double *mean, double *covariance, size_t count,
                           double *samples)
{
    if (n == 0) {
        return LF_OK;
    }
    lapack_int *pivot = calloc(n, sizeof *pivot), rank = 0;
    double *z = lf_doubles(n, 1);
    if (!pivot || !z) {
        free(pivot);
        free(z);
        return lf_no_memory(ctx);
    }
    LAPACKE_dpstrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, covariance, (lapack_int)n, pivot, &rank, -1);
    for (size_t s = 0; s < count; s++) {
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
    return LF_OK;
}
