/* Smaller structures for the limits of memory and of work. */
#ifndef LF_SELECT_WITHIN_LIMITS_H
#define LF_SELECT_WITHIN_LIMITS_H

#include "select/proposer.h"

/* Alternatives in order, as far as `open` allows; how many of them have inducing values, which come first. `words` of each give the same without
 * limits. */
size_t lf_propose_smaller(const lf_search *search, unsigned open, lf_proposals *list);

#endif
