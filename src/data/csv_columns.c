/* Finds out what each column of a data file holds.
 *
 * Long shape: a column `output`, or the options that name one; the other columns are found by their names. Wide shape: every
 * other heading; one column is the time, the others are outputs. The time of a wide file is, in this order: the column of the
 * option, that with the name of the model's input, the only column with dates, the first column. */
#include "data/csv_columns.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "data/column_guess.h"
#include "data/text.h"

typedef struct finder {
    lf_context *ctx;
    lf_line_reader *reader;
    const lf_csv_sample *sample;
    const lf_column_options *options;
    lf_csv_columns *columns;
} finder;

/* ---- names ---- */

/* The columns as "a, b, c", for messages. */
static void list_columns(const finder *f, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < f->columns->count; i++) {
        lf_shown_text shown;
        const char *name = f->columns->column[i].name;
        size_t used = strlen(text);
        if (used + 80 > size) {
            strcpy(text + used, ", …");
            return;
        }
        strcat(text, i ? ", " : "");
        strcat(text, *name ? lf_shown(&shown, name, strlen(name)) : "(no name)");
    }
}

static int is_named(const lf_csv_column *column, const char *name, size_t length)
{
    const char *unit;
    size_t unit_length, bare = lf_split_unit(name, length, &unit, &unit_length), known = strlen(column->name);
    if (known == length && memcmp(column->name, name, length) == 0) {
        return 1;
    }
    return unit && known == bare && memcmp(column->name, name, bare) == 0 && column->unit &&
           strlen(column->unit) == unit_length && memcmp(column->unit, unit, unit_length) == 0;
}

int lf_list_has(const lf_csv_fields *list, const lf_csv_column *column)
{
    for (size_t i = 0; i < list->count; i++) {
        if (is_named(column, list->field[i].text, list->field[i].length)) {
            return 1;
        }
    }
    return 0;
}

static size_t find_column(const finder *f, const char *name)
{
    for (size_t i = 0; name && i < f->columns->count; i++) {
        if (is_named(&f->columns->column[i], name, strlen(name))) {
            return i;
        }
    }
    return LF_NO_COLUMN;
}

/* The column that an option names. */
static lf_status find_asked(const finder *f, const char *option, const char *name, size_t *column)
{
    *column = find_column(f, name);
    if (*column != LF_NO_COLUMN) {
        f->columns->column[*column].role = LF_COLUMN_KNOWN;
        return LF_OK;
    }
    char known[400];
    lf_shown_text shown;
    list_columns(f, known, sizeof known);
    return lf_line_fail(f->ctx, f->reader, "%s '%s': there is no such column; the columns are %s", option,
                        lf_shown(&shown, name, strlen(name)), known);
}

static lf_status check_repeats(const finder *f)
{
    const lf_csv_fields *names = &f->sample->heading.fields;
    lf_names seen = {0};
    lf_status status = LF_OK;
    size_t *place = calloc(names->count, sizeof *place); /* column of each name seen */
    status = place ? LF_OK : lf_no_memory(f->ctx);
    for (size_t i = 0; i < names->count && !status; i++) {
        const lf_csv_field *name = &names->field[i];
        int known = lf_names_find(&seen, name->text, name->length);
        if (name->length == 0) {
            continue;
        }
        if (known >= 0) {
            lf_shown_text shown;
            status = lf_line_fail(f->ctx, f->reader, "two columns are named '%s': columns %zu and %zu; rename one",
                                  lf_shown(&shown, name->text, name->length), place[known] + 1, i + 1);
        } else {
            known = lf_names_add(&seen, name->text, name->length);
            status = known < 0 ? lf_no_memory(f->ctx) : LF_OK;
            place[known < 0 ? 0 : known] = i;
        }
    }
    free(place);
    lf_names_clear(&seen);
    return status;
}

static char *copy_part(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* Names and units of the headings. A name that two columns would share keeps its unit. */
static lf_status read_names(const finder *f)
{
    const lf_csv_fields *names = &f->sample->heading.fields;
    lf_csv_columns *columns = f->columns;
    columns->column = calloc(names->count, sizeof *columns->column);
    columns->x = malloc(names->count * sizeof *columns->x);
    if (!columns->column || !columns->x) {
        return lf_no_memory(f->ctx);
    }
    columns->count = names->count;
    for (size_t i = 0; i < names->count; i++) {
        const lf_csv_field *field = &names->field[i];
        const char *unit;
        size_t unit_length, length = lf_split_unit(field->text, field->length, &unit, &unit_length);
        lf_csv_column *column = &columns->column[i];
        column->sd = LF_NO_COLUMN;
        column->name = copy_part(field->text, length);
        column->unit = unit ? copy_part(unit, unit_length) : NULL;
        if (!column->name || (unit && !column->unit)) {
            return lf_no_memory(f->ctx);
        }
    }
    for (size_t i = 0; i < names->count; i++) {
        int shared = 0;
        for (size_t j = 0; columns->column[i].unit && j < names->count; j++) {
            shared = shared || (j != i && strcmp(columns->column[i].name, columns->column[j].name) == 0);
        }
        if (shared) {
            for (size_t j = names->count; j-- > i;) {
                lf_csv_column *column = &columns->column[j];
                if (column->unit && strcmp(columns->column[i].name, column->name) == 0) {
                    char *whole = copy_part(names->field[j].text, names->field[j].length);
                    if (!whole) {
                        return lf_no_memory(f->ctx);
                    }
                    free(column->name);
                    free(column->unit);
                    column->name = whole;
                    column->unit = NULL;
                }
            }
        }
    }
    return LF_OK;
}

/* ---- columns of both shapes ---- */

/* The columns of --drop, and an empty one at the end. */
static lf_status drop_columns(const finder *f)
{
    lf_csv_columns *columns = f->columns;
    const lf_csv_fields *drop = &f->options->drop;
    lf_csv_column *last = &columns->column[columns->count - 1];
    if (columns->count > 1 && *last->name == '\0') {
        last->role = LF_COLUMN_EMPTY;
    }
    for (size_t i = 0; i < drop->count; i++) {
        size_t found = LF_NO_COLUMN;
        for (size_t k = 0; k < columns->count; k++) {
            found = is_named(&columns->column[k], drop->field[i].text, drop->field[i].length) ? k : found;
        }
        if (found == LF_NO_COLUMN && columns->wide) {
            return find_asked(f, "--drop", drop->field[i].text, &found);
        }
        if (found != LF_NO_COLUMN) {
            columns->column[found].role = LF_COLUMN_DROPPED;
        }
    }
    return LF_OK;
}

/* The inputs of --x or --time. */
static lf_status find_asked_inputs(const finder *f)
{
    lf_csv_columns *columns = f->columns;
    const lf_csv_fields *x = &f->options->x;
    lf_status status = LF_OK;
    for (size_t i = 0; i < x->count && !status; i++) {
        status = find_asked(f, "--x", x->field[i].text, &columns->x[i]);
        for (size_t k = 0; k < i && !status; k++) {
            if (columns->x[k] == columns->x[i]) {
                status = lf_line_fail(f->ctx, f->reader, "--x names the column '%s' twice", x->field[i].text);
            }
        }
        columns->input_dim = (int)x->count;
    }
    if (!status && f->options->time) {
        status = find_asked(f, "--time", f->options->time, &columns->x[0]);
        columns->input_dim = 1;
    }
    return status;
}

/* The column named as the input of the model. */
static void find_model_input(const finder *f)
{
    const lf_model *model = f->options->model;
    lf_csv_columns *columns = f->columns;
    int p = model ? lf_model_input_dim(model) : 0;
    for (int k = 0; k < p && !columns->input_dim; k++) {
        const char *name = lf_model_input(model, k).name;
        size_t found = *name ? find_column(f, name) : LF_NO_COLUMN;
        if (found == LF_NO_COLUMN || (size_t)k >= columns->count) {
            return;
        }
        columns->x[k] = found;
        columns->input_dim = k + 1 == p ? p : 0;
    }
    for (int k = 0; k < columns->input_dim; k++) {
        columns->column[columns->x[k]].role = LF_COLUMN_KNOWN;
    }
}

/* Dates alone in the column of the time, and a column with times of day. */
static void find_time_of_day(const finder *f)
{
    lf_csv_columns *columns = f->columns;
    if (columns->input_dim != 1 || lf_guess_kind(f->sample, columns->x[0]) != LF_GUESS_DATE) {
        return;
    }
    for (size_t i = 0; i < columns->count; i++) {
        lf_csv_column *column = &columns->column[i];
        if (column->role == LF_COLUMN_UNKNOWN && lf_guess_kind(f->sample, i) == LF_GUESS_TIME_OF_DAY) {
            column->role = LF_COLUMN_KNOWN;
            columns->time_of_day = i;
            return;
        }
    }
}

/* ---- long shape ---- */

static size_t take_named(const finder *f, const char *name)
{
    size_t found = find_column(f, name);
    if (found == LF_NO_COLUMN || f->columns->column[found].role != LF_COLUMN_UNKNOWN) {
        return LF_NO_COLUMN;
    }
    f->columns->column[found].role = LF_COLUMN_KNOWN;
    return found;
}

/* k of a column named "xk", k >= 1 without leading zeros; 0 for any other name; LF_NO_COLUMN for a huge k. */
static size_t input_number(const char *name)
{
    const char *digits = name + 1;
    size_t length = strlen(name);
    if (name[0] != 'x' || *digits < '1' || *digits > '9' || strspn(digits, "0123456789") != length - 1) {
        return 0;
    }
    return length > 9 ? LF_NO_COLUMN : (size_t)strtoul(digits, NULL, 10);
}

/* The columns x, or x1 … xp. */
static lf_status find_numbered_inputs(const finder *f)
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
        if (strcmp(column->name, "x") == 0) {
            single = i;
        } else if (k > 0) {
            numbered++;
            largest = k > largest ? k : largest;
            if (k <= columns->count) {
                columns->x[k - 1] = i;
            }
        }
        column->role = strcmp(column->name, "x") == 0 || k > 0 ? LF_COLUMN_KNOWN : column->role;
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
static lf_status find_named_time(const finder *f)
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
        if (rule == 1 && !f->options->output_column && !f->options->inputs_only) {
            break; /* the last rule is for files whose other columns were named */
        }
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

static lf_status check_unknown(const finder *f)
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
        if (options->output_column) {
            lf_note(f->ctx, "%s: the column '%s' is not used", f->reader->name, shown.text);
        } else if (!options->ignore_columns) {
            return lf_line_fail(f->ctx, f->reader,
                                "unknown column '%s' (column %zu): the known columns are %s; pass --ignore-columns or "
                                "--drop to drop it",
                                shown.text, i + 1,
                                options->inputs_only ? "x or x1, x2, ..., output and replicate"
                                                     : "output, x or x1, x2, ..., y, sd, split and replicate");
        }
    }
    return LF_OK;
}

static lf_status find_long(const finder *f)
{
    const lf_column_options *options = f->options;
    lf_csv_columns *columns = f->columns;
    lf_status status = LF_OK;
    if (options->output_column) {
        status = find_asked(f, "--output-column", options->output_column, &columns->output);
    } else {
        columns->output = take_named(f, "output");
    }
    if (!status && options->value_column) {
        status = find_asked(f, "--value-column", options->value_column, &columns->y);
    }
    status = status ? status : find_asked_inputs(f);
    if (status) {
        return status;
    }
    if (columns->y == LF_NO_COLUMN) {
        columns->y = take_named(f, "y");
    }
    if (columns->y == LF_NO_COLUMN && options->output_column) {
        columns->y = take_named(f, "value");
    }
    columns->sd = take_named(f, "sd");
    columns->split = take_named(f, "split");
    columns->replicate = take_named(f, "replicate");
    if (options->inputs_only) {
        columns->y = columns->sd = columns->split = LF_NO_COLUMN;
    } else if (columns->y == LF_NO_COLUMN) {
        return lf_line_fail(f->ctx, f->reader,
                            "the header has no column y; name the column of the values with "
                            "--value-column COL");
    }
    find_model_input(f);
    if (!columns->input_dim) {
        status = find_numbered_inputs(f);
    }
    if (!status && !columns->input_dim) {
        status = find_named_time(f);
    }
    if (!status) {
        find_time_of_day(f);
    }
    return status ? status : check_unknown(f);
}

/* ---- wide shape ---- */

/* The only column with dates, or LF_NO_COLUMN. *several: there is more than one, and the first column is none of them. */
static size_t find_dates(const finder *f, int *several)
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
static size_t find_time_name(const finder *f, size_t start)
{
    for (size_t i = start; i < f->columns->count; i++) {
        if (f->columns->column[i].role == LF_COLUMN_UNKNOWN && lf_guess_is_time_name(f->columns->column[i].name) &&
            lf_guess_kind(f->sample, i) == LF_GUESS_NUMBER) {
            return i;
        }
    }
    return LF_NO_COLUMN;
}

static lf_status ask_for_time(const finder *f, const char *reason)
{
    char known[400];
    list_columns(f, known, sizeof known);
    return lf_line_fail(f->ctx, f->reader, "%s; name the column of the time with --time COL. The columns are %s",
                        reason, known);
}

/* The column of the time where no option and no model names it. */
static lf_status guess_time(const finder *f, size_t *time)
{
    lf_csv_columns *columns = f->columns;
    const char *name = columns->column[0].name;
    int unnamed = *name == '\0' || strcasecmp(name, "unnamed: 0") == 0, several = 0;
    int is_index = (unnamed || strcasecmp(name, "index") == 0) && lf_guess_is_index(f->sample, 0);
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
    if (is_index && (dates != LF_NO_COLUMN || named != LF_NO_COLUMN)) {
        *time = dates != LF_NO_COLUMN ? dates : named;
        columns->column[0].role = LF_COLUMN_DROPPED;
        lf_note(f->ctx, "%s: the first column counts the rows and is not used", f->reader->name);
    } else if (dates == LF_NO_COLUMN && named != LF_NO_COLUMN && named != start &&
               !lf_guess_is_time_name(columns->column[start].name) && !lf_guess_is_increasing(f->sample, start) &&
               lf_guess_is_increasing(f->sample, named)) {
        *time = named;
        lf_note(f->ctx, "%s: the column '%s' is taken as the time; --time COL names another", f->reader->name,
                columns->column[named].name);
    }
    return LF_OK;
}

/* Columns "A.sd" and "A±" are standard errors of A. */
static lf_status find_errors(const finder *f)
{
    static const char *const endings[] = {".sd", "±", " ±"};
    lf_csv_columns *columns = f->columns;
    for (size_t i = 0; i < columns->count; i++) {
        const char *name = columns->column[i].name;
        for (size_t e = 0; e < 3 && columns->column[i].role == LF_COLUMN_UNKNOWN; e++) {
            size_t length = strlen(name), ending = strlen(endings[e]);
            if (length <= ending || strcmp(name + length - ending, endings[e]) != 0) {
                continue;
            }
            for (size_t k = 0; k < columns->count; k++) {
                lf_csv_column *owner = &columns->column[k];
                if (k != i && owner->role == LF_COLUMN_UNKNOWN && strlen(owner->name) == length - ending &&
                    memcmp(owner->name, name, length - ending) == 0) {
                    owner->sd = i;
                    columns->column[i].role = LF_COLUMN_SD;
                }
            }
        }
    }
    return LF_OK;
}

/* What is left are outputs, as far as the options and the model want them. */
static lf_status find_outputs(const finder *f)
{
    const lf_column_options *options = f->options;
    lf_csv_columns *columns = f->columns;
    size_t found = 0, in_model = 0;
    for (size_t i = 0; i < options->outputs.count; i++) {
        size_t column;
        const char *name = options->outputs.field[i].text;
        lf_status status = find_asked(f, "--outputs", name, &column);
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
        if (options->outputs.count > 0) {
            column->role = LF_COLUMN_DROPPED;
        } else if (problem) {
            lf_shown_text shown;
            return lf_line_fail(f->ctx, f->reader, "the name of column %zu %s: '%s'", i + 1, problem,
                                lf_shown(&shown, column->name, strlen(column->name)));
        } else {
            column->role = LF_COLUMN_OUTPUT;
            in_model += options->model && lf_model_find_output(options->model, column->name) >= 0;
            found++;
        }
    }
    for (size_t i = 0; i < columns->count && in_model > 0; i++) {
        lf_csv_column *column = &columns->column[i];
        if (column->role == LF_COLUMN_OUTPUT && lf_model_find_output(options->model, column->name) < 0) {
            column->role = LF_COLUMN_DROPPED;
            lf_note(f->ctx, "%s: the column '%s' is not used: the model has no such output", f->reader->name,
                    column->name);
        }
    }
    if (found == 0) {
        return lf_line_fail(f->ctx, f->reader,
                            "no column is left for an output; a data file has output,x,y (one row per observation) or "
                            "an input and one column per output. If the columns are separated by something else, give "
                            "--separator");
    }
    return LF_OK;
}

static lf_status find_wide(const finder *f)
{
    lf_csv_columns *columns = f->columns;
    lf_status status = find_asked_inputs(f);
    if (status) {
        return status;
    }
    columns->split = take_named(f, "split");
    columns->replicate = take_named(f, "replicate");
    find_model_input(f);
    if (!columns->input_dim) {
        size_t time = 0;
        status = guess_time(f, &time);
        columns->x[0] = time;
        columns->input_dim = 1;
        columns->column[time < columns->count ? time : 0].role = LF_COLUMN_KNOWN;
    }
    if (!status) {
        find_time_of_day(f);
        status = find_errors(f);
    }
    return status ? status : find_outputs(f);
}

lf_status lf_csv_columns_find(lf_context *ctx, lf_line_reader *reader, const lf_csv_sample *sample,
                              const lf_column_options *options, lf_csv_columns *columns)
{
    *columns = (lf_csv_columns){.time_of_day = LF_NO_COLUMN,
                                .output = LF_NO_COLUMN,
                                .y = LF_NO_COLUMN,
                                .sd = LF_NO_COLUMN,
                                .split = LF_NO_COLUMN,
                                .replicate = LF_NO_COLUMN};
    finder f = {ctx, reader, sample, options, columns};
    size_t line = reader->line;
    reader->line = sample->heading.number;
    lf_status status = check_repeats(&f);
    status = status ? status : read_names(&f);
    if (!status) {
        columns->wide = !options->inputs_only && !options->output_column && find_column(&f, "output") == LF_NO_COLUMN;
        status = drop_columns(&f);
    }
    status = status ? status : columns->wide ? find_wide(&f) : find_long(&f);
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
