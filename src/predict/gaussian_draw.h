/* Draws from a Gaussian whose covariance may be singular. */
#ifndef LF_PREDICT_GAUSSIAN_DRAW_H
#define LF_PREDICT_GAUSSIAN_DRAW_H

#include "latentforce.h"

/* samples (count, n) from N(mean, covariance); mean NULL = 0. The covariance (n, n) is overwritten; one that is
 * not finite is an error. */
lf_status lf_gaussian_draw(lf_context *ctx, size_t n, const double *mean, double *covariance, size_t count,
                           double *samples);

#endif
