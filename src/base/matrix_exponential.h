/* The exponential of a small dense matrix. */
#ifndef LF_BASE_MATRIX_EXPONENTIAL_H
#define LF_BASE_MATRIX_EXPONENTIAL_H

#include <complex.h>

#define LF_EXPONENTIAL_MAX 26

/* result (n, n) = exp(A) for A (n, n), both row-major, n <= LF_EXPONENTIAL_MAX. */
void lf_matrix_exponential(int n, const double complex *A, double complex *result);

#endif
