/* Pieces of the march of the response to the known inputs, which its gradient uses too. */
#ifndef LF_DYNAMICS_KNOWN_MARCH_H
#define LF_DYNAMICS_KNOWN_MARCH_H

#include "dynamics/known_response.h"

/* Solves A x = b (n), in place, or A' x = b. */
lf_status lf_known_solve_steady(lf_context *ctx, const lf_system_matrices *m, int transposed, double *b);
/* The transition of the gap before a step; NULL: the gap is 0. */
const double *lf_known_transition(lf_known_response *response, size_t step);
/* z (states): x after the impulses of a step, inputs and slopes from there on. */
void lf_known_state_after(const lf_known_response *response, size_t step, double *z);

#endif
