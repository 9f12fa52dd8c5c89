/* Splits one line of CSV into fields. Quoting follows RFC 4180; a quoted field must end on the line on which it
 * starts. The separator is a character; ' ' stands for runs of spaces and tabs. */
#ifndef LF_DATA_CSV_FIELDS_H
#define LF_DATA_CSV_FIELDS_H

#include "data/line_reader.h"

typedef struct lf_csv_field {
    char *text; /* NUL-terminated; points into the line */
    size_t length;
} lf_csv_field;

typedef struct lf_csv_fields {
    lf_csv_field *field; /* (count) */
    size_t count, capacity;
} lf_csv_fields;

/* Splits the line in place: separators become NUL and quotes are removed. `reader` gives file and line for messages. */
lf_status lf_csv_split(lf_context *ctx, const lf_line_reader *reader, char separator, char *line, size_t length,
                       lf_csv_fields *fields);
void lf_csv_fields_clear(lf_csv_fields *fields);

#endif
