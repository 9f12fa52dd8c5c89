/* Shows tables of results of the library. */
#ifndef CLI_SHOW_RESULT_TABLE_H
#define CLI_SHOW_RESULT_TABLE_H

#include <stdio.h>

#include "latentforce.h"

/* A column that is shown. Numbers are shown with the error and the unit that other columns have; words with their unit in square brackets. */
typedef struct cli_shown {
    const char *heading, *value;
    const char *error, *unit; /* columns, or NULL */
    const char
        *mark; /* a column of words that stand behind: "fixed" behind a number, "(idle)" behind a word; or NULL */
    char side; /* 'l' or 'r'; 0: numbers stand on the right, words on the left */
} cli_shown;

/* The columns of a table, aligned; returns an exit status. */
int cli_result_table_show(lf_context *ctx, FILE *stream, const lf_table *table, size_t count, const cli_shown *columns);
/* All columns, numbers with three digits. */
int cli_result_table_print(lf_context *ctx, FILE *stream, const lf_table *table);
/* The word in a row of a column; "" where there is none. */
const char *cli_word_at(lf_context *ctx, const lf_table *table, const char *column, size_t row);
/* Whether any row of a column has a word, or a number other than 0. */
int cli_has_any(lf_context *ctx, const lf_table *table, const char *column);

#endif
