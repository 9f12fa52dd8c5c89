/* The state of the inducing engines, and of their posteriors. */
#ifndef LF_ENGINE_INDUCING_H
#define LF_ENGINE_INDUCING_H

#include "engine/induced_system.h"

typedef struct lf_inducing {
    const lf_rows *rows;
    lf_sparse sparse;
    lf_induced_kernel kernel;
    lf_induced_system *systems; /* (replicates) */
} lf_inducing;

/* Kernel and systems at the model's parameters, the latter with rows that are reduced for these. */
lf_status lf_inducing_prepare(lf_context *ctx, lf_inducing *engine);

/* The engines' common parts of engine/engine.h (inducing_posterior.c). */
lf_status lf_inducing_condition(lf_context *ctx, void *state, const lf_model *model, void **posterior);
void lf_inducing_forget(void *posterior);
struct json_t *lf_inducing_save(const void *posterior);
lf_status lf_inducing_load(lf_context *ctx, const lf_model *model, const struct json_t *state, int replicates,
                           void **posterior);
void lf_inducing_range(const void *posterior, double *from, double *to);
lf_status lf_inducing_predict(lf_context *ctx, const void *posterior, const lf_model *model, int replicate,
                              const lf_point_set *points, double *mean, double *variance, double *covariance);

#endif
