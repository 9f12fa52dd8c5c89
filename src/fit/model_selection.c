/* Which shape of model: short fits of each candidate to the training rows, compared by their log marginal likelihood less the
 * number of free parameters (Akaike 1974). A penalty that grows with the rows, as in BIC, drops forces that predict. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/parallel.h"
#include "fit/fit_model.h"
#include "fit/initial_model.h"

enum {
    SHORT = 80,
    STARTS = 2
};                             /* iterations and starts of a candidate's fit; one start often ends in a poor optimum */
enum { MOST_CANDIDATES = 32 }; /* operators times kernels, and numbers of forces */

static const char *const operators[] = {"ode1", "ode2"};
static const char *const kernels[] = {"eq", "matern52", "matern32", "matern12"};
static const int force_counts[] = {1, 2, 3, 4, 5, 6, 8};

#define COUNT(list) (sizeof(list) / sizeof *(list))
_Static_assert(COUNT(operators) * COUNT(kernels) + COUNT(force_counts) <= MOST_CANDIDATES,
               "there must be room for all");

/* Candidates that are compared with each other. */
typedef struct comparison {
    lf_context *ctx;
    const lf_training *training;
    const lf_shape_options *shape;
    lf_fit_options options;
    size_t count;
    lf_candidate *candidates;
    lf_model **models; /* (count) after their fits */
    lf_loop_failure *failure;
    int no_memory; /* for one of them; the choice among the others would be an accident */
} comparison;

/* The progress of one candidate's fit, passed on as that of the selection. */
typedef struct candidate_progress {
    comparison *comparison;
    size_t index;
} candidate_progress;

static int report(void *user, const lf_progress *progress)
{
    candidate_progress *p = user;
    lf_monitor *monitor = p->comparison->training->monitor;
    lf_progress passed = *progress;
    passed.stage = "selection";
    passed.item = p->index;
    passed.items = p->comparison->count;
    lf_monitor_lock(monitor);
    lf_monitor_report(monitor, &passed);
    int stop = monitor->stop;
    lf_monitor_unlock(monitor);
    return stop;
}

static lf_status try_candidate(lf_context *local, comparison *c, size_t i)
{
    lf_candidate *candidate = &c->candidates[i];
    lf_shape_options shape = *c->shape;
    lf_fit_result result = {0};
    candidate_progress progress = {.comparison = c, .index = i};
    lf_monitor monitor;
    lf_training training = *c->training;
    shape.operator_type = candidate->operator_type;
    shape.force_kernel = candidate->force_kernel;
    shape.forces = candidate->forces;
    lf_status status = lf_monitor_create(local, report, &progress, &monitor);
    if (status) {
        return status;
    }
    training.monitor = &monitor;
    status = lf_initial_model(local, training.data, training.summary, &shape, &c->models[i]);
    status = status ? status : lf_fix_parameters(local, &c->options.fixed, c->models[i]);
    status = status ? status : lf_fit_model(local, c->models[i], &training, &c->options, &result);
    if (!status) {
        candidate->forces = c->models[i]->force_count / (shape.copies > 0 ? shape.copies : 1);
        candidate->parameters = result.free_count;
        candidate->log_likelihood = result.log_likelihood;
        candidate->score = result.log_likelihood - (double)result.free_count;
    }
    lf_fit_result_clear(&result);
    lf_monitor_clear(&monitor);
    return status;
}

static void fit_candidate(void *user, size_t i)
{
    comparison *c = user;
    lf_candidate *candidate = &c->candidates[i];
    candidate->log_likelihood = candidate->score = -(double)INFINITY;
    if (lf_monitor_stopped(c->training->monitor)) {
        return;
    }
    lf_context *local = lf_context_create();
    lf_status status = LF_ERROR_MEMORY;
    if (local) {
        lf_set_seed(local, c->ctx->seed);
        local->threads = 1;
        status = try_candidate(local, c, i);
    }
    if (status) {
        lf_context sentence = {0};
        lf_fail(&sentence, status, "%s with %s forces: %s", candidate->operator_type, candidate->force_kernel,
                local ? lf_message(local) : "out of memory");
        lf_loop_fail(c->failure, i, status, sentence.message);
    }
    if (status == LF_ERROR_MEMORY) {
        lf_monitor_lock(c->training->monitor);
        c->no_memory = 1;
        lf_monitor_unlock(c->training->monitor);
    }
    lf_context_free(local);
}

/* Tries the candidates; the best of them goes into the shape and, unless NULL, its model into *best. */
static lf_status compare_candidates(comparison *c, lf_candidate *candidates, size_t count, lf_shape_options *shape,
                                    lf_model **best)
{
    c->candidates = candidates;
    c->count = count;
    c->no_memory = 0;
    c->models = calloc(count + 1, sizeof *c->models);
    c->failure = c->models ? lf_loop_begin(c->ctx) : NULL;
    if (!c->failure) {
        free(c->models);
        return lf_no_memory(c->ctx);
    }
    lf_parallel_tasks(lf_threads(c->ctx), count, fit_candidate, c);
    lf_status status = lf_loop_end(c->ctx, c->failure);
    size_t winner = 0;
    for (size_t i = 1; i < count; i++) {
        winner = candidates[i].score > candidates[winner].score ? i : winner;
    }
    int found = isfinite(candidates[winner].score);
    status = c->no_memory ? lf_no_memory(c->ctx) : found ? LF_OK : status;
    if (!found && !status) {
        status = lf_fail(c->ctx, LF_ERROR_CANCELLED, "cancelled before any candidate was fitted");
    }
    if (!status) {
        shape->operator_type = candidates[winner].operator_type;
        shape->force_kernel = candidates[winner].force_kernel;
        shape->forces = candidates[winner].forces;
        lf_model_free(*best);
        *best = c->models[winner];
        c->models[winner] = NULL;
    }
    for (size_t i = 0; i < count; i++) {
        lf_model_free(c->models[i]);
    }
    free(c->models);
    return status;
}

lf_status lf_select_shape(lf_context *ctx, const lf_training *training, const lf_fit_options *options,
                          lf_shape_options *shape, lf_fit_result *result, lf_model **best)
{
    comparison c = {.ctx = ctx, .training = training, .shape = shape, .options = *options};
    int inputs = lf_data_input_dim(training->data), outputs = lf_data_output_count(training->data);
    const char *usual = shape->operator_type ? shape->operator_type : inputs > 1 ? "gaussian" : "ode1";
    size_t count = 0;
    lf_status status = LF_OK;
    if (inputs > 1 && options->select_operator) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "with %d inputs there is no choice of operators: gaussian is the only one", inputs);
    }
    lf_candidate *candidates = result->candidates = calloc(MOST_CANDIDATES, sizeof *candidates);
    if (!candidates) {
        return lf_no_memory(ctx);
    }
    c.options.max_iterations = SHORT; /* whatever was asked for: a fit that is resumed with more must choose the same */
    c.options.restarts = STARTS;
    c.options.prior = LF_PRIOR_WEAK; /* likelihoods are compared */
    c.options.checkpoint = NULL;
    c.options.resume = 0;
    if (!options->select_kernel) {
        lf_default_kernels(shape, outputs, inputs);
    }
    for (size_t o = 0; o < (options->select_operator ? COUNT(operators) : 1); o++) {
        for (size_t k = 0; k < (options->select_kernel ? COUNT(kernels) : 1); k++) {
            candidates[count++] =
                (lf_candidate){.operator_type = options->select_operator ? operators[o] : usual,
                               .force_kernel = options->select_kernel ? kernels[k] : shape->force_kernel,
                               .forces = shape->forces};
        }
    }
    if (options->select_operator || options->select_kernel) {
        status = compare_candidates(&c, candidates, count, shape, best);
    } else {
        count = 0;
    }
    if (!status && options->select_forces && !lf_monitor_stopped(training->monitor)) {
        lf_candidate *first = candidates + count;
        size_t tried = 0;
        for (size_t i = 0; i < COUNT(force_counts) && force_counts[i] <= (outputs > 1 ? outputs + 2 : 1); i++) {
            first[tried++] = (lf_candidate){.operator_type = shape->operator_type ? shape->operator_type : usual,
                                            .force_kernel = shape->force_kernel,
                                            .forces = force_counts[i]};
        }
        count += tried;
        status = compare_candidates(&c, first, tried, shape, best);
    }
    result->candidate_count = count;
    for (size_t i = 0; !status && i < count; i++) {
        candidates[i].chosen = strcmp(candidates[i].operator_type, shape->operator_type) == 0 &&
                               strcmp(candidates[i].force_kernel, shape->force_kernel) == 0 &&
                               candidates[i].forces == shape->forces;
    }
    return status;
}
