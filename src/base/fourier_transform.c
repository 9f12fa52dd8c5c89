/* The transform by halves (Cooley and Tukey 1965): numbers in the order of reversed bits, then sums of pairs of ever longer pieces. */
#include "base/fourier_transform.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"

int lf_transform_create(size_t size, lf_transform *t)
{
    *t = (lf_transform){.size = size, .cosine = lf_doubles(size, 1)};
    if (!t->cosine) {
        return 0;
    }
    t->sine = t->cosine + size / 2;
    for (size_t k = 0; k < size / 2; k++) {
        double angle = 2 * LF_PI * (double)k / (double)size;
        t->cosine[k] = cos(angle);
        t->sine[k] = sin(angle);
    }
    return 1;
}

void lf_transform_clear(lf_transform *t)
{
    free(t->cosine);
    *t = (lf_transform){0};
}

static void swap(double *x, double *y)
{
    double kept = *x;
    *x = *y;
    *y = kept;
}

void lf_transform_apply(const lf_transform *t, double *re, double *im)
{
    for (size_t i = 1, j = 0; i < t->size; i++) { /* j: the bits of i in reverse order */
        size_t bit = t->size >> 1;
        for (; j & bit; bit >>= 1) {
            j ^= bit;
        }
        j ^= bit;
        if (i < j) {
            swap(&re[i], &re[j]);
            swap(&im[i], &im[j]);
        }
    }
    for (size_t half = 1; half < t->size; half *= 2) {
        size_t stride = t->size / (2 * half);
        for (size_t start = 0; start < t->size; start += 2 * half) {
            for (size_t k = 0; k < half; k++) {
                double c = t->cosine[k * stride], s = -t->sine[k * stride];
                size_t i = start + k, j = i + half;
                double real = re[j] * c - im[j] * s, imaginary = re[j] * s + im[j] * c;
                re[j] = re[i] - real;
                im[j] = im[i] - imaginary;
                re[i] += real;
                im[i] += imaginary;
            }
        }
    }
}
