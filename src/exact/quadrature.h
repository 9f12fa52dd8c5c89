/* Covariances by quadrature over frequencies: K_ab = V_a diag(c_ab) V_b', with response columns V and uniform nodes (or
 * graded panels where those are fewer) at a tolerance near rounding. Every operator, force kernel and start; one input.
 *
 * As in closed_form.h, initial-state terms are left to kernel.c. */
#ifndef LF_EXACT_QUADRATURE_H
#define LF_EXACT_QUADRATURE_H

#include "points/points.h"

/* NULL when the quadrature covers this model, otherwise the reason why not. */
const char *lf_quadrature_obstacle(const lf_model *model);

/* About how many columns it would take to cover times from `earliest` to `latest`. */
double lf_quadrature_columns(const lf_model *model, double tolerance, double earliest, double latest);

/* K (A.n, B.n), column-major. A == B (the same pointer): only the lower triangle is written. tolerance 0 = default. */
lf_status lf_quadrature_matrix(lf_context *ctx, const lf_model *model, double tolerance, const lf_point_set *A,
                               const lf_point_set *B, double *K, size_t ld);

/* k (A.n): the diagonal of the matrix for A with itself. */
lf_status lf_quadrature_diagonal(lf_context *ctx, const lf_model *model, double tolerance, const lf_point_set *A,
                                 double *k);

/* gradient[i] += sum G[m,n] dK[m,n] / d(natural value of parameter i). A == B: G must be symmetric and whole. */
lf_status lf_quadrature_gradient(lf_context *ctx, const lf_model *model, double tolerance, const lf_point_set *A,
                                 const lf_point_set *B, const double *G, size_t ld, double *gradient);

#endif
