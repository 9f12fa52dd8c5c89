/* The dense engine: log N(y | 0, K + Sigma) by Cholesky factorisation (dense_factor.h), O(N^3), one factor for each replicate.
 *
 * Several processes have the same rows and, where the context says how, each a part of the matrix (spread_factor.h). A device has the
 * whole matrix (device_factor.h). */
#include "dense/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/block_cyclic.h"
#include "base/context.h"
#include "base/processes.h"
#include "dense/dense_factor.h"
#include "exact/exact_covariance.h"
#include "exact/feature_error.h"
#include "exact/state_covariance.h"
#include "exact/system_covariance.h"
#include "features/grid_spec.h"

#define MAX_ROWS 20000.0 /* 3 GiB per matrix and process */

int lf_dense_is_spread(const lf_context *ctx, const lf_model *model, size_t n)
{
    return !model->system && lf_is_spread(ctx, n);
}

/* N^3: the Cholesky factor and the inverse of the covariance of all rows; and, for Matern forces and for equations, the covariances. */
static double cost(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options)
{
    double N = (double)rows->n / rows->count, total = rows->count * N * N * N;
    double parts = lf_dense_is_spread(ctx, model, (size_t)N) ? lf_process_count(ctx) : 1;
    int applies = !lf_rule_is_sampled(options->nodes) && !options->features && N <= MAX_ROWS * sqrt(parts) &&
                  (lf_has_exact_states(model) || !lf_model_composed_force(model) ||
                   !lf_exact_covariance_obstacle(model, LF_ROUTE_QUADRATURE));
    for (int r = 0; applies && model->system && r < rows->count; r++) {
        total += lf_system_covariance_cost(model, &rows->replicates[r].points);
    }
    for (int r = 0; applies && lf_has_exact_states(model) && r < rows->count; r++) {
        double more = lf_state_covariance_cost(ctx, model, &rows->replicates[r].points);
        if (more < 0) {
            return more;
        }
        total += more;
    }
    return applies ? total / parts : (double)INFINITY;
}

static lf_status estimate(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                          int with_memory, lf_demand *demand)
{
    return lf_demand_set(demand, cost(ctx, model, rows, options),
                         with_memory ? lf_dense_memory(ctx, model, rows, options, &demand->memory) : 0);
}

static void destroy(void *state)
{
    lf_dense *engine = state;
    lf_device_close(engine->device);
    free(engine);
}

/* Fails if a device was asked for a matrix that is spread over processes. */
static lf_status check_device(lf_context *ctx, const lf_model *model, const lf_rows *rows, const char *device)
{
    int spread = 0;
    for (int r = 0; r < rows->count; r++) {
        spread = spread || lf_dense_is_spread(ctx, model, rows->replicates[r].points.n);
    }
    return spread && lf_device_is_named(device)
               ? lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                         "device %s: %d processes spread the matrix of the dense engine over their processors; use one "
                         "process, or the device cpu",
                         device, lf_process_count(ctx))
               : LF_OK;
}

static lf_status create(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                        void **state)
{
    lf_dense *engine = calloc(1, sizeof *engine);
    *state = engine;
    if (!engine) {
        return lf_no_memory(ctx);
    }
    engine->rows = rows;
    lf_status status = lf_exact_covariance_choose(ctx, model, options, rows->earliest, rows->latest, &engine->kernel);
    engine->route = lf_exact_covariance_name(model, engine->kernel);
    if (!status && options->features) {
        status = lf_fail(ctx, LF_ERROR_ARGUMENT, "the dense engine has no features; leave their number out");
    }
    LF_TRY(status, check_device(ctx, model, rows, options->device));
    return status ? status : lf_device_open(ctx, options->device, &engine->device);
}

static void describe(const void *state, lf_engine_info *info)
{
    const lf_dense *engine = state;
    info->nodes = engine->route;
    info->columns = engine->rows->n;
}

static lf_status error_bound(lf_context *ctx, const void *state, const lf_model *model, lf_error_bounds *bounds)
{
    const lf_dense *engine = state;
    return lf_route_error(ctx, model, engine->kernel, engine->rows->earliest, engine->rows->latest, bounds);
}

static lf_status evaluate(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets, double *value,
                          double *gradient)
{
    lf_dense *engine = state;
    lf_targets here = *targets;
    lf_status status = LF_OK;
    engine->value = engine->rounding = 0;
    engine->known = 0;
    for (int r = 0; !status && r < engine->rows->count; r++) {
        const lf_point_set *points = &engine->rows->replicates[r].points;
        lf_dense_factor f;
        status = lf_dense_factorise(ctx, model, engine->kernel, points, here.y, here.noise, engine->device, &f);
        engine->value += f.value;
        engine->rounding += f.rounding;
        if (!status && !isfinite(engine->value)) {
            status = lf_fail(ctx, LF_ERROR_NUMERIC, "the log likelihood is not a finite number");
        }
        if (!status && gradient) {
            status = lf_dense_gradient(ctx, model, engine->kernel, points, &here, &f, gradient);
        }
        here = lf_targets_after(here, points->n);
        lf_dense_factor_clear(&f);
    }
    status = engine->device ? lf_agree(ctx, status) : status; /* the device of one process may fail alone */
    *value = engine->value;
    engine->known = status == LF_OK && targets->of_rows && !(model->system && model->system->disturbed);
    return status;
}

static lf_status rounding(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets, double *value,
                          double *error)
{
    lf_dense *engine = state;
    lf_status status = engine->known ? LF_OK : evaluate(ctx, state, model, targets, value, NULL);
    *value = engine->value;
    *error = engine->rounding;
    if (!status && model->system) { /* covariances are integrals, with larger errors than those of rounding */
        double relative, from = fmin(model->origin, engine->rows->earliest);
        status = lf_system_covariance_accuracy(ctx, model, engine->rows->latest - from, &relative);
        *error *= relative / DBL_EPSILON;
    }
    return status;
}

static lf_status posterior_create(lf_context *ctx, void *state, const lf_model *model, const lf_targets *targets,
                                  void **posterior)
{
    return lf_dense_posterior_create(ctx, state, model, targets, posterior);
}

static lf_status prior_covariance(lf_context *ctx, const lf_model *model, const lf_engine_options *options,
                                  const lf_point_set *points, double *covariance)
{
    lf_exact_covariance kernel;
    double earliest, latest;
    lf_point_set_range(points, &earliest, &latest);
    lf_status status = lf_exact_covariance_choose(ctx, model, options, earliest, latest, &kernel);
    LF_TRY(status, lf_exact_covariance_matrix(ctx, model, kernel, points, points, covariance, points->n));
    return status;
}

const lf_engine_class lf_engine_dense = {.name = "dense",
                                         .abilities = LF_ALLOWS_MEAN | LF_ALLOWS_EQUATIONS | LF_ALLOWS_DEVICE |
                                                      LF_PREDICTS_SUBMODELS,
                                         .composed = LF_COMPOSED_ALL,
                                         .posterior = &lf_dense_posterior_class,
                                         .estimate = estimate,
                                         .create = create,
                                         .destroy = destroy,
                                         .evaluate = evaluate,
                                         .describe = describe,
                                         .error_bound = error_bound,
                                         .rounding = rounding,
                                         .posterior_create = posterior_create,
                                         .prior_covariance = prior_covariance};
