/* The error of uniform nodes, of outputs, forces and rates: measured on times of the test's own choosing it lies below the
 * bound the engine reports, and the bound is no more than a hundred times larger; outputs keep the tolerance asked for. */
#include "random_models.h"

#include "engine/engine.h"
#include "exact/exact_covariance.h"
#include "model/model.h"

static const char *const operators[] = {
    "{\"type\":\"ode1\",\"decay\":1.3}",
    "{\"type\":\"ode2\",\"mass\":1,\"damper\":0.4,\"spring\":3}",
    "{\"type\":\"ode2\",\"mass\":1,\"damper\":2,\"spring\":1}",
    "{\"type\":\"ode\",\"coefficients\":[1,3,4,2]}",
};

static lf_model *one_output(lf_context *ctx, const char *kernel, double lengthscale, const char *operator,
                            const char * initial)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"%s\","
             "\"lengthscale\":%.17g}],\"outputs\":[{\"name\":\"a\",\"operator\":%s,\"sensitivity\":[1.5],"
             "\"noise_variance\":0.1}]}",
             initial, kernel, lengthscale, operator);
    return parse_model(ctx, text);
}

/* The largest difference of the covariances of features from the exact ones at `n` times, relative to the largest
 * variances: of outputs, and of outputs, forces and rates, each kind in its own unit. */
static void measure(lf_context *ctx, const lf_model *model, size_t n, const double *times,
                    const lf_engine_options *features, double *of_outputs, double *of_all)
{
    size_t all = 3 * n;
    int *target = calloc(all, sizeof *target);
    double *x = malloc(all * sizeof *x), *A = malloc(all * all * sizeof *A), *B = malloc(all * all * sizeof *B);
    double unit[3] = {0}, error[3][3] = {{0}};
    for (size_t i = 0; i < all; i++) {
        target[i] = (int)(i / n); /* the output, the force, the rate */
        x[i] = times[i % n];
    }
    lf_point_list points = {.n = all, .target = target, .x = x};
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, features, A));
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, B));
    for (size_t i = 0; i < all; i++) {
        unit[i / n] = fmax(unit[i / n], sqrt(B[i * all + i]));
        for (size_t j = 0; j < all; j++) {
            error[i / n][j / n] = fmax(error[i / n][j / n], fabs(A[i * all + j] - B[i * all + j]));
        }
    }
    *of_outputs = error[0][0] / (unit[0] * unit[0]);
    *of_all = 0;
    for (int i = 0; i < 9; i++) {
        *of_all = fmax(*of_all, error[i / 3][i % 3] / (unit[i / 3] * unit[i % 3]));
    }
    free(A);
    free(B);
    free(x);
    free(target);
}

static void test_bound_holds_and_is_tight(void **state)
{
    lf_context *ctx = *state;
    static const char *const all_kernels[] = {"eq", "matern52", "matern32", "matern12"};
    static const char *const starts[] = {"zero", "stationary"};
    enum { N = 90 };
    const double T = 10;
    double x[N];
    for (int i = 0; i < N; i++) {
        x[i] = T * (i + 0.5 * (sin(3.0 * i) + 1)) / N;
    }
    x[0] = 0;
    x[N - 1] = T;
    int cases = 0;
    for (int k = 0; k < 4; k++) {
        for (int s = 0; s < 2; s++) {
            for (size_t o = 0; o < sizeof operators / sizeof *operators; o++) {
                for (double ratio = 1; ratio <= 100; ratio *= k ? 10 : 4) {
                    for (double tolerance = 1e-2; tolerance > (k ? 1e-5 : 1e-9); tolerance *= 1e-3) {
                        lf_model *model = one_output(ctx, all_kernels[k], T / ratio, operators[o], starts[s]);
                        lf_engine_options options = {
                            .size = sizeof(lf_engine_options), .engine = "lowrank", .tolerance = tolerance};
                        lf_data *data;
                        lf_engine *engine;
                        double bound;
                        assert_ok(ctx, lf_data_create(ctx, 1, &data));
                        for (int i = 0; i < 16 * N; i++) { /* enough for the number of columns */
                            assert_ok(
                                ctx,
                                lf_data_add(ctx, data,
                                            &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x[i % N], .y = 1}));
                        }
                        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
                        assert_ok(ctx, lf_engine_error_bound(engine, &bound));
                        double error, of_outputs;
                        measure(ctx, model, N, x, &options, &of_outputs, &error);
                        if (!(error <= bound + 1e-13) || !(bound <= 100 * error + 1e-12) ||
                            !(of_outputs <= tolerance)) {
                            print_error("%s %s T/l=%g %s tolerance %g: error %g (outputs %g), bound %g, M %zu\n",
                                        all_kernels[k], starts[s], ratio, operators[o], tolerance, error, of_outputs,
                                        bound, lf_engine_describe(engine).columns);
                            cases++;
                        }
                        lf_engine_free(engine);
                        lf_data_free(data);
                        lf_model_free(model);
                    }
                }
            }
        }
    }
    assert_int_equal(cases, 0);
}

/* Random models of two outputs, two forces and a private force, some with a gaussian operator: each bound holds for its
 * kind at times of the test's own choosing, and none is far too large. */
static void test_random_models(void **state)
{
    static const char *const starts[] = {"zero", "stationary", "free"};
    enum { TIMES = 40, TARGETS = 6, N = TIMES * TARGETS };
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 23);
    double *A = malloc((size_t)N * N * sizeof *A), *B = malloc((size_t)N * N * sizeof *B);
    for (int trial = 0; trial < 36; trial++) {
        lf_model *model = random_model(ctx, &random, starts[trial % 3], 4, 1);
        double smoothing = log_between(&random, 1, 100);
        if (trial % 4 == 3) { /* replaces the second output */
            lf_model *other = NULL;
            char text[1024];
            snprintf(text, sizeof text,
                     "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"origin\":-0.25,\"forces\":["
                     "{\"kernel\":\"%s\",\"lengthscale\":0.9},{\"kernel\":\"eq\",\"lengthscale\":0.6}],\"outputs\":["
                     "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":2},\"sensitivity\":[1,2],"
                     "\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"gaussian\",\"precision\":%g},"
                     "\"sensitivity\":[2,-1],\"noise_variance\":0.1}]}",
                     starts[trial % 3], kernels[trial / 4 % 3], smoothing);
            other = parse_model(ctx, text);
            lf_model_free(model);
            model = other;
        }
        int target[N];
        double x[N], unit[3] = {0}, error[3] = {0};
        lf_data *data;
        assert_ok(ctx, lf_data_create(ctx, 1, &data));
        for (int i = 0; i < N; i++) {
            int k = i / TARGETS;
            target[i] = i % TARGETS;
            x[i] = k == TIMES - 1 ? 4 : fmax(model->origin, 4 * (k - 2 + 0.5 * sin(3.0 * k)) / (TIMES - 2));
            for (int repeat = 0; target[i] < 2 && repeat < 60; repeat++) { /* enough for the number of columns */
                assert_ok(ctx,
                          lf_data_add(
                              ctx, data,
                              &(lf_row){.size = sizeof(lf_row), .output = target[i] ? "b" : "a", .x = &x[i], .y = 1}));
            }
        }
        lf_engine_options options = {
            .size = sizeof options, .engine = "lowrank", .tolerance = log_between(&random, 1e-6, 1e-2)};
        lf_engine *engine;
        lf_error_bounds bounds;
        double bound;
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_error_bounds(engine, &bounds));
        assert_ok(ctx, lf_engine_error_bound(engine, &bound));
        const double by_kind[3] = {bounds.outputs, bounds.forces, bounds.rates};
        assert_true(bound == fmax(by_kind[0], fmax(by_kind[1], by_kind[2])));
        lf_point_list points = {.n = N, .target = target, .x = x};
        assert_ok(ctx, lf_covariance_list(ctx, model, &points, &options, A));
        assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, B));
        for (int i = 0; i < N; i++) {
            unit[target[i] / 2] = fmax(unit[target[i] / 2], sqrt(B[i * N + i]));
        }
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                int a = target[i] / 2, b = target[j] / 2, kind = a > b ? a : b;
                error[kind] = fmax(error[kind], fabs(A[i * N + j] - B[i * N + j]) / (unit[a] * unit[b]));
            }
        }
        for (int kind = 0; kind < 3; kind++) {
            if (!(error[kind] <= by_kind[kind] + 1e-13) || !(by_kind[kind] <= 100 * error[kind] + 1e-12)) {
                fail_msg("trial %d (%s), kind %d, tolerance %g: error %g, bound %g", trial, starts[trial % 3], kind,
                         options.tolerance, error[kind], by_kind[kind]);
            }
        }
        lf_engine_free(engine);
        lf_data_free(data);
        lf_model_free(model);
    }
    free(A);
    free(B);
}

/* Dense covariances by quadrature have a cut tail with Matern forces, and say so; those by default have no error. */
static void test_dense_quadrature(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = one_output(ctx, "matern12", 0.8, "{\"type\":\"ode1\",\"decay\":100}", "stationary");
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 20; i++) {
        double x = 0.5 * i;
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = 1}));
    }
    static const char *const nodes[] = {NULL, "auto", "state-space", "uniform"};
    for (int i = 0; i < 4; i++) {
        lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "dense", .nodes = nodes[i]};
        lf_engine *engine;
        double bound;
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_error_bound(engine, &bound));
        assert_string_equal(lf_engine_describe(engine).nodes, i < 3 ? "state-space" : "uniform");
        assert_true(i < 3 ? bound == 0 : bound > 1e-9 && bound < 0.1);
        lf_engine_free(engine);
    }
    lf_data_free(data);
    lf_model_free(model);
    model = one_output(ctx, "eq", 0.8, operators[0], "stationary");
    lf_point_list points = {.n = 1, .target = &(int){0}, .x = &(double){1}};
    lf_engine_options options = {.size = sizeof(lf_engine_options), .nodes = "state-space"};
    assert_int_equal(lf_covariance_list(ctx, model, &points, &options, &(double){0}), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "no Matern force"));
    lf_model_free(model);
}

/* Stationary outputs under a constant force do not move: rates are 0 but for rounding errors, and these are errors of the size of rounding. */
static void test_constant_forces(void **state)
{
    static const char *const starts[] = {"stationary", "zero", "free"}, *const engines[] = {"lowrank", "dense"};
    lf_context *ctx = *state;
    for (size_t k = 0; k < 3 * 2 * sizeof operators / sizeof *operators; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"constant\"}],"
            "\"outputs\":[{\"name\":\"a\",\"operator\":%s,\"sensitivity\":[1.5],\"noise_variance\":0.1}]}",
            starts[k % 3], operators[k / 6]);
        lf_model *model = parse_model(ctx, text);
        lf_data *data;
        lf_engine *engine;
        lf_error_bounds bounds;
        assert_ok(ctx, lf_data_create(ctx, 1, &data));
        for (int i = 0; i < 60; i++) {
            double x = 0.2 * i;
            assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = 1}));
        }
        lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = engines[k / 3 % 2]};
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_error_bounds(engine, &bounds));
        assert_near(bounds.outputs, 0, 2e-13);
        assert_near(bounds.forces, 0, 2e-13);
        assert_near(bounds.rates, 0, 1e-12);
        lf_engine_free(engine);
        lf_data_free(data);
        lf_model_free(model);
    }
}

static void remember(void *user, lf_level level, const char *note)
{
    (void)level;
    snprintf(user, 512, "%s", note);
}

/* Too few frequencies: the user is told, with the number that would do, and that number does. */
static void test_too_few_features(void **state)
{
    lf_context *ctx = *state;
    char note[512] = "";
    lf_model *model = one_output(ctx, "eq", 0.1, operators[0], "zero");
    lf_data *data;
    lf_engine *engine;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 50; i++) {
        double x = 0.2 * i;
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = 1}));
    }
    lf_context_set_log(ctx, remember, note);
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "lowrank", .features = 12};
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    lf_engine_free(engine);
    assert_non_null(strstr(note, "12 frequencies cannot resolve"));
    const char *needed = strchr(note, ';');
    assert_non_null(needed);
    options.features = (size_t)strtoul(needed + 1, NULL, 10);
    assert_true(options.features > 12 && options.features < 1000);
    note[0] = '\0';
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_string_equal(note, "");
    lf_engine_free(engine);
    *model->forces[0].lengthscale = 1e-4; /* and too many to be worth it are refused */
    options = (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "lowrank"};
    assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "columns would be needed (at most 1800 for 50 rows)"));
    lf_context_set_log(ctx, NULL, NULL);
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound_holds_and_is_tight), cmocka_unit_test(test_random_models),
        cmocka_unit_test(test_dense_quadrature),         cmocka_unit_test(test_constant_forces),
        cmocka_unit_test(test_too_few_features),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
