/* latentforce show --json. */
#ifndef CLI_SHOW_JSON_H
#define CLI_SHOW_JSON_H

#include <stdio.h>

#include "latentforce.h"
#include "options/settings.h"

/* Prints a model as one JSON object; posterior NULL: none is stored. Returns an exit status. */
int cli_show_json(lf_context *ctx, FILE *stream, const cli_settings *settings, const lf_model *model,
                  const lf_posterior *posterior);

/* Prints "parameters": {NAME: {"value": …, "unit": …, "standard_error": …, "lower": …, "upper": …, "fixed": …, "tied_to": …}, …}. */
void cli_json_parameters(FILE *stream, const lf_model *model);
/* "quantities":{"NAME":{"value":…,"standard_error":…},…} of the equations. */
int cli_json_quantities(lf_context *ctx, FILE *stream, const lf_model *model);
/* NaN where a quantity is not defined at the parameters of the model. */
int cli_quantity_value(lf_context *ctx, const lf_model *model, int quantity, double *value);

#endif
