/* The columns of a long file, or of a file of inputs: found by their names, or named by options. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "data/column_finder.h"
#include "data/column_guess.h"
#include "data/text.h"
#include "data/time_parts.h"
#include "model/access.h"

/* k of a column named "xk", k >= 1 without leading zeros; 0 for any other name; LF_NO_COLUMN for a huge k. */
static size_t input_number(const char *name)
{
    const char *digits = name + 1;
    size_t length = strlen(name);
    if ((name[0] != 'x' && name[0] != 'X') || *digits < '1' || *digits > '9' ||
        strspn(digits, "0123456789") != length - 1) {
        return 0;
    }
    return length > 9 ? LF_NO_COLUMN : (size_t)strtoul(digits, NULL, 10);
}

/* The columns x, or x1 … xp. */
static lf_status find_numbered_inputs(const lf_column_finder *f)
{
    lf_csv_columns *columns = f->columns;
    size_t single = LF_NO_COLUMN, numbered = 0, largest = 0;
    for (size_t i = 0; i < columns->count; i++) {
        columns->x[i] = LF_NO_COLUMN;
    }
    for (size_t i = 0; i < columns->count; i++) {
        lf_csv_column *column = &columns->column[i];
        size_t k = input_number(column->name);
        if (column->role != LF_COLUMN_UNKNOWN) {
            continue;
        }
        if (strcasecmp(column->name, "x") == 0) {
            single = i;
        } else if (k > 0) {
            numbered++;
            largest = k > largest ? k : largest;
            if (k <= columns->count) {
                columns->x[k - 1] = i;
            }
        }
        column->role = strcasecmp(column->name, "x") == 0 || k > 0 ? LF_COLUMN_KNOWN : column->role;
    }
    if (single != LF_NO_COLUMN && numbered > 0) {
        return lf_line_fail(f->ctx, f->reader, "the inputs are named both x and x%zu; use x, or x1 to xp", largest);
    }
    for (size_t k = 1; k <= numbered; k++) {
        if (columns->x[k - 1] == LF_NO_COLUMN) {
            return lf_line_fail(f->ctx, f->reader, "column x%zu is missing: inputs are numbered from x1 without gaps",
                                k);
        }
    }
    if (single != LF_NO_COLUMN) {
        columns->x[0] = single;
    }
    columns->input_dim = numbered ? (int)numbered : single != LF_NO_COLUMN;
    return LF_OK;
}

/* No column is named x: the only column with dates, else the only one with the name of a time, else the only one left. */
static lf_status find_named_time(const lf_column_finder *f)
{
    lf_csv_columns *columns = f->columns;
    size_t found = LF_NO_COLUMN;
    for (int rule = 0; rule < 3 && found == LF_NO_COLUMN; rule++) {
        size_t count = 0;
        for (size_t i = 0; i < columns->count; i++) {
            lf_guess kind = lf_guess_kind(f->sample, i);
            int fits = rule == 0   ? kind == LF_GUESS_DATE || kind == LF_GUESS_DATE_TIME
                       : rule == 1 ? lf_guess_is_time_name(columns->column[i].name)
                                   : kind == LF_GUESS_NUMBER;
            if (columns->column[i].role == LF_COLUMN_UNKNOWN && fits) {
                found = i;
                count++;
            }
        }
        found = count == 1 ? found : LF_NO_COLUMN;
    }
    if (found == LF_NO_COLUMN) {
        return lf_line_fail(f->ctx, f->reader,
                            "the header has no column x (or x1, x2, ... for several inputs); name the column of the "
                            "time with --time COL");
    }
    columns->column[found].role = LF_COLUMN_KNOWN;
    columns->x[0] = found;
    columns->input_dim = 1;
    return LF_OK;
}

/* Columns of known inputs: readings at the inputs of the rows. */
static void find_known_inputs(const lf_column_finder *f)
{
    for (size_t i = 0; i < f->columns->count; i++) {
        lf_csv_column *column = &f->columns->column[i];
        if (column->role == LF_COLUMN_UNKNOWN && lf_is_known_input(f->options, column)) {
            column->role = LF_COLUMN_OUTPUT;
        }
    }
}

/* Whether a table of inputs may have other columns: those that are read have names. */
static int has_named_columns(const lf_column_options *options)
{
    return options->inputs_only && options->model &&
           (lf_model_count(options->model, LF_KIND_KNOWN) > 0 || lf_model_equations(options->model));
}

static lf_status check_unknown(const lf_column_finder *f)
{
    const lf_column_options *options = f->options;
    for (size_t i = 0; i < f->columns->count; i++) {
        lf_csv_column *column = &f->columns->column[i];
        if (column->role != LF_COLUMN_UNKNOWN) {
            continue;
        }
        lf_shown_text shown;
        lf_shown(&shown, column->name, strlen(column->name));
        column->role = LF_COLUMN_DROPPED;
        if (options->output_column || (has_named_columns(options) && !options->ignore_columns)) {
            lf_note(f->ctx, "%s: the column '%s' is not used", f->reader->name, shown.text);
        } else if (!options->ignore_columns) {
            return lf_line_fail(f->ctx, f->reader,
                                "unknown column '%s' (column %zu): the known columns are %s; pass --ignore-columns or "
                                "--drop to drop it",
                                shown.text, i + 1,
                                options->inputs_only ? "x or x1, x2, ..., output, width and replicate"
                                                     : "output, x or x1, x2, ..., y, sd, width, split and replicate");
        }
    }
    return LF_OK;
}

lf_status lf_find_long_columns(const lf_column_finder *f)
{
    const lf_column_options *options = f->options;
    lf_csv_columns *columns = f->columns;
    lf_status status = LF_OK;
    if (options->output_column) {
        status = lf_find_asked(f, "--output-column", options->output_column, &columns->output);
    } else {
        columns->output = lf_take_column(f, "output");
    }
    if (!status && options->value_column) {
        status = lf_find_asked(f, "--value-column", options->value_column, &columns->y);
    }
    LF_TRY(status, lf_find_asked_inputs(f));
    LF_TRY(status, lf_find_replicates(f));
    if (status) {
        return status;
    }
    if (columns->y == LF_NO_COLUMN) {
        columns->y = lf_take_column(f, "y");
    }
    if (columns->y == LF_NO_COLUMN && options->output_column) {
        columns->y = lf_take_column(f, "value");
    }
    columns->sd = lf_take_column(f, "sd");
    columns->width = lf_take_column(f, "width");
    columns->split = lf_take_column(f, "split");
    if (options->inputs_only) { /* y has readings of known inputs, where rows have their names */
        int named =
            options->model && lf_model_count(options->model, LF_KIND_KNOWN) > 0 && columns->output != LF_NO_COLUMN;
        columns->y = named ? columns->y : LF_NO_COLUMN;
        columns->sd = columns->split = LF_NO_COLUMN;
    } else if (columns->y == LF_NO_COLUMN) {
        return lf_line_fail(f->ctx, f->reader,
                            "the header has no column y; name the column of the values with "
                            "--value-column COL");
    }
    lf_find_model_inputs(f);
    find_known_inputs(f);
    if (!columns->input_dim) {
        status = find_numbered_inputs(f);
    }
    int parts = 0;
    if (!status && !columns->input_dim) {
        status = lf_find_time_parts(f, &parts);
    }
    if (!status && !columns->input_dim) {
        status = find_named_time(f);
    }
    if (!status) {
        lf_find_time_of_day(f);
    }
    return status ? status : check_unknown(f);
}
