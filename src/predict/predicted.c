/* Predictions at the points of a request: means, standard deviations, bounds and joint samples. */
#include "predict/predicted.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "predict/readings.h"

static lf_kind kind_of(const lf_model *model, int target)
{
    return target < model->output_count          ? LF_KIND_OUTPUT
           : lf_target_is_force(model, target)   ? LF_KIND_FORCE
           : lf_target_state(model, target) >= 0 ? LF_KIND_STATE
                                                 : LF_KIND_RATE;
}

static lf_kind kind_of_all(const lf_predicted *c)
{
    lf_kind kind = c->list.n > 0 ? kind_of(c->model, c->list.target[0]) : LF_KIND_OUTPUT;
    for (size_t i = 1; i < c->list.n; i++) {
        kind = kind_of(c->model, c->list.target[i]) == kind ? kind : LF_KIND_TARGET;
    }
    return kind;
}

const char *lf_predicted_name(const lf_predicted *c, int target, char name[LF_TARGET_NAME_SIZE])
{
    const lf_model *model = c->model;
    int output = lf_target_output(model, target), force = lf_target_force(model, target);
    if (output >= 0) {
        return model->outputs[output].name;
    }
    if (force >= 0) {
        lf_model_force_name(model, force, LF_TARGET_NAME_SIZE, name);
    } else {
        lf_model_state_name(model, lf_target_state(model, target), LF_TARGET_NAME_SIZE, name);
    }
    return name;
}

/* Their intervals are not symmetric about the mean, so that sd does not say them. */
static int has_links(const lf_predicted *c)
{
    for (size_t i = 0; i < c->list.n; i++) {
        if (lf_target_has_link(c->model, c->list.target[i])) {
            return 1;
        }
    }
    return 0;
}

static lf_status compute(lf_context *ctx, lf_posterior *posterior, lf_predicted *c)
{
    size_t n = c->list.n, samples = c->options->samples;
    int bounds = c->options->level > 0 || has_links(c);
    double *arrays = lf_doubles(n, bounds ? 5 : 3);
    c->mean = arrays;
    c->samples = samples ? lf_doubles(n, samples) : NULL;
    if (!arrays || (samples && !c->samples)) {
        return lf_no_memory(ctx);
    }
    c->variance = arrays + n;
    c->variance_new = arrays + 2 * n;
    c->lower = bounds ? arrays + 3 * n : NULL;
    c->upper = bounds ? arrays + 4 * n : NULL;
    lf_prediction wanted = {.size = sizeof wanted,
                            .level = c->options->level,
                            .noise_free = c->options->noise && strcmp(c->options->noise, "no") == 0,
                            .mean = c->mean,
                            .variance = c->variance,
                            .variance_new = c->variance_new,
                            .lower = c->lower,
                            .upper = c->upper};
    lf_status status = lf_predict_noisy(posterior, &c->list, &wanted);
    return status || !samples ? status : lf_draw_list(posterior, &c->list, samples, c->samples);
}

lf_status lf_predicted_create(lf_context *ctx, lf_posterior *posterior, const lf_points *points,
                              const lf_options *request, lf_predicted *c)
{
    static const lf_request_options defaults;
    *c = (lf_predicted){.model = posterior->scaled.model,
                        .posterior = posterior,
                        .points = points,
                        .options = request ? &request->request : &defaults,
                        .named = lf_posterior_is_named(posterior)};
    lf_status status = lf_options_are(ctx, request, "request");
    LF_TRY(status, lf_question_create(ctx, posterior, points, &c->question));
    c->list = c->question.list;
    c->kind = status ? LF_KIND_TARGET : kind_of_all(c);
    c->noisy = c->kind == LF_KIND_OUTPUT || c->kind == LF_KIND_TARGET;
    lf_context *own = posterior->ctx;
    posterior->ctx = ctx; /* which gives threads and memory, and takes the message */
    LF_TRY(status, compute(ctx, posterior, c));
    posterior->ctx = own;
    return status;
}

void lf_predicted_clear(lf_predicted *c)
{
    lf_question_clear(&c->question);
    free(c->mean);
    free(c->samples);
}
