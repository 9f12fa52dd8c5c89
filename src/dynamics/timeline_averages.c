/* Gives intervals their integrators, and a time axis its resets. */
#include "dynamics/timeline_averages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

enum { RECENT = 32 }; /* averages among which an equal one is looked for */

/* Of the width: a beginning that is this close to an event is there. Times in files are rounded. */
static const double close_share = 1e-6;

static int compare_intervals(const void *left, const void *right)
{
    const lf_interval *a = left, *b = right;
    return a->output != b->output ? (a->output < b->output ? -1 : 1)
           : a->start != b->start ? (a->start < b->start ? -1 : 1)
           : a->end != b->end     ? (a->end < b->end ? -1 : 1)
           : a->kind != b->kind   ? (a->kind < b->kind ? -1 : 1)
                                  : (a->index > b->index) - (a->index < b->index);
}

/* The time of the event that is nearest to t, of events sorted by time. */
static double nearest_time(size_t count, const lf_event *events, double t)
{
    size_t low = 0, high = count - 1;
    while (low < high) { /* the first event that is not before t */
        size_t middle = (low + high) / 2;
        if (events[middle].time < t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && t - events[low - 1].time < fabs(events[low].time - t) ? events[low - 1].time : events[low].time;
}

lf_status lf_intervals_create(lf_context *ctx, size_t count, const lf_event *events, double bit,
                              lf_intervals *intervals)
{
    *intervals = (lf_intervals){.interval = calloc(count + 1, sizeof *intervals->interval)};
    if (!intervals->interval) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < count; i++) {
        const lf_event *e = &events[i];
        if (!(e->width > 0)) {
            continue;
        }
        double start = e->time - e->width, near = nearest_time(count, events, start);
        start = bit > 0 ? nearbyint(start / bit) * bit : start;
        start = fabs(near - start) <= close_share * e->width ? near : start;
        intervals->interval[intervals->count++] = (lf_interval){
            .start = start, .end = e->time, .width = e->width, .output = e->target, .kind = e->kind, .index = e->index};
    }
    qsort(intervals->interval, intervals->count, sizeof *intervals->interval, compare_intervals);
    for (size_t i = 1; i < intervals->count; i++) { /* beginnings that are no events can differ by rounding too */
        lf_interval *a = &intervals->interval[i - 1], *b = &intervals->interval[i];
        if (a->output == b->output && b->start - a->start <= 1e-12 * b->width) {
            b->start = a->start;
        }
    }
    return lf_intervals_colour(intervals) ? LF_OK : lf_no_memory(ctx);
}

void lf_intervals_clear(lf_intervals *intervals)
{
    free(intervals->interval);
    *intervals = (lf_intervals){0};
}

int lf_intervals_colour(lf_intervals *intervals)
{
    lf_interval *v = intervals->interval;
    double *end = lf_doubles(intervals->count, 1); /* when each integrator of the output is free again */
    int count = 0;
    for (size_t i = 0; end && i < intervals->count; i++) {
        int same = i > 0 && v[i - 1].output == v[i].output;
        count = same ? count : 0;
        if (same && v[i - 1].start == v[i].start) {
            v[i].slot = v[i - 1].slot;
            end[v[i].slot] = fmax(end[v[i].slot], v[i].end);
            continue;
        }
        int slot = 0;
        while (slot < count && end[slot] > v[i].start) {
            slot++;
        }
        count = slot == count ? count + 1 : count;
        end[slot] = v[i].end;
        v[i].slot = slot;
    }
    int done = end != NULL;
    free(end);
    return done;
}

lf_status lf_intervals_check(lf_context *ctx, const lf_model *model, double start, const lf_intervals *intervals)
{
    for (size_t i = 0; i < intervals->count; i++) {
        const lf_interval *v = &intervals->interval[i];
        if (v->start < start) {
            char at[LF_TIMESTAMP_SIZE], from[LF_TIMESTAMP_SIZE], origin[LF_TIMESTAMP_SIZE];
            double digits = pow(10, 9 - ceil(log10(v->width))); /* those of a power of 2 are not shown */
            lf_model_format_input(model, 0, nearbyint(v->end * digits) / digits, sizeof at, at);
            lf_model_format_input(model, 0, nearbyint(v->start * digits) / digits, sizeof from, from);
            lf_model_format_input(model, 0, start, sizeof origin, origin);
            return lf_fail(ctx, LF_ERROR_DATA,
                           "output '%s': the average at %s begins at %s, before the start at %s; leave it out, or set "
                           "the origin of the model to the beginning of its first interval",
                           model->outputs[v->output].name, at, from, origin);
        }
    }
    return LF_OK;
}

/* The last step at a time that is one. */
static size_t find_step(const lf_timeline *t, double time)
{
    size_t low = 0, high = t->step_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (t->time[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The number of an average, new or among the last ones. */
static int find_average(lf_timeline *t, const lf_interval *v)
{
    size_t oldest = t->average_count > RECENT ? t->average_count - RECENT : 0;
    for (size_t a = t->average_count; a-- > oldest;) {
        const lf_average *known = &t->averages[a];
        if (known->output == v->output && known->slot == v->slot && fabs(known->width - v->width) <= 1e-12 * v->width) {
            return (int)a;
        }
    }
    t->averages[t->average_count] = (lf_average){v->output, v->slot, v->width};
    return (int)t->average_count++;
}

/* Whether an interval is the first of those that begin with it. */
static int begins(const lf_intervals *intervals, size_t i)
{
    const lf_interval *v = &intervals->interval[i];
    return i == 0 || v[-1].output != v->output || v[-1].start != v->start;
}

static void place_resets(const lf_intervals *intervals, lf_timeline *t)
{
    size_t total = 0;
    for (size_t i = 0; i < intervals->count; i++) { /* first_reset[k + 1]: their number at step k */
        t->first_reset[find_step(t, intervals->interval[i].start) + 1] += (size_t)begins(intervals, i);
    }
    for (size_t k = 0; k < t->step_count; k++) { /* first_reset[k + 1]: where those of step k begin */
        size_t count = t->first_reset[k + 1];
        t->first_reset[k + 1] = total;
        total += count;
    }
    for (size_t i = 0; i < intervals->count; i++) { /* and then where they end */
        const lf_interval *v = &intervals->interval[i];
        if (begins(intervals, i)) {
            t->resets[t->first_reset[find_step(t, v->start) + 1]++] = (lf_average){v->output, v->slot, 0};
        }
    }
}

lf_status lf_intervals_place(lf_context *ctx, const lf_model *model, size_t rows, size_t queries,
                             const lf_intervals *intervals, lf_timeline *t)
{
    int D = model->output_count;
    int *of_row = calloc(rows + 1, sizeof *of_row); /* 1 + the average of a row; 0: none */
    size_t *from = calloc(queries + 1, sizeof *from);
    int *of_query = calloc(queries + 1, sizeof *of_query);
    t->averages = calloc(intervals->count + 1, sizeof *t->averages);
    t->measured = calloc(rows + 1, sizeof *t->measured);
    t->asked = calloc(queries + 1, sizeof *t->asked);
    t->asked_from = calloc(queries + 1, sizeof *t->asked_from);
    t->slots = calloc((size_t)D + 1, sizeof *t->slots);
    t->first_reset = calloc(t->step_count + 2, sizeof *t->first_reset);
    t->resets = calloc(intervals->count + 1, sizeof *t->resets);
    int done = of_row && from && of_query && t->averages && t->measured && t->asked && t->asked_from && t->slots &&
               t->first_reset && t->resets;
    for (size_t i = 0; done && i < intervals->count; i++) {
        const lf_interval *v = &intervals->interval[i];
        int average = 1 + find_average(t, v);
        t->slots[v->output] = v->slot + 1 > t->slots[v->output] ? v->slot + 1 : t->slots[v->output];
        if (v->kind == LF_EVENT_QUERY) {
            of_query[v->index] = average;
            from[v->index] = find_step(t, v->start);
        } else {
            of_row[v->index] = average;
        }
    }
    for (size_t i = 0; done && i < t->first_row[t->step_count]; i++) {
        int average = of_row[t->row[i]];
        t->measured[i] = average ? D + average - 1 : t->output[i];
    }
    for (size_t i = 0; done && i < t->first_query[t->step_count]; i++) {
        t->asked[i] = of_query[t->query[i]] - 1;
        t->asked_from[i] = from[t->query[i]];
    }
    if (done) {
        place_resets(intervals, t);
    }
    free(of_row);
    free(from);
    free(of_query);
    return done ? LF_OK : lf_no_memory(ctx);
}
