/* The verdict on a fitted model. */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include <stdio.h>

#include "latentforce.h"

/* Prints `heading`, then one sentence per line after "  "; warnings begin with "warning: ". Nothing where there is no verdict. Returns an exit
 * status. */
int cli_verdict_print(lf_context *ctx, FILE *stream, const char *heading, const lf_model *model);

#endif
