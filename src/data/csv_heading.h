/* Which line of a CSV file has the names of its columns, and what stands around it: lines about the file before, units below. */
#ifndef LF_DATA_CSV_HEADING_H
#define LF_DATA_CSV_HEADING_H

#include "data/csv_sample.h"

/* How many of the lines at the beginning, which are not split yet, stand before the names of the columns. separator '\0': recognised. */
size_t lf_csv_lines_before(const lf_csv_sample *sample, char separator);
/* Whether the first row, which is split as the heading is, holds units of the columns. */
int lf_csv_has_units(const lf_csv_sample *sample);
/* Moves the units of the first row into the headings that have none: "T1 [°C]". */
lf_status lf_csv_take_units(lf_context *ctx, lf_csv_sample *sample);

#endif
