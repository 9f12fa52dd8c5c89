/* The Gram matrix of the response columns of one series, computed from its sums (fourier_sums.h) without a pass over
 * rows.
 *
 * The response to wave i is v_i = G_i B_i with the bracket B_i = e^{j lambda_i t} - sum_k s_i^k h_k(t), s_i = j
 * lambda_i. With q_k(i) = sum omega B_i h_k = F_k(i) - sum_l s_i^l H_lk,
 *
 *   sum omega B_i conj(B_j) = E(i - j) - sum_k [ F_k(i) conj(s_j^k) + s_i^k conj(q_k(j)) ]
 *   sum omega B_i B_j       = E(i + j) - sum_k [ F_k(i) s_j^k       + s_i^k q_k(j)       ]
 *
 * Columns in order: Re v (S), Im v (S) and, for a free start, h_k (P). */
#ifndef LF_FOURIER_GRAM_H
#define LF_FOURIER_GRAM_H

#include "fourier/fourier_sums.h"

typedef struct lf_gram {
    size_t S, P;       /* P: free motions in B; 0 where the output does not start at the origin */
    size_t n;          /* columns: 2S, or 2S + P for a free start */
    double complex *G; /* (S) transfer function */
    double *s;         /* (order + 1, S) lambda_i^k: s_i^k = j^k lambda_i^k */
    double complex *q; /* (P, S) */
    double *C;         /* (n, n) both triangles, times kappa */
    double *b;         /* (n) sum omega column y, times kappa */
    double yy;         /* times kappa */
    double kappa;      /* 1 / noise variance where it is the same for all rows, else 1 */
    double log_noise;  /* sum over rows of the log of the noise variance */
} lf_gram;

/* After a failure it must still be cleared. */
lf_status lf_gram_create(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                         const lf_series *series, lf_gram *gram);
void lf_gram_clear(lf_gram *gram);

/* Computes the Gram matrix from the sums of the series, which must be those at the current parameters. */
lf_status lf_gram_fill(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                       const lf_series *series, lf_gram *gram);

/* gradient += dL/d(natural values), given the derivatives with respect to C (both triangles) and b; those by yy and log_noise are 1/2.
 * Where several processes share the rows, its share: what follows from the sums alone is added by the first. */
lf_status lf_gram_backward(lf_context *ctx, const lf_model *model, const lf_fourier_sums *fourier_sums,
                           const lf_series *series, const lf_gram *gram, const double *by_C, const double *by_b,
                           double *gradient);

#endif
