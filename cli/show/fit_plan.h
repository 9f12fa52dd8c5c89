/* `latentforce fit --plan`. */
#ifndef CLI_FIT_PLAN_H
#define CLI_FIT_PLAN_H

#include "latentforce.h"
#include "options/settings.h"

/* Prints what the fit would do, as text or with --json as a list of rows. Returns an exit status. */
int cli_fit_print_plan(lf_context *ctx, const cli_settings *settings, const lf_data *data);

#endif
