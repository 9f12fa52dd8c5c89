/* The columns of a wide file: one is the time, the others are outputs, their standard errors, a split or a replicate.
 *
 * The time is, in this order: the column of the option, that with the name of the model's input, what lf_guess_time finds. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "data/column_course.h"
#include "data/column_finder.h"
#include "data/column_guess.h"
#include "data/text.h"
#include "data/time_parts.h"
#include "model/access.h"

/* Whether the first column has no name and numbers the rows, and is not the time. */
static int is_row_index(const lf_column_finder *f)
{
    lf_course course = lf_guess_course(f->sample, 0, LF_NO_COLUMN);
    const lf_csv_column *first = &f->columns->column[0];
    return lf_counts_rows(f) || (*first->name == '\0' && first->role == LF_COLUMN_UNKNOWN && course.other == 0 &&
                                 course.repeats == 0 && lf_guess_is_whole(f->sample, 0));
}

/* Columns "A.sd" and "A±" are standard errors of A, "A.width" the times over which readings of A are means. */
static lf_status find_errors(const lf_column_finder *f)
{
    static const char *const endings[] = {".sd", "±", " ±", ".width"};
    enum { ENDINGS = 4, WIDTH = 3 };
    lf_csv_columns *columns = f->columns;
    for (size_t i = 0; i < columns->count; i++) {
        const char *name = columns->column[i].name;
        for (size_t e = 0; e < ENDINGS && columns->column[i].role == LF_COLUMN_UNKNOWN; e++) {
            size_t length = strlen(name), ending = strlen(endings[e]);
            if (length <= ending || strcmp(name + length - ending, endings[e]) != 0) {
                continue;
            }
            for (size_t k = 0; k < columns->count; k++) {
                lf_csv_column *owner = &columns->column[k];
                if (k != i && (owner->role == LF_COLUMN_UNKNOWN || owner->role == LF_COLUMN_DROPPED) &&
                    strlen(owner->name) == length - ending && memcmp(owner->name, name, length - ending) == 0) {
                    *(e == WIDTH ? &owner->width : &owner->sd) = i;
                    columns->column[i].role = owner->role == LF_COLUMN_DROPPED ? LF_COLUMN_DROPPED : LF_COLUMN_SD;
                }
            }
        }
    }
    size_t bare = lf_find_column(f, "sd");
    if (bare != LF_NO_COLUMN && columns->column[bare].role == LF_COLUMN_UNKNOWN &&
        !lf_list_has(&f->options->outputs, &columns->column[bare])) {
        return lf_line_fail(
            f->ctx, f->reader,
            "the column 'sd' does not say whose standard errors it holds; name it after the output, for "
            "example a.sd, or leave it out with --drop sd");
    }
    return LF_OK;
}

/* Columns that the model has no output and no known input for. */
static lf_status drop_other_outputs(const lf_column_finder *f)
{
    lf_status status = LF_OK;
    int equations = lf_model_equations(f->options->model) != NULL;
    char names[300] = "";
    size_t dropped = 0;
    for (size_t i = 0; i < f->columns->count; i++) {
        lf_csv_column *column = &f->columns->column[i];
        if (column->role == LF_COLUMN_OUTPUT && lf_model_find_output(f->options->model, column->name) < 0 &&
            !lf_is_known_input(f->options, column)) {
            size_t used = strlen(names);
            column->role = LF_COLUMN_DROPPED;
            lf_print(names + used, sizeof names - used, "%s'%.*s'", dropped++ ? ", " : "", LF_CUT(60, column->name));
            if (f->options->foreign && lf_names_add(f->options->foreign, column->name, strlen(column->name)) < 0) {
                status = lf_no_memory(f->ctx);
            }
        }
    }
    if (dropped > 0) {
        lf_note(f->ctx, "%s: not used, because the %s: %s", f->reader->name,
                equations ? "equations do not mention them" : "model has no such output", names);
    }
    return status;
}

/* Outputs whose first number has a sign of per cent are in this unit. */
static lf_status find_percentages(const lf_column_finder *f)
{
    for (size_t i = 0; i < f->columns->count; i++) {
        lf_csv_column *column = &f->columns->column[i];
        int percent = 0, plain = column->role != LF_COLUMN_OUTPUT;
        for (size_t r = 0; r < f->sample->count && !percent && !plain; r++) {
            const lf_csv_field *cell = lf_sample_cell(f->sample, r, i);
            double number;
            percent = cell && lf_csv_percentage(f->sample->decimal, cell, &number);
            plain = cell && lf_csv_number(f->sample->decimal, cell, &number);
        }
        if (!percent) {
            continue;
        }
        column->percent = 1;
        column->unit = column->unit ? column->unit : lf_copy_string("%");
        if (!column->unit) {
            return lf_no_memory(f->ctx);
        }
        lf_note(f->ctx, "%s: the numbers of '%s' have a %% sign: 50%% is read as 50, in per cent", f->reader->name,
                column->name);
    }
    return LF_OK;
}

/* What is left are outputs, as far as the options and the model want them. */
static lf_status find_outputs(const lf_column_finder *f)
{
    const lf_column_options *options = f->options;
    lf_csv_columns *columns = f->columns;
    size_t found = 0, in_model = 0;
    for (size_t i = 0; i < options->outputs.count; i++) {
        size_t column;
        const char *name = options->outputs.field[i].text;
        lf_status status = lf_find_asked(f, "--outputs", name, &column);
        if (status) {
            return status;
        }
        for (int k = 0; k < columns->input_dim; k++) {
            if (columns->x[k] == column) {
                return lf_line_fail(f->ctx, f->reader, "--outputs: '%s' is the column of the time", name);
            }
        }
        columns->column[column].role = LF_COLUMN_OUTPUT;
        columns->column[column].asked = 1;
        found++;
    }
    for (size_t i = 0; i < columns->count; i++) {
        lf_csv_column *column = &columns->column[i];
        if (column->role != LF_COLUMN_UNKNOWN) {
            continue;
        }
        const char *problem = lf_name_problem(column->name, strlen(column->name));
        int known = lf_is_known_input(options, column);
        if (options->outputs.count > 0 && !known) {
            column->role = LF_COLUMN_DROPPED;
        } else if (problem) {
            lf_shown_text shown;
            return lf_line_fail(f->ctx, f->reader, "the name of column %zu %s: '%s'", i + 1, problem,
                                lf_shown(&shown, column->name, strlen(column->name)));
        } else {
            column->role = LF_COLUMN_OUTPUT;
            in_model += options->model && (known || lf_model_find_output(options->model, column->name) >= 0);
            found++;
        }
    }
    lf_status status = LF_OK;
    if (in_model > 0 || (options->model && lf_model_equations(options->model))) {
        status = drop_other_outputs(f);
    }
    if (!status && found == 0) {
        return lf_line_fail(
            f->ctx, f->reader,
            "no column is left for an output; a data file has output,x,y (one row per observation) or "
            "an input and one column per output. --time row numbers the rows where no column is the time; "
            "if the columns are separated by something else, give --separator");
    }
    return status;
}

lf_status lf_find_wide_columns(const lf_column_finder *f)
{
    lf_csv_columns *columns = f->columns;
    lf_status status = lf_find_asked_inputs(f);
    if (!status && f->options->value_column) {
        status = lf_line_fail(f->ctx, f->reader,
                              "--value-column is for files with a column of names: give --output-column too");
    }
    if (status) {
        return status;
    }
    columns->split = lf_take_column(f, "split");
    status = lf_find_replicates(f);
    if (status) {
        return status;
    }
    lf_find_model_inputs(f);
    status = columns->input_dim ? LF_OK : lf_guess_time(f);
    if (!status && is_row_index(f)) {
        columns->column[0].role = LF_COLUMN_DROPPED;
        lf_note(f->ctx, "%s: the first column counts the rows and is not used", f->reader->name);
    }
    if (!status) {
        lf_find_time_of_day(f);
        status = find_errors(f);
    }
    LF_TRY(status, find_outputs(f));
    return status ? status : find_percentages(f);
}
