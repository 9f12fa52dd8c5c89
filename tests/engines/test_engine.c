/* The dense engine: gradients by every parameter, identities (order of rows, shift of time, replicates, units), joint
 * samples, and the messages of what cannot be done. */
#include "reference_models.h"
#include "support.h"

#include "model/model.h"

static lf_posterior_info facts_of(lf_context *ctx, const lf_posterior *posterior)
{
    lf_posterior_info info = {.size = sizeof info};
    assert_ok(ctx, lf_posterior_get(ctx, posterior, &info));
    return info;
}

/* Everything at once: two forces, orders 1 to 3, private force, free start, known error bars come with the data. */
static const char *const rich =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"free\",\"origin\":0.5,\"forces\":[{\"kernel\":"
    "\"eq\",\"lengthscale\":0.9},{\"kernel\":\"eq\",\"lengthscale\":0.4}],\"outputs\":[{\"name\":\"a\",\"operator\":"
    "{\"type\":\"ode1\",\"decay\":1.3},\"sensitivity\":[1,-0.5],\"noise_variance\":0.2,\"offset\":0.3,\"scale\":2},"
    "{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1.2,\"damper\":0.4,\"spring\":2},\"sensitivity\":[0.7,2],"
    "\"noise_variance\":0.1,\"initial_variance\":[0.5,2],\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.6,"
    "\"amplitude\":0.7}},{\"name\":\"c\",\"operator\":{\"type\":\"ode\",\"coefficients\":[1,3,3,1]},\"sensitivity\":"
    "[2,1],\"noise_variance\":0.05,\"scale\":0.5}]}";

static void add(lf_context *ctx, lf_data *data, const char *output, const char *replicate, double x, double y,
                double sd)
{
    assert_ok(
        ctx,
        lf_data_add(
            ctx, data,
            &(lf_row){.size = sizeof(lf_row), .output = output, .replicate = replicate, .x = &x, .y = y, .sd = sd}));
}

static lf_data *empty_data(lf_context *ctx, int inputs)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, (size_t)inputs, &data));
    return data;
}

/* 15 rows for each of a, b, c in the order given by a permutation seed. */
static lf_data *rich_data(lf_context *ctx, int reversed, double shift)
{
    lf_data *data = empty_data(ctx, 1);
    const char *const names[] = {"a", "b", "c"};
    for (int k = 0; k < 45; k++) {
        int i = reversed ? 44 - k : k;
        double t = 0.5 + 0.11 * (i % 15) + 0.03 * sin(7.0 * i);
        t = t < 0.5 ? 0.5 : t;
        add(ctx, data, names[i / 15], NULL, t + shift, sin(3 * t + i / 15), i % 3 == 0 ? 0.1 + 0.01 * i : 0);
    }
    return data;
}

static double value_of(lf_context *ctx, const lf_model *model, const lf_data *data)
{
    lf_engine *engine;
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    lf_engine_free(engine);
    return value;
}

/* ---- gradient by theta ---- */

static void check_by(lf_context *ctx, const lf_model *model, const lf_data *data, const char *nodes)
{
    check_theta_gradient(ctx, model, data,
                         (lf_engine_options){.size = sizeof(lf_engine_options), .engine = "dense", .nodes = nodes},
                         1e-7);
}

static void test_gradient(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = rich_data(ctx, 0, 0);
    lf_model *model = parse_model(ctx, rich);
    check_by(ctx, model, data, "uniform");
    lf_model_free(model);
    lf_data_free(data);
    data = empty_data(ctx, 1);
    for (int i = 0; i < 40; i++) {
        add(ctx, data, i % 2 ? "a" : "b", NULL, 0.07 * i, cos(0.3 * i), 0);
    }
    model = parse_model(ctx, small_ode2);
    check_by(ctx, model, data, "uniform");
    check_by(ctx, model, data, "closed-form");
    lf_model_free(model);
    lf_data_free(data);
}

/* A tied pair moves together: its gradient is the sum; a fixed zero stays where it is. */
static void test_ties_and_zeros(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = empty_data(ctx, 1);
    for (int i = 0; i < 30; i++) {
        add(ctx, data, i % 2 ? "a" : "b", NULL, 0.1 * i, cos(0.3 * i), 0.2);
    }
    lf_model *model = parse_model(ctx, small_ode2);
    size_t n = lf_parameter_count(model), spring_a, spring_b, noise;
    assert_ok(ctx, lf_parameter_find(ctx, model, "a.spring", &spring_a));
    assert_ok(ctx, lf_parameter_find(ctx, model, "b.log_spring", &spring_b));
    assert_ok(ctx, lf_parameter_find(ctx, model, "a.noise_variance", &noise));
    assert_ok(ctx, lf_parameter_set(ctx, model, spring_b, 1));
    assert_ok(ctx, lf_parameter_set(ctx, model, noise, 0));
    double *apart = malloc(n * sizeof *apart), *tied = malloc(n * sizeof *tied), value;
    lf_engine *engine;
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value, apart));
    lf_engine_free(engine);
    assert_near(apart[noise], 0, 0);
    assert_ok(ctx, lf_parameter_tie(ctx, model, spring_b, spring_a));
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &value, tied));
    lf_engine_free(engine);
    assert_near(tied[spring_a], apart[spring_a] + apart[spring_b], 1e-15 * fabs(tied[spring_a]));
    assert_near(tied[spring_b], 0, 0);
    check_by(ctx, model, data, "uniform");
    free(apart);
    free(tied);
    lf_model_free(model);
    lf_data_free(data);
}

/* ---- identities ---- */

static void test_order_shift_and_units_do_not_matter(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, rich);
    lf_data *data = rich_data(ctx, 0, 0), *reversed = rich_data(ctx, 1, 0), *shifted = rich_data(ctx, 0, 100);
    double value = value_of(ctx, model, data);
    assert_near(value_of(ctx, model, reversed), value, 2e-14 * fabs(value));
    model->origin += 100;
    assert_near(value_of(ctx, model, shifted), value, 1e-13 * fabs(value));
    lf_model_free(model);
    lf_data_free(reversed);
    lf_data_free(shifted);

    /* y -> 10 y + 3 with scale and offset to match: the density falls by log 10 a row */
    model = parse_model(ctx, rich);
    lf_data *scaled = empty_data(ctx, 1);
    for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(data, i);
        add(ctx, scaled, lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output), NULL, row.x[0], 10 * row.y + 3,
            10 * row.sd);
    }
    lf_engine *before, *after;
    double v1, v2;
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &before));
    for (int d = 0; d < 3; d++) {
        model->outputs[d].scale *= 10;
        model->outputs[d].offset = 10 * model->outputs[d].offset + 3;
    }
    assert_ok(ctx, lf_engine_create(ctx, model, scaled, NULL, &after));
    assert_ok(ctx, lf_engine_evaluate(before, 0, NULL, &v1, NULL));
    assert_ok(ctx, lf_engine_evaluate(after, 0, NULL, &v2, NULL));
    assert_near(v1, v2, 3e-15 * fabs(v1));
    assert_near(lf_engine_log_jacobian(before) - lf_engine_log_jacobian(after), 45 * log(10), 1e-13);
    lf_engine_free(before);
    lf_engine_free(after);
    lf_data_free(scaled);
    lf_data_free(data);
    lf_model_free(model);
}

/* Replicates share parameters and nothing else: the likelihood is the sum, a posterior sees its own rows only. */
static void test_replicates(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, small_ode1);
    lf_data *first = empty_data(ctx, 1), *second = empty_data(ctx, 1), *both = empty_data(ctx, 1);
    for (int i = 0; i < 20; i++) {
        double y1 = sin(i), y2 = cos(i);
        const char *output = i % 2 ? "a" : "b";
        add(ctx, first, output, NULL, 0.1 * i, y1, 0);
        add(ctx, second, output, NULL, 0.15 * i, y2, 0);
        add(ctx, both, output, "two", 0.15 * i, y2, 0);
        add(ctx, both, output, "one", 0.1 * i, y1, 0);
    }
    assert_near(value_of(ctx, model, both), value_of(ctx, model, first) + value_of(ctx, model, second), 1e-13);
    check_by(ctx, model, both, "uniform");

    lf_engine *engine;
    lf_posterior *joint, *alone;
    assert_ok(ctx, lf_engine_create(ctx, model, both, NULL, &engine));
    assert_ok(ctx, lf_engine_posterior(engine, &joint));
    lf_engine_free(engine);
    assert_ok(ctx, lf_engine_create(ctx, model, first, NULL, &engine));
    assert_ok(ctx, lf_engine_posterior(engine, &alone));
    lf_engine_free(engine);
    assert_int_equal((int)facts_of(ctx, joint).replicates, 2);
    assert_string_equal(lf_posterior_name(joint, 1), "one");
    const int target[] = {0, 1, 2, 0}, replicate[] = {1, 1, 1, 0};
    const double x[] = {0.33, 1.2, 0.8, 0.33};
    lf_point_list points = {.n = 4, .target = target, .replicate = replicate, .x = x};
    double mean[4], variance[4], mean_alone[4], variance_alone[4], covariance[16];
    assert_ok(ctx, lf_predict_list(joint, &points, mean, variance, covariance));
    points.replicate = NULL;
    assert_ok(ctx, lf_predict_list(alone, &points, mean_alone, variance_alone, NULL));
    for (int i = 0; i < 3; i++) {
        assert_near(mean[i], mean_alone[i], 3e-14);
        assert_near(variance[i], variance_alone[i], 5e-15);
        assert_near(covariance[i * 4 + i], variance[i], 3e-15);
        assert_near(covariance[i * 4 + 3], 0, 0);
    }
    assert_true(fabs(mean[3] - mean[0]) > 1e-3);
    const int unseen[] = {0, 0, 2, 0};
    points.replicate = unseen;
    assert_int_equal(lf_predict_list(joint, &points, mean, NULL, NULL), LF_ERROR_ARGUMENT);
    lf_posterior_free(joint);
    lf_posterior_free(alone);
    lf_data_free(first);
    lf_data_free(second);
    lf_data_free(both);
    lf_model_free(model);
}

/* Conditioning by hand on the joint prior of rows, outputs and forces gives the same posterior. */
static void test_posterior_is_conditioning(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, rich);
    const int target[] = {0, 1, 2, 0, 3, 4}; /* three rows, then an output and both forces */
    const double x[] = {1.1, 1.9, 1.4, 1.5, 1.2, 0.9}, y[] = {0.4, -1, 0.7};
    lf_point_list all = {.n = 6, .target = target, .x = x}, asked = {.n = 3, .target = target + 3, .x = x + 3};
    double K[36], A[3][6];
    assert_ok(ctx, lf_covariance_list(ctx, model, &all, NULL, K));
    for (int i = 0; i < 3; i++) { /* solve (K + noise) A = [K_cross, y - offset] by elimination */
        for (int j = 0; j < 3; j++) {
            A[i][j] = K[i * 6 + j] + (i == j ? lf_model_noise_variance(model, i) : 0);
        }
    }
    double rhs[3][4];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            rhs[i][j] = K[i * 6 + 3 + j];
        }
        rhs[i][3] = y[i] - lf_model_output(model, i).offset;
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            double factor = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = 0; j < 3; j++) {
                A[i][j] -= factor * A[k][j];
            }
            for (int j = 0; j < 4; j++) {
                rhs[i][j] -= factor * rhs[k][j];
            }
        }
    }
    lf_data *data = empty_data(ctx, 1);
    const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        add(ctx, data, names[i], NULL, x[i], y[i], 0);
    }
    lf_engine *engine;
    lf_posterior *posterior;
    double mean[3], variance[3], covariance[9];
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    lf_engine_free(engine);
    assert_ok(ctx, lf_predict_list(posterior, &asked, mean, variance, covariance));
    for (int i = 0; i < 3; i++) {
        double m = i == 0 ? lf_model_output(model, 0).offset : 0;
        for (int k = 0; k < 3; k++) {
            m += K[(3 + i) * 6 + k] * rhs[k][3] / A[k][k];
        }
        assert_near(mean[i], m, 1e-15);
        for (int j = 0; j < 3; j++) {
            double c = K[(3 + i) * 6 + 3 + j];
            for (int k = 0; k < 3; k++) {
                c -= K[(3 + i) * 6 + k] * rhs[k][j] / A[k][k];
            }
            assert_near(covariance[i * 3 + j], c, 5e-15);
        }
        assert_near(variance[i], covariance[i * 4], 5e-15);
    }
    lf_posterior_free(posterior);
    lf_data_free(data);
    lf_model_free(model);
}

/* Moments of many joint draws, from the posterior and from the prior. */
static void test_samples_have_the_right_moments(void **state)
{
    lf_context *ctx = *state;
    enum { DRAWS = 20000 };
    lf_model *model = parse_model(ctx, rich);
    lf_data *data = rich_data(ctx, 0, 0);
    lf_engine *engine;
    lf_posterior *posterior;
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    lf_engine_free(engine);
    const int target[] = {0, 2, 3, 4, 1};
    const double x[] = {2.9, 3, 1.2, 2.5, 3.4};
    lf_point_list points = {.n = 5, .target = target, .x = x};
    double mean[5], K[25], *samples = malloc(DRAWS * 5 * sizeof *samples);
    lf_context_set_seed(ctx, 3);
    for (int prior = 0; prior < 2; prior++) {
        if (prior) {
            assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, K));
            for (int i = 0; i < 5; i++) {
                mean[i] = target[i] < 3 ? lf_model_output(model, target[i]).offset : 0;
            }
            for (int s = 0; s < DRAWS; s++) {
                assert_ok(ctx, lf_simulate_list(ctx, model, &points, NULL, samples + 5 * s));
            }
        } else {
            assert_ok(ctx, lf_predict_list(posterior, &points, mean, NULL, K));
            assert_ok(ctx, lf_draw_list(posterior, &points, DRAWS, samples));
        }
        for (int i = 0; i < 5; i++) {
            double m = 0;
            for (int s = 0; s < DRAWS; s++) {
                m += samples[5 * s + i] / DRAWS;
            }
            assert_near(m, mean[i], 5 * sqrt(K[i * 6] / DRAWS));
            for (int j = 0; j < 5; j++) {
                double c = 0, size = sqrt(K[i * 6] * K[j * 6]);
                for (int s = 0; s < DRAWS; s++) {
                    c += (samples[5 * s + i] - mean[i]) * (samples[5 * s + j] - mean[j]) / DRAWS;
                }
                assert_near(c, K[i * 5 + j], 7 * size / sqrt(DRAWS));
            }
        }
    }
    free(samples);
    lf_posterior_free(posterior);
    lf_data_free(data);
    lf_model_free(model);
}

/* Simulated replicates are independent, points of one replicate are not. */
static void test_simulate_replicates(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, small_ode1);
    const int target[] = {0, 0, 0}, replicate[] = {4, 4, 9};
    const double x[] = {2, 2, 2};
    lf_point_list points = {.n = 3, .target = target, .replicate = replicate, .x = x};
    double f[3], again[3];
    lf_context_set_seed(ctx, 8);
    assert_ok(ctx, lf_simulate_list(ctx, model, &points, NULL, f));
    /* far above rounding on purpose: what rounding leaves of a variance of 0 is drawn as its square root */
    assert_near(f[0], f[1], 5e-8);
    assert_true(fabs(f[0] - f[2]) > 1e-3);
    lf_context_set_seed(ctx, 8);
    assert_ok(ctx, lf_simulate_list(ctx, model, &points, NULL, again));
    assert_memory_equal(f, again, sizeof f);
    lf_model_free(model);
}

static void test_gaussian_operator_with_two_inputs(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(
        ctx, "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":2,\"forces\":[{\"kernel\":\"eq\","
             "\"lengthscale\":[0.8,1.1]}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\","
             "\"precision\":[1.5,3]},\"sensitivity\":[1.3],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":"
             "{\"type\":\"gaussian\",\"precision\":4},\"sensitivity\":[-0.7],\"noise_variance\":0.2}]}");
    lf_data *data = empty_data(ctx, 2);
    for (int i = 0; i < 24; i++) {
        double x[2] = {sin(i), cos(2.0 * i)};
        assert_ok(
            ctx, lf_data_add(ctx, data,
                             &(lf_row){.size = sizeof(lf_row), .output = i % 2 ? "a" : "b", .x = x, .y = x[0] * x[1]}));
    }
    check_by(ctx, model, data, "closed-form");
    lf_model_free(model);
    lf_data_free(data);
}

/* ---- what cannot be done ---- */

static void test_messages(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, small_ode1);
    lf_data *data = empty_data(ctx, 1);
    lf_engine *engine;
    assert_int_equal(lf_engine_create(ctx, model, data, NULL, &engine), LF_ERROR_DATA);
    add(ctx, data, "stranger", NULL, 1, 1, 0);
    assert_int_equal(lf_engine_create(ctx, model, data, NULL, &engine), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(ctx), "'stranger'"));
    assert_null(engine);
    lf_data_free(data);
    data = empty_data(ctx, 1);
    add(ctx, data, "a", NULL, -2, 1, 0);
    assert_int_equal(lf_engine_create(ctx, model, data, NULL, &engine), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(ctx), "x = -2"));
    lf_data_free(data);
    data = empty_data(ctx, 2);
    const double x2[2] = {1, 2};
    assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = x2, .y = 1}));
    assert_int_equal(lf_engine_create(ctx, model, data, NULL, &engine), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(ctx), "2 inputs"));
    lf_data_free(data);
    data = empty_data(ctx, 1);
    add(ctx, data, "a", NULL, 1, 1, 0);
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "quantum"};
    assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "'quantum'"));
    add(ctx, data, "a", NULL, 1, 2, 0); /* the same input twice without noise cannot be explained */
    *model->parameters[lf_index_noise(model, 0)].value = 0;
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    double value;
    assert_int_equal(lf_engine_evaluate(engine, 0, NULL, &value, NULL), LF_ERROR_NUMERIC);
    assert_non_null(strstr(lf_context_message(ctx), "noise_variance"));
    assert_non_null(strstr(lf_context_message(ctx), "'a'"));
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_ties_and_zeros),
        cmocka_unit_test(test_order_shift_and_units_do_not_matter),
        cmocka_unit_test(test_replicates),
        cmocka_unit_test(test_posterior_is_conditioning),
        cmocka_unit_test(test_samples_have_the_right_moments),
        cmocka_unit_test(test_simulate_replicates),
        cmocka_unit_test(test_gaussian_operator_with_two_inputs),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
