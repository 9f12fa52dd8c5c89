/* Labels of inputs and outputs, and parameters by the names of their owners. */
#ifndef CLI_QUANTITY_H
#define CLI_QUANTITY_H

#include "latentforce.h"

enum { CLI_QUANTITY_SIZE = 256, CLI_LABEL_SIZE = 512 };

/* The index of the parameter "OWNER.WHAT", or "OWNER.WHATnumber" for a number above 0. Returns 0 where there is none. */
int cli_find_parameter(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number,
                       size_t *index);
/* Its standard error, NaN where none is known. */
double cli_parameter_error(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number);
/* The unit of the parameter "OWNER.WHAT", or "OWNER.WHATnumber" for a number above 0; "" if it has none. */
void cli_parameter_unit(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number,
                        char unit[LF_UNIT_SIZE]);
/* The name of an input, "x" or "x1" without one. */
void cli_input_name(const lf_model *model, int input, char text[CLI_LABEL_SIZE]);
/* The same with its unit, "time (h)"; dates need no unit. */
void cli_input_label(const lf_model *model, int input, char text[CLI_LABEL_SIZE]);
/* "NAME (UNIT)", or "NAME" without a unit. */
void cli_label(const char *name, const char *unit, char text[CLI_LABEL_SIZE]);

#endif
