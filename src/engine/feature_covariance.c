/* Products of feature rows. The error of uniform nodes is measured, not only predicted: the exact covariances at a few dozen
 * times cost nothing beside a fit, and the largest errors (aliasing at the two ends, truncation on the diagonal) are met by
 * times that crowd towards the ends. */
#include "engine/feature_covariance.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "engine/weights.h"
#include "exact/kernel.h"

lf_status lf_feature_covariance(lf_context *ctx, const lf_features *features, const lf_point_set *points, double *K)
{
    size_t n = points->n, M = features->shared, p = (size_t)points->input_dim;
    size_t widest = 0;
    for (int g = 0; g < points->group_count; g++) {
        size_t m = lf_features_private(features, points->target[g]);
        widest = m > widest ? m : widest;
    }
    double *shared = lf_doubles(n, M), *privates = lf_doubles(n, widest);
    lf_status status = shared && privates ? LF_OK : lf_no_memory(ctx);
    memset(K, 0, n * n * sizeof *K);
    for (int g = 0; !status && g < points->group_count; g++) {
        size_t start = points->start[g], rows = points->start[g + 1] - start;
        size_t m = lf_features_private(features, points->target[g]);
        double *own = lf_doubles(rows, M), *private = lf_doubles(rows, m);
        status = own && private
                     ? lf_features_rows(ctx, features, points->target[g], rows, points->x + start * p, own, private)
                     : lf_no_memory(ctx);
        for (size_t j = 0; !status && j < M; j++) {
            memcpy(shared + j * n + start, own + j * rows, rows * sizeof *own);
        }
        for (size_t j = 0; !status && j < m; j++) {
            memcpy(privates + j * n + start, private + j * rows, rows * sizeof *private);
        }
        free(own);
        free(private);
    }
    if (!status) {
        lf_add_private_products(features->model, points, n, widest, privates, K);
    }
    if (!status && M) {
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)M, 1, shared, (int)n, 1, K, (int)n);
    }
    free(shared);
    free(privates);
    return status;
}

lf_status lf_probe_points(lf_context *ctx, const lf_model *model, double earliest, double latest, lf_point_set *set)
{
    enum { MOST = 64, POINTS = 320, FEWEST = 8, LARGEST = 32 };
    size_t outputs = model->output_count < MOST ? (size_t)model->output_count : MOST;
    size_t times = POINTS / outputs;
    times = times < FEWEST ? FEWEST : times > LARGEST ? LARGEST : times;
    double start = model->initial == LF_INITIAL_STATIONARY ? earliest : fmin(earliest, model->origin);
    int *target = calloc(outputs * times, sizeof *target);
    double *x = lf_doubles(outputs * times, 1);
    lf_status status = target && x ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < outputs * times; i++) {
        double place = 0.5 - 0.5 * cos(LF_PI * (double)(i % times) / (double)(times - 1));
        target[i] = (int)(i / times * (size_t)model->output_count / outputs);
        x[i] = fmax(start + place * (latest - start), start);
    }
    lf_points points = {.n = outputs * times, .target = target, .x = x};
    status = status ? status : lf_point_set_create(ctx, model, &points, points.n, NULL, set);
    free(target);
    free(x);
    return status;
}

lf_status lf_feature_error(lf_context *ctx, const lf_model *model, lf_demand demand, double *bound)
{
    lf_point_set set;
    lf_features features;
    lf_status status = lf_probe_points(ctx, model, demand.earliest, demand.latest, &set);
    if (status) {
        return status;
    }
    size_t n = set.n;
    double *exact = lf_doubles(n, n), *K = lf_doubles(n, n);
    /* far below the tolerance asked of the features, whatever the kernel */
    lf_kernel kernel = {.route = LF_ROUTE_QUADRATURE, .tolerance = fmax(1e-13, 1e-4 * demand.tolerance)};
    status = exact && K ? lf_features_create(ctx, model, demand, &features) : lf_no_memory(ctx);
    if (!status) {
        status = lf_feature_covariance(ctx, &features, &set, K);
        status = status ? status : lf_kernel_matrix(ctx, model, kernel, &set, &set, exact, n);
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
