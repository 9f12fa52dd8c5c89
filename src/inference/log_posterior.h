/* The log posterior of one structure: log marginal likelihood plus log prior, as a function of x, the parameters that are free to move, each in
 * a coordinate of its own. The optimiser, Newton's method, standard errors and samplers know this interface and nothing below it. */
#ifndef LF_INFERENCE_LOG_POSTERIOR_H
#define LF_INFERENCE_LOG_POSTERIOR_H

#include "inference/prior.h"

/* What a value has beside log likelihood + log prior up to a constant, which is what a fit maximises. */
enum {
    LF_JACOBIAN = 1,  /* the log Jacobian, which makes it a density by x */
    LF_NORMALISED = 2 /* lf_prior_constant */
};

typedef struct lf_log_posterior lf_log_posterior;

typedef struct lf_log_posterior_class {
    const char *name;
    /* Value and, unless NULL, gradient (count) at x (count). */
    lf_status (*evaluate)(lf_log_posterior *p, const double *x, unsigned with, double *value, double *gradient);
    /* Another one for the same rows, as if it were made at the point `at`; NULL: at that where p was made. */
    lf_status (*clone)(const lf_log_posterior *p, lf_context *ctx, const double *at, lf_log_posterior **copy);
    /* What an evaluation depends on beside x, as numbers (NULL: they are only counted), and back. Returns their number. */
    size_t (*save)(const lf_log_posterior *p, double *state);
    lf_status (*load)(lf_log_posterior *p, const double *state);
    /* The bytes that it holds, and those that an evaluation takes more. */
    void (*memory)(const lf_log_posterior *p, double *held, double *working);
    void (*destroy)(lf_log_posterior *p); /* of the state */
} lf_log_posterior_class;

struct lf_log_posterior {
    const lf_log_posterior_class *class;
    /* Its own: several may be evaluated side by side. It belongs to several processes where these share the rows. */
    lf_context *ctx;
    const lf_prior *prior;
    const lf_model *model;                          /* for its structure, names and bounds */
    size_t count;                                   /* free parameters */
    size_t *index;                                  /* (count) where they stand in theta */
    lf_coordinate *coordinate;                      /* (count) */
    double *theta;                                  /* (parameters) last evaluated or, before, of the model */
    double *by_theta;                               /* (parameters) gradient of likelihood and prior */
    double log_likelihood, log_prior, log_jacobian; /* of the last value; 0 where it is without */
    size_t evaluations;
    void *state; /* of the class */
};

/* For the rows of a problem, at the parameters of a model. The prior outlives it, and so does the problem. */
lf_status lf_log_posterior_make(lf_context *ctx, const lf_problem *problem, const lf_structure *s,
                                const lf_model *model, const lf_prior *prior, lf_log_posterior **p);
lf_status lf_log_posterior_clone(lf_context *ctx, const lf_log_posterior *p, const double *at, lf_log_posterior **copy);
void lf_log_posterior_destroy(lf_log_posterior *p);

/* x (count) of the theta last evaluated or, before, of the model. */
void lf_log_posterior_point(const lf_log_posterior *p, double *x);
/* The limits of x (count each). */
void lf_log_posterior_limits(const lf_log_posterior *p, double *lower, double *upper);
/* The parameters of `model` become those at x. Several processes call it together, and all have those of the first. */
lf_status lf_log_posterior_put(lf_context *ctx, lf_log_posterior *p, const double *x, lf_model *model);
/* Minus the value and minus its gradient (count): what minimisers need. */
lf_status lf_log_posterior_negative(lf_log_posterior *p, const double *x, unsigned with, double *value,
                                    double *gradient);
/* How many of `threads` may evaluate one each, where as many exist as the context says, at least 1. */
int lf_log_posterior_threads(lf_context *ctx, const lf_log_posterior *p, int threads);

/* ---- for classes ---- */

/* One for the free parameters of a model, which outlives it, without a state. Its context has one thread, because BLAS and loops split among
 * several round differently and a fit must not depend on their number; `ctx` gives seed and memory, and its processes where they share rows. */
lf_status lf_log_posterior_allocate(lf_context *ctx, const lf_log_posterior_class *class, const lf_model *model,
                                    const lf_prior *prior, int shared, lf_log_posterior **p);
/* theta becomes that of x, on all processes that of the first. */
lf_status lf_log_posterior_move(lf_log_posterior *p, const double *x);
/* Value and gradient at x from log_likelihood and, in by_theta, its gradient. */
lf_status lf_log_posterior_combine(lf_log_posterior *p, const double *x, unsigned with, double *value,
                                   double *gradient);

#endif
