/* Numbers for people: a value with its standard error and its unit, and the labels of inputs and outputs.
 *
 * The standard error has two significant digits, and the value as many decimals as the error; without an error the value has
 * five significant digits. Numbers below 0.001 or from a million on have an exponent that is a multiple of three. */
#ifndef CLI_QUANTITY_H
#define CLI_QUANTITY_H

#include "latentforce.h"

enum { CLI_QUANTITY_SIZE = 256, CLI_LABEL_SIZE = 512 };

/* "2.10 +- 0.12 h", "12.3e-6 1/h", "350 ms"; "-" for NaN. error NaN or 0: not known; unit "": none. Seconds below 1 get a
 * prefix. */
void cli_quantity(char text[CLI_QUANTITY_SIZE], double value, double error, const char *unit);
/* An angular frequency, in radians per unit of the first input, with the frequency beside it: "0.35 rad/h (15.5 µHz)"; if the
 * unit of time is not known, "0.35 rad (0.0557 cycles)" per unit of input. */
void cli_frequency(char text[CLI_QUANTITY_SIZE], const lf_model *model, double value, double error);

/* The index of the parameter "OWNER.WHAT", or "OWNER.WHATnumber" for a number above 0. Returns 0 where there is none. */
int cli_find_parameter(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number,
                       size_t *index);
/* Its standard error, NaN where none is known. */
double cli_parameter_error(lf_context *ctx, const lf_model *model, const char *owner, const char *what, int number);
/* The parameter "OWNER.WHAT", or "OWNER.WHATnumber" for a number above 0, with this value, its standard error and its unit. */
void cli_parameter_quantity(lf_context *ctx, const lf_model *model, char text[CLI_QUANTITY_SIZE], const char *owner,
                            const char *what, int number, double value);
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
