/* A force as a linear system driven by white noise w, at lengthscale 1:
 *
 *   x' = F x + b w,   u = c'x,   F + F' + b b' = 0
 *
 * The last equation makes I the stationary covariance of x for every kernel. For lengthscale l both F and b b' are
 * divided by l. Matern kernels are exact; the EQ kernel is approximated by a rational spectral density. */
#ifndef LF_DYNAMICS_FORCE_SYSTEM_H
#define LF_DYNAMICS_FORCE_SYSTEM_H

#include "dynamics/rational.h"
#include "latentforce.h"
#include "model/force_kernel.h"

typedef struct lf_force_system {
    int n;                                                     /* states */
    double F[LF_RATIONAL_MAX_ORDER * LF_RATIONAL_MAX_ORDER];   /* (n, n) row-major */
    double b[LF_RATIONAL_MAX_ORDER], c[LF_RATIONAL_MAX_ORDER]; /* (n) */
    double slowest;                                            /* the smallest decay rate of its modes */
    double error; /* the largest difference of the covariance c' exp(F r) c from k(r); 0: exact */
} lf_force_system;

/* The smallest system whose covariance differs from that of the kernel by at most the tolerance. */
lf_status lf_force_system_create(lf_context *ctx, const lf_force_kernel *kernel, double tolerance,
                                 lf_force_system *system);

#endif
