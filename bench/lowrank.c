/* The low-rank engine against its floor, measured in the same run.
 *
 * Objective + gradient: one dsyrk (M x M from N rows) and one dgemm (N x M by M x M). Prediction with variances: one
 * dtrsm of the rows of all points against the factor of A, and one dgemv for the means. Beside each the share of time
 * that goes into computing feature rows. */
#include <cblas.h>
#include <math.h>

#include "bench.h"
#include "features/features.h"
#include "features/grid_spec.h"

enum { POINTS = 1000000, TILE = 2048, OUTPUTS = 4, MOST_INPUTS = 21 };

static const char *const names[OUTPUTS] = {"a", "b", "c", "d"};

static const char *const odes =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1},{\"kernel\":"
    "\"eq\",\"lengthscale\":0.5}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":3,"
    "\"spring\":1},\"sensitivity\":[1,2],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\","
    "\"mass\":1,\"damper\":0.2,\"spring\":2},\"sensitivity\":[2,-1],\"noise_variance\":0.1},{\"name\":\"c\","
    "\"operator\":{\"type\":\"ode1\",\"decay\":0.8},\"sensitivity\":[1,1],\"noise_variance\":0.1},{\"name\":\"d\","
    "\"operator\":{\"type\":\"ode1\",\"decay\":0.1},\"sensitivity\":[1,1],\"noise_variance\":0.1}]}";
/* The outputs under gaussian operators, p inputs with a lengthscale each. */
static void gaussian_model(int p, int forces, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size,
                                   "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":%d,\"forces\":[", p);
    for (int q = 0; q < forces; q++) {
        used += (size_t)snprintf(text + used, size - used, "%s{\"kernel\":\"eq\",\"lengthscale\":[", q ? "," : "");
        for (int k = 0; k < p; k++) {
            used += (size_t)snprintf(text + used, size - used, "%s%g", k ? "," : "", 2 + q + 0.1 * k);
        }
        used += (size_t)snprintf(text + used, size - used, "]}");
    }
    used += (size_t)snprintf(text + used, size - used, "],\"outputs\":[");
    for (int d = 0; d < OUTPUTS; d++) {
        used += (size_t)snprintf(text + used, size - used,
                                 "%s{\"name\":\"%s\",\"operator\":{\"type\":\"gaussian\",\"precision\":%d},"
                                 "\"sensitivity\":[1%s],\"noise_variance\":0.1}",
                                 d ? "," : "", names[d], 3 + d, forces > 1 ? ",-2" : "");
    }
    snprintf(text + used, size - used, "]}");
}

/* Seconds for `points` rows, from tiles. */
static double prediction_floor(size_t points, size_t m)
{
    double *X = random_matrix(TILE, m), *L = random_matrix(m, m), *y = random_matrix(TILE, 1), best;
    for (size_t i = 0; i < m; i++) {
        L[i * m + i] = 2.0 * (double)m;
    }
    BEST_OF(best, 5, {
        cblas_dgemv(CblasColMajor, CblasNoTrans, TILE, (int)m, 1, X, TILE, L, 1, 0, y, 1);
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, TILE, (int)m, 1, L, (int)m, X,
                    TILE);
    });
    free(X);
    free(L);
    free(y);
    return best * (double)points / TILE;
}

/* Seconds to compute the feature rows of n points, in tiles of 1024. */
static double rows_time(lf_context *ctx, const lf_model *model, lf_grid_spec demand, size_t n)
{
    enum { ROWS = 1024 };
    lf_features features;
    need(ctx, lf_features_create(ctx, model, demand, &features));
    double *x = calloc(ROWS * MOST_INPUTS, sizeof *x), *rows = malloc(ROWS * features.shared * sizeof *rows), best;
    for (int i = 0; i < MOST_INPUTS * ROWS; i++) {
        x[i] = 20.0 * i / (MOST_INPUTS * ROWS);
    }
    BEST_OF(best, 5, need(ctx, lf_features_rows(ctx, &features, 0, ROWS, x, rows, NULL)));
    free(x);
    free(rows);
    lf_features_clear(&features);
    return best * (double)n / ROWS;
}

static lf_data *make_data(lf_context *ctx, int inputs, size_t n)
{
    lf_data *data;
    need(ctx, lf_data_create(ctx, (size_t)inputs, &data));
    for (size_t i = 0; i < n; i++) {
        double x[MOST_INPUTS] = {20.0 * (double)i / (double)n};
        for (int k = 1; k < inputs; k++) {
            x[k] = fmod((7.7 + k) * (double)i, 20);
        }
        need(ctx, lf_data_add(ctx, data,
                              &(lf_row){.size = sizeof(lf_row),
                                        .output = names[i % OUTPUTS],
                                        .x = x,
                                        .y = sin(x[0]) + 0.3 * sin(7.0 * (double)i)}));
    }
    return data;
}

static void objective(lf_context *ctx, const char *text, const char *what, const char *nodes, size_t features, size_t n)
{
    lf_model *model;
    lf_engine *engine;
    need(ctx, lf_model_parse(ctx, text, "bench", &model));
    lf_data *data = make_data(ctx, (int)lf_model_count(model, LF_KIND_INPUT), n);
    lf_engine_options options = {
        .size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = nodes, .features = features};
    need(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    size_t M = lf_engine_describe(engine).columns;
    double *gradient = malloc(lf_parameter_count(model) * sizeof *gradient), value, alone, both;
    BEST_OF(alone, 2, need(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL)));
    BEST_OF(both, 2, need(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value, gradient)));
    lf_grid_spec demand = {.latest = 20, .sharing = LF_SHARE_NONE, .features = features};
    lf_rule_find(nodes, &demand.rule);
    double rows = 3 * rows_time(ctx, model, demand, n), least = multiply_floor(n, M);
    printf("%-22s %10s %8zu %6zu %10.3f %16.3f %18.3f %8.2f %14.0f%%\n", what, nodes, n, M, alone, both, least,
           both / least, 100 * rows / both);
    free(gradient);
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
}

static void prediction(lf_context *ctx, const char *nodes, size_t features)
{
    lf_model *model;
    lf_engine *engine;
    lf_posterior *posterior;
    need(ctx, lf_model_parse(ctx, odes, "bench", &model));
    lf_data *data = make_data(ctx, 1, 4000);
    lf_engine_options options = {
        .size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = nodes, .features = features, .ahead = 1};
    need(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    need(ctx, lf_engine_posterior(engine, &posterior));
    size_t M = lf_engine_describe(engine).columns;
    double *x = malloc(POINTS * sizeof *x), *mean = malloc(POINTS * sizeof *mean), *variance = malloc(POINTS * 8), took;
    int *target = malloc(POINTS * sizeof *target);
    for (size_t i = 0; i < POINTS; i++) {
        target[i] = (int)(i % 4);
        x[i] = 20.0 * (double)i / POINTS;
    }
    lf_point_list points = {.n = POINTS, .target = target, .x = x};
    BEST_OF(took, 1, need(ctx, lf_predict_list(posterior, &points, mean, variance, NULL)));
    double least = prediction_floor(POINTS, M);
    printf("%8s %10d %6zu %14.2f %20.2f %8.2f\n", nodes, POINTS, M, took, least, took / least);
    free(x);
    free(mean);
    free(variance);
    free(target);
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    lf_context *ctx = lf_context_create();
    printf("%-22s %10s %8s %6s %10s %16s %18s %8s %15s\n", "model", "nodes", "rows", "M", "value (s)", "+ gradient (s)",
           "dsyrk + dgemm (s)", "ratio", "feature rows");
    objective(ctx, odes, "two forces, ode1, ode2", "mc", 500, 20000);
    objective(ctx, odes, "two forces, ode1, ode2", "uniform", 500, 20000);
    static const struct {
        const char *what, *nodes;
        int inputs, forces;
    } smoothed[] = {{"gaussian, 2 inputs", "mc", 2, 2},
                    {"gaussian, 7 inputs", "qmc", 7, 1},
                    {"gaussian, 7 inputs", "orthogonal", 7, 1},
                    {"gaussian, 21 inputs", "orthogonal", 21, 1}};
    for (size_t i = 0; i < sizeof smoothed / sizeof *smoothed; i++) {
        char text[4096];
        gaussian_model(smoothed[i].inputs, smoothed[i].forces, text, sizeof text);
        objective(ctx, text, smoothed[i].what, smoothed[i].nodes, 1000 / (size_t)smoothed[i].forces, 20000);
    }
    printf("\n%8s %10s %6s %14s %20s %8s\n", "nodes", "points", "M", "predict (s)", "dtrsm + dgemv (s)", "ratio");
    prediction(ctx, "mc", 250);
    prediction(ctx, "uniform", 250);
    lf_context_free(ctx);
    return 0;
}
