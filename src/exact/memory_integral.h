/* Convolutions of an exponential e^{-alpha t} with the EQ kernel k(r) = exp(-r^2 / l^2):
 *
 *   past:   L(r)    = int_0^inf e^{-alpha x} k(r - x) dx                 (from the infinite past)
 *   since:  E(t, s) = int_0^t e^{-alpha (t - x)} k(x - s) dx = L(t - s) - e^{-alpha t} L(-s)   (since the origin)
 *
 * Both are entire functions of alpha. */
#ifndef LF_EXACT_MEMORY_INTEGRAL_H
#define LF_EXACT_MEMORY_INTEGRAL_H

#include <complex.h>

/* L(r) and, unless NULL, its derivative by the lengthscale. Accurate relative to the largest L(r). Overflows if Re
 * alpha is negative and |alpha| l is large. */
double complex lf_memory_past(double complex alpha, double lengthscale, double r, double complex *by_lengthscale);

/* E (count): E(t, s[p]), and, unless NULL, by_lengthscale (count). For lengthscales of 2 max(t, |s|) or more; then the
 * two terms do not cancel, whatever alpha is. */
void lf_memory_since(double complex alpha, double lengthscale, double t, int count, const double *s, double complex *E,
                     double complex *by_lengthscale);

#endif
