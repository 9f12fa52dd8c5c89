/* Names and numbers as CSV and JSON write them. */
#ifndef CLI_FORMATS_H
#define CLI_FORMATS_H

#include <stdio.h>

/* Quoted where CSV needs it. */
void cli_csv_name(FILE *stream, const char *name);
/* The shortest decimal that reads back as the same double. */
void cli_csv_number(FILE *stream, double value);
/* "x" or "x1,…,xp", the heading of p inputs. */
void cli_csv_input_heading(FILE *stream, int input_dim);
/* p numbers with commas between them. */
void cli_csv_numbers(FILE *stream, const double *value, int count);

void cli_json_string(FILE *stream, const char *text);
/* %.17g; null for what is not finite. */
void cli_json_number(FILE *stream, double value);

#endif
