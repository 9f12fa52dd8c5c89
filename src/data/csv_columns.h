/* The columns of a data file: what each of them holds. */
#ifndef LF_DATA_CSV_COLUMNS_H
#define LF_DATA_CSV_COLUMNS_H

#include <stdint.h>

#include "data/csv_sample.h"
#include "data/names.h"

#define LF_NO_COLUMN SIZE_MAX

/* The word of --time for the numbers of the rows, and the name of an input that is these. */
#define LF_ROW_NUMBERS "row"

/* Parts of a date that have columns of their own. */
typedef enum lf_time_part {
    LF_PART_YEAR,
    LF_PART_QUARTER,
    LF_PART_MONTH,
    LF_PART_DAY,
    LF_PART_HOUR,
    LF_PART_MINUTE,
    LF_PART_SECOND,
    LF_PART_COUNT
} lf_time_part;

typedef enum lf_column_role {
    LF_COLUMN_UNKNOWN, /* not yet decided */
    LF_COLUMN_DROPPED, /* its cells are not read */
    LF_COLUMN_EMPTY,   /* behind a separator at the end of the heading: its cells must be empty */
    LF_COLUMN_KNOWN,   /* one of the indices of lf_csv_columns */
    LF_COLUMN_OUTPUT,  /* wide: values of an output; any shape: of a known input */
    LF_COLUMN_SD       /* wide: standard errors of an output, or times over which its readings are means */
} lf_column_role;

typedef struct lf_csv_column {
    char *name; /* without its unit */
    char *unit; /* NULL: none */
    lf_column_role role;
    size_t sd;         /* wide output: column of its standard errors, or LF_NO_COLUMN */
    size_t width;      /* wide output: column of the times over which its readings are means, or LF_NO_COLUMN */
    int asked;         /* wide output: named in --outputs */
    int percent;       /* wide output: its numbers have a sign of per cent */
    int output;        /* wide output: its number in the table */
    size_t first_line; /* wide output: line of the first cell that is not missing; 0: none so far */
    int is_text;       /* wide output: that cell is no number */
    int open;          /* wide output, read by several processes: none of the first rows has such a cell */
    size_t missing;    /* wide output: missing cells of the share of this process before that cell */
} lf_csv_column;

/* What the options say about columns. */
typedef struct lf_column_options {
    int ignore_columns, inputs_only;
    const char *time;                         /* NULL: not given */
    const char *output_column, *value_column; /* NULL: not given */
    const char *replicate_column;             /* NULL: not given */
    const char *by;                 /* the column of the replicates, beside which none may be; NULL: not given */
    int or_rows;                    /* rows of a wide table are numbered where no column may be the time */
    lf_csv_fields x, outputs, drop; /* lists of names; count 0: not given */
    lf_csv_fields known;            /* known inputs, beside those of the model */
    const lf_model *model;          /* the table is for this model; NULL: for none */
    lf_names *foreign;              /* takes columns that equations do not mention; NULL: none */
} lf_column_options;

typedef struct lf_csv_columns {
    size_t count;
    lf_csv_column *column; /* (count) */
    int wide;
    int input_dim;
    size_t *x;                  /* (input_dim) column of each input; x[0] LF_NO_COLUMN: rows are numbered */
    size_t time_of_day;         /* column of the time of day where x[0] has dates alone */
    size_t part[LF_PART_COUNT]; /* columns of numbers that the time consists of, or LF_NO_COLUMN */
    size_t output, y, sd, width, split, replicate; /* column of each, or LF_NO_COLUMN */
} lf_csv_columns;

/* Whether the options or the model ask for the numbers of the rows as their times, where no column has that name. */
int lf_may_number_rows(const lf_column_options *options);
/* Decides from the heading and the first rows. */
lf_status lf_csv_columns_find(lf_context *ctx, lf_line_reader *reader, const lf_csv_sample *sample,
                              const lf_column_options *options, lf_csv_columns *columns);
void lf_csv_columns_clear(lf_csv_columns *columns);

/* The heading of an input: that of its column; "row" where rows are numbered, "time" where columns together are the time. */
const lf_csv_column *lf_input_column(const lf_csv_columns *columns, int input);

/* Whether a cell of the list is this name; it may have its unit: "T [K]". */
int lf_list_has(const lf_csv_fields *list, const lf_csv_column *column);

#endif
