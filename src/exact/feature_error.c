/* Compares the covariances of uniform nodes with exact ones at a few dozen times, which costs little compared with a
 * fit. The largest errors show at times that cluster at the ends: aliasing between the two ends, truncation at lags from 0
 * to a few periods of the highest frequency. */
#include "exact/feature_error.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "features/feature_covariance.h"
#include "model/model.h"

static const lf_error_bounds unknown = {NAN, NAN, NAN};

/* Target number i of those compared: outputs spread over all, then the forces, then the rates of these outputs. */
static int probe_target(const lf_model *model, size_t outputs, size_t i)
{
    size_t forces = (size_t)model->force_count, D = (size_t)model->output_count;
    return i < outputs            ? (int)(i * D / outputs)
           : i < outputs + forces ? (int)(D + i - outputs)
                                  : (int)(D + forces + (i - outputs - forces) * D / outputs);
}

/* Probe time number i of `times`: Chebyshev points, and further ones at both ends whose lags are about `lag`. */
static double probe_time(double start, double latest, double lag, size_t i, size_t chebyshev)
{
    static const double near[] = {1.5, 0.7, 2.5, 4};
    if (i < chebyshev) {
        double fraction = 0.5 - 0.5 * cos(LF_PI * (double)i / (double)(chebyshev - 1));
        return fmax(start + fraction * (latest - start), start);
    }
    double offset = lag * near[(i - chebyshev) / 2];
    return i % 2 ? fmax(latest - offset, start) : fmin(start + offset, latest);
}

lf_status lf_probe_points(lf_context *ctx, const lf_model *model, double earliest, double latest, double lag,
                          lf_point_set *set)
{
    enum { MAX_OUTPUTS = 64, POINTS = 480, MIN_TIMES = 8, MAX_TIMES = 32 };
    size_t outputs = model->output_count < MAX_OUTPUTS ? (size_t)model->output_count : MAX_OUTPUTS;
    size_t targets = 2 * outputs + (size_t)model->force_count, times = POINTS / targets;
    times = times < MIN_TIMES ? MIN_TIMES : times > MAX_TIMES ? MAX_TIMES : times;
    size_t chebyshev = times;
    times += lag > 0 ? (times < MAX_TIMES / 2 ? 2 : 8) : 0;
    double start = model->initial == LF_INITIAL_STATIONARY ? earliest : fmin(earliest, model->origin);
    int *target = calloc(targets * times, sizeof *target);
    double *x = lf_doubles(targets * times, 1);
    lf_status status = target && x ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < targets * times; i++) {
        target[i] = probe_target(model, outputs, i / times);
        x[i] = probe_time(start, latest, lag, i % times, chebyshev);
    }
    lf_point_list points = {.n = targets * times, .target = target, .x = x};
    LF_TRY(status, lf_point_set_create(ctx, model, &points, points.n, NULL, set));
    free(target);
    free(x);
    return status;
}

/* Outputs, forces and rates. */
static int kind_of(const lf_model *model, int target)
{
    return lf_target_is_rate(model, target) ? 2 : lf_target_is_force(model, target) ? 1 : 0;
}

/* The largest variance of the rates at points (n) of which that of the outputs is given. A stationary output under a constant force does not
 * move: its rates are 0 but for rounding errors, to which nothing can be relative. Such rates, with which an output changes by less than a
 * ten thousandth of its size over all points, are compared with those that would change it by its size. */
static double size_of_rates(const lf_point_set *set, double rates, double outputs)
{
    double first = INFINITY, last = -INFINITY;
    for (size_t i = 0; i < set->n; i++) {
        first = fmin(first, set->x[i]);
        last = fmax(last, set->x[i]);
    }
    double changing = last > first ? outputs / ((last - first) * (last - first)) : 0;
    return rates < 1e-8 * changing ? changing : rates;
}

lf_error_bounds lf_probe_error(const lf_model *model, const lf_point_set *set, const double *K, const double *exact,
                               const double *size)
{
    size_t n = set->n;
    double difference[3][3] = {{0}}, largest[3] = {0}, errors[3] = {0};
    for (int h = 0; h < set->group_count; h++) {
        for (int g = h; g < set->group_count; g++) {
            int a = kind_of(model, set->target[g]), b = kind_of(model, set->target[h]);
            for (size_t j = set->start[h]; j < set->start[h + 1]; j++) {
                for (size_t i = j > set->start[g] ? j : set->start[g]; i < set->start[g + 1]; i++) {
                    double e = fabs(K[j * n + i] - exact[j * n + i]);
                    difference[a][b] = e > difference[a][b] || isnan(e) ? e : difference[a][b];
                }
                largest[b] = fmax(largest[b], size[j * n + j]);
            }
        }
    }
    largest[2] = size_of_rates(set, largest[2], largest[0]);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            double unit = sqrt(largest[a]) * sqrt(largest[b]), share = unit > 0 ? difference[a][b] / unit : 0;
            double *error = &errors[a > b ? a : b]; /* a rate with anything, a force with an output */
            *error = share > *error || isnan(share) ? share : *error;
        }
    }
    return (lf_error_bounds){2 * errors[0], 2 * errors[1], 2 * errors[2]};
}

static double highest_frequency(const lf_grids *grids)
{
    double highest = 0;
    for (int g = 0; g < grids->grid_count; g++) {
        for (size_t s = 0; s < grids->grids[g].count; s++) {
            highest = fmax(highest, grids->grids[g].lambda[s]);
        }
    }
    return highest;
}

/* The state space covers all forces of a model with a composed one, and EQ envelopes approximately. */
static int has_eq_envelope(const lf_model *model)
{
    int has = 0;
    for (int q = 0; q < model->force_count; q++) {
        has = has || lf_force_has_envelope(&model->forces[q], &lf_force_kernel_eq);
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        has = has || (output->has_private && lf_force_has_envelope(&output->private_force, &lf_force_kernel_eq));
    }
    return has;
}

lf_status lf_feature_error(lf_context *ctx, const lf_model *model, const lf_grid_spec *spec, lf_error_bounds *bounds)
{
    if (spec->rule != LF_RULE_UNIFORM) {
        *bounds = unknown;
        return LF_OK;
    }
    lf_point_set set;
    lf_features features;
    lf_status status = lf_features_create(ctx, model, *spec, &features);
    if (status) {
        return status;
    }
    double highest = highest_frequency(&features.grids);
    status = lf_probe_points(ctx, model, spec->earliest, spec->latest, highest > 0 ? 1 / highest : 0, &set);
    if (status) {
        lf_features_clear(&features);
        return status;
    }
    size_t n = set.n;
    double *exact = lf_doubles(n, n), *K = lf_doubles(n, n);
    /* far below the tolerance of the features */
    int states = lf_has_exact_states(model) && !(lf_model_composed_force(model) && has_eq_envelope(model));
    lf_exact_covariance kernel = {.route = states ? LF_ROUTE_STATE_SPACE : LF_ROUTE_QUADRATURE,
                                  .tolerance = fmax(1e-13, 1e-4 * spec->tolerance)};
    status = exact && K ? lf_feature_covariance(ctx, &features, &set, K) : lf_no_memory(ctx);
    LF_TRY(status, lf_exact_covariance_matrix(ctx, model, kernel, &set, &set, exact, n));
    lf_features_clear(&features);
    *bounds = status ? unknown : lf_probe_error(model, &set, K, exact, exact);
    free(exact);
    free(K);
    lf_point_set_clear(&set);
    return status;
}

lf_status lf_route_error(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel, double earliest,
                         double latest, lf_error_bounds *bounds)
{
    lf_point_set set;
    *bounds = (lf_error_bounds){0};
    if (kernel.route != LF_ROUTE_QUADRATURE || !lf_has_exact_states(model)) {
        return LF_OK;
    }
    lf_status status = lf_probe_points(ctx, model, earliest, latest, 0, &set);
    if (status) {
        return status;
    }
    size_t n = set.n;
    double *exact = lf_doubles(n, n), *K = lf_doubles(n, n);
    lf_exact_covariance states = {.route = LF_ROUTE_STATE_SPACE, .tolerance = kernel.tolerance};
    status = exact && K ? lf_exact_covariance_matrix(ctx, model, kernel, &set, &set, K, n) : lf_no_memory(ctx);
    LF_TRY(status, lf_exact_covariance_matrix(ctx, model, states, &set, &set, exact, n));
    *bounds = status ? unknown : lf_probe_error(model, &set, K, exact, exact);
    free(exact);
    free(K);
    lf_point_set_clear(&set);
    return status;
}
