/* The state of reading one or several files, or a table in memory, into rows. */
#ifndef LF_DATA_TABLE_READER_H
#define LF_DATA_TABLE_READER_H

#include "base/number.h"
#include "data/csv_columns.h"
#include "data/data.h"
#include "data/findings.h"

/* How the times of the files are written. */
typedef enum lf_time_kind {
    LF_TIME_UNDECIDED, /* no row has been read */
    LF_TIME_NUMBERS,
    LF_TIME_DATES,
    LF_TIME_EPOCH /* seconds or milliseconds since 1970 */
} lf_time_kind;

/* How widths are kept until the times are converted. */
typedef enum lf_width_kind { LF_WIDTH_NONE, LF_WIDTH_NUMBERS, LF_WIDTH_SECONDS } lf_width_kind;

/* The texts of the options that are lists. */
typedef struct lf_list_storage {
    char *x, *outputs, *drop, *missing, *known;
} lf_list_storage;

typedef struct lf_table_reader {
    lf_context *ctx;
    const lf_read_options *options;
    lf_read_options read_options; /* what `options` points to */
    lf_read_options given;        /* the options as they were given */
    lf_list_storage storage;
    lf_c_locale locale; /* "C", while has_locale */
    int has_locale;
    lf_column_options column_options;
    lf_csv_fields missing;  /* words for missing values, beside the usual ones */
    double *missing_number; /* (missing.count) NaN for words that are no number */
    lf_line_reader reader;  /* of the current file, or table in memory */
    lf_csv_sample sample;
    lf_csv_columns columns;
    lf_csv_fields fields; /* of the current row; storage for rows that are not in the sample */
    const lf_csv_fields *row;
    lf_data *data;
    double *x;     /* (input_dim) of the current row */
    int replicate; /* of the current file with replicates_by_file, else -1 */
    /* the first input; while dates are read, its unit is s */
    lf_time_kind time_kind;
    double epoch_divisor;
    lf_date_order order; /* of day and month; LF_ORDER_EITHER: the rows so far do not tell */
    size_t undecided;    /* rows that were read, with the day first, before one of them told */
    int other_forms;     /* some dates have a form that leaves no choice */
    int zero_undecided;  /* the date that is 0 is one of them */
    char ambiguous[48];  /* the first of them, and its place */
    char ambiguous_place[400];
    lf_width_kind width_kind;
    int file_checked; /* the times of the current file fit those of the files before it */
    size_t *numbered; /* (numbered_count) rows of each replicate, from -1 on, where rows are numbered */
    int numbered_count;
    int *unwanted; /* (unwanted_count) by output: the options or a note say that it is left out */
    int unwanted_count;
    char separator, decimal;    /* of the last file */
    size_t file;                /* number of the current file */
    int several;                /* several processes read the table, each a share of its rows */
    lf_findings findings;       /* with several processes: what this one found, and where */
    size_t rows_before;         /* rows of the table that processes before this one have */
    size_t row_count;           /* of all files */
    size_t missing_count;       /* cells without a value */
    char text_column[64];       /* the first column that was dropped because it contains text; "": none */
    const char *equations_unit; /* unit of the equations that are yet to be fitted to the table; NULL: none */
    lf_names foreign;           /* columns, or names of a long file, that equations do not mention */
} lf_table_reader;

/* Takes the options. lf_table_end must follow, also after a failure. */
lf_status lf_table_begin(lf_context *ctx, const lf_read_options *options, lf_table_reader *t);
/* Decides from the sample what the columns hold. `path` names the file. */
lf_status lf_table_decide(lf_table_reader *t, const char *path);
/* Adds a row of the file to the table. */
lf_status lf_table_row(lf_table_reader *t, const lf_csv_fields *row);
/* A file is read. */
void lf_table_leave(lf_table_reader *t);
/* Releases everything; the table too. */
void lf_table_clear(lf_table_reader *t);
/* The table is complete, unless `status` is a failure; `name` is the name of the file or files. Then lf_table_clear,
 * but for the result. */
lf_status lf_table_end(lf_table_reader *t, lf_status status, const char *name, lf_data **data);

/* Fails with "COLUMN problem: 'VALUE'; remedy" for a cell of the current row; remedy NULL: none. */
lf_status lf_cell_fail(const lf_table_reader *t, size_t column, const char *problem, const char *remedy);
/* Whether a cell stands for a missing value. */
int lf_cell_is_missing(const lf_table_reader *t, const lf_csv_field *cell);
/* The number in a cell. */
lf_status lf_cell_number(const lf_table_reader *t, size_t column, double *value);

/* Checks the options about time; the table is for a model whose first input has this axis, unless NULL. */
lf_status lf_begin_time(lf_table_reader *t, const lf_axis *model_axis);
/* Compares the units of the headings of the inputs with those of the files before, or of the model; times of files for no model
 * are compared when the first row is read. */
lf_status lf_check_units(lf_table_reader *t);
/* The first input of the current row. */
lf_status lf_read_time(lf_table_reader *t, double *x);
/* The first input of the current row is its number: the table has no other times. */
lf_status lf_number_time(lf_table_reader *t);
/* Chooses the unit of time when all files are read, and converts the first input to it. */
lf_status lf_finish_time(lf_table_reader *t);

/* How the dates of a file are read, by its first rows. */
void lf_choose_time_format(lf_table_reader *t);
/* Whether a cell is a date, and which: by the format, or by the order of day and month. Takes note of what the cell tells of this order. */
lf_timestamp_kind lf_read_date(lf_table_reader *t, const lf_csv_field *cell, lf_timestamp *stamp);
/* Whether all numbers of the first rows count from 1970 in the same unit: the divisor that makes seconds of them, or 0. */
double lf_sampled_divisor(const lf_table_reader *t);
/* The moment of a cell that counts from 1970; 0: it is no number. */
int lf_epoch_cell(const lf_table_reader *t, const lf_csv_field *cell, double divisor, lf_timestamp *stamp);
/* Which second is 0 for dates of which the first row has the second `first`; divisor 0: they are no counts since 1970. */
int64_t lf_choose_zero(const lf_table_reader *t, double divisor, int64_t first);

/* The format of numbers of the time that are dates without hyphens, 20191223 or 197401, by the first rows; NULL: they are not. */
const char *lf_find_compact_dates(const lf_table_reader *t);
/* Notes times that are plain numbers and may be years or dates. */
void lf_warn_of_numbers(const lf_table_reader *t);
/* All rows are read: decides which of two numbers of dates is the day, and reads those again that were read before it was known. */
lf_status lf_settle_order(lf_table_reader *t);

/* Dates, in seconds, of a table for no model: finds the step of the calendar, if they have one. */
lf_status lf_find_calendar_step(lf_table_reader *t);

/* The output is in this unit, unless NULL; the files before may not have it in another one. */
lf_status lf_take_unit(lf_table_reader *t, int output, const char *unit);

/* The first input of the current row becomes its number among those of its replicate, from 0. */
lf_status lf_number_row(lf_table_reader *t, int replicate);
/* Adds the current row to the table. */
lf_status lf_read_long_row(lf_table_reader *t);
lf_status lf_read_wide_row(lf_table_reader *t);

/* Adds the readings of known inputs that have columns of their own in a long file, or in a file of inputs. */
lf_status lf_read_known_cells(lf_table_reader *t, const lf_observation *row);

/* Fails where the table has no values of an output or an input of the equations that are yet to be fitted to it. */
lf_status lf_check_equation_columns(const lf_table_reader *t, const char *name);

/* When all files are read: checks that the table is what it seems to be, removes outputs without rows, and notes what was
 * read. `name` is the name of the file or files. */
lf_status lf_finish_table(lf_table_reader *t, const char *name);

/* Notes what was read, and what looks wrong in the values. `name` is the name of the file or files. */
lf_status lf_describe_table(const lf_table_reader *t, const char *name);

#endif
