/* Predictions of averages. Each interval that overlaps others needs an integrator of its own, and the cost of a pass grows with the cube of
 * the states; so that the points are divided into passes in which at most a few intervals of an output overlap. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/timeline_averages.h"
#include "kalman/kalman.h"

enum { OVERLAPS = 8 }; /* intervals of one output that overlap in a pass */

static int compare_starts(const void *left, const void *right)
{
    const lf_interval *a = left, *b = right;
    return a->output != b->output ? (a->output < b->output ? -1 : 1)
           : a->start != b->start ? (a->start < b->start ? -1 : 1)
                                  : (a->index > b->index) - (a->index < b->index);
}

/* pass (points): the pass of each point, from 0. Returns their number; 0: no memory. */
static int divide(const lf_point_set *points, int *pass)
{
    lf_intervals intervals = {.interval = calloc(points->n + 1, sizeof *intervals.interval)};
    int count = intervals.interval ? 1 : 0;
    for (int g = 0; count && g < points->group_count; g++) {
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            if (points->width[i] > 0) {
                intervals.interval[intervals.count++] = (lf_interval){.start = points->x[i] - points->width[i],
                                                                      .end = points->x[i] - 1e-6 * points->width[i],
                                                                      .output = points->target[g],
                                                                      .index = i};
            }
        }
    }
    if (count) {
        qsort(intervals.interval, intervals.count, sizeof *intervals.interval, compare_starts);
        count = lf_intervals_colour(&intervals);
    }
    for (size_t k = 0; count && k < intervals.count; k++) {
        int its_pass = intervals.interval[k].slot / OVERLAPS;
        pass[intervals.interval[k].index] = its_pass;
        count = its_pass + 1 > count ? its_pass + 1 : count;
    }
    lf_intervals_clear(&intervals);
    return count;
}

/* The points of a pass. */
static lf_status predict_pass(lf_context *ctx, const lf_kalman_posterior *p, int replicate, const lf_point_set *points,
                              const int *pass, int which, double *mean, double *variance)
{
    size_t n = points->n, count = 0;
    size_t *rows = calloc(n + 1, sizeof *rows);
    int *target = calloc(n + 1, sizeof *target);
    double *m = lf_doubles(n, 1), *v = variance ? lf_doubles(n, 1) : NULL;
    lf_point_set set = {0};
    lf_status status = rows && target && m && (v || !variance) ? LF_OK : lf_no_memory(ctx);
    for (int g = 0; !status && g < points->group_count; g++) {
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            target[i] = points->target[g];
            if (pass[i] == which) {
                rows[count++] = i;
            }
        }
    }
    lf_point_list all = {.n = n, .target = target, .x = points->x, .width = points->width};
    LF_TRY(status, lf_point_set_sort(ctx, p->model, &all, count, rows, &set));
    for (size_t i = 0; !status && set.width && i < count; i++) { /* 0 is 0 here, and not the width of the output */
        set.width[i] = points->width[set.order[i]];
    }
    LF_TRY(status, lf_kalman_predict_once(ctx, p, replicate, &set, m, v, NULL));
    for (size_t i = 0; !status && i < count; i++) {
        mean[set.order[i]] = m[i];
        if (variance) {
            variance[set.order[i]] = v[i];
        }
    }
    lf_point_set_clear(&set);
    free(rows);
    free(target);
    free(m);
    free(v);
    return status;
}

lf_status lf_kalman_predict_averages(lf_context *ctx, const lf_kalman_posterior *posterior, int replicate,
                                     const lf_point_set *points, double *mean, double *variance)
{
    int *pass = calloc(points->n + 1, sizeof *pass);
    int passes = pass ? divide(points, pass) : 0;
    lf_status status = passes ? LF_OK : lf_no_memory(ctx);
    for (int k = 0; !status && k < passes; k++) {
        status = predict_pass(ctx, posterior, replicate, points, pass, k, mean, variance);
    }
    free(pass);
    return status;
}
