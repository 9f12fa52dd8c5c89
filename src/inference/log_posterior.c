/* What all classes of log posteriors have in common: coordinates, the prior, processes. */
#include "inference/log_posterior.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/processes.h"
#include "inference/gaussian.h"

lf_status lf_log_posterior_make(lf_context *ctx, const lf_problem *problem, const lf_structure *s,
                                const lf_model *model, const lf_prior *prior, lf_log_posterior **p)
{
    return lf_gaussian_create(ctx, model, lf_problem_rows(problem), &s->fitting, prior, p);
}

lf_status lf_log_posterior_clone(lf_context *ctx, const lf_log_posterior *p, const double *at, lf_log_posterior **copy)
{
    *copy = NULL;
    return p->class->clone(p, ctx, at, copy);
}

lf_status lf_log_posterior_allocate(lf_context *ctx, const lf_log_posterior_class *class, const lf_model *model,
                                    const lf_prior *prior, int shared, lf_log_posterior **made)
{
    size_t count = model->parameter_count;
    lf_log_posterior *p = *made = calloc(1, sizeof *p);
    if (!p) {
        return lf_no_memory(ctx);
    }
    *p = (lf_log_posterior){.class = class,
                            .ctx = lf_context_create(),
                            .prior = prior,
                            .model = model,
                            .index = calloc(count + 1, sizeof *p->index),
                            .coordinate = calloc(count + 1, sizeof *p->coordinate),
                            .theta = lf_doubles(count, 1),
                            .by_theta = lf_doubles(count, 1)};
    if (!p->ctx || !p->index || !p->coordinate || !p->theta || !p->by_theta) {
        lf_log_posterior_destroy(p);
        *made = NULL;
        return lf_no_memory(ctx);
    }
    p->ctx->seed = ctx->seed; /* of sampled frequencies */
    p->ctx->threads = 1;
    p->ctx->memory = lf_memory_limit(ctx);
    p->ctx->engines = ctx->engines;
    if (shared) {
        lf_lend_processes(ctx, p->ctx);
    }
    p->count = lf_free_parameters(model, p->index);
    for (size_t k = 0; k < p->count; k++) {
        p->coordinate[k] = lf_prior_coordinate(prior, p->index[k]);
    }
    lf_model_theta(model, p->theta);
    return LF_OK;
}

void lf_log_posterior_destroy(lf_log_posterior *p)
{
    if (p) {
        if (p->state) {
            p->class->destroy(p);
        }
        lf_context_free(p->ctx);
        free(p->index);
        free(p->coordinate);
        free(p->theta);
        free(p->by_theta);
        free(p);
    }
}

void lf_log_posterior_point(const lf_log_posterior *p, double *x)
{
    for (size_t k = 0; k < p->count; k++) {
        x[k] = lf_coordinate_x(&p->coordinate[k], p->theta[p->index[k]]);
    }
}

void lf_log_posterior_limits(const lf_log_posterior *p, double *lower, double *upper)
{
    for (size_t k = 0; k < p->count; k++) {
        lower[k] = lf_coordinate_x(&p->coordinate[k], p->prior->lower[p->index[k]]);
        upper[k] = lf_coordinate_x(&p->coordinate[k], p->prior->upper[p->index[k]]);
    }
}

lf_status lf_log_posterior_move(lf_log_posterior *p, const double *x)
{
    for (size_t k = 0; k < p->count; k++) {
        p->theta[p->index[k]] = lf_coordinate_theta(&p->coordinate[k], x[k]);
    }
    /* Several processes go the way of the first: their processors may round differently. One that failed elsewhere, which only a lack of memory
     * can do without telling the others, waits for them to agree. */
    lf_status status = lf_agree(p->ctx, LF_OK);
    LF_TRY(status, lf_broadcast(p->ctx, 0, p->model->parameter_count * sizeof *p->theta, p->theta));
    for (size_t k = 0; !status && k < p->count; k++) {
        if (isnan(p->theta[p->index[k]])) { /* after gradients near the largest numbers */
            status = lf_fail(p->ctx, LF_ERROR_NUMERIC,
                             "a step of the fit is not finite: the gradient is too large; give other starting values");
        }
    }
    return status;
}

lf_status lf_log_posterior_put(lf_context *ctx, lf_log_posterior *p, const double *x, lf_model *model)
{
    lf_status status = lf_log_posterior_move(p, x);
    return status ? lf_take_failure(ctx, p->ctx, status)
                  : lf_model_set_theta(ctx, model, model->parameter_count, p->theta);
}

lf_status lf_log_posterior_combine(lf_log_posterior *p, const double *x, unsigned with, double *value, double *gradient)
{
    int finite = isfinite(p->log_likelihood);
    p->log_prior = lf_prior_density(p->prior, p->model, p->count, p->index, p->theta, p->by_theta);
    p->log_jacobian = 0;
    for (size_t k = 0; k < p->count; k++) {
        size_t i = p->index[k];
        double theta = p->theta[i], slope = lf_coordinate_slope(&p->coordinate[k], theta), by_x = 0;
        if (with & LF_JACOBIAN) {
            double by_theta, of_x = lf_coordinate_log_jacobian(&p->coordinate[k], x[k], &by_x);
            p->log_jacobian += of_x + lf_prior_log_jacobian(p->prior, i, theta, &by_theta);
            by_x += by_theta * slope;
        }
        if (gradient) {
            gradient[k] = p->by_theta[i] * slope;
            gradient[k] = with & LF_JACOBIAN ? gradient[k] + by_x : gradient[k];
            finite = finite && isfinite(gradient[k]);
        }
    }
    if (with & LF_NORMALISED) {
        p->log_prior += lf_prior_constant(p->prior, p->count, p->index, NULL);
    }
    if (!finite) {
        return lf_fail(p->ctx, LF_ERROR_NUMERIC, "the log likelihood or its gradient is not finite");
    }
    *value = p->log_likelihood + p->log_prior;
    *value = with & LF_JACOBIAN ? *value + p->log_jacobian : *value;
    return LF_OK;
}

lf_status lf_log_posterior_negative(lf_log_posterior *p, const double *x, unsigned with, double *value,
                                    double *gradient)
{
    lf_status status = p->class->evaluate(p, x, with, value, gradient);
    if (!status) {
        *value = -*value;
        for (size_t k = 0; k < p->count; k++) {
            gradient[k] = -gradient[k];
        }
    }
    return status;
}

int lf_log_posterior_threads(lf_context *ctx, const lf_log_posterior *p, int threads)
{
    double held, working;
    p->class->memory(p, &held, &working);
    double left = lf_memory_limit(ctx) - fmax(1, (double)ctx->engines) * held - working, most = left / fmax(working, 1);
    return !(most > 0) ? 1 : most < threads - 1 ? 1 + (int)most : threads;
}
