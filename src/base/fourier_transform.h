/* Discrete Fourier transform of a length that is a power of two. */
#ifndef LF_BASE_FOURIER_TRANSFORM_H
#define LF_BASE_FOURIER_TRANSFORM_H

#include <stddef.h>

typedef struct lf_transform {
    size_t size;           /* a power of two */
    double *cosine, *sine; /* (size / 2) of 2 pi k / size; one piece of memory, which begins with the cosines */
} lf_transform;

/* Returns 0 where there is no memory. */
int lf_transform_create(size_t size, lf_transform *t);
void lf_transform_clear(lf_transform *t);

/* x_j <- sum_k x_k e^(-2 pi i j k / size); re and im (size) are the parts of x. */
void lf_transform_apply(const lf_transform *t, double *re, double *im);

#endif
