/* lf_fit, at once or in two steps.
 *
 * With many outputs no few forces explain everything, and where readings are smooth the likelihood spends what forces there
 * are on fine detail: sensitivities follow from what happens between one reading and the next, not from what outputs have
 * in common over seconds or hours. So first all parameters are fitted as if there were some noise, which hides the detail; then
 * what is each output's own, with the rest held, so that private forces and noise tell how much the shared forces really
 * leave. Windows cut out of many series (docs/results.md) are filled in better and with truer error bars that way. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "fit/settle.h"

#define LESS_NOISE 0.03 /* noise at the start of the second step over that of the first */

/* Whether parameter i of output d is the output's own. */
static int is_own(const lf_model *model, int d, int i)
{
    const lf_output *output = &model->outputs[d];
    int start = lf_index_initial_variance(model, d), lengthscale = lf_index_private_lengthscale(model, d);
    return i == lf_index_noise(model, d) || (start >= 0 && i >= start && i < start + output->order) ||
           (output->has_private && (i == lf_index_private_amplitude(model, d) ||
                                    (i >= lengthscale && i < lengthscale + output->private_force.lengthscale_count)));
}

/* Fixes every parameter that is not an output's own. */
static void hold_shared(lf_model *model)
{
    for (int i = 0; i < (int)model->parameter_count; i++) {
        int own = 0;
        for (int d = 0; d < model->output_count; d++) {
            own = own || is_own(model, d, i);
        }
        model->parameters[i].fixed |= !own;
    }
    for (int d = 0; d < model->output_count; d++) {
        if (!lf_parameter_is_fixed(model, (size_t)lf_index_noise(model, d))) {
            model->outputs[d].noise_variance *= LESS_NOISE;
        }
    }
}

/* Both steps as one fit: `second`, of the model `held`, becomes the result, with the course of the first before its own and
 * the bounds on which the first left what was held. */
static lf_status join(lf_context *ctx, const lf_model *held, const lf_fit_result *first, lf_fit_result *second)
{
    size_t iterations = first->iterations + second->iterations, bounds = 0;
    double *trace = lf_doubles(iterations + 1, 1);
    size_t *bound = calloc(first->bound_count + second->bound_count + 1, sizeof *bound);
    if (!trace || !bound) {
        free(trace);
        free(bound);
        return lf_no_memory(ctx);
    }
    memcpy(trace, first->trace, first->iterations * sizeof *trace);
    memcpy(trace + first->iterations, second->trace, second->iterations * sizeof *trace);
    for (size_t k = 0; k < first->bound_count; k++) {
        if (lf_parameter_is_fixed(held, first->bound[k])) {
            bound[bounds++] = first->bound[k];
        }
    }
    memcpy(bound + bounds, second->bound, second->bound_count * sizeof *bound);
    free(second->trace);
    free(second->bound);
    second->trace = trace;
    second->bound = bound;
    second->bound_count += bounds;
    second->iterations = iterations;
    second->evaluations += first->evaluations;
    second->seconds += first->seconds;
    second->restart = first->restart;
    second->free_count = first->free_count;
    if (!first->converged) {
        second->converged = 0;
        second->reason = first->reason;
    }
    return LF_OK;
}

/* The second step, from the model that the first found; `result` holds how that ended. A first step that was resumed is
 * followed by the same second one, which is why this needs no checkpoint. */
static lf_status fit_own(lf_context *ctx, lf_model *model, const lf_data *data, const lf_fit_options *options,
                         lf_fit_result *result)
{
    lf_fit_options own = *options;
    lf_fit_result second = {0};
    lf_model *held;
    lf_status status = lf_model_copy(ctx, model, &held);
    if (status) {
        return status;
    }
    hold_shared(held);
    if (lf_free_parameters(held, NULL) > 0) {
        own.restarts = 1;
        own.checkpoint = NULL;
        own.resume = 0;
        own.max_iterations = (options->max_iterations + 2) / 3;
        double *theta = lf_doubles(model->parameter_count, 1);
        status = theta ? lf_fit_step(ctx, held, data, &own, LF_STEP_SECOND, result, &second) : lf_no_memory(ctx);
        status = status ? status : join(ctx, held, result, &second);
        if (!status) {
            lf_model_get_theta(held, theta);
            status = lf_model_set_theta(ctx, model, theta);
        }
        if (!status) {
            lf_fit_result_clear(result);
            *result = second;
        } else {
            lf_fit_result_clear(&second);
        }
        free(theta);
    }
    lf_model_free(held);
    return status;
}

lf_status lf_fit(lf_context *ctx, lf_model *model, const lf_data *data, const lf_fit_options *options,
                 lf_fit_result *result)
{
    lf_fit_options resolved = lf_fit_resolve(model, options);
    *result = (lf_fit_result){.reason = "it has not begun"};
    lf_status status = lf_fit_check(ctx, &resolved);
    if (status || resolved.steps == 1) {
        return status ? status : lf_fit_step(ctx, model, data, &resolved, LF_STEP_ONLY, NULL, result);
    }
    status = lf_fit_step(ctx, model, data, &resolved, LF_STEP_FIRST, NULL, result);
    return status || result->cancelled ? status : fit_own(ctx, model, data, &resolved, result);
}
