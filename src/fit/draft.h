/* What a model is like that nobody has described: kernels, and starting values from what its training rows look like. */
#ifndef LF_FIT_DRAFT_H
#define LF_FIT_DRAFT_H

#include "fit/survey.h"
#include "model/model.h"

/* Sets every lengthscale, constant, sensitivity, noise, initial variance and private force. The outputs of the model are
 * those of the survey; offsets and scales are set before. */
lf_status lf_start(lf_context *ctx, const lf_survey *survey, lf_model *model);

/* Fills in the kernels that the options leave open. */
void lf_draft_kernels(lf_draft_options *options, int outputs, int inputs);

#endif
