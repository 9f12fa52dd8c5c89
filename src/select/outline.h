/* What the selection would compare, before anything is fitted: for the printed plan. */
#ifndef LF_SELECT_OUTLINE_H
#define LF_SELECT_OUTLINE_H

#include "select/select.h"

typedef struct lf_outline {
    const char *name; /* of the proposer */
    char what[320];   /* "1, 2, 3 forces"; "none" */
    char cost[240];   /* of the comparison */
} lf_outline;

enum { LF_MOST_OUTLINES = 8 };

/* For a structure at its starting values, within the limits; what proposers add to a fitted model is not known yet. */
lf_status lf_outline_proposals(lf_search *search, size_t *count, lf_outline list[LF_MOST_OUTLINES]);

#endif
