/* Covariances of two outputs, or of an output and a force, for one EQ force of lengthscale l, from the Green's functions
 * sum_i c_i e^{-alpha_i t} and sum_j d_j e^{-beta_j t} (exponential_sum.h) and the memory integrals L and E
 * (memory_integral.h):
 *
 *   k(t, t') = sum_ij c_i d_j g_ij(t, t'),
 *   g_ij     = (E_i(t, t') + E_j(t', t) - e^{-beta_j t'} E_i(t, 0) - e^{-alpha_i t} E_j(t', 0)) / (alpha_i + beta_j),
 * without the last two terms and with L for E when the start is stationary; k(t, s) = sum_i c_i E_i(t, s) with a force.
 *
 * With E(t, s) = L(t - s) - e^{-alpha t} L(-s) this is a function of the lag t - t' plus few products of a function of t
 * and a function of t'. For long lengthscales L is much larger than E; there E itself is interpolated in s, and all is
 * products. */
#ifndef LF_EXACT_ODE_BLOCK_H
#define LF_EXACT_ODE_BLOCK_H

#include <stddef.h>

#include "exact/exponential_sum.h"
#include "latentforce.h"

typedef struct lf_ode_side {
    size_t n;
    const double *t;            /* (n) since the origin */
    const lf_exponentials *sum; /* NULL: the force itself */
} lf_ode_side;

typedef struct lf_ode_pair {
    lf_ode_side a, b;
    double lengthscale;
    int stationary;
} lf_ode_pair;

/* K (na, nb) += factor k. With `lower`, only rows >= the column's number. */
lf_status lf_ode_block(lf_context *ctx, const lf_ode_pair *pair, double factor, int lower, double *K, size_t ld);

/* L = sum_mn G[m,n] k[m,n] and its derivatives by the lengthscale and by the coefficients of either ODE. The sums must
 * have been made for gradients. */
typedef struct lf_ode_slopes {
    double total, by_lengthscale, by_a[3], by_b[3];
} lf_ode_slopes;

lf_status lf_ode_gradient(lf_context *ctx, const lf_ode_pair *pair, const double *G, size_t ld, lf_ode_slopes *slopes);

/* ---- shared by values and gradients ---- */

enum { LF_SPREAD = 18 };

/* Whether E is interpolated rather than split. */
int lf_ode_pair_is_long(const lf_ode_pair *pair);

/* Nodes x (at most LF_SPREAD, returns how many) for interpolation over the times of a side, and their Lagrange polynomials
 * at those times, basis (n, count) column-major. */
int lf_ode_spread(const lf_ode_side *side, double lengthscale, double *x, double *basis);

/* Least and largest lag t - t', and the largest rate of the exponentials that L still is far from lag 0. */
void lf_ode_lags(const lf_ode_pair *pair, double *lowest, double *highest, double *rate);

#endif
