/* Prints names and numbers in CSV and JSON. */
#ifndef CLI_FORMATS_H
#define CLI_FORMATS_H

#include <stdio.h>

#include "latentforce.h"

/* In quotes where CSV requires them. */
void cli_csv_name(FILE *stream, const char *name);
/* The shortest decimal that reads back as the same double. */
void cli_csv_number(FILE *stream, double value);
/* The headings of the inputs of a model: their names, or "x" or "x1,…,xp" for inputs without names of their own. */
void cli_csv_input_heading(FILE *stream, const lf_model *model);
/* The inputs x (p) of a model, separated by commas: dates, or numbers in the unit of files. */
void cli_csv_inputs(FILE *stream, const lf_model *model, const double *x);

void cli_json_string(FILE *stream, const char *text);
/* Prints a document of the library with the name of its file as the first member, and releases it. Returns an exit status. */
int cli_json_print(const char *file, char *document);
/* %.17g; null for values that are not finite. */
void cli_json_number(FILE *stream, double value);

#endif
