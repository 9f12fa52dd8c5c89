/* The optimum of the log posterior of one structure. */
#ifndef LF_INFERENCE_OPTIMISE_H
#define LF_INFERENCE_OPTIMISE_H

#include "base/monitor.h"
#include "inference/prior.h"
#include "plan/structure.h"

typedef struct lf_optimum {
    lf_model *model;                  /* with the parameters of the optimum */
    size_t free_count;                /* parameters that could move */
    size_t *index;                    /* (free_count) where they stand in the model */
    double *x;                        /* (free_count) the optimum in the coordinates of the prior */
    double objective;                 /* log likelihood + log prior, as the optimiser reports it */
    double log_likelihood, log_prior; /* of an evaluation at x */
    size_t restart;                   /* the start that won */
    size_t iterations;                /* of it */
    double *trace;                    /* (iterations) objective after each */
    size_t evaluations;               /* of all starts and stages */
    size_t first_rows;                /* of the first stage; 0: there was none */
    size_t first_evaluations;         /* of these, those of the first stage */
    double first_seconds;             /* the same of `seconds` */
    int converged, cancelled;
    const char *reason; /* why it ended, in words */
    double seconds;
} lf_optimum;

/* Maximises the log marginal likelihood plus the log prior over the parameters that are neither fixed nor tied, within their bounds. Restarts run
 * in parallel, each on one thread, so that the result does not depend on the number of threads. Where the structure allows stages and an
 * evaluation is expensive, all restarts are fitted to a stretch of the times first, and the best of them goes on with all rows. The optimum is to
 * be cleared, also after a failure. */
lf_status lf_optimise(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                      const lf_prior *prior, lf_monitor *monitor, lf_optimum *found);
void lf_optimum_clear(lf_optimum *found);

/* The same from a model, without a first stage. */
lf_status lf_optimise_from(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                           const lf_model *begin, const lf_prior *prior, lf_monitor *monitor, lf_optimum *found);

#endif
