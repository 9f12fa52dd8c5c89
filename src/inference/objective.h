/* What a fit minimises: minus the log marginal likelihood, minus the log prior, as a function of x, the parameters that
 * are free to move in the coordinates of the prior: most in units of their expected size. */
#ifndef LF_INFERENCE_OBJECTIVE_H
#define LF_INFERENCE_OBJECTIVE_H

#include "engine/engine.h"
#include "inference/prior.h"

typedef struct lf_objective {
    lf_context *
        ctx; /* its own: objectives may be evaluated side by side. It belongs to several processes where these share the rows */
    lf_engine *engine;
    const lf_prior *prior;
    size_t count;       /* free parameters */
    size_t *index;      /* (count) where they stand in theta */
    double *theta;      /* (parameters) */
    double *full;       /* (parameters) gradient by theta */
    size_t evaluations; /* so far */
} lf_objective;

/* The engine runs on one thread: BLAS and loops split among several round differently, and a fit must not depend on their
 * number. The context gives seed and log. */
lf_status lf_objective_create(lf_context *ctx, const lf_model *model, const lf_data *data,
                              const lf_engine_options *options, const lf_prior *prior, lf_objective *objective);
void lf_objective_clear(lf_objective *objective);

/* x (count) of the theta last evaluated or, before, of the model. */
void lf_objective_point(const lf_objective *objective, double *x);

/* Value and gradient (count) at x (count). log_prior, unless NULL: the prior's part. */
lf_status lf_objective_evaluate(lf_objective *objective, const double *x, double *value, double *gradient,
                                double *log_prior);

#endif
