/* The low-rank engine: any nodes, any number of inputs, any operators. The rows pass by in tiles and their columns are
 * never stored whole: O(N M^2) time, O(M^2) memory. */
#include "engine/lowrank.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "engine/demand.h"

typedef struct lowrank {
    const lf_rows *rows;
    lf_demand demand;
    lf_features features;
} lowrank;

static void destroy(void *state)
{
    lowrank *engine = state;
    lf_features_clear(&engine->features);
    lf_demand_clear(&engine->demand);
    free(engine);
}

static lf_status create(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        void **state)
{
    lowrank *engine = calloc(1, sizeof *engine);
    *state = engine;
    if (!engine) {
        return lf_no_memory(ctx);
    }
    engine->rows = rows;
    lf_status status = lf_feature_demand(ctx, model, rows, options, &engine->demand);
    return status ? status : lf_engine_features(ctx, model, &engine->demand, &engine->features);
}

static void describe(const void *state, lf_engine_info *info)
{
    const lowrank *engine = state;
    info->nodes = lf_rule_names[engine->demand.rule];
    info->columns = engine->features.shared;
}

static const lf_demand *demand(const void *state) { return &((const lowrank *)state)->demand; }

static int outgrown(const void *state, const lf_model *model)
{
    const lowrank *engine = state;
    return lf_grids_outgrown(model, engine->demand, &engine->features.grids);
}

static lf_status evaluate(lf_context *ctx, void *state, const lf_model *model, double *value, double *gradient)
{
    lowrank *engine = state;
    lf_replicate_weights weights = {0};
    *value = 0;
    lf_grids_update(&engine->features.grids);
    lf_status status = lf_check_noise(ctx, model, engine->rows);
    status = status ? status : lf_replicate_weights_create(ctx, &engine->features, &weights);
    for (int r = 0; !status && r < engine->rows->count; r++) {
        const lf_replicate *replicate = &engine->rows->replicates[r];
        status = lf_lowrank_solve(ctx, &engine->features, replicate, &weights, value);
        if (!status && gradient) {
            status = lf_lowrank_gradient(ctx, &engine->features, replicate, &weights, gradient);
        }
    }
    lf_replicate_weights_clear(&weights, model->output_count);
    return status;
}

static lf_status condition(lf_context *ctx, void *state, const lf_model *model, void **posterior)
{
    const lowrank *engine = state;
    lf_weights *weights = NULL;
    double value = 0;
    lf_status status = lf_check_noise(ctx, model, engine->rows);
    status = status ? status : lf_weights_create(ctx, model, engine->demand, engine->rows->count, &weights);
    *posterior = weights;
    for (int r = 0; !status && r < engine->rows->count; r++) {
        status =
            lf_lowrank_solve(ctx, &weights->features, &engine->rows->replicates[r], &weights->replicates[r], &value);
    }
    return status;
}

const lf_engine_class lf_engine_lowrank = {.name = "lowrank",
                                           .create = create,
                                           .destroy = destroy,
                                           .evaluate = evaluate,
                                           .describe = describe,
                                           .demand = demand,
                                           .outgrown = outgrown,
                                           .condition = condition,
                                           .forget = lf_weights_forget,
                                           .save = lf_weights_save,
                                           .load = lf_weights_load,
                                           .range = lf_weights_range,
                                           .predict = lf_weights_predict};
