/* Other optima of equations that are as good as the best one. */
#ifndef LF_INFERENCE_OTHER_OPTIMA_H
#define LF_INFERENCE_OTHER_OPTIMA_H

#include "inference/run.h"

/* Notes another optimum that is as good as the best one, which has the values of the model. */
lf_status lf_note_other_optimum(lf_context *ctx, const lf_model *model, size_t count, lf_run *runs, size_t best);

#endif
