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

/* Where an evaluation is expensive, fits the model to a stretch of the times first, with all restarts. *reference becomes the model as it
 * was, and the model has the values of the best start; *rows: those of the stretch. Otherwise nothing changes, and *rows is 0. */
lf_status lf_fit_first_stage(lf_context *ctx, const lf_training *training, const lf_fit_options *options,
                             lf_model *model, lf_model **reference, size_t *rows);

#endif
