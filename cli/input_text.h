/* Inputs in results: the headings of their columns, and their values as files show them. */
#ifndef CLI_INPUT_TEXT_H
#define CLI_INPUT_TEXT_H

#include <stdio.h>

#include "latentforce.h"

enum { CLI_INPUT_SIZE = 48 }; /* bytes of the text of an input */

/* The name of an input in the model or, without one or if another column of a result has it, "x" ("x1" … with several inputs).
 * `text` (CLI_INPUT_SIZE) holds the latter; returns the name. */
const char *cli_input_name(const lf_model *model, int input, char *text);

/* The headings of all inputs, separated by commas. */
void cli_csv_inputs_heading(FILE *stream, const lf_model *model);
/* The inputs x (p) of one row, separated by commas: dates, or numbers in the unit of files. */
void cli_csv_inputs(FILE *stream, const lf_model *model, const double *x);
/* One input in JSON: a text for a date, otherwise a number. */
void cli_json_input(FILE *stream, const lf_model *model, int input, double x);

#endif
