/* What a fit reports at its end. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "fit/fit_model.h"

/* The value of a parameter at theta. */
static double value_of(const lf_model *model, size_t i, double theta)
{
    return model->parameters[i].transform == LF_TRANSFORM_LOG ? exp(theta) : theta;
}

/* Lists the parameters that ended on a bound, and the range in which each was searched. */
static void list_bounds(const lf_model *model, const lf_run *run, const double *x, const lf_prior *prior,
                        lf_fit_result *result)
{
    for (size_t k = 0; k < run->objective.count; k++) {
        size_t i = run->objective.index[k];
        double low = lf_prior_coordinate(prior, i, prior->lower[i]),
               high = lf_prior_coordinate(prior, i, prior->upper[i]);
        double near = 1e-9 * (1 + fabs(x[k]));
        result->searched_lower[i] = value_of(model, i, prior->lower[i]);
        result->searched_upper[i] = value_of(model, i, prior->upper[i]);
        if (x[k] - low <= near || high - x[k] <= near) {
            result->bound[result->bound_count++] = i;
        }
    }
}

/* One standard deviation for all free sensitivities of an output; 0: there are none, or white forces have another than the others. */
static double sensitivity_sd(const lf_prior *prior, const lf_model *model, int d)
{
    double sd = 0;
    for (int q = 0; q < model->force_count; q++) {
        size_t index = (size_t)(lf_index_sensitivity(model, d) + q);
        if (!lf_parameter_is_fixed(model, index)) {
            if (!isfinite(prior->sd[index]) || (sd > 0 && sd != prior->sd[index])) {
                return 0;
            }
            sd = prior->sd[index];
        }
    }
    return sd;
}

void lf_mark_sensitivities_uncertain(const lf_prior *prior, lf_model *model)
{
    for (int d = 0; d < model->output_count; d++) { /* equations have neither sensitivities nor private forces */
        lf_output *output = &model->outputs[d];
        output->sensitivity_sd = output->has_private && output->op->is_ode ? sensitivity_sd(prior, model, d) : 0;
    }
}

lf_status lf_fit_result_fill(lf_context *ctx, lf_run *run, const lf_prior *prior, lf_model *model,
                             lf_fit_result *result)
{
    const double *x;
    double value, log_prior;
    result->objective = lf_run_best(run, &x);
    result->iterations = run->iterations;
    result->converged = run->state == LF_RUN_CONVERGED || run->state == LF_RUN_SETTLED || run->state == LF_RUN_NEWTON;
    result->reason = lf_run_reason(run);
    result->bound = calloc(run->objective.count + 1, sizeof *result->bound);
    result->trace = lf_doubles(run->iterations + 1, 1);
    result->searched_lower = lf_doubles(model->parameter_count, 1);
    result->searched_upper = lf_doubles(model->parameter_count, 1);
    if (!result->bound || !result->trace || !result->searched_lower || !result->searched_upper) {
        lf_fit_result_clear(result);
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < run->iterations; i++) {
        result->trace[i] = run->history[i].objective;
    }
    for (size_t i = 0; i < model->parameter_count; i++) {
        result->searched_lower[i] = result->searched_upper[i] = (double)NAN;
    }
    list_bounds(model, run, x, prior, result);
    /* The optimiser's last evaluation was not always at its best point. */
    lf_status status = lf_objective_evaluate(&run->objective, x, &value, run->gradient, &log_prior);
    if (status) {
        status = lf_fail(ctx, status, "%s", lf_message(run->objective.ctx));
    }
    LF_TRY(status, lf_model_set_theta(ctx, model, model->parameter_count, run->objective.theta));
    if (status) {
        lf_fit_result_clear(result);
        return status;
    }
    result->log_prior = log_prior;
    result->log_likelihood = -value - log_prior;
    return LF_OK;
}

void lf_fit_result_clear(lf_fit_result *result)
{
    free(result->bound);
    free(result->trace);
    free(result->searched_lower);
    free(result->searched_upper);
    free(result->candidates);
    free(result->undetermined);
    free(result->combinations);
    *result = (lf_fit_result){.reason = result->reason};
}

void lf_fit_result_free(lf_fit_result *result)
{
    if (result) {
        lf_fit_result_clear(result);
    }
    free(result);
}
