/* latentforce show --state-space --json. */
#ifndef CLI_SHOW_MATRICES_H
#define CLI_SHOW_MATRICES_H

#include <stdio.h>

#include "latentforce.h"
#include "options/settings.h"

/* Prints the matrices of a model as one JSON object. Returns an exit status. */
int cli_show_matrices(lf_context *ctx, FILE *stream, const cli_settings *settings, const lf_model *model);

#endif
