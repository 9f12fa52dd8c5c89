/* The first input while a file is read: numbers in any unit, dates, or seconds since 1970.
 *
 * The first row decides which of these a file has. Dates count in seconds from midnight of the first row, and are converted to
 * the unit of time when the span of all rows is known. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "data/column_guess.h"
#include "data/shared_table.h"
#include "data/table_reader.h"
#include "data/time_parts.h"

static const char *time_word(const lf_table_reader *t) { return t->options->time_in; }

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

static lf_status set_text(lf_context *ctx, char **field, const char *text)
{
    free(*field);
    *field = text && *text ? lf_copy_string(text) : NULL;
    return *field || !text || !*text ? LF_OK : lf_no_memory(ctx);
}

/* The axis of a table for a model. */
static lf_status take_axis(lf_table_reader *t, const lf_axis *from)
{
    lf_axis *axis = &t->data->axes[0];
    const char *word = time_word(t);
    lf_axis_clear(axis);
    if (!lf_axis_copy(from, axis)) {
        return lf_no_memory(t->ctx);
    }
    const char *unit = lf_time_unit(word);
    if (unit && lf_unit_seconds(axis->unit) == 0) {
        return lf_fail(t->ctx, LF_ERROR_ARGUMENT,
                       "--time-in %s: the model has no unit of time, so that its times are plain numbers", word);
    }
    if (t->options->time_format && !axis->dated) {
        return lf_fail(t->ctx, LF_ERROR_ARGUMENT, "--time-format %s: the times of the model are numbers, not dates",
                       t->options->time_format);
    }
    if (t->options->time_unit && !is(lf_time_unit(t->options->time_unit), axis->unit ? axis->unit : "")) {
        return lf_fail(t->ctx, LF_ERROR_ARGUMENT, "--time-unit %s: the times of the model are in %s",
                       t->options->time_unit, axis->unit ? axis->unit : "no unit");
    }
    t->time_kind = axis->dated ? LF_TIME_DATES : LF_TIME_NUMBERS;
    return unit ? set_text(t->ctx, &axis->file_unit, unit) : LF_OK;
}

/* Notes what the times of a table for no model show. */
static void notice(lf_table_reader *t, const lf_timestamp *stamp)
{
    double micro = stamp->fraction * 1e6;
    lf_axis *axis = &t->data->axes[0];
    axis->date_only = axis->date_only && !stamp->has_time;
    axis->fine = axis->fine || fabs(micro - round(micro)) > 1e-4;
}

static lf_status refuse_date(const lf_table_reader *t, lf_timestamp_kind kind);

/* Decides by the first row. */
static lf_status decide(lf_table_reader *t, const lf_csv_field *cell)
{
    lf_axis *axis = &t->data->axes[0];
    lf_timestamp stamp;
    double number, divisor = 0;
    if (lf_read_date(t, cell, &stamp) != LF_NOT_A_TIMESTAMP) {
        t->zero_undecided = t->order == LF_ORDER_EITHER;
        if (time_word(t)) {
            return lf_fail(t->ctx, LF_ERROR_ARGUMENT,
                           "--time-in %s: it is for times that are numbers, but %s has dates", time_word(t),
                           t->reader.name);
        }
        t->time_kind = LF_TIME_DATES;
        stamp.seconds = lf_choose_zero(t, 0, stamp.seconds);
        stamp.has_time = stamp.seconds % 86400 != 0;
        lf_axis_set_zero(axis, &stamp);
        return set_text(t->ctx, &axis->unit, "s");
    }
    if (t->options->time_format) {
        return refuse_date(t, LF_NOT_A_TIMESTAMP);
    }
    t->time_kind = LF_TIME_NUMBERS;
    if (!lf_csv_number(t->sample.decimal, cell, &number)) {
        return LF_OK;
    }
    const char *word = time_word(t);
    if (is(word, "epoch")) {
        divisor = lf_epoch_divisor(number) > 1 ? lf_epoch_divisor(number) : 1;
    } else if (t->columns.input_dim == 1 && (!word || is(lf_time_unit(word), "s"))) {
        divisor = lf_sampled_divisor(t);
    }
    if (divisor > 0 && !(fabs(number / divisor) < 1e12)) {
        return lf_cell_fail(t, t->columns.x[0], "is not a number of seconds since 1970", NULL);
    }
    if (divisor > 0) {
        t->time_kind = LF_TIME_EPOCH;
        t->epoch_divisor = divisor;
        lf_epoch_cell(t, cell, divisor, &stamp);
        stamp = (lf_timestamp){.seconds = lf_choose_zero(t, divisor, stamp.seconds), .has_time = 1, .zoned = 1};
        lf_axis_set_zero(axis, &stamp);
        if (!word) {
            lf_note(t->ctx, "%s: the times are read as %sseconds since 1970 (--time-in number reads plain numbers)",
                    t->reader.name,
                    divisor == 1     ? ""
                    : divisor == 1e3 ? "milli"
                    : divisor == 1e6 ? "micro"
                                     : "nano");
        }
        return set_text(t->ctx, &axis->unit, "s");
    }
    return LF_OK;
}

/* The unit of numeric times: that of the option, of the heading, or a heading that is the name of a unit. */
static const char *unit_of_numbers(const lf_table_reader *t, const char *heading_unit, const char *name)
{
    const char *word = time_word(t), *asked = lf_time_unit(word), *unit = lf_time_unit(heading_unit);
    const char *named = name && strlen(name) > 3 ? lf_time_unit(name) : NULL;
    named = is(named, "a") ? NULL : named; /* a column "year" may count anything */
    return asked ? asked : is(word, "number") ? NULL : unit ? unit : named;
}

/* Numbers of several files must have the same unit. */
static lf_status check_file(lf_table_reader *t, const lf_csv_field *cell)
{
    const lf_csv_column *column = &t->columns.column[t->columns.x[0]];
    double number;
    if (t->options->model || t->time_kind != LF_TIME_NUMBERS || !lf_csv_number(t->sample.decimal, cell, &number)) {
        return LF_OK;
    }
    const char *unit = unit_of_numbers(t, column->unit, column->name);
    const char *before = unit_of_numbers(t, t->data->axes[0].unit, t->data->axes[0].name);
    if (t->data->n > 0 && !is(unit ? unit : "", before ? before : "")) {
        return lf_fail(
            t->ctx, LF_ERROR_DATA,
            "%s: its times are in %s, but in %s in the files before it; convert one, or give the unit of all "
            "with --time-in",
            t->reader.name, unit ? unit : "an unknown unit", before ? before : "an unknown unit");
    }
    if (!time_word(t) && t->columns.input_dim == 1 && t->data->n > 0 && lf_sampled_divisor(t) > 0) {
        return lf_fail(t->ctx, LF_ERROR_DATA,
                       "%s: its times count from 1970, but those of the files before it do not; --time-in number reads "
                       "all as plain numbers",
                       t->reader.name);
    }
    if (!time_word(t) && t->columns.input_dim == 1 && !unit) {
        lf_warn_of_numbers(t);
    }
    return LF_OK;
}

static const char format_remedy[] = "--time-format says how dates are written, such as '%d.%m.%Y %H:%M' or '%m/%d/%y'";

/* A time that is no number where numbers are read. */
static lf_status refuse_time(const lf_table_reader *t, const lf_csv_field *cell)
{
    lf_timestamp stamp;
    size_t column = t->columns.x[0];
    if (lf_cell_is_missing(t, cell)) {
        return lf_cell_fail(t, column, "has no value", "every row needs its time");
    }
    if (lf_field_date(cell, &stamp) != LF_NOT_A_TIMESTAMP) {
        return lf_cell_fail(t, column, "is a date, but the times are numbers", NULL);
    }
    const char *mark = cell->text + strcspn(cell->text, "/.-:");
    return lf_cell_fail(t, column, "is not a finite number and not a date in the form 2019-12-23 10:00:00",
                        isdigit((unsigned char)*cell->text) && *mark ? format_remedy
                        : !t->columns.wide || t->options->time       ? NULL
                        : lf_guess_is_time_name(t->columns.column[column].name)
                            ? "the column is taken as the time; --time COL names another"
                            : "the column is taken as the time; --time COL names another. A column of subjects or "
                              "runs is named 'replicate'");
}

lf_status lf_number_time(lf_table_reader *t)
{
    t->time_kind = t->time_kind == LF_TIME_UNDECIDED ? LF_TIME_NUMBERS : t->time_kind;
    return t->time_kind == LF_TIME_NUMBERS
               ? LF_OK
               : lf_fail(t->ctx, LF_ERROR_DATA, "%s: rows are numbered, but times are dates in the %s", t->reader.name,
                         t->options->model ? "model" : "files before it");
}

/* A cell that is no date where dates are read. */
static lf_status refuse_date(const lf_table_reader *t, lf_timestamp_kind kind)
{
    size_t column = t->columns.x[0];
    if (lf_cell_is_missing(t, &t->row->field[column])) {
        return lf_cell_fail(t, column, "has no value", "every row needs its time");
    }
    if (t->options->time_format) {
        char problem[200];
        snprintf(problem, sizeof problem, "is not a date in the format '%.*s'", LF_CUT(80, t->options->time_format));
        return lf_cell_fail(t, column, problem, "--time-format says how dates are written");
    }
    if (t->sample.time_format) {
        return lf_cell_fail(t, column, "is not a date without hyphens as those before it",
                            "--time-in number reads plain numbers");
    }
    if (kind == LF_BAD_TIMESTAMP && (t->order == LF_ORDER_DAY || t->order == LF_ORDER_MONTH)) {
        return lf_cell_fail(t, column,
                            t->order == LF_ORDER_DAY
                                ? "is not a date that exists with the day first, as other rows have it"
                                : "is not a date that exists with the month first, as other rows have it",
                            format_remedy);
    }
    return lf_cell_fail(t, column,
                        kind == LF_BAD_TIMESTAMP ? "is not a date that exists, or not in the form 2019-12-23T10:00:00"
                                                 : "is not a date in the form 2019-12-23T10:00:00",
                        kind == LF_BAD_TIMESTAMP ? NULL : format_remedy);
}

lf_status lf_read_time(lf_table_reader *t, double *x)
{
    char buffer[80];
    size_t column = t->columns.x[0];
    lf_axis *axis = &t->data->axes[0];
    lf_status status = LF_OK;
    if (!t->file_checked) {
        lf_choose_time_format(t);
    }
    lf_csv_field cell;
    status = lf_time_cell(t, buffer, &cell);
    if (!status && t->time_kind == LF_TIME_UNDECIDED) {
        status = decide(t, &cell);
    }
    if (!status && !t->file_checked) {
        t->file_checked = 1;
        status = check_file(t, &cell);
    }
    if (status) {
        return status;
    }
    if (t->time_kind == LF_TIME_NUMBERS) {
        if (lf_csv_number(t->sample.decimal, &cell, x) && !(t->missing.count > 0 && lf_cell_is_missing(t, &cell))) {
            return LF_OK; /* the unit comes at the end */
        }
        return refuse_time(t, &cell);
    }
    lf_timestamp stamp;
    if (t->time_kind == LF_TIME_EPOCH) {
        double number;
        if (!lf_csv_number(t->sample.decimal, &cell, &number) ||
            (!is(time_word(t), "epoch") && lf_epoch_divisor(number) != t->epoch_divisor)) {
            return lf_cell_fail(t, column, "does not count from 1970 in the unit of the times before it",
                                "--time-in number reads plain numbers");
        }
        lf_timestamp moment;
        if (!lf_epoch_cell(t, &cell, t->epoch_divisor, &moment)) {
            moment = lf_epoch_moment(number, t->epoch_divisor);
        }
        notice(t, &moment);
        *x = lf_axis_from_timestamp(axis, &moment);
        return LF_OK;
    }
    double number,
        divisor = axis->dated && lf_csv_number(t->sample.decimal, &cell, &number) ? lf_epoch_divisor(number) : 0;
    if (divisor > 0 && lf_epoch_cell(t, &cell, divisor, &stamp)) {
        *x = lf_axis_from_timestamp(axis, &stamp);
        return LF_OK;
    }
    lf_timestamp_kind kind = lf_read_date(t, &cell, &stamp);
    if (kind == LF_NOT_A_TIMESTAMP && lf_csv_number(t->sample.decimal, &cell, &number)) {
        const char *wrong = lf_axis_take_number(axis, number, x);
        return wrong ? lf_cell_fail(t, column, wrong, NULL) : LF_OK;
    }
    if (kind != LF_TIMESTAMP) {
        return refuse_date(t, kind);
    }
    if (!t->options->model) {
        notice(t, &stamp);
    }
    const char *problem = lf_axis_take_date(axis, &stamp, x);
    return problem ? lf_cell_fail(t, column, problem, NULL) : LF_OK;
}

/* From the span: the largest unit that leaves enough of them to read. */
static const char *unit_of_span(double seconds)
{
    return seconds < 600 ? "s" : seconds < 36000 ? "min" : seconds < 100 * 86400.0 ? "h" : "d";
}

static lf_status finish_numbers(lf_table_reader *t, const char *wanted)
{
    lf_data *data = t->data;
    lf_axis *axis = &data->axes[0];
    if (t->options->model) {
        double factor = lf_axis_factor(axis);
        for (size_t i = 0; i < data->n && factor != 1; i++) {
            data->x[i * (size_t)data->input_dim] *= factor;
        }
        return LF_OK;
    }
    const char *unit = unit_of_numbers(t, axis->unit, axis->name);
    if (wanted && !unit && t->equations_unit && axis->unit && *axis->unit && !is(time_word(t), "number")) {
        return lf_fail(
            t->ctx, LF_ERROR_DATA,
            "the heading of the times has the unit '%s', which is not ms, s, min, h, d or a, and the equations "
            "are in %s; convert the times, or give their unit with --time-in",
            axis->unit, wanted);
    }
    if (wanted && !unit && t->equations_unit) { /* numbers are taken as they are */
        lf_note(t->ctx, "the times are taken in %s, the unit of the equations; --time-in says if they are in another",
                wanted);
        unit = wanted;
    }
    if (wanted && !unit) {
        return lf_fail(
            t->ctx, LF_ERROR_ARGUMENT,
            "--time-unit %s: the times are numbers of unknown unit; give it with --time-in ms, s, min, h, d or a",
            t->options->time_unit);
    }
    lf_status status = is(time_word(t), "number") ? set_text(t->ctx, &axis->unit, NULL) : LF_OK;
    if (unit) {
        status = set_text(t->ctx, &axis->unit, wanted ? wanted : unit);
        LF_TRY(status, set_text(t->ctx, &axis->file_unit, wanted && !is(wanted, unit) ? unit : NULL));
    }
    double factor = lf_axis_factor(axis);
    for (size_t i = 0; i < data->n && factor != 1 && !status; i++) {
        data->x[i * (size_t)data->input_dim] *= factor;
    }
    return status;
}

/* Widths to the unit of the times; factor: from numbers of the files to that unit. */
static lf_status finish_widths(lf_table_reader *t, double factor)
{
    lf_data *data = t->data;
    double seconds = lf_unit_seconds(data->axes[0].unit);
    if (t->width_kind == LF_WIDTH_SECONDS && seconds == 0) {
        return lf_fail(t->ctx, LF_ERROR_DATA,
                       "the heading of the widths has a unit, and the times have none; give theirs with --time-in");
    }
    for (size_t i = 0; data->width && i < data->n; i++) {
        data->width[i] *= t->width_kind == LF_WIDTH_SECONDS ? 1 / seconds : factor;
    }
    return LF_OK;
}

static lf_status finish_times(lf_table_reader *t)
{
    lf_data *data = t->data;
    lf_axis *axis = &data->axes[0];
    const char *wanted = lf_time_unit(t->options->time_unit ? t->options->time_unit : t->equations_unit);
    if (t->time_kind == LF_TIME_NUMBERS) {
        return finish_numbers(t, wanted);
    }
    lf_status settled = lf_settle_order(t);
    if (settled || t->options->model) {
        return settled;
    }
    double ends[] = {INFINITY, INFINITY}; /* the least of x and of -x */
    for (size_t i = 0; i < data->n; i++) {
        ends[0] = fmin(ends[0], data->x[i]);
        ends[1] = fmin(ends[1], -data->x[i]);
    }
    lf_status status = lf_shared_least(t, LF_OK, 2, ends);
    if (status) {
        return status;
    }
    status = lf_find_calendar_step(t);
    if (status) {
        return status;
    }
    const char *unit = wanted ? wanted : unit_of_span(-ends[1] - ends[0]);
    double seconds = lf_unit_seconds(unit);
    for (size_t i = 0; i < data->n; i++) {
        data->x[i] /= seconds;
    }
    return set_text(t->ctx, &axis->unit, unit);
}

lf_status lf_begin_time(lf_table_reader *t, const lf_axis *model_axis)
{
    const struct {
        const char *option, *word;
    } checks[] = {{"--time-in", t->options->time_in}, {"--time-unit", t->options->time_unit}};
    for (size_t i = 0; i < 2; i++) {
        const char *word = checks[i].word;
        int other = i == 0 && (is(word, "epoch") || is(word, "number"));
        if (word && !lf_time_unit(word) && !other) {
            return lf_fail(t->ctx, LF_ERROR_ARGUMENT, "%s '%s': expected ms, s, min, h, d or a%s", checks[i].option,
                           word, i == 0 ? ", or epoch (seconds since 1970), or number (no unit)" : "");
        }
    }
    const char *format = t->options->time_format, *problem = format ? lf_format_problem(format) : NULL;
    if (problem) {
        return lf_fail(t->ctx, LF_ERROR_ARGUMENT, "--time-format '%s' %s", format, problem);
    }
    return model_axis ? take_axis(t, model_axis) : LF_OK;
}

lf_status lf_finish_time(lf_table_reader *t)
{
    lf_status status = finish_times(t);
    return status ? status : finish_widths(t, lf_axis_factor(&t->data->axes[0]));
}
