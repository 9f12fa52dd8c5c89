/* Tables of results: columns of numbers or words, filled row by row. */
#ifndef LF_BASE_TABLE_H
#define LF_BASE_TABLE_H

#include "latentforce.h"

typedef enum lf_table_kind { LF_NUMBERS, LF_WORDS } lf_table_kind;

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
/* LF_ERROR_MEMORY if a cell could not be stored. */
lf_status lf_table_check(lf_context *ctx, const lf_table *table);

#endif
