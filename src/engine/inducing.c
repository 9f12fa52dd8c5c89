/* The engines dtc, variational, fitc and pitc: one machine with four choices of what the inducing values leave over
 * (engine/induced_system.h). Replicates have inducing values of their own at the same inputs. */
#include "engine/inducing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "engine/demand.h"

static void destroy(void *state)
{
    lf_inducing *engine = state;
    for (int r = 0; engine->systems && r < engine->rows->count; r++) {
        lf_induced_system_clear(&engine->systems[r]);
    }
    free(engine->systems);
    if (engine->kernel.model) {
        lf_induced_kernel_clear(&engine->kernel);
    }
    free(engine);
}

static lf_status create(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        lf_sparse sparse, void **state)
{
    lf_inducing *engine = calloc(1, sizeof *engine);
    *state = engine;
    if (!engine) {
        return lf_no_memory(ctx);
    }
    engine->rows = rows;
    engine->sparse = sparse;
    engine->systems = calloc((size_t)rows->count + 1, sizeof *engine->systems);
    return engine->systems ? lf_induced_kernel_create(ctx, model, rows, options, &engine->kernel) : lf_no_memory(ctx);
}

lf_status lf_inducing_prepare(lf_context *ctx, lf_inducing *engine)
{
    const lf_model *model = engine->kernel.model;
    lf_status status = lf_check_noise(ctx, model, engine->rows);
    status = status ? status : lf_induced_prepare(ctx, &engine->kernel);
    for (int r = 0; !status && r < engine->rows->count; r++) {
        lf_induced_system *system = &engine->systems[r];
        if (system->parts && lf_induced_system_outgrown(model, &engine->kernel, system)) {
            lf_induced_system_clear(system);
        }
        if (!system->parts) {
            status = lf_induced_system_create(ctx, model, &engine->kernel, engine->sparse, &engine->rows->replicates[r],
                                              system);
            if (status) {
                lf_induced_system_clear(system);
            }
        }
    }
    return status;
}

static lf_status evaluate(lf_context *ctx, void *state, const lf_model *model, double *value, double *gradient)
{
    lf_inducing *engine = state;
    size_t squares = 0;
    double nll = 0;
    for (int q = 0; q < model->force_count; q++) {
        squares += engine->kernel.forces[q].K * engine->kernel.forces[q].K;
    }
    double *by_uu = lf_doubles(gradient ? squares : 0, 1), *by_Y = lf_doubles(gradient ? engine->kernel.waves : 0, 1);
    lf_status status = by_uu && by_Y ? lf_inducing_prepare(ctx, engine) : lf_no_memory(ctx);
    for (int r = 0; !status && r < engine->rows->count; r++) {
        lf_induced_system *system = &engine->systems[r];
        status = lf_induced_fill(ctx, &engine->kernel, system);
        status = status ? status : lf_induced_solve(ctx, system, gradient != NULL, &nll);
        if (!status && gradient) {
            status = lf_induced_system_backward(ctx, &engine->kernel, system, by_uu, by_Y, gradient);
        }
    }
    if (!status && gradient) {
        status = lf_induced_backward(ctx, &engine->kernel, by_uu, by_Y, gradient);
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
    const lf_induced_kernel *kernel = &((const lf_inducing *)state)->kernel;
    info->nodes = kernel->source == LF_INDUCED_EXACT         ? "exact"
                  : kernel->source == LF_INDUCED_CLOSED_FORM ? "closed-form"
                                                             : lf_rule_names[kernel->demand.rule];
    info->columns = kernel->u.n;
    info->jitter = kernel->jitter;
}

static const lf_demand *demand(const void *state)
{
    const lf_induced_kernel *kernel = &((const lf_inducing *)state)->kernel;
    return kernel->source == LF_INDUCED_FEATURES ? &kernel->demand : NULL;
}

static int outgrown(const void *state, const lf_model *model)
{
    return lf_induced_kernel_outgrown(model, &((const lf_inducing *)state)->kernel);
}

#define INDUCING_ENGINE(engine_name, choice)                                                                           \
    static lf_status create_##engine_name(lf_context *ctx, const lf_model *model, const lf_rows *rows,                 \
                                          const lf_engine_options *options, void **state)                              \
    {                                                                                                                  \
        return create(ctx, model, rows, options, choice, state);                                                       \
    }                                                                                                                  \
    const lf_engine_class lf_engine_##engine_name = {.name = #engine_name,                                             \
                                                     .has_inducing = 1,                                                \
                                                     .create = create_##engine_name,                                   \
                                                     .destroy = destroy,                                               \
                                                     .evaluate = evaluate,                                             \
                                                     .describe = describe,                                             \
                                                     .demand = demand,                                                 \
                                                     .outgrown = outgrown,                                             \
                                                     .condition = lf_inducing_condition,                               \
                                                     .forget = lf_inducing_forget,                                     \
                                                     .save = lf_inducing_save,                                         \
                                                     .load = lf_inducing_load,                                         \
                                                     .range = lf_inducing_range,                                       \
                                                     .predict = lf_inducing_predict}

INDUCING_ENGINE(dtc, LF_SPARSE_DTC);
INDUCING_ENGINE(variational, LF_SPARSE_VARIATIONAL);
INDUCING_ENGINE(fitc, LF_SPARSE_FITC);
INDUCING_ENGINE(pitc, LF_SPARSE_PITC);
