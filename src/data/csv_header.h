/* The header of a data file: its shape (long or wide) and the column of each quantity. */
#ifndef LF_DATA_CSV_HEADER_H
#define LF_DATA_CSV_HEADER_H

#include <stdint.h>

#include "data/csv_fields.h"

#define LF_NO_COLUMN SIZE_MAX

typedef struct lf_csv_header {
    char *line;            /* storage of the column names */
    lf_csv_fields columns; /* column names */
    int wide;              /* column 0 is the input, every other column is an output */
    int input_dim;
    size_t *x;                              /* (input_dim) column of each input */
    size_t output, y, sd, split, replicate; /* column of each, or LF_NO_COLUMN; long shape */
} lf_csv_header;

lf_status lf_csv_header_read(lf_context *ctx, lf_line_reader *reader, const lf_read_options *options,
                             lf_csv_header *header);
void lf_csv_header_clear(lf_csv_header *header);

#endif
