/* Series of readings that grow by doubling their room, so that a long file is read in linear time. */
#include "points/known_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"

lf_status lf_known_set_create(lf_context *ctx, int count, lf_known_set *set)
{
    set->series = calloc((size_t)count + 1, sizeof *set->series);
    set->count = set->series ? count : 0;
    return set->series ? LF_OK : lf_no_memory(ctx);
}

static void clear_one(lf_known_series *series)
{
    free(series->t);
    free(series->v);
    *series = (lf_known_series){0};
}

void lf_known_set_clear(lf_known_set *set)
{
    for (int i = 0; i < set->count; i++) {
        clear_one(&set->series[i]);
    }
    free(set->series);
    *set = (lf_known_set){0};
}

lf_status lf_known_series_add(lf_context *ctx, lf_known_series *series, double t, double v)
{
    if (series->n == series->room) {
        size_t room = series->n ? 2 * series->n : 16;
        lf_known_series larger = {.n = series->n, .room = room, .t = lf_doubles(room, 1), .v = lf_doubles(room, 1)};
        if (!larger.t || !larger.v) {
            clear_one(&larger);
            return lf_no_memory(ctx);
        }
        if (series->n) {
            memcpy(larger.t, series->t, series->n * sizeof *larger.t);
            memcpy(larger.v, series->v, series->n * sizeof *larger.v);
        }
        clear_one(series);
        *series = larger;
    }
    series->t[series->n] = t;
    series->v[series->n++] = v;
    return LF_OK;
}

typedef struct reading {
    double t, v;
    size_t order;
} reading;

static int compare(const void *left, const void *right)
{
    const reading *a = left, *b = right;
    return a->t < b->t ? -1 : a->t > b->t ? 1 : a->order < b->order ? -1 : a->order > b->order;
}

static lf_status fail_two(lf_context *ctx, const lf_model *model, int input, const reading *one, const reading *other)
{
    char at[LF_TIMESTAMP_SIZE];
    const lf_known_input *known = &model->known[input];
    lf_model_format_input(model, 0, one->t, sizeof at, at);
    return lf_fail(
        ctx, LF_ERROR_DATA,
        "input '%s' has two readings at %s, %.10g and %.10g; keep one, or their %s; replicates need a column "
        "'replicate'",
        known->name, at, one->v, other->v, known->hold == LF_HOLD_IMPULSE ? "sum" : "average");
}

lf_status lf_known_series_sort(lf_context *ctx, const lf_model *model, int input, lf_known_series *series)
{
    reading *readings = calloc(series->n + 1, sizeof *readings);
    size_t count = 0;
    lf_status status = readings ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < series->n; i++) {
        readings[i] = (reading){series->t[i], series->v[i], i};
    }
    if (!status) {
        qsort(readings, series->n, sizeof *readings, compare);
    }
    for (size_t i = 0; !status && i < series->n; i++) {
        if (model && i && readings[i].t == readings[i - 1].t && readings[i].v != readings[i - 1].v) {
            status = fail_two(ctx, model, input, &readings[i - 1], &readings[i]);
        }
        count += count == 0 || readings[i].t != series->t[count - 1];
        series->t[count - 1] = readings[i].t;
        series->v[count - 1] = readings[i].v;
    }
    series->n = status ? series->n : count;
    free(readings);
    return status;
}

lf_status lf_known_set_merge(lf_context *ctx, const lf_known_set *from, lf_known_set *to)
{
    lf_status status = LF_OK;
    for (int i = 0; !status && i < from->count; i++) {
        const lf_known_series *series = &from->series[i];
        for (size_t k = 0; !status && k < series->n; k++) {
            status = lf_known_series_add(ctx, &to->series[i], series->t[k], series->v[k]);
        }
        LF_TRY(status, lf_known_series_sort(ctx, NULL, 0, &to->series[i]));
    }
    return status;
}

lf_status lf_known_set_read(lf_context *ctx, const lf_model *model, const lf_data *data, int replicate,
                            lf_known_set *set)
{
    lf_known_set read = {0};
    lf_status status = lf_known_set_create(ctx, set->count, &read);
    for (size_t i = 0; !status && i < lf_data_count(data, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(data, i);
        int input =
            row.output < 0 ? -1 : lf_model_find_known(model, lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output));
        if (input >= 0 && row.replicate == replicate && isfinite(row.y)) {
            status = lf_known_series_add(ctx, &read.series[input], row.x[0], row.y);
        }
    }
    for (int i = 0; !status && i < read.count; i++) {
        status = lf_known_series_sort(ctx, model, i, &read.series[i]);
    }
    LF_TRY(status, lf_known_set_merge(ctx, &read, set));
    lf_known_set_clear(&read);
    return status;
}

/* The value of an input at a time; outside its readings the nearest one, 0 for impulses. */
static double value_at(lf_hold hold, const lf_known_series *series, double t)
{
    size_t low = 0, high = series->n; /* the first reading after t */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (series->t[middle] <= t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (hold == LF_HOLD_IMPULSE) {
        return low > 0 && series->t[low - 1] == t ? series->v[low - 1] : 0;
    }
    if (series->n == 0 || low == 0 || low == series->n || hold == LF_HOLD_CONSTANT) {
        return series->n == 0 ? 0 : series->v[low ? low - 1 : 0];
    }
    double share = (t - series->t[low - 1]) / (series->t[low] - series->t[low - 1]);
    return (1 - share) * series->v[low - 1] + share * series->v[low];
}

double lf_known_set_difference(const lf_model *model, const lf_known_set *older, const lf_known_set *set, double end,
                               int *input)
{
    double first = NAN;
    for (int i = 0; i < set->count; i++) {
        const lf_known_series *series = &set->series[i];
        for (size_t k = 0; k < series->n && series->t[k] <= end && !(series->t[k] >= first); k++) {
            double before = value_at(model->known[i].hold, &older->series[i], series->t[k]);
            if (fabs(series->v[k] - before) > 1e-6 * fmax(fabs(series->v[k]), fabs(before))) {
                first = series->t[k];
                *input = i;
            }
        }
    }
    return first;
}
