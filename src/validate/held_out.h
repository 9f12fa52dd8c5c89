/* Rows that a refit was made without: how well it predicts them. */
#ifndef LF_VALIDATE_HELD_OUT_H
#define LF_VALIDATE_HELD_OUT_H

#include <stddef.h>

/* A reading in a window, in the units of the data. */
typedef struct lf_held_row {
    double error;           /* of its prediction */
    double variance, noise; /* of the prediction without noise, of the noise */
} lf_held_row;

/* The share of the rows that 95 % intervals cover with a factor of their variances. n > 0, here and below. */
double lf_held_out_coverage(size_t n, const lf_held_row *rows, double factor);
/* The smallest factor of the variances, at least 1, with which 95 % intervals cover a share of rows, at most 0.95 unless weight is 1: of these
 * rows, which have the given weight, and for the rest of rows that are as the model says. */
double lf_variance_factor(size_t n, const lf_held_row *rows, double weight, double share);
/* The mean logarithm of the density of the errors with that factor. */
double lf_held_out_density(size_t n, const lf_held_row *rows, double factor);

#endif
