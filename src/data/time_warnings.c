/* Warnings about times that look wrong: rows out of order, times that repeat, the hour that a local clock repeats, gaps. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "data/column_finder.h"
#include "data/shared_table.h"
#include "data/table_notes.h"

/* Times that do not increase within a series. */
typedef struct returns {
    double count;         /* those that go back */
    double x;             /* the first of them */
    double equal;         /* those that are the one before */
    double hours, hour_x; /* those that may be the hour that a local clock repeats, and the first of them */
    size_t row, hour_row; /* of the first; rows are compared within a process */
} returns;

/* Whether a step of a local clock may be the end of daylight saving time: by at most an hour, before 4 o'clock, in spring or autumn. */
static int may_be_clock_change(const lf_axis *axis, double x, double back)
{
    char text[LF_TIMESTAMP_SIZE];
    if (!axis->dated || axis->zoned || back * lf_unit_seconds(axis->unit) > 3600.5) {
        return 0;
    }
    lf_axis_format(axis, x, text); /* 2019-10-27T02:00:00 */
    int month = strlen(text) > 13 ? 10 * (text[5] - '0') + text[6] - '0' : 0;
    return (month == 10 || month == 11 || month == 3 || month == 4) && text[11] == '0' && text[12] < '4';
}

static void add_return(const lf_table_reader *t, returns *r, size_t row, double last)
{
    double x = t->data->x[row];
    if (x > last) {
        return;
    }
    if (may_be_clock_change(&t->data->axes[0], x, last - x) && (r->hours++ == 0 || row < r->hour_row)) {
        r->hour_row = row;
        r->hour_x = x;
    }
    r->equal += x == last;
    if (x < last && (r->count++ == 0 || row < r->row)) {
        r->row = row;
        r->x = x;
    }
}

/* The last time of each series among the processes before this one decides about its first time here. One process after the other adds its
 * own to last (series). first (series): row of each series here, n for none; own (series): the last times here. */
static lf_status find_shared_returns(const lf_table_reader *t, size_t series, const size_t *first, const double *own,
                                     double *last, returns *back)
{
    lf_status status = LF_OK;
    for (int r = 0; r < lf_process_count(t->ctx) && !status; r++) {
        for (size_t s = 0; s < series && r == lf_process_rank(t->ctx); s++) {
            if (first[s] < t->data->n) {
                add_return(t, back, first[s], last[s]);
                last[s] = own[s];
            }
        }
        status = lf_broadcast(t->ctx, r, series * sizeof *last, last);
    }
    return status;
}

/* Of all processes: sums, and the first rows of the first that has any. */
static void add_processes(size_t count, const returns *all, returns *sum)
{
    *sum = (returns){0};
    for (size_t r = 0; r < count; r++) {
        sum->x = sum->count == 0 ? all[r].x : sum->x;
        sum->hour_x = sum->hours == 0 ? all[r].hour_x : sum->hour_x;
        sum->count += all[r].count;
        sum->equal += all[r].equal;
        sum->hours += all[r].hours;
    }
}

static lf_status find_returns(const lf_table_reader *t, returns *sum)
{
    const lf_data *data = t->data;
    size_t outputs = (size_t)data->outputs.count + 1, series = outputs * ((size_t)data->replicates.count + 1);
    double *own = lf_doubles(series, 1), *last = lf_doubles(series, 1);
    size_t *first = calloc(series, sizeof *first), bytes = 0;
    returns back, *all = NULL;
    memset(&back, 0, sizeof back);
    lf_status status = own && last && first ? LF_OK : lf_no_memory(t->ctx);
    for (size_t s = 0; s < series && !status; s++) {
        own[s] = last[s] = -INFINITY;
        first[s] = data->n;
    }
    for (size_t i = 0; i < data->n && !status; i++) {
        size_t s = (size_t)(data->replicate[i] + 1) * outputs + (size_t)(data->output[i] + 1);
        add_return(t, &back, i, own[s]);
        first[s] = first[s] < data->n ? first[s] : i;
        own[s] = data->x[i];
    }
    status = lf_shared_sum(t, status, 0, NULL);
    status = status || !t->several ? status : find_shared_returns(t, series, first, own, last, &back);
    status = lf_shared_collect(t, status, sizeof back, &back, NULL, &bytes, (void **)&all);
    add_processes(status ? 0 : bytes / sizeof back, all, sum);
    free(all);
    free(first);
    free(last);
    free(own);
    return status;
}

/* Values that repeat the time, output and replicate of another; duplicates: those that repeat its value too. */
static lf_status warn_of_repeats(const lf_table_reader *t, const char *name, size_t duplicates)
{
    const lf_data *data = t->data;
    size_t n = lf_shared_head(t, LF_MOST_SORTED), count = 0, bytes = 0;
    uint64_t *mine = calloc(n + 1, sizeof *mine), *key = NULL;
    lf_status status = mine ? LF_OK : lf_no_memory(t->ctx);
    for (size_t i = 0; i < n && !status; i++) {
        const char *output = data->output[i] < 0 ? "" : data->outputs.name[data->output[i]];
        if (!lf_is_known_input(&t->column_options, &(lf_csv_column){.name = (char *)output})) {
            mine[count++] = lf_hash_place(data->output[i], data->replicate[i], data->x[i]);
        }
    }
    status = lf_shared_collect(t, status, count * sizeof *mine, mine, NULL, &bytes, (void **)&key);
    free(mine);
    size_t repeats = status ? 0 : lf_count_repeats(bytes / sizeof *key, key);
    free(key);
    if (repeats > duplicates) {
        lf_note(
            t->ctx,
            "%s: %zu value%s another value of the same output at the same time: they are taken as repeated readings of "
            "it. If the rows belong to several series, name the column that tells these apart with "
            "--replicate-column%s",
            name, repeats - duplicates, repeats - duplicates == 1 ? " has" : "s have",
            t->file > 1 ? ", or give --replicates-by-file" : "");
    }
    return status;
}

/* Times that go back, or repeat, within a series. */
static lf_status warn_of_order(const lf_table_reader *t, const char *name, size_t duplicates)
{
    const lf_axis *axis = &t->data->axes[0];
    returns back;
    char text[LF_TIMESTAMP_SIZE];
    lf_status status = find_returns(t, &back);
    double series = (double)t->data->outputs.count * fmax(1, (double)t->data->replicates.count);
    if (status || back.count + back.equal == 0) {
        return status;
    }
    if (back.hours > 0 && back.hours == (back.count > 0 ? back.count : back.equal) && back.hours <= 20 * series) {
        lf_axis_format(axis, back.hour_x, text);
        lf_warn(t->ctx,
                "%s: times go back or repeat at %s, as a local clock does where daylight saving time ends; write "
                "times with their offset from UTC (2019-10-27T02:30+02:00), or in UTC",
                name, text);
        return LF_OK;
    }
    if (back.count > 0) {
        lf_axis_format(axis, back.x, text);
        lf_note(t->ctx, "%s: rows are not in the order of time (first at %s); they are used all the same", name, text);
    }
    return warn_of_repeats(t, name, duplicates);
}

/* Differences of more than three steps. */
static void warn_of_gaps(const lf_table_reader *t, const char *name, const lf_sorted_inputs *s)
{
    size_t count = 0, widest = 0;
    for (size_t i = 0; i + 1 < s->count; i++) {
        if (s->x[i + 1] - s->x[i] > 3.5 * s->step) {
            count++;
            widest = s->x[i + 1] - s->x[i] > s->x[widest + 1] - s->x[widest] ? i : widest;
        }
    }
    if (count > 0 && s->even && s->count > 4) {
        char from[LF_TIMESTAMP_SIZE], to[LF_TIMESTAMP_SIZE], span[48];
        lf_axis_format(&t->data->axes[0], s->x[widest], from);
        lf_axis_format(&t->data->axes[0], s->x[widest + 1], to);
        lf_write_span(&t->data->axes[0], s->x[widest + 1] - s->x[widest], span);
        lf_note(t->ctx, "%s: %zu gap%s without any row; the widest is %s, from %s to %s", name, count,
                count == 1 ? "" : "s", span, from, to);
    }
}

lf_status lf_warn_of_times(const lf_table_reader *t, const char *name, size_t duplicates,
                           const lf_sorted_inputs *inputs)
{
    lf_status status = warn_of_order(t, name, duplicates);
    if (!status) {
        warn_of_gaps(t, name, inputs);
    }
    return status;
}
