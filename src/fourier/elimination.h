/* Elimination of the private columns of an output: its private force and its free initial state are integrated out.
 *
 * Given the Gram matrix C (n, n), b (n) and yy of all columns, V the first `kept` columns, J the columns to eliminate,
 * and U = diag(u_J) their prior standard deviations,
 *
 *   K = I + U C_JJ U = L L',   T = C_VJ U,   t = U b_J,   P = T K^-1,   z = K^-1 t
 *   C' = C_VV - P T',   b' = b_V - P t,   yy' = yy - t' z,   and log|K|
 *
 * V and J may overlap: the response columns of an output carry the shared forces and its private force. */
#ifndef LF_FOURIER_ELIMINATION_H
#define LF_FOURIER_ELIMINATION_H

#include <stddef.h>

#include "latentforce.h"

typedef struct lf_elimination {
    size_t n, kept, m;          /* columns, |V|, |J| */
    size_t first;               /* J = first … first + m - 1 */
    double *u;                  /* (n) read at J only */
    double *L;                  /* (m, m) lower triangle, Cholesky factor of K */
    double *P;                  /* (kept, m) */
    double *z;                  /* (m) */
    double *C, *b;              /* (kept, kept), (kept): C', b' */
    double yy, log_determinant; /* yy', log|K| */
} lf_elimination;

/* Allocates; J = first … first + m - 1. After a failure it must still be cleared. */
lf_status lf_elimination_create(lf_context *ctx, size_t n, size_t kept, size_t first, size_t m, lf_elimination *e);
void lf_elimination_clear(lf_elimination *e);

/* e->u must be set. C (n, n), both triangles. */
lf_status lf_eliminate(lf_context *ctx, lf_elimination *e, const double *C, const double *b, double yy);

/* Derivatives of minus a log likelihood, in which yy' and log|K| have the factor 1/2. */
typedef struct lf_elimination_adjoints {
    double *C; /* (n, n) both triangles */
    double *b; /* (n) */
    double *u; /* (n) */
} lf_elimination_adjoints;

/* Sets the derivatives with respect to C, b and u, given those with respect to C' (by_kept, both triangles) and b' (by_b_kept). */
lf_status lf_eliminate_backward(lf_context *ctx, const lf_elimination *e, const double *C, const double *b,
                                const double *by_kept, const double *by_b_kept, const lf_elimination_adjoints *by);

#endif
