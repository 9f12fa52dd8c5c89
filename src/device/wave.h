/* One entry of the response columns, the same formula in C and in CUDA. */
#ifndef LF_DEVICE_WAVE_H
#define LF_DEVICE_WAVE_H

#include <math.h>
#include <stddef.h>

#ifdef __CUDACC__
#define LF_EVERYWHERE static __host__ __device__ inline
#else
#define LF_EVERYWHERE static inline
#endif

/* G [ e^{j lambda' t} - sum_k (j lambda)^k h_k ], G = g_re + j g_im. t (p) and h (order) lie ld apart, lambda (p) does not. */
LF_EVERYWHERE void lf_wave_entry(int p, int order, size_t ld, const double *t, const double *h, const double *lambda,
                                 double g_re, double g_im, double *re, double *im)
{
    double phase = lambda[0] * t[0], sine, cosine;
    for (int k = 1; k < p; k++) {
        phase += lambda[k] * t[(size_t)k * ld];
    }
#ifdef __CUDA_ARCH__
    sincos(phase, &sine, &cosine);
#else
    sine = sin(phase);
    cosine = cos(phase);
#endif
    double power = 1; /* (j lambda)^k = power, j power, -power, … */
    for (int k = 0; k < order; k++) {
        double part = (k % 4 < 2 ? power : -power) * h[(size_t)k * ld];
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
