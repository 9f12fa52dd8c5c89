/* Forces that vary as fast as the readings can show. The readings tell nothing about the lengthscale of such a force, and a
 * differential equation of first order makes something smoother than a random walk of it: white forces are tried in its place,
 * unless the options name kernels. */
#ifndef LF_SELECT_PROPOSE_WHITE_H
#define LF_SELECT_PROPOSE_WHITE_H

#include "select/candidates.h"

enum { LF_ROOM_FOR_WHITE = 4 }; /* candidates: lf_threshold.white_forces */

/* Whether white forces are tried in place of those of the candidate that is ahead. */
int lf_tries_white(const lf_comparison *c);
/* Compares candidates like the usual one, but with white forces. */
lf_status lf_compare_white(lf_comparison *c, const lf_candidate *usual);

#endif
