/* Stretches over which the covariance of the filter is constant. Noise that differs from row to row in its last digits prevents them, so that
 * the same numbers come out of full steps. */
#include "engine/engine.h"
#include "kalman/filter.h"
#include "support.h"

static lf_model *from_equations(lf_context *ctx, const char *text)
{
    lf_model *model;
    assert_ok(ctx, lf_model_from_equations(ctx, text, "test.eq", &model));
    return model;
}

static void add(lf_context *ctx, lf_data *data, const char *name, double t, double y, double width, double sd)
{
    assert_ok(ctx, lf_data_add(ctx, data, name, NULL, &t, y, sd, NULL));
    assert_ok(ctx, lf_data_set_width(ctx, data, lf_data_count(data) - 1, width));
}

/* Forces in equations and outputs, a known input, constants, an average. */
static const char *const rich =
    "input v\nforce u ~ matern32(lengthscale = 0.8, amplitude = 1.1)\nforce q ~ white(sd = 0.4)\n"
    "a*x' + b*z' = -x + u + q + h\nz' = -k*z + x/a + 0.3*v\n"
    "output y1 = x + 0.5*z + e*v noise = 0.2\noutput y2 = z - 0.7*u + h noise = 0.1\n"
    "parameter a = 1.4\nparameter b = 0.3 real\nparameter h = -0.2 real\nparameter k = 0.9\n"
    "parameter e = 0.5 real\nstart x ~ normal(0.4, 0.7)\nstart z ~ normal(0, 1)\n";
static const char *const operators =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"stationary\",\"forces\":["
    "{\"kernel\":\"matern32\",\"lengthscale\":0.7}],\"outputs\":["
    "{\"name\":\"y1\",\"operator\":{\"type\":\"ode1\",\"decay\":0.9},\"sensitivity\":[1.3],\"noise_variance\":0.01},"
    "{\"name\":\"y2\",\"operator\":{\"type\":\"ode2\",\"mass\":1.5,\"damper\":3,\"spring\":2},\"sensitivity\":[-0.8],"
    "\"noise_variance\":0.04,\"private\":{\"kernel\":\"matern12\",\"lengthscale\":0.3,\"amplitude\":0.5}}]}";

enum { TIMES = 700 };
typedef struct shape {
    double width; /* of readings of y1 */
    int gaps;     /* times without rows, and without those of y2 */
    int input;
} shape;

/* Readings at even times; `uneven`: with noise that differs from row to row by rounding. */
static lf_data *make_rows(lf_context *ctx, shape which, int uneven)
{
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 6);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i <= TIMES; i++) {
        double t = 0.4 * i, sd = uneven && i % 2 ? 1e-8 : 0, y1 = lf_random_normal(&random),
               y2 = lf_random_normal(&random);
        if (which.input) {
            add(ctx, data, "v", t, sin(0.3 * t) + 0.2 * y2, 0, 0);
        }
        if (i == 0 || (which.gaps && i > 300 && i < 330)) {
            continue;
        }
        add(ctx, data, "y1", t, y1, which.width, sd);
        if (!which.gaps || i < 500 || i > 520) {
            add(ctx, data, "y2", t, y2, 0, sd);
        }
    }
    return data;
}

typedef struct result {
    double value, gradient[40], mean[60], variance[60];
} result;

static result compute(lf_context *ctx, const lf_model *model, const lf_data *data)
{
    result r;
    lf_engine *engine;
    lf_posterior *posterior;
    lf_engine_options kalman = {.size = sizeof kalman, .engine = "kalman"};
    size_t n = lf_parameter_count(model);
    assert_true(n <= 40);
    assert_ok(ctx, lf_engine_create(ctx, model, data, &kalman, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, n, NULL, &r.value, r.gradient));
    double alone;
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &alone, NULL));
    assert_near(alone, r.value, 1e-12 * fabs(alone));
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    int target[60];
    double x[60];
    for (int i = 0; i < 60; i++) {
        target[i] = i % 5;
        x[i] = i % 3 ? 0.4 * (11 * i + 5) : 4.17 * i + 0.3; /* at rows, and between them */
    }
    lf_points points = {.n = 60, .target = target, .x = x};
    assert_ok(ctx, lf_predict(posterior, &points, r.mean, r.variance, NULL));
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    return r;
}

static void compare(lf_context *ctx, const lf_model *model, shape which)
{
    lf_data *even = make_rows(ctx, which, 0), *uneven = make_rows(ctx, which, 1);
    result a = compute(ctx, model, even), b = compute(ctx, model, uneven);
    double largest = 0;
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        largest = fmax(largest, fabs(b.gradient[i]));
    }
    assert_near(a.value, b.value, 1e-13 * fabs(b.value));
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        assert_near(a.gradient[i], b.gradient[i], 2e-13 * largest);
    }
    for (int i = 0; i < 60; i++) {
        assert_near(a.mean[i], b.mean[i], 2e-13);
        assert_near(a.variance[i], b.variance[i], 1e-13);
    }
    lf_data_free(even);
    lf_data_free(uneven);
}

static void test_equations(void **state)
{
    lf_model *model = from_equations(*state, rich);
    compare(*state, model, (shape){.input = 1});
    compare(*state, model, (shape){.input = 1, .gaps = 1});
    compare(*state, model, (shape){.input = 1, .width = 0.4});
    compare(*state, model, (shape){.input = 1, .width = 0.4, .gaps = 1});
    lf_model_free(model);
}

static void test_operators(void **state)
{
    lf_model *model = parse_model(*state, operators);
    compare(*state, model, (shape){0});
    compare(*state, model, (shape){.gaps = 1});
    compare(*state, model, (shape){.width = 0.4});
    lf_model_free(model);
}

/* The stretches that the filter finds. */
static void test_found(void **state)
{
    lf_model *model = parse_model(*state, operators);
    for (int k = 0; k < 3; k++) {
        int gaps = k == 1;
        lf_data *data = make_rows(*state, (shape){.gaps = gaps, .width = k == 2 ? 0.4 : 0}, 0);
        lf_rows rows;
        lf_state_space space;
        lf_timeline timeline;
        lf_filter filter;
        assert_ok(*state, lf_rows_create(*state, model, data, &rows));
        const lf_replicate *replicate = &rows.replicates[0];
        double *y = calloc(rows.n, sizeof *y), *noise = calloc(rows.n, sizeof *noise), value;
        lf_rows_scaled(model, replicate, y, noise);
        assert_ok(*state, lf_timeline_create(*state, model, NAN, &replicate->points, NULL, &timeline));
        assert_ok(*state, lf_state_space_create_averaging(*state, model, 0, timeline.slots, &space));
        assert_ok(*state, lf_state_space_update(*state, &space));
        assert_ok(*state, lf_filter_create(*state, &space, &timeline, y, noise, NULL, NULL, &filter));
        assert_ok(*state, lf_filter_run(&filter, &value));
        assert_int_equal(filter.search.count, gaps ? 3 : 1);
        const lf_stretch *first = filter.search.stretches[0];
        assert_true(first->first > 20 && first->first < 150 && first->memory > 4);
        assert_int_equal(first->last, (gaps ? 300 : TIMES) - (k != 2)); /* the first interval begins a step earlier */
        lf_filter_clear(&filter);
        lf_timeline_clear(&timeline);
        lf_state_space_clear(&space);
        lf_rows_clear(&rows);
        lf_data_free(data);
        free(y);
        free(noise);
    }
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equations), cmocka_unit_test(test_operators),
                                       cmocka_unit_test(test_found)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
