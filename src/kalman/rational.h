/* A rational approximation of the Gaussian spectrum: exp(-x) ~ p(x) / q(x), x = omega^2 / 4, lengthscale 1. */
#ifndef LF_KALMAN_RATIONAL_H
#define LF_KALMAN_RATIONAL_H

#include <complex.h>

enum { LF_RATIONAL_MOST = 24 };

/* The poles (order) and zeros (returned, an even number) in s = j omega, left of the imaginary axis, of a spectral factor
 * b(s) / a(s) with |b / a|^2 ~ constant exp(-omega^2 / 4). Complex ones come in pairs, one after the other. */
int lf_rational_gaussian(int order, double complex *poles, double complex *zeros);

#endif
