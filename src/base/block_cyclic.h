/* Matrices that are spread over the processes of a context (lf_block_cyclic): which elements a process has, and what can be done with all
 * of them. All processes call these functions; a failure of one is that of all. */
#ifndef LF_BASE_BLOCK_CYCLIC_H
#define LF_BASE_BLOCK_CYCLIC_H

#include "latentforce.h"

/* Whether n x n matrices are spread: there are several processes, and more than one block. */
int lf_is_spread(const lf_context *ctx, size_t n);

/* The rows, or columns, of a local part: of n, those in the blocks that are dealt to place `at` of `count`. */
typedef struct lf_dealt {
    size_t n, block, count, at;
} lf_dealt;

lf_dealt lf_dealt_rows(const lf_context *ctx, size_t n);
lf_dealt lf_dealt_columns(const lf_context *ctx, size_t n);
size_t lf_dealt_count(lf_dealt dealt);
/* The row or column of the whole matrix that number i of the local part is. */
size_t lf_dealt_index(lf_dealt dealt, size_t i);

/* Fails where the local part of an n x m matrix would have more elements than ScaLAPACK can count. */
lf_status lf_check_spread(lf_context *ctx, size_t n, size_t m);

/* These agree on `status` first, and do nothing after a failure. *minor: the order of the first leading minor that is not positive, or 0. */
lf_status lf_spread_cholesky(lf_context *ctx, lf_status status, size_t n, double *A, size_t *minor);
lf_status lf_spread_inverse(lf_context *ctx, lf_status status, size_t n, double *L);
lf_status lf_spread_solve(lf_context *ctx, lf_status status, size_t n, const double *L, int transposed, size_t m,
                          double *B);

#endif
