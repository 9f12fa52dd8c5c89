/* Stretches over which the covariance of the filter is constant. Noise that differs from row to row in its last digits prevents them, so that
 * the same numbers come out of full steps. Differences of the log likelihood, and the dense engine, check them without any filter. */
#include "data/data.h"
#include "engine/engine.h"
#include "kalman/filter.h"
#include "support.h"

static lf_model *from_equations(lf_context *ctx, const char *text)
{
    lf_model *model;
    assert_ok(ctx, lf_model_from_equations(ctx, text, "test.eq", &model));
    return model;
}

static void add_to(lf_context *ctx, lf_data *data, const char *replicate, const char *name, double t, double y,
                   double width, double sd)
{
    assert_ok(
        ctx, lf_data_add(
                 ctx, data,
                 &(lf_row){.size = sizeof(lf_row), .output = name, .replicate = replicate, .x = &t, .y = y, .sd = sd}));
    assert_ok(ctx, lf_data_set_width(ctx, data, lf_data_count(data, LF_KIND_ROW) - 1, width));
}

static void add(lf_context *ctx, lf_data *data, const char *name, double t, double y, double width, double sd)
{
    add_to(ctx, data, NULL, name, t, y, width, sd);
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
    lf_point_list points = {.n = 60, .target = target, .x = x};
    assert_ok(ctx, lf_predict_list(posterior, &points, r.mean, r.variance, NULL));
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

/* ---- the stretches that the filter finds ---- */

/* Their number in a replicate, and the first of them. */
static size_t find_stretches(lf_context *ctx, const lf_model *model, const lf_data *data, int r, lf_stretch *first)
{
    lf_rows rows;
    lf_state_space space;
    lf_timeline timeline;
    lf_filter filter;
    assert_ok(ctx, lf_rows_create(ctx, model, data, &rows));
    const lf_replicate *replicate = &rows.replicates[r];
    double *y = calloc(rows.n, sizeof *y), *noise = calloc(rows.n, sizeof *noise), value;
    lf_rows_scaled(model, replicate, y, noise);
    assert_ok(ctx, lf_timeline_create(ctx, model, NAN, &replicate->points, NULL, &timeline));
    assert_ok(ctx, lf_state_space_create_averaging(ctx, model, 0, timeline.slots, &space));
    assert_ok(ctx, lf_state_space_update(ctx, &space));
    assert_ok(ctx, lf_filter_create(ctx, &space, &timeline, y, noise, NULL, NULL, &filter));
    assert_ok(ctx, lf_filter_run(&filter, &value));
    size_t count = filter.search.count;
    *first = count ? *filter.search.stretches[0] : (lf_stretch){0}; /* its arrays are released */
    lf_filter_clear(&filter);
    lf_timeline_clear(&timeline);
    lf_state_space_clear(&space);
    lf_rows_clear(&rows);
    free(y);
    free(noise);
    return count;
}

static void test_found(void **state)
{
    lf_model *model = parse_model(*state, operators);
    for (int k = 0; k < 3; k++) {
        int gaps = k == 1;
        lf_stretch first;
        lf_data *data = make_rows(*state, (shape){.gaps = gaps, .width = k == 2 ? 0.4 : 0}, 0);
        assert_int_equal(find_stretches(*state, model, data, 0, &first), gaps ? 3 : 1);
        assert_true(first.first > 20 && first.first < 150 && first.memory > 4);
        assert_int_equal(first.last, (gaps ? 300 : TIMES) - (k != 2)); /* the first interval begins a step earlier */
        lf_data_free(data);
    }
    lf_model_free(model);
}

/* ---- without a filter ---- */

/* Rows of two replicates whose patterns change: an output that begins late, another step, a time without rows, another noise. Each of the
 * first `patterns` lasts for `length` times. */
static lf_data *make_patterns(lf_context *ctx, int patterns, int length, double step)
{
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 9);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int r = 0; r < 2; r++) {
        const char *replicate = r ? "two" : "one";
        double t = 0;
        for (int i = 0; i < patterns * length; i++) {
            int pattern = (i / length + r) % 4;
            t += step * (pattern == 1 ? 0.75 : 1);
            if (i == 0) {
                add_to(ctx, data, replicate, "v", 0, 0.1, 0, 0);
            }
            add_to(ctx, data, replicate, "v", t, sin(0.3 * t + r), 0, 0);
            if (pattern == 2 && i % length == length / 3) {
                continue; /* a time without rows */
            }
            add_to(ctx, data, replicate, "y1", t, lf_random_normal(&random), 0, pattern == 3 ? 0.3 : 0);
            if (pattern != 0) {
                add_to(ctx, data, replicate, "y2", t, lf_random_normal(&random), 0, 0);
            }
        }
    }
    return data;
}

static double value_at(void *user, const double *theta)
{
    lf_engine *engine = user;
    double value;
    assert_ok(engine->ctx, lf_engine_evaluate(engine, engine->model->parameter_count, theta, &value, NULL));
    return value;
}

static const char *name_of(void *user, size_t i) { return ((lf_engine *)user)->model->parameters[i].name; }

/* With records that fit into the cache and with records of segments. */
static void test_differences(void **state)
{
    static const struct {
        int patterns, length;
    } cases[] = {{2, 200}, {4, 200}, {4, 330}};
    lf_model *model = from_equations(*state, rich);
    size_t n = lf_parameter_count(model);
    double theta[40], gradient[40], value;
    assert_true(n <= 40);
    lf_model_theta(model, theta);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += ONE_OF(3)) {
        lf_data *data = make_patterns(*state, cases[i].patterns, cases[i].length, 0.4);
        lf_engine *engine;
        lf_stretch first;
        lf_engine_options kalman = {.size = sizeof kalman, .engine = "kalman"};
        for (int r = 0; r < 2; r++) {
            assert_true(find_stretches(*state, model, data, r, &first) + 1 >= (size_t)cases[i].patterns);
        }
        assert_ok(*state, lf_engine_create(*state, model, data, &kalman, &engine));
        assert_ok(*state, lf_engine_evaluate(engine, n, theta, &value, gradient));
        check_gradient(n, theta, gradient, value_at, engine, 1e-3, 1e-8, name_of);
        lf_engine_free(engine);
        lf_data_free(data);
    }
    lf_model_free(model);
}

/* The same rows through the dense engine, which knows nothing of steps. */
static void test_frequencies(void **state)
{
    static const char *const names[2] = {"kalman", "dense"};
    lf_model *model = from_equations(*state, rich);
    lf_data *data = make_patterns(*state, 2, 75, 2);
    lf_stretch first;
    size_t n = lf_parameter_count(model);
    double gradient[2][40], value[2], largest = 0;
    assert_true(n <= 40 && find_stretches(*state, model, data, 0, &first) >= 1);
    for (int k = 0; k < 2; k++) {
        lf_engine_options options = {.size = sizeof options, .engine = names[k]};
        lf_engine *engine;
        assert_ok(*state, lf_engine_create(*state, model, data, &options, &engine));
        assert_ok(*state, lf_engine_evaluate(engine, n, NULL, &value[k], gradient[k]));
        lf_engine_free(engine);
    }
    assert_near(value[1], value[0], 1e-13 * fabs(value[0]));
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(gradient[0][i]));
    }
    for (size_t i = 0; i < n; i++) {
        assert_near(gradient[1][i], gradient[0][i], 1e-13 * largest);
    }
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equations), cmocka_unit_test(test_operators),
                                       cmocka_unit_test(test_found), cmocka_unit_test(test_differences),
                                       cmocka_unit_test(test_frequencies)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
