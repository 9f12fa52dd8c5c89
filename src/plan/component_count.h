/* How well outputs follow from each other at the same time, judged in blocks of time that took no part: the number of forces that many
 * outputs need follows from it. */
#ifndef LF_PLAN_COMPONENT_COUNT_H
#define LF_PLAN_COMPONENT_COUNT_H

#include "plan/data_summary.h"

/* For one input and more outputs than the least number compared; otherwise nothing is compared. The summary learns what others do not
 * explain of each output. */
lf_status lf_component_count_find(lf_context *ctx, lf_data_summary *summary, lf_component_count *found);

#endif
