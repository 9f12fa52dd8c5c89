/* What posteriors of all engines share: rates of change against differences of the outputs themselves, joint covariances
 * of outputs with their rates, and storing a posterior in the model and taking it from there again. */
#include "support.h"

#include <jansson.h>
#include <unistd.h>

#include "base/base64.h"
#include "model/model.h"

static lf_posterior_info facts_of(lf_context *ctx, const lf_posterior *posterior)
{
    lf_posterior_info info = {.size = sizeof info};
    assert_ok(ctx, lf_posterior_get(ctx, posterior, &info));
    return info;
}

static const char *const starts[] = {"zero", "stationary", "free"};
static const char *const engines[] = {"dense", "lowrank", "fourier"};

static lf_model *three_outputs(lf_context *ctx, const char *initial)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"eq\","
        "\"lengthscale\":0.9},{\"kernel\":\"eq\",\"lengthscale\":0.6}],\"outputs\":[{\"name\":\"a\",\"operator\":"
        "{\"type\":\"ode1\",\"decay\":1.3},\"sensitivity\":[1,-0.5],\"noise_variance\":0.1,\"offset\":0.3,\"scale\":2,"
        "\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.8,\"amplitude\":0.7}},{\"name\":\"b\",\"operator\":{\"type\":"
        "\"ode2\",\"mass\":1.2,\"damper\":0.8,\"spring\":2},\"sensitivity\":[0.7,2],\"noise_variance\":0.05},{\"name\":"
        "\"c\",\"operator\":{\"type\":\"ode\",\"coefficients\":[1,3,3,1]},\"sensitivity\":[2,1],\"noise_variance\":"
        "0.02}]}",
        initial);
    return parse_model(ctx, text);
}

static lf_data *some_data(lf_context *ctx, int replicates)
{
    lf_data *data;
    static const char *const names[] = {"a", "b", "c"}, *const labels[] = {"first", "second"};
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 60 * replicates; i++) {
        double x = 0.05 + 0.13 * (i % 20) + 0.01 * sin(5.0 * i);
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = names[i / 20 % 3],
                                             .replicate = replicates > 1 ? labels[i / 60] : NULL,
                                             .x = &x,
                                             .y = sin(2 * x + i / 20),
                                             .sd = i % 7 == 0 ? 0.2 : 0}));
    }
    return data;
}

static lf_posterior *posterior_of(lf_context *ctx, const lf_model *model, const lf_data *data, const char *name)
{
    lf_engine_options options = {
        .size = sizeof(lf_engine_options), .engine = name, .tolerance = name[0] == 'd' ? 0 : 1e-12};
    return make_posterior(ctx, model, data, &options);
}

/* Mean and covariance of the rate are limits of difference quotients; with the output itself too. */
static void test_rates_are_derivatives(void **state)
{
    lf_context *ctx = *state;
    for (int s = 0; s < 3; s++) {
        lf_model *model = three_outputs(ctx, starts[s]);
        lf_data *data = some_data(ctx, 1);
        for (int e = 0; e < 3; e++) {
            lf_posterior *posterior = posterior_of(ctx, model, data, engines[e]);
            for (int d = 0; d < 3; d++) {
                const double h = 1e-3, at = 1.31;
                /* f at four points for a difference of fourth order, the rate, and f elsewhere */
                const int target[] = {d, d, d, d, 5 + d, d};
                const double x[] = {at - 2 * h, at - h, at + h, at + 2 * h, at, 0.7};
                const double weight[] = {1, -8, 8, -1};
                lf_point_list points = {.n = 6, .target = target, .x = x};
                double mean[6], variance[6], K[36], slope = 0, cross = 0, own = 0;
                assert_ok(ctx, lf_predict_list(posterior, &points, mean, variance, K));
                for (int i = 0; i < 4; i++) {
                    slope += weight[i] * mean[i] / (12 * h);
                    cross += weight[i] * K[i * 6 + 5] / (12 * h);
                    own += weight[i] * K[i * 6 + 4] / (12 * h);
                }
                double size = sqrt(variance[4]) + 1e-2;
                assert_near(mean[4], slope, 2e-10 * (fabs(slope) + 1));
                assert_near(K[4 * 6 + 5], cross, 1e-11 * (size + 1));
                assert_near(variance[4], own, 3e-11 * (variance[4] + 1));
                assert_near(K[4 * 6 + 4], variance[4], 3e-14 * (variance[4] + 1));
            }
            lf_posterior_free(posterior);
        }
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* A rate from rest obeys the equation: f' + decay f = S u for order 1, jointly with the forces. */
static void test_rates_obey_the_equation(void **state)
{
    lf_context *ctx = *state;
    lf_model *model =
        parse_model(ctx, "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\","
                         "\"lengthscale\":0.9}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\","
                         "\"decay\":1.3},\"sensitivity\":[2],\"noise_variance\":0.1}]}");
    const int target[] = {0, 1, 2};
    const double x[] = {1.7, 1.7, 1.7}, row[] = {1.3, -2, 1}; /* decay f - S u + f' = 0 */
    lf_point_list points = {.n = 3, .target = target, .x = x};
    double K[9];
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, K));
    for (int i = 0; i < 3; i++) {
        assert_near(row[0] * K[i] + row[1] * K[3 + i] + row[2] * K[6 + i], 0, 5e-15);
    }
    lf_model_free(model);
}

/* Through the model file and back: the same answers without the data. */
static void test_stored_posteriors(void **state)
{
    lf_context *ctx = *state;
    char path[] = "/tmp/latentforce-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (int trial = 0; trial < 9; trial++) {
        lf_model *model = three_outputs(ctx, starts[trial % 3]), *again;
        lf_data *data = some_data(ctx, 1 + trial % 2);
        lf_posterior *posterior = posterior_of(ctx, model, data, engines[trial / 3]), *restored;
        assert_false(lf_model_has_posterior(model));
        assert_ok(ctx, lf_posterior_store(posterior, model));
        assert_ok(ctx, lf_model_write(ctx, model, path));
        assert_ok(ctx, lf_model_read(ctx, path, &again));
        assert_true(lf_model_has_posterior(again));
        assert_ok(ctx, lf_posterior_restore(ctx, again, &restored));
        assert_int_equal((int)facts_of(ctx, restored).replicates, 1 + trial % 2);
        assert_string_equal(lf_posterior_name(restored, 0), trial % 2 ? "first" : "");
        const int target[] = {0, 1, 2, 3, 4, 5, 6, 7, 0}, replicate[] = {0, 0, 0, 0, 0, 0, 0, 0, trial % 2};
        const double x[] = {0.5, 1.1, 2, 0.3, 1.4, 0.9, 0.2, 1.6, 2.2};
        lf_point_list points = {.n = 9, .target = target, .replicate = replicate, .x = x};
        double m1[9], m2[9], c1[81], c2[81];
        assert_ok(ctx, lf_predict_list(posterior, &points, m1, NULL, c1));
        assert_ok(ctx, lf_predict_list(restored, &points, m2, NULL, c2));
        for (int i = 0; i < 81; i++) {
            assert_near(c2[i], c1[i], 5e-15 * (1 + fabs(c1[i])));
            assert_near(m2[i % 9], m1[i % 9], 1e-13 * (1 + fabs(m1[i % 9])));
        }
        /* beyond the horizon: the dense engine answers, the others say so */
        const double far = 50;
        lf_point_list beyond = {.n = 1, .target = target, .x = &far};
        double to;
        to = facts_of(ctx, restored).to;
        if (trial / 3 == 0) {
            assert_ok(ctx, lf_predict_list(restored, &beyond, m2, NULL, NULL));
            assert_true(isinf(to));
        } else {
            assert_int_equal(lf_predict_list(restored, &beyond, m2, NULL, NULL), LF_ERROR_ARGUMENT);
            assert_non_null(strstr(lf_context_message(ctx), "50"));
            assert_true(to > 2 && to < 3);
        }
        double first, last, first_again, last_again;
        first = facts_of(ctx, posterior).first;
        last = facts_of(ctx, posterior).last;
        first_again = facts_of(ctx, restored).first;
        last_again = facts_of(ctx, restored).last;
        assert_true(first == first_again && last == last_again && first > 0.03 && first < 0.07 && last > 2.5);
        lf_posterior_free(restored);
        /* another parameter: the stored posterior is not for this model */
        size_t index;
        assert_ok(ctx, lf_parameter_find(ctx, again, "a.decay", &index));
        *again->parameters[index].value = 1.4;
        assert_int_equal(lf_posterior_restore(ctx, again, &restored), LF_ERROR_MODEL);
        assert_non_null(strstr(lf_context_message(ctx), "a.decay = 1.3, which is now 1.4"));
        assert_ok(ctx, lf_parameter_set(ctx, again, index, 1.5));
        assert_false(lf_model_has_posterior(again));
        lf_model_free(again);
        lf_posterior_free(posterior);
        lf_data_free(data);
        lf_model_free(model);
    }
    remove(path);
}

/* Every field of a stored posterior missing or of the wrong kind is a message, never a crash. */
static void damage(lf_context *ctx, lf_model *model, json_t *value)
{
    lf_posterior *posterior;
    const char *key;
    json_t *child;
    void *next;
    json_object_foreach_safe(value, next, key, child)
    {
        json_t *kept = json_incref(child);
        json_t *wrong[] = {json_null(), json_string("AAAA"), json_real(-5), json_array()};
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            json_object_set(value, key, wrong[i]);
            if (lf_posterior_restore(ctx, model, &posterior) == LF_OK) {
                lf_posterior_free(posterior); /* a number may be as good as another */
            } else {
                assert_null(posterior);
                assert_true(strlen(lf_context_message(ctx)) > 10);
            }
            json_decref(wrong[i]);
        }
        json_object_set(value, key, kept);
        if (json_is_object(kept)) {
            damage(ctx, model, kept);
        } else if (json_is_array(kept) && json_is_object(json_array_get(kept, 0))) {
            damage(ctx, model, json_array_get(kept, 0));
        }
        json_decref(kept);
    }
}

static void test_damaged_posteriors(void **state)
{
    lf_context *ctx = *state;
    for (int e = 0; e < 3; e++) {
        lf_model *model = three_outputs(ctx, "free");
        lf_data *data = some_data(ctx, 1);
        lf_posterior *posterior = posterior_of(ctx, model, data, engines[e]);
        assert_ok(ctx, lf_posterior_store(posterior, model));
        damage(ctx, model, model->posterior);
        lf_posterior_free(posterior);
        assert_ok(ctx, lf_posterior_restore(ctx, model, &posterior));
        lf_posterior_free(posterior);
        lf_data_free(data);
        lf_model_free(model);
    }
}

static void test_base64(void **state)
{
    (void)state;
    const double values[] = {0, -0.0, 1, -1e-300, 3.141592653589793, 1e308, 5e-324};
    for (size_t n = 0; n <= 7; n++) {
        double back[7];
        char *text = lf_base64_encode(n, values);
        assert_true(lf_base64_decode(text, n, back));
        assert_memory_equal(back, values, n * sizeof *back);
        assert_false(lf_base64_decode(text, n + 1, back));
        if (n) {
            text[0] = '*';
            assert_false(lf_base64_decode(text, n, back));
        }
        free(text);
    }
    char *one = lf_base64_encode(1, &values[2]);
    assert_string_equal(one, "AAAAAAAA8D8=");
    free(one);
}

/* auto: the cheapest engine that applies, and why. */
static void test_choice(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = three_outputs(ctx, "zero");
    lf_data *small = some_data(ctx, 1), *large;
    assert_ok(ctx, lf_data_create(ctx, 1, &large));
    for (int i = 0; i < 6000; i++) {
        double x = 0.0005 * i;
        assert_ok(ctx,
                  lf_data_add(ctx, large,
                              &(lf_row){.size = sizeof(lf_row), .output = i % 2 ? "a" : "b", .x = &x, .y = sin(x)}));
    }
    const struct {
        const lf_data *data;
        lf_engine_options options;
        const char *engine;
    } cases[] = {
        {small, {.size = sizeof(lf_engine_options)}, "dense"},
        {large, {.size = sizeof(lf_engine_options)}, "fourier"},
        {large, {.size = sizeof(lf_engine_options), .nodes = "mc", .features = 20}, "lowrank"},
        {small, {.size = sizeof(lf_engine_options), .nodes = "closed-form"}, "dense"},
        {small, {.size = sizeof(lf_engine_options), .features = 30}, "fourier"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lf_engine *engine;
        if (i == 3) { /* closed forms are for order 2 at most */
            lf_model *plain = parse_model(
                ctx,
                "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],"
                "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1],"
                "\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":"
                "[1],\"noise_variance\":0.1},{\"name\":\"c\",\"operator\":{\"type\":\"ode1\",\"decay\":1},"
                "\"sensitivity\":[1],\"noise_variance\":0.1}]}");
            assert_ok(ctx, lf_engine_create(ctx, plain, cases[i].data, &cases[i].options, &engine));
            lf_model_free(plain);
        } else {
            assert_ok(ctx, lf_engine_create(ctx, model, cases[i].data, &cases[i].options, &engine));
        }
        lf_engine_info info = lf_engine_describe(engine);
        assert_string_equal(info.engine, cases[i].engine);
        assert_non_null(strstr(info.reason, "dense"));
        lf_engine_free(engine);
    }
    lf_data_free(small);
    lf_data_free(large);
    lf_model_free(model);
}

/* A rate before the origin is refused with the name of its output; so is the covariance of an engine that has none. */
static void test_refusals(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(
        ctx, "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],"
             "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1],"
             "\"noise_variance\":0.1}]}");
    const int rate[] = {2}, output[] = {0};
    const double before[] = {-1}, x[] = {1};
    double K;
    lf_point_list points = {.n = 1, .target = rate, .x = before};
    assert_int_equal(lf_covariance_list(ctx, model, &points, NULL, &K), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(ctx), "output 'a'"));
    points = (lf_point_list){.n = 1, .target = output, .x = x};
    lf_engine_options options = {.size = sizeof options, .engine = "kalman"};
    assert_int_equal(lf_covariance_list(ctx, model, &points, &options, &K), LF_ERROR_UNSUPPORTED);
    options.engine = "features";
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, &options, &K));
    options.size = 0; /* a caller who forgot it */
    assert_int_equal(lf_covariance_list(ctx, model, &points, &options, &K), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "lf_engine_options.size is 0"));
    options.size = offsetof(lf_engine_options, nodes); /* one whose version has fewer fields */
    options.nodes = "a field it does not have";
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, &options, &K));
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_rates_are_derivatives),
        cmocka_unit_test(test_rates_obey_the_equation),
        cmocka_unit_test(test_stored_posteriors),
        cmocka_unit_test(test_damaged_posteriors),
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
