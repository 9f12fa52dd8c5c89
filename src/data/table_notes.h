/* Notes on a table that was read: one line of what was understood, and warnings about values that look wrong. Nothing here
 * changes the table. */
#ifndef LF_DATA_TABLE_NOTES_H
#define LF_DATA_TABLE_NOTES_H

#include <stdint.h>

#include "data/table_reader.h"

/* Rows beyond these are left out of notes that need sorting. */
enum { LF_MOST_SORTED = 200000 };

/* Distinct values of one input, sorted. */
typedef struct lf_sorted_inputs {
    size_t count;
    double *x;
    double low, high, step; /* step: the median difference; 0 without one */
    int even;               /* three of four differences are the step */
} lf_sorted_inputs;

typedef struct lf_range {
    double low, high;
} lf_range;

/* A difference in the largest unit of time that makes it 1 or more; without a unit of time a plain number. */
void lf_write_span(const lf_axis *axis, double span, char text[48]);

/* Warnings about values: constant outputs, codes for missing values, repeated rows, order, gaps. */
lf_status lf_warn_of_table(const lf_table_reader *t, const char *name, const lf_sorted_inputs *inputs);

/* Its part on times: order, repeats, gaps. duplicates: values that repeat another in time, output and value. */
lf_status lf_warn_of_times(const lf_table_reader *t, const char *name, size_t duplicates,
                           const lf_sorted_inputs *inputs);
/* How many keys are the same as another before it; sorts them. */
size_t lf_count_repeats(size_t count, uint64_t *key);

#endif
