/* Whether shared forces that repeat are added to a model by default: the periodogram proposes periods, fits decide. A candidate is the
 * best model so far with the forces of one more period, fitted from the values of that model, and is taken where log likelihood +
 * log prior - parameters becomes larger. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "data/data.h"
#include "fit/cycle_force.h"
#include "fit/fit_model.h"

/* Iterations of a candidate's fit, and starts of the model without a cycle, from which all candidates start. */
enum { SHORT = 80, STARTS = 2 };
/* Operations of one evaluation up to which candidates are fitted, as for the number of forces. */
#define MOST_OPERATIONS 5e8
#define LEAST_GAIN 0 /* of the score */

typedef struct search {
    lf_context *ctx;
    const lf_training *training;
    const lf_data *observed;
    lf_fit_options options;
    lf_model *model; /* the best so far; NULL: only the one that was given, which is not fitted yet */
    double score, log_likelihood;
    lf_monitor monitor;
} search;

/* The progress of a fit, passed on as that of a selection. */
static int report(void *user, const lf_progress *progress)
{
    lf_monitor *monitor = user;
    lf_progress passed = *progress;
    passed.stage = "selection";
    lf_monitor_lock(monitor);
    lf_monitor_report(monitor, &passed);
    int stop = monitor->stop;
    lf_monitor_unlock(monitor);
    return stop;
}

static lf_status fit_shortly(search *s, lf_model *model, size_t starts, double *score, double *log_likelihood)
{
    lf_fit_result result = {0};
    lf_training training = *s->training;
    lf_fit_options options = s->options;
    training.monitor = &s->monitor;
    options.restarts = starts;
    lf_status status = lf_fit_model(s->ctx, model, &training, &options, &result);
    *log_likelihood = result.log_likelihood;
    *score = result.log_likelihood + result.log_prior - (double)result.free_count;
    lf_fit_result_clear(&result);
    return status;
}

static void describe(const search *s, const lf_cycle *cycle, size_t size, char *text)
{
    lf_input_info axis = lf_axis_info(&s->observed->axes[0]);
    int seen = 0, D = s->observed->outputs.count;
    for (int d = 0; d < D; d++) {
        seen += cycle->share[d] > 0;
    }
    snprintf(text, size, "a cycle of %.4g%s%s, seen in %d of %d output%s", cycle->period, axis.unit ? " " : "",
             axis.unit ? axis.unit : "", seen, D, D == 1 ? "" : "s");
}

/* The base of the candidates, once it is needed. */
static lf_status fit_base(search *s, const lf_model *given)
{
    lf_status status = s->model ? LF_OK : lf_model_copy(s->ctx, given, &s->model);
    return status ? status : fit_shortly(s, s->model, STARTS, &s->score, &s->log_likelihood);
}

static lf_status try_cycle(search *s, const lf_cycle *cycle)
{
    int copies[] = {1, 2};
    lf_model *best = NULL;
    double score = s->score + LEAST_GAIN, before = s->log_likelihood, tried = -(double)INFINITY;
    char text[200];
    int chosen = 0, D = s->observed->outputs.count;
    lf_status status = LF_OK;
    const char *env = getenv("LF_COPIES");
    for (int i = 0; !status && i < (D > 1 ? 2 : 1) && !lf_monitor_stopped(s->training->monitor); i++) {
        if (env && copies[i] != atoi(env)) continue;
        lf_model *model = NULL;
        double own = -(double)INFINITY, log_likelihood = own;
        status = lf_model_copy(s->ctx, s->model, &model);
        status = status ? status : lf_model_add_cycle(s->ctx, s->observed, s->training->summary, cycle, copies[i], model);
        status = status ? status : fit_shortly(s, model, 1, &own, &log_likelihood);
        if (getenv("LF_SHOW")) fprintf(stderr, "period %g H %d copies %d score %.2f (base %.2f) ll %.2f\n", cycle->period, cycle->harmonics, copies[i], own, s->score, log_likelihood);
        tried = fmax(tried, log_likelihood);
        if (!status && own > score) {
            lf_model *worse = best;
            best = model;
            model = worse;
            score = own;
            chosen = copies[i];
            s->log_likelihood = log_likelihood;
        }
        lf_model_free(model);
    }
    describe(s, cycle, sizeof text, text);
    if (status) {
        lf_model_free(best);
    } else if (chosen) {
        lf_note(s->ctx, "%s: %s added, log likelihood %.1f instead of %.1f (--period none leaves it out)", text,
                chosen > 1 ? "two shared forces that repeat are" : "a shared force that repeats is", s->log_likelihood, before);
        lf_model_free(s->model);
        s->model = best;
        s->score = score;
    } else {
        lf_note(s->ctx, "%s: no force is added, log likelihood %.1f instead of %.1f", text, tried, before);
    }
    return status;
}

lf_status lf_choose_cycles(lf_context *ctx, const lf_training *training, const lf_data *observed,
                           const lf_fit_options *options, lf_model **model)
{
    search s = {.ctx = ctx, .training = training, .observed = observed, .options = *options};
    lf_cycles cycles = {0};
    int added = 0;
    s.options.max_iterations = SHORT;
    s.options.checkpoint = NULL;
    s.options.resume = 0;
    s.options.engine.engine = "kalman";
    lf_status status = lf_monitor_create(ctx, report, training->monitor, &s.monitor);
    if (status) {
        return status;
    }
    status = lf_cycles_find(ctx, observed, &cycles);
    if (!status && cycles.count) {
        status = fit_base(&s, *model);
    }
    for (int i = 0; !status && i < cycles.count && !lf_monitor_stopped(training->monitor); i++) {
        if (getenv("LF_H")) cycles.cycle[i].harmonics = atoi(getenv("LF_H"));
        cycles.cycle[i].harmonics = cycles.cycle[i].harmonics < 2 ? 2 : cycles.cycle[i].harmonics;
        status = try_cycle(&s, &cycles.cycle[i]);
    }
    added = s.model && s.model->force_count > (*model)->force_count;
    if (!status && added) {
        lf_model_free(*model);
        *model = s.model;
    } else {
        lf_model_free(s.model);
    }
    lf_cycles_clear(&cycles);
    lf_monitor_clear(&s.monitor);
    return status;
}
