/* Intervals over which points of a time axis average: their integrators and the steps at which these are set to 0.
 *
 * An integrator I of an output f obeys I' = f. It is set to 0 at the beginning of an interval, and I / width at its end is the mean. Intervals
 * of one output that begin together share an integrator; one is used again when the interval before has ended. */
#ifndef LF_DYNAMICS_TIMELINE_AVERAGES_H
#define LF_DYNAMICS_TIMELINE_AVERAGES_H

#include "dynamics/timeline.h"

enum { LF_EVENT_START, LF_EVENT_STEP, LF_EVENT_ROW, LF_EVENT_QUERY }; /* in this order at one time */

typedef struct lf_event {
    double time, width; /* width > 0: the mean over the preceding time */
    int kind;           /* LF_EVENT_… */
    int target;
    size_t index;
} lf_event;

typedef struct lf_interval {
    double start, end, width;
    int output, slot, kind;
    size_t index; /* of the row or query */
} lf_interval;

typedef struct lf_intervals {
    size_t count;
    lf_interval *interval; /* (count) sorted by output, then by start */
} lf_intervals;

/* The intervals of events, which are sorted by time and multiples of `bit`, with their integrators. The beginning of an interval that
 * differs from the time of an event by rounding alone is moved there. */
lf_status lf_intervals_create(lf_context *ctx, size_t count, const lf_event *events, double bit,
                              lf_intervals *intervals);
void lf_intervals_clear(lf_intervals *intervals);
/* Fails if an interval begins before the start. */
lf_status lf_intervals_check(lf_context *ctx, const lf_model *model, double start, const lf_intervals *intervals);
/* Fills the fields of a timeline about averages, whose steps are known. */
lf_status lf_intervals_place(lf_context *ctx, const lf_model *model, size_t rows, size_t queries,
                             const lf_intervals *intervals, lf_timeline *timeline);

/* Sets the integrators of intervals that are sorted by output and start. 0: no memory. */
int lf_intervals_colour(lf_intervals *intervals);

#endif
