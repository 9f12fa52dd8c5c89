/* The exponential of a small dense matrix. */
#ifndef LF_BASE_MATRIX_EXPONENTIAL_H
#define LF_BASE_MATRIX_EXPONENTIAL_H

#include <complex.h>

/* result (n, n) = exp(A), A (n, n), row by row; n <= LF_EXPONENTIAL_MAX. Scaling and squaring with a Taylor polynomial. */
#define LF_EXPONENTIAL_MAX 26
void lf_matrix_exponential(int n, const double complex *A, double complex *result);

#endif
