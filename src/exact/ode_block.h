/* Covariances of two outputs, or of an output and a force, for one EQ force of lengthscale l, from the Green's
 * functions sum_i c_i e^{-alpha_i t} and sum_j d_j e^{-beta_j t} (exponential_sum.h) and the convolutions L and E
 * (memory_integral.h):
 *
 *   k(t, t') = sum_ij c_i d_j g_ij(t, t'),
 *   g_ij     = (E_i(t, t') + E_j(t', t) - e^{-beta_j t'} E_i(t, 0) - e^{-alpha_i t} E_j(t', 0)) / (alpha_i + beta_j).
 * For a stationary start the last two terms are absent and E is replaced by L. With a force
 * k(t, s) = sum_i c_i E_i(t, s).
 *
 * With E(t, s) = L(t - s) - e^{-alpha t} L(-s) this is a function of the lag t - t' plus a few products of a function
 * of t and a function of t'. For long lengthscales L is much larger than E; then E itself is interpolated in s, and all
 * terms are products. */
#ifndef LF_EXACT_ODE_BLOCK_H
#define LF_EXACT_ODE_BLOCK_H

#include <stddef.h>

#include "exact/exponential_sum.h"
#include "latentforce.h"

/* The times and the Green's function of one target. */
typedef struct lf_ode_side {
    size_t n;
    const double *t;            /* (n) since the origin */
    const lf_exponentials *sum; /* NULL: a force */
} lf_ode_side;

typedef struct lf_ode_pair {
    lf_ode_side a, b;
    double lengthscale;
    int stationary;
} lf_ode_pair;

/* K (na, nb) += factor k. lower: only entries on and below the diagonal. */
lf_status lf_ode_block(lf_context *ctx, const lf_ode_pair *pair, double factor, int lower, double *K, size_t ld);

/* total = sum_mn G[m,n] k[m,n] and its derivatives by the lengthscale and by the coefficients of either ODE. The sums
 * of exponentials must have been made with `gradient`. */
typedef struct lf_ode_slopes {
    double total, by_lengthscale, by_a[3], by_b[3];
} lf_ode_slopes;

lf_status lf_ode_gradient(lf_context *ctx, const lf_ode_pair *pair, const double *G, size_t ld, lf_ode_slopes *slopes);

/* ---- shared by values and gradients ---- */

enum { LF_INTERPOLATION_NODES = 18 };

/* Whether the lengthscale is so long that E is interpolated. */
int lf_ode_pair_is_long(const lf_ode_pair *pair);

/* Nodes x for interpolation over the times of a side, and basis (n, count), column-major: their Lagrange polynomials at
 * those times. Returns the number of nodes, at most LF_INTERPOLATION_NODES. */
int lf_ode_interpolation(const lf_ode_side *side, double lengthscale, double *x, double *basis);

/* The least and the largest lag t - t', and the largest rate of the exponentials that remain of L far from lag 0. */
void lf_ode_lags(const lf_ode_pair *pair, double *lowest, double *highest, double *rate);

#endif
