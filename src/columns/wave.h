/* The response of an ODE, from rest, to the wave e^{j lambda t}: the robust way. */
#ifndef LF_COLUMNS_WAVE_H
#define LF_COLUMNS_WAVE_H

#include <complex.h>

/* v(t, lambda) and, unless NULL, d v / d a_k into da (P + 1). Accurate at resonance, for coincident roots and for small
 * t, where the transfer-function form cancels; some microseconds a call. */
double complex lf_wave_response(const double *a, int order, double lambda, double t, double complex *da);

/* d v / d lambda, as accurate. */
double complex lf_wave_slope(const double *a, int order, double lambda, double t);

/* dv/dt. */
double complex lf_wave_rate(const double *a, int order, double lambda, double t);

#endif
