/* Defaults and conclusions of a fit. */
#include "fit/settle.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "columns/grids.h"

enum { FEW_FREE = 100 }; /* parameters; with more, the last iterations are dear and gain little */

/* Forces whose covariances the feature engines reach quickly. */
static int is_smooth(const lf_model *model)
{
    int smooth = 1;
    for (int q = 0; q < model->force_count; q++) {
        smooth = smooth && model->forces[q].kernel->tail_power == 0;
    }
    for (int d = 0; d < model->output_count; d++) {
        smooth = smooth && (!model->outputs[d].has_private || model->outputs[d].private_force.kernel->tail_power == 0);
    }
    return smooth;
}

/* Whether any output can have uncertain sensitivities. */
static int has_private(const lf_model *model)
{
    int found = 0;
    for (int d = 0; d < model->output_count; d++) {
        found = found || (model->outputs[d].has_private && model->outputs[d].op->is_ode);
    }
    return found;
}

lf_fit_options lf_fit_resolve(const lf_model *model, const lf_fit_options *options)
{
    static const lf_fit_options defaults;
    lf_fit_options o = options ? *options : defaults;
    o.restarts = o.restarts ? o.restarts : 1;
    int few = lf_free_parameters(model, NULL) <= FEW_FREE;
    o.max_iterations = o.max_iterations ? o.max_iterations : few ? 500 : 300;
    o.prior = o.prior ? o.prior : few || !has_private(model) ? LF_PRIOR_WEAK : LF_PRIOR_FIRM;
    o.gradient = o.gradient > 0 ? o.gradient : 1e-3;
    o.checkpoint_seconds = o.checkpoint_seconds > 0 ? o.checkpoint_seconds : 30;
    /* An optimum hardly feels errors of the covariance far below the noise, and columns are dear. */
    o.engine.tolerance = o.engine.tolerance > 0 ? o.engine.tolerance : is_smooth(model) ? 1e-3 : 1e-4;
    o.engine.slack = o.engine.slack > 0 ? o.engine.slack : 1.1;
    return o;
}

lf_status lf_fit_check(lf_context *ctx, const lf_fit_options *options)
{
    if (options->prior > LF_PRIOR_NONE) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no prior %d", (int)options->prior);
    }
    if (options->restarts > 10000) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "at most 10000 restarts are possible, found %zu", options->restarts);
    }
    if (options->resume && !options->checkpoint) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "a fit can be resumed only from a checkpoint: name its file");
    }
    return LF_OK;
}

lf_status lf_fit_expect(lf_context *ctx, const lf_model *model, const lf_data *data, const lf_fit_options *options,
                        lf_expectation *expectation)
{
    lf_engine *engine;
    lf_survey survey;
    lf_status status = lf_engine_create(ctx, model, data, &options->engine, &engine);
    if (status) {
        return status;
    }
    const lf_demand *demand = engine->class->demand ? engine->class->demand(engine->state) : NULL;
    int by_columns = demand && demand->rule == LF_RULE_UNIFORM && !demand->features;
    lf_engine_free(engine);
    status = lf_survey_create(ctx, data, model, &survey);
    if (!status) {
        lf_outlook outlook = {.prior = options->prior, .by_columns = by_columns};
        status = lf_expectation_create(ctx, model, &survey, outlook, expectation);
        lf_survey_clear(&survey);
    }
    return status;
}

lf_status lf_settle(lf_context *ctx, const lf_expectation *expectation, lf_model *model)
{
    double *theta = lf_doubles(model->parameter_count, 1);
    if (!theta) {
        return lf_no_memory(ctx);
    }
    lf_model_get_theta(model, theta);
    for (size_t i = 0; i < model->parameter_count; i++) {
        if (model->parameters[i].tied_to < 0 && !lf_parameter_is_fixed(model, i)) {
            theta[i] = fmin(fmax(theta[i], expectation->lower[i]), expectation->upper[i]);
        }
    }
    lf_status status = lf_model_set_theta(ctx, model, theta);
    free(theta);
    return status;
}

/* Lists the parameters that ended on a bound. */
static void list_bounds(const lf_run *run, const double *x, const lf_expectation *expectation, lf_fit_result *result)
{
    for (size_t k = 0; k < run->objective.count; k++) {
        size_t i = run->objective.index[k];
        double size = expectation->size[i], low = expectation->lower[i] / size, high = expectation->upper[i] / size;
        double near = 1e-9 * (1 + fabs(x[k]));
        if (x[k] - low <= near || high - x[k] <= near) {
            result->bound[result->bound_count++] = i;
        }
    }
}

void lf_fit_doubt(const lf_expectation *expectation, lf_model *model)
{
    for (int d = 0; d < model->output_count; d++) {
        lf_output *output = &model->outputs[d];
        int first = lf_index_sensitivity(model, d), free_ones = 0;
        for (int q = 0; q < model->force_count; q++) {
            free_ones += !lf_parameter_is_fixed(model, (size_t)(first + q));
        }
        double sd = free_ones ? expectation->sd[first] : 0;
        output->sensitivity_sd = output->has_private && output->op->is_ode && isfinite(sd) ? sd : 0;
    }
}

lf_status lf_fit_conclude(lf_context *ctx, lf_run *run, const lf_expectation *expectation, lf_model *model,
                          lf_fit_result *result)
{
    const double *x;
    double value, prior;
    result->objective = lf_run_best(run, &x);
    result->iterations = run->iterations;
    result->converged = run->state == LF_RUN_CONVERGED || run->state == LF_RUN_SETTLED;
    result->reason = lf_run_reason(run);
    result->bound = calloc(run->objective.count + 1, sizeof *result->bound);
    result->trace = lf_doubles(run->iterations + 1, 1);
    if (!result->bound || !result->trace) {
        lf_fit_result_clear(result);
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < run->iterations; i++) {
        result->trace[i] = run->history[i].objective;
    }
    list_bounds(run, x, expectation, result);
    /* The optimiser's last evaluation was not always at its best point. */
    lf_status status = lf_objective_evaluate(&run->objective, x, &value, run->gradient, &prior);
    if (status) {
        status = lf_fail(ctx, status, "%s", lf_message(run->objective.ctx));
    }
    status = status ? status : lf_model_set_theta(ctx, model, run->objective.theta);
    if (status) {
        lf_fit_result_clear(result);
        return status;
    }
    result->log_prior = prior;
    result->log_likelihood = -value - prior;
    return LF_OK;
}

void lf_fit_result_clear(lf_fit_result *result)
{
    free(result->bound);
    free(result->trace);
    result->bound = NULL;
    result->trace = NULL;
    result->bound_count = 0;
}
