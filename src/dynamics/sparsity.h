/* Small matrices with a known sparsity pattern: transition matrices, in which a force depends on its own states only
 * and an output on its own states and the forces.
 *
 * Every matrix is (n, stride), row-major, stride a multiple of 8, with zeros in the padding columns. The pattern lists
 * the entries that may differ from 0. It is closed under products: if i depends on j and j on k, i depends on k. */
#ifndef LF_DYNAMICS_SPARSITY_H
#define LF_DYNAMICS_SPARSITY_H

#include <stddef.h>

#include "latentforce.h"

enum { LF_LANE = 8 }; /* doubles processed together; strides are multiples of it */

typedef struct lf_sparsity {
    int n, stride;
    int *row_start, *columns; /* (n + 1), (entries): the columns of each row (CSR) */
    int *column_start, *rows; /* (n + 1), (entries): the rows of each column (CSC) */
} lf_sparsity;

/* depends (n, n): whether row i may have a nonzero entry in column j. */
lf_status lf_sparsity_create(lf_context *ctx, int n, const char *depends, lf_sparsity *sparsity);
void lf_sparsity_clear(lf_sparsity *sparsity);
/* n * stride. */
size_t lf_sparsity_size(const lf_sparsity *sparsity);

/* C = A B and C = A' B. A has the sparsity pattern, B and C are full. */
void lf_sparse_multiply(const lf_sparsity *sparsity, const double *A, const double *B, double *C);
void lf_sparse_multiply_transposed(const lf_sparsity *sparsity, const double *A, const double *B, double *C);
/* The same for vectors (stride). */
void lf_sparse_multiply_vector(const lf_sparsity *sparsity, const double *A, const double *x, double *y);
void lf_sparse_multiply_transposed_vector(const lf_sparsity *sparsity, const double *A, const double *x, double *y);
/* G_ij += factor sum_l X_il Y_jl for (i, j) in the pattern. */
void lf_sparse_add_products(const lf_sparsity *sparsity, double factor, const double *X, const double *Y, double *G);

/* C = A P A' + D, P and D symmetric; D NULL: 0. C may be P or D, and is symmetric to the last bit. scratch (2, n, stride). */
void lf_sparse_sandwich(const lf_sparsity *sparsity, const double *A, const double *P, const double *D, double *scratch,
                        double *C);
/* Its derivative: by_P = A' by_C A and, unless NULL, by_A += 2 by_C A P, given by_C (symmetric). by_P may be by_C. */
void lf_sparse_sandwich_backward(const lf_sparsity *sparsity, const double *A, const double *P, const double *by_C,
                                 double *scratch, double *by_P, double *by_A);

/* Y = X'. */
void lf_transpose(int n, int stride, const double *X, double *Y);
/* The average of X and X'. */
void lf_symmetrise(int n, int stride, double *X);
/* The upper triangle of X becomes the mirror image of the lower. */
void lf_copy_lower(int n, int stride, double *X);
/* sum_i x_i y_i over a padded row (stride). */
double lf_row_product(int stride, const double *x, const double *y);

#endif
