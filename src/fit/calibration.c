/* Refits without windows, and the factor of the variance that follows from them. */
#include "fit/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "fit/first_stage.h"
#include "fit/held_out.h"
#include "fit/initial_model.h"
#include "fit/known_inputs.h"

#define QUANTILE 3.841458820694124 /* of a squared standard normal, 95 % */
#define DEFAULT_SHARE 0.125        /* of the span, in windows where the data have no gaps */
enum { LEAST_HELD = 20 };          /* rows in windows from which something can be learnt */

/* One refit. Its rows are in the units of the data. */
struct lf_refit {
    lf_calibration *calibration;
    lf_status status;
    char message[1024]; /* why it failed */
    size_t count;
    double
        *needed; /* (count) factor of the variance of a prediction with which its interval just contains the reading */
    size_t windows;
};

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

/* Whether gaps of a fit are worth refits: several series, and a model made for the data. */
static int applies(const lf_model *start, const lf_training *training, const lf_fit_options *options)
{
    const char *asked = options->calibrate;
    int made = !start->system && !options->init && !options->init_model;
    return !is(asked, "no") && start->input_dim == 1 && (is(asked, "yes") || (start->output_count > 1 && made)) &&
           training->summary->series;
}

lf_status lf_calibration_create(lf_context *ctx, const lf_model *start, const lf_training *training,
                                const lf_fit_options *options, lf_calibration *calibration)
{
    *calibration = (lf_calibration){.ctx = ctx, .training = training, .options = options, .start = start};
    if (is(options->calibrate, "yes") && start->input_dim > 1) {
        lf_note(ctx, "--calibrate yes has no effect with %d inputs: windows are stretches of time", start->input_dim);
    }
    if (!applies(start, training, options)) {
        return LF_OK;
    }
    lf_status status = lf_gap_length(ctx, training->observed, &calibration->length);
    if (!status && !(calibration->length > 0) && is(options->calibrate, "yes")) {
        calibration->length = DEFAULT_SHARE * lf_data_summary_span(training->summary);
    }
    if (status || !(calibration->length > 0)) {
        return status;
    }
    /* one refit of many outputs has enough windows */
    calibration->count = start->output_count > LF_ENOUGH_FORCES ? 1 : LF_MOST_REFITS;
    calibration->refits = calloc(calibration->count, sizeof *calibration->refits);
    return calibration->refits ? LF_OK : lf_no_memory(ctx);
}

void lf_calibration_clear(lf_calibration *calibration)
{
    for (size_t i = 0; calibration->refits && i < calibration->count; i++) {
        free(calibration->refits[i].needed);
    }
    free(calibration->refits);
    *calibration = (lf_calibration){0};
}

/* ---- one refit ---- */

/* Progress is that of the fit; a refit only asks whether to stop. */
static int ask_to_stop(void *user, const lf_progress *progress)
{
    (void)progress;
    return lf_monitor_stopped(user);
}

static int find_replicate(const lf_posterior *posterior, const lf_data *rows, size_t i)
{
    int found = 0;
    for (int r = 0; rows->replicate[i] >= 0 && r < lf_posterior_replicate_count(posterior); r++) {
        found =
            strcmp(lf_posterior_replicate_name(posterior, r), rows->replicates.name[rows->replicate[i]]) ? found : r;
    }
    return found;
}

/* Predicts the rows of the windows. */
static lf_status predict_windows(lf_context *ctx, const lf_model *model, const lf_data *rest,
                                 const lf_engine_options *options, const lf_data *rows, lf_refit *refit)
{
    size_t n = rows->n;
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    int *target = calloc(2 * n + 1, sizeof *target), *replicate = target + n;
    double *mean = lf_doubles(n, 1), *variance = lf_doubles(n, 1);
    refit->needed = lf_doubles(n, 1);
    lf_status status = target && mean && variance && refit->needed ? LF_OK : lf_no_memory(ctx);
    status = status ? status : lf_engine_create(ctx, model, rest, options, &engine);
    double unused;
    status = status ? status : lf_engine_evaluate(engine, 0, NULL, &unused, NULL);
    status = status ? status : lf_engine_posterior(engine, &posterior);
    for (size_t i = 0; !status && i < n; i++) {
        target[i] = lf_model_find_output(model, rows->outputs.name[rows->output[i]]);
        replicate[i] = find_replicate(posterior, rows, i);
    }
    lf_points points = {.n = n, .target = target, .replicate = replicate, .x = rows->x, .width = rows->width};
    status = status ? status : lf_predict(posterior, &points, mean, variance, NULL);
    for (size_t i = 0; !status && i < n; i++) {
        double error = rows->y[i] - mean[i];
        double noise = lf_model_noise_variance(model, target[i]) + rows->sd[i] * rows->sd[i];
        refit->needed[i] = variance[i] > 0 ? (error * error / QUANTILE - noise) / variance[i] : 1;
    }
    refit->count = status ? 0 : n;
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    free(target);
    free(mean);
    free(variance);
    return status;
}

/* The fit to the rows outside the windows, from the same starting values. */
static lf_status fit_rest(lf_context *ctx, const lf_calibration *c, const lf_data *rest, const lf_data *observed,
                          lf_model *model)
{
    lf_fit_options options = *c->options;
    lf_fit_result result = {0};
    lf_data_summary summary = {0};
    lf_monitor monitor;
    lf_model *reference = NULL;
    size_t first_rows = 0;
    options.restarts = 1;
    options.begun = 0;
    options.checkpoint = NULL;
    options.resume = 0;
    lf_status status = lf_monitor_create(ctx, ask_to_stop, c->training->monitor, &monitor);
    if (status) {
        return status;
    }
    status = lf_data_summary_create(ctx, observed, model, &summary);
    status = status ? status : lf_known_sizes(ctx, rest, model, &summary);
    for (int d = 0; !status && d < summary.output_count; d++) {
        summary.outputs[d].unexplained = c->training->summary->outputs[d].unexplained;
    }
    lf_training training = {
        .data = rest, .summary = &summary, .monitor = &monitor, .reference = c->start, .observed = observed};
    status = status ? status : lf_fit_first_stage(ctx, &training, &options, model, &reference, &first_rows);
    options.begun = first_rows > 0;
    status = status ? status : lf_fit_model(ctx, model, &training, &options, &result);
    status = status || !result.cancelled ? status : lf_fail(ctx, LF_ERROR_CANCELLED, "the fit was cancelled");
    lf_model_free(reference);
    lf_fit_result_clear(&result);
    lf_data_summary_clear(&summary);
    lf_monitor_clear(&monitor);
    return status;
}

static lf_status run(lf_context *ctx, size_t i, lf_refit *refit)
{
    const lf_calibration *c = refit->calibration;
    lf_window *windows = NULL;
    lf_data *rest = NULL, *observed = NULL, *held = NULL;
    lf_model *model = NULL;
    size_t n = 0;
    lf_status status = lf_draw_windows(ctx, c->training->observed, c->length,
                                       c->ctx->seed + 0x9e3779b97f4a7c15u * (i + 1), &n, &windows);
    if (!status && n) {
        status = lf_cut_windows(ctx, c->training->data, n, windows, 0, &rest);
        status = status ? status : lf_cut_windows(ctx, c->training->observed, n, windows, 0, &observed);
        status = status ? status : lf_cut_windows(ctx, c->training->observed, n, windows, 1, &held);
        status = status ? status : lf_model_copy(ctx, c->start, &model);
        status = status ? status : fit_rest(ctx, c, rest, observed, model);
        status = status ? status : predict_windows(ctx, model, rest, &c->options->engine, held, refit);
    }
    refit->windows = n;
    lf_model_free(model);
    lf_data_free(rest);
    lf_data_free(observed);
    lf_data_free(held);
    free(windows);
    return status;
}

void lf_calibration_refit(lf_calibration *calibration, size_t i)
{
    lf_refit *refit = &calibration->refits[i];
    lf_context *local = lf_context_create();
    refit->calibration = calibration;
    refit->status = LF_ERROR_MEMORY;
    if (local) {
        lf_set_seed(local, calibration->ctx->seed);
        local->threads = 1;
        local->memory = calibration->ctx->memory;
        local->engines = calibration->ctx->engines;
        refit->status = run(local, i, refit);
        memcpy(refit->message, local->message, sizeof refit->message);
    }
    lf_context_free(local);
}

/* ---- what follows ---- */

/* A refit that failed is no reason to give up the fit. */
static void note_failure(const lf_calibration *c, const lf_refit *refit)
{
    lf_note(c->ctx, "predictions in gaps could not be checked by windows left out: %s", refit->message);
}

lf_status lf_calibration_apply(lf_calibration *c, lf_model *model, lf_fit_result *result)
{
    size_t n = 0, windows = 0, covered = 0;
    for (size_t i = 0; i < c->count; i++) {
        const lf_refit *refit = &c->refits[i];
        if (refit->status) {
            note_failure(c, refit);
            return refit->status == LF_ERROR_MEMORY ? lf_no_memory(c->ctx) : LF_OK;
        }
        n += refit->count;
        windows += refit->windows;
    }
    if (n < LEAST_HELD) {
        return LF_OK;
    }
    double *needed = lf_doubles(n, 1);
    if (!needed) {
        return lf_no_memory(c->ctx);
    }
    size_t used = 0;
    for (size_t i = 0; i < c->count; i++) {
        memcpy(needed + used, c->refits[i].needed, c->refits[i].count * sizeof *needed);
        used += c->refits[i].count;
    }
    qsort(needed, n, sizeof *needed, lf_order_doubles);
    for (size_t i = 0; i < n; i++) {
        covered += needed[i] <= 1;
    }
    double factor = fmax(needed[(size_t)ceil(0.95 * (double)n) - 1], 1);
    free(needed);
    for (int d = 0; d < model->output_count; d++) {
        model->outputs[d].variance_inflation = factor > 1 ? factor : 0;
    }
    result->held_out_windows = windows;
    result->held_out_rows = n;
    result->held_out_coverage = (double)covered / (double)n;
    lf_note(c->ctx,
            "%zu windows of %.4g were left out of %zu refit%s: 95 %% intervals covered %.0f %% of their %zu rows%s",
            windows, c->length, c->count, c->count == 1 ? "" : "s", 100 * result->held_out_coverage, n,
            factor > 1 ? "" : "; intervals stay as they are");
    if (factor > 1) {
        lf_note(
            c->ctx,
            "intervals are %.2f times as wide as the model says, which covers 95 %% (--calibrate no leaves this out)",
            sqrt(factor));
    }
    return LF_OK;
}
