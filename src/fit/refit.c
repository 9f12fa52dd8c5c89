/* Refits, each in a context of its own, and what the rows in their windows say. */
#include "fit/refit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "engine/engine.h"
#include "fit/first_stage.h"
#include "fit/held_out.h"
#include "fit/initial_model.h"
#include "fit/input_facts.h"

#define QUANTILE 3.841458820694124 /* of a squared standard normal, 95 % */
#define LOG_TWO_PI 1.837877066409345

/* What is fitted. */
typedef struct plan {
    const lf_model *start;
    const lf_training *training;
    const lf_fit_options *options;
    lf_progress_function progress;
    void *user;
} plan;

/* ---- one refit ---- */

/* Where progress is that of a fit beside it, a refit only asks whether to stop. */
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
    refit->rows = calloc(n + 1, sizeof *refit->rows);
    lf_give_back_memory(); /* of the fit */
    lf_status status = target && mean && variance && refit->rows ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, lf_engine_create(ctx, model, rest, options, &engine));
    double unused;
    LF_TRY(status, lf_engine_evaluate(engine, 0, NULL, &unused, NULL));
    LF_TRY(status, lf_engine_posterior(engine, &posterior));
    for (size_t i = 0; !status && i < n; i++) {
        target[i] = lf_model_find_output(model, rows->outputs.name[rows->output[i]]);
        replicate[i] = find_replicate(posterior, rows, i);
    }
    lf_points points = {.n = n, .target = target, .replicate = replicate, .x = rows->x, .width = rows->width};
    LF_TRY(status, lf_predict(posterior, &points, mean, variance, NULL));
    for (size_t i = 0; !status && i < n; i++) {
        double noise = lf_model_noise_variance(model, target[i]) + rows->sd[i] * rows->sd[i];
        refit->rows[i] = (lf_held_row){.error = rows->y[i] - mean[i], .variance = variance[i], .noise = noise};
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
static lf_status fit_rest(lf_context *ctx, const plan *p, const lf_data *rest, const lf_data *observed, lf_model *model)
{
    lf_fit_options options = *p->options;
    lf_fit_result result = {0};
    lf_data_summary summary = {0};
    lf_monitor monitor;
    options.restarts = 1;
    options.checkpoint = NULL;
    options.resume = 0;
    lf_status status = lf_monitor_create(ctx, p->progress, p->user, &monitor);
    if (status) {
        return status;
    }
    status = lf_data_summary_create(ctx, observed, model, &summary);
    LF_TRY(status, lf_known_sizes(ctx, rest, model, &summary));
    for (int d = 0; !status && d < summary.output_count; d++) {
        summary.outputs[d].unexplained = p->training->summary->outputs[d].unexplained;
    }
    lf_training training = {.data = rest,
                            .summary = &summary,
                            .monitor = &monitor,
                            .reference = p->start,
                            .observed = observed,
                            .in_stages = p->training->in_stages};
    LF_TRY(status, lf_fit_in_stages(ctx, model, &training, &options, &result));
    status = status || !result.cancelled ? status : lf_fail(ctx, LF_ERROR_CANCELLED, "the fit was cancelled");
    lf_fit_result_clear(&result);
    lf_data_summary_clear(&summary);
    lf_monitor_clear(&monitor);
    return status;
}

static lf_status run(lf_context *ctx, const plan *p, double length, uint64_t seed, lf_refit *refit)
{
    lf_window *windows = NULL;
    lf_data *rest = NULL, *observed = NULL, *held = NULL;
    lf_model *model = NULL;
    size_t n = 0;
    lf_status status = lf_draw_windows(ctx, p->training->observed, length, seed, &n, &windows);
    if (!status && n) {
        status = lf_cut_windows(ctx, p->training->data, n, windows, 0, &rest);
        LF_TRY(status, lf_cut_windows(ctx, p->training->observed, n, windows, 0, &observed));
        LF_TRY(status, lf_cut_windows(ctx, p->training->observed, n, windows, 1, &held));
        LF_TRY(status, lf_model_copy(ctx, p->start, &model));
        LF_TRY(status, fit_rest(ctx, p, rest, observed, model));
        LF_TRY(status, predict_windows(ctx, model, rest, &p->options->engine, held, refit));
    }
    refit->windows = n;
    lf_model_free(model);
    lf_data_free(rest);
    lf_data_free(observed);
    lf_data_free(held);
    free(windows);
    return status;
}

void lf_refit_run(const lf_context *ctx, const lf_model *start, const lf_training *training,
                  const lf_fit_options *options, double length, size_t number, lf_progress_function progress,
                  void *user, lf_refit *refit)
{
    plan p = {start, training, options, progress ? progress : ask_to_stop, progress ? user : training->monitor};
    lf_context *local = lf_context_create();
    *refit = (lf_refit){.status = LF_ERROR_MEMORY};
    if (local) {
        lf_set_seed(local, ctx->seed);
        local->threads = 1;
        local->memory = ctx->memory;
        local->engines = ctx->engines;
        refit->status = run(local, &p, length, ctx->seed + 0x9e3779b97f4a7c15u * (number + 1), refit);
        memcpy(refit->message, local->message, sizeof refit->message);
    }
    lf_context_free(local);
}

void lf_refit_clear(lf_refit *refit)
{
    free(refit->rows);
    *refit = (lf_refit){0};
}

/* ---- what its rows say ---- */

/* The factor of its variance with which an interval just contains the reading. */
static double needed_factor(const lf_held_row *row)
{
    return row->variance > 0 ? (row->error * row->error / QUANTILE - row->noise) / row->variance : 1;
}

double lf_held_out_coverage(size_t n, const lf_held_row *rows, double factor)
{
    size_t covered = 0;
    for (size_t i = 0; i < n; i++) {
        covered += needed_factor(&rows[i]) <= factor;
    }
    return (double)covered / (double)n;
}

double lf_variance_factor(size_t n, const lf_held_row *rows, double weight, double share)
{
    double low = 0, high = 1, next = 1; /* high covers enough */
    for (size_t i = 0; i < n; i++) {
        high = fmax(high, needed_factor(&rows[i]));
    }
    while (high - low > 1e-12 * high && high > 1) {
        double as_the_model_says = erf(sqrt(next * QUANTILE / 2));
        int enough = weight * lf_held_out_coverage(n, rows, next) + (1 - weight) * as_the_model_says >= share;
        low = enough ? low : next;
        high = enough ? next : high;
        next = (low + high) / 2;
    }
    return high;
}

double lf_held_out_density(size_t n, const lf_held_row *rows, double factor)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double variance = factor * rows[i].variance + rows[i].noise;
        sum -= 0.5 * (LOG_TWO_PI + log(variance) + rows[i].error * rows[i].error / variance);
    }
    return sum / (double)n;
}
