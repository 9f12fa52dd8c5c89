/* Outputs, rates and forces given all rows of a replicate, at any time. */
#ifndef LF_KALMAN_SMOOTHER_H
#define LF_KALMAN_SMOOTHER_H

#include "kalman/filter.h"

/* Answers the questions of the timeline: mean, variance (questions), covariance (questions, questions), the latter two unless
 * NULL. The filter starts from start_mean and start_P, or from the prior where they are NULL. */
lf_status lf_kalman_smooth(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline, const double *y,
                           const double *noise, const double *start_mean, const double *start_P, double *mean,
                           double *variance, double *covariance);

#endif
