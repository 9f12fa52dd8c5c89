/* The linear system of one replicate in the fourier engine: from the Gram matrices of its outputs to the likelihood, and
 * back to the gradient.
 *
 * With C_d, b_d the Gram matrix and right-hand side of output d, its private columns eliminated, and W_q = sqrt(w_q):
 *   A_(q,i)(q',j) = delta + W_qi W_q'j sum_d S_dq S_dq' C_d[i,j],      alpha_qi = W_qi sum_d S_dq b_d[i]
 *   -log p = 1/2 [ sum_d (log|Sigma_d| + log|K_d| + yy_d) - alpha' A^-1 alpha + log|A| + n log 2 pi ]
 * and with m = A^-1 alpha:  d(-log p)/dA = 1/2 (A^-1 + m m'),  d(-log p)/dalpha = -m. */
#ifndef LF_FOURIER_FOURIER_SYSTEM_H
#define LF_FOURIER_FOURIER_SYSTEM_H

#include "features/features.h"
#include "fourier/elimination.h"
#include "fourier/gram.h"

/* One output: its Gram matrix, and what is left of it after elimination (C, b point to either). */
typedef struct lf_fourier_part {
    lf_series *series;
    lf_gram gram;
    lf_elimination elimination; /* m = 0: nothing to eliminate */
    const double *C, *b;        /* (2S, 2S), (2S) */
    double yy;
    const lf_source *private; /* or NULL */
} lf_fourier_part;

/* Symmetric 2S x 2S matrices are kept packed: their lower triangles, column by column. */
typedef struct lf_fourier_system {
    const lf_model *model;
    const lf_features *features; /* one grid for all */
    const lf_fourier_sums *fourier_sums;
    size_t S2, Q, M, pairs, packed; /* 2S, forces, Q S2, Q (Q + 1) / 2, S2 (S2 + 1) / 2 */
    size_t count;                   /* outputs in this replicate */
    lf_fourier_part *parts;         /* (count) */
    double *W;                      /* (Q, 2S) sqrt(w_q), twice in a row */
    double *coefficient;            /* (pairs, count) S_dq S_dq' for q' <= q */
    double *by_coefficient;         /* (pairs, count) */
    double *all, *by_all;           /* (packed, count) the C_d side by side, and the derivatives by them */
    double *mixed;                  /* (packed, pairs) sum_d S_dq S_dq' C_d; later the derivatives by it */
    double *A;                      /* (M, M) lower: A, then its factor, then its inverse */
    double *alpha, *mean;           /* (M) and A^-1 alpha */
    double *by_b;                   /* (2S, count) */
    double *by_W;                   /* (M, Q) by the logarithm of W, a column for each q so that threads do not meet */
    double *output_gradients;       /* (parameters, count) */
} lf_fourier_system;

lf_status lf_fourier_system_create(lf_context *ctx, const lf_model *model, const lf_features *features,
                                   lf_fourier_sums *fourier_sums, int replicate, lf_fourier_system *system);
void lf_fourier_system_clear(lf_fourier_system *system);

/* Gram matrices (from the sums at the model's parameters; `summed`: these are there already), A and its factor, m. Adds
 * -log p to *value. */
lf_status lf_fourier_solve(lf_context *ctx, lf_fourier_system *system, int summed, int with_gradient, double *value);

/* gradient += d(-log p)/d(natural values), after a solve with_gradient. */
lf_status lf_fourier_backward(lf_context *ctx, lf_fourier_system *system, double *gradient);

#endif
