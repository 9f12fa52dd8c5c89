/* The cost of a comparison. */
#include "select/affordable.h"

#include <math.h>

#include "base/context.h"
#include "data/data.h"
#include "inference/estimate.h"
#include "inference/first_stage.h"

/* Refits, by the work of one of them. */
static lf_status afford_refits(lf_search *search, int *affordable)
{
    lf_fit_estimate e;
    double work = INFINITY;
    lf_status status = lf_estimate_fit(search->ctx, search->problem, search->plan, search->best, &e);
    if (!status && isfinite(e.bytes)) {
        status = lf_expected_work(search->ctx, search->problem, search->best, e.choice.cost, &work);
    }
    *affordable = work <= lf_threshold.fewer_work;
    return status;
}

/* The operations of an evaluation of the largest candidate by the engine of a fit; infinite: no engine can evaluate it, and the fit will say why. */
static lf_status count_operations(lf_search *search, const lf_proposals *list, const lf_candidates *set)
{
    lf_structure s = {0};
    lf_fit_estimate e = {.bytes = INFINITY};
    int extends = list->each[0].extend != NULL;
    lf_status status = extends ? lf_candidate_make(search->ctx, set, &list->each[0], &s) : LF_OK;
    LF_TRY(status, lf_estimate_fit(search->ctx, search->problem, search->plan, extends ? &s : search->best, &e));
    search->operations = isfinite(e.bytes) ? e.choice.cost : INFINITY;
    lf_structure_clear(&s);
    return status;
}

static void note(const lf_search *search, const lf_proposal *p)
{
    lf_note(search->ctx, "%s; for %zu rows %s", p->seen, lf_data_count(search->problem->observed, LF_KIND_ROW),
            p->option);
    lf_report_decide(search->report, "an evaluation is too expensive for a comparison", p->extend ? "no %s" : "%s",
                     p->what);
}

lf_status lf_afford(lf_search *search, const lf_proposals *list, lf_candidates *set, int *affordable)
{
    *affordable = 0;
    if (set->score == LF_BY_HELD_OUT) {
        return afford_refits(search, affordable);
    }
    lf_status status = count_operations(search, list, set);
    if (status) {
        return status;
    }
    set->share = fmin(lf_threshold.expensive / search->operations, 1);
    *affordable = list->asked || set->share == 1;
    if (!*affordable && isfinite(search->operations) && *list->each[0].option) {
        note(search, &list->each[0]);
    }
    return LF_OK;
}
