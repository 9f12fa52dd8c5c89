/* Sines and cosines of many arguments at once. */
#ifndef LF_FEATURES_SINCOS_H
#define LF_FEATURES_SINCOS_H

#include <stddef.h>

/* sine (n) and cosine (n) of x (n), to 2e-16. x may be the same array as sine or cosine; otherwise no overlap is
 * allowed. */
void lf_sincos(size_t n, const double *x, double *sine, double *cosine);

#endif
