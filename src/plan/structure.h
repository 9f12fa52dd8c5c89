/* One model to fit, with everything that follows from it. A stage that replaces the model makes another structure. */
#ifndef LF_PLAN_STRUCTURE_H
#define LF_PLAN_STRUCTURE_H

#include "plan/plan.h"

/* Other starting values than those of a model. */
typedef struct lf_starts {
    size_t count;
    double *theta; /* (count, parameters) */
} lf_starts;

typedef struct lf_structure {
    lf_model *start;           /* at its starting values, which give the prior its sizes */
    lf_model *warm;            /* the same after a short fit, from which the fit goes on; NULL: from `start` */
    lf_starts others;          /* more starting values, of equations; they belong to `start` */
    lf_shape_options shape;    /* that gives `start` */
    lf_engine_options engine;  /* of the posterior */
    lf_engine_options fitting; /* the same with the tolerance of a fit */
    lf_prior_kind prior;       /* not LF_PRIOR_DEFAULT */
    int without_shares;        /* of a comparison: the prior of shares (share_prior.c) acts on the chosen model only */
    size_t restarts, iterations;
    int in_stages;   /* an expensive fit may begin with a part of the times (first_stage.h) */
    int after_stage; /* it has done so */
    int alone;       /* no checkpoint is written: a candidate or a refit */
    char words
        [96]; /* "--engine pitc --inducing 40": options that give this structure without limits; empty: those of the user */
    int for_time; /* it was taken because of the limit of work, not of memory */
} lf_structure;

/* Prior, engine while fitting, restarts and iterations that follow from the model and the plan; a prior that is set stays. */
void lf_structure_settle(const lf_fit_plan *plan, lf_structure *s);
/* Everything but the models, which are the caller's to set: another structure of the same fit. */
lf_structure lf_structure_like(const lf_structure *s);
lf_status lf_structure_copy(lf_context *ctx, const lf_structure *from, lf_structure *to);
void lf_structure_clear(lf_structure *s);
/* Takes the place of another one, which is cleared. */
void lf_structure_move(lf_structure *from, lf_structure *to);

/* The model that a fit goes on from. */
const lf_model *lf_structure_begin(const lf_structure *s);

#endif
