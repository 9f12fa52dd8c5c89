/* Where the restarts of a fit begin. */
#include "inference/starts.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "base/random.h"
#include "plan/content_order.h"

/* Another start: by default logarithms moved by a factor of about e^(1/2), other numbers by half of their kind's size. */
static void perturb(const lf_start_maker *m, lf_random *random, lf_model *model)
{
    const lf_prior *prior = m->prior;
    for (size_t k = 0; k < model->parameter_count; k++) {
        size_t i = m->order[k];
        const lf_parameter_entry *entry = &model->parameters[i];
        if (entry->tied_to >= 0 || lf_parameter_is_fixed(model, i)) {
            continue;
        }
        double z = m->sign[i] * lf_random_normal(random);
        if (entry->transform == LF_TRANSFORM_LOG) {
            *entry->value *= exp(prior->spread[i] * z);
        } else {
            *entry->value += prior->spread[i] * prior->step_scale[i] * z;
        }
    }
    for (size_t i = 0; i < model->parameter_count; i++) {
        if (model->parameters[i].tied_to >= 0) {
            *model->parameters[i].value = *model->parameters[model->parameters[i].tied_to].value;
        }
    }
}

/* The log likelihood of a model; -infinity where it cannot be evaluated. x (count): work. */
static lf_status find_likelihood(lf_start_maker *m, const lf_model *model, double *x, double *value)
{
    lf_log_posterior *p = m->posterior;
    double sum;
    lf_model_theta(model, p->theta);
    lf_log_posterior_point(p, x);
    lf_status status = p->class->evaluate(p, x, 0, &sum, NULL);
    *value = status ? -(double)INFINITY : p->log_likelihood;
    return status == LF_ERROR_MEMORY ? lf_take_failure(m->ctx, p->ctx, status) : LF_OK;
}

/* `start` becomes the most likely of several other starts; those that cannot be evaluated are passed over. */
static lf_status screen(lf_start_maker *m, lf_random *random, lf_model **start)
{
    double best = -INFINITY, *x = lf_doubles(m->posterior->count, 1);
    lf_status status = x ? LF_OK : lf_no_memory(m->ctx);
    for (int i = 0; !status && i < (int)lf_threshold.screened_starts; i++) {
        lf_model *candidate = NULL;
        double value = -INFINITY;
        status = lf_model_copy(m->ctx, m->model, &candidate);
        if (!status) {
            perturb(m, random, candidate);
            status = lf_clamp_to_bounds(m->ctx, m->prior, candidate);
        }
        LF_TRY(status, find_likelihood(m, candidate, x, &value));
        m->evaluations++;
        if (!status && (value > best || i == 0)) {
            lf_model *worse = *start;
            *start = candidate;
            candidate = worse;
            best = value;
        }
        lf_model_free(candidate);
    }
    free(x);
    return status;
}

/* The free parameters of `model` become those of a start. */
static lf_status take_start(lf_context *ctx, const double *theta, lf_model *model)
{
    size_t count = model->parameter_count;
    double *values = lf_doubles(count, 1);
    lf_status status = values ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        lf_model_theta(model, values);
        for (size_t i = 0; i < count; i++) {
            values[i] = lf_parameter_is_fixed(model, i) ? values[i] : theta[i];
        }
        status = lf_model_set_theta(ctx, model, count, values);
    }
    free(values);
    return status;
}

/* A force and its sensitivities may have either sign, and which one is found depends on the order of the outputs: draws are relative to the
 * sign of the largest sensitivity. */
static void set_signs(const lf_model *model, double *sign)
{
    for (size_t i = 0; i < model->parameter_count; i++) {
        sign[i] = 1;
    }
    for (int q = 0; !model->system && q < model->force_count; q++) {
        double largest = 0;
        for (int d = 0; d < model->output_count; d++) {
            double S = model->outputs[d].sensitivity[q];
            largest = fabs(S) > fabs(largest) ? S : largest;
        }
        for (int d = 0; d < model->output_count; d++) {
            sign[lf_index_sensitivity(model, d) + q] = largest < 0 ? -1 : 1;
        }
    }
}

/* The parameters of forces, and then those of the outputs in an order that depends on their rows. Those of equations have their order. */
static lf_status set_order(lf_context *ctx, const lf_model *model, const lf_data *observed, size_t *order)
{
    int outputs = model->system || !observed ? 0 : model->output_count;
    size_t count = 0, first = outputs ? (size_t)lf_index_constants(model, 0) : model->parameter_count;
    int *by_content = calloc((size_t)outputs + 1, sizeof *by_content);
    lf_status status = by_content ? LF_OK : lf_no_memory(ctx);
    status = status || !outputs ? status : lf_output_order(ctx, observed, model, by_content);
    while (count < first) {
        order[count] = count;
        count++;
    }
    for (int k = 0; !status && k < outputs; k++) {
        int d = by_content[k];
        size_t i = (size_t)lf_index_constants(model, d),
               end = d + 1 < outputs ? (size_t)lf_index_constants(model, d + 1) : model->parameter_count;
        while (i < end) {
            order[count++] = i++;
        }
    }
    free(by_content);
    return status;
}

lf_status lf_start_maker_create(lf_context *ctx, const lf_problem *problem, const lf_structure *s,
                                const lf_model *model, const lf_prior *prior, lf_start_maker *maker)
{
    *maker = (lf_start_maker){.ctx = ctx,
                              .model = model,
                              .prior = prior,
                              .order = calloc(model->parameter_count + 1, sizeof *maker->order),
                              .sign = lf_doubles(model->parameter_count, 1),
                              .others = &s->others};
    lf_status status = maker->order && maker->sign ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        set_signs(model, maker->sign);
        status = set_order(ctx, model, problem->observed, maker->order);
    }
    lf_problem alone = *problem; /* each of several processes compares them with all rows that it has */
    alone.local = NULL;
    return !status && model->system && s->restarts > 1 + s->others.count
               ? lf_log_posterior_make(ctx, &alone, s, model, prior, &maker->posterior)
               : status;
}

void lf_start_maker_clear(lf_start_maker *maker)
{
    lf_log_posterior_destroy(maker->posterior);
    free(maker->order);
    free(maker->sign);
    *maker = (lf_start_maker){0};
}

lf_status lf_start_make(lf_start_maker *maker, size_t restart, lf_model **start)
{
    size_t others = maker->others->count;
    lf_random random;
    lf_random_seed(&random, lf_stream_seed(maker->ctx->seed, LF_STREAM_STARTS, restart));
    lf_status status = lf_model_copy(maker->ctx, maker->model, start);
    if (!status && restart > 0 && restart <= others) {
        const double *theta = maker->others->theta + (restart - 1) * maker->model->parameter_count;
        status = take_start(maker->ctx, theta, *start);
    } else if (!status && restart > 0 && maker->posterior) {
        status = screen(maker, &random, start);
    } else if (!status && restart > 0) {
        perturb(maker, &random, *start);
    }
    return status ? status : lf_clamp_to_bounds(maker->ctx, maker->prior, *start);
}
