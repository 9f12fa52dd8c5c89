/* Prints names and numbers in CSV and JSON. */
#ifndef CLI_FORMATS_H
#define CLI_FORMATS_H

#include <stdio.h>

/* In quotes where CSV requires them. */
void cli_csv_name(FILE *stream, const char *name);
/* The shortest decimal that reads back as the same double. */
void cli_csv_number(FILE *stream, double value);
/* "x" or "x1,…,xp", the heading of p inputs. */
void cli_csv_input_heading(FILE *stream, int input_dim);
/* `count` numbers separated by commas. */
void cli_csv_numbers(FILE *stream, const double *value, int count);

void cli_json_string(FILE *stream, const char *text);
/* %.17g; null for values that are not finite. */
void cli_json_number(FILE *stream, double value);

#endif
