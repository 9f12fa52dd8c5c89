/* fit --by COLUMN: one model for each value of a column. */
#ifndef CLI_COMMANDS_FIT_BY_H
#define CLI_COMMANDS_FIT_BY_H

#include "latentforce.h"
#include "options/settings.h"

/* Fits the rows of each replicate of the data, writes the models to settings->output, and prints a table of the fits. Returns an exit status:
 * CLI_FAILED where a fit failed. */
int cli_fit_by(lf_context *ctx, const cli_settings *settings, const lf_data *data);

#endif
