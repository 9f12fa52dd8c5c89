/* The state space of a model given by equations, x' = A x + B v + L u + c:
 *
 *   states of the forces that are not white, as in state_space.h, then x
 *   F = [ F_forces   0 ]     W = [ W_forces          0              ]     h_d = [ E_d amplitude c', C_d ]
 *       [ L a c'     A ]         [ 0      sum_white L L' sd^2       ]
 *
 * The known inputs v move only the mean, which is treated apart (known_response.h). x starts with the variances of the start or, in a
 * steady system, with the stationary covariance. */
#ifndef LF_DYNAMICS_SYSTEM_SPACE_H
#define LF_DYNAMICS_SYSTEM_SPACE_H

#include "dynamics/state_space.h"

/* The parts of the functions of state_space.h for these models. */
lf_status lf_system_space_layout(lf_context *ctx, lf_state_space *space);
lf_status lf_system_space_move(lf_context *ctx, lf_state_space *space);
/* P at the start of a system that is not steady; it was 0. */
void lf_system_space_start(lf_state_space *space);
lf_status lf_system_space_backward(lf_context *ctx, const lf_state_space *space, const double *by_F, const double *by_W,
                                   const double *by_P, const double *by_H, double *gradient);
/* For both kinds of models: the rows of F of the integrators; the stationary covariance, with integrators at 0. */
void lf_state_space_fill_integrators(lf_state_space *space);
lf_status lf_state_space_stationary(lf_context *ctx, lf_state_space *space);
void lf_system_space_row(const lf_state_space *space, int target, double *row);

#endif
