/* What `latentforce fit` prints about a fit, on standard error. */
#ifndef CLI_FIT_SUMMARY_H
#define CLI_FIT_SUMMARY_H

#include "latentforce.h"
#include "options/settings.h"

/* The shapes that were compared, as a table; nothing when there are none. Returns an exit status. */
int cli_fit_print_candidates(const lf_fit_result *result);
/* Parameters on bounds, and how the fit ended. */
void cli_fit_print_summary(const cli_settings *settings, const lf_fit_result *result, const lf_model *model);
/* What the stages took and decided, as a table. Returns an exit status. */
int cli_fit_print_stages(lf_context *ctx, const lf_fit_result *result);

#endif
