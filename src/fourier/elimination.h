/* Integrating out the columns that belong to one output alone: its private force and its unknown initial state.
 *
 * For a Gram matrix C (n, n), b, yy and scales u (n), zero where a column stays: with J the columns where u > 0,
 *   K = I + U C_JJ U = L L',   T = C_VJ U,   t = U b_J,   P = T K^-1,   z = K^-1 t
 *   C' = C_VV - P T',   b' = b_V - P t,   yy' = yy - t' z,   and log|K|
 * where V are the first `kept` columns. */
#ifndef LF_FOURIER_ELIMINATION_H
#define LF_FOURIER_ELIMINATION_H

#include <stddef.h>

#include "latentforce.h"

typedef struct lf_elimination {
    size_t n, kept, m; /* m = |J| */
    size_t first;      /* J = first … first + m - 1 */
    double *u;         /* (n) */
    double *L;         /* (m, m) lower triangle of the factor of K */
    double *P;         /* (kept, m) */
    double *z;         /* (m) */
    double *C, *b;     /* (kept, kept), (kept): C', b' */
    double yy, log_determinant;
} lf_elimination;

/* Room; J is the run of columns first … first + m - 1. */
lf_status lf_elimination_create(lf_context *ctx, size_t n, size_t kept, size_t first, size_t m, lf_elimination *e);
void lf_elimination_clear(lf_elimination *e);

/* e->u must be set. C (n, n) whole. */
lf_status lf_eliminate(lf_context *ctx, lf_elimination *e, const double *C, const double *b, double yy);

/* From the derivatives by C' (symmetric, whole), b', yy' and log|K| to those by C (n, n; symmetric, whole), b and u; those
 * by yy are the same as by yy'. */
lf_status lf_eliminate_backward(lf_context *ctx, const lf_elimination *e, const double *C, const double *b,
                                const double *by_kept, const double *by_b_kept, double by_yy, double by_log,
                                double *by_C, double *by_b, double *by_u);

#endif
