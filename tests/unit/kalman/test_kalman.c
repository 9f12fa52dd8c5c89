/* The kalman engine: against direct integration, finite differences and the other engines. */
#include "engine/engine.h"
#include "integrated_process.h"
#include "kalman/smoother.h"
#include "random_models.h"

/* Value, means and covariances of outputs, rates and forces, before, between and after the rows. */
static void compare_with_process(lf_context *ctx, const lf_model *model, const lf_data *data, double of_value,
                                 double of_means, double of_covariances)
{
    static const int target[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 2, 0};
    static const double x[] = {0.05, 0.05, 0.05, 0.6, 0.6, 0.9, 1.1, 1.1, 30, 1.3, 2.9, 3.2, 3.5};
    double moved[13], value, mean[13], variance[13], covariance[13 * 13], scale = 0;
    for (int i = 0; i < 13; i++) {
        moved[i] = x[i] == 30 ? -1 : x[i]; /* a force before the origin */
    }
    lf_point_list points = {.n = 13, .target = target, .x = moved};
    process gp;
    lf_engine *engine;
    lf_posterior *posterior;
    condition_process(model, data, &points, &gp);
    assert_ok(ctx, lf_engine_create(ctx, model, data, &kalman, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    assert_near(value, gp.value, of_value * fmax(1, fabs(gp.value)));
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    assert_ok(ctx, lf_predict_list(posterior, &points, mean, variance, covariance));
    for (int i = 0; i < 13; i++) {
        scale = fmax(scale, fabs(gp.mean[i]));
    }
    for (int i = 0; i < 13; i++) {
        double own = gp.covariance[i * 13 + i];
        assert_near(mean[i], gp.mean[i], of_means * scale);
        assert_near(variance[i], own, of_covariances * fmax(1, own));
        for (int j = 0; j < 13; j++) {
            double both = sqrt(own * gp.covariance[j * 13 + j]);
            assert_near(covariance[i * 13 + j], gp.covariance[i * 13 + j], of_covariances * fmax(1, both));
        }
    }
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    free(gp.mean);
    free(gp.covariance);
}

static void test_equals_integrated_process(void **state)
{
    static const char *const starts[] = {"zero", "free", "stationary"};
    lf_random random;
    lf_random_seed(&random, 11);
    for (int i = 0; i < 9; i += ONE_OF(3)) {
        lf_model *model = random_model(*state, &random, starts[i % 3], 3, 1);
        lf_data *data = random_rows(*state, &random, 14, NULL, NULL);
        compare_with_process(*state, model, data, 5e-12, 2e-11, 2e-12);
        lf_data_free(data);
        lf_model_free(model);
    }
}

static void test_undamped_and_unstable(void **state)
{
    lf_random random;
    lf_random_seed(&random, 5);
    for (int i = 0; i < 4; i += ONE_OF(3)) {
        lf_model *model = random_model(*state, &random, i % 2 ? "free" : "zero", 3, 0);
        lf_data *data = random_rows(*state, &random, 14, NULL, NULL);
        compare_with_process(*state, model, data, 5e-13, 1e-12, 5e-14);
        lf_data_free(data);
        lf_model_free(model);
    }
}

static void test_gradient(void **state)
{
    static const char *const starts[] = {"zero", "free", "stationary"};
    lf_random random;
    lf_random_seed(&random, 3);
    for (int i = 0; i < 6; i += ONE_OF(3)) {
        lf_model *model = random_model(*state, &random, starts[i % 3], 3, 1);
        if (i >= 3) {
            model->forces[i % 2].kernel = &lf_force_kernel_eq;
        }
        lf_data *data = random_rows(*state, &random, 10, "one", NULL);
        random_rows(*state, &random, 12, "two", data);
        check_theta_gradient(
            *state, model, data,
            (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "kalman", .tolerance = 1e-3}, 3e-8);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* More steps than are kept on record at once, and more distinct gaps than one. */
static void test_gradient_of_long_series(void **state)
{
    lf_random random;
    lf_random_seed(&random, 8);
    lf_model *model = random_model(*state, &random, "zero", 3, 1);
    lf_data *data = random_rows(*state, &random, 600, NULL, NULL);
    check_theta_gradient(*state, model, data, kalman, 1e-8);
    lf_data_free(data);
    lf_model_free(model);
}

/* Replicates are independent: values add up. */
static void test_replicates(void **state)
{
    lf_random random, again;
    lf_random_seed(&random, 21);
    lf_model *model = random_model(*state, &random, "stationary", 3, 1);
    double value[3];
    for (int i = 0; i < 3; i++) {
        lf_random_seed(&again, 4);
        lf_data *data = random_rows(*state, &again, 12, "one", NULL);
        if (i == 1) {
            lf_data_free(data);
            assert_ok(*state, lf_data_create(*state, 1, &data));
        }
        if (i > 0) {
            random_rows(*state, &again, 15, "two", data);
        }
        lf_engine *engine;
        assert_ok(*state, lf_engine_create(*state, model, data, &kalman, &engine));
        assert_ok(*state, lf_engine_evaluate(engine, 0, NULL, &value[i], NULL));
        lf_engine_free(engine);
        lf_data_free(data);
    }
    assert_near(value[2], value[0] + value[1], 1e-15 * fabs(value[2]));
    lf_model_free(model);
}

/* F + F' + b b' = 0, and c' exp(F r) c = k(r): checked through the likelihood for Matern kernels, here for all. */
static void test_force_systems(void **state)
{
    static const double tolerances[] = {1e-3, 1e-6, 1e-10};
    static lf_force_system system;
    int states = 0;
    for (int t = 0; t < 3; t++) {
        for (int k = 0; k < 4; k++) {
            const lf_force_kernel *kernel = lf_force_kernel_find(kernels[k]);
            assert_ok(*state, lf_force_system_create(*state, kernel, tolerances[t], &system));
            double norm = 0;
            for (int i = 0; i < system.n; i++) {
                norm += system.c[i] * system.c[i];
                for (int j = 0; j < system.n; j++) {
                    double sum = system.F[i * system.n + j] + system.F[j * system.n + i] + system.b[i] * system.b[j];
                    assert_near(sum, 0, 3e-14);
                }
            }
            assert_near(norm, 1, 3e-15);
            assert_true(k < 3 ? system.error == 0 : system.error > 0 && system.error <= tolerances[t]);
        }
        assert_true(system.n > states); /* the order of the approximation follows the tolerance */
        states = system.n;
    }
    assert_int_equal(lf_force_system_create(*state, lf_force_kernel_find("eq"), 1e-14, &system), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(*state), "1e-14"));
}

/* The covariance of an EQ model at times that are not the probe times, against the exact one. */
static void test_eq_within_reported_error(void **state)
{
    static const double tolerances[] = {1e-3, 1e-6};
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 17);
    for (int i = 0; i < 2; i++) {
        lf_model *model = random_model(ctx, &random, i ? "zero" : "stationary", 4, 1);
        for (int q = 0; q < 2; q++) {
            model->forces[q].kernel = &lf_force_kernel_eq;
        }
        model->outputs[0].private_force.kernel = &lf_force_kernel_eq;
        lf_data *data = random_rows(ctx, &random, 20, NULL, NULL);
        lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "kalman", .tolerance = tolerances[i]};
        lf_engine *engine;
        double bound, x[30], K[900], exact[900], mean[30], worst = 0, largest = 0;
        int target[30];
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_error_bound(engine, &bound));
        for (int k = 0; k < 30; k++) {
            x[k] = uniform_between(&random, 0.1, 3);
            target[k] = k % 2;
        }
        lf_point_list points = {.n = 30, .target = target, .x = x};
        lf_point_set set;
        lf_state_space space;
        lf_timeline timeline;
        assert_ok(ctx, lf_point_set_create(ctx, model, &points, 30, NULL, &set));
        assert_ok(ctx, lf_state_space_create(ctx, model, tolerances[i], &space));
        assert_ok(ctx, lf_state_space_update(ctx, &space));
        assert_ok(ctx, lf_timeline_create(ctx, model, NAN, NULL, &set, &timeline));
        assert_ok(ctx, lf_kalman_smooth(ctx, &space, &timeline, NULL, NULL, NULL, NULL, mean, NULL, K));
        assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, exact));
        for (size_t a = 0; a < 30; a++) {
            for (size_t b = 0; b < 30; b++) {
                worst = fmax(worst, fabs(K[a * 30 + b] - exact[set.order[a] * 30 + set.order[b]]));
                largest = fmax(largest, fabs(exact[a * 30 + b]));
            }
        }
        assert_true(worst > 0 && worst <= bound * largest);
        assert_true(bound <= 10 * tolerances[i]);
        lf_timeline_clear(&timeline);
        lf_state_space_clear(&space);
        lf_point_set_clear(&set);
        lf_engine_free(engine);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* The other engines see the same model: the dense one with EQ forces, the feature engines with Matern forces within
 * their error bound. */
static void test_agrees_with_other_engines(void **state)
{
    static const char *const others[] = {"dense", "lowrank", "fourier"};
    lf_context *ctx = *state;
    static const int target[] = {0, 1, 2, 3, 4, 5, 0, 1};
    static const double x[] = {0.3, 0.3, 0.3, 0.7, 1.9, 2.0, 2.4, 2.4};
    lf_point_list points = {.n = 8, .target = target, .x = x};
    for (int i = 0; i < 3; i++) {
        lf_random random;
        lf_random_seed(&random, 31);
        lf_model *model = random_model(ctx, &random, "zero", 3, 1);
        if (i == 0) {
            model->forces[0].kernel = &lf_force_kernel_eq;
            model->forces[1].kernel = &lf_force_kernel_eq;
            model->outputs[0].private_force.kernel = &lf_force_kernel_eq;
        }
        for (int d = 0; d < 2; d++) {
            model->outputs[d].noise_variance = 0.05;
        }
        lf_data *data = random_rows(ctx, &random, 40, NULL, NULL);
        double value[2], mean[2][8], variance[2][8], bound = 0;
        for (int side = 0; side < 2; side++) {
            lf_engine_options options = {
                .size = sizeof(lf_engine_options), .engine = side ? others[i] : "kalman", .tolerance = i ? 1e-4 : 0};
            lf_engine *engine;
            lf_posterior *posterior;
            assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
            assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value[side], NULL));
            assert_ok(ctx, lf_engine_error_bound(engine, &bound));
            assert_ok(ctx, lf_engine_posterior(engine, &posterior));
            assert_ok(ctx, lf_predict_list(posterior, &points, mean[side], variance[side], NULL));
            lf_posterior_free(posterior);
            lf_engine_free(engine);
        }
        double allowed = i == 0 ? 1e-9 : bound;
        assert_near(value[0], value[1], allowed * fabs(value[1]));
        for (int k = 0; k < 8; k++) {
            assert_near(mean[0][k], mean[1][k], allowed * fmax(1, fabs(mean[1][k])));
            assert_near(variance[0][k], variance[1][k], allowed * fmax(1, variance[1][k]));
        }
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* Times k / 288, as read from a file, have only a few distinct gaps; a missing row adds one. */
static void test_even_times_share_gaps(void **state)
{
    enum { N = 5000 };
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 1);
    lf_model *model = random_model(ctx, &random, "zero", 3, 1);
    static double x[N];
    static int target[N];
    for (int i = 0; i < N; i++) {
        x[i] = (i + (i > 3000)) / 288.0;
    }
    lf_point_list points = {.n = N, .target = target, .x = x};
    lf_point_set set;
    lf_timeline timeline;
    assert_ok(ctx, lf_point_set_create(ctx, model, &points, N, NULL, &set));
    assert_ok(ctx, lf_timeline_create(ctx, model, NAN, &set, NULL, &timeline));
    assert_int_equal(timeline.step_count, N + 1); /* and the origin */
    assert_true(timeline.gap_count <= 6);
    for (size_t k = 1; k <= N; k++) {
        assert_near(timeline.time[k], x[k - 1], 4e-15);
    }
    lf_timeline_clear(&timeline);
    lf_point_set_clear(&set);
    lf_model_free(model);
}

static void test_refuses_what_it_cannot_do(void **state)
{
    lf_context *ctx = *state;
    lf_model *gaussian = parse_model(
        ctx, "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],"
             "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\",\"precision\":2},\"sensitivity\":[1],"
             "\"noise_variance\":0.1}]}");
    lf_random random;
    lf_random_seed(&random, 2);
    lf_model *model = random_model(ctx, &random, "zero", 3, 1);
    lf_data *data;
    lf_engine *engine;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 2; i++) { /* twice the same row */
        assert_ok(ctx,
                  lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &(double){1}, .y = 1}));
    }
    assert_int_equal(lf_engine_create(ctx, gaussian, data, &kalman, &engine), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "'a'"));
    const lf_engine_options wrong[] = {{.size = sizeof(lf_engine_options), .engine = "kalman", .nodes = "mc"},
                                       {.size = sizeof(lf_engine_options), .engine = "kalman", .features = 3},
                                       {.size = sizeof(lf_engine_options), .engine = "kalman", .tolerance = 2}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lf_engine_create(ctx, model, data, &wrong[i], &engine), LF_ERROR_ARGUMENT);
    }
    model->outputs[0].noise_variance = 0;
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &kalman, &engine));
    assert_int_equal(lf_engine_evaluate(engine, 0, NULL, &value, NULL), LF_ERROR_NUMERIC);
    assert_non_null(strstr(lf_context_message(ctx), "output 'a', x = 1"));
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
    lf_model_free(gaussian);
}

/* What rounding leaves of the variance of a reading after the same reading without noise is sometimes above 0. */
static void test_refuses_repeated_rows(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "free", "stationary"};
    lf_random random;
    lf_random_seed(&random, 11);
    for (int trial = 0; trial < 60; trial++) {
        lf_model *model = random_model(ctx, &random, starts[trial % 3], 2, 1 + trial % 2);
        lf_data *data;
        lf_engine *engine;
        double value;
        assert_ok(ctx, lf_data_create(ctx, 1, &data));
        for (int i = 0; i < 8; i++) {
            const char *name = model->outputs[i % 2].name;
            assert_ok(
                ctx,
                lf_data_add(
                    ctx, data,
                    &(lf_row){.size = sizeof(lf_row), .output = name, .x = &(double){i / 2 / 2 + 0.5}, .y = i % 3}));
        }
        model->outputs[0].noise_variance = model->outputs[1].noise_variance = 0;
        assert_ok(ctx, lf_engine_create(ctx, model, data, &kalman, &engine));
        assert_int_equal(lf_engine_evaluate(engine, 0, NULL, &value, NULL), LF_ERROR_NUMERIC);
        assert_non_null(strstr(lf_context_message(ctx), "x = 0.5"));
        lf_engine_free(engine);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* Many outputs at one time are absorbed by other routines than few, by which ones depends on the noise. */
static void compare_many_outputs(lf_context *ctx, double noise, double of_value, double of_gradient)
{
    enum { OUTPUTS = 20, TIMES = 6 };
    char text[8192];
    int used =
        snprintf(text, sizeof text,
                 "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"free\", \"forces\": "
                 "[{\"kernel\": \"matern32\", \"lengthscale\": 0.8}, {\"kernel\": \"matern12\", \"lengthscale\": 2}],"
                 " \"outputs\": [");
    for (int d = 0; d < OUTPUTS; d++) {
        used += snprintf(
            text + used, sizeof text - (size_t)used,
            "%s{\"name\": \"o%d\", \"operator\": {\"type\": \"ode1\", \"decay\": %g}, \"sensitivity\": [%g, %g],"
            " \"noise_variance\": %g, \"private\": {\"kernel\": \"matern12\", \"lengthscale\": 0.6, \"amplitude\": "
            "0.5}}",
            d ? "," : "", d, 0.3 + 0.1 * d, cos(d), sin(3 * d), noise);
    }
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    lf_model *model = parse_model(ctx, text);
    lf_data *data;
    double z[OUTPUTS * TIMES], value[2], *gradient[2];
    lf_normals(ctx, OUTPUTS * TIMES, z);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < OUTPUTS * TIMES; i++) {
        double x = 0.4 * (i / OUTPUTS) + 0.01 * (i / OUTPUTS) * (i / OUTPUTS);
        char name[8];
        snprintf(name, sizeof name, "o%d", i % OUTPUTS);
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = name, .x = &x, .y = z[i]}));
    }
    for (int e = 0; e < 2; e++) {
        lf_engine_options options = {
            .size = sizeof(lf_engine_options), .engine = e ? "kalman" : "dense", .tolerance = e ? 0 : 1e-10};
        lf_engine *engine;
        gradient[e] = calloc(lf_parameter_count(model), sizeof(double));
        assert_non_null(gradient[e]);
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value[e], gradient[e]));
        lf_engine_free(engine);
    }
    double largest = 0;
    assert_near(value[1], value[0], of_value * fabs(value[0]));
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        largest = fmax(largest, fabs(gradient[0][i]));
    }
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        assert_near(gradient[1][i], gradient[0][i], of_gradient * largest);
    }
    free(gradient[0]);
    free(gradient[1]);
    lf_data_free(data);
    lf_model_free(model);
}

static void test_many_outputs(void **state)
{
    compare_many_outputs(*state, 0.05, 5e-10, 5e-10);
    compare_many_outputs(*state, 1e-3, 5e-10, 5e-10);
    compare_many_outputs(*state, 1e-9, 1e-8, 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_integrated_process),
        cmocka_unit_test(test_undamped_and_unstable),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_gradient_of_long_series),
        cmocka_unit_test(test_replicates),
        cmocka_unit_test(test_force_systems),
        cmocka_unit_test(test_eq_within_reported_error),
        cmocka_unit_test(test_agrees_with_other_engines),
        cmocka_unit_test(test_even_times_share_gaps),
        cmocka_unit_test(test_refuses_what_it_cannot_do),
        cmocka_unit_test(test_refuses_repeated_rows),
        cmocka_unit_test(test_many_outputs),
    };
    return cmocka_run_group_tests(tests, make_rule, free_context);
}
