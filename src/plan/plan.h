/* What a fit will do, from its options and the problem: const for every stage. What follows from a model is not part of it but of the structure
 * (structure.h); thresholds.h has the rules. */
#ifndef LF_PLAN_PLAN_H
#define LF_PLAN_PLAN_H

#include "plan/problem.h"
#include "plan/thresholds.h"

/* What the options leave to the fit, or ask it to compare. */
enum {
    LF_OPEN_ENGINE = 1,
    LF_OPEN_FORCES = 2,
    LF_OPEN_KERNEL = 4,
    LF_OPEN_OPERATOR = 8,
    LF_OPEN_WHITE = 16, /* white forces in place of the default kernels */
    LF_OPEN_CYCLES = 32
};

/* "auto", "yes" and "no". */
typedef enum lf_choice { LF_CHOICE_AUTO, LF_CHOICE_YES, LF_CHOICE_NO } lf_choice;

typedef struct lf_fit_plan {
    lf_shape_options shape;   /* as given, with the origin of the problem and periods in the unit of the data */
    double *periods;          /* of the shape */
    lf_engine_options engine; /* as given; features where a map has many rows */
    unsigned open;            /* what may be proposed that the options do not name */
    unsigned compared;        /* what they ask to compare: LF_OPEN_FORCES, _KERNEL, _OPERATOR */
    char components[280]; /* why this number of forces, by principal components; empty: it does not follow from them */
    int fewer_forces;     /* a number of forces that may do as well; 0: none */
    lf_prior_kind prior;  /* DEFAULT: by the model */
    size_t restarts, iterations; /* 0: by the model */
    double relative_gain;        /* 0: by the prior */
    double gradient;
    lf_choice errors, calibrate;
    int stores_posterior, learns_inducing;
    double inducing_noise;
    const char *checkpoint; /* file; NULL: none */
    double checkpoint_seconds;
    int resume;
    const lf_option_list *inputs, *likelihoods, *fixed, *freed, *command; /* of the options */
} lf_fit_plan;

/* The options outlive the plan, and so does the problem. Notes say what was understood. It is to be cleared, also after a failure. */
lf_status lf_fit_plan_resolve(lf_context *ctx, const lf_options *options, const lf_problem *problem, lf_fit_plan *plan);
void lf_fit_plan_clear(lf_fit_plan *plan);

/* Whether the errors of so many free parameters are computed. */
int lf_finds_errors(const lf_fit_plan *plan, size_t free_count);

/* Fills in what a shape leaves open: operator, kernels, numbers of forces and copies, private forces. */
void lf_fill_shape(lf_shape_options *shape, int outputs, int inputs);
/* The number of forces where the options leave it open and no comparison chooses it. */
int lf_default_forces(int outputs, int inputs);
/* Whether the outputs are few: each pair of them can be told apart, and forces may be compared by fits. */
int lf_few_outputs(int outputs);

#endif
