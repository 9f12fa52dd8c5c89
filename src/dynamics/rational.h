/* A rational approximation of the spectral density of an EQ force at lengthscale 1:
 *
 *   exp(-x) ~ p(x) / q(x),   x = omega^2 / 4 */
#ifndef LF_DYNAMICS_RATIONAL_H
#define LF_DYNAMICS_RATIONAL_H

#include <complex.h>

enum { LF_RATIONAL_MAX_ORDER = 24 };

/* The poles (order) and zeros (count returned, even) of a spectral factor b(s) / a(s), s = j omega, with
 * |b / a|^2 ~ constant exp(-omega^2 / 4). All lie left of the imaginary axis; complex conjugates are adjacent. */
int lf_rational_gaussian(int order, double complex *poles, double complex *zeros);

#endif
