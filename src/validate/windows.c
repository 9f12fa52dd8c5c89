/* Gaps in the series of single outputs, and windows like them. */
#include "validate/windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/random.h"
#include "plan/content_order.h"
#include "plan/plan.h"

enum { TRIES = 200 }; /* of drawing a window */

/* The rows of one output and replicate. */
typedef struct series {
    int output, replicate;
    size_t n;
    double *t;                                /* (n) sorted; part of a common array */
    double step;                              /* median distance */
    double key;                               /* lf_series_keys */
    const char *output_name, *replicate_name; /* "": the data have no replicates */
} series;

typedef struct series_set {
    size_t count;
    series *each; /* (count) */
    double *t;
    double first, last; /* of all rows */
} series_set;

static void clear_series(series_set *set)
{
    free(set->each);
    free(set->t);
}

static lf_status find_step(lf_context *ctx, series *s)
{
    double *distance = lf_doubles(s->n, 1);
    if (!distance) {
        return lf_no_memory(ctx);
    }
    qsort(s->t, s->n, sizeof *s->t, lf_order_doubles);
    for (size_t i = 0; i + 1 < s->n; i++) {
        distance[i] = s->t[i + 1] - s->t[i];
    }
    size_t count = s->n > 1 ? s->n - 1 : 0;
    qsort(distance, count, sizeof *distance, lf_order_doubles);
    s->step = count ? distance[count / 2] : 0;
    free(distance);
    return LF_OK;
}

/* By what they hold, so that a draw among them does not depend on how the table is arranged. */
static int compare_series(const void *left, const void *right)
{
    const series *a = left, *b = right;
    if (a->key != b->key) {
        return a->key > b->key ? -1 : 1;
    }
    if (a->n != b->n) {
        return a->n < b->n ? -1 : 1;
    }
    int outputs = strcmp(a->output_name, b->output_name);
    return outputs ? outputs : strcmp(a->replicate_name, b->replicate_name);
}

/* The rows of each output and replicate, with one input. */
static lf_status gather(lf_context *ctx, const lf_data *data, series_set *set)
{
    size_t outputs = (size_t)data->outputs.count,
           replicates = data->replicates.count ? (size_t)data->replicates.count : 1, kinds = outputs * replicates,
           used = 0;
    *set = (series_set){.each = calloc(kinds + 1, sizeof *set->each),
                        .t = lf_doubles(data->n, 1),
                        .first = (double)INFINITY,
                        .last = -(double)INFINITY};
    double *key = lf_doubles(kinds, 1);
    lf_status status = set->each && set->t && key ? lf_series_keys(ctx, data, key) : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < data->n; i++) {
        size_t r = data->replicate[i] < 0 ? 0 : (size_t)data->replicate[i];
        set->each[(size_t)data->output[i] * replicates + r].n++;
        set->first = fmin(set->first, data->x[i]);
        set->last = fmax(set->last, data->x[i]);
    }
    for (size_t k = 0; !status && k < kinds; k++) {
        series *s = &set->each[k];
        s->output = (int)(k / replicates);
        s->replicate = (int)(k % replicates);
        s->output_name = data->outputs.name[s->output];
        s->replicate_name = data->replicates.count ? data->replicates.name[s->replicate] : "";
        s->t = set->t + used;
        used += s->n;
        s->n = 0;
    }
    for (size_t i = 0; !status && i < data->n; i++) {
        size_t r = data->replicate[i] < 0 ? 0 : (size_t)data->replicate[i];
        series *s = &set->each[(size_t)data->output[i] * replicates + r];
        s->t[s->n++] = data->x[i];
    }
    set->count = status ? 0 : kinds;
    for (size_t k = 0; !status && k < kinds; k++) {
        set->each[k].key = key[k];
        status = find_step(ctx, &set->each[k]);
    }
    free(key);
    if (!status) {
        qsort(set->each, kinds, sizeof *set->each, compare_series);
    }
    return status;
}

/* Appends the gaps of a series to the list; those that are too short are left out. */
static size_t list_gaps(const series_set *set, const series *s, size_t count, double *gaps)
{
    double least = fmax(lf_threshold.gap_steps * s->step, lf_threshold.least_gap * (set->last - set->first));
    for (size_t i = 0; s->n && i <= s->n; i++) {
        double from = i ? s->t[i - 1] : set->first, to = i < s->n ? s->t[i] : set->last;
        if (to - from > least) {
            gaps[count++] = to - from;
        }
    }
    return count;
}

lf_status lf_gap_length(lf_context *ctx, const lf_data *data, double *length)
{
    series_set set;
    size_t count = 0;
    *length = 0;
    lf_status status = gather(ctx, data, &set);
    double *gaps = status ? NULL : lf_doubles(data->n + set.count, 1);
    status = status || gaps ? status : lf_no_memory(ctx);
    for (size_t k = 0; !status && k < set.count; k++) {
        count = list_gaps(&set, &set.each[k], count, gaps);
    }
    if (!status && count) {
        qsort(gaps, count, sizeof *gaps, lf_order_doubles);
        *length = fmin(gaps[count / 2], lf_threshold.most_gap * (set.last - set.first));
    }
    free(gaps);
    clear_series(&set);
    return status;
}

/* A window that holds enough rows and lies apart from the others, where it must. Returns 0 where none is found. */
static int draw_window(const series *s, double length, int apart, size_t count, const lf_window *others,
                       lf_random *random, lf_window *window)
{
    double margin = lf_threshold.gap_steps * s->step, room = s->n ? s->t[s->n - 1] - s->t[0] - length - 2 * margin : 0;
    for (int i = 0; room > 0 && i < TRIES; i++) {
        size_t held = 0, free_of_others = 1;
        window->low = s->t[0] + margin + room * lf_random_uniform(random);
        window->high = window->low + length;
        for (size_t k = 0; k < s->n; k++) {
            held += s->t[k] >= window->low && s->t[k] <= window->high;
        }
        for (size_t k = 0; apart && k < count; k++) {
            free_of_others &= window->low > others[k].high || window->high < others[k].low;
        }
        if (free_of_others && (double)held >= 0.5 * length / s->step && 2 * held <= s->n) {
            return 1;
        }
    }
    return 0;
}

lf_status lf_draw_windows(lf_context *ctx, const lf_data *data, double length, uint64_t seed, size_t *count,
                          lf_window **windows)
{
    series_set set;
    lf_random random;
    lf_random_seed(&random, seed);
    *count = 0;
    *windows = NULL;
    lf_status status = gather(ctx, data, &set);
    size_t *order = status ? NULL : calloc(set.count + 1, sizeof *order);
    *windows = status ? NULL : calloc(set.count + 1, sizeof **windows);
    status = status || (order && *windows) ? status : lf_no_memory(ctx);
    const lf_thresholds *t = &lf_threshold;
    int few = lf_few_outputs(data->outputs.count);
    double quarter = (double)((set.count + 3) / 4), most = few ? t->most_windows : t->most_of_many;
    double twentieth = few ? 0 : t->rows_of_many * (double)set.count * (set.last - set.first) / length;
    size_t wanted = (size_t)fmin(fmax(fmax(quarter, twentieth), t->least_windows), most);
    for (size_t k = 0; !status && k < set.count; k++) { /* a random order */
        size_t j = (size_t)(lf_random_uniform(&random) * (double)(k + 1));
        order[k] = order[j];
        order[j] = k;
    }
    for (size_t k = 0; !status && k < set.count && *count < wanted; k++) {
        const series *s = &set.each[order[k]];
        lf_window window = {.output = s->output_name, .replicate = data->replicates.count ? s->replicate_name : NULL};
        if ((double)s->n >= t->series_rows &&
            draw_window(s, length, lf_few_outputs((int)set.count), *count, *windows, &random, &window)) {
            (*windows)[(*count)++] = window;
        }
    }
    free(order);
    clear_series(&set);
    if (status) {
        free(*windows);
        *windows = NULL;
    }
    return status;
}

int lf_inside_windows(const void *cut, const lf_data *data, size_t row)
{
    const lf_cut *c = cut;
    int found = 0;
    for (size_t k = 0; data->output[row] >= 0 && k < c->count; k++) {
        const lf_window *w = &c->windows[k];
        found |= data->x[row] >= w->low && data->x[row] <= w->high &&
                 strcmp(data->outputs.name[data->output[row]], w->output) == 0 &&
                 (!w->replicate || data->replicate[row] < 0 ||
                  strcmp(data->replicates.name[data->replicate[row]], w->replicate) == 0);
    }
    return found;
}

int lf_outside_windows(const void *cut, const lf_data *data, size_t row) { return !lf_inside_windows(cut, data, row); }
