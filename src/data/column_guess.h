/* What the first rows of a file show about a column. */
#ifndef LF_DATA_COLUMN_GUESS_H
#define LF_DATA_COLUMN_GUESS_H

#include "data/csv_sample.h"

typedef enum lf_guess {
    LF_GUESS_NOTHING, /* no cell has a value */
    LF_GUESS_NUMBER,
    LF_GUESS_DATE,      /* dates without a time of day */
    LF_GUESS_DATE_TIME, /* dates with one */
    LF_GUESS_TIME_OF_DAY,
    LF_GUESS_TEXT
} lf_guess;

/* A cell of a row, or NULL where it is empty. */
const lf_csv_field *lf_sample_cell(const lf_csv_sample *sample, size_t row, size_t column);
/* From its first cell that is not empty. */
lf_guess lf_guess_kind(const lf_csv_sample *sample, size_t column);
/* Whether its numbers are 0, 1, 2, … or 1, 2, 3, …. */
int lf_guess_is_index(const lf_csv_sample *sample, size_t column);
/* Whether all its cells are whole numbers. */
int lf_guess_is_whole(const lf_csv_sample *sample, size_t column);
/* Whether its numbers are whole and unevenly spaced, as an index of which rows were removed. */
int lf_guess_is_ragged_count(const lf_csv_sample *sample, size_t column);
/* Whether the heading names a time: "t", "Time", "date_utc", "hours", "x". */
int lf_guess_is_time_name(const char *name);

#endif
