/* One entry of the response columns, the same formula in C and in CUDA. */
#ifndef LF_DEVICE_WAVE_H
#define LF_DEVICE_WAVE_H

#include <math.h>

#include "device/device.h"

#ifdef __CUDACC__
#define LF_EVERYWHERE static __host__ __device__ inline
#else
#define LF_EVERYWHERE static inline
#endif

/* Row i of node s of lf_device_waves, without the scale of the row. */
LF_EVERYWHERE void lf_wave_entry(const lf_device_waves *w, size_t i, size_t s, double *re, double *im)
{
    const double *t = w->t + i, *lambda = w->lambda + s * (size_t)w->input_dim;
    double g_re = w->G[2 * s], g_im = w->G[2 * s + 1], phase = lambda[0] * t[0], sine, cosine;
    for (int k = 1; k < w->input_dim; k++) {
        phase += lambda[k] * t[(size_t)k * w->ld];
    }
#ifdef __CUDA_ARCH__
    sincos(phase, &sine, &cosine);
#else
    sine = sin(phase);
    cosine = cos(phase);
#endif
    double power = 1; /* (j lambda)^k = power, j power, -power, … */
    for (int k = 0; k < w->order; k++) {
        double part = (k % 4 < 2 ? power : -power) * w->h[(size_t)k * w->ld + i];
        if (k % 2) {
            sine -= part;
        } else {
            cosine -= part;
        }
        power *= lambda[0];
    }
    *re = g_re * cosine - g_im * sine;
    *im = g_re * sine + g_im * cosine;
}

#endif
