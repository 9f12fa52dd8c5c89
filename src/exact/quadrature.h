/* Covariances by quadrature over frequencies: K_ab = V_a diag(c_ab) V_b', with response columns V and uniform nodes (or
 * graded panels where these are fewer) at a tolerance near rounding. For one input, every
 * operator and start, and forces that have a spectrum.
 *
 * As in closed_form.h, initial-state terms are left to exact_covariance.c. On the route LF_ROUTE_STATE_SPACE the covariances that
 * state_covariance.h covers are left out: EQ forces, and Matern forces behind other operators than ODEs, remain. */
#ifndef LF_EXACT_QUADRATURE_H
#define LF_EXACT_QUADRATURE_H

#include "exact/exact_covariance.h"

/* NULL if the quadrature supports this model, otherwise the reason why not, for messages. */
const char *lf_quadrature_obstacle(const lf_model *model);

/* About how many columns the quadrature needs for times from `earliest` to `latest`; negative: no memory. */
double lf_quadrature_columns(const lf_model *model, double tolerance, double earliest, double latest);

/* K (A.n, B.n), column-major. A == B (same pointer): only the lower triangle is computed. */
lf_status lf_quadrature_matrix(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                               const lf_point_set *A, const lf_point_set *B, double *K, size_t ld);

/* slopes (A.n, U.n): derivatives of the covariances of outputs A with forces U by the times of U, on the route LF_ROUTE_STATE_SPACE. */
lf_status lf_quadrature_slopes(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                               const lf_point_set *A, const lf_point_set *U, double *slopes, size_t ld);

/* k (A.n): the diagonal of the matrix for A with itself. */
lf_status lf_quadrature_diagonal(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                 const lf_point_set *A, double *k);

/* gradient[i] += sum_mn G[m,n] dK[m,n] / d(natural value of parameter i). A == B: both triangles of G are needed. */
lf_status lf_quadrature_gradient(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                 const lf_point_set *A, const lf_point_set *B, const double *G, size_t ld,
                                 double *gradient);

#endif
