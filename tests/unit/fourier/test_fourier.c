/* The fourier engine against the dense one on random models (value, gradient, posterior), its gradient against
 * differences, and its parts: sums against rows, elimination against the joint system. */
#include "support.h"

#include "fourier/elimination.h"
#include "model/model.h"

/* Three outputs of orders 1 to 3 or a gaussian one, two forces, private forces on some. */
static lf_model *random_model(lf_context *ctx, lf_random *random, const char *initial, int private, const char *kernel)
{
    char text[4096], privates[3][160];
    for (int d = 0; d < 3; d++) {
        snprintf(privates[d], sizeof privates[d],
                 ",\"private\":{\"kernel\":\"%s\",\"lengthscale\":%.17g,\"amplitude\":%.17g}", kernel,
                 log_between(random, 0.5, 2), uniform_between(random, 0.2, 1));
    }
    snprintf(
        text, sizeof text,
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"origin\":-0.5,\"forces\":[{\"kernel\":"
        "\"%s\",\"lengthscale\":%.17g},{\"kernel\":\"%s\",\"lengthscale\":%.17g}],\"outputs\":[{\"name\":\"a\","
        "\"operator\":{\"type\":\"ode1\",\"decay\":%.17g},\"sensitivity\":[%.17g,%.17g],\"noise_variance\":0.05,"
        "\"offset\":0.4,\"scale\":1.7,\"initial_variance\":[0.6]%s},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\","
        "\"mass\":1.3,\"damper\":%.17g,\"spring\":%.17g},\"sensitivity\":[%.17g,%.17g],\"noise_variance\":0.02,"
        "\"initial_variance\":[0.5,2]%s},{\"name\":\"c\",\"operator\":{\"type\":%s},\"sensitivity\":[%.17g,%.17g],"
        "\"noise_variance\":0.1,\"scale\":0.5%s}]}",
        initial, kernel, log_between(random, 0.5, 2), kernel, log_between(random, 0.5, 2), log_between(random, 0.5, 3),
        uniform_between(random, -2, 2), uniform_between(random, -2, 2), private ? privates[0] : "",
        log_between(random, 0.5, 5), log_between(random, 1, 5), uniform_between(random, -2, 2),
        uniform_between(random, -2, 2), private > 1 ? privates[1] : "",
        lf_random_uniform(random) < 0.5 ? "\"ode\",\"coefficients\":[1,3,4,2]" : "\"gaussian\",\"precision\":3",
        uniform_between(random, -2, 2), uniform_between(random, -2, 2), private ? privates[2] : "");
    return parse_model(ctx, text);
}

/* a and b share their times, c has its own; error bars on some rows; one or two replicates. */
static lf_data *random_data(lf_context *ctx, lf_random *random, int error_bars, int replicates)
{
    lf_data *data;
    const char *const names[] = {"a", "b", "c"}, *const labels[] = {"one", "two"};
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int r = 0; r < replicates; r++) {
        for (int i = 0; i < 30; i++) {
            double shared = -0.4 + 0.13 * i + 0.05 * lf_random_uniform(random);
            for (int d = 0; d < 3; d++) {
                double x = d < 2 ? shared : -0.4 + 3.9 * lf_random_uniform(random);
                double sd = error_bars && d != 1 && i % 4 ? uniform_between(random, 0.1, 0.5) : 0;
                assert_ok(ctx, lf_data_add(ctx, data,
                                           &(lf_row){.size = sizeof(lf_row),
                                                     .output = names[d],
                                                     .replicate = replicates > 1 ? labels[r] : NULL,
                                                     .x = &x,
                                                     .y = lf_random_normal(random) + d,
                                                     .sd = sd}));
            }
        }
    }
    return data;
}

static double relative(double a, double b) { return fabs(a - b) / (1 + fabs(b)); }

/* Value, gradient and posterior of two engines. */
static void compare(lf_context *ctx, const lf_model *model, const lf_data *data, const char *engine_name,
                    double tolerance, double value_limit, double gradient_limit, double mean_limit,
                    double covariance_limit)
{
    lf_engine_options exact = {.size = sizeof(lf_engine_options), .engine = "dense"},
                      fast = {.size = sizeof(lf_engine_options), .engine = engine_name, .tolerance = tolerance};
    lf_engine *dense, *engine;
    size_t n = lf_parameter_count(model);
    double v1, v2, *g1 = malloc(n * sizeof *g1), *g2 = malloc(n * sizeof *g2), size = 0;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &exact, &dense));
    assert_ok(ctx, lf_engine_create(ctx, model, data, &fast, &engine));
    assert_ok(ctx, lf_engine_evaluate(dense, lf_parameter_count(model), NULL, &v1, g1));
    assert_ok(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &v2, g2));
    assert_near(relative(v2, v1), 0, value_limit);
    for (size_t i = 0; i < n; i++) {
        size = fmax(size, fabs(g1[i]));
    }
    for (size_t i = 0; i < n; i++) {
        check_near(g2[i], g1[i], gradient_limit * (size + fabs(g1[i])), lf_parameter_get(model, i).theta_name, __FILE__,
                   __LINE__);
    }
    enum { POINTS = 11 };
    int target[POINTS], replicate[POINTS];
    double x[POINTS], m1[POINTS], m2[POINTS], s1[POINTS], s2[POINTS], c1[POINTS * POINTS], c2[POINTS * POINTS];
    for (int i = 0; i < POINTS; i++) {
        target[i] = i % 5;
        replicate[i] = (int)lf_data_count(data, LF_KIND_REPLICATE) > 1 ? i % 2 : 0;
        x[i] = -0.3 + 0.33 * i;
    }
    lf_point_list points = {.n = POINTS, .target = target, .replicate = replicate, .x = x};
    lf_posterior *p1, *p2;
    assert_ok(ctx, lf_engine_posterior(dense, &p1));
    assert_ok(ctx, lf_engine_posterior(engine, &p2));
    assert_ok(ctx, lf_predict_list(p1, &points, m1, s1, c1));
    assert_ok(ctx, lf_predict_list(p2, &points, m2, s2, c2));
    for (int i = 0; i < POINTS; i++) {
        assert_near(relative(m2[i], m1[i]), 0, mean_limit);
        assert_near(relative(s2[i], s1[i]), 0, covariance_limit);
        for (int j = 0; j < POINTS; j++) {
            assert_near(relative(c2[i * POINTS + j], c1[i * POINTS + j]), 0, covariance_limit);
        }
    }
    lf_posterior_free(p1);
    lf_posterior_free(p2);
    lf_engine_free(dense);
    lf_engine_free(engine);
    free(g1);
    free(g2);
}

static void test_agrees_with_the_dense_engine(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    static const char *const engines[] = {"fourier", "lowrank"};
    lf_random random;
    lf_random_seed(&random, 31);
    for (int trial = 0; trial < 12; trial++) {
        lf_model *model = random_model(ctx, &random, starts[trial % 3], trial % 4 == 3 ? 2 : trial % 2, "eq");
        lf_data *data = random_data(ctx, &random, trial % 5 == 1 || trial % 5 == 2, 1 + trial % 2);
        for (int e = 0; e < 2; e++) {
            compare(ctx, model, data, engines[e], 1e-13, 1e-13, 5e-13, 3e-12, 1e-13);
        }
        lf_data_free(data);
        lf_model_free(model);
    }
}

static void test_matern_forces(void **state)
{
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 32);
    for (int trial = 0; trial < 3; trial++) {
        lf_model *model = random_model(ctx, &random, trial == 1 ? "stationary" : "zero", trial == 2, "matern52");
        lf_data *data = random_data(ctx, &random, 0, 1);
        compare(ctx, model, data, "fourier", 1e-8, 1e-8, 5e-8, 2e-6, 5e-7);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* A rough force: its variance, far above the frequencies of the features, is all there. */
static void test_rough_forces_keep_their_variance(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(
        ctx, "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"matern12\",\"lengthscale\":1}],"
             "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1],"
             "\"noise_variance\":0.01}]}");
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 60; i++) {
        double x = 0.05 * i;
        assert_ok(ctx,
                  lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = sin(2 * x)}));
    }
    static const char *const names[] = {"dense", "fourier", "lowrank"};
    const int target[] = {0, 1, 2};
    const double x[] = {1.3, 1.3, 1.3};
    lf_point_list points = {.n = 3, .target = target, .x = x};
    double mean[3][3], variance[3][3], K[9];
    for (int e = 0; e < 3; e++) {
        lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = names[e]};
        lf_engine *engine;
        lf_posterior *posterior;
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_posterior(engine, &posterior));
        assert_ok(ctx, lf_predict_list(posterior, &points, mean[e], variance[e], K));
        for (int i = 0; i < 3; i++) {
            assert_near(mean[e][i], mean[0][i], 1e-4);
            assert_near(variance[e][i], variance[0][i], 2e-3 * (1 + variance[0][i]));
            assert_near(K[4 * i], variance[e][i], 1e-14);
        }
        lf_posterior_free(posterior);
        lf_engine_free(engine);
    }
    lf_data_free(data);
    lf_model_free(model);
}

static void test_gradient(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    lf_random random;
    lf_random_seed(&random, 33);
    for (int trial = 0; trial < 7; trial++) {
        lf_model *model =
            random_model(ctx, &random, starts[trial % 3], trial % 2 ? 2 : 0, trial < 6 ? "eq" : "matern32");
        lf_data *data = random_data(ctx, &random, trial > 2, 1 + (trial == 4));
        lf_engine_options options = {
            .size = sizeof(lf_engine_options), .engine = "fourier", .tolerance = trial < 6 ? 1e-9 : 1e-3};
        check_theta_gradient(ctx, model, data, options, 2e-8);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* Parameters that move far from where the engine was made: the frequencies follow. */
static void test_parameters_may_move_far(void **state)
{
    lf_context *ctx = *state;
    static const char *const names[] = {"fourier", "lowrank", "dense"};
    lf_random random;
    for (int s = 0; s < 2; s++) {
        double value[3], theta[64];
        lf_random_seed(&random, 36);
        lf_model *model = random_model(ctx, &random, s ? "stationary" : "zero", 1, "eq");
        lf_data *data = random_data(ctx, &random, 0, 1);
        for (int e = 0; e < 3; e++) {
            lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = names[e]};
            lf_engine *engine;
            assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
            size_t columns = lf_engine_describe(engine).columns;
            lf_model_theta(model, theta);
            theta[0] -= log(5); /* a lengthscale */
            theta[2] -= log(5); /* the decay of the first output */
            assert_ok(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), theta, &value[e], NULL));
            assert_true(e == 2 || lf_engine_describe(engine).columns > columns);
            lf_engine_free(engine);
        }
        assert_near(relative(value[0], value[2]), 0, 1e-13);
        assert_near(relative(value[1], value[2]), 0, 1e-13);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* The same answer whichever way rows come, and with times shared or not. */
static void test_order_of_rows(void **state)
{
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 34);
    lf_model *model = random_model(ctx, &random, "zero", 1, "eq");
    lf_data *data = random_data(ctx, &random, 1, 1), *reversed;
    assert_ok(ctx, lf_data_create(ctx, 1, &reversed));
    for (size_t i = lf_data_count(data, LF_KIND_ROW); i-- > 0;) {
        lf_observation row = lf_data_row(data, i);
        assert_ok(ctx, lf_data_add(ctx, reversed,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output),
                                             .x = row.x,
                                             .y = row.y,
                                             .sd = row.sd}));
    }
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "fourier"};
    double value[2];
    const lf_data *const both[] = {data, reversed};
    for (int k = 0; k < 2; k++) {
        lf_engine *engine;
        assert_ok(ctx, lf_engine_create(ctx, model, both[k], &options, &engine));
        assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value[k], NULL));
        lf_engine_free(engine);
    }
    assert_near(value[0], value[1], 1e-14 * fabs(value[0]));
    lf_data_free(data);
    lf_data_free(reversed);
    lf_model_free(model);
}

static void test_messages(void **state)
{
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 35);
    lf_model *model = random_model(ctx, &random, "zero", 0, "eq");
    lf_data *data = random_data(ctx, &random, 0, 1);
    lf_engine *engine;
    double value;
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "fourier", .nodes = "mc", .features = 10};
    assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "lowrank"));
    options = (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "fourier", .ahead = -1};
    assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "ahead"));
    options = (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "fourier"};
    *model->parameters[lf_index_noise(model, 1)].value = 0;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_int_equal(lf_engine_evaluate(engine, 0, NULL, &value, NULL), LF_ERROR_MODEL);
    assert_non_null(strstr(lf_context_message(ctx), "'b'"));
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);

    model =
        parse_model(ctx, "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[],\"outputs\":[{\"name\":\"a\","
                         "\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[],\"noise_variance\":0.1}]}");
    const double x = 1;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = 1}));
    assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "no force"));
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_the_dense_engine),
        cmocka_unit_test(test_matern_forces),
        cmocka_unit_test(test_rough_forces_keep_their_variance),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_parameters_may_move_far),
        cmocka_unit_test(test_order_of_rows),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
