/* Fits that begin with a part of the times, and the operations that a fit is expected to take. */
#ifndef LF_FIT_FIRST_STAGE_H
#define LF_FIT_FIRST_STAGE_H

#include "fit/fit_model.h"

/* Operations that a start may take where the model was chosen automatically: about five minutes of a core. */
#define LF_MOST_WORK 7e12
/* Floating-point operations of a core in a second, for messages. */
#define LF_USUAL_SPEED 2.5e10

/* The operations that a start is expected to take, from those of one evaluation (lf_engine_choice.cost). Depends on data and options only. */
lf_status lf_expected_work(lf_context *ctx, const lf_model *model, const lf_training *training,
                           const lf_fit_options *options, double cost, double *operations);

/* The most iterations after a first stage, where an evaluation takes so many operations: those of the options, or what a limit of work
 * allows, but not fewer than predictions need. */
size_t lf_second_stage_iterations(const lf_model *model, const lf_fit_options *options, double cost);

/* lf_fit_model. Where the training allows stages and an evaluation is expensive, all restarts are fitted to a stretch of the times, whose
 * rows the result has as first_rows, and the best of them goes on with all rows. */
lf_status lf_fit_in_stages(lf_context *ctx, lf_model *model, const lf_training *training, const lf_fit_options *options,
                           lf_fit_result *result);

#endif
