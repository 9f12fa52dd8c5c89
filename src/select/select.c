/* The loop over the proposers. */
#include "select/select.h"

static const struct {
    const char *name;
    lf_status (*propose)(lf_search *search);
} proposers[] = {{"limits", lf_propose_within_limits},
                 {"components", lf_propose_components},
                 {"shapes", lf_propose_shapes},
                 {"cycles", lf_propose_cycles}};

lf_status lf_select(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_monitor *monitor,
                    lf_structure *best, lf_fit_result *result, lf_reports *reports)
{
    lf_problem here = *problem;
    lf_search search = {.ctx = ctx, .problem = &here, .plan = plan, .monitor = monitor, .best = best, .result = result};
    lf_status status = LF_OK;
    here.local = NULL;
    for (size_t i = 0; !problem->given && i < sizeof proposers / sizeof *proposers; i++) {
        if (!status && !lf_monitor_stopped(monitor)) {
            search.report = lf_report_begin(reports, proposers[i].name);
            status = proposers[i].propose(&search);
            lf_report_end(search.report);
            lf_report_drop_empty(reports);
        }
    }
    return status;
}
