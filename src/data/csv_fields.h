/* Splits one line of CSV into fields. Quoting follows RFC 4180; a quoted field must end on the line on which it
 * starts. The separator is a character; ' ' stands for runs of spaces and tabs. */
#ifndef LF_DATA_CSV_FIELDS_H
#define LF_DATA_CSV_FIELDS_H

#include "base/date_text.h"
#include "data/line_reader.h"

/* What a field is: text, or a value of a table in memory, which has no text. */
typedef enum lf_field_kind { LF_FIELD_TEXT, LF_FIELD_NUMBER, LF_FIELD_DATE } lf_field_kind;

typedef struct lf_csv_field {
    char *text;    /* NUL-terminated; points into the line. "?" where the field is no text */
    size_t length; /* 0: the field is empty */
    lf_field_kind kind;
    double number;      /* LF_FIELD_NUMBER */
    int64_t integer;    /* the same exactly, where the column has integers; else 0 */
    lf_timestamp stamp; /* LF_FIELD_DATE */
} lf_csv_field;

typedef struct lf_csv_fields {
    lf_csv_field *field; /* (count) */
    size_t count, capacity;
} lf_csv_fields;

/* Splits the line in place: separators become NUL and quotes are removed. `reader` gives file and line for messages. */
lf_status lf_csv_split(lf_context *ctx, const lf_line_reader *reader, char separator, char *line, size_t length,
                       lf_csv_fields *fields);
void lf_csv_fields_clear(lf_csv_fields *fields);

/* Whether a field is a date, and which; where day and month may be exchanged, with the day first. */
lf_timestamp_kind lf_field_date(const lf_csv_field *field, lf_timestamp *stamp);
/* The text of a field, written to `buffer` where it has none. The locale must be "C". */
const char *lf_field_text(const lf_csv_field *field, char buffer[LF_TIMESTAMP_SIZE]);

#endif
