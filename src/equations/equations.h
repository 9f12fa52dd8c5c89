/* Linear systems written as equations. A text is compiled to
 *
 *     x' = A x + B v + L u + c,      y = C x + D v + E u + d,
 *
 * with x the variables and their derivatives below the highest order, v the known inputs, u the forces. Every coefficient is an
 * expression in the parameters; values and exact derivatives come from a tape. docs/equations.md describes the language.
 *
 * Amplitudes and lengthscales of forces and the noise of outputs are not parameters of the expressions: the caller owns them. L and E are
 * the coefficients of the force symbols. */
#ifndef LF_EQUATIONS_EQUATIONS_H
#define LF_EQUATIONS_EQUATIONS_H

#include <stddef.h>

#include "latentforce.h"

typedef enum lf_hold { LF_HOLD_LINEAR, LF_HOLD_CONSTANT, LF_HOLD_IMPULSE } lf_hold;
typedef enum lf_eq_prior { LF_EQ_PRIOR_NONE, LF_EQ_PRIOR_NORMAL, LF_EQ_PRIOR_LOGNORMAL } lf_eq_prior;
typedef enum lf_eq_start { LF_EQ_START_DEFAULT, LF_EQ_START_REST, LF_EQ_START_STEADY } lf_eq_start;

/* A `position` is an offset in the text, for lf_equations_fail. Names are owned by the equations. */

typedef struct lf_eq_input {
    const char *name;
    lf_hold hold;
    int used; /* in an equation or an output */
    size_t position;
} lf_eq_input;

/* A number with which the caller starts one of its own parameters. */
typedef struct lf_eq_number {
    double value; /* NaN: not given */
    int fixed;
} lf_eq_number;

typedef struct lf_eq_force {
    const char *name;
    const char *kernel; /* as written; NULL: the default kernel. For a white force "white" */
    int white;
    int used;
    lf_eq_number lengthscale; /* not of a white force */
    lf_eq_number
        amplitude;       /* of a white force: its sd, the square root of the variance of its integral over a time 1 */
    int amplitude_given; /* 0 and amplitude.fixed: 1, because a parameter multiplies every occurrence */
    size_t position;     /* of the name */
    size_t kernel_position;
} lf_eq_force;

typedef struct lf_eq_variable {
    const char *name;
    int order;       /* of its highest derivative, at least 1 */
    int first_state; /* its derivatives 0 … order-1 are the states first_state … */
    size_t position; /* where it stands first */
} lf_eq_variable;

typedef struct lf_eq_parameter {
    const char *name;
    double value; /* NaN: none given */
    int declared;
    int fixed;
    int positive;        /* 0: may have any sign */
    double lower, upper; /* 0 and infinity, or both infinite, unless declared */
    lf_eq_prior prior;
    double prior_at;    /* normal: the mean; lognormal: the median */
    double prior_width; /* standard deviation of the value, or of its logarithm */
    int used;           /* the matrices or the start depend on it */
    int line;
    size_t position;
} lf_eq_parameter;

typedef struct lf_eq_output {
    const char *name;
    lf_eq_number noise; /* standard deviation of a reading */
    double width;       /* a reading is the mean over the preceding width; 0: the value at the instant */
    size_t position;
} lf_eq_output;

typedef struct lf_eq_quantity {
    const char *name;
    size_t position;
} lf_eq_quantity;

/* start NAME ~ normal(m, s): see start_mean and start_sd of the matrices. */
typedef struct lf_eq_state_start {
    int state;
    size_t position;
} lf_eq_state_start;

/* The compiled statements. Nothing in them changes after parsing; threads may share them. */
typedef struct lf_equations {
    const char *time_unit; /* "ms", "s", "min", "h", "d", "a"; NULL: not said */
    int input_count, force_count, variable_count, parameter_count, output_count, quantity_count;
    const lf_eq_input *inputs;
    const lf_eq_force *forces;
    const lf_eq_variable *variables;
    const lf_eq_parameter *parameters; /* in the order in which the text mentions them */
    const lf_eq_output *outputs;
    const lf_eq_quantity *quantities;
    lf_eq_start start;
    int start_count;
    const lf_eq_state_start *starts;
    int state_count; /* n */
    struct lf_eq_program *program;
} lf_equations;

/* Compiles a text. `name` is that of its file: messages are "house.eq:4:12: …", then the line and a caret underneath. Names that are
 * declared and not used give notes. */
lf_status lf_equations_parse(lf_context *ctx, const char *text, const char *name, lf_equations **equations);
void lf_equations_free(lf_equations *equations);
/* The text as it was given. */
const char *lf_equations_text(const lf_equations *equations);
/* "x''" for a state that is the second derivative of x. */
void lf_equations_state_name(const lf_equations *equations, int state, size_t size, char *name);
/* A failure with LF_ERROR_MODEL that points at a position of the text. */
lf_status lf_equations_fail(lf_context *ctx, const lf_equations *equations, size_t position, const char *format, ...)
    LF_PRINTF(4, 5);

/* All matrices are row-major and parts of one array. */
typedef struct lf_system_matrices {
    int n, inputs, forces, outputs;
    double *A;          /* (n, n) */
    double *B;          /* (n, inputs); of an impulse: the jump of the state for a dose of 1 */
    double *L;          /* (n, forces) */
    double *c;          /* (n) */
    double *C;          /* (outputs, n) */
    double *D;          /* (outputs, inputs) */
    double *E;          /* (outputs, forces) */
    double *d;          /* (outputs) */
    double *start_mean; /* (n) NaN where there is no start statement */
    double *start_sd;   /* (n) the same */
    size_t value_count; /* of all of them together, from A on */
    struct lf_eq_workspace *workspace;
} lf_system_matrices;

/* Matrices of zeros with the room that evaluation needs. One thread at a time may use them. */
lf_status lf_system_matrices_create(lf_context *ctx, const lf_equations *equations, lf_system_matrices *matrices);
void lf_system_matrices_clear(lf_system_matrices *matrices);

/* The matrices at parameter values (parameter_count). Fails where a coefficient is not finite or where the equations cannot be solved for
 * the highest derivatives. */
lf_status lf_equations_evaluate(lf_context *ctx, const lf_equations *equations, const double *parameters,
                                lf_system_matrices *matrices);
/* Adds to gradient (parameter_count) the derivative of a scalar whose derivatives by each entry are `by`. `matrices` must have been
 * evaluated at these parameters. Entries of by->start_… where there is no start statement are ignored. */
lf_status lf_equations_backward(lf_context *ctx, const lf_equations *equations, const double *parameters,
                                const lf_system_matrices *matrices, const lf_system_matrices *by, double *gradient);
/* The eigenvalues of A (n each); those of a pair are adjacent. */
lf_status lf_system_modes(lf_context *ctx, const lf_system_matrices *matrices, double *real, double *imaginary);
/* The rate at which the slowest of n modes decays, given their real parts. Fails where one does not. */
lf_status lf_system_slowest_decay(lf_context *ctx, size_t n, const double *real, double *rate);
/* b (n) becomes A^-1 b or, transposed, A'^-1 b. Fails with LF_ERROR_MODEL where A is singular: there is no steady state. */
lf_status lf_system_solve(lf_context *ctx, const lf_system_matrices *matrices, int transposed, double *b);
/* values (quantity_count); gradient (quantity_count, parameter_count) or NULL. */
lf_status lf_equations_quantities(lf_context *ctx, const lf_equations *equations, const double *parameters,
                                  double *values, double *gradient);

#endif
