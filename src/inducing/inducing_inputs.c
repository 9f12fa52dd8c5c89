/* The choice of inducing inputs: evenly spaced, a subset of the data, or k-means with k-means++ seeds and Lloyd's
 * iteration. Distances are between inputs scaled to unit variance. */
#include "inducing/inducing_inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"

double *lf_rows_inputs(const lf_rows *rows, int input_dim, size_t *n)
{
    size_t p = (size_t)input_dim, done = 0;
    rows = rows->sample ? rows->sample : rows;
    *n = 0;
    for (int r = 0; r < rows->count; r++) {
        *n += rows->replicates[r].points.n;
    }
    double *x = lf_doubles(*n, p);
    for (int r = 0; x && r < rows->count; r++) {
        const lf_point_set *points = &rows->replicates[r].points;
        memcpy(x + done * p, points->x, points->n * p * sizeof *x);
        done += points->n;
    }
    return x;
}

/* Sorts x and removes duplicates; returns how many are left. */
static size_t sort_distinct(size_t n, double *x)
{
    size_t m = 0;
    qsort(x, n, sizeof *x, lf_order_doubles);
    for (size_t i = 0; i < n; i++) {
        if (m == 0 || x[i] != x[m - 1]) {
            x[m++] = x[i];
        }
    }
    return m;
}

static lf_status fail_too_few(lf_context *ctx, size_t count, size_t n)
{
    return lf_fail(ctx, LF_ERROR_ARGUMENT, "%zu inducing values cannot be placed at %zu different inputs of the data",
                   count, n);
}

static double squared_distance(size_t p, const double *scale, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < p; k++) {
        double r = (a[k] - b[k]) * scale[k];
        sum += r * r;
    }
    return sum;
}

/* 1 / standard deviation of each input. */
static void inverse_deviations(size_t p, size_t n, const double *x, double *scale)
{
    for (size_t k = 0; k < p; k++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < n; i++) {
            mean += x[i * p + k] / (double)n;
        }
        for (size_t i = 0; i < n; i++) {
            square += (x[i * p + k] - mean) * (x[i * p + k] - mean) / (double)n;
        }
        scale[k] = square > 0 ? 1 / sqrt(square) : 1;
    }
}

/* k-means++: each seed is drawn among the inputs with probability proportional to the squared distance to the nearest
 * earlier seed. distance (n): these squared distances. Returns the number of seeds: fewer than `count` where there are no more
 * different inputs. */
static size_t kmeanspp_seed(uint64_t seed, size_t p, size_t n, const double *x, const double *scale, size_t count,
                            double *distance, double *z)
{
    lf_random random;
    lf_random_seed(&random, seed);
    for (size_t j = 0; j < count; j++) {
        double total = 0;
        for (size_t i = 0; i < n; i++) {
            double d = j ? squared_distance(p, scale, x + i * p, z + (j - 1) * p) : 1;
            distance[i] = j > 1 ? fmin(distance[i], d) : d;
            total += distance[i];
        }
        double threshold = total * lf_random_uniform(&random), sum = 0;
        size_t chosen = n;
        for (size_t i = 0; i < n && (chosen == n || sum < threshold); i++) {
            sum += distance[i];
            chosen = distance[i] > 0 ? i : chosen;
        }
        if (chosen == n) {
            return j;
        }
        memcpy(z + j * p, x + chosen * p, p * sizeof *z);
    }
    return count;
}

/* One Lloyd iteration: assigns inputs to the nearest centre and moves centres to the means of their clusters. Returns
 * whether an input changed its cluster. */
static int lloyd_iteration(size_t p, size_t n, const double *x, const double *scale, size_t count, size_t *cluster_of,
                           double *sums, double *z)
{
    int changed = 0;
#pragma omp parallel for schedule(static) reduction(| : changed) if (n * count > 10000)
    for (size_t i = 0; i < n; i++) {
        double best = INFINITY;
        size_t nearest = 0;
        for (size_t j = 0; j < count; j++) {
            double d = squared_distance(p, scale, x + i * p, z + j * p);
            if (d < best) {
                best = d;
                nearest = j;
            }
        }
        changed |= cluster_of[i] != nearest;
        cluster_of[i] = nearest;
    }
    memset(sums, 0, count * (p + 1) * sizeof *sums);
    for (size_t i = 0; i < n; i++) {
        double *sum = sums + cluster_of[i] * (p + 1);
        for (size_t k = 0; k < p; k++) {
            sum[k] += x[i * p + k];
        }
        sum[p]++;
    }
    for (size_t j = 0; j < count * p; j++) {
        double rows = sums[j / p * (p + 1) + p];
        z[j] = rows > 0 ? sums[j / p * (p + 1) + j % p] / rows : z[j];
    }
    return changed;
}

/* k-means or, with lloyd 0, only its seeds, which are inputs of the data far from each other. *placed < count: there are no
 * more different inputs than that. */
static lf_status kmeans(lf_context *ctx, size_t p, size_t n, const double *x, size_t count, int lloyd, double *z,
                        size_t *placed)
{
    enum { ITERATIONS = 100 };
    double *scale = lf_doubles(p, 1), *distance = lf_doubles(n, 1), *sums = lf_doubles(count, p + 1);
    size_t *cluster_of = calloc(n + 1, sizeof *cluster_of);
    lf_status status = scale && distance && sums && cluster_of ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        inverse_deviations(p, n, x, scale);
        *placed = kmeanspp_seed(ctx->seed, p, n, x, scale, count, distance, z);
    }
    for (int i = 0; !status && *placed == count && lloyd && i < ITERATIONS; i++) {
        if (!lloyd_iteration(p, n, x, scale, count, cluster_of, sums, z) && i > 0) {
            break;
        }
    }
    free(scale);
    free(distance);
    free(sums);
    free(cluster_of);
    return status;
}

/* One of every `stride` inputs, drawn at random: tables often list inputs in a cycle. NULL without memory. */
static double *draw_sample(uint64_t seed, size_t p, size_t stride, size_t count, const double *x)
{
    lf_random random;
    double *sample = lf_doubles(count, p);
    lf_random_seed(&random, seed + 0x9e3779b97f4a7c15u);
    for (size_t i = 0; sample && i < count; i++) {
        size_t row = i * stride + (size_t)(lf_random_bits(&random) % stride);
        memcpy(sample + i * p, x + row * p, p * sizeof *sample);
    }
    return sample;
}

/* More than MAX_POINTS inputs are represented by a sample, unless it has too few different ones. */
static lf_status place_by_kmeans(lf_context *ctx, size_t p, size_t n, const double *x, size_t count, int lloyd,
                                 double *z)
{
    enum { MAX_POINTS = 20000 };
    size_t stride = n > MAX_POINTS && n / MAX_POINTS * count < n ? n / MAX_POINTS : 1, placed = 0;
    lf_status status = LF_OK;
    if (stride > 1) {
        double *sample = draw_sample(ctx->seed, p, stride, n / stride, x);
        status = sample ? kmeans(ctx, p, n / stride, sample, count, lloyd, z, &placed) : lf_no_memory(ctx);
        free(sample);
    }
    if (!status && placed < count) {
        status = kmeans(ctx, p, n, x, count, lloyd, z, &placed);
    }
    return status || placed == count ? status : fail_too_few(ctx, count, placed);
}

/* One input dimension: evenly spaced, or evenly spaced quantiles of the inputs of the data. */
static lf_status place_on_line(lf_context *ctx, size_t n, const double *x, size_t count, int from_data, double *z)
{
    double *sorted = lf_doubles(n, 1);
    if (!sorted) {
        return lf_no_memory(ctx);
    }
    memcpy(sorted, x, n * sizeof *sorted);
    size_t m = sort_distinct(n, sorted);
    lf_status status = from_data && count > m ? fail_too_few(ctx, count, m) : LF_OK;
    for (size_t j = 0; !status && j < count; j++) {
        double fraction = count > 1 ? (double)j / (double)(count - 1) : 0.5;
        z[j] = from_data ? sorted[(size_t)floor(fraction * (double)(m - 1) + 0.5)]
                         : sorted[0] + fraction * (sorted[m - 1] - sorted[0]);
    }
    if (!status && !from_data && count > 1 && m == 1) {
        status = fail_too_few(ctx, count, m);
    }
    free(sorted);
    return status;
}

lf_status lf_place_inducing_inputs(lf_context *ctx, int input_dim, size_t n, const double *x, size_t count,
                                   const char *placement, double *z)
{
    size_t p = (size_t)input_dim;
    placement = placement ? placement : p > 1 ? "kmeans" : "even";
    int even = strcmp(placement, "even") == 0, data = strcmp(placement, "data") == 0;
    if (!even && !data && strcmp(placement, "kmeans") != 0) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "unknown placement '%s' of inducing inputs; there are even, data, kmeans", placement);
    }
    if (even && p > 1) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "evenly spaced inducing inputs are for one input, this model has %d; use kmeans or data",
                       input_dim);
    }
    return p == 1 && (even || data) ? place_on_line(ctx, n, x, count, data, z)
                                    : place_by_kmeans(ctx, p, n, x, count, !data, z);
}

lf_status lf_model_place_inducing(lf_context *ctx, lf_model *model, const lf_data *data, size_t count,
                                  const char *placement)
{
    lf_rows rows = {0};
    size_t p = (size_t)model->input_dim, n;
    if (count < 1 || count > 100000) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "the number of inducing values must be from 1 to 100000, found %zu",
                       count);
    }
    lf_model *copy = NULL; /* changed in place of the model, which stays as it is after a failure */
    lf_status status = lf_rows_sample(ctx, model, data, &rows);
    double *x = status ? NULL : lf_rows_inputs(&rows, model->input_dim, &n), *z = lf_doubles(count, p);
    LF_TRY(status, x && z ? LF_OK : lf_no_memory(ctx));
    LF_TRY(status, lf_place_inducing_inputs(ctx, model->input_dim, n, x, count, placement, z));
    LF_TRY(status, lf_model_copy(ctx, model, &copy));
    for (int q = 0; !status && q < copy->force_count; q++) {
        lf_force *force = &copy->forces[q];
        free(force->inducing);
        force->inducing = lf_doubles(count, p);
        force->inducing_count = force->inducing ? (int)count : 0;
        status = force->inducing ? LF_OK : lf_no_memory(ctx);
        if (!status) {
            memcpy(force->inducing, z, count * p * sizeof *z);
        }
    }
    LF_TRY(status, lf_parameters_rebuild(ctx, copy));
    if (!status) {
        lf_model old = *model;
        lf_model_drop_posterior(copy);
        *model = *copy;
        *copy = old;
    }
    lf_model_free(copy);
    free(x);
    free(z);
    lf_rows_clear(&rows);
    return status;
}
