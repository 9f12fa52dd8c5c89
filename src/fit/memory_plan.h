/* What a fit takes where the model that its options describe is beyond the limit of memory. */
#ifndef LF_FIT_MEMORY_PLAN_H
#define LF_FIT_MEMORY_PLAN_H

#include "engine/engine.h"
#include "fit/fit_model.h"

/* A way to fit that is within the limit: options, and the words of the command line that give the same. */
typedef struct lf_fallback {
    lf_engine_options engine;
    lf_shape_options shape;
    double bytes;   /* as estimated */
    char words[96]; /* "--engine pitc --inducing 40 --forces 4"; empty: nothing was changed */
} lf_fallback;

/* Compares the estimate for a model, which has the shape of the options, with the limit of the context. Where it is beyond, the first
 * alternative that changes nothing that was asked for and is within the limit is taken: the options are changed, the model is made
 * again, and a note says what was taken and why. Where there is none, or the model is not to be changed (*model given by a file), an
 * error names the estimate, the limit and what would fit. taken->words: what was taken. */
lf_status lf_fit_within_memory(lf_context *ctx, const lf_training *training, int by_shape, lf_fit_options *options,
                               lf_model **model, lf_fallback *taken);

/* Bytes of a fit of a model with these options while it runs on one thread; *choice: its engine. Infinite: no engine can evaluate it. */
lf_status lf_fit_bytes(lf_context *ctx, const lf_model *model, const lf_training *training,
                       const lf_fit_options *options, lf_engine_choice *choice, double *bytes);

#endif
