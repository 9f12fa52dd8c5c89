/* Where the restarts of a fit begin: the values of the model, then other starts that the data gave, then draws around the model. */
#ifndef LF_INFERENCE_STARTS_H
#define LF_INFERENCE_STARTS_H

#include "inference/log_posterior.h"

typedef struct lf_start_maker {
    lf_context *ctx;
    const lf_model *model;
    const lf_prior *prior;
    size_t *order; /* (parameters) in which they are drawn, so that the order of the outputs does not matter */
    double *sign;  /* (parameters) of the draws: -1 for sensitivities to a force that is found with the other sign */
    const lf_starts *others;
    lf_log_posterior *posterior; /* compares draws for a model given by equations; NULL: one draw is taken as it is */
    size_t evaluations;          /* of draws so far */
} lf_start_maker;

/* For the restarts of a structure from `model`. It must be cleared, also after a failure. */
lf_status lf_start_maker_create(lf_context *ctx, const lf_problem *problem, const lf_structure *s,
                                const lf_model *model, const lf_prior *prior, lf_start_maker *maker);
void lf_start_maker_clear(lf_start_maker *maker);

/* The start of restart 0, 1, …, within its limits; release it with lf_model_free, also after a failure. */
lf_status lf_start_make(lf_start_maker *maker, size_t restart, lf_model **start);

#endif
