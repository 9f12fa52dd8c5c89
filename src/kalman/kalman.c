/* The kalman engine: the model as a linear stochastic differential equation (state_space.h), whose likelihood a Kalman
 * filter computes in time linear in the rows. Replicates run in parallel. */
#include "kalman/kalman.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kalman/gradient.h"

typedef struct kalman {
    const lf_rows *rows;
    double tolerance;
    lf_state_space space;
    lf_timeline *timelines;    /* (replicates) */
    lf_record_storage records; /* where there is one replicate */
} kalman;

static lf_status estimate(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                          int with_memory, lf_demand *demand)
{
    demand->distribution = LF_BY_REPLICATES;
    return lf_demand_set(demand, lf_kalman_cost(ctx, model, rows, options),
                         with_memory ? lf_kalman_memory(ctx, model, rows, options, &demand->memory) : 0);
}

static void destroy(void *state)
{
    kalman *engine = state;
    for (int r = 0; engine->timelines && r < engine->rows->count; r++) {
        lf_timeline_clear(&engine->timelines[r]);
    }
    free(engine->timelines);
    free(engine->records.numbers);
    lf_state_space_clear(&engine->space);
    free(engine);
}

static lf_status check_options(lf_context *ctx, const lf_engine_options *options)
{
    if (options->nodes && strcmp(options->nodes, "auto") != 0) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "the kalman engine has no frequencies; remove nodes '%s' or use another engine", options->nodes);
    }
    if (options->features) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "the kalman engine has no features; leave their number out");
    }
    if (!(options->tolerance >= 0 && options->tolerance < 1)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "tolerance must be between 0 and 1, found %g", options->tolerance);
    }
    return LF_OK;
}

/* slots (outputs): the averages of each output that are open at a time, the most of all replicates, also those of other processes. */
static lf_status find_slots(lf_context *ctx, lf_status status, const lf_model *model, const kalman *engine, int *slots)
{
    size_t D = (size_t)model->output_count;
    double *most = lf_doubles(D, 1);
    status = status || most ? status : lf_no_memory(ctx);
    for (int r = 0; !status && r < engine->rows->count; r++) {
        const lf_timeline *t = &engine->timelines[r];
        for (size_t d = 0; t->slots && d < D; d++) {
            most[d] = fmax(most[d], t->slots[d]);
        }
    }
    if (engine->rows->shared) {
        status = lf_largest(ctx, status, D, most);
    }
    for (size_t d = 0; !status && d < D; d++) {
        slots[d] = (int)most[d];
    }
    free(most);
    return status;
}

static lf_status create(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        void **state)
{
    kalman *engine = calloc(1, sizeof *engine);
    *state = engine;
    if (!engine) {
        return lf_no_memory(ctx);
    }
    engine->rows = rows;
    engine->tolerance = options->tolerance;
    int *slots = calloc((size_t)model->output_count + 1, sizeof *slots);
    engine->timelines = calloc((size_t)rows->count + 1, sizeof *engine->timelines);
    lf_status status = engine->timelines && slots ? check_options(ctx, options) : lf_no_memory(ctx);
    for (int r = 0; !status && r < rows->count; r++) {
        status = lf_timeline_create(ctx, model, NAN, &rows->replicates[r].points, NULL, &engine->timelines[r]);
    }
    status = rows->averages ? find_slots(ctx, status, model, engine, slots) : status;
    LF_TRY(status, lf_state_space_create_averaging(ctx, model, options->tolerance, rows->averages ? slots : NULL,
                                                   &engine->space));
    free(slots);
    return status;
}

static void describe(const void *state, lf_engine_info *info)
{
    const kalman *engine = state;
    info->nodes = "states";
    info->columns = (size_t)engine->space.n;
}

static lf_status error_bound(lf_context *ctx, const void *state, const lf_model *model, lf_error_bounds *bounds)
{
    const kalman *engine = state;
    return lf_kalman_error(ctx, model, engine->tolerance, engine->rows->earliest, engine->rows->latest, bounds);
}

/* The derivatives by the offsets of the outputs. */
static void add_offsets(const lf_model *model, const lf_point_set *points, const double *by_y, double *gradient)
{
    for (int g = 0; !model->system && g < points->group_count; g++) {
        int d = points->target[g];
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            gradient[lf_index_offset(model, d)] -= by_y[i] / model->outputs[d].scale;
        }
    }
}

/* Log likelihood and, unless NULL, its rounding error or gradient of one replicate, with the derivatives by its targets. */
static lf_status evaluate_replicate(lf_context *ctx, kalman *engine, int r, const lf_targets *targets, double *value,
                                    double *rounding, double *gradient)
{
    const lf_point_set *points = &engine->rows->replicates[r].points;
    const lf_timeline *timeline = &engine->timelines[r];
    lf_status status = LF_OK;
    if (gradient) {
        lf_record_storage *storage = engine->rows->count == 1 ? &engine->records : NULL;
        status = lf_kalman_gradient(ctx, &engine->space, timeline, targets, storage, value, gradient);
        add_offsets(engine->space.model, points, targets->by_y, gradient);
        return status;
    }
    lf_filter filter;
    status = lf_filter_create(ctx, &engine->space, timeline, targets->y, targets->noise, NULL, NULL, &filter);
    status = status || !rounding ? status : lf_filter_estimate_rounding(&filter);
    LF_TRY(status, lf_filter_run(&filter, value));
    if (rounding) {
        *rounding += filter.rounding;
    }
    lf_filter_clear(&filter);
    return status;
}

/* The contribution of one replicate. They are added in order, so that the sum does not depend on the threads. */
typedef struct replicate_result {
    lf_context ctx; /* for the error message of this replicate */
    lf_status status;
    lf_targets targets;
    double value;
    double *gradient; /* (parameters) */
    double *by_y;     /* (rows) where the targets have none */
} replicate_result;

static lf_status create_result(lf_context *ctx, const lf_model *model, const lf_point_set *points,
                               const lf_targets *targets, int with_gradient, replicate_result *result)
{
    *result = (replicate_result){.targets = *targets};
    if (!with_gradient) {
        return LF_OK;
    }
    result->gradient = lf_doubles(model->parameter_count, 1);
    if (!targets->by_y) {
        result->targets.by_y = result->by_y = lf_doubles(points->n, 1);
    }
    return result->gradient && result->targets.by_y ? LF_OK : lf_no_memory(ctx);
}

static lf_status evaluate(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets, double *value,
                          double *gradient)
{
    kalman *engine = state;
    int count = engine->rows->count;
    lf_targets here = *targets;
    replicate_result *results = calloc((size_t)count + 1, sizeof *results);
    lf_status status = results ? lf_state_space_update(ctx, &engine->space) : lf_no_memory(ctx);
    for (int r = 0; !status && r < count; r++) {
        const lf_point_set *points = &engine->rows->replicates[r].points;
        status = create_result(ctx, model, points, &here, gradient != NULL, &results[r]);
        here = lf_targets_after(here, points->n);
    }
    if (!status) {
#pragma omp parallel for schedule(dynamic) if (count > 1)
        for (int r = 0; r < count; r++) {
            results[r].status = evaluate_replicate(&results[r].ctx, engine, r, &results[r].targets, &results[r].value,
                                                   NULL, results[r].gradient);
        }
    }
    *value = 0;
    for (int r = 0; !status && r < count; r++) {
        status = results[r].status ? lf_fail(ctx, results[r].status, "%s", results[r].ctx.message) : LF_OK;
        *value += results[r].value;
        for (size_t i = 0; gradient && i < model->parameter_count; i++) {
            gradient[i] += results[r].gradient[i];
        }
    }
    for (int r = 0; results && r < count; r++) {
        free(results[r].gradient);
        free(results[r].by_y);
    }
    free(results);
    return status;
}

static lf_status rounding(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets, double *value,
                          double *error)
{
    kalman *engine = state;
    lf_targets here = *targets;
    lf_status status = lf_state_space_update(ctx, &engine->space);
    (void)model;
    *value = *error = 0;
    for (int r = 0; !status && r < engine->rows->count; r++) {
        double part = 0;
        status = evaluate_replicate(ctx, engine, r, &here, &part, error, NULL);
        *value += part;
        here = lf_targets_after(here, engine->rows->replicates[r].points.n);
    }
    return status;
}

static lf_status posterior_create(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets,
                                  void **posterior)
{
    const kalman *engine = state;
    lf_kalman_posterior *p;
    lf_targets here = *targets;
    lf_status status = lf_kalman_posterior_create(ctx, model, engine->tolerance, engine->rows->count, &p);
    *posterior = p;
    for (int r = 0; !status && r < p->count; r++) {
        const lf_replicate *rows = &engine->rows->replicates[r];
        status = lf_replicate_copy(ctx, p->model, rows, &p->replicates[r].rows);
        LF_TRY(status, lf_replicate_state_target(ctx, p->model, &here, &p->replicates[r]));
        LF_TRY(status, lf_replicate_state_filter(ctx, p, &p->replicates[r]));
        here = lf_targets_after(here, rows->points.n);
    }
    return status;
}

const lf_engine_class lf_engine_kalman = {.name = "kalman",
                                          .abilities =
                                              LF_HAS_STATES | LF_ALLOWS_MEAN | LF_ALLOWS_EQUATIONS | LF_ALLOWS_AVERAGES,
                                          .composed = LF_COMPOSED_ALL,
                                          .posterior = &lf_kalman_posterior_class,
                                          .estimate = estimate,
                                          .create = create,
                                          .destroy = destroy,
                                          .evaluate = evaluate,
                                          .describe = describe,
                                          .error_bound = error_bound,
                                          .rounding = rounding,
                                          .posterior_create = posterior_create,
                                          .prior_covariance = lf_kalman_prior_covariance,
                                          .prior_draw = lf_kalman_prior_draw};
