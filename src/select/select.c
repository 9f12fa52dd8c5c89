/* In which order what is decided, and by what: the table of proposers, and the loop that compares what they propose. */
#include "select/select.h"

#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/plural.h"
#include "data/data.h"
#include "select/affordable.h"
#include "select/candidates.h"
#include "select/records.h"

/* The shape of the model; after the limits of memory and work. */
static const lf_proposer *const of_shape[] = {&lf_propose_components, &lf_propose_kinds, &lf_propose_forces,
                                              &lf_propose_white};
/* What is added to it. */
static const lf_proposer *const added[] = {&lf_propose_cycles};

#define COUNT(list) (sizeof(list) / sizeof *(list))

const lf_proposer *lf_proposer_at(size_t index)
{
    size_t i = index - COUNT(of_shape);
    return index < COUNT(of_shape) ? of_shape[index] : i < COUNT(added) ? added[i] : NULL;
}

/* ---- proposals ---- */

lf_proposal *lf_proposals_add(const lf_search *search, lf_proposals *list)
{
    if (list->count == LF_MOST_PROPOSALS) {
        return NULL;
    }
    lf_proposal *p = &list->each[list->count++];
    *p = (lf_proposal){.s = lf_structure_like(search->best)};
    p->s.shape = lf_best_shape(search);
    return p;
}

void lf_proposals_clear(lf_proposals *list)
{
    if (list->release) {
        list->release(list->details);
    }
    *list = (lf_proposals){0};
}

lf_shape_options lf_best_shape(const lf_search *search)
{
    lf_shape_options shape = search->best->shape;
    lf_fill_shape(&shape, search->problem->summary->output_count, search->problem->training->input_dim);
    return shape;
}

/* ---- what is said ---- */

/* Why the winner was taken, or the best structure so far was not replaced. */
static void explain(const lf_candidates *set, const lf_trial *best, const lf_trial *winner, size_t size, char *text)
{
    const lf_trial *other = winner != best ? winner : &set->each[set->count - 1];
    if (set->score == LF_BY_HELD_OUT && winner != best) {
        snprintf(text, size, "they predict %zu windows of %.4g that were left out better (mean log density %.3f, %.3f)",
                 winner->refit.windows, set->length, winner->fitted.score, best->fitted.score);
    } else if (set->score == LF_BY_HELD_OUT) {
        snprintf(text, size, "mean log density %.3f in windows left out, %.3f with %d forces", best->fitted.score,
                 other->fitted.score, other->s.shape.forces);
    } else if (other->proposal && other->proposal->extend) {
        snprintf(text, size, "log likelihood %.1f instead of %.1f with %zu more parameters",
                 other->fitted.log_likelihood, best->fitted.log_likelihood,
                 other->fitted.parameters - best->fitted.parameters);
    } else {
        snprintf(text, size, "largest score, %.1f, of %zu shape%s in short fits", winner->fitted.score, set->tried,
                 lf_plural(set->tried));
    }
}

static void tell_extension(lf_search *search, const lf_proposer *p, const lf_trial *tried, int taken,
                           const char *reason)
{
    lf_stage_report *report = search->report;
    lf_note(search->ctx, "%s: %s, %s%s", tried->proposal->seen, taken ? p->taken : p->refused, reason,
            taken ? p->undone : "");
    if (taken || !*report->decision) {
        lf_report_decide(report, reason, "%s%s", taken ? "" : "no ", tried->proposal->what);
    }
}

/* Notes and reports what a comparison came to. */
static void tell(lf_search *search, const lf_proposer *p, const lf_candidates *set, size_t winner)
{
    const lf_trial *best = &set->each[set->incumbent], *taken = &set->each[winner], *last = &set->each[set->count - 1];
    char reason[200];
    explain(set, best, taken, sizeof reason, reason);
    if (last->proposal && last->proposal->extend && isfinite(last->fitted.score)) {
        tell_extension(search, p, last, taken == last, reason);
    } else if (!p->greedy || p->patience) {
        const lf_shape_options *shape = &taken->s.shape;
        lf_report_decide(search->report, reason, "%s, %d %s force%s", shape->operator_type, shape->forces,
                         shape->force_kernel, lf_plural((size_t)shape->forces));
    }
    if (set->score == LF_BY_HELD_OUT && taken != best) {
        lf_note(search->ctx, "%s: %s", taken->proposal->seen, reason);
    }
}

/* ---- comparisons ---- */

/* What was compared replaces the best structure, as it will be fitted: with the prior of the fit. */
static void take(lf_search *search, lf_candidates *set)
{
    lf_trial *taken = &set->each[0];
    taken->s.alone = search->best->alone;
    taken->s.without_shares = search->best->without_shares;
    lf_structure_settle(search->plan, &taken->s);
    lf_structure_move(&taken->s, search->best);
    if (set->score == LF_BY_POSTERIOR) {
        search->of_best = taken->fitted;
    }
}

/* Compares the best structure with proposals, `step` of them at a time. */
static lf_status compare(lf_search *search, const lf_proposer *p, const lf_proposals *list, lf_candidates *set)
{
    size_t step = p->greedy ? 1 : list->count;
    lf_status status = p->greedy ? lf_candidates_run(set) : LF_OK;
    if (p->greedy && !p->patience) {
        lf_candidates_add_to_best(set);
    }
    int taken = 0;
    for (size_t i = 0, end = 0; !status && !end && i < list->count && !lf_monitor_stopped(search->monitor); i += step) {
        int added_one = 0;
        for (size_t k = i; k < i + step; k++) {
            added_one |= (taken || !list->each[k].follows) && lf_candidates_add(set, &list->each[k]);
        }
        status = added_one ? lf_candidates_run(set) : LF_OK;
        if (!status && added_one) {
            size_t winner = lf_candidates_winner(set);
            taken = winner != set->incumbent;
            tell(search, p, set, winner);
            end = p->patience && !lf_candidates_link(set) && !list->asked;
            lf_record_candidates(search, set, winner);
            lf_candidates_reduce(set, winner);
        }
    }
    if (!status && set->count) { /* none: it was stopped before the first */
        take(search, set);
    }
    return status;
}

lf_status lf_select_by(lf_search *search, const lf_proposer *p)
{
    lf_proposals list = {0};
    lf_candidates set = lf_candidates_begin(search, p);
    int affordable = 0;
    lf_status status = p->propose(search, &list);
    status = status || !list.count ? status : lf_afford(search, &list, &set, &affordable);
    if (!status && affordable) {
        status = lf_candidates_add_best(&set, &list);
        LF_TRY(status, compare(search, p, &list, &set));
    }
    /* What was not asked for is left out where it fails: the fit itself will say why. */
    int refused = status && status != LF_ERROR_MEMORY && !list.asked;
    int stopped = status == LF_ERROR_CANCELLED && lf_monitor_stopped(search->monitor);
    lf_candidates_clear(&set);
    lf_proposals_clear(&list);
    return refused || stopped ? LF_OK : status;
}

static lf_status run(lf_search *search, lf_reports *reports, size_t count, const lf_proposer *const *proposers)
{
    lf_status status = LF_OK;
    for (size_t i = 0; !status && i < count && !lf_monitor_stopped(search->monitor); i++) {
        search->report = lf_report_begin(reports, proposers[i]->name);
        status = lf_select_by(search, proposers[i]);
        lf_report_end(search->report);
        lf_report_drop_empty(reports);
    }
    return status;
}

lf_search lf_search_begin(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_monitor *monitor,
                          lf_structure *best)
{
    return (lf_search){.ctx = ctx,
                       .problem = problem,
                       .plan = plan,
                       .monitor = monitor,
                       .best = best,
                       .of_best.score = -(double)INFINITY};
}

lf_status lf_select(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_monitor *monitor,
                    lf_structure *best, lf_fit_result *result, lf_reports *reports)
{
    lf_problem here = *problem;
    lf_search search = lf_search_begin(ctx, &here, plan, monitor, best);
    here.local = NULL;
    if (problem->given) {
        return LF_OK;
    }
    search.report = lf_report_begin(reports, "limits");
    lf_status status = lf_keep_within_limits(&search);
    lf_report_end(search.report);
    lf_report_drop_empty(reports);
    LF_TRY(status, run(&search, reports, COUNT(of_shape), of_shape));
    LF_TRY(status, lf_keep_records(&search, result));
    return status ? status : run(&search, reports, COUNT(added), added);
}
