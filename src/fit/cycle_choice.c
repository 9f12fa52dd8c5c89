/* Whether shared forces that repeat are added to a model by default: the periodogram proposes periods, fits decide. A candidate is the
 * best model so far with the forces of one more period. It goes on from the values of that model, and is taken where it has the larger
 * score (comparison.h), less the price of its period. What is done depends on data and options only. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/context.h"
#include "data/data.h"
#include "fit/comparison.h"
#include "fit/cycle_force.h"
#include "fit/fit_model.h"
#include "fit/force_shapes.h"

enum { SHORT = 80, STARTS = 2 }; /* iterations of a fit, and starts of one that goes on from nothing */

typedef struct search {
    lf_context *ctx;
    const lf_training *training;
    lf_fit_options options;
    lf_monitor monitor;
    lf_model *start, *best;       /* the best model so far at its starting values, and after its fit */
    double log_likelihood, score; /* NaN: it is not fitted */
} search;

/* The progress of a fit, passed on as that of a selection. */
static int report(void *user, const lf_progress *progress)
{
    lf_progress passed = *progress;
    passed.stage = "selection";
    return lf_monitor_pass_on(user, &passed);
}

static lf_status fit_best(search *s, size_t starts)
{
    lf_fit_result result = {0};
    lf_training training = *s->training;
    training.monitor = &s->monitor;
    training.reference = s->start;
    s->options.restarts = starts;
    lf_status status = lf_fit_model(s->ctx, s->best, &training, &s->options, &result);
    s->log_likelihood = result.log_likelihood;
    s->score = lf_fit_score(&result);
    lf_fit_result_clear(&result);
    return status;
}

static void clear_models(search *s)
{
    lf_model_free(s->start);
    lf_model_free(s->best);
    s->start = s->best = NULL;
}

/* "24 h" */
static void show_period(const search *s, const lf_cycle *cycle, size_t size, char *text)
{
    lf_input_info axis = lf_axis_info(&s->training->observed->axes[0]);
    snprintf(text, size, "%.4g%s%s", cycle->period, axis.unit && *axis.unit ? " " : "", axis.unit ? axis.unit : "");
}

/* "a cycle of 24 h is seen in 3 of 4 outputs" */
static void describe(const search *s, const lf_cycle *cycle, size_t size, char *text)
{
    char period[64];
    int seen = 0, D = s->training->observed->outputs.count;
    for (int d = 0; d < D; d++) {
        seen += cycle->share[d] > 0;
    }
    show_period(s, cycle, sizeof period, period);
    if (D == 1) {
        snprintf(text, size, "a cycle of %s is seen", period);
    } else {
        snprintf(text, size, "a cycle of %s is seen in %d of %d outputs", period, seen, D);
    }
}

/* The best model with the forces of one more cycle, not fitted yet. */
static lf_status extend(const search *s, const lf_cycle *cycle, search *candidate)
{
    const lf_training *t = s->training;
    int copies = lf_period_copies(t->observed->outputs.count);
    *candidate = *s;
    candidate->start = candidate->best = NULL;
    lf_status status = lf_model_copy(s->ctx, s->start, &candidate->start);
    LF_TRY(status, lf_model_copy(s->ctx, s->best, &candidate->best));
    LF_TRY(status, lf_model_add_cycle(s->ctx, t->observed, t->summary, cycle, copies, candidate->start));
    return status ? status : lf_model_add_cycle(s->ctx, t->observed, t->summary, cycle, copies, candidate->best);
}

/* A model that an engine refuses is no candidate; if it is the one without cycles, the fit itself will say why. */
static int is_serious(lf_status status) { return status == LF_ERROR_MEMORY || status == LF_ERROR_CANCELLED; }

/* A period is a parameter too, chosen among as many as the periodogram can tell apart. */
static double price_of_period(const search *s)
{
    const lf_data_summary *summary = s->training->summary;
    return 1 + log(fmax(lf_data_summary_span(summary) / (2 * summary->gap), 1));
}

static lf_status try_cycle(search *s, const lf_cycle *cycle)
{
    search candidate;
    char text[200];
    lf_status status = extend(s, cycle, &candidate);
    LF_TRY(status, fit_best(&candidate, 1));
    describe(s, cycle, sizeof text, text);
    if (!status && candidate.score > s->score + price_of_period(s)) {
        lf_note(s->ctx,
                "%s: shared forces that repeat with it are added, log likelihood %.1f instead of %.1f with %zu more "
                "parameters (--period none leaves them out)",
                text, candidate.log_likelihood, s->log_likelihood,
                lf_free_parameters(candidate.best, NULL) - lf_free_parameters(s->best, NULL));
        search worse = *s;
        *s = candidate;
        candidate = worse;
    } else if (!status) {
        lf_note(s->ctx, "%s: nothing is added, log likelihood %.1f instead of %.1f with %zu more parameters", text,
                candidate.log_likelihood, s->log_likelihood,
                lf_free_parameters(candidate.best, NULL) - lf_free_parameters(s->best, NULL));
    }
    clear_models(&candidate);
    return is_serious(status) ? status : LF_OK;
}

/* Whether candidates are cheap enough to be tried, and the engine for all of them. */
static lf_status find_engine(search *s, const lf_cycle *cycle, int *cheap)
{
    search candidate;
    double operations = INFINITY;
    const char *engine = NULL;
    lf_status status = extend(s, cycle, &candidate);
    LF_TRY(status, lf_count_operations(s->ctx, candidate.best, s->training, &s->options, &operations, &engine));
    clear_models(&candidate);
    *cheap = !status && lf_affordable_share(operations) == 1;
    s->options.engine.engine = engine;
    if (!status && isfinite(operations) && !*cheap) {
        char text[200], period[64];
        describe(s, cycle, sizeof text, text);
        show_period(s, cycle, sizeof period, period);
        lf_note(s->ctx, "%s; for %zu rows forces that repeat are added only with --period '%s'", text,
                lf_data_count(s->training->observed), period);
    }
    return is_serious(status) ? status : LF_OK;
}

static lf_status search_cycles(search *s, const lf_cycles *cycles, int fitted)
{
    int cheap;
    lf_status status = find_engine(s, &cycles->cycle[0], &cheap);
    if (status || !cheap) {
        return status;
    }
    status = fit_best(s, fitted ? 1 : STARTS);
    if (status) {
        s->score = (double)NAN;
        return is_serious(status) ? status : LF_OK;
    }
    for (int i = 0; !status && i < cycles->count && !lf_monitor_stopped(s->training->monitor); i++) {
        status = try_cycle(s, &cycles->cycle[i]);
    }
    return status;
}

lf_status lf_choose_cycles(lf_context *ctx, const lf_training *training, const lf_fit_options *options,
                           lf_model **model, lf_model **reference)
{
    search s = {.ctx = ctx, .training = training, .options = lf_compared_options(options), .score = (double)NAN};
    lf_cycles cycles = {0};
    s.options.max_iterations = SHORT;
    lf_status status = lf_monitor_create(ctx, report, training->monitor, &s.monitor);
    if (status) {
        return status;
    }
    status = lf_cycles_find(ctx, training->observed, &cycles);
    if (!status && cycles.count) {
        status = lf_model_copy(ctx, *reference ? *reference : *model, &s.start);
        LF_TRY(status, lf_model_copy(ctx, *model, &s.best));
        LF_TRY(status, search_cycles(&s, &cycles, *reference != NULL));
    }
    if (!status && !isnan(s.score)) {
        lf_model *before = *model;
        *model = s.best;
        s.best = before;
        before = *reference;
        *reference = s.start;
        s.start = before;
    }
    clear_models(&s);
    lf_cycles_clear(&cycles);
    lf_monitor_clear(&s.monitor);
    return status;
}
