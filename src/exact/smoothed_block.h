/* The covariances that Matern forces cause in the outputs of gaussian operators and their rates, and between these and
 * the forces, in closed form (smoothed_matern.h). Covariances of outputs of gaussian operators with outputs of ODEs, and
 * between forces, are not included. One input. */
#ifndef LF_EXACT_SMOOTHED_BLOCK_H
#define LF_EXACT_SMOOTHED_BLOCK_H

#include "points/points.h"

/* Whether a target is a force, an output of a gaussian operator or its rate. */
int lf_target_is_smoothed(const lf_model *model, int target);

/* K (A.n, B.n) += …, column-major. A == B (same pointer): only the lower triangle. */
void lf_smoothed_add(const lf_model *model, const lf_point_set *A, const lf_point_set *B, double *K, size_t ld);
/* slopes (A.n, U.n) += derivatives of the covariances of outputs A with forces U by the times of U. */
void lf_smoothed_slopes(const lf_model *model, const lf_point_set *A, const lf_point_set *U, double *slopes, size_t ld);
/* k (A.n) += the variances of outputs and rates. */
void lf_smoothed_diagonal(const lf_model *model, const lf_point_set *A, double *k);
/* gradient[i] += sum_mn G[m,n] dK[m,n] / d(natural value of parameter i), without rates. A == B: both triangles of G are
 * needed. */
void lf_smoothed_gradient(const lf_model *model, const lf_point_set *A, const lf_point_set *B, const double *G,
                          size_t ld, double *gradient);

#endif
