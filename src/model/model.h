/* The model behind lf_model: outputs, forces, and the flat list of their parameters. */
#ifndef LF_MODEL_MODEL_H
#define LF_MODEL_MODEL_H

#include <complex.h>

#include "latentforce.h"
#include "model/operator.h"
#include "model/spectrum.h"

struct json_t;

typedef enum lf_initial { LF_INITIAL_ZERO, LF_INITIAL_STATIONARY, LF_INITIAL_FREE } lf_initial;

/* u_q, or the private force of one output. */
typedef struct lf_force {
    const lf_spectrum *kernel;
    int lengthscale_count; /* 1 or p */
    double *lengthscale;   /* (lengthscale_count) */
    int inducing_count;
    double *inducing;      /* (inducing_count, p) */
    double inducing_noise; /* variance added to the covariance of the inducing values */
    int first_parameter;   /* index of its first lengthscale in theta */
} lf_force;

typedef struct lf_output {
    char *name;
    const lf_operator *op;
    int order;          /* P; 0 for gaussian */
    int constant_count; /* ode1: 1, ode2: 3, ode: P + 1, gaussian: 1 or p */
    double *constants;
    double *sensitivity;      /* (Q) */
    double sensitivity_sd;    /* how far each of them may be from that; 0: they are known */
    double *initial_variance; /* (P) prior variance of f^(k) at the origin; used by LF_INITIAL_FREE */
    double noise_variance;    /* of the scaled output */
    double offset, scale;
    int has_private;
    lf_force private_force;
    double private_amplitude; /* sensitivity of the output to its private force */
    int first_parameter;      /* index of its first constant in theta */
    double reading_error[3];  /* standard errors of time constant, natural frequency, damping ratio; NaN: not known */
} lf_output;

typedef enum lf_transform { LF_TRANSFORM_IDENTITY, LF_TRANSFORM_LOG } lf_transform;

/* One entry of theta. `value` points into a force or an output of the same model. A logarithm whose value is 0 cannot
 * move either, whatever `fixed` says: ask lf_parameter_is_fixed. */
typedef struct lf_parameter_entry {
    char *name, *theta_name;
    lf_transform transform;
    int nonzero; /* 0 is not a possible value: lengthscales, precisions, leading coefficients */
    double *value;
    double lower, upper;
    int fixed, fixed_by_default;
    int tied_to;           /* never itself tied */
    double standard_error; /* of the value; NaN: not known */
} lf_parameter_entry;

struct lf_model {
    int input_dim;         /* p */
    lf_input_info *inputs; /* (p) the model sees (x - offset) / scale; NULL: it sees x */
    double origin;         /* t0 */
    lf_initial initial;
    int force_count, output_count; /* Q, D */
    lf_force *forces;
    lf_output *outputs;
    size_t parameter_count;
    lf_parameter_entry *parameters;
    struct json_t *provenance, *posterior; /* as read, or NULL; shared between copies and never modified */
};

/* The model of one scaled output without the forces that it shares with others. */
lf_status lf_model_alone(lf_context *ctx, const lf_model *model, int output, lf_model **alone);

/* An input as the model sees it, from the units of the data, and back. */
double lf_input_seen(const lf_model *model, int input, double x);
double lf_input_raw(const lf_model *model, int input, double seen);

/* Whether anything drives the outputs: a shared or a private force. */
int lf_model_has_force(const lf_model *model);

/* The constants of an output's operator, of a model with p inputs. */
lf_constants lf_output_constants(const lf_output *output, int input_dim);

/* Whether the motion of an output starts at the origin: an ODE that has not run forever. */
int lf_starts_at_origin(const lf_model *model, int output);
/* Whether it starts there from an unknown state. */
int lf_has_initial_state(const lf_model *model, int output);

/* A target is an output (0 … D-1), a force (D … D+Q-1) or the rate of change of an output (D+Q … 2D+Q-1). */
int lf_target_output(const lf_model *model, int target); /* of an output or its rate; -1 for a force */
int lf_target_force(const lf_model *model, int target);  /* -1 for others */
int lf_target_is_rate(const lf_model *model, int target);

/* Where the parameters of one thing stand in theta; -1 where it has none. */
int lf_index_lengthscale(const lf_model *model, int force);          /* first of lengthscale_count */
int lf_index_inducing_noise(const lf_model *model, int force);       /* of forces that say something about inducing */
int lf_index_inducing(const lf_model *model, int force);             /* first of inducing_count * p */
int lf_index_private_lengthscale(const lf_model *model, int output); /* first of lengthscale_count */
int lf_index_private_amplitude(const lf_model *model, int output);
int lf_index_constants(const lf_model *model, int output);   /* first of constant_count */
int lf_index_sensitivity(const lf_model *model, int output); /* first of Q */
int lf_index_noise(const lf_model *model, int output);
int lf_index_offset(const lf_model *model, int output);
int lf_index_initial_variance(const lf_model *model, int output); /* first of P; -1 unless the start is free */

/* Builds the parameter list of a model whose forces and outputs are complete. */
lf_status lf_parameters_build(lf_context *ctx, lf_model *model);
/* The same for a model whose parts have changed since: what is fixed, bounded or tied stays so. */
lf_status lf_parameters_rebuild(lf_context *ctx, lf_model *model);
void lf_parameters_clear(lf_model *model);

/* Forget what belongs to the parameters it was made with. */
void lf_model_drop_posterior(lf_model *model);
void lf_model_drop_errors(lf_model *model);

/* Whether an optimiser must leave it alone: fixed, or a logarithm at value 0. */
int lf_parameter_is_fixed(const lf_model *model, size_t index);

/* Gradient by natural values -> gradient by theta, in place: chain rule of the transforms, ties summed into leaders. */
void lf_parameters_chain(const lf_model *model, double *gradient);

/* Whether every root of an output's ODE has a negative real part (gaussian: yes). The root furthest to the right into
 * `rightmost` unless NULL; NaN where there is none. */
int lf_output_stable(const lf_output *output, double complex *rightmost);

/* Checks what must hold between the parts (ranges, stability where it is needed, inputs and operators that go
 * together). `name` stands for the file in the message. */
lf_status lf_model_check(lf_context *ctx, const lf_model *model, const char *name);

#endif
