/* Splits a line of CSV. Spaces around a field are dropped, spaces inside quotes are kept; "" inside quotes is one
 * quote. */
#include "data/csv_fields.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/number.h"

/* Blanks around fields; the separator is none. */
static int is_space(char c, char separator) { return (c == ' ' || c == '\t') && c != separator; }

static lf_status add_field(lf_context *ctx, lf_csv_fields *fields, char *text, char *stop)
{
    if (fields->count == fields->capacity) {
        size_t capacity = fields->capacity ? 2 * fields->capacity : 16;
        lf_csv_field *grown = realloc(fields->field, capacity * sizeof *grown);
        if (!grown) {
            return lf_no_memory(ctx);
        }
        fields->field = grown;
        fields->capacity = capacity;
    }
    *stop = '\0';
    fields->field[fields->count++] = (lf_csv_field){.text = text, .length = (size_t)(stop - text)};
    return LF_OK;
}

/* Removes the quotes of a field in place; `text` starts after the opening quote and ends at *stop. Returns the byte
 * after the closing quote, NULL if there is none. */
static char *unquote(char *text, const char *end, char **stop)
{
    char *out = text;
    for (char *p = text; p < end; p++) {
        if (*p == '"') {
            if (p + 1 == end || p[1] != '"') {
                *stop = out;
                return p + 1;
            }
            p++;
        }
        *out++ = *p;
    }
    return NULL;
}

/* Runs of blanks become one. Returns the new end. */
static char *squeeze(char *line, char *end)
{
    char *out = line;
    int quoted = 0, blank = 1;
    for (char *p = line; p < end; p++) {
        quoted ^= *p == '"';
        int is_blank = !quoted && (*p == ' ' || *p == '\t');
        if (!is_blank || !blank) {
            *out++ = is_blank ? ' ' : *p;
        }
        blank = is_blank;
    }
    return out > line && out[-1] == ' ' && blank ? out - 1 : out;
}

lf_status lf_csv_split(lf_context *ctx, const lf_line_reader *reader, char separator, char *line, size_t length,
                       lf_csv_fields *fields)
{
    char *end = separator == ' ' ? squeeze(line, line + length) : line + length;
    fields->count = 0;
    for (char *p = line;; p++) {
        while (p < end && is_space(*p, separator)) {
            p++;
        }
        char *text = p, *stop;
        if (p < end && *p == '"') {
            text = p + 1;
            p = unquote(text, end, &stop);
            if (!p) {
                return lf_line_fail(ctx, reader,
                                    "the quote that opens field %zu is not closed on this line (line breaks "
                                    "inside quotes are not supported)",
                                    fields->count + 1);
            }
            while (p < end && is_space(*p, separator)) {
                p++;
            }
            if (p < end && *p != separator) {
                return lf_line_fail(ctx, reader, "field %zu goes on after its closing quote", fields->count + 1);
            }
        } else {
            while (p < end && *p != separator) {
                p++;
            }
            stop = p;
            while (stop > text && is_space(stop[-1], separator)) {
                stop--;
            }
        }
        int last = p == end; /* tested before add_field overwrites the separator with NUL */
        lf_status status = add_field(ctx, fields, text, stop);
        if (status != LF_OK || last) {
            return status;
        }
    }
}

void lf_csv_fields_clear(lf_csv_fields *fields)
{
    free(fields->field);
    *fields = (lf_csv_fields){0};
}

lf_timestamp_kind lf_field_date(const lf_csv_field *field, lf_timestamp *stamp)
{
    if (field->kind == LF_FIELD_TEXT) {
        lf_date_order found;
        return lf_parse_date(field->text, field->length, LF_ORDER_EITHER, stamp, &found);
    }
    *stamp = field->stamp;
    return field->kind == LF_FIELD_DATE ? LF_TIMESTAMP : LF_NOT_A_TIMESTAMP;
}

const char *lf_field_text(const lf_csv_field *field, char buffer[LF_TIMESTAMP_SIZE])
{
    _Static_assert((int)LF_NUMBER_SIZE <= (int)LF_TIMESTAMP_SIZE, "a buffer holds a number or a date");
    const lf_timestamp *stamp = &field->stamp;
    if (field->kind == LF_FIELD_NUMBER) {
        lf_format_number(field->number, buffer);
    } else if (field->kind == LF_FIELD_DATE) {
        lf_format_timestamp(stamp->seconds, stamp->fraction, !stamp->has_time, stamp->zoned, stamp->zone, buffer);
    }
    return field->kind == LF_FIELD_TEXT ? field->text : buffer;
}
