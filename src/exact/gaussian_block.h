/* Covariances under the gaussian operator, for any number of inputs, with one lengthscale and one precision per input
 * or for all inputs:
 *   k = S S' prod_i sqrt(l_i^2 / 2 V_i) exp(-r_i^2 / 2 V_i),   V_i = l_i^2 / 2 + 1 / P_i + 1 / P'_i.
 * For a force itself 1 / P = 0. */
#ifndef LF_EXACT_GAUSSIAN_BLOCK_H
#define LF_EXACT_GAUSSIAN_BLOCK_H

#include "model/model.h"

/* Smoothing by variances 1 / P_i. count 0: none (a force); 1: the same for all inputs; p: one per input. */
typedef struct lf_smoothing {
    int count;
    const double *precision;
} lf_smoothing;

typedef struct lf_gaussian_side {
    size_t n;
    const double *x; /* (n, p) */
    lf_smoothing smoothing;
} lf_gaussian_side;

/* Two targets under a force of a model with p inputs. */
typedef struct lf_gaussian_pair {
    int p;
    const lf_force *force;
    lf_gaussian_side a, b;
} lf_gaussian_pair;

/* K (na, nb) += factor k. lower: only entries on and below the diagonal. */
void lf_gaussian_block(const lf_gaussian_pair *pair, double factor, int lower, double *K, size_t ld);

/* Returns sum_mn G[m,n] k[m,n] and adds `factor` times its derivatives to by_lengthscale and, for the precisions of
 * either side, to by_a and by_b; these may be NULL for a force. */
double lf_gaussian_gradient(const lf_gaussian_pair *pair, double factor, const double *G, size_t ld,
                            double *by_lengthscale, double *by_a, double *by_b);

#endif
