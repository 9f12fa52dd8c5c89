/* Tables in the long shape (one observation per row) or the wide shape (one input per row), whatever their rows come from. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/plural.h"
#include "data/table_reader.h"
#include "data/text.h"
#include "model/model.h"

/* ---- one file ---- */

/* Whether a heading is that of an input without a name: x, or xk of several. */
static int is_plain_name(const char *name, int k, int p)
{
    char numbered[16];
    snprintf(numbered, sizeof numbered, "x%d", k + 1);
    return *name == '\0' || strcasecmp(name, numbered) == 0 ||
           (p == 1 && strchr("xX", *name) && strspn(name + 1, "0123456789") == strlen(name) - 1);
}

/* The table, whose number of inputs is that of the first file. */
static lf_status begin_table(lf_table_reader *t)
{
    const lf_model *model = t->options->model;
    int p = t->columns.input_dim;
    if (t->data && t->data->input_dim != p) {
        return lf_fail(t->ctx, LF_ERROR_DATA, "%s: has %d input column%s, but the files before it have %d",
                       t->reader.name, p, lf_plural((size_t)p), t->data->input_dim);
    }
    if (t->data) {
        return lf_check_units(t);
    }
    lf_status status = lf_data_create(t->ctx, (size_t)p, &t->data);
    t->x = status ? NULL : lf_doubles((size_t)p, 1);
    status = status || t->x ? status : lf_no_memory(t->ctx);
    int same = model && model->input_dim == p;
    LF_TRY(status, lf_begin_time(t, same ? lf_model_axis(model, 0) : NULL));
    for (int k = 0; k < p && !status; k++) {
        const lf_csv_column *column = lf_input_column(&t->columns, k);
        lf_axis *axis = &t->data->axes[k], from = {0};
        if (same && k == 0) {
            continue;
        }
        if (same) {
            from = *lf_model_axis(model, k);
        } else {
            from.name = is_plain_name(column->name, k, p) ? NULL : column->name;
            from.unit = column->unit;
        }
        status = lf_axis_copy(&from, axis) ? LF_OK : lf_no_memory(t->ctx);
    }
    return status || !same ? status : lf_check_units(t);
}

/* Outputs with columns of their own are numbered in the order of the header, not in that of the first observations. */
static lf_status name_column_outputs(lf_table_reader *t)
{
    lf_status status = LF_OK;
    for (size_t i = 0; i < t->columns.count && !status; i++) {
        lf_csv_column *column = &t->columns.column[i];
        if (column->role == LF_COLUMN_OUTPUT) {
            column->output = lf_names_add(&t->data->outputs, column->name, strlen(column->name));
            status = column->output < 0 ? lf_no_memory(t->ctx) : lf_take_unit(t, column->output, column->unit);
        }
    }
    return status;
}

/* The replicate of a file is named after it, without its folder and extension. */
static lf_status name_replicate(lf_table_reader *t, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    t->replicate = -1;
    if (!t->options->replicates_by_file) {
        if (t->data->n > 0 && (t->data->replicate[0] >= 0) != (t->columns.replicate != LF_NO_COLUMN)) {
            return lf_fail(t->ctx, LF_ERROR_DATA, "%s: either every file has a replicate column or none",
                           t->reader.name);
        }
        return LF_OK;
    }
    if (t->columns.replicate != LF_NO_COLUMN) {
        return lf_fail(t->ctx, LF_ERROR_DATA, "%s: has a replicate column, so --replicates-by-file cannot be used",
                       t->reader.name);
    }
    if (lf_names_find(&t->data->replicates, name, length) >= 0) {
        return lf_fail(t->ctx, LF_ERROR_DATA, "%s: two files would be the replicate '%.*s'; rename one", t->reader.name,
                       (int)length, name);
    }
    t->replicate = lf_names_add(&t->data->replicates, name, length);
    return t->replicate < 0 ? lf_no_memory(t->ctx) : LF_OK;
}

static int is_empty_row(const lf_csv_fields *row)
{
    for (size_t i = 0; i < row->count; i++) {
        if (row->field[i].length > 0) {
            return 0;
        }
    }
    return 1;
}

lf_status lf_table_row(lf_table_reader *t, const lf_csv_fields *row)
{
    const lf_csv_columns *columns = &t->columns;
    size_t count = columns->count;
    t->row = row;
    if (is_empty_row(row)) { /* spreadsheets end with such rows; one in between has its number */
        return columns->x[0] == LF_NO_COLUMN ? lf_number_row(t, t->replicate) : LF_OK;
    }
    size_t named = count, filled = row->count; /* without what separators at the end of a line leave empty */
    while (columns->column[named - 1].role == LF_COLUMN_EMPTY) {
        named--;
    }
    while (filled > count && row->field[filled - 1].length == 0) {
        filled--;
    }
    if (filled < named || filled > count) {
        return lf_line_fail(t->ctx, &t->reader, "expected %zu field%s, found %zu", named, lf_plural((size_t)named),
                            row->count);
    }
    for (size_t i = named; i < filled; i++) {
        if (row->field[i].length > 0) {
            char buffer[LF_TIMESTAMP_SIZE];
            return lf_line_fail(t->ctx, &t->reader, "column %zu has no name in the header but holds a value here: '%s'",
                                i + 1, lf_field_text(&row->field[i], buffer));
        }
    }
    t->row_count++;
    return columns->wide ? lf_read_wide_row(t) : lf_read_long_row(t);
}

lf_status lf_table_decide(lf_table_reader *t, const char *path)
{
    t->sample.time_format = t->options->time_format;
    lf_status status = lf_csv_columns_find(t->ctx, &t->reader, &t->sample, &t->column_options, &t->columns);
    LF_TRY(status, begin_table(t));
    LF_TRY(status, name_replicate(t, path));
    return status ? status : name_column_outputs(t);
}

void lf_table_leave(lf_table_reader *t)
{
    t->separator = t->sample.separator;
    t->decimal = t->sample.decimal;
    lf_csv_columns_clear(&t->columns);
    lf_csv_sample_clear(&t->sample);
    lf_lines_close(&t->reader);
}

/* ---- options ---- */

/* A list of names; *storage holds their text. */
static lf_status split_list(lf_context *ctx, const char *option, const char *text, char **storage, lf_csv_fields *list)
{
    const lf_line_reader where = {.name = option, .line = 1};
    if (!text) {
        return LF_OK;
    }
    *storage = lf_copy_string(text);
    lf_status status = *storage ? lf_csv_split(ctx, &where, ',', *storage, strlen(*storage), list) : lf_no_memory(ctx);
    for (size_t i = 0; i < list->count && !status; i++) {
        if (list->field[i].length == 0) {
            status = lf_fail(ctx, LF_ERROR_ARGUMENT, "%s '%s': a name is empty", option, text);
        }
    }
    return status;
}

static lf_status take_options(lf_table_reader *t)
{
    const lf_read_options *o = &t->read_options;
    lf_list_storage *storage = &t->storage;
    lf_column_options *columns = &t->column_options;
    *columns = (lf_column_options){.ignore_columns = o->ignore_columns,
                                   .inputs_only = o->inputs_only,
                                   .time = o->time,
                                   .output_column = o->output_column,
                                   .value_column = o->value_column,
                                   .replicate_column = o->replicate_column,
                                   .by = o->by,
                                   .model = o->model,
                                   .foreign = &t->foreign};
    if (o->time && o->x) {
        return lf_fail(t->ctx, LF_ERROR_ARGUMENT, "give either --time or --x, not both");
    }
    if (o->by && (o->replicate_column || o->replicates_by_file)) {
        return lf_fail(t->ctx, LF_ERROR_ARGUMENT,
                       "give either --by or %s, not both: each value of the column '%s' is fitted alone, without "
                       "replicates",
                       o->replicate_column ? "--replicate-column" : "--replicates-by-file", o->by);
    }
    lf_status status = split_list(t->ctx, "--x", o->x, &storage->x, &columns->x);
    LF_TRY(status, split_list(t->ctx, "--outputs", o->outputs, &storage->outputs, &columns->outputs));
    LF_TRY(status, split_list(t->ctx, "--drop", o->drop, &storage->drop, &columns->drop));
    LF_TRY(status, split_list(t->ctx, "--missing", o->missing, &storage->missing, &t->missing));
    LF_TRY(status, split_list(t->ctx, "--input", o->known, &storage->known, &columns->known));
    if (!status) {
        t->missing_number = lf_doubles(t->missing.count, 1);
        status = t->missing_number ? LF_OK : lf_no_memory(t->ctx);
    }
    for (size_t i = 0; i < t->missing.count && !status; i++) {
        if (!lf_parse_number(t->missing.field[i].text, t->missing.field[i].length, &t->missing_number[i])) {
            t->missing_number[i] = (double)NAN;
        }
    }
    return status;
}

/* Columns are those of equations, but times are read as for no model. */
static lf_status take_equations_unit(lf_table_reader *t, lf_read_options *o)
{
    const lf_model *model = o->unfitted ? o->model : NULL;
    if (!model) {
        return LF_OK;
    }
    t->equations_unit = model->system ? model->system->equations->time_unit : NULL;
    o->model = NULL;
    const char *asked = lf_time_unit(o->time_unit);
    return asked && t->equations_unit && strcmp(asked, t->equations_unit) != 0
               ? lf_fail(t->ctx, LF_ERROR_ARGUMENT, "--time-unit %s: the equations are in %s; leave the option out",
                         o->time_unit, t->equations_unit)
               : LF_OK;
}

lf_status lf_table_begin(lf_context *ctx, const lf_read_options *options, lf_table_reader *t)
{
    *t = (lf_table_reader){.ctx = ctx, .replicate = -1};
    lf_status status = lf_take_options(ctx, "lf_read_options", options, sizeof t->read_options, &t->read_options);
    if (status) {
        return status;
    }
    t->options = &t->read_options;
    t->given = t->read_options;
    t->has_locale = lf_c_locale_enter(&t->locale);
    status = t->has_locale ? take_options(t) : lf_no_memory(ctx);
    return status ? status : take_equations_unit(t, &t->read_options);
}

void lf_table_clear(lf_table_reader *t)
{
    lf_csv_fields *lists[] = {&t->column_options.x, &t->column_options.outputs, &t->column_options.drop,
                              &t->missing,          &t->column_options.known,   &t->fields};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        lf_csv_fields_clear(lists[i]);
    }
    char *texts[] = {t->storage.x, t->storage.outputs, t->storage.drop, t->storage.missing, t->storage.known};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        free(texts[i]);
    }
    lf_data_free(t->data);
    lf_names_clear(&t->foreign);
    lf_findings_clear(&t->findings);
    free(t->missing_number);
    free(t->unwanted);
    free(t->numbered);
    free(t->x);
    if (t->has_locale) {
        lf_c_locale_leave(&t->locale);
    }
}

/* Headings that options said, or that the model remembers. */
static lf_status take_headings(lf_table_reader *t)
{
    const lf_column_options *o = &t->column_options;
    const char *const asked[LF_HEADING_COUNT] = {o->output_column, o->value_column, o->replicate_column};
    const char *heading[LF_HEADING_COUNT];
    for (lf_heading i = 0; i < LF_HEADING_COUNT; i++) {
        heading[i] = asked[i] || !o->model ? asked[i] : lf_model_heading(o->model, i);
    }
    return lf_data_set_headings(t->ctx, t->data, heading);
}

lf_status lf_table_end(lf_table_reader *t, lf_status status, const char *name, lf_data **data)
{
    LF_TRY(status, lf_finish_table(t, name));
    LF_TRY(status, take_headings(t));
    *data = status ? NULL : t->data;
    t->data = status ? t->data : NULL;
    lf_table_clear(t);
    return status;
}
