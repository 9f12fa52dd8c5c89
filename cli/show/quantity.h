/* Labels of inputs and outputs. */
#ifndef CLI_QUANTITY_H
#define CLI_QUANTITY_H

#include "latentforce.h"

enum { CLI_QUANTITY_SIZE = 256, CLI_LABEL_SIZE = 512 };

/* The name of an input, "x" or "x1" without one. */
void cli_input_name(const lf_model *model, int input, char text[CLI_LABEL_SIZE]);
/* The same with its unit, "time (h)"; dates need no unit. */
void cli_input_label(const lf_model *model, int input, char text[CLI_LABEL_SIZE]);
/* "NAME (UNIT)", or "NAME" without a unit. */
void cli_label(const char *name, const char *unit, char text[CLI_LABEL_SIZE]);

#endif
