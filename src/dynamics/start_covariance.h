/* The covariance of the states at the first time of a timeline.
 *
 * The state space has that at the origin, P. All parts of it are the same at every time at which a run may start, but for linear
 * forces: their slope z, a state with variance 1, moves the states along a straight line, g(T) = g + T F g, where g = Cov[x, z] at
 * the origin is a column of P, T is the time from the origin, and F is that before the origin unless the start is stationary. So
 *
 *   P(T) = P - g g' + g(T) g(T)' */
#ifndef LF_DYNAMICS_START_COVARIANCE_H
#define LF_DYNAMICS_START_COVARIANCE_H

#include "dynamics/state_space.h"

/* P (n, stride) at a time of the model. */
void lf_start_covariance(const lf_state_space *space, double time, double *P);
/* by_P at the time becomes by_P at the origin; by_F += derivative. */
void lf_start_covariance_backward(const lf_state_space *space, double time, double *by_P, double *by_F);

#endif
