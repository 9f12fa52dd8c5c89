/* Laplace's approximation: near an optimum the posterior of x is normal, with the inverse of the Hessian as its covariance. */
#ifndef LF_INFERENCE_LAPLACE_H
#define LF_INFERENCE_LAPLACE_H

#include "base/monitor.h"
#include "inference/log_posterior.h"

typedef struct lf_laplace {
    size_t count;       /* free parameters that are not on a limit */
    size_t *row;        /* (count) where they stand in x */
    double *covariance; /* (count, count) of these; 0 along directions that are not identified */
    int *identified;    /* (count) */
    size_t flat_count;  /* directions along which the log posterior is level to the precision of the differences */
    double *flat;       /* (flat_count, count) */
    size_t evaluations;
} lf_laplace;

/* At the optimum x of p, from two gradients for each parameter, which several clones of p compute side by side where p has one process; p is where
 * it was made. `with` as in lf_log_posterior_class. LF_ERROR_CANCELLED: the monitor was told to stop. It is to be cleared, also after a
 * failure. */
lf_status lf_laplace_find(lf_context *ctx, lf_log_posterior *p, const double *x, unsigned with, lf_monitor *monitor,
                          lf_laplace *laplace);
void lf_laplace_clear(lf_laplace *laplace);

#endif
