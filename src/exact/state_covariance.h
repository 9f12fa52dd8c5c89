/* The covariances that Matern forces cause in the outputs of ODEs and their rates, exactly, through the state space of forces and
 * operators (state_march.h). Other forces and other operators are left to the quadrature, and so are covariances between forces. In a model
 * with a composed force the state space has all forces, those with eq envelopes approximately, and their covariances too, but not
 * the gradients of these. Initial-state terms are not included. One input. */
#ifndef LF_EXACT_STATE_COVARIANCE_H
#define LF_EXACT_STATE_COVARIANCE_H

#include "points/points.h"

/* Whether the state space covers the covariance of two targets that this force causes. */
struct lf_force;
int lf_state_covariance_covers(const lf_model *model, const struct lf_force *force, int a, int b);

/* Estimate for the covariance matrix of these points and its gradient, in floating-point operations of dpotrf; -1: no memory. */
double lf_state_covariance_cost(lf_context *ctx, const lf_model *model, const lf_point_set *points);

/* K (A.n, B.n) += …, column-major. A == B (same pointer): only the lower triangle. */
lf_status lf_state_covariance_add(lf_context *ctx, const lf_model *model, const lf_point_set *A, const lf_point_set *B,
                                  double *K, size_t ld);
/* slopes (A.n, U.n) += derivatives of the covariances of outputs A with forces U by the times of U. */
lf_status lf_state_covariance_slopes(lf_context *ctx, const lf_model *model, const lf_point_set *A,
                                     const lf_point_set *U, double *slopes, size_t ld);
/* k (A.n) += the variances of outputs and rates. */
lf_status lf_state_covariance_diagonal(lf_context *ctx, const lf_model *model, const lf_point_set *A, double *k);
/* gradient[i] += sum_mn G[m,n] dK[m,n] / d(natural value of parameter i). A == B: both triangles of G are needed. */
lf_status lf_state_covariance_gradient(lf_context *ctx, const lf_model *model, const lf_point_set *A,
                                       const lf_point_set *B, const double *G, size_t ld, double *gradient);

#endif
