/* Covariances of a model given by equations, by integration over frequencies (system_pass.h). Nothing here uses transitions from one
 * time to the next, so that it is an independent check of the kalman engine. Targets are outputs, forces, rates and states. */
#ifndef LF_EXACT_SYSTEM_COVARIANCE_H
#define LF_EXACT_SYSTEM_COVARIANCE_H

#include "points/points.h"

/* K (A.n, B.n), column-major. A == B (same pointer): only the lower triangle is set. */
lf_status lf_system_covariance_matrix(lf_context *ctx, const lf_model *model, const lf_point_set *A,
                                      const lf_point_set *B, double *K, size_t ld);
/* k (A.n): the variances. */
lf_status lf_system_covariance_diagonal(lf_context *ctx, const lf_model *model, const lf_point_set *A, double *k);
/* gradient[i] += sum_mn G[m,n] dK[m,n] / d(natural value of parameter i), for outputs; G is symmetric. */
lf_status lf_system_covariance_gradient(lf_context *ctx, const lf_model *model, const lf_point_set *A, const double *G,
                                        size_t ld, double *gradient);
/* The errors of the covariances within a span of times, relative to the variances: those of the integrals, and what rounding does to
 * the free motion where modes are fast. */
lf_status lf_system_covariance_accuracy(lf_context *ctx, const lf_model *model, double span, double *relative);
/* A rough estimate for the matrix and its gradient, in floating-point operations of dpotrf. */
double lf_system_covariance_cost(const lf_model *model, const lf_point_set *A);

#endif
