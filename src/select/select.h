/* The choice of the structure that is fitted. Proposers, one file each, say what is compared; select.c has their table and compares. What is
 * done depends on data and plan only, not on time or on the number of threads. */
#ifndef LF_SELECT_SELECT_H
#define LF_SELECT_SELECT_H

#include "base/monitor.h"
#include "plan/stage_report.h"
#include "plan/structure.h"

enum { LF_MOST_RECORDS = 32 };

/* The best structure so far, and what is known about it. */
typedef struct lf_search {
    lf_context *ctx;
    const lf_problem *problem; /* all its rows are here: several processes choose alone */
    const lf_fit_plan *plan;
    lf_monitor *monitor;     /* a comparison that is stopped leaves the best structure so far */
    lf_structure *best;      /* at its starting values, or after a short fit */
    lf_candidate of_best;    /* its short fit; score -infinite: there was none */
    lf_stage_report *report; /* of the present proposer */
    double operations;       /* of an evaluation of the largest candidate compared last */
    size_t record_count;     /* shapes that were compared by short fits */
    lf_candidate records[LF_MOST_RECORDS];
} lf_search;

/* Improves a structure whose model was made for the data, the plan permitting. The result takes the shapes that were compared. */
lf_status lf_select(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_monitor *monitor,
                    lf_structure *best, lf_fit_result *result, lf_reports *reports);

/* Something smaller in place of a structure that is beyond the limit of memory or of work. */
lf_status lf_keep_within_limits(lf_search *search);

/* The same by one proposer. */
struct lf_proposer;
lf_search lf_search_begin(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_monitor *monitor,
                          lf_structure *best);
lf_status lf_select_by(lf_search *search, const struct lf_proposer *proposer);

#endif
