/* What the header of a data file says: its shape and which column holds what. */
#ifndef LF_DATA_CSV_HEADER_H
#define LF_DATA_CSV_HEADER_H

#include <stdint.h>

#include "data/csv_fields.h"

#define LF_NO_COLUMN SIZE_MAX

typedef struct lf_csv_header {
    char *line;        /* owns the text of the names */
    lf_fields columns; /* their names */
    int wide;          /* column 0 is the input, every other column an output */
    int input_dim;
    size_t *x; /* (input_dim) column of each input */
    size_t output, y, sd, split, replicate;
} lf_csv_header;

lf_status lf_csv_header_read(lf_context *ctx, lf_line_reader *reader, const lf_read_options *options,
                             lf_csv_header *header);
void lf_csv_header_clear(lf_csv_header *header);

#endif
