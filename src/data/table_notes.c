/* One line of what was understood of a table. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/plural.h"
#include "base/utf8.h"
#include "data/column_finder.h"
#include "data/shared_table.h"
#include "data/table_notes.h"

enum { MOST_NAMES = 8 };

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
    lf_print_list(n->text + used, sizeof n->text - used, format, arguments);
    va_end(arguments);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* ---- the inputs ---- */

/* The distinct values among x (n). */
static void sort_distinct(size_t n, const double *x, lf_sorted_inputs *s)
{
    memcpy(s->x, x, n * sizeof *x);
    qsort(s->x, n, sizeof *s->x, compare_doubles);
    for (size_t i = 0; i < n; i++) {
        if (s->count == 0 || s->x[i] > s->x[s->count - 1]) {
            s->x[s->count++] = s->x[i];
        }
    }
}

/* Of a table with one input, which has this range. After a failure x must still be freed. */
static lf_status sort_inputs(const lf_table_reader *t, const lf_range *range, lf_sorted_inputs *s)
{
    const lf_data *data = t->data;
    size_t n = lf_shared_head(t, LF_MOST_SORTED), bytes = 0;
    double *first = NULL; /* (n) of the first rows of all processes */
    *s = (lf_sorted_inputs){.low = range->low, .high = range->high};
    lf_status status =
        lf_shared_collect(t, LF_OK, n * sizeof *first, data->x, NULL, &bytes, (void **)&first); /* there is one input */
    n = bytes / sizeof *first;
    double *gaps = status ? NULL : lf_doubles(n, 1);
    s->x = status ? NULL : lf_doubles(n, 1);
    status = status || (gaps && s->x) ? status : lf_no_memory(t->ctx);
    if (!status) {
        sort_distinct(n, first, s);
    }
    size_t gap_count = s->count > 0 ? s->count - 1 : 0, equal = 0;
    for (size_t i = 0; i < gap_count; i++) {
        gaps[i] = s->x[i + 1] - s->x[i];
    }
    if (gap_count > 0) {
        qsort(gaps, gap_count, sizeof *gaps, compare_doubles);
        s->step = gaps[gap_count / 2];
    }
    double rounding = 1e-6 * s->step + 1e-12 * fmax(fabs(s->low), fabs(s->high));
    for (size_t i = 0; i < gap_count; i++) {
        equal += fabs(gaps[i] - s->step) <= rounding;
    }
    s->even = equal * 4 >= gap_count * 3;
    free(gaps);
    free(first);
    return status;
}

void lf_write_span(const lf_axis *axis, double span, char text[48])
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

static void describe_input(const lf_table_reader *t, const lf_sorted_inputs *s, note *n)
{
    const lf_axis *axis = &t->data->axes[0];
    char low[LF_TIMESTAMP_SIZE], high[LF_TIMESTAMP_SIZE], step[48];
    double span = s->high - s->low;
    write_value(axis, s->low, span, low);
    write_value(axis, s->high, span, high);
    if (axis->months > 0) {
        lf_write_months(axis->months, step);
    } else {
        lf_write_span(axis, s->step, step);
    }
    add(n, "%s (%s%s",
        axis->name                                       ? axis->name
        : axis->dated || lf_unit_seconds(axis->unit) > 0 ? "time"
                                                         : "x",
        axis->unit ? axis->unit : "", axis->unit ? ", " : "");
    if (s->count == 1) {
        add(n, "only %s)", low);
    } else {
        add(n, "%s to %s, step %s%s)", low, high, s->even || axis->months > 0 ? "" : "about ", step);
    }
}

static void describe_inputs(const lf_data *data, const lf_range *range, note *n)
{
    size_t p = (size_t)data->input_dim;
    add(n, "inputs ");
    for (size_t k = 0; k < p; k++) {
        const lf_axis *axis = &data->axes[k];
        if (k >= MOST_NAMES) {
            add(n, ", …");
            break;
        }
        if (axis->name) {
            add(n, "%s%s", k ? ", " : "", axis->name);
        } else {
            add(n, "%sx%zu", k ? ", " : "", k + 1);
        }
        add(n, " (%s%s%.5g to %.5g)", axis->unit ? axis->unit : "", axis->unit ? ", " : "", range[k].low,
            range[k].high);
    }
}

/* ---- what was understood ---- */

/* The names of the outputs, or of the known inputs. */
static void describe_outputs(const lf_table_reader *t, int known, note *n)
{
    const lf_data *data = t->data;
    int count = 0, shown = 0;
    for (int d = 0; d < data->outputs.count; d++) {
        const lf_csv_column column = {.name = data->outputs.name[d]};
        count += lf_is_known_input(&t->column_options, &column) == known;
    }
    if (count == 0) {
        return;
    }
    add(n, ", %s%s ", known ? "known input" : "output", lf_plural((size_t)count));
    for (int d = 0; d < data->outputs.count && shown < MOST_NAMES; d++) {
        const lf_csv_column column = {.name = data->outputs.name[d]};
        const char *unit = lf_data_output_unit(data, d);
        if (lf_is_known_input(&t->column_options, &column) != known) {
            continue;
        }
        add(n, "%s%.*s", shown++ ? ", " : "", LF_CUT(60, data->outputs.name[d]));
        if (*unit) {
            add(n, " [%.*s]", LF_CUT(20, unit));
        }
    }
    if (count > MOST_NAMES) {
        add(n, ", … (%d in all)", count);
    }
}

static lf_status describe(const lf_table_reader *t, const char *name, const lf_range *range,
                          const lf_sorted_inputs *inputs)
{
    const lf_data *data = t->data;
    char separator = t->separator;
    note n = {""};
    double test = 0;
    for (size_t i = 0; i < data->n; i++) {
        test += data->split[i] == LF_SPLIT_TEST;
    }
    lf_status status = lf_shared_sum(t, LF_OK, 1, &test);
    add(&n, "%.*s: read %zu row%s: ", LF_CUT(300, name), t->row_count, lf_plural((size_t)t->row_count));
    if (data->input_dim == 1) {
        describe_input(t, inputs, &n);
    } else {
        describe_inputs(data, range, &n);
    }
    describe_outputs(t, 0, &n);
    describe_outputs(t, 1, &n);
    if (data->replicates.count > 0) {
        add(&n, ", %d replicate%s", data->replicates.count, lf_plural((size_t)data->replicates.count));
    }
    if (test > 0) {
        add(&n, "; %.0f value%s marked test", test, lf_plural((size_t)test));
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
    if (t->order == LF_ORDER_DAY || t->order == LF_ORDER_MONTH) {
        add(&n, "; dates with the %s first", t->order == LF_ORDER_DAY ? "day" : "month");
    }
    if (t->decimal == ',' || t->decimal == LF_COMMA_AND_GROUPS) {
        add(&n, "; decimal commas");
    }
    lf_note(t->ctx, "%s", n.text);
    return status;
}

/* range (input_dim): of each input, over all processes. */
static lf_status find_ranges(const lf_table_reader *t, lf_range *range)
{
    const lf_data *data = t->data;
    size_t p = (size_t)data->input_dim;
    double *ends = lf_doubles(p, 2); /* the least of x and of -x */
    lf_status status = ends && range ? LF_OK : lf_no_memory(t->ctx);
    for (size_t k = 0; k < 2 * p && !status; k++) {
        ends[k] = INFINITY;
    }
    for (size_t i = 0; i < data->n * p && !status; i++) {
        double *low = ends + 2 * (i % p);
        low[0] = fmin(low[0], data->x[i]);
        low[1] = fmin(low[1], -data->x[i]);
    }
    status = lf_shared_least(t, status, 2 * p, ends);
    for (size_t k = 0; k < p && !status; k++) {
        range[k] = (lf_range){ends[2 * k], -ends[2 * k + 1]};
    }
    free(ends);
    return status;
}

lf_status lf_describe_table(const lf_table_reader *t, const char *name)
{
    lf_sorted_inputs inputs = {0};
    if (t->several ? !t->findings.log_wanted : !t->ctx->log) {
        return LF_OK;
    }
    lf_range *range = calloc((size_t)t->data->input_dim, sizeof *range);
    lf_status status = find_ranges(t, range);
    status = status || t->data->input_dim > 1 ? status : sort_inputs(t, range, &inputs);
    status = lf_shared_sum(t, status, 0, NULL);
    LF_TRY(status, describe(t, name, range, &inputs));
    LF_TRY(status, lf_warn_of_table(t, name, &inputs));
    free(inputs.x);
    free(range);
    return status;
}
