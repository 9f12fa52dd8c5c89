/* Small matrices of which some rows are mostly zero: transition matrices, where a force answers to itself alone and an
 * output to itself and the forces.
 *
 * Every matrix here is (n, stride) row by row, stride a multiple of 8, with zeros in the padding columns. The pattern says
 * where A may differ from 0 and is closed under products: if i reads j and j reads k, then i reads k. */
#ifndef LF_KALMAN_SPARSITY_H
#define LF_KALMAN_SPARSITY_H

#include <stddef.h>

#include "latentforce.h"

enum { LF_LANE = 8 };

typedef struct lf_sparsity {
    int n, stride;
    int *row_start, *columns; /* (n + 1), (entries): the columns of each row */
    int *column_start, *rows; /* the same by columns */
} lf_sparsity;

/* reads (n, n): whether row i may have an entry in column j. */
lf_status lf_sparsity_create(lf_context *ctx, int n, const char *reads, lf_sparsity *sparsity);
void lf_sparsity_clear(lf_sparsity *sparsity);
/* n * stride. */
size_t lf_sparsity_size(const lf_sparsity *sparsity);

/* C = A B and C = A' B, A of the pattern, B and C any. */
void lf_sparse_multiply(const lf_sparsity *sparsity, const double *A, const double *B, double *C);
void lf_sparse_multiply_transposed(const lf_sparsity *sparsity, const double *A, const double *B, double *C);
/* The same for vectors (stride). */
void lf_sparse_multiply_vector(const lf_sparsity *sparsity, const double *A, const double *x, double *y);
void lf_sparse_multiply_transposed_vector(const lf_sparsity *sparsity, const double *A, const double *x, double *y);
/* G_ij += factor sum_l X_il Y_jl where the pattern has an entry. */
void lf_sparse_add_products(const lf_sparsity *sparsity, double factor, const double *X, const double *Y, double *G);

/* C = A P A', P symmetric; exactly symmetric. `spare` (2 n stride). */
void lf_sparse_sandwich(const lf_sparsity *sparsity, const double *A, const double *P, double *spare, double *C);
/* Its derivative: from by_C (symmetric) to by_P = A' by_C A, which may be by_C, and by_A += 2 by_C A P unless
 * NULL. */
void lf_sparse_sandwich_backward(const lf_sparsity *sparsity, const double *A, const double *P, const double *by_C,
                                 double *spare, double *by_P, double *by_A);

/* Y = X'. */
void lf_transpose(int n, int stride, const double *X, double *Y);
/* The average of X and X'. */
void lf_symmetrise(int n, int stride, double *X);
/* sum x_i y_i over a padded row. */
double lf_row_product(int stride, const double *x, const double *y);

#endif
