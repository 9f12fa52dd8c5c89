/* The posterior of outputs, rates and forces at any time, given all rows of a replicate. */
#ifndef LF_KALMAN_SMOOTHER_H
#define LF_KALMAN_SMOOTHER_H

#include "kalman/filter.h"

/* At the query points of the timeline: mean (queries) and, unless NULL, variance (queries) and covariance (queries,
 * queries). The filter starts from start_mean and start_P or, where they are NULL, from the prior. */
lf_status lf_kalman_smooth(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline, const double *y,
                           const double *noise, const double *start_mean, const double *start_P, double *mean,
                           double *variance, double *covariance);

#endif
