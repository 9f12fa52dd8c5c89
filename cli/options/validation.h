/* The options of scores as the library takes them. */
#ifndef CLI_OPTIONS_VALIDATION_H
#define CLI_OPTIONS_VALIDATION_H

#include "latentforce.h"
#include "options/settings.h"

/* Those of the command line, with the names of its files; to be released with lf_options_free(). Returns an exit status. */
int cli_validation(lf_context *ctx, const char *command, const cli_settings *settings, lf_options **validate);

#endif
