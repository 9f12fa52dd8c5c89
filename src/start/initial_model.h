/* A model for data that nobody has described: its shape from the options, its starting values from the training rows. */
#ifndef LF_START_INITIAL_MODEL_H
#define LF_START_INITIAL_MODEL_H

#include "model/model.h"
#include "options/options.h"
#include "plan/data_summary.h"

/* The outputs of the model are those of the data, and of the summary, in this order. Several inputs are standardised. */
lf_status lf_initial_model(lf_context *ctx, const lf_data *data, const lf_data_summary *summary,
                           const lf_shape_options *options, lf_model **model);

/* Sets every lengthscale, constant, sensitivity, noise, initial variance and private force of a model whose outputs are those of
 * the summary; offsets and scales are set before. */
lf_status lf_starting_values(lf_context *ctx, const lf_data_summary *summary, lf_model *model);

/* Standard deviations (D) of the outputs under force q alone (-1: under their private forces) with sensitivity 1, where
 * the start is forgotten. */
lf_status lf_force_gains(lf_context *ctx, const lf_data_summary *summary, const lf_model *model, int q, double *gain);

/* What a model does not say about its inputs and the units of its outputs, the data say. */
lf_status lf_take_labels(lf_context *ctx, const lf_data *data, lf_model *model);

#endif
