/* Times that several columns hold: a date and a time of day, or year, quarter, month, day and hour. */
#ifndef LF_DATA_TIME_PARTS_H
#define LF_DATA_TIME_PARTS_H

#include "data/column_finder.h"
#include "data/table_reader.h"

/* Columns of numbers with the names of a year and of a quarter, or a month and what follows: they are the time. *found: whether there are
 * such. A day or a month without a year is an error where no other column is a time. */
lf_status lf_find_time_parts(const lf_column_finder *f, int *found);
/* Where the column of the time has dates alone: the column with times of day, or with hours. */
void lf_find_time_of_day(const lf_column_finder *f);
/* Whether a column has the name and the numbers of a part of a date, and there is a column of the next larger part. */
int lf_is_part_of_date(const lf_column_finder *f, size_t column);

/* Whether a column has the name and the numbers of a year. */
int lf_is_year(const lf_column_finder *f, size_t column);

/* The time in the current row as one field, whose text is in `buffer` where several columns hold it. */
lf_status lf_time_cell(const lf_table_reader *t, char buffer[80], lf_csv_field *cell);

#endif
