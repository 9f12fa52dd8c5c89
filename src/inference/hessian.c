/* Second derivatives of minus the log posterior. */
#include "inference/hessian.h"

#include <math.h>

#include "base/context.h"
#include "base/lapack.h"

lf_status lf_hessian_column(lf_log_posterior *p, unsigned with, double *x, size_t k, double above, double below,
                            double *gradients, double *column)
{
    double *up = gradients, *down = gradients + p->count, middle = x[k], value;
    x[k] = middle + above;
    lf_status status = lf_log_posterior_negative(p, x, with, &value, up);
    if (below != 0) {
        x[k] = middle - below;
        LF_TRY(status, lf_log_posterior_negative(p, x, with, &value, down));
    }
    x[k] = middle;
    for (size_t i = 0; !status && i < p->count; i++) {
        column[i] = (up[i] - down[i]) / (above + below);
    }
    return status;
}

lf_status lf_curvature_find(lf_context *ctx, const double *H, size_t size, const size_t *rows, size_t n, double least,
                            lf_curvature *c)
{
    for (size_t a = 0; a < n; a++) {
        double diagonal = H[rows[a] * (size + 1)];
        c->scale[a] = diagonal > least ? 1 / sqrt(diagonal) : 0;
    }
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            double mean = 0.5 * (H[rows[a] * size + rows[b]] + H[rows[b] * size + rows[a]]);
            c->vectors[a * n + b] = mean * c->scale[a] * c->scale[b];
        }
    }
    int info = n ? lf_symmetric_eigen(n, c->vectors, c->values) : 0;
    return !info                         ? LF_OK
           : info == LF_LAPACK_NO_MEMORY ? lf_no_memory(ctx)
                                         : lf_fail(ctx, LF_ERROR_NUMERIC, "the Hessian could not be decomposed");
}
