/* Parts of lf_csv_columns_find, which decides what each column of a file holds: names, inputs, and the two shapes. */
#ifndef LF_DATA_COLUMN_FINDER_H
#define LF_DATA_COLUMN_FINDER_H

#include "data/csv_columns.h"

typedef struct lf_column_finder {
    lf_context *ctx;
    lf_line_reader *reader;
    const lf_csv_sample *sample;
    const lf_column_options *options;
    lf_csv_columns *columns;
} lf_column_finder;

/* The columns as "a, b, c", for messages. */
void lf_list_columns(const lf_column_finder *f, char *text, size_t size);
/* The column of that name, which may have its unit: "T [K]"; LF_NO_COLUMN: there is none. */
size_t lf_find_column(const lf_column_finder *f, const char *name);
/* The column of that name in upper or lower case, about which nothing else has been found; it is then known. */
size_t lf_take_column(const lf_column_finder *f, const char *name);
/* The column that an option names. */
lf_status lf_find_asked(const lf_column_finder *f, const char *option, const char *name, size_t *column);
/* Whether a column has this name, of `length` bytes, which may have its unit. */
int lf_is_named(const lf_csv_column *column, const char *name, size_t length);
/* Names and units of the headings. */
lf_status lf_read_headings(const lf_column_finder *f);

/* The inputs of --x or --time. */
lf_status lf_find_asked_inputs(const lf_column_finder *f);
/* The columns named as the inputs of the model. */
void lf_find_model_inputs(const lf_column_finder *f);
/* Gives columns the names that the model has for their headings: "T [K]" where an output or input of it is called so. */
lf_status lf_take_model_names(const lf_column_finder *f);
/* Whether a column has readings of a known input. */
int lf_is_known_input(const lf_column_options *options, const lf_csv_column *column);
/* The column of replicates. */
lf_status lf_find_replicates(const lf_column_finder *f);
/* The column of the time of a wide file where no option and no model names it: input_dim and x. */
lf_status lf_guess_time(const lf_column_finder *f);
/* Whether the first column is an index, as pandas and R write it. */
int lf_counts_rows(const lf_column_finder *f);

lf_status lf_find_long_columns(const lf_column_finder *f);
lf_status lf_find_wide_columns(const lf_column_finder *f);

#endif
