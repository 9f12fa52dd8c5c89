/* latentforce fit --json. */
#ifndef CLI_FIT_JSON_H
#define CLI_FIT_JSON_H

#include <stdio.h>

#include "latentforce.h"
#include "options/settings.h"

/* Prints how a fit ended as one JSON object. Returns an exit status. */
int cli_fit_print_json(lf_context *ctx, FILE *stream, const cli_settings *settings, const lf_fit_result *result,
                       const lf_model *model);

#endif
