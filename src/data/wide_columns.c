/* The columns of a wide file: one is the time, the others are outputs, their standard errors, a split or a replicate.
 *
 * The time is, in this order: the column of the option, that with the name of the model's input, the only column with dates,
 * the first column. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "data/column_finder.h"
#include "data/column_guess.h"
#include "data/text.h"

/* The only column with dates, or LF_NO_COLUMN. *several: there is more than one, and the first column is none of them. */
static size_t find_dates(const lf_column_finder *f, int *several)
{
    size_t found = LF_NO_COLUMN, count = 0;
    for (size_t i = 0; i < f->columns->count; i++) {
        lf_guess kind = lf_guess_kind(f->sample, i);
        if (f->columns->column[i].role == LF_COLUMN_UNKNOWN && (kind == LF_GUESS_DATE || kind == LF_GUESS_DATE_TIME)) {
            found = count++ ? found : i;
        }
    }
    *several = count > 1 && found > 0;
    return found;
}

/* The first column with the name of a time, from `start` on. */
static size_t find_time_name(const lf_column_finder *f, size_t start)
{
    for (size_t i = start; i < f->columns->count; i++) {
        if (f->columns->column[i].role == LF_COLUMN_UNKNOWN && lf_guess_is_time_name(f->columns->column[i].name) &&
            lf_guess_kind(f->sample, i) == LF_GUESS_NUMBER) {
            return i;
        }
    }
    return LF_NO_COLUMN;
}

static lf_status ask_for_time(const lf_column_finder *f, const char *reason)
{
    char known[400];
    lf_list_columns(f, known, sizeof known);
    return lf_line_fail(f->ctx, f->reader, "%s; name the column of the time with --time COL. The columns are %s",
                        reason, known);
}

/* Whether the first column is an index, as pandas and R write it. */
static int counts_rows(const lf_column_finder *f)
{
    const char *name = f->columns->column[0].name;
    int fits = *name == '\0' || strcasecmp(name, "unnamed: 0") == 0 || strcasecmp(name, "index") == 0;
    return fits && f->columns->column[0].role == LF_COLUMN_UNKNOWN && lf_guess_is_index(f->sample, 0);
}

/* The column of the time where no option and no model names it. */
static lf_status guess_time(const lf_column_finder *f, size_t *time)
{
    lf_csv_columns *columns = f->columns;
    const char *name = columns->column[0].name;
    int unnamed = *name == '\0' || strcasecmp(name, "unnamed: 0") == 0, several = 0, is_index = counts_rows(f);
    size_t dates = find_dates(f, &several), named = find_time_name(f, 1), start = 0;
    if (columns->column[0].role != LF_COLUMN_UNKNOWN) { /* dropped, split or replicate */
        while (start < columns->count && columns->column[start].role != LF_COLUMN_UNKNOWN) {
            start++;
        }
        named = find_time_name(f, start);
        is_index = 0;
    }
    if (start == columns->count) {
        return ask_for_time(f, "no column is left for the time");
    }
    if (several) {
        return ask_for_time(f, "several columns have dates");
    }
    *time = dates != LF_NO_COLUMN ? dates : start;
    if (is_index && dates == LF_NO_COLUMN && named == LF_NO_COLUMN && unnamed) {
        return ask_for_time(f, "the first column has no name and counts the rows, and no other column is "
                               "recognisably the time");
    }
    if (*name == '\0' && start == 0 && dates == LF_NO_COLUMN && lf_guess_is_ragged_count(f->sample, 0)) {
        return ask_for_time(f, "the first column has no name and may number the rows");
    }
    if (*name == '\0' && *time == 0) {
        lf_note(f->ctx, "%s: the first column has no name and is taken as the time", f->reader->name);
    }
    if (is_index && (dates != LF_NO_COLUMN || named != LF_NO_COLUMN)) {
        *time = dates != LF_NO_COLUMN ? dates : named;
    } else if (dates == LF_NO_COLUMN && named != LF_NO_COLUMN && named != start &&
               !lf_guess_is_time_name(columns->column[start].name) && !lf_guess_is_increasing(f->sample, start) &&
               lf_guess_is_increasing(f->sample, named)) {
        *time = named;
        lf_note(f->ctx, "%s: the column '%s' is taken as the time; --time COL names another", f->reader->name,
                columns->column[named].name);
    }
    return LF_OK;
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
            snprintf(names + used, sizeof names - used, "%s'%.60s'", dropped++ ? ", " : "", column->name);
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
        return lf_line_fail(f->ctx, f->reader,
                            "no column is left for an output; a data file has output,x,y (one row per observation) or "
                            "an input and one column per output. If the columns are separated by something else, give "
                            "--separator");
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
    columns->replicate = lf_take_column(f, "replicate");
    lf_find_model_inputs(f);
    if (!columns->input_dim) {
        size_t time = 0;
        status = guess_time(f, &time);
        columns->x[0] = time;
        columns->input_dim = 1;
        columns->column[time < columns->count ? time : 0].role = LF_COLUMN_KNOWN;
    }
    if (!status && counts_rows(f)) {
        columns->column[0].role = LF_COLUMN_DROPPED;
        lf_note(f->ctx, "%s: the first column counts the rows and is not used", f->reader->name);
    }
    if (!status) {
        lf_find_time_of_day(f);
        status = find_errors(f);
    }
    return status ? status : find_outputs(f);
}
