/* One time axis for all outputs of a replicate: what was observed, and what is asked, in the order of time.
 *
 * A step is a time with at most one row of each output; a repeated row makes a second step at the same time. Times are
 * rounded to a multiple of the last bit of the largest one, so that evenly spaced times have only a few distinct gaps. */
#ifndef LF_KALMAN_TIMELINE_H
#define LF_KALMAN_TIMELINE_H

#include "model/model.h"
#include "points/points.h"

typedef struct lf_timeline {
    size_t step_count;
    double *time;             /* (steps) */
    size_t *first_row;        /* (steps + 1) */
    size_t *row;              /* (rows) index into the sorted rows */
    int *output;              /* (rows) */
    size_t *first_query;      /* (steps + 1) */
    size_t *query;            /* (questions) index into the points asked about */
    int *target;              /* (questions) */
    size_t first_moving_step; /* the step from which on the outputs move: that of the origin, or 0 */
    int *gap;                 /* (steps) the gap before it, -1: none */
    size_t gap_count;         /* distinct ones */
    double *gaps;             /* (gap_count) the most frequent first */
    size_t *uses;             /* (gap_count) how often each occurs */
    double longest;           /* gap, before the origin included */
} lf_timeline;

/* Rows and questions may be NULL. It starts at `start`, NaN: where the model does, at the origin or at the first time. */
lf_status lf_timeline_create(lf_context *ctx, const lf_model *model, double start, const lf_point_set *rows,
                             const lf_point_set *queries, lf_timeline *timeline);
void lf_timeline_clear(lf_timeline *timeline);

#endif
