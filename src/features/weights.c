/* Predictions from a Gaussian over the weights of the columns, in tiles of points; formulas in weights.h. */
#include "features/weights.h"

#include <cblas.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "features/device_factor.h"

enum { TILE = 2048 };

void lf_replicate_weights_clear(lf_replicate_weights *weights, int outputs)
{
    for (int d = 0; weights->outputs && d < outputs; d++) {
        free(weights->outputs[d].mean);
        free(weights->outputs[d].F);
        free(weights->outputs[d].L);
    }
    free(weights->outputs);
    free(weights->mean);
    free(weights->L);
    *weights = (lf_replicate_weights){0};
}

lf_status lf_replicate_weights_create(lf_context *ctx, const lf_features *features, lf_replicate_weights *weights)
{
    int outputs = features->model->output_count;
    size_t M = features->shared;
    *weights = (lf_replicate_weights){.mean = lf_doubles(M, 1), .L = lf_doubles(M, M)};
    weights->outputs = calloc((size_t)outputs + 1, sizeof *weights->outputs);
    int allocated = weights->mean && weights->L && weights->outputs;
    for (size_t i = 0; allocated && i < M; i++) {
        weights->L[i * M + i] = 1;
    }
    for (int d = 0; allocated && d < outputs; d++) {
        lf_private_weights *private_weights = &weights->outputs[d];
        size_t m = private_weights->m = lf_features_private(features, d);
        if (m == 0) {
            continue;
        }
        private_weights->mean = lf_doubles(m, 1);
        private_weights->F = lf_doubles(m, M);
        private_weights->L = lf_doubles(m, m);
        allocated = private_weights->mean && private_weights->F && private_weights->L;
        for (size_t i = 0; allocated && i < m; i++) {
            private_weights->L[i * m + i] = 1;
        }
    }
    if (!allocated) {
        lf_replicate_weights_clear(weights, outputs);
        return lf_fail(ctx, LF_ERROR_MEMORY, "out of memory: the system of %zu columns does not fit", M);
    }
    return LF_OK;
}

lf_status lf_weights_create(lf_context *ctx, const lf_model *model, lf_grid_spec spec, int replicates,
                            lf_weights **weights)
{
    lf_weights *w = calloc(1, sizeof *w);
    *weights = NULL;
    if (!w) {
        return lf_no_memory(ctx);
    }
    w->count = replicates;
    w->replicates = calloc((size_t)replicates + 1, sizeof *w->replicates);
    lf_status status = w->replicates ? lf_grid_spec_copy(ctx, &spec, &w->spec) : lf_no_memory(ctx);
    LF_TRY(status, lf_model_copy(ctx, model, &w->model));
    LF_TRY(status, lf_features_create(ctx, w->model, w->spec, &w->features));
    for (int r = 0; !status && r < replicates; r++) {
        status = lf_replicate_weights_create(ctx, &w->features, &w->replicates[r]);
    }
    if (status) {
        lf_weights_free(w);
        return status;
    }
    *weights = w;
    return LF_OK;
}

void lf_weights_free(lf_weights *weights)
{
    if (!weights) {
        return;
    }
    for (int r = 0; weights->replicates && r < weights->count; r++) {
        lf_replicate_weights_clear(&weights->replicates[r], weights->model ? weights->model->output_count : 0);
    }
    free(weights->replicates);
    json_decref(weights->record);
    lf_grid_spec_clear(&weights->spec);
    lf_features_clear(&weights->features);
    lf_model_free(weights->model);
    free(weights);
}

void lf_weights_posterior_free(void *posterior) { lf_weights_free(posterior); }

void lf_weights_posterior_range(const void *posterior, double *from, double *to)
{
    const lf_weights *weights = posterior;
    int uniform = weights->spec.rule == LF_RULE_UNIFORM, from_rest = weights->model->initial != LF_INITIAL_STATIONARY;
    *from = uniform ? weights->spec.earliest : -(double)INFINITY;
    if (uniform && from_rest) {
        *from = fmin(*from, weights->model->origin);
    }
    *to = uniform ? weights->spec.latest : (double)INFINITY;
}

/* With uniform frequencies covariances are periodic, and wrong outside the range for which the nodes were chosen. */
static lf_status check_horizon(lf_context *ctx, const lf_weights *w, const lf_point_set *points)
{
    double earliest, latest;
    if (w->spec.rule != LF_RULE_UNIFORM) {
        return LF_OK;
    }
    lf_weights_posterior_range(w, &earliest, &latest);
    double margin = 1e-9 * (latest - earliest); /* for rounding in the horizon of the caller */
    for (size_t i = 0; i < points->n; i++) {
        if (!(points->x[i] >= earliest - margin && points->x[i] <= latest + margin)) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT,
                           "x = %.10g lies beyond the horizon [%.10g, %.10g] of these features; condition on the data "
                           "again with larger ahead or behind",
                           points->x[i], earliest, latest);
        }
    }
    return LF_OK;
}

/* The part of the variance of a force at frequencies above the highest node: 0 except for Matern forces. */
static double unresolved_share(const lf_weights *w, const lf_source *source)
{
    double share = 1;
    for (size_t s = 0; s < w->features.grids.grids[source->grid].count; s++) {
        share -= source->w[s];
    }
    return lf_force_is_rough(source->force) && w->spec.rule == LF_RULE_UNIFORM ? fmax(share, 0) : 0;
}

/* The variance of a target from these frequencies. Outputs filter them out and carry no information about them, so the
 * posterior has the full prior variance: for forces, and for rates of first-order outputs, f' = (S u - a_1 f) / a_0. */
static double unresolved_variance(const lf_weights *w, int target)
{
    const lf_model *model = w->model;
    int output = lf_target_output(model, target);
    int direct = output >= 0 && lf_target_is_rate(model, target) && model->outputs[output].op->is_ode &&
                 model->outputs[output].order == 1;
    double a[LF_MAX_ORDER + 1] = {1}, variance = 0;
    if (output >= 0 && !direct) {
        return 0;
    }
    if (direct) {
        lf_ode_coefficients(model->outputs[output].op, model->outputs[output].constants, 1, a);
    }
    for (int i = 0; i < w->features.grids.source_count; i++) {
        double S = lf_source_sensitivity(model, target, &w->features.grids.sources[i]) / a[0];
        variance += S * S * unresolved_share(w, &w->features.grids.sources[i]);
    }
    return variance;
}

void lf_add_products(size_t n, size_t columns, const double *X, const double *Y, double *sums)
{
    enum { ROWS = 64 };
#pragma omp parallel for schedule(static) if (n * columns > 10000)
    for (size_t from = 0; from < n; from += ROWS) {
        size_t to = n - from < ROWS ? n : from + ROWS;
        for (size_t j = 0; j < columns; j++) {
            for (size_t i = from; i < to; i++) {
                sums[i] += X[j * n + i] * Y[j * n + i];
            }
        }
    }
}

/* X (n, m) <- X L^-T */
static void whiten(size_t n, size_t m, const double *L, double *X)
{
    if (m) {
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)n, (int)m, 1, L, (int)m, X,
                    (int)n);
    }
}

static void copy_rows(size_t n, size_t columns, const double *from, double *to, size_t ld)
{
    for (size_t j = 0; j < columns; j++) {
        memcpy(to + j * ld, from + j * n, n * sizeof *to);
    }
}

/* Work space of a prediction. */
typedef struct tiles {
    const lf_weights *of;
    const lf_replicate_weights *weights;
    lf_device_factor there;
    size_t rows;              /* of a tile */
    double *shared, *private; /* (rows, M) and (rows, widest): the feature rows of a tile, which are whitened */
    double *kept_shared,
        *kept_private; /* (n, M) and (n, widest): the whitened rows of all points; NULL without covariance */
} tiles;

static void tiles_clear(tiles *t)
{
    lf_device_factor_close(&t->there);
    free(t->shared);
    free(t->private);
    free(t->kept_shared);
    free(t->kept_private);
}

static lf_status tiles_create(lf_context *ctx, const lf_weights *w, int replicate, size_t n, size_t widest,
                              int with_variance, int with_covariance, tiles *t)
{
    size_t M = w->features.shared;
    *t = (tiles){.of = w, .weights = &w->replicates[replicate], .rows = n < TILE ? n : TILE};
    t->shared = lf_doubles(t->rows, M);
    t->private = lf_doubles(t->rows, widest);
    t->kept_shared = with_covariance ? lf_doubles(n, M) : NULL;
    t->kept_private = with_covariance ? lf_doubles(n, widest) : NULL;
    if (!t->shared || !t->private || (with_covariance && (!t->kept_shared || !t->kept_private))) {
        return lf_no_memory(ctx);
    }
    return (with_variance || with_covariance) && n >= M / 16 /* enough to copy the factor for */
               ? lf_device_factor_open(ctx, w->device, M, t->weights->L, t->rows, &t->there)
               : LF_OK;
}

/* mean and, unless NULL, variance of the points from … from + n - 1, which have one target. */
static lf_status predict_tile(lf_context *ctx, tiles *t, const lf_point_set *points, int target, size_t from, size_t n,
                              double *mean, double *variance)
{
    const lf_features *features = &t->of->features;
    int output = lf_target_output(features->model, target);
    const lf_private_weights *private_weights = output >= 0 ? &t->weights->outputs[output] : NULL;
    size_t M = features->shared, m = private_weights ? private_weights->m : 0;
    double *shared = t->shared, *private = t->private;
    lf_status status =
        lf_features_rows(ctx, features, target, n, points->x + from * (size_t)points->input_dim, shared, private);
    if (status) {
        return status;
    }
    mean += from;
    memset(mean, 0, n * sizeof *mean);
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)M, 1, shared, (int)n, t->weights->mean, 1, 1, mean, 1);
    if (m) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)m, 1, private, (int)n, private_weights->mean, 1, 1, mean,
                    1);
    }
    if (!variance && !t->kept_shared) {
        return LF_OK;
    }
    if (m && M) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)M, (int)m, -1, private, (int)n,
                    private_weights->F, (int)m, 1, shared, (int)n);
    }
    if (t->there.device) {
        status = lf_device_factor_whiten(ctx, &t->there, n, shared);
    } else {
        whiten(n, M, t->weights->L, shared);
    }
    whiten(n, m, private_weights ? private_weights->L : NULL, private);
    if (variance) {
        memset(variance + from, 0, n * sizeof *variance);
        lf_add_products(n, M, shared, shared, variance + from);
        lf_add_products(n, m, private, private, variance + from);
    }
    if (t->kept_shared) {
        copy_rows(n, M, shared, t->kept_shared + from, points->n);
        copy_rows(n, m, private, t->kept_private + from, points->n);
    }
    return status;
}

void lf_add_private_products(const lf_model *model, const lf_point_set *points, size_t n, size_t m, const double *rows,
                             double *K)
{
    for (int g = 0; m && g < points->group_count; g++) {
        size_t at = points->start[g], size = points->start[g + 1] - at;
        int output = lf_target_output(model, points->target[g]);
        for (int h = g; output >= 0 && h < points->group_count; h++) {
            size_t below = points->start[h], count = points->start[h + 1] - below;
            if (lf_target_output(model, points->target[h]) == output) {
                cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)count, (int)size, (int)m, 1, rows + below,
                            (int)n, rows + at, (int)n, 1, K + at * n + below, (int)n);
            }
        }
    }
}

double lf_weights_predict_numbers(const void *posterior, int replicate, size_t points, int joint)
{
    const lf_weights *w = posterior;
    double widest = 0, tile = points < TILE ? (double)points : TILE;
    for (int d = 0; d < w->model->output_count; d++) {
        widest = fmax(widest, (double)w->replicates[replicate].outputs[d].m);
    }
    return (tile + (joint ? (double)points : 0)) * ((double)w->features.shared + widest);
}

lf_status lf_weights_predict(lf_context *ctx, const void *posterior, const lf_model *model, int replicate,
                             const lf_point_set *points, double *mean, double *variance, double *covariance)
{
    (void)model; /* the features refer to their copy of it */
    const lf_weights *w = posterior;
    size_t M = w->features.shared, n = points->n, widest = 0;
    lf_status status = check_horizon(ctx, w, points);
    if (status) {
        return status;
    }
    for (int g = 0; g < points->group_count; g++) {
        size_t m = lf_features_private(&w->features, points->target[g]);
        widest = m > widest ? m : widest;
    }
    tiles t;
    status = tiles_create(ctx, w, replicate, n, widest, variance != NULL, covariance != NULL, &t);
    for (int g = 0; !status && g < points->group_count; g++) {
        size_t start = points->start[g], end = points->start[g + 1];
        double unresolved = unresolved_variance(w, points->target[g]);
        for (size_t from = start; !status && from < end; from += t.rows) {
            size_t count = end - from < t.rows ? end - from : t.rows;
            status = predict_tile(ctx, &t, points, points->target[g], from, count, mean, variance);
        }
        for (size_t i = start; !status && variance && i < end; i++) {
            variance[i] += unresolved;
        }
    }
    if (!status && covariance) {
        memset(covariance, 0, n * n * sizeof *covariance);
        lf_add_private_products(w->model, points, n, widest, t.kept_private, covariance);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)M, 1, t.kept_shared, (int)n, 1, covariance,
                    (int)n);
        for (int g = 0; g < points->group_count; g++) {
            double unresolved = unresolved_variance(w, points->target[g]);
            for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
                covariance[i * n + i] += unresolved;
            }
        }
        lf_mirror(n, covariance, n);
    }
    tiles_clear(&t);
    return status;
}
