/* The low-rank engine, for any nodes, inputs and operators. Feature rows are computed in tiles and never stored all
 * together: O(N M^2) time, O(M^2) memory. */
#include "lowrank/lowrank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "exact/feature_error.h"
#include "features/feature_cost.h"
#include "features/feature_covariance.h"

typedef struct lowrank {
    const lf_rows *rows;
    lf_grid_spec spec;
    lf_features features;
    lf_device *device;
    char device_name[32]; /* that options name, or "" */
} lowrank;

/* 3 N M^2 + M^3: one pass of dsyrk and one of dgemm over the rows, and one Cholesky factor. */
static double cost(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options)
{
    lf_feature_count count;
    int applies = lf_feature_count_estimate(ctx, model, rows, options, &count);
    if (applies <= 0) {
        return applies < 0 ? -1 : (double)INFINITY;
    }
    double N = (double)rows->n / rows->count, Q = model->force_count;
    double M = 2 * count.each * Q + (count.private > 0 ? 2 * count.each : 0);
    return rows->count * (3 * N * M * M + M * M * M);
}

/* One replicate at a time: M^2 and, for each output, its private columns with the shared ones and with each other; four tiles of
 * rows with all columns. A posterior has the first for every replicate, and as text. */
static int memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                  lf_memory_estimate *memory)
{
    lf_features features;
    double weights = 0, widest = 0, longest = 0, bytes = sizeof(double);
    int applies = lf_features_trial(ctx, model, rows, options, 0, &features);
    for (int d = 0; applies > 0 && d < model->output_count; d++) {
        double m = (double)lf_features_private(&features, d), M = (double)features.shared;
        weights += m * (M + m);
        widest = fmax(widest, m);
    }
    for (int r = 0; r < rows->count; r++) {
        const lf_point_set *points = &rows->replicates[r].points;
        for (int g = 0; g < points->group_count; g++) {
            longest = fmax(longest, (double)(points->start[g + 1] - points->start[g]));
        }
    }
    if (applies > 0) {
        double M = (double)features.shared, tile = fmin(longest, LF_LOWRANK_TILE);
        weights += M * M;
        memory->state = bytes * lf_features_numbers(&features);
        memory->work = bytes * (weights + tile * (3 * M + 3 * widest));
        memory->thread = memory->diagnosis = 0;
        memory->posterior = bytes * (rows->count * weights * (1 + 4.0 / 3) + tile * (2 * M + widest));
    }
    lf_features_clear(&features);
    return applies;
}

static lf_status estimate(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                          int with_memory, lf_demand *demand)
{
    demand->distribution = LF_BY_ROWS;
    demand->resolves_lengthscales = lf_grid_spec_resolves_lengthscales(model, options);
    return lf_demand_set(demand, cost(ctx, model, rows, options),
                         with_memory ? memory(ctx, model, rows, options, &demand->memory) : 0);
}

static void destroy(void *state)
{
    lowrank *engine = state;
    lf_device_close(engine->device);
    lf_features_clear(&engine->features);
    lf_grid_spec_clear(&engine->spec);
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
    snprintf(engine->device_name, sizeof engine->device_name, "%s", options->device ? options->device : "");
    lf_status status = lf_grid_spec_create(ctx, model, rows, options, &engine->spec);
    LF_TRY(status, lf_features_create_bounded(ctx, model, rows->n, &engine->spec, &engine->features));
    return status ? status : lf_device_open_any(ctx, options->device, &engine->device);
}

static void describe(const void *state, lf_engine_info *info)
{
    const lowrank *engine = state;
    info->nodes = lf_rule_names[engine->spec.rule];
    info->columns = engine->features.shared;
}

static lf_status error_bound(lf_context *ctx, const void *state, const lf_model *model, lf_error_bounds *bounds)
{
    return lf_feature_error(ctx, model, &((const lowrank *)state)->spec, bounds);
}

static int needs_regrid(const void *state, const lf_model *model)
{
    const lowrank *engine = state;
    return lf_grids_need_regrid(model, engine->spec, &engine->features.grids);
}

static lf_status evaluate(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets, double *value,
                          double *gradient)
{
    lowrank *engine = state;
    lf_targets here = *targets;
    lf_lowrank_work work = {0};
    *value = 0;
    lf_grids_update(&engine->features.grids);
    lf_status status = lf_check_noise(ctx, model, engine->rows, targets->noise);
    LF_TRY(status,
           lf_lowrank_work_create(ctx, engine->device, &engine->features, engine->rows, gradient != NULL, &work));
    for (int r = 0; !status && r < engine->rows->count; r++) {
        const lf_point_set *points = &engine->rows->replicates[r].points;
        status = lf_lowrank_solve(ctx, &work, points, &here, value);
        if (!status && gradient) {
            status = lf_lowrank_gradient(ctx, &work, points, &here, gradient);
        }
        here = lf_targets_after(here, points->n);
    }
    lf_lowrank_work_clear(&work);
    return status;
}

static lf_status posterior_create(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets,
                                  void **posterior)
{
    const lowrank *engine = state;
    lf_weights *weights = NULL;
    lf_status status = lf_check_noise(ctx, model, engine->rows, targets->noise);
    LF_TRY(status, lf_weights_create(ctx, model, engine->spec, engine->rows->count, &weights));
    *posterior = weights;
    if (status) {
        return status;
    }
    memcpy(weights->device, engine->device_name, sizeof weights->device);
    return lf_lowrank_weights(ctx, engine->device, &weights->features, engine->rows, targets, weights->replicates);
}

/* Where several processes share the rows, each has the weights of all. */
static lf_posterior_facts describe_posterior(const void *posterior, int replicate, size_t points, int joint)
{
    lf_posterior_facts facts = {.end = NAN, .numbers = lf_weights_predict_numbers(posterior, replicate, points, joint)};
    lf_weights_posterior_range(posterior, &facts.from, &facts.to);
    return facts;
}

static const lf_posterior_class posterior_class = {.free = lf_weights_posterior_free,
                                                   .save = lf_weights_posterior_save,
                                                   .load = lf_weights_posterior_load,
                                                   .describe = describe_posterior,
                                                   .predict = lf_weights_predict};

static lf_status prior_covariance(lf_context *ctx, const lf_model *model, const lf_engine_options *options,
                                  const lf_point_set *points, double *covariance)
{
    lf_rows range = {0};
    lf_grid_spec spec;
    lf_features features;
    lf_point_set_range(points, &range.earliest, &range.latest);
    lf_status status = lf_grid_spec_create(ctx, model, &range, options, &spec);
    LF_TRY(status, lf_features_create(ctx, model, spec, &features));
    if (!status) {
        status = lf_feature_covariance(ctx, &features, points, covariance);
        lf_features_clear(&features);
    }
    return status;
}

const lf_engine_class lf_engine_lowrank = {.name = "lowrank",
                                           .abilities = LF_ALLOWS_DEVICE,
                                           .composed = LF_COMPOSED_SPECTRAL,
                                           .posterior = &posterior_class,
                                           .estimate = estimate,
                                           .create = create,
                                           .destroy = destroy,
                                           .evaluate = evaluate,
                                           .describe = describe,
                                           .needs_regrid = needs_regrid,
                                           .error_bound = error_bound,
                                           .posterior_create = posterior_create,
                                           .prior_covariance = prior_covariance};
