/* Compares the covariances of uniform nodes with exact ones at a few dozen times, which costs little compared with a
 * fit. The largest errors (aliasing between the two ends, truncation on the diagonal) show at times that cluster at the
 * ends. */
#include "exact/feature_error.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "exact/exact_covariance.h"
#include "features/feature_covariance.h"

lf_status lf_probe_points(lf_context *ctx, const lf_model *model, double earliest, double latest, lf_point_set *set)
{
    enum { MAX_OUTPUTS = 64, POINTS = 320, MIN_TIMES = 8, MAX_TIMES = 32 };
    size_t outputs = model->output_count < MAX_OUTPUTS ? (size_t)model->output_count : MAX_OUTPUTS;
    size_t times = POINTS / outputs;
    times = times < MIN_TIMES ? MIN_TIMES : times > MAX_TIMES ? MAX_TIMES : times;
    double start = model->initial == LF_INITIAL_STATIONARY ? earliest : fmin(earliest, model->origin);
    int *target = calloc(outputs * times, sizeof *target);
    double *x = lf_doubles(outputs * times, 1);
    lf_status status = target && x ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < outputs * times; i++) {
        double fraction = 0.5 - 0.5 * cos(LF_PI * (double)(i % times) / (double)(times - 1));
        target[i] = (int)(i / times * (size_t)model->output_count / outputs);
        x[i] = fmax(start + fraction * (latest - start), start);
    }
    lf_points points = {.n = outputs * times, .target = target, .x = x};
    status = status ? status : lf_point_set_create(ctx, model, &points, points.n, NULL, set);
    free(target);
    free(x);
    return status;
}

lf_status lf_feature_error(lf_context *ctx, const lf_model *model, const lf_grid_spec *spec, double *bound)
{
    if (spec->rule != LF_RULE_UNIFORM) {
        *bound = NAN;
        return LF_OK;
    }
    lf_point_set set;
    lf_features features;
    lf_status status = lf_probe_points(ctx, model, spec->earliest, spec->latest, &set);
    if (status) {
        return status;
    }
    size_t n = set.n;
    double *exact = lf_doubles(n, n), *K = lf_doubles(n, n);
    /* far below the tolerance of the features */
    lf_exact_covariance kernel = {.route = LF_ROUTE_QUADRATURE, .tolerance = fmax(1e-13, 1e-4 * spec->tolerance)};
    status = exact && K ? lf_features_create(ctx, model, *spec, &features) : lf_no_memory(ctx);
    if (!status) {
        status = lf_feature_covariance(ctx, &features, &set, K);
        status = status ? status : lf_exact_covariance_matrix(ctx, model, kernel, &set, &set, exact, n);
        lf_features_clear(&features);
    }
    double difference = 0, largest = 0;
    for (size_t j = 0; !status && j < n; j++) {
        for (size_t i = j; i < n; i++) {
            difference = fmax(difference, fabs(K[j * n + i] - exact[j * n + i]));
            largest = fmax(largest, fabs(exact[j * n + i]));
        }
    }
    *bound = largest > 0 ? 2 * difference / largest : 0;
    free(exact);
    free(K);
    lf_point_set_clear(&set);
    return status;
}
