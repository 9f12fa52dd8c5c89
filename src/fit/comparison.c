/* Short fits of candidates in rounds: successive halving (Jamieson and Talwalkar 2016). What is done depends on data and options
 * only, not on time or on the number of threads. */
#include "fit/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "fit/initial_model.h"

enum { STARTS = 2 };           /* in the first round; one start often ends in a poor optimum */
enum { LEAST_ITERATIONS = 5 }; /* of a round, however expensive an evaluation is */
/* A round, and by how much a score must be below the best to be clearly behind after it. */
static const struct {
    size_t iterations;
    double behind;
} rounds[] = {{30, 15}, {25, 5}, {25, 0}};
#define ROUNDS (sizeof rounds / sizeof *rounds)
#define NEW_FORCE                                                                                                      \
    0.1 /* sensitivities to a force that a smaller model does not have, in parts of their starting values */

lf_fit_options lf_compared_options(const lf_fit_options *options)
{
    lf_fit_options compared = *options;
    compared.checkpoint = NULL;
    compared.resume = 0;
    compared.without_shares = 1;
    return compared;
}

double lf_fit_score(const lf_fit_result *result)
{
    return result->log_likelihood + result->log_prior - (double)result->free_count;
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
    return lf_monitor_pass_on(p->comparison->training->monitor, &passed);
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
        if (c->best[j] && small->forces < large->forces && same(small->operator_type, large->operator_type) &&
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
            starts->theta[lf_index_sensitivity(start, d) + q] *= NEW_FORCE;
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

/* The model that a round goes on from, with its starts. */
static lf_status prepare(lf_context *local, lf_comparison *c, size_t i, lf_starts *starts)
{
    const lf_candidate *candidate = &c->candidates[i];
    if (c->best[i]) {
        size_t small = find_smaller(c, i);
        lf_status status = lf_model_copy(local, c->best[i], &c->next[i]);
        return status || small == c->count ? status : start_from(local, c->best[small], c->start[i], starts);
    }
    lf_shape_options shape = *c->shape;
    shape.operator_type = candidate->operator_type;
    shape.force_kernel = candidate->force_kernel;
    shape.private_kernel = candidate->private_kernel;
    shape.forces = candidate->forces;
    lf_status status = lf_shaped_model(local, c->training, &c->options, &shape, &c->start[i]);
    LF_TRY(status, lf_fix_parameters(local, &c->options, c->start[i]));
    return status ? status : lf_model_copy(local, c->start[i], &c->next[i]);
}

static lf_status try_candidate(lf_context *local, lf_comparison *c, size_t i)
{
    lf_candidate *candidate = &c->candidates[i];
    lf_fit_result result = {0};
    lf_fit_options options = c->options;
    candidate_progress progress = {.comparison = c, .index = i};
    lf_monitor monitor;
    lf_training training = *c->training;
    lf_starts starts = {0};
    lf_status status = lf_monitor_create(local, report, &progress, &monitor);
    if (status) {
        return status;
    }
    status = prepare(local, c, i, &starts);
    training.monitor = &monitor;
    training.starts = &starts;
    training.reference = c->start[i];
    options.max_iterations = c->iterations;
    options.restarts = c->round == 0 ? STARTS : 1 + starts.count;
    LF_TRY(status, lf_fit_model(local, c->next[i], &training, &options, &result));
    if (!status) {
        candidate->parameters = result.free_count;
        candidate->iterations += c->iterations;
        candidate->log_likelihood = result.log_likelihood;
        candidate->log_prior = result.log_prior;
        candidate->score = lf_fit_score(&result);
    }
    free(starts.theta);
    lf_fit_result_clear(&result);
    lf_monitor_clear(&monitor);
    return status;
}

static void fit_candidate(void *user, size_t i)
{
    lf_comparison *c = user;
    lf_candidate *candidate = &c->candidates[i];
    if (!c->active[i] || lf_monitor_stopped(c->training->monitor)) {
        return;
    }
    lf_context *local = lf_context_create();
    lf_status status = LF_ERROR_MEMORY;
    if (local) {
        lf_set_seed(local, c->ctx->seed);
        local->threads = 1;
        local->memory = c->ctx->memory;
        local->engines = STARTS;
        status = try_candidate(local, c, i);
    }
    if (status) {
        lf_context sentence = {0};
        lf_fail(&sentence, status, "%s with %s forces: %s", candidate->operator_type, candidate->force_kernel,
                local ? lf_message(local) : "out of memory");
        lf_loop_fail(c->failure, i, status, sentence.message);
        lf_model_free(c->next[i]);
        c->next[i] = NULL;
        c->active[i] = 0;
    }
    if (status == LF_ERROR_MEMORY) {
        lf_monitor_lock(c->training->monitor);
        c->no_memory = 1;
        lf_monitor_unlock(c->training->monitor);
    }
    lf_context_free(local);
}

/* Those that are clearly behind end, but at most half of them. */
static void halve(lf_comparison *c, size_t first, size_t kept)
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
        if (worst < c->count && c->candidates[worst].score < best - rounds[c->round].behind) {
            c->active[worst] = 0;
        }
    }
}

lf_status lf_comparison_run(lf_comparison *c, size_t first, size_t kept)
{
    c->failure = lf_loop_begin(c->ctx);
    if (!c->failure) {
        return lf_no_memory(c->ctx);
    }
    for (size_t i = 0; i < c->count; i++) {
        c->active[i] = i >= first;
    }
    for (c->round = 0; c->round < ROUNDS && !lf_monitor_stopped(c->training->monitor); c->round++) {
        c->iterations = (size_t)fmax(c->share * (double)rounds[c->round].iterations, LEAST_ITERATIONS);
        lf_parallel_tasks(lf_threads(c->ctx), c->count, fit_candidate, c);
        for (size_t i = first; i < c->count; i++) {
            if (c->next[i]) { /* only now: the others may have started from the model before */
                lf_model_free(c->best[i]);
                c->best[i] = c->next[i];
                c->next[i] = NULL;
                c->objective[i] = c->candidates[i].log_likelihood + c->candidates[i].log_prior;
            }
        }
        halve(c, first, kept);
    }
    lf_status status = lf_loop_end(c->ctx, c->failure);
    int found = isfinite(c->candidates[lf_comparison_winner(c)].score);
    status = c->no_memory ? lf_no_memory(c->ctx) : found ? LF_OK : status;
    return status || found ? status : lf_fail(c->ctx, LF_ERROR_CANCELLED, "cancelled before any candidate was fitted");
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

void lf_comparison_begin(lf_context *ctx, const lf_training *training, const lf_fit_options *options,
                         const lf_shape_options *shape, lf_candidate *candidates, lf_comparison *c)
{
    *c = (lf_comparison){.ctx = ctx,
                         .training = training,
                         .shape = shape,
                         .options = lf_compared_options(options),
                         .share = 1,
                         .candidates = candidates};
}

void lf_comparison_clear(lf_comparison *c)
{
    for (size_t i = 0; i < c->count; i++) {
        lf_model_free(c->start[i]);
        lf_model_free(c->best[i]);
        lf_model_free(c->next[i]);
    }
    *c = (lf_comparison){0};
}
