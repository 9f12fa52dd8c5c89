/* Factorisations of LAPACK that need workspace. LAPACKE allocates it where it cannot be released or checked by the caller, and prints
 * on standard output when there is none; here it is allocated and a failure is returned. All matrices are column-major. */
#ifndef LF_BASE_LAPACK_H
#define LF_BASE_LAPACK_H

#include <stddef.h>

/* What these functions return beside 0 and the positive codes of LAPACK. */
#define LF_LAPACK_NO_MEMORY (-1)

/* A (n, n), of which the lower triangle is given, becomes the matrix of eigenvectors; values (n) ascend. */
int lf_symmetric_eigen(size_t n, double *A, double *values);
/* The eigenvalues real + i imaginary (n each) of A (n, n), which is overwritten and may be either way round; pairs are adjacent. */
int lf_eigenvalues(size_t n, double *A, double *real, double *imaginary);
/* A (m, n) = Q R, in the form of dgeqrf. */
int lf_qr(size_t m, size_t n, double *A, double *reflectors);
/* The orthogonal matrix Q (n, n) from what lf_qr left in its place. */
int lf_qr_matrix(size_t n, double *A, const double *reflectors);
/* y (m) = Q' y, with A (m, n) from lf_qr. */
int lf_qr_transposed_times(size_t m, size_t n, const double *A, const double *reflectors, double *y);
/* b (n) becomes the x of A x = b; A (n, n) is overwritten. A code > 0: A is singular. */
int lf_solve(size_t n, double *A, double *b);
/* The first n of y (m) become the x of least |A x - y|; A (m, n) of full rank is overwritten. */
int lf_least_squares(size_t m, size_t n, double *A, double *y);

#endif
