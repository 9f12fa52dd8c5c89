/* The model behind lf_model: forces, outputs, and the flat list of their parameters, theta. */
#ifndef LF_MODEL_MODEL_H
#define LF_MODEL_MODEL_H

#include <complex.h>

#include "base/axis.h"
#include "latentforce.h"
#include "likelihood/likelihood.h"
#include "model/access.h"
#include "model/force_kernel.h"
#include "model/force_terms.h"
#include "model/operator.h"
#include "model/system.h"

struct json_t;

typedef enum lf_initial { LF_INITIAL_ZERO, LF_INITIAL_STATIONARY, LF_INITIAL_FREE } lf_initial;

/* A force: u_q, or the private force of one output. */
typedef struct lf_force {
    char *name;                    /* in a model given by equations; else NULL */
    const lf_force_kernel *kernel; /* of a plain force; NULL: it is composed */
    int lengthscale_count;         /* of a plain force: 1 or p */
    double *lengthscale;           /* (lengthscale_count) */
    int term_count;                /* of a composed force; 0: it is plain */
    lf_force_term *terms;          /* (term_count) */
    char *formula;                 /* of the terms, without values (kernel_formula.h) */
    int inducing_count;
    double *inducing;      /* (inducing_count, p) inducing inputs */
    double inducing_noise; /* variance added to the covariance of the inducing values */
    int first_parameter;   /* index of the first parameter of its kernel in theta */
} lf_force;

typedef struct lf_output {
    char *name;
    char *unit; /* of its values; NULL: not known */
    const lf_operator *op;
    int order;          /* P; 0 for gaussian */
    int constant_count; /* ode1: 1, ode2: 3, ode: P + 1, gaussian: 1 or p */
    double *constants;
    double *gain;          /* (known inputs) factor of each in the equation of the output; NULL in a system */
    double *sensitivity;   /* (Q) */
    double sensitivity_sd; /* prior standard deviation of each about its value; 0: they are exact */
    double
        variance_inflation;   /* factor of the variance of its predictions, without noise, found by calibration; 0: 1 */
    double *initial_variance; /* (P) prior variance of f^(k) at the origin; used by LF_INITIAL_FREE */
    double noise_variance;    /* of the scaled output */
    const lf_likelihood *likelihood; /* of its readings; NULL: Gaussian */
    double likelihood_number;        /* that of the likelihood, where it has one */
    double offset, scale;
    int has_private;
    lf_force private_force;
    double private_amplitude; /* sensitivity of the output to its private force */
    int first_parameter;      /* index of its first constant in theta */
    double reading_error[3];  /* of time constant, natural frequency, damping ratio; NaN: unknown */
} lf_output;

typedef enum lf_transform { LF_TRANSFORM_IDENTITY, LF_TRANSFORM_LOG } lf_transform;

/* One entry of theta. `value` points into a force or an output of the same model. A parameter with the log transform
 * and the value 0 is fixed too: lf_parameter_is_fixed tests for both. */
typedef struct lf_parameter_entry {
    char *name, *theta_name;
    lf_transform transform;
    int nonzero; /* 0 is not a possible value: lengthscales, precisions, leading coefficients */
    double *value;
    double lower, upper;
    int fixed, fixed_by_default;
    int tied_to;           /* index of the leader, which is itself not tied; -1: not tied */
    double standard_error; /* of the value; NaN: unknown */
} lf_parameter_entry;

typedef struct lf_standardisation {
    double offset, scale;
} lf_standardisation;

/* A measured input of the dynamics. Its readings come with the data. */
typedef struct lf_known_input {
    char *name;
    lf_hold hold; /* between two readings */
    char *unit;   /* of its readings; NULL: not known */
} lf_known_input;

struct lf_model {
    int input_dim;              /* p */
    lf_standardisation *inputs; /* (p) the model is in terms of (x - offset) / scale; NULL: in terms of x */
    lf_axis *axes;              /* (p) what the inputs measure; NULL: not known */
    double origin;              /* t0 */
    lf_initial initial;
    int force_count, output_count; /* Q, D */
    lf_force *forces;
    lf_output *outputs;
    int known_count;
    lf_known_input *known; /* (known_count) */
    lf_system *system;     /* NULL: every output has an operator of its own */
    char **names;          /* (inputs, forces, states of the system, NULL) as lf_model_name() gives them */
    size_t parameter_count;
    lf_parameter_entry *parameters;
    struct json_t *columns; /* headings of the files that it was fitted to, or NULL; shared between copies */
    struct json_t *provenance, *posterior; /* as in the file, or NULL; shared between copies, never modified */
};

/* From now on the inputs measure what the axes (p) say; they are copied. */
lf_status lf_model_set_axes(lf_context *ctx, lf_model *model, const lf_axis *axes);
/* The axis of an input; one that says nothing where the model has none. */
const lf_axis *lf_model_axis(const lf_model *model, int input);

/* The heading of the column in the files that the model was fitted to; NULL: the usual one. */
const char *lf_model_heading(const lf_model *model, lf_heading which);
/* heading: NULL for the usual one. */
lf_status lf_model_set_headings(lf_context *ctx, lf_model *model, char *const heading[LF_HEADING_COUNT]);

/* A model of one scaled output (offset 0, scale 1) with its private force and without the shared forces. */
lf_status lf_model_alone(lf_context *ctx, const lf_model *model, int output, lf_model **alone);

/* (x - offset) / scale of one input, and its inverse. */
double lf_input_seen(const lf_model *model, int input, double x);
double lf_input_raw(const lf_model *model, int input, double scaled);

/* The likelihood of the readings of an output, and whether any of a model is not Gaussian. */
const lf_likelihood *lf_output_likelihood(const lf_output *output);
/* From now on readings have this likelihood, its number where a fit starts, no noise where it has none. The parameters must be built again. */
void lf_output_take_likelihood(lf_output *output, const lf_likelihood *likelihood);
int lf_model_has_likelihoods(const lf_model *model);

/* Whether the model has any force, shared or private. */
int lf_model_has_force(const lf_model *model);
/* Whether any output has uncertain sensitivities. */
int lf_model_has_uncertain_sensitivities(const lf_model *model);
/* The name of the kernel of a force, or its formula. */
const char *lf_force_kernel_text(const lf_force *force);
/* The first composed force, shared or private, or NULL. */
const lf_force *lf_model_composed_force(const lf_model *model);
/* Whether a force is rough, and whether any of a model is: its spectral density has an algebraic tail, as that of Matern kernels. */
int lf_force_is_rough(const lf_force *force);
int lf_model_has_rough_force(const lf_model *model);

/* The constants of the operator of an output, for a model with p inputs. */
lf_constants lf_output_constants(const lf_output *output, int input_dim);

/* Whether an output starts at the origin: an ODE with a zero or free start. */
int lf_starts_at_origin(const lf_model *model, int output);
/* Whether its initial state is random: an ODE with a free start. */
int lf_has_initial_state(const lf_model *model, int output);

/* A target is an output (0 … D-1), a force (D … D+Q-1), the rate of change of an output (D+Q … 2D+Q-1) or a state of a model given by
 * equations (2D+Q …). */
int lf_target_count(const lf_model *model);
int lf_target_output(const lf_model *model, int target); /* of an output or its rate; -1 for others */
int lf_target_force(const lf_model *model, int target);  /* -1 for others */
int lf_target_state(const lf_model *model, int target);  /* -1 for others */
int lf_target_is_rate(const lf_model *model, int target);
/* Whether a target has a value at an instant: not a white force, nor the rate of an output of first order that one drives. */
int lf_target_has_value(const lf_model *model, int target);
static inline int lf_target_is_force(const lf_model *model, int target) { return lf_target_force(model, target) >= 0; }

/* Indices in theta; -1 where the parameter does not exist. */
int lf_index_kernel(const lf_model *model, int force);          /* first of lf_force_parameter_count() */
int lf_index_inducing_noise(const lf_model *model, int force);  /* forces with inducing inputs or inducing noise */
int lf_index_inducing(const lf_model *model, int force);        /* first of inducing_count * p */
int lf_index_private_kernel(const lf_model *model, int output); /* first of lf_force_parameter_count() */
int lf_index_private_amplitude(const lf_model *model, int output);
int lf_index_constants(const lf_model *model, int output);   /* first of constant_count */
int lf_index_sensitivity(const lf_model *model, int output); /* first of Q */
int lf_index_noise(const lf_model *model, int output);
int lf_index_offset(const lf_model *model, int output);
int lf_index_likelihood_number(const lf_model *model, int output);
int lf_index_gain(const lf_model *model, int output);             /* first of known_count */
int lf_index_initial_variance(const lf_model *model, int output); /* first of P; free start */

/* Writes the names of inputs, forces and states after the axes have changed; lf_parameters_build does it too. */
lf_status lf_model_write_names(lf_context *ctx, lf_model *model);
void lf_model_clear_names(lf_model *model);

/* Builds the parameter list of a model whose forces and outputs are complete. */
lf_status lf_parameters_build(lf_context *ctx, lf_model *model);
/* Builds it again after parts of the model were added or removed. Fixing, bounds and ties are kept. */
lf_status lf_parameters_rebuild(lf_context *ctx, lf_model *model);
void lf_parameters_clear(lf_model *model);

/* Removes the posterior, or the standard errors. Both hold only for the parameter values at which they were
 * computed. */
void lf_model_drop_posterior(lf_model *model);
void lf_model_drop_errors(lf_model *model);

/* Whether an optimiser must not change it: marked as fixed, or log transform and value 0. */
int lf_parameter_is_fixed(const lf_model *model, size_t index);
/* The parameters that are neither fixed nor tied: their number and, unless NULL, their indices. */
size_t lf_free_parameters(const lf_model *model, size_t *index);

/* Turns the gradient by natural values into the gradient by theta, in place: chain rule of the transforms; the entries
 * of tied parameters are added to those of their leaders. */
void lf_parameters_chain(const lf_model *model, double *gradient);

/* Whether every root of the ODE of an output has a negative real part (gaussian: 1). Stores the root with the largest
 * real part in *rightmost unless that is NULL; NaN if there is none. */
int lf_output_stable(const lf_output *output, double complex *rightmost);

/* Checks the values of a model: ranges, stability for a stationary start, operators that match the number of inputs.
 * `name` is the name of the file, for messages. */
lf_status lf_model_check(lf_context *ctx, const lf_model *model, const char *name);

#endif
