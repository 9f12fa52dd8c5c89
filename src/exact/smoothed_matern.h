/* A Matern kernel smoothed by a Gaussian of variance V, in closed form:
 *
 *   K(r) = int k(|t| / l) N(r - t; 0, V) dt,   k(t / l) = p(a t) e^{-a t},   a = sqrt(2 nu) / l
 *
 * This is the covariance of outputs of gaussian operators (one input) with V = 1 / precision + 1 / precision', and of an
 * output with its force with V = 1 / precision. Accurate to rounding for every ratio of V to l^2. */
#ifndef LF_EXACT_SMOOTHED_MATERN_H
#define LF_EXACT_SMOOTHED_MATERN_H

#include "model/force_kernel.h"

typedef struct lf_smoothed {
    double value, slope, curvature; /* K, K' and K'' at r; dK/dV = K'' / 2 */
    double by_lengthscale;          /* dK/dl */
} lf_smoothed;

/* For a Matern kernel, V > 0 and r >= 0. */
lf_smoothed lf_smoothed_matern(const lf_force_kernel *kernel, double lengthscale, double V, double r);

#endif
