/* Shared forces that repeat with a period, added to a model that has other forces already. */
#ifndef LF_START_CYCLE_FORCE_H
#define LF_START_CYCLE_FORCE_H

#include "model/model.h"
#include "plan/data_summary.h"
#include "start/cycles.h"

enum { LF_LEAST_HARMONICS = 2 };

/* Appends quasiperiodic forces with the period of the cycle: copies of one force with sensitivities of their own, so that outputs may
 * have different phases. At the start each output has its share of the cycle, in its phase. The outputs of the model are those of the
 * data and of the summary, in this order. A model that cannot be extended stays as it was, up to its forces that nothing feels. */
lf_status lf_model_add_cycle(lf_context *ctx, const lf_data *data, const lf_data_summary *summary,
                             const lf_cycle *cycle, int copies, lf_model *model);

#endif
