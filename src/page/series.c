/* What of long series is drawn, and the readings of known inputs within a range. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "page/report.h"
#include "predict/posterior.h"

/* A point of a series; `index` is where it is marked. */
typedef struct point {
    double x, y;
    size_t index;
} point;

/* Marks the points (n) that are drawn: all of at most `most`; else each of many short intervals between low and high keeps the least and the
 * largest. */
static lf_status thin(lf_context *ctx, size_t n, const point *points, double low, double high, size_t most, char *keep)
{
    const size_t none = SIZE_MAX;
    size_t intervals = most / 2;
    for (size_t i = 0; n <= most && i < n; i++) {
        keep[points[i].index] = 1;
    }
    if (n <= most) {
        return LF_OK;
    }
    size_t *extreme = malloc(2 * intervals * sizeof *extreme); /* (intervals, 2) least, largest */
    if (!extreme) {
        return lf_no_memory(ctx);
    }
    for (size_t k = 0; k < 2 * intervals; k++) {
        extreme[k] = none;
    }
    for (size_t i = 0; i < n; i++) {
        double share = high > low ? (points[i].x - low) / (high - low) : 0;
        size_t interval = share > 0 ? (size_t)(share * (double)intervals) : 0;
        size_t *pair = extreme + 2 * (interval < intervals ? interval : intervals - 1);
        pair[0] = pair[0] == none || points[i].y < points[pair[0]].y ? i : pair[0];
        pair[1] = pair[1] == none || points[i].y > points[pair[1]].y ? i : pair[1];
    }
    for (size_t k = 0; k < 2 * intervals; k++) {
        if (extreme[k] != none) {
            keep[points[extreme[k]].index] = 1;
        }
    }
    free(extreme);
    return LF_OK;
}

lf_status lf_report_thin_rows(lf_context *ctx, const lf_report *report, const lf_report_panel *panel, char *keep)
{
    point *points = malloc((panel->count + 1) * sizeof *points);
    lf_status status = points ? LF_OK : lf_no_memory(ctx);
    for (int test = 0; !status && test < 2; test++) { /* each for themselves */
        size_t count = 0;
        for (size_t i = 0; i < panel->count; i++) {
            const lf_report_row *row = &report->rows[panel->first + i];
            if (row->test == test) {
                points[count++] = (point){row->x[0], row->y, i};
            }
        }
        status = thin(ctx, count, points, report->low[0], report->high[0], report->settings.rows, keep);
    }
    free(points);
    return status;
}

/* ---- known inputs ---- */

/* The value between the readings i and i + 1, at x. */
static double between(const double *x, const double *value, size_t i, double at, int linear)
{
    return linear ? value[i] + (value[i + 1] - value[i]) * (at - x[i]) / (x[i + 1] - x[i]) : value[i];
}

/* points (n + 2) within the range; returns how many. Impulses are 0 between readings. */
static size_t clip(const lf_report *report, lf_hold hold, size_t n, const double *x, const double *value, point *points)
{
    double low = report->low[0], high = report->high[0];
    int impulses = hold == LF_HOLD_IMPULSE, linear = hold == LF_HOLD_LINEAR;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!impulses && i + 1 < n && x[i] < low && x[i + 1] > low) {
            points[count++] = (point){.x = low, .y = between(x, value, i, low, linear)};
        }
        if (x[i] >= low && x[i] <= high) {
            points[count++] = (point){.x = x[i], .y = value[i]};
        }
        if (!impulses && i + 1 < n && x[i] < high && x[i + 1] > high) {
            points[count++] = (point){.x = high, .y = between(x, value, i, high, linear)};
        }
    }
    if (n > 0 && !impulses && !linear && x[n - 1] < high) { /* the last reading holds */
        points[count++] = (point){.x = high, .y = value[n - 1]};
    }
    return count;
}

lf_status lf_report_readings(lf_context *ctx, const lf_report *report, const lf_report_panel *panel, size_t *n,
                             double **x, double **y, size_t *total)
{
    const double *at, *value;
    size_t count = lf_posterior_readings(report->posterior, panel->replicate, panel->index, &at, &value);
    point *points = calloc(count + 2, sizeof *points);
    char *keep = calloc(count + 2, 1);
    *n = *total = 0;
    *x = lf_doubles(count + 2, 1);
    *y = lf_doubles(count + 2, 1);
    lf_status status = points && keep && *x && *y ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        *total = clip(report, report->model->known[panel->index].hold, count, at, value, points);
        for (size_t i = 0; i < *total; i++) {
            points[i].index = i;
        }
        status = thin(ctx, *total, points, report->low[0], report->high[0], report->settings.rows, keep);
    }
    for (size_t i = 0; !status && i < *total; i++) {
        if (keep[i]) {
            (*x)[*n] = points[i].x;
            (*y)[(*n)++] = points[i].y;
        }
    }
    free(points);
    free(keep);
    if (status) {
        free(*x);
        free(*y);
        *x = *y = NULL;
    }
    return status;
}
