/* The matrices of the mean of a model: those of its equations, or those of the operators of its outputs, each of which obeys
 *
 *   a_0 f^(P) + … + a_P f = forces + sum_i gain_i v_i */
#ifndef LF_DYNAMICS_LINEAR_SYSTEM_H
#define LF_DYNAMICS_LINEAR_SYSTEM_H

#include "model/model.h"

/* Fails for a model with known inputs and an output that is not a differential equation. */
lf_status lf_linear_system_create(lf_context *ctx, const lf_model *model, lf_system_matrices *matrices);
lf_status lf_linear_system_evaluate(lf_context *ctx, const lf_model *model, lf_system_matrices *matrices);
/* gradient[i] += derivative by natural parameter i, given `by` for each entry. */
lf_status lf_linear_system_backward(lf_context *ctx, const lf_model *model, const lf_system_matrices *matrices,
                                    const lf_system_matrices *by, double *gradient);

/* The mean of a state at the start, where that is a parameter of the system. */
double lf_linear_system_start(const lf_model *model, const lf_system_matrices *matrices, int state);

#endif
