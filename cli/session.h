/* The steps that several commands share: read data that fit the model, condition on them or take a stored posterior. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "latentforce.h"
#include "points.h"
#include "settings.h"

/* All return an exit status and print what went wrong. */

/* Reads a CSV file and checks that its outputs and its number of inputs are those of the model. */
int cli_read_data(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path,
                  lf_data **data);
/* The same for a file that lists inputs; with any_output its `output` column may hold names the model does not know. */
int cli_read_inputs(lf_context *ctx, const cli_settings *settings, const lf_model *model, int any_output,
                    lf_data **inputs);

/* Whether a row is marked test. */
int cli_is_test(lf_row row);

/* lf_data_select on rows that came from `path`. */
int cli_select(lf_context *ctx, const char *path, const lf_data *data, const char *split, lf_data **selected);

lf_engine_options cli_engine_options(const cli_settings *settings);
/* How far the posterior must reach: to --horizon and to the inputs asked for (NULL: none). */
int cli_reach(const cli_settings *settings, const lf_data *training, const cli_points *asked,
              lf_engine_options *options);

/* The posterior given the rows of `training`, with a horizon that reaches the inputs asked for. */
int cli_condition_on(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *training,
                     const cli_points *asked, lf_posterior **posterior);
/* The first option about engines on the command line, or NULL. */
const char *cli_engine_option_given(const cli_settings *settings);
/* The posterior that the model holds; options about engines, which come too late for it, are refused. */
int cli_restore(lf_context *ctx, const char *command, const cli_settings *settings, const lf_model *model,
                lf_posterior **posterior);

/* Between which inputs (p) a stored posterior is asked by default; 0 where it does not say. */
int cli_stored_limits(const lf_model *model, const lf_posterior *posterior, double *low, double *high);

/* Whether the rows behind a posterior had a replicate column. */
int cli_has_named_replicates(const lf_posterior *posterior);

/* Refuses points of the file `path` where the stored posterior cannot predict. */
int cli_check_range(const cli_settings *settings, const char *path, const cli_points *points,
                    const lf_posterior *posterior);

#endif
