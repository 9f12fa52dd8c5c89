/* Cells of the time: dates in one of many forms, and counts since 1970; and what the first rows tell of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/utf8.h"
#include "data/table_reader.h"

/* Whether a cell is a date, and which: by the format, or by the order of day and month. Takes note of what the cell tells of this order. */
lf_timestamp_kind lf_read_date(lf_table_reader *t, const lf_csv_field *cell, lf_timestamp *stamp)
{
    lf_date_order found = LF_ORDER_NONE;
    if (t->sample.time_format || cell->kind != LF_FIELD_TEXT) {
        return lf_sample_date(&t->sample, cell, stamp);
    }
    lf_timestamp_kind kind = lf_parse_date(cell->text, cell->length, t->order, stamp, &found);
    t->other_forms = t->other_forms || (kind == LF_TIMESTAMP && found == LF_ORDER_NONE);
    if (found != LF_ORDER_NONE && (t->order == LF_ORDER_NONE || t->order == LF_ORDER_EITHER)) {
        if (found == LF_ORDER_EITHER && t->order == LF_ORDER_NONE) {
            char line[LF_LINE_SIZE];
            snprintf(t->ambiguous, sizeof t->ambiguous, "%.47s", cell->text);
            snprintf(t->ambiguous_place, sizeof t->ambiguous_place, "%.*s%s", LF_CUT(300, t->reader.name),
                     lf_line_place(&t->reader, line));
        }
        t->undecided = t->data->n;
        t->order = found;
    }
    return kind;
}

/* What the first rows tell of the order of day and month. */
static lf_date_order sampled_order(const lf_table_reader *t)
{
    size_t column = t->columns.x[0];
    lf_date_order order = LF_ORDER_NONE;
    for (size_t i = 0; i < t->sample.count && (order == LF_ORDER_NONE || order == LF_ORDER_EITHER); i++) {
        const lf_csv_fields *fields = &t->sample.row[i].fields;
        lf_timestamp stamp;
        lf_date_order found = LF_ORDER_NONE;
        if (column < fields->count && fields->field[column].length > 0 && fields->field[column].kind == LF_FIELD_TEXT) {
            lf_parse_date(fields->field[column].text, fields->field[column].length, LF_ORDER_EITHER, &stamp, &found);
        }
        order = found == LF_ORDER_NONE ? order : found;
    }
    return order;
}

/* How the dates of a file are read, by its first rows. */
void lf_choose_time_format(lf_table_reader *t)
{
    const lf_axis *axis = &t->data->axes[0];
    int may_be_numbers = !t->options->model || axis->dated;
    if (!t->sample.time_format && !t->options->time_in && t->columns.input_dim == 1 && may_be_numbers) {
        t->sample.time_format = lf_find_compact_dates(t);
        if (t->sample.time_format && !t->options->model) {
            lf_note(t->ctx, "%s: the times are read as %s without hyphens (--time-in number reads plain numbers)",
                    t->reader.name, strlen(t->sample.time_format) > 4 ? "dates" : "years and months");
        }
    }
    lf_date_order order = t->order == LF_ORDER_NONE && !t->sample.time_format ? sampled_order(t) : LF_ORDER_NONE;
    t->order = order == LF_ORDER_EITHER || order == LF_ORDER_NONE ? t->order : order;
}

/* Whether all numbers of the first rows count from 1970 in the same unit: the divisor that makes seconds of them, or 0. */
double lf_sampled_divisor(const lf_table_reader *t)
{
    double divisor = 0;
    for (size_t i = 0; i < t->sample.count; i++) {
        const lf_csv_fields *fields = &t->sample.row[i].fields;
        double number;
        if (t->columns.x[0] >= fields->count || fields->field[t->columns.x[0]].length == 0) {
            continue;
        }
        if (!lf_csv_number(t->sample.decimal, &fields->field[t->columns.x[0]], &number)) {
            return 0;
        }
        double found = lf_epoch_divisor(number);
        if (found == 0 || (divisor > 0 && found != divisor)) {
            return 0;
        }
        divisor = found;
    }
    return divisor;
}

/* The moment of a cell that counts from 1970; 0: it is no number. */
int lf_epoch_cell(const lf_table_reader *t, const lf_csv_field *cell, double divisor, lf_timestamp *stamp)
{
    char text[64];
    if (cell->kind == LF_FIELD_NUMBER && cell->integer != 0) {
        int64_t unit = (int64_t)divisor, left = cell->integer % unit;
        *stamp = (lf_timestamp){.seconds = cell->integer / unit, .fraction = (double)left / divisor};
        return 1;
    }
    if (cell->kind == LF_FIELD_NUMBER) {
        *stamp = lf_epoch_moment(cell->number, divisor);
        return 1;
    }
    if (cell->length >= sizeof text) {
        return 0;
    }
    memcpy(text, cell->text, cell->length + 1);
    char *comma = t->sample.decimal == ',' ? strchr(text, ',') : NULL;
    if (comma) {
        *comma = '.';
    }
    return lf_epoch_parse(text, cell->length, divisor, stamp);
}

static int64_t midnight(int64_t seconds)
{
    int64_t left = seconds % 86400;
    return seconds - left - (left < 0 ? 86400 : 0);
}

/* Which second is 0: midnight of the first row or, where the first rows show parts of seconds, its own second. A double has 11 digits behind
 * the second for times of one day, and 16 for those of a short record. */
int64_t lf_choose_zero(const lf_table_reader *t, double divisor, int64_t first)
{
    size_t column = t->columns.x[0];
    for (size_t i = 0; i < t->sample.count; i++) {
        const lf_csv_fields *fields = &t->sample.row[i].fields;
        lf_timestamp stamp = {0};
        int known = column < fields->count && fields->field[column].length > 0;
        if (known && divisor > 0) {
            lf_epoch_cell(t, &fields->field[column], divisor, &stamp);
        } else if (known) {
            lf_sample_date(&t->sample, &fields->field[column], &stamp);
        }
        if (stamp.fraction > 0) {
            return first;
        }
    }
    return midnight(first);
}
