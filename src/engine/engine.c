/* The engine handle: parameters in, gradients out. */
#include "engine/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/parallel.h"
#include "data/data.h"

/* The threads worth starting, as far as memory suffices for what each of them needs. */
static int threads_of(lf_engine *engine)
{
    int threads = lf_threads_for(engine->ctx, engine->cost);
    double left = lf_memory_limit(engine->ctx) - lf_engine_bytes(engine->ctx, &engine->rows, &engine->memory);
    double more = engine->memory.thread > 0 ? fmax(left, 0) / engine->memory.thread : threads;
    return more < threads - 1 ? 1 + (int)more : threads;
}

/* Inducing inputs are placed at a sample that all processes have. Takes it, or clears it where it is not needed. */
static lf_status keep_sample(lf_engine *e, const lf_engine_options *options, lf_rows *sample)
{
    int needed = lf_engine_is_able(e->class, LF_HAS_INDUCING) && options->inducing;
    e->rows.sample = needed ? malloc(sizeof *e->rows.sample) : NULL;
    if (e->rows.sample) {
        *e->rows.sample = *sample;
    } else {
        lf_rows_clear(sample);
    }
    return needed && !e->rows.sample ? lf_no_memory(e->ctx) : LF_OK;
}

/* Rows by which engines are compared, the choice, and the rows as the chosen one needs them. */
static lf_status choose(lf_engine *e, const lf_data *data, const lf_engine_options *options, int any_targets)
{
    lf_engine_choice choice;
    lf_rows sample;
    lf_status status = lf_rows_sample(e->ctx, e->model, data, &sample);
    if (status) {
        return status;
    }
    sample.any_targets = any_targets;
    status = lf_engine_choose(e->ctx, e->model, &sample, options, &choice);
    if (!status) {
        e->class = choice.class;
        e->cost = choice.cost;
        e->memory = choice.memory;
        memcpy(e->reason, choice.reason, sizeof e->reason);
    }
    if (status || !lf_data_is_shared(data)) {
        e->rows = sample;
        return status;
    }
    int needed = choice.distribution == LF_BY_REPLICATES || lf_model_has_uncertain_sensitivities(e->model);
    status = lf_rows_create_shared(e->ctx, e->model, data, choice.distribution, needed, &e->rows);
    e->rows.any_targets = any_targets;
    e->rows.step = sample.step;
    e->rows.gaps = sample.gaps;
    e->rows.steps = sample.steps;
    lf_status kept = keep_sample(e, options, &sample);
    return status ? status : kept;
}

/* The numbers of rows of the outputs, and room for the targets of the rows here. */
static lf_status count_rows(lf_engine *e)
{
    size_t n = 0;
    e->per_output = lf_doubles((size_t)e->model->output_count, 1);
    lf_status status = e->per_output ? LF_OK : lf_no_memory(e->ctx);
    for (int r = 0; !status && r < e->rows.count; r++) {
        const lf_point_set *points = &e->rows.replicates[r].points;
        n += points->n;
        for (int g = 0; g < points->group_count; g++) {
            e->per_output[points->target[g]] += (double)(points->start[g + 1] - points->start[g]);
        }
    }
    e->y = lf_doubles(n, 1);
    e->noise = lf_doubles(n, 1);
    status = status || (e->y && e->noise) ? status : lf_no_memory(e->ctx);
    return e->rows.shared ? lf_sum(e->ctx, status, (size_t)e->model->output_count, e->per_output) : status;
}

static lf_status check_inducing(lf_engine *e, const lf_engine_options *options)
{
    return !lf_engine_is_able(e->class, LF_HAS_INDUCING) && (options->inducing || options->inducing_inputs)
               ? lf_fail(e->ctx, LF_ERROR_ARGUMENT,
                         "the %s engine has no inducing values; leave out their number and inputs, or use dtc, "
                         "variational, fitc or pitc",
                         e->class->name)
               : LF_OK;
}

static lf_status create(lf_context *ctx, const lf_model *model, const lf_data *data, const lf_engine_options *given,
                        int any_targets, lf_engine **engine)
{
    lf_engine_options taken, *options = &taken;
    *engine = NULL;
    lf_work_begin(ctx);
    lf_status status = lf_take_options(ctx, "lf_engine_options", given, sizeof taken, &taken);
    lf_engine *e = status ? NULL : calloc(1, sizeof *e);
    if (!e) {
        LF_TRY(status, lf_no_memory(ctx));
        return lf_data_is_shared(data) ? lf_agree(ctx, status) : status;
    }
    e->ctx = ctx;
    status = lf_model_copy(ctx, model, &e->model);
    LF_TRY(status, choose(e, data, options, any_targets || lf_model_has_likelihoods(model)));
    LF_TRY(status, check_inducing(e, options));
    LF_TRY(status, count_rows(e));
    LF_TRY(status, lf_prior_mean_create(ctx, e->model, &e->rows, &e->mean));
    if (!status && lf_model_has_likelihoods(model)) {
        status = lf_sites_create(ctx, e->model, &e->rows, &e->sites);
        e->memory.state += status ? 0 : lf_sites_bytes(e->sites);
    }
    if (!status) { /* kept, because the engine may have to be made again */
        e->options = *options;
        snprintf(e->nodes, sizeof e->nodes, "%s", options->nodes ? options->nodes : "auto");
        e->options.nodes = e->nodes;
        snprintf(e->inducing_inputs, sizeof e->inducing_inputs, "%s",
                 options->inducing_inputs ? options->inducing_inputs : "");
        e->options.inducing_inputs = options->inducing_inputs ? e->inducing_inputs : NULL;
        snprintf(e->device, sizeof e->device, "%s", options->device ? options->device : "cpu");
        e->options.device = e->device;
        int before = lf_threads_begin(threads_of(e));
        status = e->class->create(ctx, e->model, &e->rows, &e->options, &e->state);
        if (status == LF_ERROR_UNSUPPORTED) {
            lf_engine_advise(ctx, e->model, &e->rows, &e->options, e->class->name);
        }
        lf_threads_end(before);
    }
    if (!status) {
        e->prepared = lf_doubles(e->model->parameter_count, 1);
        status = e->prepared ? LF_OK : lf_no_memory(ctx);
    }
    status = lf_data_is_shared(data) ? lf_agree(ctx, status) : status;
    if (status) {
        lf_engine_free(e);
        return status;
    }
    lf_model_theta(e->model, e->prepared);
    *engine = e;
    return LF_OK;
}

lf_status lf_engine_create(lf_context *ctx, const lf_model *model, const lf_data *data,
                           const lf_engine_options *options, lf_engine **engine)
{
    return create(ctx, model, data, options, 0, engine);
}

lf_status lf_engine_create_for_targets(lf_context *ctx, const lf_model *model, const lf_data *data,
                                       const lf_engine_options *options, lf_engine **engine)
{
    return create(ctx, model, data, options, 1, engine);
}

void lf_engine_free(lf_engine *engine)
{
    if (!engine) {
        return;
    }
    if (engine->state) {
        engine->class->destroy(engine->state);
    }
    free(engine->prepared);
    free(engine->per_output);
    free(engine->y);
    free(engine->noise);
    lf_prior_mean_clear(&engine->mean);
    lf_sites_free(engine->sites);
    lf_rows_clear(&engine->rows);
    lf_model_free(engine->model);
    free(engine);
}

lf_engine_info lf_engine_describe(const lf_engine *engine)
{
    lf_engine_info info = {.engine = engine->class->name, .reason = engine->reason, .rows = engine->rows.n};
    engine->class->describe(engine->state, &info);
    return info;
}

/* The state, made again for the parameters the model has; the old one stays where that fails. */
static lf_status renew(lf_engine *engine)
{
    void *state = NULL;
    lf_demand demand = {0};
    engine->class->estimate(engine->ctx, engine->model, &engine->rows, &engine->options, 1, &demand);
    if (demand.applies) {
        lf_status beyond =
            lf_check_memory(engine->ctx, demand.memory.state + lf_engine_memory(engine), "fix the lengthscales",
                            "the %s engine at other parameters", engine->class->name);
        if (beyond) {
            return beyond;
        }
        engine->memory = demand.memory;
    }
    lf_status status = engine->class->create(engine->ctx, engine->model, &engine->rows, &engine->options, &state);
    status = engine->rows.shared ? lf_agree(engine->ctx, status) : status;
    void *old = status ? state : engine->state;
    engine->state = status ? engine->state : state;
    if (old) {
        engine->class->destroy(old);
    }
    if (!status) {
        lf_model_theta(engine->model, engine->prepared);
    }
    return status;
}

lf_status lf_engine_prepare(lf_engine *engine, const double *theta)
{
    lf_status status = lf_model_set_theta(engine->ctx, engine->model, engine->model->parameter_count, theta);
    return status ? status : renew(engine);
}

/* Value and gradient of all processes from the share of each. */
static lf_status sum_shares(lf_engine *engine, lf_status status, double *value, double *gradient)
{
    size_t count = gradient ? engine->model->parameter_count : 0;
    double *sums = lf_doubles(count + 1, 1);
    status = status || sums ? status : lf_no_memory(engine->ctx);
    for (size_t i = 0; !status && i < count; i++) {
        sums[i] = gradient[i];
    }
    if (!status) {
        sums[count] = *value;
    }
    status = lf_sum(engine->ctx, status, count + 1, sums);
    for (size_t i = 0; !status && i < count; i++) {
        gradient[i] = sums[i];
    }
    *value = status ? *value : sums[count];
    free(sums);
    return status;
}

lf_status lf_engine_set_targets(lf_engine *engine, const lf_targets *of_caller, lf_targets *targets)
{
    size_t first = 0;
    lf_status status = lf_prior_mean_update(engine->ctx, &engine->mean, &engine->rows);
    *targets = (lf_targets){.y = engine->y, .noise = engine->noise, .of_rows = !of_caller};
    for (int r = 0; !status && r < engine->rows.count; r++) {
        const lf_replicate *replicate = &engine->rows.replicates[r];
        double *y = engine->y + first, *noise = engine->noise + first;
        if (!of_caller) {
            lf_rows_scaled(engine->model, replicate, y, noise);
        }
        for (size_t i = 0; of_caller && i < replicate->points.n; i++) {
            y[i] = of_caller->y[first + i] - (replicate->mean ? replicate->mean[i] : 0);
            noise[i] = of_caller->noise[first + i];
        }
        first += replicate->points.n;
    }
    return status;
}

lf_status lf_engine_move(lf_engine *engine, const double *theta)
{
    lf_model *model = engine->model;
    lf_status status = theta ? lf_model_set_theta(engine->ctx, model, model->parameter_count, theta) : LF_OK;
    if (!status && theta && model->initial == LF_INITIAL_STATIONARY) {
        status = lf_model_check(engine->ctx, model, "theta"); /* a coefficient may have made an operator unstable */
    }
    int regrid = !status && engine->class->needs_regrid ? engine->class->needs_regrid(engine->state, model) : 0;
    if (regrid) {
        status = regrid < 0 ? lf_no_memory(engine->ctx) : renew(engine);
    }
    return status;
}

/* Targets of the caller do not follow from these parameters. */
static void drop_row_parameters(const lf_model *model, double *gradient)
{
    for (int d = 0; d < model->output_count; d++) {
        gradient[lf_index_noise(model, d)] = 0;
        if (lf_index_offset(model, d) >= 0) {
            gradient[lf_index_offset(model, d)] = 0;
        }
    }
}

static lf_status evaluate(lf_engine *engine, const double *theta, const lf_targets *of_caller, double *log_likelihood,
                          double *gradient)
{
    lf_model *model = engine->model;
    lf_targets targets;
    lf_status status = lf_engine_move(engine, theta);
    if (gradient) {
        memset(gradient, 0, model->parameter_count * sizeof *gradient);
    }
    LF_TRY(status, lf_engine_set_targets(engine, of_caller, &targets));
    if (!status && gradient) {
        targets.by_y = of_caller && of_caller->by_y ? of_caller->by_y : engine->mean.by_y;
        targets.by_noise = of_caller ? of_caller->by_noise : NULL;
    }
    LF_TRY(status, engine->class->evaluate(engine->ctx, engine->state, model, &targets, log_likelihood, gradient));
    if (!status && gradient && of_caller) {
        drop_row_parameters(model, gradient);
    }
    if (!status && gradient) {
        status = lf_prior_mean_backward(engine->ctx, &engine->mean, &engine->rows, targets.by_y, gradient);
    }
    if (engine->rows.shared) {
        status = sum_shares(engine, status, log_likelihood, gradient);
    }
    if (!status && gradient) {
        lf_parameters_chain(model, gradient);
    }
    return status;
}

lf_status lf_engine_evaluate_targets(lf_engine *engine, const double *theta, const lf_targets *targets,
                                     double *log_likelihood, double *gradient)
{
    if (targets && !engine->rows.any_targets) {
        return lf_fail(engine->ctx, LF_ERROR_ARGUMENT, "the engine was made for the values of its rows alone");
    }
    lf_work_begin(engine->ctx);
    int before = lf_threads_begin(threads_of(engine));
    lf_status status = evaluate(engine, theta, targets, log_likelihood, gradient);
    lf_threads_end(before);
    return status;
}

lf_status lf_engine_evaluate(lf_engine *engine, size_t count, const double *theta, double *log_likelihood,
                             double *gradient)
{
    if ((theta || gradient) && count != engine->model->parameter_count) {
        return lf_fail(engine->ctx, LF_ERROR_ARGUMENT,
                       "theta or the gradient has %zu entries, the model has %zu parameters", count,
                       engine->model->parameter_count);
    }
    return engine->sites ? lf_sites_evaluate(engine, theta, log_likelihood, gradient)
                         : lf_engine_evaluate_targets(engine, theta, NULL, log_likelihood, gradient);
}

lf_status lf_engine_error_bound(lf_engine *engine, double *bound)
{
    lf_error_bounds b;
    lf_status status = lf_engine_error_bounds(engine, &b);
    *bound = isnan(b.outputs + b.forces + b.rates) ? NAN : fmax(b.outputs, fmax(b.forces, b.rates));
    return status;
}

lf_status lf_engine_error_bounds(lf_engine *engine, lf_error_bounds *bounds)
{
    *bounds = (lf_error_bounds){0};
    if (!engine->class->error_bound) {
        return LF_OK;
    }
    lf_work_begin(engine->ctx);
    int before = lf_threads_begin(lf_threads(engine->ctx));
    lf_status status = engine->class->error_bound(engine->ctx, engine->state, engine->model, bounds);
    lf_threads_end(before);
    return status;
}

/* The targets of the last evaluation. */
static lf_status set_own_targets(lf_engine *engine, lf_targets *targets)
{
    const lf_sites *sites = engine->sites;
    lf_targets of_sites = {.y = sites ? sites->y : NULL, .noise = sites ? sites->noise : NULL};
    double unused;
    lf_status status = sites && !sites->begun ? lf_sites_evaluate(engine, NULL, &unused, NULL) : LF_OK;
    return status ? status : lf_engine_set_targets(engine, sites ? &of_sites : NULL, targets);
}

/* What a rounding error in every entry of the matrices of equations does to the log likelihood: equations with modes of very different
 * speeds, or fast oscillations over a long time, lose digits before an engine begins. */
static lf_status disturb(lf_engine *engine, double value, double *change)
{
    static const double errors = 4; /* of an entry: those of its computation and of what is done with it */
    double other = value;
    lf_targets targets;
    engine->model->system->disturbed = 1;
    lf_status status = set_own_targets(engine, &targets);
    LF_TRY(status, engine->class->evaluate(engine->ctx, engine->state, engine->model, &targets, &other, NULL));
    engine->model->system->disturbed = 0;
    *change = status ? INFINITY : errors * fabs(other - value);
    return status == LF_ERROR_MEMORY ? status : lf_prior_mean_update(engine->ctx, &engine->mean, &engine->rows);
}

lf_status lf_engine_rounding(lf_engine *engine, double *rounding)
{
    static const double least = 1e-6; /* of the log likelihood, that is worth a note */
    double value = 0;
    lf_targets targets;
    *rounding = NAN;
    if (!engine->class->rounding) {
        return LF_OK;
    }
    lf_work_begin(engine->ctx);
    int before = lf_threads_begin(threads_of(engine));
    lf_status status = set_own_targets(engine, &targets);
    LF_TRY(status, engine->class->rounding(engine->ctx, engine->state, engine->model, &targets, &value, rounding));
    if (!status && engine->model->system) {
        double change;
        status = disturb(engine, value, &change);
        *rounding += change;
    }
    if (engine->rows.shared) {
        double sums[] = {value, *rounding};
        status = lf_sum(engine->ctx, status, 2, sums);
        value = sums[0];
        *rounding = sums[1];
    }
    lf_threads_end(before);
    double share = *rounding / fmax(1, fabs(value));
    if (!status && !(share < least) && !engine->noted) {
        engine->noted = 1;
        lf_note(
            engine->ctx,
            "digits are lost to rounding: the log likelihood %.6g may be off by about %.1g, and predictions are no "
            "better; a noise_variance is tiny for the signal between close inputs, or the prior variance is huge%s%s",
            value, *rounding,
            engine->model->system ? ", or modes of the equations are too fast for the span of the times" : "",
            engine->class->posterior->innovations ? "" : "; the kalman engine usually loses fewer");
    }
    return status;
}

double lf_engine_log_jacobian(const lf_engine *engine)
{
    double sum = 0;
    for (int d = 0; d < engine->model->output_count; d++) {
        const lf_output *output = &engine->model->outputs[d]; /* probabilities do not depend on units */
        sum -= lf_output_likelihood(output)->discrete ? 0 : engine->per_output[d] * log(output->scale);
    }
    return sum;
}
