/* Text tables with aligned columns. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdio.h>

#include "latentforce.h"

typedef struct cli_table {
    const char *alignment; /* one letter per column: 'l' or 'r' */
    size_t columns, count, capacity;
    char **cell; /* (count), row by row; the first row is the heading */
    int failed;  /* memory was insufficient for a cell */
} cli_table;

cli_table cli_table_create(const char *alignment);
/* Adds the next cell. */
void cli_table_add(cli_table *table, const char *format, ...) LF_PRINTF(2, 3);
/* Adds a number with 6 digits, "-" for NaN. */
void cli_table_add_number(cli_table *table, double value);
/* Adds cells with these texts, which end with NULL. */
void cli_table_add_headings(cli_table *table, const char *const *headings);
/* Prints and releases the table; returns an exit status. */
int cli_table_print(cli_table *table, FILE *stream);

#endif
