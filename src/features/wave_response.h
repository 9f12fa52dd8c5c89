/* The response v(t, lambda) of an ODE, from rest, to the wave e^{j lambda t}, in a form that is accurate at resonance,
 * for coincident roots and for small t, where the transfer-function form (response.h) cancels. It takes some
 * microseconds per call. */
#ifndef LF_FEATURES_WAVE_RESPONSE_H
#define LF_FEATURES_WAVE_RESPONSE_H

#include <complex.h>
#include <stddef.h>

/* v(t, lambda) and, unless NULL, da (P + 1) = dv/da_k. */
double complex lf_wave_response(const double *a, int order, double lambda, double t, double complex *da);

/* The same at n times in any order: v (n) and, unless NULL, da (n, P + 1) and slope (n) = dv/dlambda. */
void lf_wave_responses(const double *a, int order, double lambda, size_t n, const double *t, double complex *v,
                       double complex *da, double complex *slope);

/* dv/dt. */
double complex lf_wave_rate(const double *a, int order, double lambda, double t);

#endif
