/* Short fits of candidates in rounds, and refits, side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/workers.h"
#include "inference/estimate.h"
#include "select/candidates.h"

/* ---- models ---- */

/* The failure of a candidate. It may be one of all of them, so that the message is kept. */
static void fail(lf_candidates *set, size_t i, lf_status status, const char *message)
{
    const lf_proposal *p = set->each[i].proposal;
    lf_context sentence = {0};
    if (p && !p->extend) {
        lf_fail(&sentence, status, "%s with %s forces: %s", p->s.shape.operator_type, p->s.shape.force_kernel, message);
    } else {
        lf_fail(&sentence, status, "%s", message);
    }
    lf_loop_fail(set->failure, i, status, sentence.message);
    set->each[i].active = 0;
    if (status == LF_ERROR_MEMORY) {
        lf_monitor_lock(set->search->monitor);
        set->no_memory = 1;
        lf_monitor_unlock(set->search->monitor);
    }
}

/* The model of a candidate at its starting values, and what a fit of it takes. */
static void make(void *user, lf_context *worker, size_t i)
{
    lf_candidates *set = user;
    lf_structure *s = &set->each[i].s;
    lf_fit_estimate estimate = {.bytes = INFINITY};
    if (!set->each[i].active) {
        return;
    }
    lf_status status = s->start ? LF_OK : lf_candidate_make(worker, set, set->each[i].proposal, s);
    s->restarts = status ? 0 : set->score == LF_BY_POSTERIOR ? (size_t)lf_threshold.starts : 1;
    if (!status && !set->greedy) {
        status = lf_estimate_fit(worker, set->search->problem, set->search->plan, s, &estimate);
    }
    if (status) {
        lf_structure_clear(s);
        fail(set, i, status, lf_context_message(worker));
    } else {
        lf_monitor_lock(set->search->monitor);
        set->bytes = isfinite(estimate.bytes) ? fmax(set->bytes, estimate.bytes) : set->bytes;
        lf_monitor_unlock(set->search->monitor);
    }
}

/* ---- fits ---- */

/* The progress of one candidate's fit, passed on as that of the selection. */
typedef struct candidate_progress {
    const lf_candidates *set;
    size_t index;
} candidate_progress;

static int report(void *user, const lf_progress *progress)
{
    const candidate_progress *p = user;
    lf_progress passed = *progress;
    passed.stage = "selection";
    passed.item = p->index;
    passed.items = p->set->count;
    return lf_monitor_pass_on(p->set->search->monitor, &passed);
}

static lf_status optimise(lf_context *ctx, const lf_search *search, const lf_structure *s, lf_monitor *monitor,
                          lf_optimum *found)
{
    lf_prior prior = {0};
    lf_status status = lf_prior_create(ctx, search->problem, s, &prior);
    LF_TRY(status,
           lf_optimise_from(ctx, search->problem, search->plan, s, lf_structure_begin(s), &prior, monitor, found));
    lf_prior_clear(&prior);
    return status;
}

/* At most. A model to which something is added must be near its optimum, or what is added wins by the iterations alone. */
static size_t iterations_of(const lf_candidates *set, const lf_structure *s)
{
    const lf_thresholds *t = &lf_threshold;
    double usual = s->warm         ? set->patience ? t->next_iterations : set->iterations[set->round]
                           : set->patience ? t->first_iterations
                   : set->greedy   ? t->alone_iterations
                                   : set->iterations[set->round];
    return (size_t)fmax(set->share * usual, t->least_iterations);
}

/* One round of a short fit, which goes on from the one before. */
static lf_status fit_shortly(lf_context *ctx, lf_candidates *set, size_t i, lf_monitor *monitor)
{
    lf_trial *t = &set->each[i];
    lf_optimum found = {.reason = "not begun"};
    lf_structure s = t->s;
    s.iterations = iterations_of(set, &s);
    s.restarts = s.warm ? 1 : (size_t)lf_threshold.starts;
    lf_status status = optimise(ctx, set->search, &s, monitor, &found);
    t->evaluations += found.evaluations;
    if (!status) {
        t->fitted.parameters = found.free_count;
        t->fitted.iterations += s.iterations;
        t->fitted.log_likelihood = found.log_likelihood;
        t->fitted.log_prior = found.log_prior;
        t->fitted.score = lf_score_of_fit(&found);
        t->next = found.model;
        found.model = NULL;
    }
    lf_optimum_clear(&found);
    return status;
}

static lf_status fit_round(lf_context *worker, lf_candidates *set, size_t i)
{
    candidate_progress progress = {.set = set, .index = i};
    lf_monitor monitor;
    lf_status status = lf_monitor_create(worker, report, &progress, &monitor);
    if (!status) {
        status = fit_shortly(worker, set, i, &monitor);
        lf_monitor_clear(&monitor);
    }
    return status;
}

/* Other windows than those of the calibration: what was chosen by these would look too good there. */
static lf_status refit(lf_context *worker, lf_candidates *set, size_t i)
{
    lf_trial *t = &set->each[i];
    candidate_progress progress = {.set = set, .index = i};
    const lf_refit_windows windows = {
        .length = set->length, .number = (size_t)lf_threshold.refits, .progress = report, .user = &progress};
    lf_refit_run(worker, set->search->problem, set->search->plan, &t->s, &windows, &t->refit);
    t->evaluations = t->refit.evaluations;
    t->fitted.score = lf_score_of_refit(&t->refit);
    return t->refit.status;
}

static void fit(void *user, lf_context *worker, size_t i)
{
    lf_candidates *set = user;
    if (set->each[i].active && !lf_monitor_stopped(set->search->monitor)) {
        lf_status status = (set->score == LF_BY_HELD_OUT ? refit : fit_round)(worker, set, i);
        if (status) {
            fail(set, i, status, lf_context_message(worker));
        }
    }
}

/* ---- rounds ---- */

/* Those that are clearly behind end, but at most half of them. */
static void halve(lf_candidates *set, double behind)
{
    double best = -INFINITY;
    size_t going = 0;
    for (size_t i = 0; i < set->count; i++) {
        best = fmax(best, set->each[i].fitted.score);
        going += set->each[i].active != 0;
    }
    for (size_t drop = going / 2; drop > 0; drop--) {
        lf_trial *worst = NULL;
        for (size_t i = 0; i < set->count; i++) {
            lf_trial *t = &set->each[i];
            worst = t->active && !t->kept && (!worst || t->fitted.score < worst->fitted.score) ? t : worst;
        }
        if (worst && worst->fitted.score < best - behind) {
            worst->active = 0;
        }
    }
}

/* The one that is under way ends where it is clearly behind the best structure. */
static void give_up(lf_candidates *set, double behind)
{
    const lf_trial *best = &set->each[set->incumbent];
    for (size_t i = 0; i < set->count; i++) {
        lf_trial *t = &set->each[i];
        t->active = t->active && t->fitted.score - t->penalty > best->fitted.score - best->penalty - behind;
    }
}

static lf_status run_tasks(lf_candidates *set, double bytes, lf_worker_task task)
{
    for (size_t i = 0; i < set->count && set->greedy; i++) {
        task(set, set->search->ctx, i);
    }
    return set->greedy ? LF_OK
                       : lf_workers_run(set->search->ctx, set->search->monitor, bytes, 0, set->count, task, set);
}

static lf_status run_round(lf_candidates *set)
{
    lf_status status = run_tasks(set, set->bytes, fit);
    for (size_t i = 0; i < set->count; i++) {
        lf_trial *t = &set->each[i];
        if (t->next) { /* only now: the others may have started from the model before */
            lf_model_free(t->s.warm);
            t->s.warm = t->next;
            t->next = NULL;
            t->objective = t->fitted.log_likelihood + t->fitted.log_prior;
        }
    }
    if (set->greedy) {
        give_up(set, set->behind[set->round]);
    } else {
        halve(set, set->behind[set->round]);
    }
    return status;
}

lf_status lf_candidates_run(lf_candidates *set)
{
    lf_context *ctx = set->search->ctx;
    size_t rounds = set->score == LF_BY_HELD_OUT ? 1 : set->rounds;
    set->failure = lf_loop_begin(ctx);
    if (!set->failure) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < set->count; i++) {
        set->each[i].active = !set->each[i].compared;
        set->each[i].compared = 1;
    }
    lf_status status = run_tasks(set, 0, make);
    for (set->round = 0; !status && set->round < rounds && !lf_monitor_stopped(set->search->monitor); set->round++) {
        status = run_round(set);
    }
    for (size_t i = 0; i < set->count; i++) {
        set->search->report->evaluations += set->each[i].evaluations;
        set->each[i].evaluations = 0;
    }
    lf_status failure = lf_loop_end(ctx, set->failure);
    int found = isfinite(set->each[lf_candidates_winner(set)].fitted.score);
    LF_TRY(status, set->no_memory ? lf_no_memory(ctx) : found ? LF_OK : failure);
    return status || found ? status : lf_fail(ctx, LF_ERROR_CANCELLED, "cancelled before any candidate was fitted");
}
