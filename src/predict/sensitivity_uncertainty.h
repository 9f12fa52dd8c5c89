/* The variance that the uncertainty of the sensitivities of an output adds to its predictions.
 *
 * Given the forces u_q, an output is linear in its sensitivities:
 *
 *   y(t) = sum_q S_q h_q(t) + r(t),   h_q the response of its operator to u_q
 * with r its private force, start and noise, of covariance K at its training rows. Let each S_q have the prior variance tau^2
 * (sensitivity_sd). Given the rows the sensitivities have the covariance C, and the variance of a prediction increases by
 *
 *   g'C g,   C = (H'K^-1 H + I / tau^2)^-1,   g = h(t) - H'K^-1 k(t)
 * which is large where the forces take values in a gap that they did not take while the output was observed. Forces are taken at their
 * posterior means; the dependence of these on the rows of the output is neglected. */
#ifndef LF_PREDICT_SENSITIVITY_UNCERTAINTY_H
#define LF_PREDICT_SENSITIVITY_UNCERTAINTY_H

#include "engine/scaled_posterior.h"

typedef struct lf_sensitivity_uncertainty lf_sensitivity_uncertainty;

/* Of a posterior and the rows (replicates) it was made from; all of them must outlive it. */
lf_status lf_sensitivity_uncertainty_create(lf_context *ctx, const lf_scaled_posterior *posterior, int replicates,
                                            const lf_replicate *rows, lf_sensitivity_uncertainty **uncertainty);
void lf_sensitivity_uncertainty_free(lf_sensitivity_uncertainty *uncertainty);

/* Adds to variance (n) and covariance (n, n), unless NULL, of the scaled outputs and rates among the points. */
lf_status lf_sensitivity_uncertainty_add(lf_context *ctx, lf_sensitivity_uncertainty *uncertainty, int replicate,
                                         const lf_point_set *points, double *variance, double *covariance);

#endif
