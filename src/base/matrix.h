/* Small linear algebra that BLAS does not have. */
#ifndef LF_BASE_MATRIX_H
#define LF_BASE_MATRIX_H

#include <stddef.h>

/* Copies the lower triangle of K (n, n), column-major with leading dimension ld, onto the upper triangle. */
void lf_mirror(size_t n, double *K, size_t ld);

#endif
