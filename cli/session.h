/* The steps that several commands share: read the model, read data that fit it, condition on data. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "latentforce.h"
#include "settings.h"

/* All return an exit status and print what went wrong. */

/* Reads a CSV file and checks that its outputs and its number of inputs are those of the model. */
int cli_read_data(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path,
                  lf_data **data);
/* The same for a file that lists inputs; with any_output its `output` column may hold names the model does not know. */
int cli_read_inputs(lf_context *ctx, const cli_settings *settings, const lf_model *model, int any_output,
                    lf_data **inputs);

/* lf_data_select on rows that came from `path`. */
int cli_select(lf_context *ctx, const char *path, const lf_data *data, lf_split which, lf_data **selected);

lf_engine_options cli_engine_options(const cli_settings *settings);

/* The posterior given the rows of `training`. */
int cli_condition(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *training,
                  lf_posterior **posterior);

#endif
