/* What comparisons may cost. */
#ifndef LF_SELECT_AFFORDABLE_H
#define LF_SELECT_AFFORDABLE_H

#include "select/candidates.h"

/* Whether the proposals are compared, and by which engine and with which part of the usual iterations; what is too expensive and was not
 * asked for is not, and a note says what asks for it. */
lf_status lf_afford(lf_search *search, const lf_proposals *list, lf_candidates *set, int *affordable);

#endif
