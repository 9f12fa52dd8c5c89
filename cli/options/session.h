/* Steps that several commands share: reading data that match the model, conditioning on them, restoring posteriors. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "latentforce.h"
#include "options/points.h"
#include "options/settings.h"

/* Unless stated otherwise, functions that return int print an error and return an exit status. */

/* Bytes of the text of an input. */
enum { CLI_INPUT_SIZE = 48 };

/* Reads a model file, or a file of equations in which every value is given. */
int cli_read_model(lf_context *ctx, const char *path, lf_model **model);
/* Reads files as one table, by the reading options; model NULL: for no model yet. */
int cli_read_files(lf_context *ctx, const cli_settings *settings, const lf_model *model, int inputs_only, size_t count,
                   const char *const *paths, lf_data **data);
/* Reads settings->row_files for a fit with settings->fit: with the columns that it needs. */
int cli_read_for_fit(lf_context *ctx, const cli_settings *settings, lf_data **data);
/* Reads the files that `path` stands for, which is settings->rows or settings->data, and checks that the model has their
 * outputs and their number of inputs. */
int cli_read_data(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path,
                  lf_data **data);
/* The same; of several processes each reads all rows, and not its share. */
int cli_read_whole_data(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path,
                        lf_data **data);
/* The same for the file of inputs settings->at; any_output: its column `output` may contain any names. */
int cli_read_inputs(lf_context *ctx, const cli_settings *settings, const lf_model *model, int any_output,
                    lf_data **inputs);

/* Fails if a file of inputs has a column `replicate`: there is no covariance between replicates. */
int cli_refuse_replicates(const cli_settings *settings, const lf_data *inputs);

/* Fails if a file cannot be written: long work should not end there. */
int cli_check_writable(lf_context *ctx, const char *path);

/* Whether a row is marked test: 1 or 0. */
int cli_is_test(lf_row row);

/* lf_data_select; fails where no row of an output is left; messages begin with `path`, the file of the rows. */
int cli_select(lf_context *ctx, const lf_model *model, const char *path, const lf_data *data, const char *rows,
               lf_data **selected);
/* Takes rows before the origin out of a table of rows of outputs, with a note, where the outputs of the model start there. */
int cli_drop_before_start(lf_context *ctx, const cli_settings *settings, const lf_model *model, const char *path,
                          lf_data **rows);
/* Gives a posterior the readings of known inputs in a table, which may be NULL: none. */
int cli_add_inputs(lf_context *ctx, const char *path, const lf_data *data, lf_posterior *posterior);

lf_engine_options cli_engine_options(const cli_settings *settings);
/* The value of --horizon; NaN: not given. */
int cli_horizon(lf_context *ctx, const cli_settings *settings, const lf_model *model, double *horizon);
/* Sets how far ahead of the rows the engine reaches, so that it covers --horizon. */
int cli_set_horizon(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *training,
                    lf_engine_options *options);

/* The posterior given the rows of `training`, by the engine options; it covers --horizon and the points of `reach`, unless NULL. */
int cli_posterior_given(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *training,
                        const lf_points *reach, lf_posterior **posterior);
/* The same for points that are no handle yet. */
int cli_condition_on(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *training,
                     const cli_points *required, lf_posterior **posterior);
/* The first engine option that was given, or NULL. */
const char *cli_engine_option_given(const cli_settings *settings);
/* A usage error where an option of an engine is given. */
int cli_refuse_engine_options(const char *command, const cli_settings *settings);
/* The posterior stored in the model. Fails if an engine option was given, because it would have no effect. */
int cli_restore(lf_context *ctx, const char *command, const cli_settings *settings, const lf_model *model,
                lf_posterior **posterior);

/* cli_fail for a model without a posterior where no data were given. */
int cli_fail_no_posterior(const cli_settings *settings);

/* The default range low (p), high (p) for predictions from a stored posterior. Returns 0 if it is unknown. */
int cli_stored_limits(const lf_model *model, const lf_posterior *posterior, double *low, double *high);

/* Whether the training rows of a posterior had a column `replicate`: 1 or 0. */
int cli_has_named_replicates(const lf_posterior *posterior);

#endif
