/* The objective of a fit. */
#include "inference/objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/parallel.h"
#include "base/processes.h"

lf_status lf_objective_create(lf_context *ctx, const lf_model *model, const lf_data *data,
                              const lf_engine_options *options, const lf_prior *prior, lf_objective *objective)
{
    size_t count = model->parameter_count;
    *objective = (lf_objective){.ctx = lf_context_create(),
                                .prior = prior,
                                .index = calloc(count + 1, sizeof *objective->index),
                                .theta = lf_doubles(count, 1),
                                .full = lf_doubles(count, 1)};
    if (!objective->ctx || !objective->index || !objective->theta || !objective->full) {
        lf_objective_clear(objective);
        return lf_no_memory(ctx);
    }
    objective->ctx->seed = ctx->seed; /* of sampled frequencies */
    objective->ctx->threads = 1;
    objective->ctx->memory = lf_memory_limit(ctx);
    objective->ctx->engines = ctx->engines;
    if (lf_data_is_shared(data)) {
        lf_lend_processes(ctx, objective->ctx);
    }
    objective->ctx->work_limit = 0.5; /* an optimiser evaluates hundreds of times */
    objective->count = lf_free_parameters(model, objective->index);
    lf_model_get_theta(model, count, objective->theta);
    lf_status status = lf_engine_create(objective->ctx, model, data, options, &objective->engine);
    if (status) {
        status = lf_fail(ctx, status, "%s", objective->ctx->message);
        lf_objective_clear(objective);
    }
    return status;
}

void lf_objective_clear(lf_objective *objective)
{
    lf_engine_free(objective->engine);
    lf_context_free(objective->ctx);
    free(objective->index);
    free(objective->theta);
    free(objective->full);
    *objective = (lf_objective){0};
}

void lf_objective_point(const lf_objective *objective, double *x)
{
    for (size_t k = 0; k < objective->count; k++) {
        size_t i = objective->index[k];
        x[k] = lf_prior_coordinate(objective->prior, i, objective->theta[i]);
    }
}

/* Log density up to a constant, of free parameters and of shares; its gradient by theta is added. */
static double add_log_prior(lf_objective *objective)
{
    double sum = 0;
    for (size_t k = 0; k < objective->count; k++) {
        size_t i = objective->index[k];
        double sd = objective->prior->sd[i];
        if (isfinite(sd)) {
            double slope = objective->prior->of_value[i] ? exp(objective->theta[i]) : 1,
                   value = objective->prior->of_value[i] ? slope : objective->theta[i];
            double away = (value - objective->prior->mean[i]) / sd;
            sum -= 0.5 * away * away;
            objective->full[i] -= away / sd * slope;
        }
    }
    return objective->prior->of_shares ? sum + lf_share_prior(objective->engine->model, objective->prior->time,
                                                              objective->theta, objective->full)
                                       : sum;
}

lf_status lf_objective_evaluate(lf_objective *objective, const double *x, double *value, double *gradient,
                                double *log_prior)
{
    double likelihood;
    for (size_t k = 0; k < objective->count; k++) {
        size_t i = objective->index[k];
        objective->theta[i] = lf_prior_theta(objective->prior, i, x[k]);
        if (isnan(objective->theta[i])) { /* after gradients near the largest numbers */
            return lf_fail(objective->ctx, LF_ERROR_NUMERIC,
                           "a step of the fit is not finite: the gradient is too large; give other starting values");
        }
    }
    objective->evaluations++;
    size_t parameters = objective->engine->model->parameter_count, bytes = parameters * sizeof(double);
    /* Several processes go the way of the first: their processors may round differently. */
    lf_status status = lf_broadcast(objective->ctx, 0, bytes, objective->theta);
    LF_TRY(status, lf_engine_evaluate(objective->engine, parameters, objective->theta, &likelihood, objective->full));
    status = lf_agree(objective->ctx, status);
    LF_TRY(status, lf_broadcast(objective->ctx, 0, sizeof likelihood, &likelihood));
    LF_TRY(status, lf_broadcast(objective->ctx, 0, bytes, objective->full));
    if (status) {
        return status;
    }
    double log_density = add_log_prior(objective);
    int finite = isfinite(likelihood);
    for (size_t k = 0; k < objective->count; k++) {
        size_t i = objective->index[k];
        gradient[k] = -objective->full[i] * lf_prior_slope(objective->prior, i, objective->theta[i]);
        finite = finite && isfinite(gradient[k]);
    }
    if (!finite) {
        return lf_fail(objective->ctx, LF_ERROR_NUMERIC, "the log likelihood or its gradient is not finite");
    }
    *value = -(likelihood + log_density);
    if (log_prior) {
        *log_prior = log_density;
    }
    return LF_OK;
}
