/* One start of a fit: a log posterior, the optimiser that raises it, and its history. The optimiser minimises: values and gradients in a run are
 * those of the objective, minus the log posterior. */
#ifndef LF_INFERENCE_RUN_H
#define LF_INFERENCE_RUN_H

#include "inference/log_posterior.h"
#include "inference/optimiser.h"

typedef enum lf_run_state {
    LF_RUN_ACTIVE,
    LF_RUN_CONVERGED, /* at an optimum */
    LF_RUN_SETTLED,   /* near enough to one: the last iterations gained next to nothing */
    LF_RUN_STUCK,     /* no step helps any more */
    LF_RUN_LIMIT,     /* out of iterations */
    LF_RUN_CANCELLED,
    LF_RUN_FAILED, /* its start could not be evaluated */
    LF_RUN_BEHIND, /* given up far below another start */
    LF_RUN_NEWTON, /* at an optimum, found by Newton's method */
    LF_RUN_LATE    /* its time is up */
} lf_run_state;

/* After one iteration. All doubles, so that a history can be stored as numbers. */
typedef struct lf_iteration {
    double objective, gradient_norm, evaluations, seconds;
} lf_iteration;

typedef struct lf_run {
    lf_log_posterior *posterior;
    lf_optimiser *optimiser;
    double *gradient; /* (count) */
    double relative_gain;
    int firm, near;     /* the prior is the firm one; a first stage has come near the optimum */
    int compared;       /* it goes on from a short fit */
    int ends_by_newton; /* the optimiser only has to come near; lf_run_finish does the rest */
    int strict;         /* Newton's method failed: the optimiser has to do it all */
    /* a point (count) that the optimiser did not find, such as the optimum by Newton's method, and the value there; NULL: none */
    double *best;
    double best_value;
    size_t flat_count;        /* directions from there without an optimum */
    double *flat;             /* (flat_count, count) */
    double smallest_gradient; /* as in lf_optimiser_create */
    lf_run_state state;
    lf_status failure; /* of a failed run; the message is in the context of the posterior */
    size_t iterations, room;
    lf_iteration *history; /* (iterations) */
} lf_run;

/* Whether a model and a plan call for Newton's method at the end: few parameters, and a likelihood without approximations. */
int lf_ends_by_newton(const lf_model *model, const lf_fit_plan *plan);

/* Starts at the model's parameters, moved into the limits. */
lf_status lf_run_create(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                        const lf_model *model, const lf_prior *prior, lf_run *run);
void lf_run_clear(lf_run *run);

/* One iteration; its moment is appended, but for `seconds`. Changes run->state where it ends. */
lf_status lf_run_iterate(lf_run *run);

/* Whether a run is far below the objective of another start that has ended, and so slow that it will not come near. */
int lf_run_is_behind(const lf_run *run, double objective);

/* Newton's method from the best point, for a run that ended near an optimum: with the Hessian from differences of the gradient, within
 * the limits. *near 0: the point is not near one, and the run is as before. */
lf_status lf_run_finish(lf_run *run, int *near);

/* Looks along the flat directions that lf_run_finish found, as far as factors of some thousands. *found: there is a better point, and the
 * run is active again from there. */
lf_status lf_run_leave_plateau(lf_run *run, int *found);
/* Makes the run go on from a better point (count), where the objective has this value. */
lf_status lf_run_restart(lf_run *run, const double *x, double value);

/* Minus the objective at the best point, and that point (count). */
double lf_run_best(const lf_run *run, const double **x);
/* Why it ended, in words. */
const char *lf_run_reason(const lf_run *run);

/* How many more iterations the last ones promise, at most `most`. */
double lf_run_expected_iterations(const lf_run *run, size_t most);

#endif
