/* Covariances under the gaussian operator, any number of inputs, one lengthscale and one precision per input or shared:
 *   k = S S' prod_i sqrt(l_i^2 / 2 V_i) exp(-r_i^2 / 2 V_i),   V_i = l_i^2 / 2 + 1 / P_i + 1 / P'_i,
 * where a force itself is the case 1 / P = 0. */
#ifndef LF_EXACT_GAUSSIAN_BLOCK_H
#define LF_EXACT_GAUSSIAN_BLOCK_H

#include "model/model.h"

/* Variances 1 / P_i; count 0: none (a force), 1: the same for every input. */
typedef struct lf_smoothing {
    int count;
    const double *precision;
} lf_smoothing;

/* K (na, nb) += factor k, for force `force` of a model with p inputs. With `lower`, only rows >= the column's number. */
void lf_gaussian_block(int p, const lf_force *force, double factor, lf_smoothing a, size_t na, const double *xa,
                       lf_smoothing b, size_t nb, const double *xb, int lower, double *K, size_t ld);

/* sum_mn G[m,n] k[m,n], and into the slopes (+=) `factor` times its derivatives by lengthscales and precisions; slopes of
 * a force's precisions may be NULL. */
double lf_gaussian_gradient(int p, const lf_force *force, double factor, lf_smoothing a, size_t na, const double *xa,
                            lf_smoothing b, size_t nb, const double *xb, const double *G, size_t ld,
                            double *by_lengthscale, double *by_a, double *by_b);

#endif
