/* Series of readings that grow by doubling their room, so that a long file is read in linear time. */
#include "points/known_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

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

lf_status lf_known_series_sort(lf_context *ctx, const char *name, lf_known_series *series)
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
        if (name && i && readings[i].t == readings[i - 1].t && readings[i].v != readings[i - 1].v) {
            status = lf_fail(ctx, LF_ERROR_DATA,
                             "input '%s' has two readings at %.10g, %.10g and %.10g; keep one, or their average; "
                             "replicates need a column 'replicate'",
                             name, readings[i].t, readings[i - 1].v, readings[i].v);
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
        status = status ? status : lf_known_series_sort(ctx, NULL, &to->series[i]);
    }
    return status;
}

lf_status lf_known_set_read(lf_context *ctx, const lf_model *model, const lf_data *data, int replicate,
                            lf_known_set *set)
{
    lf_known_set read = {0};
    lf_status status = lf_known_set_create(ctx, set->count, &read);
    for (size_t i = 0; !status && i < lf_data_count(data); i++) {
        lf_row row = lf_data_row(data, i);
        int input = row.output < 0 ? -1 : lf_model_find_known(model, lf_data_output_name(data, row.output));
        if (input >= 0 && row.replicate == replicate && isfinite(row.y)) {
            status = lf_known_series_add(ctx, &read.series[input], row.x[0], row.y);
        }
    }
    for (int i = 0; !status && i < read.count; i++) {
        status = lf_known_series_sort(ctx, model->known[i].name, &read.series[i]);
    }
    status = status ? status : lf_known_set_merge(ctx, &read, set);
    lf_known_set_clear(&read);
    return status;
}
