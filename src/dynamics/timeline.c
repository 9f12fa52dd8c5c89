/* Merges rows and query points into steps, and numbers the distinct gaps between steps. */
#include "dynamics/timeline.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/timeline_averages.h"

static int compare_times(const void *left, const void *right)
{
    const lf_event *a = left, *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

static size_t add_points(const lf_point_set *points, int kind, lf_event *events, size_t count)
{
    for (int g = 0; points && g < points->group_count; g++) {
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            double width = points->width ? points->width[i] : 0;
            events[count++] = (lf_event){points->x[i], width, kind, points->target[g], i};
        }
    }
    return count;
}

/* Rounds to a multiple of the last bit of the largest time. Returns that bit. */
static double round_times(size_t count, lf_event *events)
{
    double largest = 0;
    int exponent;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(events[i].time));
    }
    frexp(largest, &exponent);
    double bit = ldexp(1, exponent - DBL_MANT_DIG);
    for (size_t i = 0; bit > 0 && i < count; i++) {
        events[i].time = nearbyint(events[i].time / bit) * bit;
    }
    return bit;
}

/* Whether an event belongs to the last step, which has the entries first … end - 1 of t->output. */
static int same_step(const lf_timeline *t, const lf_event *e, size_t first, size_t end)
{
    if (t->step_count == 0 || t->time[t->step_count - 1] != e->time) {
        return 0;
    }
    for (size_t i = first; e->kind == LF_EVENT_ROW && i < end; i++) {
        if (t->output[i] == e->target) {
            return 0;
        }
    }
    return 1;
}

static void make_steps(size_t count, const lf_event *events, lf_timeline *t)
{
    size_t rows = 0, queries = 0;
    for (size_t i = 0; i < count; i++) {
        const lf_event *e = &events[i];
        if (!same_step(t, e, t->step_count ? t->first_row[t->step_count - 1] : 0, rows)) {
            t->time[t->step_count] = e->time;
            t->first_row[t->step_count] = rows;
            t->first_query[t->step_count++] = queries;
        }
        if (e->kind == LF_EVENT_ROW) {
            t->row[rows] = e->index;
            t->output[rows++] = e->target;
        } else if (e->kind == LF_EVENT_QUERY) {
            t->query[queries] = e->index;
            t->target[queries++] = e->target;
        } else if (e->kind == LF_EVENT_START) {
            t->start_step = t->step_count - 1;
        }
        t->first_row[t->step_count] = rows;
        t->first_query[t->step_count] = queries;
    }
}

typedef struct gap_use {
    double length;
    size_t uses, index; /* index: the step, then the number of the distinct gap */
    size_t first;       /* the first of its steps */
} gap_use;

static int compare_gaps(const void *left, const void *right)
{
    double a = ((const gap_use *)left)->length, b = ((const gap_use *)right)->length;
    return a < b ? -1 : a > b;
}

static int compare_uses(const void *left, const void *right)
{
    const gap_use *a = left, *b = right;
    return a->uses != b->uses ? (a->uses > b->uses ? -1 : 1) : a->first < b->first ? -1 : a->first > b->first;
}

/* Numbers the distinct gaps in decreasing order of use, then in the order in which they occur, so that steps read the lengths of gaps that occur
 * once one after the other. Gaps that differ by the rounding of times, to multiples of `bit`, are one gap: their
 * mean, so that even times have a single gap. */
static lf_status make_gaps(lf_context *ctx, double bit, lf_timeline *t)
{
    gap_use *gaps = calloc(t->step_count + 1, sizeof *gaps);
    size_t *rank = calloc(t->step_count + 1, sizeof *rank);
    if (!gaps || !rank) {
        free(gaps);
        free(rank);
        return lf_no_memory(ctx);
    }
    size_t count = 0;
    for (size_t k = 0; k < t->step_count; k++) {
        double gap = k ? t->time[k] - t->time[k - 1] : 0;
        t->gap_index[k] = -1;
        t->longest_gap = fmax(t->longest_gap, gap);
        if (gap > 0 && k > t->start_step) {
            gaps[count++] = (gap_use){gap, 1, k, k};
        }
    }
    qsort(gaps, count, sizeof *gaps, compare_gaps);
    double least = 0, beyond = 0;
    for (size_t i = 0; i < count; i++) { /* gaps[0 … gap_count - 1] become the distinct ones */
        size_t index = gaps[i].index;
        double length = gaps[i].length;
        if (t->gap_count && (length == least || (length - least <= 3.5 * bit && bit < 1e-9 * least))) {
            gap_use *gap = &gaps[t->gap_count - 1];
            beyond += length - least;
            gap->uses++;
            gap->first = index < gap->first ? index : gap->first;
            gap->length = least + beyond / (double)gap->uses;
        } else {
            least = length;
            beyond = 0;
            gaps[t->gap_count++] = (gap_use){length, 1, 0, index};
        }
        t->gap_index[index] = (int)(t->gap_count - 1);
    }
    for (size_t g = 0; g < t->gap_count; g++) {
        gaps[g].index = g;
    }
    qsort(gaps, t->gap_count, sizeof *gaps, compare_uses);
    for (size_t g = 0; g < t->gap_count; g++) {
        t->gap_length[g] = gaps[g].length;
        t->gap_uses[g] = gaps[g].uses;
        rank[gaps[g].index] = g;
    }
    for (size_t k = 0; k < t->step_count; k++) {
        t->gap_index[k] = t->gap_index[k] < 0 ? -1 : (int)rank[t->gap_index[k]];
    }
    free(gaps);
    free(rank);
    return LF_OK;
}

lf_status lf_timeline_create(lf_context *ctx, const lf_model *model, double start, const lf_point_set *rows,
                             const lf_point_set *queries, lf_timeline *timeline)
{
    return lf_timeline_create_at(ctx, model, start, rows, queries, 0, NULL, timeline);
}

/* The time of the start; NaN: the first time. */
static double start_time(const lf_model *model, double start)
{
    return !isnan(start) || model->initial == LF_INITIAL_STATIONARY ? start : model->origin;
}

lf_status lf_timeline_create_at(lf_context *ctx, const lf_model *model, double start, const lf_point_set *rows,
                                const lf_point_set *queries, size_t time_count, const double *times,
                                lf_timeline *timeline)
{
    size_t row_count = rows ? rows->n : 0, query_count = queries ? queries->n : 0,
           max_events = row_count + query_count + time_count + 1;
    int averaging = (rows && rows->width) || (queries && queries->width);
    max_events *= averaging ? 2 : 1; /* the beginnings of intervals */
    *timeline = (lf_timeline){.time = lf_doubles(max_events, 1),
                              .first_row = calloc(max_events + 1, sizeof(size_t)),
                              .row = calloc(row_count + 1, sizeof(size_t)),
                              .output = calloc(row_count + 1, sizeof(int)),
                              .first_query = calloc(max_events + 1, sizeof(size_t)),
                              .query = calloc(query_count + 1, sizeof(size_t)),
                              .target = calloc(query_count + 1, sizeof(int)),
                              .gap_index = calloc(max_events, sizeof(int)),
                              .gap_length = lf_doubles(max_events, 1),
                              .gap_uses = calloc(max_events, sizeof(size_t))};
    lf_timeline *t = timeline;
    lf_event *events = calloc(max_events, sizeof *events);
    lf_intervals intervals = {0};
    lf_status status = LF_OK;
    t->measured = t->output;
    if (!events || !t->time || !t->first_row || !t->row || !t->output || !t->first_query || !t->query || !t->target ||
        !t->gap_index || !t->gap_length || !t->gap_uses) {
        status = lf_no_memory(ctx);
    } else {
        size_t count = add_points(rows, LF_EVENT_ROW, events, 0);
        count = add_points(queries, LF_EVENT_QUERY, events, count);
        for (size_t i = 0; i < time_count; i++) {
            events[count++] = (lf_event){.time = times[i], .kind = LF_EVENT_STEP};
        }
        if (!isnan(start_time(model, start))) {
            events[count++] = (lf_event){.time = start_time(model, start), .kind = LF_EVENT_START};
        }
        double bit = round_times(count, events);
        qsort(events, count, sizeof *events, compare_times);
        if (averaging) {
            status = lf_intervals_create(ctx, count, events, bit, &intervals);
            for (size_t i = 0; !status && i < intervals.count; i++) {
                events[count++] = (lf_event){.time = intervals.interval[i].start, .kind = LF_EVENT_STEP};
            }
            qsort(events, count, sizeof *events, compare_times);
            if (!status && count && !isnan(start_time(model, start)) && events[0].kind != LF_EVENT_START) {
                status = lf_intervals_check(ctx, model, start_time(model, start), &intervals);
            }
        }
        if (!status) {
            make_steps(count, events, t);
            status = make_gaps(ctx, bit, t);
        }
        if (!status && averaging) {
            status = lf_intervals_place(ctx, model, row_count, query_count, &intervals, t);
        }
    }
    lf_intervals_clear(&intervals);
    free(events);
    return status;
}

void lf_timeline_clear(lf_timeline *timeline)
{
    free(timeline->measured == timeline->output ? NULL : timeline->measured);
    free(timeline->averages);
    free(timeline->asked);
    free(timeline->asked_from);
    free(timeline->slots);
    free(timeline->first_reset);
    free(timeline->resets);
    free(timeline->time);
    free(timeline->first_row);
    free(timeline->row);
    free(timeline->output);
    free(timeline->first_query);
    free(timeline->query);
    free(timeline->target);
    free(timeline->gap_index);
    free(timeline->gap_length);
    free(timeline->gap_uses);
    *timeline = (lf_timeline){0};
}
