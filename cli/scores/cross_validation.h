/* Cross-validation: predictions of rows by models that have not seen them. */
#ifndef CLI_CROSS_VALIDATION_H
#define CLI_CROSS_VALIDATION_H

#include "latentforce.h"
#include "options/settings.h"
#include "scores/scored_rows.h"

/* Withholds every row of `rows` once, in settings->folds folds, predicts it and appends it to `scored`, which was made for these
 * rows. Each fold is fitted again with the command in the provenance of the model; with settings->no_refit the model is only
 * conditioned on the rows that are kept. Marks of a split in `rows` are changed. `path` names the rows. Returns an exit status. */
int cli_cross_validate(lf_context *ctx, const cli_settings *settings, const lf_model *model, lf_data *rows,
                       const char *path, cli_scored_rows *scored);

/* "5-fold cross-validation over windows of time, refitted without them". */
void cli_describe_cross_validation(const cli_settings *settings, const lf_model *model, size_t size, char *text);

#endif
