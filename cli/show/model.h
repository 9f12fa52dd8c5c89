/* The tables of a model as text. */
#ifndef CLI_SHOW_MODEL_H
#define CLI_SHOW_MODEL_H

#include <stdio.h>

#include "latentforce.h"

/* Prints them with their headings; returns an exit status. */
int cli_show_model(lf_context *ctx, FILE *stream, const lf_model *model);

#endif
