/* Second derivatives of minus the log posterior, from differences of its gradient, and their eigenvalues. */
#ifndef LF_INFERENCE_HESSIAN_H
#define LF_INFERENCE_HESSIAN_H

#include "inference/log_posterior.h"

/* column (count): the derivative by x[k] of the gradient of minus the log posterior, from its values at x + above and x - below along k. They
 * replace the rows of gradients (2, count), but where below is 0 the second row is the gradient at x and stays. x is the same afterwards. */
lf_status lf_hessian_column(lf_log_posterior *p, unsigned with, double *x, size_t k, double above, double below,
                            double *gradients, double *column);

/* The eigenvalues of a Hessian that is scaled to a unit diagonal. A direction that the data do not determine then affects only the parameters
 * that take part in it, whatever the sizes of the others are. */
typedef struct lf_curvature {
    double *scale;   /* (n) 1 / sqrt of the diagonal; 0: it is too small, and the row and column are 0 */
    double *vectors; /* (n, n) one eigenvector after the other */
    double *values;  /* (n) ascending */
} lf_curvature;

/* Of the rows (n) of H (size, size), which need not be symmetric to the last digit. A diagonal up to `least` is too small. The arrays of c are the
 * caller's. The message of a failure is in ctx. */
lf_status lf_curvature_find(lf_context *ctx, const double *H, size_t size, const size_t *rows, size_t n, double least,
                            lf_curvature *c);

#endif
