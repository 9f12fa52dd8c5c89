/* The time axis of one replicate: the rows of all outputs and the query points, sorted by time.
 *
 * A step is a time with at most one row of each output. A second row of the same output at the same time makes a second
 * step. Times are rounded to a multiple of the last bit of the largest one, so that evenly spaced times have only a few
 * distinct gaps. */
#ifndef LF_DYNAMICS_TIMELINE_H
#define LF_DYNAMICS_TIMELINE_H

#include "model/model.h"
#include "points/points.h"

typedef struct lf_timeline {
    size_t step_count;
    double *time;        /* (steps) */
    size_t *first_row;   /* (steps + 1) */
    size_t *row;         /* (rows) index into the sorted rows */
    int *output;         /* (rows) */
    size_t *first_query; /* (steps + 1) */
    size_t *query;       /* (queries) index into the sorted query points */
    int *target;         /* (queries) */
    size_t start_step;   /* the step of the start; before it the outputs are constant */
    int *gap_index;      /* (steps) index of the gap before the step; -1: none, or before the start */
    size_t gap_count;    /* distinct gaps after the start */
    double *gap_length;  /* (gap_count) the most frequent first */
    size_t *gap_uses;    /* (gap_count) how often each occurs */
    double longest_gap;  /* including gaps before the start */
} lf_timeline;

/* rows and queries may be NULL. The timeline starts at `start`; NaN: at the origin or, for a stationary model, at the
 * first time. */
lf_status lf_timeline_create(lf_context *ctx, const lf_model *model, double start, const lf_point_set *rows,
                             const lf_point_set *queries, lf_timeline *timeline);
/* The same with steps at `count` more times. */
lf_status lf_timeline_create_at(lf_context *ctx, const lf_model *model, double start, const lf_point_set *rows,
                                const lf_point_set *queries, size_t count, const double *times, lf_timeline *timeline);
void lf_timeline_clear(lf_timeline *timeline);

#endif
