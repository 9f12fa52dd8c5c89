/* Short fits of candidates in rounds: successive halving (Jamieson and Talwalkar 2016). What is done depends on data and options
 * only, not on time or on the number of threads. */
#include "select/candidates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/workers.h"
#include "inference/estimate.h"
#include "start/start.h"

enum { ROUNDS = 3 };

/* The iterations of a round, and by how much a score must be below the best to be clearly behind after it. */
static void find_round(size_t round, double *iterations, double *behind)
{
    const lf_thresholds *t = &lf_threshold;
    const double rounds[ROUNDS][2] = {{t->round1_iterations, t->round1_behind},
                                      {t->round2_iterations, t->round2_behind},
                                      {t->round3_iterations, t->round3_behind}};
    *iterations = rounds[round][0];
    *behind = rounds[round][1];
}

lf_structure lf_structure_compared(const lf_structure *s, const char *engine)
{
    lf_structure compared = lf_structure_like(s);
    compared.engine.engine = engine ? engine : s->engine.engine;
    compared.alone = 1;
    compared.without_shares = 1;
    return compared;
}

void lf_structure_chosen(const lf_search *search, lf_structure *s)
{
    s->engine.engine = search->best->engine.engine;
    s->alone = search->best->alone;
    s->without_shares = search->best->without_shares;
    lf_structure_settle(search->plan, s);
}

lf_status lf_short_fit(lf_context *ctx, const lf_search *search, const lf_structure *s, const lf_model *begin,
                       lf_monitor *monitor, lf_optimum *found)
{
    lf_prior prior = {0};
    *found = (lf_optimum){.reason = "not begun"};
    lf_status status = lf_prior_create(ctx, search->problem, s, &prior);
    LF_TRY(status, lf_optimise_from(ctx, search->problem, search->plan, s, begin, &prior, monitor, found));
    lf_prior_clear(&prior);
    return status;
}

double lf_fit_score(const lf_optimum *found)
{
    return found->log_likelihood + found->log_prior - (double)found->free_count;
}

/* The progress of one candidate's fit, passed on as that of the selection. */
typedef struct candidate_progress {
    lf_comparison *comparison;
    size_t index;
} candidate_progress;

static int report(void *user, const lf_progress *progress)
{
    candidate_progress *p = user;
    lf_progress passed = *progress;
    passed.stage = "selection";
    passed.item = p->index;
    passed.items = p->comparison->count;
    return lf_monitor_pass_on(p->comparison->search->monitor, &passed);
}

static int same(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

/* A candidate with fewer forces of the same kind, as many as possible, that has the larger objective; count: none. The larger
 * model contains the smaller one: it has found a poor optimum. Reads only what the round before has left: this round is under way
 * in other threads. */
static size_t find_smaller(const lf_comparison *c, size_t i)
{
    const lf_candidate *large = &c->candidates[i];
    size_t found = c->count;
    for (size_t j = 0; j < c->count; j++) {
        const lf_candidate *small = &c->candidates[j];
        if (c->each[j].warm && small->forces < large->forces && same(small->operator_type, large->operator_type) &&
            same(small->private_kernel, large->private_kernel) && same(small->force_kernel, large->force_kernel) &&
            c->objective[j] >= c->objective[i] && (found == c->count || small->forces > c->candidates[found].forces)) {
            found = j;
        }
    }
    return found;
}

/* The values of the smaller model; what it does not have is as at the start of the larger one, with small sensitivities. */
static lf_status start_from(lf_context *ctx, const lf_model *small, const lf_model *start, lf_starts *starts)
{
    size_t count = start->parameter_count, known = small->parameter_count;
    double *values = lf_doubles(known, 1);
    starts->theta = lf_doubles(count, 1);
    if (!values || !starts->theta) {
        free(values);
        return lf_no_memory(ctx);
    }
    starts->count = 1;
    lf_model_get_theta(small, known, values);
    lf_model_get_theta(start, count, starts->theta);
    for (int d = 0; d < start->output_count; d++) {
        for (int q = small->force_count; q < start->force_count; q++) {
            starts->theta[lf_index_sensitivity(start, d) + q] *= lf_threshold.new_force;
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < known; j++) {
            if (strcmp(start->parameters[i].name, small->parameters[j].name) == 0) {
                starts->theta[i] = values[j];
            }
        }
    }
    free(values);
    return LF_OK;
}

/* The failure of a candidate. It may be one of all of them, so that the message is kept. */
static void fail(lf_comparison *c, size_t i, lf_status status, const char *message)
{
    const lf_candidate *candidate = &c->candidates[i];
    lf_context sentence = {0};
    lf_fail(&sentence, status, "%s with %s forces: %s", candidate->operator_type, candidate->force_kernel, message);
    lf_loop_fail(c->failure, i, status, sentence.message);
    c->active[i] = 0;
    if (status == LF_ERROR_MEMORY) {
        lf_monitor_lock(c->search->monitor);
        c->no_memory = 1;
        lf_monitor_unlock(c->search->monitor);
    }
}

/* The model of a candidate at its starting values, and what a fit of it takes. */
static void make_candidate(void *user, lf_context *worker, size_t i)
{
    lf_comparison *c = user;
    lf_structure *s = &c->each[i];
    const lf_candidate *candidate = &c->candidates[i];
    lf_fit_estimate estimate;
    *s = lf_structure_like(&c->base);
    s->shape.operator_type = candidate->operator_type;
    s->shape.force_kernel = candidate->force_kernel;
    s->shape.private_kernel = candidate->private_kernel;
    s->shape.forces = candidate->forces;
    lf_status status = lf_start_shape(worker, c->search->problem, c->search->plan, s);
    s->restarts = status ? 0 : (size_t)lf_threshold.starts;
    LF_TRY(status, lf_estimate_fit(worker, c->search->problem, c->search->plan, s, &estimate));
    if (status) {
        lf_structure_clear(s);
        fail(c, i, status, lf_message(worker));
    } else {
        lf_monitor_lock(c->search->monitor);
        c->bytes = isfinite(estimate.bytes) ? fmax(c->bytes, estimate.bytes) : c->bytes;
        lf_monitor_unlock(c->search->monitor);
    }
}

static lf_status try_candidate(lf_context *worker, lf_comparison *c, size_t i)
{
    lf_candidate *candidate = &c->candidates[i];
    lf_optimum found = {0};
    candidate_progress progress = {.comparison = c, .index = i};
    lf_monitor monitor;
    lf_structure s = c->each[i];
    s.others = (lf_starts){0};
    lf_status status = lf_monitor_create(worker, report, &progress, &monitor);
    if (status) {
        return status;
    }
    size_t small = s.warm ? find_smaller(c, i) : c->count;
    status = small < c->count ? start_from(worker, c->each[small].warm, s.start, &s.others) : LF_OK;
    s.iterations = c->iterations;
    s.restarts = c->round == 0 ? (size_t)lf_threshold.starts : 1 + s.others.count;
    LF_TRY(status, lf_short_fit(worker, c->search, &s, lf_structure_begin(&s), &monitor, &found));
    if (!status) {
        candidate->parameters = found.free_count;
        candidate->iterations += c->iterations;
        candidate->log_likelihood = found.log_likelihood;
        candidate->log_prior = found.log_prior;
        candidate->score = lf_fit_score(&found);
        c->evaluations[i] += found.evaluations;
        c->next[i] = found.model;
        found.model = NULL;
    }
    free(s.others.theta);
    lf_optimum_clear(&found);
    lf_monitor_clear(&monitor);
    return status;
}

static void fit_candidate(void *user, lf_context *worker, size_t i)
{
    lf_comparison *c = user;
    if (c->active[i] && !lf_monitor_stopped(c->search->monitor)) {
        lf_status status = try_candidate(worker, c, i);
        if (status) {
            fail(c, i, status, lf_message(worker));
        }
    }
}

/* Those that are clearly behind end, but at most half of them. */
static void halve(lf_comparison *c, size_t first, size_t kept, double behind)
{
    double best = c->candidates[lf_comparison_winner(c)].score;
    size_t going = 0;
    for (size_t i = first; i < c->count; i++) {
        going += c->active[i];
    }
    for (size_t drop = going / 2; drop > 0; drop--) {
        size_t worst = c->count;
        for (size_t i = first; i < c->count; i++) {
            int worse = worst == c->count || c->candidates[i].score < c->candidates[worst].score;
            worst = c->active[i] && i != kept && worse ? i : worst;
        }
        if (worst < c->count && c->candidates[worst].score < best - behind) {
            c->active[worst] = 0;
        }
    }
}

static lf_status run_round(lf_comparison *c, size_t first, size_t kept)
{
    double iterations, behind;
    find_round(c->round, &iterations, &behind);
    c->iterations = (size_t)fmax(c->share * iterations, lf_threshold.least_iterations);
    lf_status status = lf_workers_run(c->search->ctx, c->bytes, first, c->count, fit_candidate, c);
    for (size_t i = first; i < c->count; i++) {
        if (c->next[i]) { /* only now: the others may have started from the model before */
            lf_model_free(c->each[i].warm);
            c->each[i].warm = c->next[i];
            c->next[i] = NULL;
            c->objective[i] = c->candidates[i].log_likelihood + c->candidates[i].log_prior;
        }
    }
    halve(c, first, kept, behind);
    return status;
}

lf_status lf_comparison_run(lf_comparison *c, size_t first, size_t kept)
{
    lf_context *ctx = c->search->ctx;
    lf_monitor *monitor = c->search->monitor;
    c->failure = lf_loop_begin(ctx);
    if (!c->failure) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < c->count; i++) {
        c->active[i] = i >= first;
    }
    lf_status status = lf_workers_run(ctx, 0, first, c->count, make_candidate, c);
    for (c->round = 0; !status && c->round < ROUNDS && !lf_monitor_stopped(monitor); c->round++) {
        status = run_round(c, first, kept);
    }
    lf_status failure = lf_loop_end(ctx, c->failure);
    int found = isfinite(c->candidates[lf_comparison_winner(c)].score);
    status = status ? status : c->no_memory ? lf_no_memory(ctx) : found ? LF_OK : failure;
    return status || found ? status : lf_fail(ctx, LF_ERROR_CANCELLED, "cancelled before any candidate was fitted");
}

size_t lf_comparison_winner(const lf_comparison *c)
{
    size_t winner = 0; /* the first is never rejected */
    for (size_t i = 1; i < c->count; i++) {
        winner = !c->rejected[i] && c->candidates[i].score > c->candidates[winner].score ? i : winner;
    }
    return winner;
}

size_t lf_comparison_add(lf_comparison *c, const lf_candidate *candidate)
{
    for (size_t i = 0; i < c->count; i++) {
        const lf_candidate *other = &c->candidates[i];
        if (same(other->operator_type, candidate->operator_type) && other->forces == candidate->forces &&
            same(other->force_kernel, candidate->force_kernel) &&
            same(other->private_kernel, candidate->private_kernel)) {
            return i;
        }
    }
    c->candidates[c->count] = *candidate;
    c->candidates[c->count].log_likelihood = c->candidates[c->count].score = -(double)INFINITY;
    return c->count++;
}

void lf_comparison_begin(const lf_search *search, const char *engine, lf_comparison *c)
{
    *c = (lf_comparison){.search = search, .base = lf_structure_compared(search->best, engine), .share = 1};
}

void lf_comparison_clear(lf_comparison *c)
{
    for (size_t i = 0; i < c->count; i++) {
        lf_structure_clear(&c->each[i]);
        lf_model_free(c->next[i]);
    }
    c->count = 0;
}
