/* Prior of the parameters of a fit, on theta, and the limits within which computations are possible and meaningful. Both scale
 * with the inputs and the outputs, so that units do not matter. */
#ifndef LF_INFERENCE_PRIOR_H
#define LF_INFERENCE_PRIOR_H

#include "inference/coordinates.h"
#include "plan/structure.h"

typedef struct lf_prior {
    double *mean, *sd;     /* (parameters) of theta; sd infinite: no prior */
    char *of_value;        /* (parameters) mean and sd are those of the value instead */
    double *lower, *upper; /* (parameters) of theta; bounds of the model override these limits */
    double *step_scale;    /* (parameters) the typical change of theta: a fit works in units of this */
    double *asinh_scale;   /* (parameters) where not 0, a fit works with asinh(e^theta / asinh_scale) instead */
    int of_shares;         /* whether lf_share_prior() is part of it */
    double *spread;        /* (parameters) of the starts of a fit: of the logarithm, or of theta in units of its size */
    double *time;          /* (outputs) their time scales, which compare white forces and impulses with others */
} lf_prior;

/* The coordinate in which a fit moves parameter i. With an asinh_scale it is linear in the value below that scale: the likelihood is an
 * even function of an amplitude, and its optimum may be at 0, which the logarithm would never reach. */
lf_coordinate lf_prior_coordinate(const lf_prior *prior, size_t i);

/* Log density of the parameters index (count), up to lf_prior_constant and that of the shares; its gradient by theta is added. */
double lf_prior_density(const lf_prior *prior, const lf_model *model, size_t count, const size_t *index,
                        const double *theta, double *gradient);
/* What makes it a density that integrates to 1: the log of the normalising constants, which do not depend on theta. Each parameter has its
 * own: a normal density between its limits, or a constant one where there is no prior but two limits. A parameter without a prior and with
 * fewer limits adds nothing; *improper, unless NULL, is the number of these. The prior of shares is a factor between 0.14 and 1 for each
 * force and output, whose constant has no closed form and is left out. */
double lf_prior_constant(const lf_prior *prior, size_t count, const size_t *index, size_t *improper);
/* log |du / d theta| of parameter i, where u is the variable that its density is one of: theta, or the value where of_value is set; *slope: its
 * derivative by theta. */
double lf_prior_log_jacobian(const lf_prior *prior, size_t i, double theta, double *slope);

typedef struct lf_prior_options {
    lf_prior_kind kind;        /* not LF_PRIOR_DEFAULT */
    int resolves_lengthscales; /* the engine's work grows with the lengthscales in a span: their number is limited */
    int without_shares;        /* lf_share_prior() is left out */
} lf_prior_options;

/* For a model as it stands: the size of its sensitivities is the size expected of sensitivities. */
lf_status lf_prior_of_model(lf_context *ctx, const lf_problem *problem, const lf_model *model, lf_prior_options options,
                            lf_prior *prior);
/* For a structure at its starting values, and the engine that it is fitted with. Const from then on. */
lf_status lf_prior_create(lf_context *ctx, const lf_problem *problem, const lf_structure *s, lf_prior *prior);
void lf_prior_clear(lf_prior *prior);

/* The part of a model given by equations: priors and limits of its constants, amplitudes and lengthscales. T and g as in prior.c. */
void lf_system_prior(const lf_model *model, double span, double gap, lf_prior *prior);

/* The sensitivity to this force, of an output with the given time scale, that counts as much as 1 to a force of variance 1: a white force has
 * a variance per time. */
double lf_sensitivity_unit(const lf_force *force, double time);

/* The part that concerns several parameters at once: log density at theta, up to a constant; its gradient by theta is added. time (outputs):
 * as in lf_prior. */
double lf_share_prior(const lf_model *model, const double *time, const double *theta, double *gradient);

/* Moves the free parameters of a model into their limits. */
lf_status lf_clamp_to_bounds(lf_context *ctx, const lf_prior *prior, lf_model *model);

#endif
