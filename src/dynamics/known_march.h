/* Pieces of the march of the response to the known inputs, which its gradient uses too. */
#ifndef LF_DYNAMICS_KNOWN_MARCH_H
#define LF_DYNAMICS_KNOWN_MARCH_H

#include "dynamics/known_response.h"

/* The transition of the gap before a step; NULL: the gap is 0. */
const double *lf_known_transition(lf_known_response *response, size_t step);
/* z (states): x after the impulses of a step, inputs and slopes from there on. */
void lf_known_state_after(const lf_known_response *response, size_t step, double *z);

#endif
