/* Notes on a table that was read: one line of what was understood, and warnings about values that look wrong.
 *
 * Nothing here changes the table. Beyond MOST_SORTED rows the notes that need sorting are made for the first of them. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/table_reader.h"

enum { MOST_SORTED = 200000, MOST_NAMES = 8, MOST_WARNINGS = 4 };

/* Text that grows to the size of a note; what does not fit is cut. */
typedef struct note {
    char text[900];
} note;

static void add(note *n, const char *format, ...) LF_PRINTF(2, 3);

static void add(note *n, const char *format, ...)
{
    size_t used = strlen(n->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(n->text + used, sizeof n->text - used, format, arguments);
    va_end(arguments);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* ---- the inputs ---- */

/* Distinct values of one input, sorted. */
typedef struct sorted_inputs {
    size_t count;
    double *x;
    double low, high, step; /* step: the median difference; 0 without one */
    int even;               /* nine of ten differences are the step */
} sorted_inputs;

static lf_status sort_inputs(const lf_table_reader *t, sorted_inputs *s)
{
    const lf_data *data = t->data;
    size_t n = data->n < MOST_SORTED ? data->n : MOST_SORTED;
    *s = (sorted_inputs){.low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; i < data->n; i++) {
        double x = data->x[i * (size_t)data->input_dim];
        s->low = fmin(s->low, x);
        s->high = fmax(s->high, x);
    }
    double *gaps = lf_doubles(n, 1);
    s->x = lf_doubles(n, 1);
    if (!gaps || !s->x) {
        free(gaps);
        return lf_no_memory(t->ctx);
    }
    for (size_t i = 0; i < n; i++) {
        s->x[i] = data->x[i * (size_t)data->input_dim];
    }
    qsort(s->x, n, sizeof *s->x, compare_doubles);
    for (size_t i = 0; i < n; i++) {
        if (s->count == 0 || s->x[i] > s->x[s->count - 1]) {
            s->x[s->count++] = s->x[i];
        }
    }
    size_t gap_count = s->count > 0 ? s->count - 1 : 0, equal = 0;
    for (size_t i = 0; i < gap_count; i++) {
        gaps[i] = s->x[i + 1] - s->x[i];
    }
    qsort(gaps, gap_count, sizeof *gaps, compare_doubles);
    s->step = gap_count > 0 ? gaps[gap_count / 2] : 0;
    double rounding = 1e-6 * s->step + 1e-12 * fmax(fabs(s->low), fabs(s->high));
    for (size_t i = 0; i < gap_count; i++) {
        equal += fabs(gaps[i] - s->step) <= rounding;
    }
    s->even = equal * 10 >= gap_count * 9;
    free(gaps);
    return LF_OK;
}

/* A difference in the largest unit of time that makes it 1 or more; without a unit of time a plain number. */
static void write_span(const lf_axis *axis, double span, char text[48])
{
    static const char *const units[] = {"d", "h", "min", "s"};
    double seconds = span * lf_unit_seconds(axis->unit);
    if (seconds <= 0) {
        snprintf(text, 48, "%.6g%s%s", span, axis->unit ? " " : "", axis->unit ? axis->unit : "");
        return;
    }
    const char *unit = axis->dated ? "s" : axis->unit;
    for (size_t i = 0; i < 4 && axis->dated; i++) {
        if (seconds >= 0.999999 * lf_unit_seconds(units[i])) {
            unit = units[i];
            break;
        }
    }
    snprintf(text, 48, "%.6g %s", seconds / lf_unit_seconds(unit), unit);
}

/* A value of the axis as people read it: dates without the time of day where the span is long. */
static void write_value(const lf_axis *axis, double x, double span, char text[LF_TIMESTAMP_SIZE])
{
    if (!axis->dated) {
        snprintf(text, LF_TIMESTAMP_SIZE, "%.6g", x);
        return;
    }
    lf_axis_format(axis, x, text);
    if (span * lf_unit_seconds(axis->unit) > 4 * 86400 && strlen(text) > 10) {
        text[10] = '\0';
    }
}

static void describe_input(const lf_table_reader *t, const sorted_inputs *s, note *n)
{
    const lf_axis *axis = &t->data->axes[0];
    char low[LF_TIMESTAMP_SIZE], high[LF_TIMESTAMP_SIZE], step[48];
    double span = s->high - s->low;
    write_value(axis, s->low, span, low);
    write_value(axis, s->high, span, high);
    write_span(axis, s->step, step);
    add(n, "%s (%s%s",
        axis->name                                   ? axis->name
        : axis->dated || lf_unit_seconds(axis->unit) ? "time"
                                                     : "x",
        axis->unit ? axis->unit : "", axis->unit ? ", " : "");
    if (s->count == 1) {
        add(n, "only %s)", low);
    } else {
        add(n, "%s to %s, step %s%s)", low, high, s->even ? "" : "about ", step);
    }
}

static void describe_inputs(const lf_data *data, note *n)
{
    size_t p = (size_t)data->input_dim;
    add(n, "inputs ");
    for (size_t k = 0; k < p; k++) {
        double low = INFINITY, high = -INFINITY;
        const lf_axis *axis = &data->axes[k];
        for (size_t i = 0; i < data->n; i++) {
            low = fmin(low, data->x[i * p + k]);
            high = fmax(high, data->x[i * p + k]);
        }
        if (k >= MOST_NAMES) {
            add(n, ", …");
            break;
        }
        if (axis->name) {
            add(n, "%s%s", k ? ", " : "", axis->name);
        } else {
            add(n, "%sx%zu", k ? ", " : "", k + 1);
        }
        add(n, " (%s%s%.5g to %.5g)", axis->unit ? axis->unit : "", axis->unit ? ", " : "", low, high);
    }
}

/* ---- what was understood ---- */

static void describe_outputs(const lf_data *data, note *n)
{
    int count = data->outputs.count;
    add(n, ", output%s ", count == 1 ? "" : "s");
    for (int d = 0; d < count && d < MOST_NAMES; d++) {
        const char *unit = lf_data_output_unit(data, d);
        add(n, "%s%.60s", d ? ", " : "", data->outputs.name[d]);
        if (*unit) {
            add(n, " [%.20s]", unit);
        }
    }
    if (count > MOST_NAMES) {
        add(n, ", … (%d in all)", count);
    }
}

static void describe(const lf_table_reader *t, const char *name, const sorted_inputs *inputs, char separator,
                     char decimal)
{
    const lf_data *data = t->data;
    note n = {""};
    size_t test = 0;
    for (size_t i = 0; i < data->n; i++) {
        test += data->split[i] == LF_SPLIT_TEST;
    }
    add(&n, "%.300s: read %zu row%s: ", name, t->row_count, t->row_count == 1 ? "" : "s");
    if (data->input_dim == 1) {
        describe_input(t, inputs, &n);
    } else {
        describe_inputs(data, &n);
    }
    if (data->outputs.count > 0) {
        describe_outputs(data, &n);
    }
    if (data->replicates.count > 0) {
        add(&n, ", %d replicate%s", data->replicates.count, data->replicates.count == 1 ? "" : "s");
    }
    if (test > 0) {
        add(&n, "; %zu value%s marked test", test, test == 1 ? "" : "s");
    }
    if (t->missing_count > 0) {
        add(&n, "; %zu missing", t->missing_count);
    }
    if (separator != ',') {
        add(&n, "; separated by %s",
            separator == '\t'  ? "tabs"
            : separator == ' ' ? "spaces"
            : separator == ';' ? "semicolons"
                               : (char[]){separator, '\0'});
    }
    if (decimal == ',') {
        add(&n, "; decimal commas");
    }
    lf_note(t->ctx, "%s", n.text);
}

/* ---- warnings ---- */

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
        if (e->n > 1 && e->low == e->high && constant++ < MOST_WARNINGS) {
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

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static uint64_t bits(double value)
{
    uint64_t u;
    memcpy(&u, &value, sizeof u);
    return u;
}

/* Rows that are equal in everything, by 64-bit keys. */
static lf_status warn_of_duplicates(const lf_table_reader *t, const char *name)
{
    const lf_data *data = t->data;
    size_t n = data->n < MOST_SORTED ? data->n : MOST_SORTED, equal = 0, p = (size_t)data->input_dim;
    uint64_t *key = calloc(n + 1, sizeof *key);
    if (!key) {
        return lf_no_memory(t->ctx);
    }
    for (size_t i = 0; i < n; i++) {
        key[i] = mix(mix(1, (uint64_t)data->output[i]), (uint64_t)(data->replicate[i] + 1));
        for (size_t k = 0; k < p; k++) {
            key[i] = mix(key[i], bits(data->x[i * p + k]));
        }
        key[i] = isnan(data->y[i]) ? key[i] : mix(key[i], bits(data->y[i]));
    }
    qsort(key, n, sizeof *key, compare_keys);
    for (size_t i = 1; i < n; i++) {
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

/* Times that go back within a series. */
static lf_status warn_of_order(const lf_table_reader *t, const char *name)
{
    const lf_data *data = t->data;
    size_t outputs = (size_t)data->outputs.count + 1, series = outputs * ((size_t)data->replicates.count + 1), back = 0;
    double *last = lf_doubles(series, 1), first = 0;
    if (!last) {
        return lf_no_memory(t->ctx);
    }
    for (size_t s = 0; s < series; s++) {
        last[s] = -INFINITY;
    }
    for (size_t i = 0; i < data->n; i++) {
        double *before = &last[(size_t)(data->replicate[i] + 1) * outputs + (size_t)(data->output[i] + 1)];
        if (data->x[i] < *before) {
            first = back++ ? first : data->x[i];
        }
        *before = data->x[i];
    }
    free(last);
    if (back > 0) {
        char text[LF_TIMESTAMP_SIZE];
        lf_axis_format(&data->axes[0], first, text);
        lf_note(t->ctx, "%s: rows are not in the order of time (first at %s); they are used all the same", name, text);
    }
    return LF_OK;
}

/* Differences of more than ten steps. */
static void warn_of_gaps(const lf_table_reader *t, const char *name, const sorted_inputs *s)
{
    size_t count = 0, widest = 0;
    for (size_t i = 0; i + 1 < s->count; i++) {
        if (s->x[i + 1] - s->x[i] > 10 * s->step) {
            count++;
            widest = s->x[i + 1] - s->x[i] > s->x[widest + 1] - s->x[widest] ? i : widest;
        }
    }
    if (count > 0 && s->even && s->count > 10) {
        char from[LF_TIMESTAMP_SIZE], to[LF_TIMESTAMP_SIZE], span[48];
        lf_axis_format(&t->data->axes[0], s->x[widest], from);
        lf_axis_format(&t->data->axes[0], s->x[widest + 1], to);
        write_span(&t->data->axes[0], s->x[widest + 1] - s->x[widest], span);
        lf_note(t->ctx, "%s: %zu gap%s without any row; the widest is %s, from %s to %s", name, count,
                count == 1 ? "" : "s", span, from, to);
    }
}

lf_status lf_describe_table(const lf_table_reader *t, const char *name)
{
    const lf_data *data = t->data;
    sorted_inputs inputs = {0};
    if (!t->ctx->log) {
        return LF_OK;
    }
    lf_status status = data->input_dim == 1 ? sort_inputs(t, &inputs) : LF_OK;
    extremes *e = calloc((size_t)data->outputs.count + 1, sizeof *e);
    status = status || e ? status : lf_no_memory(t->ctx);
    if (!status) {
        describe(t, name, &inputs, t->separator, t->decimal);
        for (size_t i = 0; i < data->n; i++) {
            if (data->output[i] >= 0 && !isnan(data->y[i])) {
                widen(&e[data->output[i]], data->y[i]);
            }
        }
        warn_of_values(t, name, e);
        status = t->column_options.inputs_only ? LF_OK : warn_of_duplicates(t, name);
    }
    if (!status && data->input_dim == 1 && !t->column_options.inputs_only) {
        status = warn_of_order(t, name);
        warn_of_gaps(t, name, &inputs);
    }
    free(inputs.x);
    free(e);
    return status;
}
