/* The values of known inputs at the steps of a time axis. Readings are at steps, so that an input is linear between two steps. */
#include "dynamics/known_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/utf8.h"

static lf_status fail_short(lf_context *ctx, const lf_model *model, const char *name, const lf_known_series *series,
                            const char *event, double found, const char *relation, double needed)
{
    enum { FEW = 4 }; /* readings that may be doses */
    char have[64], want[64], hint[160] = "";
    lf_label axis = lf_model_input(model, 0);
    const char *unit = axis.dated ? "" : *axis.file_unit ? axis.file_unit : axis.unit, *space = *unit ? " " : "";
    lf_model_format_input(model, 0, found, sizeof have, have);
    lf_model_format_input(model, 0, needed, sizeof want, want);
    if (series->n <= FEW) {
        snprintf(hint, sizeof hint,
                 model->system ? ". If its readings are doses: input %.*s impulse"
                               : ". If its readings are doses: --input %.*s=impulse",
                 LF_CUT(60, name));
    }
    return lf_fail(ctx, LF_ERROR_DATA,
                   "the input '%s' %s at %s%s%s, and is needed %s %s%s%s; give its %s readings too, in a column of the "
                   "file of --at or as rows of the data, or leave out the times that need them%s",
                   name, event, have, space, unit, relation, want, space, unit, found < needed ? "later" : "earlier",
                   hint);
}

/* Impulses before the start would have no effect. */
static lf_status check_impulses(lf_context *ctx, const lf_model *model, const lf_known_input *known,
                                const lf_known_series *series, double first)
{
    for (size_t k = 0; k < series->n && series->t[k] < first && model->initial != LF_INITIAL_STATIONARY; k++) {
        if (series->v[k] != 0) {
            char at[64], start[64];
            lf_model_format_input(model, 0, series->t[k], sizeof at, at);
            lf_model_format_input(model, 0, model->origin, sizeof start, start);
            return lf_fail(
                ctx, LF_ERROR_DATA,
                "the input '%s' has an impulse at %s, before the model starts at %s, where it has no effect; "
                "leave it out, or fit with --origin %s",
                known->name, at, start, at);
        }
    }
    return LF_OK;
}

/* Whether readings of an input cover the times from `first` to `last`. Where outputs are averaged, an input may begin up to the widest
 * interval later, because first readings are usually taken together at the end of the first interval; it is constant before. */
static lf_status check_cover(lf_context *ctx, const lf_model *model, int input, const lf_known_set *set, double first,
                             double last, double widest)
{
    const lf_known_series *series = &set->series[input];
    const lf_known_input *known = &model->known[input];
    double slack = 1e-9 * fmax(fabs(first), fabs(last)); /* of times that were converted between units */
    if (known->hold == LF_HOLD_IMPULSE) {
        return check_impulses(ctx, model, known, series, first - slack);
    }
    if (series->n == 0) {
        return lf_fail(ctx, LF_ERROR_DATA,
                       "there are no readings of the input '%s'; the data need a column (or rows) of this name",
                       known->name);
    }
    if (!set->begun && model->initial != LF_INITIAL_STATIONARY && series->t[0] > first + widest + slack) {
        return fail_short(ctx, model, known->name, series, "begins", series->t[0], "from the start at", first);
    }
    return series->t[series->n - 1] < last - slack
               ? fail_short(ctx, model, known->name, series, "ends", series->t[series->n - 1], "until", last)
               : LF_OK;
}

lf_status lf_known_timeline(lf_context *ctx, const lf_model *model, const lf_known_set *known,
                            const lf_point_set *points, lf_timeline *timeline)
{
    double first = model->origin, last = -INFINITY, widest = 0, *times = NULL;
    size_t count = 0, room = 0;
    lf_status status = known->count == model->known_count
                           ? LF_OK
                           : lf_fail(ctx, LF_ERROR_DATA, "there are no readings of the known inputs of the model");
    for (size_t i = 0; i < points->n; i++) {
        last = fmax(last, points->x[i]);
        widest = points->width ? fmax(widest, points->width[i] * (1 + 1e-6)) : 0;
    }
    for (int i = 0; !status && i < known->count; i++) {
        room += known->series[i].n;
        status = check_cover(ctx, model, i, known, first, last, widest);
    }
    if (!status) {
        times = lf_doubles(room, 1);
        status = times ? LF_OK : lf_no_memory(ctx);
    }
    for (int i = 0; !status && i < known->count; i++) {
        for (size_t k = 0; k < known->series[i].n; k++) {
            double t = known->series[i].t[k];
            if (t <= last && (t >= first || model->initial == LF_INITIAL_STATIONARY)) {
                times[count++] = t;
            }
        }
    }
    LF_TRY(status, lf_timeline_create_at(ctx, model, NAN, NULL, points, count, times, timeline));
    free(times);
    return status;
}

void lf_known_values(const lf_timeline *timeline, lf_hold hold, const lf_known_series *series, size_t stride, double *v,
                     double *slope, double *impulse)
{
    size_t next = 0; /* the first reading after the step */
    double close = timeline->step_count ? 1e-12 * fabs(timeline->time[timeline->step_count - 1]) : 0;
    for (size_t k = 0; k < timeline->step_count; k++, v += stride, slope += stride, impulse += stride) {
        double t = timeline->time[k];
        size_t last = k; /* of the steps at this time; impulses follow all readings */
        while (last + 1 < timeline->step_count && timeline->time[last + 1] == t) {
            last++;
        }
        for (; next < series->n && series->t[next] <= t + close; next++) {
            int counts = hold == LF_HOLD_IMPULSE && series->t[next] >= t - close; /* not before the start */
            impulse[(last - k) * stride] += counts ? series->v[next] : 0;
        }
        if (hold == LF_HOLD_IMPULSE || series->n == 0) {
            continue;
        }
        size_t before = next ? next - 1 : 0;
        *v = series->v[before];
        if (hold == LF_HOLD_LINEAR && next > 0 && next < series->n) {
            *slope = (series->v[next] - series->v[before]) / (series->t[next] - series->t[before]);
            *v += *slope * (t - series->t[before]);
        }
    }
}
