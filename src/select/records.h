/* The shapes that were compared by short fits: for the result of a fit, and for its notes. */
#ifndef LF_SELECT_RECORDS_H
#define LF_SELECT_RECORDS_H

#include "select/candidates.h"

/* Those of a comparison that were not recorded before, and which of all is chosen. Extensions have no shape of their own. */
void lf_record_candidates(lf_search *search, const lf_candidates *set, size_t winner);

/* Gives them to the result, with a note. */
lf_status lf_keep_records(lf_search *search, lf_fit_result *result);

#endif
