/* The log posterior of a model with Gaussian noise: the marginal likelihood is that of an engine. */
#ifndef LF_INFERENCE_GAUSSIAN_H
#define LF_INFERENCE_GAUSSIAN_H

#include "inference/log_posterior.h"

/* For these rows; the data and the prior outlive it. */
lf_status lf_gaussian_create(lf_context *ctx, const lf_model *model, const lf_data *data,
                             const lf_engine_options *options, const lf_prior *prior, lf_log_posterior **p);

#endif
