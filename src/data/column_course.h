/* How the values of a column follow each other in the first rows of a file, and which column labels series of rows. */
#ifndef LF_DATA_COLUMN_COURSE_H
#define LF_DATA_COLUMN_COURSE_H

#include "data/column_finder.h"

/* The numbers of a column within each group of rows: those with the same cell in another column. */
typedef struct lf_course {
    size_t count;              /* rows with a number */
    size_t other;              /* rows with something else, or nothing */
    size_t ups, downs, equals; /* steps from one row of a group to the next */
    size_t repeats;            /* rows whose number an earlier row of the group has */
} lf_course;

/* group LF_NO_COLUMN: all rows are one. */
lf_course lf_guess_course(const lf_csv_sample *sample, size_t column, size_t group);
/* Numbers that hardly repeat and go one way. */
int lf_course_is_monotone(const lf_course *course);
/* Numbers that are times if the column is named so: they hardly repeat, in any order, or go one way with some repeated. */
int lf_course_is_time(const lf_course *course);

/* Whether two of its cells are the same. */
int lf_guess_repeats(const lf_csv_sample *sample, size_t column);

/* Whether the heading names subjects, runs or batches: "Subject", "id", "patient". */
int lf_guess_is_label_name(const char *name);
/* The column whose cells tell apart the series in which the numbers of `time` increase, where without it they repeat or go back;
 * LF_NO_COLUMN: there is none. named: only columns with the name of a label. */
size_t lf_guess_label(const lf_column_finder *f, size_t time, int named);
/* Whether a column has one value in all rows with the same label. */
int lf_guess_is_constant_within(const lf_csv_sample *sample, size_t column, size_t label);

/* Whether the numbers are times of a clock without its colon: 840, 850, 900 for 8:40, 8:50, 9:00. */
int lf_guess_is_clock(const lf_csv_sample *sample, size_t column);

#endif
