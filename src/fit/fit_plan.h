/* What a fit takes where the model that its options describe is beyond the limit of memory or of work. */
#ifndef LF_FIT_FIT_PLAN_H
#define LF_FIT_FIT_PLAN_H

#include "engine/engine.h"
#include "fit/fit_model.h"

/* A way to fit that is within the limits: options, and the words of the command line that give the same. */
typedef struct lf_fallback {
    lf_engine_options engine;
    lf_shape_options shape;
    double bytes, work; /* as estimated; operations of a start */
    int for_time;       /* taken because of the limit of work, not of memory */
    char words[96];     /* "--engine pitc --inducing 40 --forces 4"; empty: nothing was changed */
} lf_fallback;

/* Compares the estimates for a model, which has the shape of the options, with the limit of memory of the context and that of work
 * (first_stage.h). Where they are beyond, the first alternative that changes nothing that was asked for and is within the limits is taken: the
 * options are changed, the model is made again, and a note says what was taken and why. Where there is none, or the model is not to be
 * changed (*model given by a file), too much memory is an error that names the estimate, the limit and what would fit, and much work a
 * note. taken->words: what was taken. */
lf_status lf_fit_within_limits(lf_context *ctx, const lf_training *training, int by_shape, lf_fit_options *options,
                               lf_model **model, lf_fallback *taken);

/* Bytes of a fit of a model with these options while it runs on one thread; *choice: its engine. Infinite: no engine can evaluate it. */
lf_status lf_fit_bytes(lf_context *ctx, const lf_model *model, const lf_training *training,
                       const lf_fit_options *options, lf_engine_choice *choice, double *bytes);

#endif
