/* lf_data_read: reads CSV in the long shape (one observation per row) or the wide shape (one input per row). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/csv_header.h"
#include "data/data.h"
#include "data/text.h"

/* State of reading one file. */
typedef struct csv_reader {
    lf_context *ctx;
    lf_line_reader reader;
    lf_csv_header header;
    lf_csv_fields fields; /* of the current row */
    double *x;            /* (input_dim) of the current row */
    lf_data *data;
} csv_reader;

/* Fails with "COLUMN problem: 'VALUE'" for a cell of the current row. */
static lf_status cell_fail(csv_reader *s, size_t column, const char *problem)
{
    lf_shown_text name, value;
    const lf_csv_field *heading = &s->header.columns.field[column], *cell = &s->fields.field[column];
    lf_shown(&name, heading->text, heading->length);
    if (cell->length == 0) {
        return lf_line_fail(s->ctx, &s->reader, "%s is empty", name.text);
    }
    lf_shown(&value, cell->text, cell->length);
    return lf_line_fail(s->ctx, &s->reader, "%s %s: '%s'", name.text, problem, value.text);
}

static lf_status read_number(csv_reader *s, size_t column, double *value)
{
    const lf_csv_field *cell = &s->fields.field[column];
    return lf_parse_number(cell->text, cell->length, value) ? LF_OK : cell_fail(s, column, "is not a finite number");
}

static lf_status read_name(csv_reader *s, size_t column, lf_names *names, int *index)
{
    const lf_csv_field *cell = &s->fields.field[column];
    *index = lf_names_find(names, cell->text, cell->length);
    if (*index >= 0) {
        return LF_OK;
    }
    const char *problem = lf_name_problem(cell->text, cell->length);
    if (problem) {
        return cell_fail(s, column, problem);
    }
    *index = lf_names_add(names, cell->text, cell->length);
    return *index < 0 ? lf_no_memory(s->ctx) : LF_OK;
}

static lf_status read_sd(csv_reader *s, size_t column, double *sd)
{
    if (s->fields.field[column].length == 0) {
        return LF_OK;
    }
    lf_status status = read_number(s, column, sd);
    return status == LF_OK && *sd < 0 ? cell_fail(s, column, "is negative") : status;
}

static lf_status read_split(csv_reader *s, size_t column, const char **split)
{
    const char *text = s->fields.field[column].text;
    lf_split found;
    *split = *text ? text : NULL;
    return lf_split_find(*split, &found) ? LF_OK : cell_fail(s, column, "must be train, test or empty");
}

static lf_status read_long_row(csv_reader *s)
{
    const lf_csv_header *header = &s->header;
    lf_row row = {.output = -1, .replicate = -1, .x = s->x, .y = (double)NAN};
    lf_status status = LF_OK;
    if (header->output != LF_NO_COLUMN) {
        status = read_name(s, header->output, &s->data->outputs, &row.output);
    }
    if (status == LF_OK && header->replicate != LF_NO_COLUMN) {
        status = read_name(s, header->replicate, &s->data->replicates, &row.replicate);
    }
    for (int k = 0; k < header->input_dim && status == LF_OK; k++) {
        status = read_number(s, header->x[k], &s->x[k]);
    }
    if (status == LF_OK && header->y != LF_NO_COLUMN) {
        status = read_number(s, header->y, &row.y);
    }
    if (status == LF_OK && header->sd != LF_NO_COLUMN) {
        status = read_sd(s, header->sd, &row.sd);
    }
    if (status == LF_OK && header->split != LF_NO_COLUMN) {
        status = read_split(s, header->split, &row.split);
    }
    return status == LF_OK ? lf_data_append(s->ctx, s->data, &row) : status;
}

static int is_missing(const lf_csv_field *cell)
{
    return cell->length == 0 || strcasecmp(cell->text, "na") == 0 || strcasecmp(cell->text, "nan") == 0;
}

static lf_status read_wide_row(csv_reader *s)
{
    const lf_csv_field *input = &s->fields.field[0];
    if (!lf_parse_number(input->text, input->length, s->x)) {
        return cell_fail(
            s, 0, "(the first column, taken as the input because no column is named output) is not a finite number");
    }
    lf_row row = {.replicate = -1, .x = s->x};
    for (size_t column = 1; column < s->header.columns.count; column++) {
        if (is_missing(&s->fields.field[column])) {
            continue;
        }
        row.output = (int)column - 1;
        lf_status status = read_number(s, column, &row.y);
        if (status == LF_OK) {
            status = lf_data_append(s->ctx, s->data, &row);
        }
        if (status != LF_OK) {
            return status;
        }
    }
    return LF_OK;
}

/* In the wide shape outputs are numbered in the order of the header, not in that of the first observations. */
static lf_status name_wide_outputs(csv_reader *s)
{
    for (size_t column = 1; column < s->header.columns.count; column++) {
        const lf_csv_field *name = &s->header.columns.field[column];
        if (lf_names_add(&s->data->outputs, name->text, name->length) < 0) {
            return lf_no_memory(s->ctx);
        }
    }
    return LF_OK;
}

static lf_status read_rows(csv_reader *s)
{
    size_t rows = 0;
    for (;; rows++) {
        char *line;
        size_t length;
        lf_status status = lf_lines_next(s->ctx, &s->reader, &line, &length);
        if (status == LF_OK && !line) {
            break;
        }
        if (status == LF_OK) {
            status = lf_csv_split(s->ctx, &s->reader, line, length, &s->fields);
        }
        if (status != LF_OK) {
            return status;
        }
        if (s->fields.count != s->header.columns.count) {
            return lf_line_fail(s->ctx, &s->reader, "expected %zu field%s, found %zu", s->header.columns.count,
                                s->header.columns.count == 1 ? "" : "s", s->fields.count);
        }
        status = s->header.wide ? read_wide_row(s) : read_long_row(s);
        if (status != LF_OK) {
            return status;
        }
    }
    if (s->data->n == 0) {
        return lf_fail(s->ctx, LF_ERROR_DATA, "%s: %s", s->reader.name,
                       rows == 0 ? "the file has a header but no rows" : "no cell of any output holds a value");
    }
    return LF_OK;
}

static lf_status read_file(csv_reader *s, const char *path, const lf_read_options *options)
{
    lf_status status = lf_lines_open(s->ctx, path, &s->reader);
    if (status == LF_OK) {
        status = lf_csv_header_read(s->ctx, &s->reader, options, &s->header);
    }
    if (status == LF_OK) {
        status = lf_data_create(s->ctx, s->header.input_dim, &s->data);
    }
    if (status == LF_OK) {
        s->x = lf_doubles((size_t)s->header.input_dim, 1);
        status = s->x ? LF_OK : lf_no_memory(s->ctx);
    }
    if (status == LF_OK && s->header.wide) {
        status = name_wide_outputs(s);
    }
    return status == LF_OK ? read_rows(s) : status;
}

lf_status lf_data_read(lf_context *ctx, const char *path, const lf_read_options *options, lf_data **data)
{
    lf_read_options copy;
    *data = NULL;
    lf_status status = lf_take_options(ctx, "lf_read_options", options, sizeof copy, &copy);
    if (status) {
        return status;
    }
    if (!path) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "no data file is given");
    }
    lf_c_locale locale;
    if (!lf_c_locale_enter(&locale)) {
        return lf_no_memory(ctx);
    }
    csv_reader state = {.ctx = ctx};
    status = read_file(&state, path, &copy);
    if (status == LF_OK) {
        lf_data_shrink(state.data);
        *data = state.data;
    } else {
        lf_data_free(state.data);
    }
    free(state.x);
    lf_csv_fields_clear(&state.fields);
    lf_csv_header_clear(&state.header);
    lf_lines_close(&state.reader);
    lf_c_locale_leave(&locale);
    return status;
}
