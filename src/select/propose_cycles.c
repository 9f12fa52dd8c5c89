/* Whether shared forces that repeat are added to a model by default: the periodogram proposes periods, fits decide. A candidate is the
 * best model so far with the forces of one more period. It goes on from the values of that model, and is taken where it has the larger
 * score (candidates.h), less the price of its period. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/context.h"
#include "data/data.h"
#include "inference/estimate.h"
#include "select/candidates.h"
#include "start/cycle_force.h"
#include "start/force_shapes.h"

/* A structure with its short fit. */
typedef struct fitted {
    lf_structure s; /* warm: after the fit */
    double log_likelihood, score;
} fitted;

/* The progress of a fit, passed on as that of a selection. */
static int report(void *user, const lf_progress *progress)
{
    lf_progress passed = *progress;
    passed.stage = "selection";
    return lf_monitor_pass_on(user, &passed);
}

static lf_status fit(const lf_search *search, lf_monitor *monitor, size_t starts, fitted *f)
{
    lf_optimum found;
    lf_structure_settle(search->plan, &f->s); /* forces that repeat may be rough where the others are smooth */
    f->s.restarts = starts;
    f->s.iterations = (size_t)lf_threshold.cycle_iterations;
    lf_status status = lf_short_fit(search->ctx, search, &f->s, f->s.warm, monitor, &found);
    search->report->evaluations += found.evaluations;
    if (!status) {
        f->log_likelihood = found.log_likelihood;
        f->score = lf_fit_score(&found);
        lf_model_free(f->s.warm);
        f->s.warm = found.model;
        found.model = NULL;
    }
    lf_optimum_clear(&found);
    return status;
}

/* "24 h" */
static void show_period(const lf_search *search, const lf_cycle *cycle, size_t size, char *text)
{
    lf_input_info axis = lf_axis_info(&search->problem->observed->axes[0]);
    snprintf(text, size, "%.4g%s%s", cycle->period, axis.unit && *axis.unit ? " " : "", axis.unit ? axis.unit : "");
}

/* "a cycle of 24 h is seen in 3 of 4 outputs" */
static void describe(const lf_search *search, const lf_cycle *cycle, size_t size, char *text)
{
    char period[64];
    int seen = 0, D = search->problem->observed->outputs.count;
    for (int d = 0; d < D; d++) {
        seen += cycle->share[d] > 0;
    }
    show_period(search, cycle, sizeof period, period);
    if (D == 1) {
        snprintf(text, size, "a cycle of %s is seen", period);
    } else {
        snprintf(text, size, "a cycle of %s is seen in %d of %d outputs", period, seen, D);
    }
}

/* The structure with the forces of one more cycle, not fitted yet. */
static lf_status extend(const lf_search *search, const lf_structure *best, const lf_cycle *cycle, lf_structure *s)
{
    const lf_problem *p = search->problem;
    int copies = lf_period_copies(p->observed->outputs.count);
    lf_status status = lf_structure_copy(search->ctx, best, s);
    LF_TRY(status, lf_model_add_cycle(search->ctx, p->observed, p->summary, cycle, copies, s->start));
    return status ? status : lf_model_add_cycle(search->ctx, p->observed, p->summary, cycle, copies, s->warm);
}

/* A model that an engine refuses is no candidate; if it is the one without cycles, the fit itself will say why. */
static int is_serious(lf_status status) { return status == LF_ERROR_MEMORY || status == LF_ERROR_CANCELLED; }

/* A period is a parameter too, chosen among as many as the periodogram can tell apart. */
static double price_of_period(const lf_data_summary *summary)
{
    return 1 + log(fmax(lf_data_summary_span(summary) / (2 * summary->gap), 1));
}

static lf_status try_cycle(const lf_search *search, lf_monitor *monitor, const lf_cycle *cycle, fitted *best)
{
    fitted other = *best;
    char text[200], period[64], change[100], reason[160];
    lf_status status = extend(search, &best->s, cycle, &other.s);
    LF_TRY(status, fit(search, monitor, 1, &other));
    describe(search, cycle, sizeof text, text);
    show_period(search, cycle, sizeof period, period);
    int taken = !status && other.score > best->score + price_of_period(search->problem->summary);
    size_t more = status ? 0 : lf_free_parameters(other.s.warm, NULL) - lf_free_parameters(best->s.warm, NULL);
    snprintf(change, sizeof change, "%.1f instead of %.1f with %zu more parameters", other.log_likelihood,
             best->log_likelihood, more);
    snprintf(reason, sizeof reason, "log likelihood %s", change);
    if (taken) {
        lf_note(search->ctx,
                "%s: shared forces that repeat with it are added, log likelihood %s (--period none leaves them out)",
                text, change);
        lf_report_decide(search->report, reason, "forces that repeat with %s", period);
        lf_structure_move(&other.s, &best->s);
        best->log_likelihood = other.log_likelihood;
        best->score = other.score;
    } else if (!status) {
        lf_note(search->ctx, "%s: nothing is added, log likelihood %s", text, change);
        if (!*search->report->decision) {
            lf_report_decide(search->report, reason, "no forces that repeat with %s", period);
        }
    }
    lf_structure_clear(&other.s);
    return is_serious(status) ? status : LF_OK;
}

/* Whether candidates are cheap enough to be tried, and the engine for all of them. */
static lf_status find_engine(const lf_search *search, const lf_cycle *cycle, lf_structure *s, int *cheap)
{
    lf_structure candidate = {0};
    double operations = INFINITY;
    const char *engine = NULL;
    lf_status status = extend(search, s, cycle, &candidate);
    lf_model_free(candidate.start); /* an evaluation costs the same anywhere: there is one model to count */
    candidate.start = candidate.warm;
    candidate.warm = NULL;
    LF_TRY(status, lf_count_operations(search->ctx, search->problem, &candidate, &operations, &engine));
    lf_structure_clear(&candidate);
    *cheap = !status && lf_affordable_share(operations) == 1;
    s->engine.engine = s->fitting.engine = engine;
    if (!status && isfinite(operations) && !*cheap) {
        char text[200], period[64];
        describe(search, cycle, sizeof text, text);
        show_period(search, cycle, sizeof period, period);
        lf_note(search->ctx, "%s; for %zu rows forces that repeat are added only with --period '%s'", text,
                lf_data_count(search->problem->observed), period);
        lf_report_decide(search->report, "an evaluation is too expensive for a comparison",
                         "no forces that repeat with %s", period);
    }
    return is_serious(status) ? status : LF_OK;
}

/* *best has been compared where its score is a number. */
static lf_status try_cycles(const lf_search *search, lf_monitor *monitor, const lf_cycles *cycles, fitted *best)
{
    int cheap;
    size_t starts = search->best->warm ? 1 : (size_t)lf_threshold.starts;
    lf_status status = find_engine(search, &cycles->cycle[0], &best->s, &cheap);
    if (status || !cheap) {
        return status;
    }
    status = fit(search, monitor, starts, best);
    if (status) {
        best->score = (double)NAN;
        return is_serious(status) ? status : LF_OK;
    }
    for (int i = 0; !status && i < cycles->count && !lf_monitor_stopped(search->monitor); i++) {
        status = try_cycle(search, monitor, &cycles->cycle[i], best);
    }
    return status;
}

/* Whether nothing speaks against looking for cycles. */
static int looks_for_cycles(const lf_search *search)
{
    const lf_model *model = search->best->start;
    int repeats = 0;
    for (int q = 0; q < model->force_count; q++) {
        for (int i = 0; i < model->forces[q].term_count; i++) {
            repeats = repeats || model->forces[q].terms[i].modulation;
        }
    }
    return (search->plan->open & LF_OPEN_CYCLES) && !search->best->engine.inducing && !repeats;
}

lf_status lf_propose_cycles(lf_search *search)
{
    fitted best = {.s = lf_structure_compared(search->best, NULL), .score = (double)NAN};
    lf_cycles cycles = {0};
    lf_monitor monitor;
    if (!looks_for_cycles(search)) {
        return LF_OK;
    }
    lf_status status = lf_monitor_create(search->ctx, report, search->monitor, &monitor);
    if (status) {
        return status;
    }
    status = lf_cycles_find(search->ctx, search->problem->observed, &cycles);
    if (!status && cycles.count) {
        status = lf_model_copy(search->ctx, search->best->start, &best.s.start);
        LF_TRY(status, lf_model_copy(search->ctx, lf_structure_begin(search->best), &best.s.warm));
        LF_TRY(status, try_cycles(search, &monitor, &cycles, &best));
    }
    if (!status && !isnan(best.score)) {
        lf_structure_chosen(search, &best.s);
        lf_structure_move(&best.s, search->best);
    }
    lf_structure_clear(&best.s);
    lf_cycles_clear(&cycles);
    lf_monitor_clear(&monitor);
    return status;
}
