/* The engines dtc, variational, fitc and pitc. They differ only in the covariance Lambda of what the inducing values do
 * not explain (inducing_system.h). Every replicate has separate inducing values at the same inputs. */
#include "inducing/inducing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "device/device.h"
#include "exact/feature_error.h"
#include "features/grid_spec.h"

static void destroy(void *state)
{
    lf_inducing *engine = state;
    for (int r = 0; engine->systems && r < engine->rows->count; r++) {
        lf_inducing_system_clear(&engine->systems[r]);
    }
    free(engine->systems);
    lf_device_close(engine->kernel.device);
    if (engine->kernel.model) {
        lf_inducing_kernel_clear(&engine->kernel);
    }
    free(engine);
}

static lf_status create(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        lf_inducing_method method, void **state)
{
    lf_inducing *engine = calloc(1, sizeof *engine);
    *state = engine;
    if (!engine) {
        return lf_no_memory(ctx);
    }
    engine->rows = rows;
    engine->method = method;
    engine->systems = calloc((size_t)rows->count + 1, sizeof *engine->systems);
    lf_status status =
        engine->systems ? lf_inducing_kernel_create(ctx, model, rows, options, &engine->kernel) : lf_no_memory(ctx);
    return status ? status : lf_device_open(ctx, options->device, &engine->kernel.device);
}

lf_status lf_inducing_prepare(lf_context *ctx, lf_inducing *engine, const lf_targets *targets)
{
    const lf_model *model = engine->kernel.model;
    lf_status status = lf_check_noise(ctx, model, engine->rows, targets->noise);
    LF_TRY(status, lf_inducing_kernel_prepare(ctx, &engine->kernel));
    for (int r = 0; !status && r < engine->rows->count; r++) {
        lf_inducing_system *system = &engine->systems[r];
        if (system->parts && lf_inducing_system_needs_regrid(model, &engine->kernel, system)) {
            lf_inducing_system_clear(system);
        }
        if (!system->parts) {
            status = lf_inducing_system_create(ctx, model, &engine->kernel, engine->method, engine->rows, r, system);
            if (status) {
                lf_inducing_system_clear(system);
            }
        }
    }
    return status;
}

static lf_status evaluate(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets, double *value,
                          double *gradient)
{
    lf_inducing *engine = state;
    lf_targets here = *targets;
    size_t squares = 0;
    double nll = 0;
    for (int q = 0; q < model->force_count; q++) {
        squares += engine->kernel.forces[q].K * engine->kernel.forces[q].K;
    }
    double *by_uu = lf_doubles(gradient ? squares : 0, 1), *by_Y = lf_doubles(gradient ? engine->kernel.Y_size : 0, 1);
    lf_status status = by_uu && by_Y ? lf_inducing_prepare(ctx, engine, targets) : lf_no_memory(ctx);
    for (int r = 0; !status && r < engine->rows->count; r++) {
        lf_inducing_system *system = &engine->systems[r];
        status = lf_inducing_system_fill(ctx, &engine->kernel, &here, system);
        LF_TRY(status, lf_inducing_system_solve(ctx, system, gradient != NULL, &nll));
        if (!status && gradient) {
            status = lf_inducing_system_backward(ctx, &engine->kernel, system, by_uu, by_Y, gradient);
        }
        here = lf_targets_after(here, engine->rows->replicates[r].points.n);
    }
    if (!status && gradient) {
        status = lf_inducing_kernel_backward(ctx, &engine->kernel, by_uu, by_Y, gradient);
    }
    free(by_uu);
    free(by_Y);
    if (!status && !isfinite(nll)) {
        status = lf_fail(ctx, LF_ERROR_NUMERIC, "the log likelihood is not a finite number");
    }
    *value = -nll;
    for (size_t i = 0; gradient && i < model->parameter_count; i++) {
        gradient[i] = -gradient[i];
    }
    return status;
}

static void describe(const void *state, lf_engine_info *info)
{
    const lf_inducing_kernel *kernel = &((const lf_inducing *)state)->kernel;
    info->nodes = kernel->source == LF_INDUCING_EXACT         ? "exact"
                  : kernel->source == LF_INDUCING_CLOSED_FORM ? lf_exact_covariance_name(kernel->model, kernel->exact)
                                                              : lf_rule_names[kernel->spec.rule];
    info->columns = kernel->u.n;
    info->jitter = kernel->jitter;
}

static lf_status error_bound(lf_context *ctx, const void *state, const lf_model *model, lf_error_bounds *bounds)
{
    const lf_inducing_kernel *kernel = &((const lf_inducing *)state)->kernel;
    return kernel->source == LF_INDUCING_FEATURES
               ? lf_feature_error(ctx, model, &kernel->spec, bounds)
               : lf_route_error(ctx, model, kernel->exact, kernel->spec.earliest, kernel->spec.latest, bounds);
}

static int resolves_lengthscales(const lf_model *model, const lf_engine_options *options)
{
    int uniform = options->nodes && strcmp(options->nodes, "uniform") == 0; /* "auto" means exact covariances here */
    return uniform && lf_grid_spec_resolves_lengthscales(model, options);
}

/* Lambda_d of a private part is that of all rows of its output. */
static int needs_whole_outputs(const lf_model *model)
{
    int private = 0;
    for (int d = 0; d < model->output_count; d++) {
        private = private || lf_output_has_private_part(model, d);
    }
    return private;
}

static int needs_regrid(const void *state, const lf_model *model)
{
    return lf_inducing_kernel_needs_regrid(model, &((const lf_inducing *)state)->kernel);
}

static lf_status estimate(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                          lf_inducing_method method, int with_memory, lf_demand *demand)
{
    int whole = method == LF_METHOD_PITC || needs_whole_outputs(model);
    demand->distribution = whole ? LF_BY_OUTPUTS : LF_BY_ROWS;
    demand->resolves_lengthscales = resolves_lengthscales(model, options);
    return lf_demand_set(demand, lf_inducing_cost(ctx, model, rows, options, method),
                         with_memory ? lf_inducing_memory(ctx, model, rows, options, method, &demand->memory) : 0);
}

#define INDUCING_ENGINE(engine_name, choice, more)                                                                     \
    static lf_status create_##engine_name(lf_context *ctx, const lf_model *model, const lf_rows *rows,                 \
                                          const lf_engine_options *options, void **state)                              \
    {                                                                                                                  \
        return create(ctx, model, rows, options, choice, state);                                                       \
    }                                                                                                                  \
    static lf_status estimate_##engine_name(lf_context *ctx, const lf_model *model, const lf_rows *rows,               \
                                            const lf_engine_options *options, int with_memory, lf_demand *demand)      \
    {                                                                                                                  \
        return estimate(ctx, model, rows, options, choice, with_memory, demand);                                       \
    }                                                                                                                  \
    const lf_engine_class lf_engine_##engine_name = {.name = #engine_name,                                             \
                                                     .abilities = LF_HAS_INDUCING | LF_ALLOWS_DEVICE | (more),         \
                                                     .posterior = &lf_inducing_posterior_class,                        \
                                                     .estimate = estimate_##engine_name,                               \
                                                     .create = create_##engine_name,                                   \
                                                     .destroy = destroy,                                               \
                                                     .evaluate = evaluate,                                             \
                                                     .describe = describe,                                             \
                                                     .needs_regrid = needs_regrid,                                     \
                                                     .error_bound = error_bound,                                       \
                                                     .posterior_create = lf_inducing_posterior_create}

INDUCING_ENGINE(dtc, LF_METHOD_DTC, 0);
INDUCING_ENGINE(variational, LF_METHOD_VARIATIONAL, LF_GIVES_BOUND);
INDUCING_ENGINE(fitc, LF_METHOD_FITC, 0);
INDUCING_ENGINE(pitc, LF_METHOD_PITC, LF_EXACT_IN_OUTPUTS);
