/* The error of uniform nodes: measured on times of the test's own choosing it lies below the bound the engine reports, and
 * the bound is no more than a hundred times larger; the tolerance asked for is kept. */
#include "support.h"

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

/* The largest difference of two covariances at `n` points of one output, relative to the largest entry. */
static double measured(lf_context *ctx, const lf_model *model, size_t n, const double *x,
                       const lf_engine_options *features, double exact_tolerance)
{
    int *target = calloc(n, sizeof *target);
    lf_points points = {.n = n, .target = target, .x = x};
    lf_engine_options exact = {.size = sizeof(lf_engine_options), .nodes = "uniform", .tolerance = exact_tolerance};
    double *A = malloc(n * n * sizeof *A), *B = malloc(n * n * sizeof *B), difference = 0, largest = 0;
    assert_ok(ctx, lf_covariance(ctx, model, &points, features, A));
    assert_ok(ctx, lf_covariance(ctx, model, &points, &exact, B));
    for (size_t i = 0; i < n * n; i++) {
        difference = fmax(difference, fabs(A[i] - B[i]));
        largest = fmax(largest, fabs(B[i]));
    }
    free(A);
    free(B);
    free(target);
    return difference / largest;
}

static void test_bound_holds_and_is_tight(void **state)
{
    lf_context *ctx = *state;
    static const char *const kernels[] = {"eq", "matern52", "matern32", "matern12"};
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
                        lf_model *model = one_output(ctx, kernels[k], T / ratio, operators[o], starts[s]);
                        lf_engine_options options = {
                            .size = sizeof(lf_engine_options), .engine = "lowrank", .tolerance = tolerance};
                        lf_data *data;
                        lf_engine *engine;
                        double bound;
                        assert_ok(ctx, lf_data_create(ctx, 1, &data));
                        for (int i = 0; i < 16 * N; i++) { /* enough for the number of columns */
                            assert_ok(ctx, lf_data_add(ctx, data, "a", NULL, &x[i % N], 1, 0, NULL));
                        }
                        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
                        assert_ok(ctx, lf_engine_error_bound(engine, &bound));
                        double error = measured(ctx, model, N, x, &options, k ? 1e-4 * tolerance : 0);
                        if (!(error <= bound + 1e-13) || !(bound <= 100 * error + 1e-12) || !(error <= tolerance)) {
                            print_error("%s %s T/l=%g %s tolerance %g: error %g, bound %g, M %zu\n", kernels[k],
                                        starts[s], ratio, operators[o], tolerance, error, bound,
                                        lf_engine_describe(engine).columns);
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

static void remember(void *user, const char *note) { snprintf(user, 512, "%s", note); }

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
        assert_ok(ctx, lf_data_add(ctx, data, "a", NULL, &x, 1, 0, NULL));
    }
    lf_set_log(ctx, remember, note);
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
    assert_non_null(strstr(lf_message(ctx), "columns would be needed (at most 3000 for 50 rows)"));
    lf_set_log(ctx, NULL, NULL);
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound_holds_and_is_tight),
        cmocka_unit_test(test_too_few_features),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
