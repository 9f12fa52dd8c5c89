/* What an exponential e^{-alpha t} remembers of an EQ force with k(r) = exp(-r^2 / l^2).
 *
 *   past:   L(r)    = int_0^inf e^{-alpha x} k(r - x) dx                 (the force has acted forever)
 *   since:  E(t, s) = int_0^t e^{-alpha (t - x)} k(x - s) dx = L(t - s) - e^{-alpha t} L(-s)   (since the origin)
 *
 * Both are entire in alpha. */
#ifndef LF_EXACT_MEMORY_INTEGRAL_H
#define LF_EXACT_MEMORY_INTEGRAL_H

#include <complex.h>

/* L(r) and, unless NULL, its derivative by the lengthscale. Accurate relative to the largest L(r); overflows when
 * Re alpha is negative and |alpha| l large. */
double complex lf_memory_past(double complex alpha, double lengthscale, double r, double complex *by_lengthscale);

/* E(t, s[p]), p < count, and, unless NULL, derivatives by the lengthscale. For lengthscales of 2 max(t, |s|) or more:
 * no cancellation between the two terms whatever alpha. */
void lf_memory_since(double complex alpha, double lengthscale, double t, int count, const double *s, double complex *E,
                     double complex *by_lengthscale);

#endif
