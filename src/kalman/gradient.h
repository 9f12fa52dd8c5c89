/* The log likelihood of one replicate with its gradient. */
#ifndef LF_KALMAN_GRADIENT_H
#define LF_KALMAN_GRADIENT_H

#include "engine/targets.h"
#include "kalman/filter.h"

/* gradient[i] += derivative with respect to natural parameter i, but for the offsets; targets->by_y, and by_noise unless NULL, are set.
 * storage: see lf_filter. */
lf_status lf_kalman_gradient(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline,
                             const lf_targets *targets, lf_record_storage *storage, double *log_likelihood,
                             double *gradient);

#endif
