/* The smooth part of a periodogram: noise, roughness and trends, without lines. */
#ifndef LF_START_SPECTRAL_BACKGROUND_H
#define LF_START_SPECTRAL_BACKGROUND_H

#include <stddef.h>

/* background (count) of power (count) at the frequencies 0 … (count - 1) / LF_OVERSAMPLING per span: the median of the power near each
 * frequency, on a line through logarithms of both, so that power laws (random walks, trends) keep their slope. Returns 0 where there is
 * no memory. */
int lf_spectral_background(size_t count, const double *power, double *background);

#endif
