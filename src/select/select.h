/* The choice of the structure that is fitted. Proposers, one file each, improve the best structure so far, one after the other; select.c
 * has their table. What is done depends on data and plan only, not on time or on the number of threads. */
#ifndef LF_SELECT_SELECT_H
#define LF_SELECT_SELECT_H

#include "base/monitor.h"
#include "plan/stage_report.h"
#include "plan/structure.h"

/* What a proposer works with. */
typedef struct lf_search {
    lf_context *ctx;
    const lf_problem *problem; /* all its rows are here: several processes choose alone */
    const lf_fit_plan *plan;
    lf_monitor *monitor;     /* a proposer that is stopped leaves the best structure so far */
    lf_structure *best;      /* at its starting values, or after a short fit */
    lf_fit_result *result;   /* takes the shapes that were compared */
    lf_stage_report *report; /* of the proposer */
} lf_search;

/* Improves a structure whose model was made for the data, the plan permitting. */
lf_status lf_select(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_monitor *monitor,
                    lf_structure *best, lf_fit_result *result, lf_reports *reports);

/* ---- the proposers ---- */

/* Something smaller where the structure is beyond the limit of memory or of work. */
lf_status lf_propose_within_limits(lf_search *search);
/* Fewer forces, where the components of many outputs suggest that they may do. */
lf_status lf_propose_components(lf_search *search);
/* Operators, kernels and numbers of forces: those that the options ask to compare and, for few outputs, numbers of forces, also of white ones. */
lf_status lf_propose_shapes(lf_search *search);
/* Forces that repeat, with periods that the rows show. */
lf_status lf_propose_cycles(lf_search *search);

#endif
