/* Finds out what each column of a data file holds.
 *
 * Long shape: a column `output`, or the options that name one (long_columns.c). Wide shape: every other heading
 * (wide_columns.c). */
#include "data/csv_columns.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "data/column_finder.h"
#include "model/model.h"

/* The columns of --drop, and empty ones at the end. */
static lf_status drop_columns(const lf_column_finder *f)
{
    lf_csv_columns *columns = f->columns;
    const lf_csv_fields *drop = &f->options->drop;
    for (size_t i = columns->count - 1; i > 0 && *columns->column[i].name == '\0'; i--) {
        columns->column[i].role = LF_COLUMN_EMPTY;
    }
    for (size_t i = 0; i < drop->count; i++) {
        size_t found = LF_NO_COLUMN;
        for (size_t k = 0; k < columns->count; k++) {
            found = lf_is_named(&columns->column[k], drop->field[i].text, drop->field[i].length) ? k : found;
        }
        if (found == LF_NO_COLUMN && columns->wide) {
            return lf_find_asked(f, "--drop", drop->field[i].text, &found);
        }
        if (found != LF_NO_COLUMN) {
            columns->column[found].role = LF_COLUMN_DROPPED;
        }
    }
    return LF_OK;
}

/* The inputs of --x or --time. */
lf_status lf_find_asked_inputs(const lf_column_finder *f)
{
    lf_csv_columns *columns = f->columns;
    const lf_csv_fields *x = &f->options->x;
    lf_status status = LF_OK;
    for (size_t i = 0; i < x->count && !status; i++) {
        size_t found; /* stored when it is known to be new: x has no room for more than all columns */
        status = lf_find_asked(f, "--x", x->field[i].text, &found);
        for (size_t k = 0; k < i && !status; k++) {
            if (columns->x[k] == found) {
                status = lf_line_fail(f->ctx, f->reader, "--x names the column '%s' twice", x->field[i].text);
            }
        }
        if (!status) {
            columns->x[i] = found;
        }
        columns->input_dim = (int)x->count;
    }
    if (!status && f->options->time) {
        columns->input_dim = 1;
        if (columns->wide && strcmp(f->options->time, LF_ROW_NUMBERS) == 0 &&
            lf_find_column(f, LF_ROW_NUMBERS) == LF_NO_COLUMN) {
            columns->x[0] = LF_NO_COLUMN;
            return LF_OK;
        }
        status = lf_find_asked(f, "--time", f->options->time, &columns->x[0]);
    }
    return status;
}

int lf_may_number_rows(const lf_column_options *options)
{
    const lf_model *model = options->model;
    return (options->time && strcmp(options->time, LF_ROW_NUMBERS) == 0) ||
           (model && !options->time && lf_model_count(model, LF_KIND_INPUT) == 1 &&
            strcmp(lf_model_input(model, 0).name, LF_ROW_NUMBERS) == 0);
}

/* The replicates: the column of the option, or that of the name. */
lf_status lf_find_replicates(const lf_column_finder *f)
{
    const char *asked = f->options->replicate_column, *by = f->options->by;
    if (by && strcmp(by, "replicate") != 0 && lf_find_column(f, "replicate") != LF_NO_COLUMN) {
        return lf_line_fail(f->ctx, f->reader,
                            "the table has a column 'replicate', but each value of the column '%s' is fitted alone, "
                            "without replicates. Remove the column 'replicate', or leave out --by",
                            by);
    }
    if (by) {
        return lf_find_asked(f, "--by", by, &f->columns->replicate);
    }
    if (asked) {
        return lf_find_asked(f, "--replicate-column", asked, &f->columns->replicate);
    }
    f->columns->replicate = lf_take_column(f, "replicate");
    return LF_OK;
}

/* The column named as the input of the model. */
void lf_find_model_inputs(const lf_column_finder *f)
{
    const lf_model *model = f->options->model;
    lf_csv_columns *columns = f->columns;
    int p = (int)lf_model_count(model, LF_KIND_INPUT);
    for (int k = 0; k < p && !columns->input_dim; k++) {
        char heading[256];
        const char *name = lf_model_input(model, k).name;
        if (!*name && p > 1) { /* x1, x2, … */
            lf_model_input_heading(model, k, sizeof heading, heading);
            name = heading;
        }
        size_t found = *name ? lf_find_column(f, name) : LF_NO_COLUMN;
        if (found == LF_NO_COLUMN && p == 1 && columns->wide && strcmp(name, LF_ROW_NUMBERS) == 0) {
            columns->x[0] = LF_NO_COLUMN;
            columns->input_dim = 1;
            return;
        }
        if (found == LF_NO_COLUMN || (size_t)k >= columns->count) {
            return;
        }
        columns->x[k] = found;
        columns->input_dim = k + 1 == p ? p : 0;
    }
    for (int k = 0; k < columns->input_dim && columns->x[k] != LF_NO_COLUMN; k++) {
        columns->column[columns->x[k]].role = LF_COLUMN_KNOWN;
    }
}

const lf_csv_column *lf_input_column(const lf_csv_columns *columns, int input)
{
    static char row[] = LF_ROW_NUMBERS, time[] = "time";
    static const lf_csv_column number = {.name = row}, parts = {.name = time};
    size_t column = columns->x[input];
    return column == LF_NO_COLUMN                        ? &number
           : columns->part[LF_PART_YEAR] != LF_NO_COLUMN ? &parts
                                                         : &columns->column[column];
}

static int has_output_column(const lf_column_finder *f)
{
    for (size_t i = 0; i < f->columns->count; i++) {
        if (strcasecmp(f->columns->column[i].name, "output") == 0) {
            return 1;
        }
    }
    return 0;
}

/* Columns that the model remembers, where options say nothing else and the file has them and not the usual ones. */
static void take_headings(const lf_column_finder *f, lf_column_options *options)
{
    const lf_model *model = options->model;
    const char *output = model ? lf_model_heading(model, LF_HEADING_OUTPUT) : NULL;
    const char *value = model ? lf_model_heading(model, LF_HEADING_VALUE) : NULL;
    const char *replicate = model ? lf_model_heading(model, LF_HEADING_REPLICATE) : NULL;
    if (!options->output_column && lf_find_column(f, output) != LF_NO_COLUMN && !has_output_column(f)) {
        options->output_column = output;
    }
    if (!options->value_column && lf_find_column(f, value) != LF_NO_COLUMN &&
        (options->output_column || has_output_column(f))) {
        options->value_column = value;
    }
    if (!options->replicate_column && !options->by && lf_find_column(f, replicate) != LF_NO_COLUMN &&
        lf_find_column(f, "replicate") == LF_NO_COLUMN) {
        options->replicate_column = replicate;
    }
}

lf_status lf_csv_columns_find(lf_context *ctx, lf_line_reader *reader, const lf_csv_sample *sample,
                              const lf_column_options *options, lf_csv_columns *columns)
{
    *columns = (lf_csv_columns){.time_of_day = LF_NO_COLUMN,
                                .output = LF_NO_COLUMN,
                                .y = LF_NO_COLUMN,
                                .sd = LF_NO_COLUMN,
                                .width = LF_NO_COLUMN,
                                .split = LF_NO_COLUMN,
                                .replicate = LF_NO_COLUMN};
    for (int p = 0; p < LF_PART_COUNT; p++) {
        columns->part[p] = LF_NO_COLUMN;
    }
    lf_column_options resolved = *options;
    lf_column_finder f = {ctx, reader, sample, &resolved, columns};
    size_t line = reader->line;
    reader->line = sample->heading.number;
    lf_status status = lf_read_headings(&f);
    LF_TRY(status, lf_take_model_names(&f));
    if (!status) {
        take_headings(&f, &resolved);
        columns->wide = !resolved.inputs_only && !resolved.output_column && !has_output_column(&f);
        status = drop_columns(&f);
    }
    LF_TRY(status, columns->wide ? lf_find_wide_columns(&f) : lf_find_long_columns(&f));
    if (!status) {
        reader->line = line;
    }
    return status;
}

void lf_csv_columns_clear(lf_csv_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        free(columns->column[i].name);
        free(columns->column[i].unit);
    }
    free(columns->column);
    free(columns->x);
    *columns = (lf_csv_columns){0};
}
