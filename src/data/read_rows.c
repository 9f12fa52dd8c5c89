/* Rows of a data file: cells to numbers, names and splits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/utf8.h"
#include "data/column_finder.h"
#include "data/table_reader.h"
#include "data/text.h"
#include "model/access.h"

lf_status lf_cell_fail(const lf_table_reader *t, size_t column, const char *problem, const char *remedy)
{
    lf_shown_text name, value;
    char buffer[LF_TIMESTAMP_SIZE];
    const lf_csv_field *heading = &t->sample.heading.fields.field[column], *cell = &t->row->field[column];
    lf_shown(&name, heading->text, heading->length);
    if (cell->length == 0) {
        return lf_line_fail(t->ctx, &t->reader, "%s is empty", *name.text ? name.text : "the cell without a heading");
    }
    const char *text = lf_field_text(cell, buffer);
    lf_shown(&value, text, strlen(text));
    if (strcmp(name.text, value.text) == 0) {
        return lf_line_fail(t->ctx, &t->reader, "the line repeats the header ('%s'); remove it", name.text);
    }
    return lf_line_fail(t->ctx, &t->reader, "%s %s: '%s'%s%s", name.text, problem, value.text, remedy ? "; " : "",
                        remedy ? remedy : "");
}

int lf_cell_is_missing(const lf_table_reader *t, const lf_csv_field *cell)
{
    static const char *const words[] = {"na", "n/a", "nan", "null", "none", "-", "?", "."};
    if (cell->length == 0) {
        return 1;
    }
    char first = cell->text[0];
    int text = cell->kind == LF_FIELD_TEXT && (first < '0' || first > '9');
    for (size_t i = 0; text && i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(cell->text, words[i]) == 0) {
            return 1;
        }
    }
    for (size_t i = 0; i < t->missing.count; i++) {
        double number;
        if ((cell->kind == LF_FIELD_TEXT && strcmp(cell->text, t->missing.field[i].text) == 0) ||
            (!isnan(t->missing_number[i]) && lf_csv_number(t->sample.decimal, cell, &number) &&
             number == t->missing_number[i])) {
            return 1;
        }
    }
    return 0;
}

/* What to do about a number in another form; NULL: it is none. */
static const char *other_form(const lf_csv_field *cell)
{
    char mark = cell->kind == LF_FIELD_TEXT ? lf_thousands_mark(cell->text) : '\0';
    if (cell->kind == LF_FIELD_TEXT && cell->length > 1 && cell->text[cell->length - 1] == '%' &&
        strspn(cell->text, "+-0123456789., ") == cell->length - 1) {
        return "write all numbers of the column with the % sign, or none";
    }
    return mark == '.'   ? "if the point separates thousands and the comma is the decimal mark, give --decimal ,"
           : mark == ',' ? "if the comma separates thousands and the point is the decimal mark, give --decimal ."
                         : NULL;
}

lf_status lf_cell_number(const lf_table_reader *t, size_t column, double *value)
{
    const lf_csv_field *cell = &t->row->field[column];
    return lf_csv_number(t->sample.decimal, cell, value)
               ? LF_OK
               : lf_cell_fail(t, column, "is not a finite number", other_form(cell));
}

static lf_status read_name(const lf_table_reader *t, size_t column, lf_names *names, int *index)
{
    char buffer[LF_TIMESTAMP_SIZE];
    const char *name = lf_field_text(&t->row->field[column], buffer);
    size_t length = strlen(name);
    *index = lf_names_find(names, name, length);
    if (*index >= 0) {
        return LF_OK;
    }
    const char *problem = lf_name_problem(name, length);
    if (problem) {
        return lf_cell_fail(t, column, problem, NULL);
    }
    *index = lf_names_add(names, name, length);
    return *index < 0 ? lf_no_memory(t->ctx) : LF_OK;
}

static lf_status read_sd(const lf_table_reader *t, size_t column, double *sd)
{
    *sd = 0;
    if (column == LF_NO_COLUMN || lf_cell_is_missing(t, &t->row->field[column])) {
        return LF_OK;
    }
    lf_status status = lf_cell_number(t, column, sd);
    return status == LF_OK && *sd < 0 ? lf_cell_fail(t, column, "is negative", NULL) : status;
}

/* A width is in the unit of the times, or in the unit of its heading and then kept in seconds until the times are converted. */
static lf_status read_width(lf_table_reader *t, size_t column, double *width)
{
    *width = 0;
    if (column == LF_NO_COLUMN || lf_cell_is_missing(t, &t->row->field[column])) {
        return LF_OK;
    }
    const char *unit = t->columns.column[column].unit;
    double seconds = lf_unit_seconds(lf_time_unit(unit));
    lf_width_kind kind = seconds > 0 ? LF_WIDTH_SECONDS : LF_WIDTH_NUMBERS;
    lf_status status = lf_cell_number(t, column, width);
    if (status) {
        return status;
    }
    if (*width < 0) {
        return lf_cell_fail(t, column, "is negative", NULL);
    }
    if (t->columns.input_dim > 1) {
        return lf_cell_fail(t, column, "is a width, and there are several inputs", "means over a time need one input");
    }
    if (kind == LF_WIDTH_NUMBERS && (t->time_kind == LF_TIME_DATES || t->time_kind == LF_TIME_EPOCH)) {
        return lf_cell_fail(t, column, "has no unit",
                            "where times are dates, the heading of a width has one: 'width [min]'");
    }
    if (t->width_kind != LF_WIDTH_NONE && t->width_kind != kind) {
        return lf_cell_fail(t, column, "has a unit in its heading, or none, unlike the widths before it",
                            "give all of them the same heading");
    }
    t->width_kind = kind;
    *width *= kind == LF_WIDTH_SECONDS ? seconds : 1;
    return LF_OK;
}

static lf_status read_split(const lf_table_reader *t, const char **split)
{
    size_t column = t->columns.split;
    lf_split found;
    *split = NULL;
    if (column == LF_NO_COLUMN || lf_cell_is_missing(t, &t->row->field[column])) {
        return LF_OK;
    }
    *split = t->row->field[column].text;
    return lf_split_find(*split, &found) ? LF_OK : lf_cell_fail(t, column, "must be train, test or empty", NULL);
}

lf_status lf_number_row(lf_table_reader *t, int replicate)
{
    if (replicate + 2 > t->numbered_count) {
        size_t *grown = realloc(t->numbered, (size_t)(replicate + 2) * sizeof *grown);
        if (!grown) {
            return lf_no_memory(t->ctx);
        }
        t->numbered = grown;
        while (t->numbered_count < replicate + 2) {
            grown[t->numbered_count++] = 0;
        }
    }
    t->x[0] = (double)t->numbered[replicate + 1]++;
    return lf_number_time(t);
}

/* Inputs, split and replicate. */
static lf_status read_common(lf_table_reader *t, lf_observation *row)
{
    *row = (lf_observation){.output = -1, .replicate = t->replicate, .x = t->x, .y = (double)NAN};
    int numbered = t->columns.x[0] == LF_NO_COLUMN;
    lf_status status = numbered ? LF_OK : lf_read_time(t, &t->x[0]);
    for (int k = 1; k < t->columns.input_dim && !status; k++) {
        status = lf_cell_number(t, t->columns.x[k], &t->x[k]);
    }
    LF_TRY(status, read_split(t, &row->split));
    if (!status && t->columns.replicate != LF_NO_COLUMN) {
        status = read_name(t, t->columns.replicate, &t->data->replicates, &row->replicate);
    }
    return status || !numbered ? status : lf_number_row(t, row->replicate);
}

/* Whether the equations of the model do not mention the output. */
static int is_foreign(const lf_table_reader *t, const char *name)
{
    const lf_model *model = t->column_options.model;
    return model && lf_model_equations(model) && lf_model_find_output(model, name) < 0;
}

/* Makes room in `unwanted` for an output. */
static lf_status reserve_unwanted(lf_table_reader *t, int output)
{
    const lf_column_options *o = &t->column_options;
    if (output < t->unwanted_count) {
        return LF_OK;
    }
    int *grown = realloc(t->unwanted, ((size_t)output + 1) * sizeof *grown);
    if (!grown) {
        return lf_no_memory(t->ctx);
    }
    t->unwanted = grown;
    for (; t->unwanted_count <= output; t->unwanted_count++) {
        lf_csv_column name = {.name = t->data->outputs.name[t->unwanted_count]};
        int known = lf_is_known_input(o, &name), foreign = !known && is_foreign(t, name.name);
        t->unwanted[t->unwanted_count] =
            !t->columns.wide && (foreign || (o->outputs.count > 0 && !known && !lf_list_has(&o->outputs, &name)) ||
                                 lf_list_has(&o->drop, &name));
        if (foreign && !t->columns.wide) {
            t->findings.subject = name.name;
            lf_note(t->ctx, "%s: the equations do not mention '%s': its values are not used", t->reader.name,
                    name.name);
            if (lf_names_add(&t->foreign, name.name, strlen(name.name)) < 0) {
                return lf_no_memory(t->ctx);
            }
        }
    }
    return LF_OK;
}

/* ---- long shape ---- */

/* Whether the options want the rows of an output. */
static lf_status is_wanted(lf_table_reader *t, int output, int *wanted)
{
    const lf_column_options *o = &t->column_options;
    *wanted = 1;
    if (o->outputs.count == 0 && o->drop.count == 0 && !(o->model && lf_model_equations(o->model))) {
        return LF_OK;
    }
    lf_status status = reserve_unwanted(t, output);
    *wanted = !status && !t->unwanted[output];
    return status;
}

lf_status lf_read_long_row(lf_table_reader *t)
{
    const lf_csv_columns *columns = &t->columns;
    lf_observation row;
    int wanted = 1;
    lf_status status = read_common(t, &row);
    if (!status && columns->output != LF_NO_COLUMN) {
        status = read_name(t, columns->output, &t->data->outputs, &row.output);
        LF_TRY(status, is_wanted(t, row.output, &wanted));
    }
    LF_TRY(status, lf_read_known_cells(t, &row));
    if (status || !wanted) {
        return status;
    }
    int value = columns->y != LF_NO_COLUMN;
    if (value && t->options->inputs_only) { /* of an output only the input counts */
        lf_csv_column name = {.name = t->data->outputs.name[row.output]};
        value = lf_is_known_input(&t->column_options, &name);
    }
    if (value) {
        if (lf_cell_is_missing(t, &t->row->field[columns->y])) {
            t->missing_count++;
            return LF_OK;
        }
        status = lf_cell_number(t, columns->y, &row.y);
        status = status || row.output < 0 ? status : lf_take_unit(t, row.output, columns->column[columns->y].unit);
    }
    LF_TRY(status, read_sd(t, columns->sd, &row.sd));
    LF_TRY(status, read_width(t, columns->width, &row.width));
    return status ? status : lf_data_append(t->ctx, t->data, &row);
}

/* ---- wide shape ---- */

/* Whether a cell is a number with something in or behind it, and not text: "1,234.5", "12 V". */
static int begins_as_number(const lf_csv_field *cell)
{
    const char *text = cell->text + strspn(cell->text, "+-");
    size_t digits = strspn(text, "0123456789.,'");
    return *text >= '0' && *text <= '9' && (text[digits] == '\0' || text[digits] == '%' || text[digits] == ' ');
}

/* A cell that is no number. A column that begins with text is no output. */
static lf_status meet_text(lf_table_reader *t, lf_csv_column *column, size_t index)
{
    lf_shown_text value;
    char buffer[LF_TIMESTAMP_SIZE];
    const lf_csv_field *cell = &t->row->field[index];
    const char *text = lf_field_text(cell, buffer);
    lf_shown(&value, text, strlen(text));
    if (cell->kind == LF_FIELD_NUMBER) {
        return lf_cell_fail(t, index, "is not a finite number", "NaN stands for a missing value");
    }
    if (column->first_line == 0 && !column->asked && !begins_as_number(cell) &&
        strcmp(text, t->sample.heading.fields.field[index].text) != 0) {
        column->first_line = t->reader.line;
        column->is_text = 1;
        if (!*t->text_column) {
            snprintf(t->text_column, sizeof t->text_column, "%s", column->name);
        }
        char place[LF_LINE_SIZE];
        t->findings.subject = column->name;
        lf_note(t->ctx, "%s%s: the column '%s' contains %s ('%s') and is not used", t->reader.name,
                lf_line_place(&t->reader, place), column->name, cell->kind == LF_FIELD_DATE ? "dates" : "text",
                value.text);
        lf_status status = reserve_unwanted(t, column->output);
        if (!status) {
            t->unwanted[column->output] = 1;
        }
        return status;
    }
    char remedy[800];
    const char *form = other_form(cell);
    if (form || column->percent) {
        return lf_cell_fail(t, index, form ? "is not a number" : "has no % sign, unlike the cells before it",
                            form ? form : "write all numbers of the column with it, or none");
    }
    snprintf(remedy, sizeof remedy,
             "if it stands for a missing value, give --missing '%s'; --drop '%.*s' leaves the column out", value.text,
             LF_CUT(200, column->name));
    return lf_cell_fail(t, index, "is not a number", remedy);
}

static lf_status read_cell(lf_table_reader *t, lf_csv_column *column, size_t index, lf_observation *row)
{
    const lf_csv_field *cell = &t->row->field[index];
    if (lf_cell_is_missing(t, cell)) {
        t->missing_count += !column->is_text;
        column->missing += column->first_line == 0;
        return LF_OK;
    }
    int number = column->percent ? lf_csv_percentage(t->sample.decimal, cell, &row->y)
                                 : lf_csv_number(t->sample.decimal, cell, &row->y);
    if (column->is_text) {
        return !number ? LF_OK
                       : lf_line_fail(t->ctx, &t->reader,
                                      "the column '%s' contains the number '%s' here, but text in %s %zu. If that text "
                                      "stands for a missing value, give it with --missing WORD; --drop '%s' leaves the "
                                      "column out",
                                      column->name, cell->text, t->reader.in_memory ? "row" : "line",
                                      column->first_line - (size_t)t->reader.in_memory, column->name);
    }
    if (!number) {
        return meet_text(t, column, index);
    }
    column->first_line = column->first_line ? column->first_line : t->reader.line;
    row->output = column->output;
    lf_status status = read_sd(t, column->sd, &row->sd);
    LF_TRY(status, read_width(t, column->width, &row->width));
    return status ? status : lf_data_append(t->ctx, t->data, row);
}

lf_status lf_read_wide_row(lf_table_reader *t)
{
    lf_observation row;
    lf_status status = read_common(t, &row);
    for (size_t i = 0; i < t->columns.count && !status; i++) {
        lf_csv_column *column = &t->columns.column[i];
        if (column->role == LF_COLUMN_OUTPUT) {
            status = read_cell(t, column, i, &row);
        }
    }
    return status;
}
