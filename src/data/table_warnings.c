/* Warnings about values of a table that look wrong. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/plural.h"
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
            lf_warn(t->ctx, "%s: '%s' is constant (%.6g in all %zu rows); --drop leaves it out", name, output, e->low,
                    e->n);
        }
        int low_code = e->n > 2 && isfinite(e->second) && is_code(e->low) && e->second - e->low > 5 * rest &&
                       e->second - e->low > fabs(e->second);
        int high_code = e->n > 2 && isfinite(e->second_high) && is_code(e->high) &&
                        e->high - e->second_high > 5 * rest_high && e->high - e->second_high > fabs(e->second_high);
        if ((low_code || high_code) && codes++ < MOST_WARNINGS) {
            double code = low_code ? e->low : e->high;
            lf_warn(t->ctx,
                    "%s: '%s' has values of %.10g, far from all others (%.6g to %.6g); if they stand for missing "
                    "values, give --missing %.10g",
                    name, output, code, low_code ? e->second : e->low, low_code ? e->high : e->second_high, code);
        }
    }
    if (constant > MOST_WARNINGS || codes > MOST_WARNINGS) {
        lf_warn(t->ctx, "%s: the same holds for more outputs: %d are constant, %d have values far from others", name,
                constant, codes);
    }
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

size_t lf_count_repeats(size_t count, uint64_t *key)
{
    size_t equal = 0;
    qsort(key, count, sizeof *key, compare_keys);
    for (size_t i = 1; i < count; i++) {
        equal += key[i] == key[i - 1];
    }
    return equal;
}

/* Rows that are equal in output, replicate, inputs and value, by their fingerprints. */
static lf_status warn_of_duplicates(const lf_table_reader *t, const char *name, size_t *duplicates)
{
    const lf_data *data = t->data;
    size_t n = lf_shared_head(t, LF_MOST_SORTED), equal, count = 0, bytes;
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
    *duplicates = equal = lf_count_repeats(bytes / sizeof *key, key);
    free(key);
    if (equal > 0) {
        lf_warn(t->ctx,
                "%s: %zu value%s repeat%s an earlier row in time, output and value; each is counted as a "
                "measurement of its own",
                name, equal, lf_plural((size_t)equal), equal == 1 ? "s" : "");
    }
    return LF_OK;
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
    size_t equal = 0;
    status = warn_of_duplicates(t, name, &equal);
    return status || data->input_dim > 1 ? status : lf_warn_of_times(t, name, equal, inputs);
}
