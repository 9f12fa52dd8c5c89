/* One line of CSV cut into its fields (RFC 4180 quoting, within one line). */
#ifndef LF_DATA_CSV_FIELDS_H
#define LF_DATA_CSV_FIELDS_H

#include "data/line_reader.h"

typedef struct lf_field {
    char *text; /* ends in NUL; points into the line */
    size_t length;
} lf_field;

typedef struct lf_fields {
    lf_field *field; /* (count) */
    size_t count, capacity;
} lf_fields;

/* Cuts the line in place: separators become NUL and quotes are removed. The reader names the line in messages. */
lf_status lf_fields_split(lf_context *ctx, const lf_line_reader *reader, char *line, size_t length, lf_fields *fields);
void lf_fields_clear(lf_fields *fields);

#endif
