/* Tables of results as CSV (RFC 4180) and as JSON (RFC 8259): a list of rows, each an object. Numbers read back as the same doubles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/number.h"
#include "base/output_file.h"
#include "base/table.h"

/* Control characters are escaped, those of two bytes too. */
static void write_json_text(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        int two = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
        if (*c == '"' || *c == '\\') {
            fprintf(stream, "\\%c", *c);
        } else if (two || *c < 0x20 || *c == 0x7f) {
            c += two;
            fprintf(stream, "\\u%04x", *c);
        } else {
            fputc(*c, stream);
        }
    }
    fputc('"', stream);
}

/* On a terminal control characters other than tabs are shown as "\\x1b", and not written. */
static void write_csv_text(FILE *stream, const char *text)
{
    char *shown = isatty(fileno(stream)) ? calloc(4 * strlen(text) + 1, 1) : NULL, *end = shown;
    for (const unsigned char *c = (const unsigned char *)text; shown && *c; c++) {
        int two = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
        if (two || (*c < 0x20 && *c != '\t') || *c == 0x7f) {
            c += two;
            end += sprintf(end, "\\x%02x", *c);
        } else {
            *end++ = (char)*c;
        }
    }
    lf_csv_text(stream, shown ? shown : text);
    free(shown);
}

/* A missing value is an empty field, or null. */
static void write_cell(FILE *stream, const lf_column *column, lf_timestamp_form form, size_t row, int json)
{
    char number[LF_NUMBER_SIZE], date[LF_TIMESTAMP_SIZE];
    if (column->date && column->date[row] != INT64_MIN) {
        int64_t whole = column->date[row] / 1000000000, parts = column->date[row] % 1000000000;
        whole -= parts < 0;
        parts += parts < 0 ? 1000000000 : 0;
        lf_format_timestamp(whole + column->zone, (double)parts * 1e-9, form, column->zoned, column->zone, date);
        (json ? write_json_text : write_csv_text)(stream, date);
    } else if (column->code && column->code[row] >= 0) {
        (json ? write_json_text : write_csv_text)(stream, column->words[column->code[row]]);
    } else if (column->number && isfinite(column->number[row])) {
        lf_format_number(column->number[row], number);
        fputs(number, stream);
    } else {
        fputs(json ? "null" : "", stream);
    }
}

static lf_status write_rows(lf_context *ctx, FILE *stream, const lf_table *table, int json)
{
    size_t columns = lf_table_columns(table), rows = lf_table_rows(table);
    lf_status status = LF_OK;
    for (size_t k = 0; !json && !status && k < columns; k++) {
        lf_column column = {.size = sizeof column};
        status = lf_table_column_get(ctx, table, k, &column);
        fputs(k ? "," : "", stream);
        write_csv_text(stream, column.name);
    }
    fputs(json ? "[" : "\n", stream);
    for (size_t i = 0; !status && i < rows; i++) {
        fputs(!json ? "" : i ? ",\n {" : "{", stream);
        for (size_t k = 0; !status && k < columns; k++) {
            lf_column column = {.size = sizeof column};
            status = lf_table_column_get(ctx, table, k, &column);
            fputs(k ? "," : "", stream);
            if (json) {
                write_json_text(stream, column.name);
                fputc(':', stream);
            }
            write_cell(stream, &column, lf_table_date_form(table, k), i, json);
        }
        fputs(json ? "}" : "\n", stream);
    }
    fputs(json ? "]\n" : "", stream);
    return status;
}

lf_status lf_table_write(lf_context *ctx, const lf_table *table, const char *format, const char *path)
{
    if (!table) {
        return lf_missing(ctx, "table");
    }
    lf_output_file file;
    lf_c_locale locale;
    int json = format && strcmp(format, "json") == 0;
    if (!json && !(format && strcmp(format, "csv") == 0)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "a table is written as csv or json, not as '%s'", format ? format : "");
    }
    lf_status status = lf_file_create(ctx, path, &file);
    if (status) {
        return status;
    }
    int entered = lf_c_locale_enter(&locale);
    status = entered ? write_rows(ctx, file.stream, table, json) : lf_no_memory(ctx);
    if (entered) {
        lf_c_locale_leave(&locale);
    }
    LF_TRY(status, lf_file_commit(ctx, &file));
    if (status) {
        lf_file_discard(&file);
    }
    return status;
}
