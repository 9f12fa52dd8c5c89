/* The log posterior of a model whose likelihood an engine has: exact for Gaussian readings, otherwise the bound of its sites
 * (engine/sites.h). */
#include "inference/gaussian.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "engine/engine.h"

typedef struct gaussian {
    lf_model *origin; /* where it was made: an engine that approximates has chosen its frequencies there */
    const lf_data *data;
    lf_engine *engine;
} gaussian;

static lf_status evaluate(lf_log_posterior *p, const double *x, unsigned with, double *value, double *gradient)
{
    gaussian *g = p->state;
    lf_status status = lf_log_posterior_move(p, x);
    if (status) {
        return status;
    }
    p->evaluations++;
    size_t parameters = p->model->parameter_count;
    memset(p->by_theta, 0, parameters * sizeof *p->by_theta);
    status = lf_engine_evaluate(g->engine, parameters, p->theta, &p->log_likelihood, gradient ? p->by_theta : NULL);
    status = lf_agree(p->ctx, status);
    LF_TRY(status, lf_broadcast(p->ctx, 0, sizeof p->log_likelihood, &p->log_likelihood));
    LF_TRY(status, lf_broadcast(p->ctx, 0, parameters * sizeof *p->by_theta, p->by_theta));
    LF_TRY(status, lf_log_posterior_combine(p, x, with, value, gradient));
    return status;
}

/* The engine is that of the class that was chosen, whatever would be chosen elsewhere. */
static lf_status clone(const lf_log_posterior *p, lf_context *ctx, const double *at, lf_log_posterior **copy)
{
    const gaussian *g = p->state;
    lf_engine_options options = g->engine->options;
    lf_model *model = NULL;
    options.engine = g->engine->class->name;
    lf_status status = lf_model_copy(ctx, g->origin, &model);
    if (!status && at) {
        size_t count = model->parameter_count;
        double *theta = lf_doubles(count, 1);
        status = theta ? LF_OK : lf_no_memory(ctx);
        if (!status) {
            memcpy(theta, p->theta, count * sizeof *theta);
        }
        for (size_t k = 0; !status && k < p->count; k++) {
            theta[p->index[k]] = lf_coordinate_theta(&p->coordinate[k], at[k]);
        }
        LF_TRY(status, lf_model_set_theta(ctx, model, count, theta));
        free(theta);
    }
    LF_TRY(status, lf_gaussian_create(ctx, model, g->data, &options, p->prior, copy));
    if (!status) {
        memcpy((*copy)->coordinate, p->coordinate, p->count * sizeof *p->coordinate);
    }
    lf_model_free(model);
    return status;
}

/* theta for which the engine was made, and its sites. */
static size_t save(const lf_log_posterior *p, double *state)
{
    const gaussian *g = p->state;
    size_t count = p->model->parameter_count;
    if (state) {
        memcpy(state, g->engine->prepared, count * sizeof *state);
        lf_sites_save(g->engine->sites, state + count);
    }
    return count + lf_sites_size(g->engine->sites);
}

static lf_status load(lf_log_posterior *p, const double *state)
{
    gaussian *g = p->state;
    lf_status status = lf_engine_prepare(g->engine, state);
    if (!status) {
        lf_sites_load(g->engine->sites, state + p->model->parameter_count);
    }
    return status;
}

static void memory(const lf_log_posterior *p, double *held, double *working)
{
    const gaussian *g = p->state;
    *working = g->engine->memory.work;
    *held = lf_engine_memory(g->engine) - *working;
}

static void destroy(lf_log_posterior *p)
{
    gaussian *g = p->state;
    lf_engine_free(g->engine);
    lf_model_free(g->origin);
    free(g);
}

static const lf_log_posterior_class gaussian_class = {.name = "gaussian",
                                                      .evaluate = evaluate,
                                                      .clone = clone,
                                                      .save = save,
                                                      .load = load,
                                                      .memory = memory,
                                                      .destroy = destroy};

lf_status lf_gaussian_create(lf_context *ctx, const lf_model *model, const lf_data *data,
                             const lf_engine_options *options, const lf_prior *prior, lf_log_posterior **made)
{
    gaussian *g = calloc(1, sizeof *g);
    lf_status status = g ? lf_model_copy(ctx, model, &g->origin) : lf_no_memory(ctx);
    *made = NULL;
    LF_TRY(status, lf_log_posterior_allocate(ctx, &gaussian_class, g->origin, prior, lf_data_is_shared(data), made));
    if (status) {
        lf_model_free(g ? g->origin : NULL);
        free(g);
        return lf_data_is_shared(data) ? lf_agree(ctx, status) : status;
    }
    lf_log_posterior *p = *made;
    p->state = g;
    g->data = data;
    p->ctx->work_limit = 0.5; /* an optimiser evaluates hundreds of times */
    status = lf_data_is_shared(data) ? lf_agree(ctx, LF_OK) : LF_OK;
    if (!status) {
        status = lf_engine_create(p->ctx, model, data, options, &g->engine);
        status = status ? lf_take_failure(ctx, p->ctx, status) : LF_OK;
    }
    if (status) {
        lf_log_posterior_destroy(p);
        *made = NULL;
    }
    return status;
}
