/* How forces drive the states of outputs. */
#ifndef LF_DYNAMICS_GAINS_H
#define LF_DYNAMICS_GAINS_H

#include "dynamics/state_space.h"

/* The factor of a force in the equation of output d: S_dq, the private amplitude, or 0. */
double lf_force_coupling(const lf_state_space *space, const lf_force_states *states, int d);
/* The same in the equation of its last state, given the leading coefficient a_0 of the equation. */
double lf_force_gain(const lf_state_space *space, const lf_force_states *states, int d, double leading);
/* The gains (D) of a white force, 0 for outputs that are left out. */
void lf_white_gains(const lf_state_space *space, const lf_force_states *states, double *gains);

/* The index of the last state of output d. */
size_t lf_last_state(const lf_state_space *space, int d);
/* Whether outputs start with their initial variances. */
int lf_space_is_free(const lf_state_space *space);

#endif
