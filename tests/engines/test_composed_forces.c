/* Forces of every kernel in the kalman and dense engines: against brute force, each other, and finite differences. */
#include "kernel_table.h"

enum { ROWS = 6 };
static const double row_x[ROWS] = {0.1, 0.1, 0.55, 0.9, 0.9, 1.6}, row_y[ROWS] = {0.3, -0.2, 0.8, 0.1, 0.6, -0.5};
static const int row_output[ROWS] = {0, 1, 0, 1, 0, 1};

static lf_data *make_rows(lf_context *ctx)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < ROWS; i++) {
        assert_ok(
            ctx,
            lf_data_add(
                ctx, data,
                &(lf_row){.size = sizeof(lf_row), .output = row_output[i] ? "b" : "a", .x = &row_x[i], .y = row_y[i]}));
    }
    return data;
}

static lf_engine_options engine_named(const char *name)
{
    return (lf_engine_options){.size = sizeof(lf_engine_options), .engine = name};
}

static double log_likelihood(lf_context *ctx, const lf_model *model, const lf_data *data, const char *name)
{
    lf_engine *engine;
    lf_engine_options options = engine_named(name);
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    lf_engine_free(engine);
    return value;
}

/* log N(y; 0, K) with K by brute force; the same sign as the engines. */
static double brute_likelihood(const lf_model *model, int white)
{
    double L[ROWS][ROWS], z[ROWS], sum = ROWS * log(2 * acos(-1));
    for (int i = 0; i < ROWS; i++) {
        z[i] = row_y[i];
        for (int j = 0; j <= i; j++) {
            L[i][j] = brute_covariance(model, white, row_output[i], row_x[i], row_output[j], row_x[j]) +
                      (i == j ? model->outputs[row_output[i]].noise_variance : 0);
            for (int k = 0; k < j; k++) {
                L[i][j] -= L[i][k] * L[j][k];
            }
            L[i][j] = i == j ? sqrt(L[i][i]) : L[i][j] / L[j][j];
            z[i] -= j < i ? L[i][j] * z[j] : 0;
        }
        z[i] /= L[i][i];
        sum += z[i] * z[i] + 2 * log(L[i][i]);
    }
    return -sum / 2;
}

static void test_likelihoods(void **state)
{
    for (int k = 0; k < KERNEL_CASES; k += ONE_OF(4)) {
        for (int s = 0; s < (is_approximate(&kernel_cases[k]) ? 1 : 3); s++) {
            lf_model *model = composed_model(*state, &kernel_cases[k], start_names[s]);
            lf_data *data = make_rows(*state);
            double filtered = log_likelihood(*state, model, data, "kalman"),
                   dense = log_likelihood(*state, model, data, "dense"),
                   brute = brute_likelihood(model, is_white(&kernel_cases[k]));
            assert_near(dense, filtered, 1e-9);
            assert_near(filtered, brute, is_approximate(&kernel_cases[k]) ? 1e-6 : 1e-7);
            lf_data_free(data);
            lf_model_free(model);
        }
    }
}

static void test_gradients(void **state)
{
    static const char *const names[] = {"kalman", "dense"};
    for (int k = 0; k < KERNEL_CASES; k += ONE_OF(4)) {
        if (is_plain(&kernel_cases[k])) {
            continue; /* test_engine.c */
        }
        int approximate = is_approximate(&kernel_cases[k]); /* with few states: one start and the filter are enough */
        for (int s = 0; s < (approximate ? 1 : 3); s++) {
            for (int e = 0; e < (approximate ? 1 : 2); e++) {
                lf_model *model = composed_model(*state, &kernel_cases[k], start_names[s]);
                lf_data *data = make_rows(*state);
                lf_engine_options options = engine_named(names[e]);
                options.tolerance = approximate ? 1e-2 : 0;
                check_theta_gradient(*state, model, data, options, 1e-6);
                lf_data_free(data);
                lf_model_free(model);
            }
        }
    }
}

/* Outputs, rates and the force from the engine and from a stored posterior, before, between and after the rows. */
static void test_predictions(void **state)
{
    enum { N = 15 };
    lf_context *ctx = *state;
    for (int k = 0; k < KERNEL_CASES; k += ONE_OF(4)) {
        for (int s = 0; s < (is_approximate(&kernel_cases[k]) ? 0 : 3); s++) { /* an eq envelope only has more states */
            lf_model *model = composed_model(ctx, &kernel_cases[k], start_names[s]);
            lf_data *data = make_rows(ctx);
            int target[N], n = 0;
            double x[N], mean[3][N], variance[3][N], covariance[3][N * N];
            for (int i = 0; i < N; i++) { /* targets: a, b, force, rates of a and b */
                if (is_white(&kernel_cases[k]) && (i % 5 == 2 || i % 5 == 3)) {
                    continue; /* neither a white force nor what it drives directly has a value */
                }
                target[n] = i % 5;
                x[n++] = i % 5 == 2 ? -0.6 + 0.25 * i : 0.05 + 0.2 * i;
            }
            lf_point_list points = {.n = (size_t)n, .target = target, .x = x};
            const char *const names[] = {"kalman", "dense"};
            for (int e = 0; e < 2; e++) {
                lf_engine_options options = engine_named(names[e]);
                lf_posterior *posterior = make_posterior(ctx, model, data, &options);
                assert_ok(ctx, lf_predict_list(posterior, &points, mean[e], variance[e], covariance[e]));
                lf_posterior *restored;
                assert_ok(ctx, lf_posterior_store(posterior, model));
                assert_ok(ctx, lf_posterior_restore(ctx, model, &restored));
                assert_ok(ctx, lf_predict_list(restored, &points, mean[2], variance[2], covariance[2]));
                for (int i = 0; i < n; i++) {
                    assert_near(mean[2][i], mean[e][i], 1e-12);
                    assert_near(variance[2][i], variance[e][i], 1e-12);
                }
                lf_posterior_free(restored);
                lf_posterior_free(posterior);
            }
            for (int i = 0; i < n * n; i++) {
                assert_near(mean[0][i % n], mean[1][i % n], 1e-8);
                assert_near(variance[0][i % n], variance[1][i % n], 1e-8);
                assert_near(covariance[0][i], covariance[1][i], 1e-8);
            }
            lf_data_free(data);
            lf_model_free(model);
        }
    }
}

/* A white force has no value, nor has the rate of what it drives directly. */
static void test_white_has_no_value(void **state)
{
    static const struct {
        int target;
        const char *message;
    } cases[] = {{2, "force1 is white"}, {3, "output 'a' has no rate of change"}};
    int white = 0;
    while (!is_white(&kernel_cases[white])) {
        white++;
    }
    lf_model *model = composed_model(*state, &kernel_cases[white], "zero");
    lf_data *data = make_rows(*state);
    lf_engine_options options = engine_named("kalman");
    lf_posterior *posterior = make_posterior(*state, model, data, &options);
    for (int i = 0; i < 2; i++) {
        double x = 1, mean, variance;
        lf_point_list points = {.n = 1, .target = &cases[i].target, .x = &x};
        assert_int_equal(lf_predict_list(posterior, &points, &mean, &variance, NULL), LF_ERROR_UNSUPPORTED);
        assert_non_null(strstr(lf_context_message(*state), cases[i].message));
    }
    lf_posterior_free(posterior);
    lf_data_free(data);
    lf_model_free(model);
}

/* Rows that arrive later give the posterior of all rows, and draws are finite. */
static void test_update_and_draws(void **state)
{
    lf_context *ctx = *state;
    for (int k = 0; k < KERNEL_CASES; k += ONE_OF(4)) {
        if (is_approximate(&kernel_cases[k])) {
            continue;
        }
        lf_model *model = composed_model(ctx, &kernel_cases[k], start_names[k % 3]);
        lf_data *all = make_rows(ctx), *first, *rest;
        lf_engine_options options = engine_named("kalman");
        assert_ok(ctx, lf_data_create(ctx, 1, &first));
        assert_ok(ctx, lf_data_create(ctx, 1, &rest));
        for (int i = 0; i < ROWS; i++) {
            assert_ok(ctx, lf_data_add(ctx, i < 3 ? first : rest,
                                       &(lf_row){.size = sizeof(lf_row),
                                                 .output = row_output[i] ? "b" : "a",
                                                 .x = &row_x[i],
                                                 .y = row_y[i]}));
        }
        lf_posterior *batch = make_posterior(ctx, model, all, &options),
                     *stream = make_posterior(ctx, model, first, &options);
        assert_ok(ctx, lf_posterior_update(ctx, stream, rest, "rows"));
        static const int target[] = {0, 1, 0, 1};
        static const double x[] = {1.7, 1.7, 3, 4.5};
        double mean[2][4], variance[2][4], draw[4];
        lf_point_list points = {.n = 4, .target = target, .x = x};
        assert_ok(ctx, lf_predict_list(batch, &points, mean[0], variance[0], NULL));
        assert_ok(ctx, lf_predict_list(stream, &points, mean[1], variance[1], NULL));
        assert_ok(ctx, lf_simulate_list(ctx, model, &points, NULL, draw));
        for (int i = 0; i < 4; i++) {
            assert_near(mean[0][i], mean[1][i], 1e-11);
            assert_near(variance[0][i], variance[1][i], 1e-11);
            assert_true(isfinite(draw[i]));
        }
        lf_posterior_free(stream);
        lf_posterior_free(batch);
        lf_data_free(all);
        lf_data_free(first);
        lf_data_free(rest);
        lf_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_likelihoods),      cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_predictions),      cmocka_unit_test(test_white_has_no_value),
        cmocka_unit_test(test_update_and_draws),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
