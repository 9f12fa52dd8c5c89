/* The time axis of one replicate: the rows of all outputs and the query points, sorted by time.
 *
 * A step is a time with at most one row of each output. A second row of the same output at the same time makes a second
 * step. Times are rounded to a multiple of the last bit of the largest one, and gaps that differ by
 * this rounding are one gap. The beginnings of intervals over which points average are steps too. */
#ifndef LF_DYNAMICS_TIMELINE_H
#define LF_DYNAMICS_TIMELINE_H

#include "model/model.h"
#include "points/points.h"

/* The mean of an output over the time `width` before a point, as an integrator of the output divided by the width. */
typedef struct lf_average {
    int output, slot; /* the integrator, by its number among those of the output */
    double width;
} lf_average;

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
    double *gap_length;  /* (gap_count) the most frequent first, then in the order of time */
    size_t *gap_uses;    /* (gap_count) how often each occurs */
    double longest_gap;  /* including gaps before the start */
    /* Averages over intervals (timeline_averages.h). Without any, slots, averages, asked and resets are NULL. */
    int *measured;        /* (rows) what the row reads: its output, or D + a for the average a */
    size_t average_count; /* distinct averages; those of one output, integrator and width are one */
    lf_average *averages; /* (average_count) */
    int *asked;           /* (queries) its average; -1: the value at the time */
    size_t *asked_from;   /* (queries) of averages: the step at which the interval begins */
    int *slots;           /* (D) integrators of each output: as many as intervals overlap at once */
    size_t *first_reset;  /* (steps + 1) */
    lf_average *resets;   /* integrators that are set to 0 after the step; their widths are not used */
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
