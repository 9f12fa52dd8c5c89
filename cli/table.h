/* Aligned tables for people. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdio.h>

#include "latentforce.h"

typedef struct cli_table {
    const char *alignment; /* one letter a column: 'l' or 'r' */
    size_t columns, count, capacity;
    char **cell; /* (count), row by row; the first row is the heading */
    int failed;  /* there was no memory for a cell */
} cli_table;

cli_table cli_table_create(const char *alignment);
/* Adds the next cell. */
void cli_table_add(cli_table *table, const char *format, ...) LF_PRINTF(2, 3);
/* Adds a number as people read it, "-" when it is NaN. */
void cli_table_add_number(cli_table *table, double value);
/* Prints and releases the table; returns an exit status. */
int cli_table_print(cli_table *table, FILE *stream);

#endif
