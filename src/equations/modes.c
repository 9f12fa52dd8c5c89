/* The modes of a system, and its steady state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"
#include "equations/equations.h"

lf_status lf_system_modes(lf_context *ctx, const lf_system_matrices *matrices, double *real, double *imaginary)
{
    size_t n = (size_t)matrices->n;
    double *A = lf_doubles(n, n);
    if (!A) {
        return lf_no_memory(ctx);
    }
    memcpy(A, matrices->A, n * n * sizeof *A);
    int info = lf_eigenvalues(n, A, real, imaginary);
    free(A);
    return info == LF_LAPACK_NO_MEMORY ? lf_no_memory(ctx)
           : info                      ? lf_fail(ctx, LF_ERROR_NUMERIC, "the modes of the equations cannot be computed")
                                       : LF_OK;
}

lf_status lf_system_slowest_decay(lf_context *ctx, size_t n, const double *real, double *rate)
{
    *rate = INFINITY;
    for (size_t i = 0; i < n; i++) {
        *rate = fmin(*rate, -real[i]);
    }
    return *rate > 0
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_MODEL,
                         "the equations have a mode that does not decay (rate %g), so that there is no steady start; "
                         "remove 'start steady', or give every variable a start of its own",
                         *rate);
}

lf_status lf_system_solve(lf_context *ctx, const lf_system_matrices *matrices, int transposed, double *b)
{
    size_t n = (size_t)matrices->n;
    double *A = lf_doubles(n, n);
    for (size_t i = 0; A && i < n * n; i++) {
        A[i] = transposed ? matrices->A[i] : matrices->A[i % n * n + i / n]; /* column-major */
    }
    int info = A ? lf_solve(n, A, b) : LF_LAPACK_NO_MEMORY;
    lf_status status = info == LF_LAPACK_NO_MEMORY ? lf_no_memory(ctx) : LF_OK;
    free(A);
    return status || info == 0 ? status
                               : lf_fail(ctx, LF_ERROR_MODEL,
                                         "there is no steady state to start from: A of the equations is singular; give "
                                         "every variable a start");
}
