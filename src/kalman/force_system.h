/* A force as a linear system driven by white noise, at lengthscale 1:
 *
 *   x' = F x + b w,   u = c'x,   F + F' + b b' = 0
 * so that x has covariance I when stationary, whatever the kernel; for lengthscale l both F and b b' are divided by l.
 * Matern forces are such systems; the Gaussian spectrum is approximated by one. */
#ifndef LF_KALMAN_FORCE_SYSTEM_H
#define LF_KALMAN_FORCE_SYSTEM_H

#include "kalman/rational.h"
#include "latentforce.h"
#include "model/spectrum.h"

typedef struct lf_force_system {
    int n;
    double F[LF_RATIONAL_MOST * LF_RATIONAL_MOST]; /* (n, n) row by row */
    double b[LF_RATIONAL_MOST], c[LF_RATIONAL_MOST];
    double slowest; /* the smallest decay rate of its modes */
    double error;   /* the largest difference of the covariance c' exp(F r) c from k(r); 0: exact */
} lf_force_system;

/* The smallest system whose covariance is within tolerance of that of the kernel. */
lf_status lf_force_system_create(lf_context *ctx, const lf_spectrum *kernel, double tolerance, lf_force_system *system);

#endif
