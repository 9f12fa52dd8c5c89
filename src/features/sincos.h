/* Sines and cosines of many arguments at once. */
#ifndef LF_FEATURES_SINCOS_H
#define LF_FEATURES_SINCOS_H

#include <stddef.h>

/* sine[i], cosine[i] of x[i], i < n, to 2e-16. The arrays must not overlap, but x may be one of the others. */
void lf_sincos(size_t n, const double *x, double *sine, double *cosine);

#endif
