/* Rows and questions sorted by time. */
#include "kalman/timeline.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

typedef enum kind { START, ROW, QUERY } kind; /* in this order at one time */

typedef struct event {
    double time;
    kind kind;
    int target;
    size_t index;
} event;

static int by_time(const void *left, const void *right)
{
    const event *a = left, *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

static size_t add_points(const lf_point_set *points, kind what, event *events, size_t count)
{
    for (int g = 0; points && g < points->group_count; g++) {
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            events[count++] = (event){points->x[i], what, points->target[g], i};
        }
    }
    return count;
}

/* To a multiple of the last bit of the largest time. */
static void round_times(size_t count, event *events)
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
}

/* Whether an event belongs to the step that has rows first … end - 1 of `output`. */
static int same_step(const lf_timeline *t, const event *e, size_t first, size_t end)
{
    if (t->step_count == 0 || t->time[t->step_count - 1] != e->time) {
        return 0;
    }
    for (size_t i = first; e->kind == ROW && i < end; i++) {
        if (t->output[i] == e->target) {
            return 0;
        }
    }
    return 1;
}

static void make_steps(size_t count, const event *events, lf_timeline *t)
{
    size_t rows = 0, queries = 0;
    for (size_t i = 0; i < count; i++) {
        const event *e = &events[i];
        if (!same_step(t, e, t->step_count ? t->first_row[t->step_count - 1] : 0, rows)) {
            t->time[t->step_count] = e->time;
            t->first_row[t->step_count] = rows;
            t->first_query[t->step_count++] = queries;
        }
        if (e->kind == ROW) {
            t->row[rows] = e->index;
            t->output[rows++] = e->target;
        } else if (e->kind == QUERY) {
            t->query[queries] = e->index;
            t->target[queries++] = e->target;
        } else {
            t->first_moving_step = t->step_count - 1;
        }
        t->first_row[t->step_count] = rows;
        t->first_query[t->step_count] = queries;
    }
}

typedef struct gap_use {
    double gap;
    size_t uses, place;
} gap_use;

static int by_gap(const void *left, const void *right)
{
    double a = ((const gap_use *)left)->gap, b = ((const gap_use *)right)->gap;
    return a < b ? -1 : a > b;
}

static int by_uses(const void *left, const void *right)
{
    const gap_use *a = left, *b = right;
    return a->uses != b->uses ? (a->uses > b->uses ? -1 : 1) : by_gap(left, right);
}

/* Numbers the distinct gaps by how often they occur. */
static lf_status make_gaps(lf_context *ctx, lf_timeline *t)
{
    gap_use *table = calloc(t->step_count + 1, sizeof *table);
    size_t *number = calloc(t->step_count + 1, sizeof *number);
    if (!table || !number) {
        free(table);
        free(number);
        return lf_no_memory(ctx);
    }
    size_t count = 0;
    for (size_t k = 0; k < t->step_count; k++) {
        double gap = k ? t->time[k] - t->time[k - 1] : 0;
        t->gap[k] = -1;
        t->longest = fmax(t->longest, gap);
        if (gap > 0 && k > t->first_moving_step) {
            table[count++] = (gap_use){gap, 1, k};
        }
    }
    qsort(table, count, sizeof *table, by_gap);
    for (size_t i = 0; i < count; i++) { /* table[0 … gap_count) becomes the distinct ones */
        size_t place = table[i].place;
        if (t->gap_count && table[t->gap_count - 1].gap == table[i].gap) {
            table[t->gap_count - 1].uses++;
        } else {
            table[t->gap_count++] = (gap_use){table[i].gap, 1, 0};
        }
        t->gap[place] = (int)(t->gap_count - 1);
    }
    for (size_t g = 0; g < t->gap_count; g++) {
        table[g].place = g;
    }
    qsort(table, t->gap_count, sizeof *table, by_uses);
    for (size_t g = 0; g < t->gap_count; g++) {
        t->gaps[g] = table[g].gap;
        t->uses[g] = table[g].uses;
        number[table[g].place] = g;
    }
    for (size_t k = 0; k < t->step_count; k++) {
        t->gap[k] = t->gap[k] < 0 ? -1 : (int)number[t->gap[k]];
    }
    free(table);
    free(number);
    return LF_OK;
}

lf_status lf_timeline_create(lf_context *ctx, const lf_model *model, double start, const lf_point_set *rows,
                             const lf_point_set *queries, lf_timeline *timeline)
{
    size_t row_count = rows ? rows->n : 0, query_count = queries ? queries->n : 0, most = row_count + query_count + 1;
    *timeline = (lf_timeline){.time = lf_doubles(most, 1),
                              .first_row = calloc(most + 1, sizeof(size_t)),
                              .row = calloc(row_count + 1, sizeof(size_t)),
                              .output = calloc(row_count + 1, sizeof(int)),
                              .first_query = calloc(most + 1, sizeof(size_t)),
                              .query = calloc(query_count + 1, sizeof(size_t)),
                              .target = calloc(query_count + 1, sizeof(int)),
                              .gap = calloc(most, sizeof(int)),
                              .gaps = lf_doubles(most, 1),
                              .uses = calloc(most, sizeof(size_t))};
    lf_timeline *t = timeline;
    event *events = calloc(most, sizeof *events);
    lf_status status = LF_OK;
    if (!events || !t->time || !t->first_row || !t->row || !t->output || !t->first_query || !t->query || !t->target ||
        !t->gap || !t->gaps || !t->uses) {
        status = lf_no_memory(ctx);
    } else {
        size_t count = add_points(rows, ROW, events, 0);
        count = add_points(queries, QUERY, events, count);
        if (!isnan(start) || model->initial != LF_INITIAL_STATIONARY) {
            events[count++] = (event){.time = isnan(start) ? model->origin : start, .kind = START};
        }
        round_times(count, events);
        qsort(events, count, sizeof *events, by_time);
        make_steps(count, events, t);
        status = make_gaps(ctx, t);
    }
    free(events);
    return status;
}

void lf_timeline_clear(lf_timeline *timeline)
{
    free(timeline->time);
    free(timeline->first_row);
    free(timeline->row);
    free(timeline->output);
    free(timeline->first_query);
    free(timeline->query);
    free(timeline->target);
    free(timeline->gap);
    free(timeline->gaps);
    free(timeline->uses);
    *timeline = (lf_timeline){0};
}
