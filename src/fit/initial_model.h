/* A model for data that nobody has described: its shape from the options, its starting values from the training rows. */
#ifndef LF_FIT_INITIAL_MODEL_H
#define LF_FIT_INITIAL_MODEL_H

#include "fit/data_summary.h"
#include "fit/fit_options.h"
#include "model/model.h"

/* The outputs of the model are those of the data, and of the summary, in this order. Several inputs are standardised. */
lf_status lf_initial_model(lf_context *ctx, const lf_data *data, const lf_data_summary *summary,
                           const lf_shape_options *options, lf_model **model);

/* Fails for rows from which no starting values follow: a single row, or all at the same input. */
lf_status lf_check_training_rows(lf_context *ctx, const lf_data *data);
/* Notes about rows that tell little, whose summary numbers the outputs as the data do: outputs with one or two rows, inputs whose differences lose most digits. */
void lf_note_training_rows(lf_context *ctx, const lf_data *data, const lf_data_summary *summary);

/* Sets every lengthscale, constant, sensitivity, noise, initial variance and private force of a model whose outputs are those of
 * the summary; offsets and scales are set before. */
lf_status lf_starting_values(lf_context *ctx, const lf_data_summary *summary, lf_model *model);

/* Standard deviations (D) of the outputs under force q alone (-1: under their private forces) with sensitivity 1, where
 * the start is forgotten. */
lf_status lf_force_gains(lf_context *ctx, const lf_data_summary *summary, const lf_model *model, int q, double *gain);

enum { LF_ENOUGH_FORCES = 6 }; /* for few outputs, by default; more outputs than these are many */

/* Fills in what the options leave open: operator, kernels, numbers of forces and copies, private forces. */
void lf_fill_shape(lf_shape_options *options, int outputs, int inputs);
/* The number of forces where the options leave it open and no comparison chooses it. */
int lf_default_forces(int outputs, int inputs);

/* What a model does not say about its inputs and the units of its outputs, the data say. */
lf_status lf_take_labels(lf_context *ctx, const lf_data *data, lf_model *model);

#endif
