/* Warnings about values of a table that look wrong. */
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

enum { MOST_WARNINGS = 4 };

/* The least and the largest value of an output, and those next to them. */
typedef struct extremes {
    size_t n;
    double low, second, high, second_high;
} extremes;

static void widen(extremes *e, double y)
{
    if (e->n++ == 0) {
        *e = (extremes){1, y, INFINITY, y, -INFINITY};
        return;
    }
    if (y < e->low) {
        e->second = e->low;
        e->low = y;
    } else if (y > e->low) {
        e->second = fmin(e->second, y);
    }
    if (y > e->high) {
        e->second_high = e->high;
        e->high = y;
    } else if (y < e->high) {
        e->second_high = fmax(e->second_high, y);
    }
}

/* Of the values of two processes. */
static void add_extremes(extremes *e, const extremes *other)
{
    if (e->n == 0 || other->n == 0) {
        *e = e->n == 0 ? *other : *e;
        return;
    }
    double low = fmin(e->low, other->low), high = fmax(e->high, other->high);
    double next[] = {e->low,  e->second,      other->low,  other->second,
                     e->high, e->second_high, other->high, other->second_high};
    extremes sum = {e->n + other->n, low, INFINITY, high, -INFINITY};
    for (size_t i = 0; i < 4; i++) {
        sum.second = next[i] > low ? fmin(sum.second, next[i]) : sum.second;
        sum.second_high = next[4 + i] < high ? fmax(sum.second_high, next[4 + i]) : sum.second_high;
    }
    *e = sum;
}

/* Numbers that instruments write where they have no value. */
static int is_code(double y)
{
    static const double codes[] = {9,     99,     999,   9999,   99999, 999999, 99.9,
                                   999.9, 9999.9, 99.99, 999.99, 32767, 32768,  65535};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (fabs(y) == codes[i]) {
            return 1;
        }
    }
    return fabs(y) >= 1e20;
}

static void warn_of_values(const lf_table_reader *t, const char *name, const extremes *e)
{
    int constant = 0, codes = 0;
    for (int d = 0; d < t->data->outputs.count; d++, e++) {
        const char *output = t->data->outputs.name[d];
        double rest = e->high - e->second, rest_high = e->second_high - e->low;
        int known = lf_is_known_input(&t->column_options, &(lf_csv_column){.name = t->data->outputs.name[d]});
        if (!known && e->n > 1 && e->low == e->high && constant++ < MOST_WARNINGS) {
            lf_note(t->ctx, "warning: %s: '%s' is constant (%.6g in all %zu rows); --drop leaves it out", name, output,
                    e->low, e->n);
        }
        int low_code = e->n > 2 && isfinite(e->second) && is_code(e->low) && e->second - e->low > 5 * rest &&
                       e->second - e->low > fabs(e->second);
        int high_code = e->n > 2 && isfinite(e->second_high) && is_code(e->high) &&
                        e->high - e->second_high > 5 * rest_high && e->high - e->second_high > fabs(e->second_high);
        if ((low_code || high_code) && codes++ < MOST_WARNINGS) {
            double code = low_code ? e->low : e->high;
            lf_note(
                t->ctx,
                "warning: %s: '%s' has values of %.10g, far from all others (%.6g to %.6g); if they stand for missing "
                "values, give --missing %.10g",
                name, output, code, low_code ? e->second : e->low, low_code ? e->high : e->second_high, code);
        }
    }
    if (constant > MOST_WARNINGS || codes > MOST_WARNINGS) {
        lf_note(t->ctx, "warning: %s: the same holds for more outputs: %d are constant, %d have values far from others",
                name, constant, codes);
    }
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Rows that are equal in output, replicate, inputs and value, by their fingerprints. */
static lf_status warn_of_duplicates(const lf_table_reader *t, const char *name)
{
    const lf_data *data = t->data;
    size_t n = lf_shared_head(t, LF_MOST_SORTED), equal = 0, count = 0, bytes;
    uint64_t *mine = calloc(n + 1, sizeof *mine), *key;
    lf_status status = mine ? LF_OK : lf_no_memory(t->ctx);
    for (size_t i = 0; i < n && !status; i++) { /* equal readings of a known input count once */
        const char *output = data->output[i] < 0 ? "" : data->outputs.name[data->output[i]];
        if (!lf_is_known_input(&t->column_options, &(lf_csv_column){.name = (char *)output})) {
            mine[count++] = lf_data_row_fingerprint(data, i);
        }
    }
    status = lf_shared_collect(t, status, count * sizeof *mine, mine, NULL, &bytes, (void **)&key);
    free(mine);
    if (status) {
        return status;
    }
    count = bytes / sizeof *key;
    qsort(key, count, sizeof *key, compare_keys);
    for (size_t i = 1; i < count; i++) {
        equal += key[i] == key[i - 1];
    }
    free(key);
    if (equal > 0) {
        lf_note(t->ctx,
                "warning: %s: %zu value%s repeat%s an earlier row in time, output and value; each is counted as a "
                "measurement of its own",
                name, equal, equal == 1 ? "" : "s", equal == 1 ? "s" : "");
    }
    return LF_OK;
}

/* Times that go back: their number, and the first row and time. */
typedef struct returns {
    double count, x;
    size_t row;
} returns;

static void add_return(returns *r, size_t row, double x)
{
    if (r->count++ == 0 || row < r->row) {
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
                if (t->data->x[first[s]] < last[s]) {
                    add_return(back, first[s], t->data->x[first[s]]);
                }
                last[s] = own[s];
            }
        }
        status = lf_broadcast(t->ctx, r, series * sizeof *last, last);
    }
    return status;
}

/* Times that go back within a series. */
static lf_status warn_of_order(const lf_table_reader *t, const char *name)
{
    const lf_data *data = t->data;
    size_t outputs = (size_t)data->outputs.count + 1, series = outputs * ((size_t)data->replicates.count + 1);
    double *own = lf_doubles(series, 1), *last = lf_doubles(series, 1);
    size_t *first = calloc(series, sizeof *first), bytes = 0;
    returns back = {0}, *all = NULL;
    lf_status status = own && last && first ? LF_OK : lf_no_memory(t->ctx);
    for (size_t s = 0; s < series && !status; s++) {
        own[s] = last[s] = -INFINITY;
        first[s] = data->n;
    }
    for (size_t i = 0; i < data->n && !status; i++) {
        size_t s = (size_t)(data->replicate[i] + 1) * outputs + (size_t)(data->output[i] + 1);
        if (data->x[i] < own[s]) {
            add_return(&back, i, data->x[i]);
        }
        first[s] = first[s] < data->n ? first[s] : i;
        own[s] = data->x[i];
    }
    status = lf_shared_sum(t, status, 0, NULL);
    status = status || !t->several ? status : find_shared_returns(t, series, first, own, last, &back);
    status = lf_shared_collect(t, status, sizeof back, &back, NULL, &bytes, (void **)&all);
    for (size_t r = 0; r < bytes / sizeof back && !status; r++) {
        if (all[r].count > 0) {
            char text[LF_TIMESTAMP_SIZE];
            lf_axis_format(&data->axes[0], all[r].x, text);
            lf_note(t->ctx, "%s: rows are not in the order of time (first at %s); they are used all the same", name,
                    text);
            break;
        }
    }
    free(all);
    free(first);
    free(last);
    free(own);
    return status;
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

/* e (outputs.count): of the values of each output. */
static lf_status find_extremes(const lf_table_reader *t, extremes *e)
{
    const lf_data *data = t->data;
    size_t outputs = (size_t)data->outputs.count, bytes = 0;
    extremes *all = NULL;
    lf_status status = e ? LF_OK : lf_no_memory(t->ctx);
    for (size_t i = 0; i < data->n && !status; i++) {
        if (data->output[i] >= 0 && !isnan(data->y[i])) {
            widen(&e[data->output[i]], data->y[i]);
        }
    }
    status = lf_shared_collect(t, status, outputs * sizeof *e, e, NULL, &bytes, (void **)&all);
    for (size_t d = 0; d < outputs && !status; d++) {
        e[d] = (extremes){0};
    }
    for (size_t i = 0; outputs > 0 && i < bytes / sizeof *e && !status; i++) {
        add_extremes(&e[i % outputs], &all[i]);
    }
    free(all);
    return status;
}

lf_status lf_warn_of_table(const lf_table_reader *t, const char *name, const lf_sorted_inputs *inputs)
{
    const lf_data *data = t->data;
    extremes *e = calloc((size_t)data->outputs.count + 1, sizeof *e);
    lf_status status = find_extremes(t, e);
    if (!status) {
        warn_of_values(t, name, e);
    }
    free(e);
    if (status || t->column_options.inputs_only) {
        return status;
    }
    status = warn_of_duplicates(t, name);
    if (!status && data->input_dim == 1) {
        status = warn_of_order(t, name);
        warn_of_gaps(t, name, inputs);
    }
    return status;
}
