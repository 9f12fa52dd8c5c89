/* A posterior as its engine computes it: of the scaled model, one replicate at a time. */
#ifndef LF_ENGINE_SCALED_POSTERIOR_H
#define LF_ENGINE_SCALED_POSTERIOR_H

#include "engine/engine.h"

typedef struct lf_scaled_posterior {
    const lf_engine_class *class;
    lf_model *model; /* a copy */
    void *state;     /* of the class */
} lf_scaled_posterior;

/* At the parameters last evaluated. Targets of the caller (NULL: those of the rows) as in lf_engine_evaluate_targets; a posterior of them
 * is for predictions, and not for a file. After a failure it must still be cleared. */
lf_status lf_scaled_posterior_create(lf_engine *engine, const lf_targets *of_caller, lf_scaled_posterior *posterior);
void lf_scaled_posterior_clear(lf_scaled_posterior *posterior);

/* As lf_posterior_class has them. model: that of the posterior, or a part of it where the engine predicts submodels. */
lf_posterior_facts lf_scaled_posterior_describe(const lf_scaled_posterior *posterior, int replicate, size_t points,
                                                int joint);
lf_status lf_scaled_posterior_predict(lf_context *ctx, const lf_scaled_posterior *posterior, const lf_model *model,
                                      int replicate, const lf_point_set *points, double *mean, double *variance,
                                      double *covariance);

/* Means (n) of one replicate at the inputs x (n, p) of the targets (n), in this order. */
lf_status lf_scaled_posterior_mean(lf_context *ctx, const lf_scaled_posterior *posterior, int replicate, size_t n,
                                   const int *target, const double *x, double *mean);

#endif
