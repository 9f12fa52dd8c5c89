/* A model given by equations: one linear system drives all outputs. Beside it stand the forces that are not white and the outputs of
 * the model, whose operators, sensitivities, offsets and scales are not used. */
#ifndef LF_MODEL_SYSTEM_H
#define LF_MODEL_SYSTEM_H

#include "equations/equations.h"
#include "model/operator.h"

struct lf_model;
struct lf_shared_equations; /* equations, and how many models hold them */

typedef struct lf_system {
    struct lf_shared_equations *shared;
    const lf_equations *equations;
    double *constants; /* (parameters of the equations) */
    double *amplitude; /* (forces of the equations); of a white force its sd */
    int *force;        /* (forces of the equations) its index among the forces of the model; -1: it is white */
    double *start_mean, *start_sd; /* (states) at the origin, where the equations do not say */
    double *quantity_error;        /* (quantities) standard errors; NaN: not known */
    int first_parameter;           /* index of the first constant in theta; the amplitudes follow */
    int disturbed; /* all matrices are computed with one more rounding error in every entry, to see what that changes */
} lf_system;

/* Replaces the system of `model` by a copy that shares the equations. 0: no memory. */
int lf_system_duplicate(struct lf_model *model);
void lf_system_free(lf_system *system);

/* Indices in theta of a model with a system. */
int lf_index_system_constants(const struct lf_model *model);
int lf_index_amplitudes(const struct lf_model *model);

/* The matrices at the constants of the system. */
lf_status lf_system_evaluate(lf_context *ctx, const lf_system *system, lf_system_matrices *matrices);

/* Whether the equations have a start statement for a state. */
int lf_system_start_is_given(const lf_equations *equations, int state);

#endif
