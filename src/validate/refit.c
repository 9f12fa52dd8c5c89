/* Refits, and what they predict in their windows. */
#include "validate/refit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/random.h"
#include "engine/engine.h"
#include "inference/optimise.h"
#include "predict/posterior.h"
#include "predict/predict.h"
#include "predict/readings.h"
#include "validate/windows.h"

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

/* Predicts the rows of the windows (held) from the others. */
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
    lf_point_list points = {.n = n, .target = target, .replicate = replicate, .x = rows->x, .width = rows->width};
    LF_TRY(status, lf_predict_list(posterior, &points, mean, variance, NULL));
    for (size_t i = 0; !status && i < n; i++) {
        const lf_output *output = &model->outputs[target[i]];
        double noise = lf_model_noise_variance(model, target[i]) + rows->sd[i] * rows->sd[i],
               error = rows->y[i] - mean[i];
        if (output->likelihood) {
            lf_reading reading = lf_reading_of(output, rows->y[i], rows->sd[i]);
            lf_reading_as_gaussian(output->likelihood, &reading, (lf_latent){mean[i], variance[i]}, &error, &noise);
        }
        refit->rows[i] = (lf_held_row){.error = error, .variance = variance[i], .noise = noise};
    }
    refit->count = status ? 0 : n;
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    free(target);
    free(mean);
    free(variance);
    return status;
}

/* The fit to the rows outside the windows, from the values of the structure so far; *model: the fitted one. */
static lf_status fit_rest(lf_context *ctx, const lf_problem *rest, const lf_fit_plan *plan, const lf_structure *s,
                          const lf_refit_windows *w, lf_refit *refit, lf_model **model)
{
    lf_structure alone = *s;
    lf_prior prior = {0};
    lf_optimum found = {0};
    lf_monitor monitor;
    alone.others = (lf_starts){0};
    alone.restarts = 1;
    alone.alone = 1;
    alone.in_stages = s->in_stages && !s->warm;
    lf_status status = lf_monitor_create(ctx, w->progress ? w->progress : ask_to_stop, w->user, &monitor);
    if (status) {
        return status;
    }
    status = lf_prior_create(ctx, rest, &alone, &prior);
    LF_TRY(status, lf_optimise(ctx, rest, plan, &alone, &prior, &monitor, &found));
    status = status || !found.cancelled ? status : lf_fail(ctx, LF_ERROR_CANCELLED, "the fit was cancelled");
    refit->evaluations = found.evaluations;
    *model = found.model;
    found.model = NULL;
    lf_optimum_clear(&found);
    lf_prior_clear(&prior);
    lf_monitor_clear(&monitor);
    return status;
}

static lf_status run(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                     const lf_refit_windows *w, lf_refit *refit)
{
    lf_cut cut = {0};
    lf_window *windows = NULL;
    lf_problem *rest = NULL;
    lf_data *held = NULL;
    lf_model *model = NULL;
    uint64_t seed = lf_stream_seed(ctx->seed, LF_STREAM_WINDOWS, w->number + 1);
    lf_status status = lf_draw_windows(ctx, problem->observed, w->length, seed, &cut.count, &windows);
    cut.windows = windows;
    refit->windows = cut.count;
    if (!status && cut.count) {
        status = lf_problem_part(ctx, problem, s->start, lf_outside_windows, &cut, &rest);
        LF_TRY(status, lf_data_pick(ctx, problem->observed, lf_inside_windows, &cut, &held));
        LF_TRY(status, fit_rest(ctx, rest, plan, s, w, refit, &model));
        LF_TRY(status, predict_windows(ctx, model, rest->training, &s->engine, held, refit));
    }
    lf_model_free(model);
    lf_problem_free(rest);
    lf_data_free(held);
    free(windows);
    return status;
}

void lf_refit_run(lf_context *worker, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                  const lf_refit_windows *windows, lf_refit *refit)
{
    *refit = (lf_refit){0};
    refit->status = run(worker, problem, plan, s, windows, refit);
    snprintf(refit->message, sizeof refit->message, "%s", refit->status ? lf_context_message(worker) : "");
}

void lf_refit_clear(lf_refit *refit)
{
    free(refit->rows);
    *refit = (lf_refit){0};
}
