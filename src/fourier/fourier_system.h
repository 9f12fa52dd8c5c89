/* The linear system of one replicate in the fourier engine: from the Gram matrices of its outputs to the likelihood and
 * its gradient. With the Gram matrix C_d and right-hand side b_d of output d after elimination of its private columns,
 * and W_q = sqrt(w_q),
 *
 *   A_(q,i)(q',j) = delta + W_qi W_q'j sum_d S_dq S_dq' C_d[i,j],      alpha_qi = W_qi sum_d S_dq b_d[i]
 *   -log p = 1/2 [ sum_d (log|Sigma_d| + log|K_d| + yy_d) - alpha' A^-1 alpha + log|A| + n log 2 pi ]
 *   d(-log p)/dA = 1/2 (A^-1 + m m'),   d(-log p)/dalpha = -m,   m = A^-1 alpha */
#ifndef LF_FOURIER_FOURIER_SYSTEM_H
#define LF_FOURIER_FOURIER_SYSTEM_H

#include "features/features.h"
#include "fourier/elimination.h"
#include "fourier/gram.h"

/* One output. */
typedef struct lf_fourier_part {
    lf_series *series;
    lf_gram gram;               /* of all columns */
    lf_elimination elimination; /* m = 0: no private columns */
    const double *C, *b;      /* (2S, 2S), (2S) C_d, b_d: of the elimination or, without private columns, of the gram */
    double yy;                /* yy_d */
    const lf_source *private; /* the private force; NULL: none */
} lf_fourier_part;

/* Packed matrices are symmetric (2S, 2S): their lower triangles, column by column. */
typedef struct lf_fourier_system {
    const lf_model *model;
    const lf_features *features; /* one grid for all */
    const lf_fourier_sums *fourier_sums;
    size_t S2, Q, M, pair_count, packed_size; /* 2S, forces, Q S2, Q (Q + 1) / 2, S2 (S2 + 1) / 2 */
    size_t count;                             /* outputs in this replicate */
    lf_fourier_part *parts;                   /* (count) */
    double *W;                                /* (Q, 2S) sqrt(w_q), for cos and for sin */
    double *S_products;                       /* (pair_count, count) S_dq S_dq' for q' <= q */
    double *by_S_products;                    /* (pair_count, count) */
    double *C_packed, *by_C_packed;           /* (packed_size, count) C_d, and derivatives with respect to it */
    double *C_mixed;      /* (packed_size, pair_count) sum_d S_dq S_dq' C_d; in lf_fourier_backward its derivative */
    double *A;            /* (M, M) lower triangle: A, then its Cholesky factor, then its inverse */
    double *alpha, *mean; /* (M) alpha, A^-1 alpha */
    double *by_b;         /* (2S, count) */
    double *by_W;         /* (M, Q) with respect to log W: one column for each q, which one thread writes */
    double *output_gradients; /* (parameters, count) */
} lf_fourier_system;

/* features must have one grid for all forces. After a failure the system must still be cleared. */
lf_status lf_fourier_system_create(lf_context *ctx, const lf_model *model, const lf_features *features,
                                   lf_fourier_sums *fourier_sums, int replicate, lf_fourier_system *system);
void lf_fourier_system_clear(lf_fourier_system *system);

/* Computes the Gram matrices, A and its factor, and the mean; adds -log p to *value. The sums of the series must be those at the current
 * parameters. */
lf_status lf_fourier_solve(lf_context *ctx, lf_fourier_system *system, double *value);

/* gradient += d(-log p)/d(natural values), or its share where several processes share the rows. The system must be solved, from sums
 * updated with_gradient. */
lf_status lf_fourier_backward(lf_context *ctx, lf_fourier_system *system, double *gradient);

#endif
