/* Tables of results: columns of numbers, words or dates, filled row by row. */
#ifndef LF_BASE_TABLE_H
#define LF_BASE_TABLE_H

#include "base/axis.h"

typedef enum lf_table_kind { LF_NUMBERS, LF_WORDS, LF_DATES } lf_table_kind;

typedef struct lf_table_heading {
    const char *name; /* copied */
    lf_table_kind kind;
} lf_table_heading;

/* A table without rows. */
lf_status lf_table_create(lf_context *ctx, size_t columns, const lf_table_heading *headings, lf_table **table);

/* Fills the next cell of the last row, or the first one of a new row. Where there is no memory the table is incomplete: lf_table_check() says so. */
void lf_table_add_number(lf_table *table, double number);
/* The word is copied; NULL: the cell is empty. */
void lf_table_add_word(lf_table *table, const char *word);

/* What a column of values (n) of an input, x[0], x[stride], …, has, as files show them: dates, or numbers in the unit of files. Dates that a count
 * of nanoseconds does not reach are words. */
lf_table_kind lf_table_input_kind(const lf_axis *axis, size_t n, const double *x, size_t stride);
/* Fills a cell of such a column. */
void lf_table_add_input(lf_table *table, const lf_axis *axis, double x);

/* How the dates of a column are written. */
lf_timestamp_form lf_table_date_form(const lf_table *table, size_t column);
/* LF_ERROR_MEMORY if a cell could not be stored. */
lf_status lf_table_check(lf_context *ctx, const lf_table *table);

#endif
