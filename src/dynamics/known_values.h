/* The values of known inputs at the steps of a time axis. */
#ifndef LF_DYNAMICS_KNOWN_VALUES_H
#define LF_DYNAMICS_KNOWN_VALUES_H

#include "dynamics/timeline.h"
#include "points/rows.h"

/* The time axis of the points, as its queries, with steps at the readings from the start to the last point. Fails where an input is not
 * read from the start on, or not until the last point. */
lf_status lf_known_timeline(lf_context *ctx, const lf_model *model, const lf_known_set *known,
                            const lf_point_set *points, lf_timeline *timeline);

/* Of one input, at every step, with `stride` numbers from one step to the next: its value from the step on, its slope until the next step,
 * and its impulse at the step. */
void lf_known_values(const lf_timeline *timeline, lf_hold hold, const lf_known_series *series, size_t stride, double *v,
                     double *slope, double *impulse);

#endif
