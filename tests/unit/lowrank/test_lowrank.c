/* The low-rank engine: equal to the dense one where its frequencies resolve the model, equal to the Gaussian process of
 * its own columns always; gradients by every parameter; predictions; and the messages of what cannot be done. */
#include "support.h"

#include <lapacke.h>

#include "base/numbers.h"
#include "features/grid_spec.h"
#include "lowrank/lowrank.h"

/* Two forces, orders 1 to 3, a private force. %s: how it starts. */
static const char *const rich =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"origin\":0.5,\"forces\":[{\"kernel\":"
    "\"eq\",\"lengthscale\":0.9},{\"kernel\":\"eq\",\"lengthscale\":0.4}],\"outputs\":[{\"name\":\"a\",\"operator\":"
    "{\"type\":\"ode1\",\"decay\":1.3},\"sensitivity\":[1,-0.5],\"noise_variance\":0.2,\"offset\":0.3,\"scale\":2},"
    "{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1.2,\"damper\":0.9,\"spring\":2},\"sensitivity\":[0.7,2],"
    "\"noise_variance\":0.1,\"initial_variance\":[0.5,2],\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.6,"
    "\"amplitude\":0.7}},{\"name\":\"c\",\"operator\":{\"type\":\"ode\",\"coefficients\":[1,3,3,1]},\"sensitivity\":"
    "[2,1],\"noise_variance\":0.05,\"scale\":0.5}]}";

/* No private columns at all, so that all outputs meet in one system. */
static const char *const plain =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.7}],\"outputs\":["
    "{\"name\":\"a\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":2,\"spring\":1},\"sensitivity\":[1.4],"
    "\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"ode1\",\"decay\":0.4},\"sensitivity\":[-2],"
    "\"noise_variance\":0.3},{\"name\":\"c\",\"operator\":{\"type\":\"gaussian\",\"precision\":3},\"sensitivity\":[1],"
    "\"noise_variance\":0.3}]}";

/* Private forces and nothing shared. */
static const char *const loners =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":"
    "\"ode1\",\"decay\":1},\"sensitivity\":[],\"noise_variance\":0.1,\"private\":{\"kernel\":\"eq\",\"lengthscale\":0."
    "6,"
    "\"amplitude\":0.7}},{\"name\":\"b\",\"operator\":{\"type\":\"ode1\",\"decay\":2},\"sensitivity\":[],"
    "\"noise_variance\":0.1,\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.5,\"amplitude\":1}}]}";

static const char *const two_inputs =
    "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":2,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":"
    "[0.8,1.1]},{\"kernel\":\"matern32\",\"lengthscale\":0.7}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":"
    "\"gaussian\",\"precision\":[1.5,3]},\"sensitivity\":[1.3,0.4],\"noise_variance\":0.1,\"private\":{\"kernel\":"
    "\"eq\","
    "\"lengthscale\":[0.6,0.9],\"amplitude\":0.7}},{\"name\":\"b\",\"operator\":{\"type\":\"gaussian\",\"precision\":4}"
    ","
    "\"sensitivity\":[-0.7,1],\"noise_variance\":0.2}]}";

static lf_model *rich_model(lf_context *ctx, const char *initial)
{
    char text[4096];
    snprintf(text, sizeof text, rich, initial);
    return parse_model(ctx, text);
}

static lf_data *empty_data(lf_context *ctx, int inputs)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, (size_t)inputs, &data));
    return data;
}

/* Rows of the first `outputs` of a, b, c in two replicates (unless single), some with error bars. */
static lf_data *some_data(lf_context *ctx, int outputs, int single, int reversed)
{
    lf_data *data = empty_data(ctx, 1);
    const char *const names[] = {"a", "b", "c"};
    enum { ROWS = 75 };
    for (int k = 0; k < ROWS; k++) {
        int i = reversed ? ROWS - 1 - k : k;
        double t = 0.52 + 0.035 * i + 0.01 * sin(7.0 * i), y = sin(3 * t + i % outputs);
        const char *replicate = single ? NULL : i % 5 < 3 ? "one" : "two";
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = names[i % outputs],
                                             .replicate = replicate,
                                             .x = &t,
                                             .y = y,
                                             .sd = i % 4 == 0 ? 0.1 + 0.01 * i : 0}));
    }
    return data;
}

static lf_data *plane_data(lf_context *ctx)
{
    lf_data *data = empty_data(ctx, 2);
    for (int i = 0; i < 40; i++) {
        double x[2] = {sin(i), cos(2.0 * i)};
        assert_ok(
            ctx, lf_data_add(ctx, data,
                             &(lf_row){.size = sizeof(lf_row), .output = i % 2 ? "a" : "b", .x = x, .y = x[0] * x[1]}));
    }
    return data;
}

static lf_engine *engine_of(lf_context *ctx, const lf_model *model, const lf_data *data, const char *name,
                            const char *nodes, size_t features)
{
    lf_engine *engine;
    lf_engine_options options = {
        .size = sizeof(lf_engine_options), .engine = name, .nodes = nodes, .features = features};
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    return engine;
}

/* ---- against the dense engine ---- */

static void compare_predictions(lf_context *ctx, lf_engine *lowrank, lf_engine *dense, const lf_model *model,
                                int replicates)
{
    enum { POINTS = 40 };
    int target[POINTS], replicate[POINTS], targets = model->output_count + model->force_count;
    double x[POINTS], mean[2][POINTS], variance[2][POINTS], *covariance[2];
    lf_engine *engines[2] = {lowrank, dense};
    for (int i = 0; i < POINTS; i++) {
        target[i] = i % targets;
        replicate[i] = i % 7 < 4 ? 0 : replicates - 1;
        x[i] = 0.53 + 0.064 * i;
    }
    lf_point_list points = {.n = POINTS, .target = target, .replicate = replicate, .x = x};
    for (int e = 0; e < 2; e++) {
        lf_posterior *posterior;
        double alone[POINTS], again[POINTS];
        covariance[e] = malloc(POINTS * POINTS * sizeof(double));
        assert_ok(ctx, lf_engine_posterior(engines[e], &posterior));
        assert_ok(ctx, lf_predict_list(posterior, &points, mean[e], variance[e], covariance[e]));
        assert_ok(ctx, lf_predict_list(posterior, &points, alone, again, NULL));
        for (int i = 0; i < POINTS; i++) {
            assert_near(alone[i], mean[e][i], 1e-15);
            assert_near(again[i], variance[e][i], 1e-15);
        }
        lf_posterior_free(posterior);
    }
    for (int i = 0; i < POINTS; i++) {
        assert_near(mean[0][i], mean[1][i], 5e-12);
        assert_near(variance[0][i], variance[1][i], 5e-13);
        for (int j = 0; j < POINTS; j++) {
            assert_near(covariance[0][i * POINTS + j], covariance[1][i * POINTS + j], 2e-12);
        }
    }
    free(covariance[0]);
    free(covariance[1]);
}

static void compare_engines(lf_context *ctx, lf_model *model, const lf_data *data, int replicates)
{
    size_t n = lf_parameter_count(model);
    double *theta = malloc(n * sizeof *theta), *gradient[2] = {malloc(n * sizeof(double)), malloc(n * sizeof(double))};
    lf_random random;
    lf_random_seed(&random, 4);
    lf_model_theta(model, theta);
    for (int trial = 0; trial < 3; trial++) {
        for (size_t i = 0; trial && i < n; i++) {
            theta[i] += uniform_between(&random, -0.2, 0.2);
        }
        double value[2], scale = 0;
        assert_ok(ctx, lf_model_set_theta(ctx, model, lf_parameter_count(model), theta));
        lf_engine *lowrank = engine_of(ctx, model, data, "lowrank", "uniform", 0);
        lf_engine *dense = engine_of(ctx, model, data, "dense", "uniform", 0);
        assert_ok(ctx, lf_engine_evaluate(lowrank, lf_parameter_count(model), NULL, &value[0], gradient[0]));
        assert_ok(ctx, lf_engine_evaluate(dense, lf_parameter_count(model), NULL, &value[1], gradient[1]));
        assert_near(value[0], value[1], 2e-13 * fabs(value[1]));
        for (size_t i = 0; i < n; i++) {
            scale = fmax(scale, fabs(gradient[1][i]));
        }
        for (size_t i = 0; i < n; i++) {
            assert_near(gradient[0][i], gradient[1][i], 3e-12 * scale);
        }
        compare_predictions(ctx, lowrank, dense, model, replicates);
        lf_engine_free(lowrank);
        lf_engine_free(dense);
    }
    free(theta);
    free(gradient[0]);
    free(gradient[1]);
}

static void test_equals_dense(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    for (int i = 0; i < 3; i++) {
        for (int single = 0; single < 2; single++) {
            lf_model *model = rich_model(ctx, starts[i]);
            lf_data *data = some_data(ctx, 3, single, 0);
            compare_engines(ctx, model, data, single ? 1 : 2);
            lf_data_free(data);
            lf_model_free(model);
        }
    }
    lf_model *model = parse_model(ctx, plain);
    lf_data *data = some_data(ctx, 3, 0, 0);
    compare_engines(ctx, model, data, 2);
    lf_data_free(data);
    data = some_data(ctx, 1, 1, 0); /* outputs without a row are predicted all the same */
    compare_engines(ctx, model, data, 1);
    lf_model_free(model);
    model = rich_model(ctx, "free");
    compare_engines(ctx, model, data, 1);
    lf_data_free(data);
    lf_model_free(model);
    model = parse_model(ctx, loners);
    data = some_data(ctx, 2, 0, 0);
    compare_engines(ctx, model, data, 2);
    lf_data_free(data);
    lf_model_free(model);
}

/* More rows of an output than a tile holds. */
static void test_tiles(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, plain);
    lf_data *data = empty_data(ctx, 1);
    for (int i = 0; i < LF_LOWRANK_TILE + 100; i++) {
        double t = 0.002 * i;
        assert_ok(ctx,
                  lf_data_add(ctx, data,
                              &(lf_row){.size = sizeof(lf_row), .output = "b", .x = &t, .y = sin(5 * t), .sd = 0.1}));
    }
    size_t n = lf_parameter_count(model);
    double value[2], *gradient[2] = {malloc(n * sizeof(double)), malloc(n * sizeof(double))};
    static const char *const names[] = {"lowrank", "dense"};
    for (int e = 0; e < 2; e++) {
        lf_engine *engine = engine_of(ctx, model, data, names[e], "uniform", 0);
        assert_ok(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value[e], gradient[e]));
        lf_engine_free(engine);
    }
    assert_near(value[0], value[1], 1e-13 * fabs(value[1]));
    for (size_t i = 0; i < n; i++) {
        assert_near(gradient[0][i], gradient[1][i], 1e-12 * fabs(gradient[1][i]) + 1e-11);
    }
    free(gradient[0]);
    free(gradient[1]);
    lf_data_free(data);
    lf_model_free(model);
}

/* ---- the Gaussian process of its own columns ---- */

/* log N(y | 0, Phi Phi' + Sigma) with Phi whole; one replicate. */
static double likelihood_of_columns(lf_context *ctx, const lf_features *features, const lf_replicate *replicate)
{
    const lf_point_set *set = &replicate->points;
    size_t n = set->n, M = features->shared, p = (size_t)set->input_dim, widest = 0, columns;
    for (int g = 0; g < set->group_count; g++) {
        size_t m = lf_features_private(features, set->target[g]);
        widest = m > widest ? m : widest;
    }
    columns = M + widest * (size_t)set->group_count; /* private columns of group g start at M + g widest */
    double *Phi = calloc(n * columns, sizeof *Phi), *K = calloc(n * n, sizeof *K), *rows = malloc(n * columns * 8);
    double *y = malloc(n * sizeof *y), *noise = malloc(n * sizeof *noise), value = -0.5 * (double)n * log(2 * LF_PI);
    lf_rows_scaled(features->model, replicate, y, noise);
    for (int g = 0; g < set->group_count; g++) {
        size_t count = set->start[g + 1] - set->start[g], m = lf_features_private(features, set->target[g]);
        assert_ok(ctx, lf_features_rows(ctx, features, set->target[g], count, set->x + set->start[g] * p, rows,
                                        rows + count * M));
        for (size_t j = 0; j < M + m; j++) {
            size_t column = j < M ? j : j + (size_t)g * widest;
            memcpy(Phi + column * n + set->start[g], rows + j * count, count * sizeof *Phi);
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            for (size_t k = 0; k < columns; k++) {
                K[j * n + i] += Phi[k * n + i] * Phi[k * n + j];
            }
        }
        K[i * n + i] += noise[i];
    }
    assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, K, (lapack_int)n), 0);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            y[i] -= K[j * n + i] * y[j];
        }
        y[i] /= K[i * n + i];
        value -= 0.5 * y[i] * y[i] + log(K[i * n + i]);
    }
    free(Phi);
    free(K);
    free(rows);
    free(y);
    free(noise);
    return value;
}

static void check_columns(lf_context *ctx, const lf_model *model, const lf_data *data, const char *nodes, size_t S)
{
    lf_engine *engine = engine_of(ctx, model, data, "lowrank", nodes, S);
    lf_features features;
    double value, expected = 0;
    lf_grid_spec demand = {.earliest = engine->rows.earliest,
                           .latest = engine->rows.latest,
                           .with_forces = 1,
                           .sharing = LF_SHARE_NONE,
                           .features = S,
                           .seed = 1}; /* of a new context */
    assert_true(lf_rule_find(nodes, &demand.rule));
    assert_ok(ctx, lf_features_create(ctx, model, demand, &features));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    for (int r = 0; r < engine->rows.count; r++) {
        expected += likelihood_of_columns(ctx, &features, &engine->rows.replicates[r]);
    }
    assert_near(value, expected, 5e-14 * fabs(expected));
    lf_engine_info info = lf_engine_describe(engine);
    assert_string_equal(info.engine, "lowrank");
    assert_string_equal(info.nodes, nodes);
    assert_int_equal(info.columns, 2 * S * (size_t)model->force_count);
    lf_features_clear(&features);
    lf_engine_free(engine);
}

static void test_equals_its_columns(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = rich_model(ctx, "free"), *plane = parse_model(ctx, two_inputs);
    lf_data *data = some_data(ctx, 3, 0, 0), *points = plane_data(ctx);
    check_columns(ctx, model, data, "mc", 7);
    check_columns(ctx, model, data, "qmc", 7);
    check_columns(ctx, model, data, "uniform", 9);
    check_columns(ctx, plane, points, "mc", 20);
    check_columns(ctx, plane, points, "qmc", 20);
    check_columns(ctx, plane, points, "orthogonal", 20);
    lf_model_free(model);
    lf_model_free(plane);
    lf_data_free(data);
    lf_data_free(points);
}

/* ---- gradients ---- */

static void check_by(lf_context *ctx, const lf_model *model, const lf_data *data, const char *nodes, size_t features)
{
    lf_engine_options options = {
        .size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = nodes, .features = features};
    check_theta_gradient(ctx, model, data, options, 5e-9);
}

static void test_gradient(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    for (int i = 0; i < 3; i++) {
        lf_model *model = rich_model(ctx, starts[i]);
        lf_data *data = some_data(ctx, 3, 0, 0);
        check_by(ctx, model, data, "mc", 12);
        check_by(ctx, model, data, "qmc", 12);
        check_by(ctx, model, data, "uniform", 12);
        if (i != 1) { /* a stationary start takes a thousand columns */
            check_by(ctx, model, data, "uniform", 0);
        }
        lf_data_free(data);
        lf_model_free(model);
    }
    lf_model *model = parse_model(ctx, two_inputs);
    lf_data *data = plane_data(ctx);
    check_by(ctx, model, data, "mc", 15);
    check_by(ctx, model, data, "qmc", 15);
    check_by(ctx, model, data, "orthogonal", 15);
    lf_data_free(data);
    lf_model_free(model);
}

/* Many random features come close to the closed form of the model with two inputs. */
static void test_two_inputs_converge(void **state)
{
    lf_context *ctx = *state;
    static const char *const smooth =
        "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":2,\"forces\":[{\"kernel\":\"eq\","
        "\"lengthscale\":"
        "[0.8,1.1]}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\",\"precision\":[1.5,3]},"
        "\"sensitivity\":[1.3],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"gaussian\","
        "\"precision\":"
        "4},\"sensitivity\":[-0.7],\"noise_variance\":0.2}]}";
    lf_model *model = parse_model(ctx, smooth);
    lf_data *data = plane_data(ctx);
    double exact, few, many;
    lf_engine *dense = engine_of(ctx, model, data, "dense", "auto", 0);
    lf_engine *coarse = engine_of(ctx, model, data, "lowrank", "mc", 10);
    lf_engine *fine = engine_of(ctx, model, data, "lowrank", "mc", 600);
    assert_ok(ctx, lf_engine_evaluate(dense, 0, NULL, &exact, NULL));
    assert_ok(ctx, lf_engine_evaluate(coarse, 0, NULL, &few, NULL));
    assert_ok(ctx, lf_engine_evaluate(fine, 0, NULL, &many, NULL));
    assert_true(fabs(many - exact) < 0.5 && fabs(many - exact) < fabs(few - exact));
    lf_engine_free(dense);
    lf_engine_free(coarse);
    lf_engine_free(fine);
    lf_data_free(data);
    lf_model_free(model);
}

/* ---- what must not matter, and what cannot be done ---- */

static void test_order_and_seed(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = rich_model(ctx, "free");
    lf_data *data = some_data(ctx, 3, 0, 0), *reversed = some_data(ctx, 3, 0, 1);
    double value[5];
    for (int i = 0; i < 5; i++) {
        lf_context_set_seed(ctx, i == 3 ? 9 : 1);
        lf_context_set_threads(ctx, i == 4 ? 1 : 2);
        lf_engine *engine = engine_of(ctx, model, i == 1 ? reversed : data, "lowrank", "mc", 10);
        assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value[i], NULL));
        lf_engine_free(engine);
    }
    lf_context_set_seed(ctx, 1);
    assert_near(value[1], value[0], 1e-14 * fabs(value[0]));
    assert_near(value[2], value[0], 0);
    assert_true(fabs(value[3] - value[0]) > 1e-3);
    assert_near(value[4], value[0], 1e-15 * fabs(value[0])); /* the same frequencies whatever the number of threads */
    lf_data_free(data);
    lf_data_free(reversed);
    lf_model_free(model);
}

static void test_horizon(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = rich_model(ctx, "zero");
    lf_data *data = some_data(ctx, 3, 1, 0);
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "lowrank", .ahead = -1};
    lf_engine *engine;
    lf_posterior *posterior;
    const int target[] = {0, 4};
    double x[] = {5, 0.6}, mean[2][2], variance[2][2];
    lf_point_list points = {.n = 2, .target = target, .x = x};
    assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "ahead"));

    options.ahead = 0;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    lf_engine_free(engine);
    assert_int_equal(lf_predict_list(posterior, &points, mean[0], NULL, NULL), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "x = 5 lies beyond the horizon"));
    x[0] = 0.5; /* the origin lies before the first row */
    assert_ok(ctx, lf_predict_list(posterior, &points, mean[0], variance[0], NULL));
    assert_near(variance[0][0], 0, 1e-15);
    x[1] = 0.4; /* a force before the origin */
    assert_int_equal(lf_predict_list(posterior, &points, mean[0], NULL, NULL), LF_ERROR_ARGUMENT);
    lf_posterior_free(posterior);

    x[0] = 5;
    x[1] = 4.5;
    for (int e = 0; e < 2; e++) { /* far beyond the data nothing is known, and the dense engine knows it too */
        options = (lf_engine_options){.size = sizeof(lf_engine_options), .engine = e ? "dense" : "lowrank", .ahead = 6};
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_posterior(engine, &posterior));
        assert_ok(ctx, lf_predict_list(posterior, &points, mean[e], variance[e], NULL));
        lf_posterior_free(posterior);
        lf_engine_free(engine);
    }
    for (int i = 0; i < 2; i++) {
        assert_near(mean[0][i], mean[1][i], 2e-13);
        assert_near(variance[0][i], variance[1][i], 2e-13);
    }
    lf_data_free(data);
    lf_model_free(model);
}

static void remember(void *user, lf_level level, const char *note)
{
    (void)level;
    snprintf(user, 1000, "%s", note);
}

static void test_messages(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, plain), *plane = parse_model(ctx, two_inputs);
    lf_data *data = some_data(ctx, 3, 0, 0), *points = plane_data(ctx);
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "lowrank", .features = 3};
    lf_engine *engine;
    char note[1000] = "";
    double value, few;
    lf_context_set_log(ctx, remember, note);
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_non_null(strstr(note, "3 frequencies cannot resolve"));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &few, NULL));
    lf_engine_free(engine);
    const char *would = strrchr(note, ';');
    assert_non_null(would);
    options.features = (size_t)strtoul(would + 1, NULL, 10); /* the number it names does */
    note[0] = 0;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_string_equal(note, "");
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    lf_engine_free(engine);
    lf_context_set_log(ctx, NULL, NULL);
    engine = engine_of(ctx, model, data, "dense", NULL, 0);
    double exact;
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &exact, NULL));
    assert_true(fabs(value - exact) < 0.1 * fabs(few - exact));
    lf_engine_free(engine);

    options = (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "mc"};
    assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "features"));
    options.nodes = "closed-form";
    assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_ERROR_UNSUPPORTED);
    options =
        (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "uniform", .features = 10};
    assert_int_equal(lf_engine_create(ctx, plane, points, &options, &engine), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "qmc"));
    options.nodes = NULL;
    assert_ok(ctx, lf_engine_create(ctx, plane, points, &options, &engine));
    assert_string_equal(lf_engine_describe(engine).nodes, "qmc");
    lf_engine_free(engine);

    options.features = 0;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    *engine->model->parameters[lf_index_noise(engine->model, 1)].value = 0;
    assert_int_equal(lf_engine_evaluate(engine, 0, NULL, &value, NULL), LF_ERROR_MODEL);
    assert_non_null(strstr(lf_context_message(ctx), "'b'"));
    lf_posterior *posterior;
    assert_int_equal(lf_engine_posterior(engine, &posterior), LF_ERROR_MODEL);
    lf_engine_free(engine);
    lf_data_free(data);
    lf_data_free(points);
    lf_model_free(model);
    lf_model_free(plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_dense),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_equals_its_columns),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_two_inputs_converge),
        cmocka_unit_test(test_order_and_seed),
        cmocka_unit_test(test_horizon),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
