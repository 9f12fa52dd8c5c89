/* The inducing engines on a device agree with those on the processor: values, gradients, posteriors. The device is "host", also with little
 * memory, so that there are many tiles, or, with LF_TEST_DEVICE=gpu, a GPU; without one the status is 77, "skipped". */
#include "support.h"

#include "device_support.h"

#define FORMAT "{\"format\":\"latentforce-model\",\"version\":1,"
#define FORCES(kernel)                                                                                                 \
    "\"forces\":[{\"kernel\":\"" kernel "\",\"lengthscale\":0.9,\"inducing\":[0.6,1.1,1.7,2.4,2.9,3.3],"               \
    "\"inducing_noise\":0.01},{\"kernel\":\"" kernel "\",\"lengthscale\":1.3}],"
#define OUTPUT_A                                                                                                       \
    "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1.3},\"sensitivity\":[1,-0.5],\"noise_variance\":0.2,"  \
    "\"offset\":0.3,\"scale\":2}"
#define OUTPUT_B(private)                                                                                              \
    "{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1.2,\"damper\":0.9,\"spring\":2},\"sensitivity\":"       \
    "[0.7,2],\"noise_variance\":0.1" private "}"
#define OUTPUT_C                                                                                                       \
    "{\"name\":\"c\",\"operator\":{\"type\":\"ode\",\"coefficients\":[1,3,3,1]},\"sensitivity\":[2,0],"                \
    "\"noise_variance\":0.05,\"scale\":0.5}"
#define PRIVATE(kernel) ",\"private\":{\"kernel\":\"" kernel "\",\"lengthscale\":0.6,\"amplitude\":0.7}"
#define TWO_OUTPUTS(initial, kernel, private)                                                                          \
    FORMAT "\"initial\":\"" initial "\",\"origin\":0.5," FORCES(kernel) "\"outputs\":[" OUTPUT_A                       \
                                                                        "," OUTPUT_B(private) "]}"
#define MODEL(initial, kernel, private)                                                                                \
    FORMAT "\"initial\":\"" initial "\",\"origin\":0.5," FORCES(kernel) "\"outputs\":[" OUTPUT_A                       \
                                                                        "," OUTPUT_B(private) "," OUTPUT_C "]}"
#define TWO_INPUTS                                                                                                     \
    FORMAT "\"input_dim\":2,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":[0.8,1.1]},{\"kernel\":\"eq\","             \
           "\"lengthscale\":0.6}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\",\"precision\":"     \
           "[1.5,3]},\"sensitivity\":[1.3,0.4],\"noise_variance\":0.1,\"private\":{\"kernel\":\"eq\","                 \
           "\"lengthscale\":[0.6,0.9],\"amplitude\":0.7}},{\"name\":\"b\",\"operator\":{\"type\":\"gaussian\","        \
           "\"precision\":4},\"sensitivity\":[-0.7,1],\"noise_variance\":0.2}]}"

typedef struct problem {
    const char *model, *nodes;
    size_t features;
    int inputs, outputs, replicates, bars;
} problem;

static const problem problems[] = {
    {MODEL("zero", "eq", ""), "exact", 0, 1, 3, 1, 0},
    {MODEL("zero", "eq", ""), "exact", 0, 1, 3, 2, 1},
    {TWO_OUTPUTS("zero", "eq", PRIVATE("eq")), "closed-form", 0, 1, 2, 1, 0},
    {MODEL("stationary", "eq", PRIVATE("eq")), "exact", 0, 1, 3, 2, 0},
    {MODEL("free", "eq", PRIVATE("eq")), "exact", 0, 1, 3, 1, 1},
    {MODEL("free", "eq", ""), "uniform", 21, 1, 3, 1, 0},
    {MODEL("zero", "eq", PRIVATE("eq")), "mc", 17, 1, 3, 2, 1},
    {MODEL("stationary", "matern32", ""), "exact", 0, 1, 3, 1, 1},
    {MODEL("free", "matern52", PRIVATE("matern12")), "exact", 0, 1, 3, 2, 0},
    {MODEL("zero", "matern32", ""), "qmc", 17, 1, 3, 1, 1},
    {TWO_INPUTS, "closed-form", 0, 2, 2, 2, 1},
    {TWO_INPUTS, "mc", 19, 2, 2, 1, 0},
};
enum { PROBLEMS = sizeof problems / sizeof *problems, EACH = 45, POINTS = 24 };

/* Rows of the first outputs of a, b, c in replicates, one at the start, not in the order of time. */
static lf_data *some_rows(lf_context *ctx, const problem *p)
{
    static const char *const names[] = {"a", "b", "c"}, *const replicates[] = {"one", "two"};
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, (size_t)p->inputs, &data));
    for (int i = 0; i < EACH * p->outputs; i++) {
        int k = 7 * i % (EACH * p->outputs);
        double x[] = {0.5 + 3.0 * k / (EACH * p->outputs), cos(2.0 * k)}, y = sin(3 * x[0] + i % p->outputs);
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = names[i % p->outputs],
                                             .replicate = p->replicates > 1 ? replicates[i % 5 < 3] : NULL,
                                             .x = x,
                                             .y = y,
                                             .sd = p->bars && i % 4 == 0 ? 0.1 + 0.001 * i : 0}));
    }
    return data;
}

typedef struct result {
    lf_status status;
    double value, gradient[64], mean[POINTS], variance[POINTS], covariance[POINTS * POINTS];
} result;

/* Value, gradient and predictions of every target. */
static result evaluate(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options,
                       const char *device)
{
    int target[POINTS],
        targets = (int)lf_model_count(model, LF_KIND_OUTPUT) + (int)lf_model_count(model, LF_KIND_FORCE);
    double x[2 * POINTS];
    result r = {0};
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    options.device = device;
    for (int i = 0; i < POINTS; i++) {
        target[i] = i % targets;
        for (int k = 0; k < (int)lf_model_count(model, LF_KIND_INPUT); k++) {
            x[i * (int)lf_model_count(model, LF_KIND_INPUT) + k] = 0.55 + 0.09 * i + 0.3 * k;
        }
    }
    lf_point_list points = {.n = POINTS, .target = target, .x = x};
    r.status = lf_engine_create(ctx, model, data, &options, &engine);
    r.status = r.status ? r.status : lf_engine_evaluate(engine, lf_parameter_count(model), NULL, &r.value, r.gradient);
    r.status = r.status ? r.status : lf_engine_posterior(engine, &posterior);
    r.status = r.status ? r.status : lf_predict_list(posterior, &points, r.mean, r.variance, r.covariance);
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    return r;
}

static void assert_equal_numbers(size_t n, const double *a, const double *b, double tolerance)
{
    double scale = 0;
    for (size_t i = 0; i < n; i++) {
        scale = fmax(scale, fabs(b[i]));
    }
    for (size_t i = 0; i < n; i++) {
        assert_near(a[i], b[i], tolerance * scale);
    }
}

static void assert_equal_results(const lf_model *model, const result *a, const result *b)
{
    assert_near(a->value, b->value, 1e-12 * (fabs(b->value) + EACH)); /* the sum of a term for each row */
    assert_equal_numbers(lf_parameter_count(model), a->gradient, b->gradient, 1e-12);
    assert_equal_numbers(POINTS, a->mean, b->mean, 1e-12);
    assert_equal_numbers(POINTS, a->variance, b->variance, 1e-12);
    assert_equal_numbers(POINTS * POINTS, a->covariance, b->covariance, 1e-12);
}

/* On the processor and on the device, twice the same; on "host" also with the least memory that suffices. */
static void compare(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options)
{
    result cpu = evaluate(ctx, model, data, options, "cpu");
    assert_ok(ctx, cpu.status);
    result device = evaluate(ctx, model, data, options, device_name());
    assert_ok(ctx, device.status);
    assert_equal_results(model, &device, &cpu);
    result again = evaluate(ctx, model, data, options, device_name());
    assert_memory_equal(&again, &device, sizeof device);
    int enough = strcmp(device_name(), "host") != 0;
    for (double bytes = 1e4; !enough; bytes *= 1.3) {
        char name[64];
        snprintf(name, sizeof name, "host:%.0f", bytes);
        device = evaluate(ctx, model, data, options, name);
        enough = device.status != LF_ERROR_MEMORY;
        if (enough) {
            assert_ok(ctx, device.status);
            assert_equal_results(model, &device, &cpu);
        } else {
            assert_non_null(strstr(lf_context_message(ctx), "device host"));
        }
    }
}

static void test_models(void **state)
{
    lf_context *ctx = *state;
    static const char *const engines[] = {"dtc", "variational", "fitc", "pitc"};
    for (int k = 0; k < PROBLEMS; k++) {
        for (int e = 0; e < 4; e += ONE_OF(3)) {
            lf_model *model = parse_model(ctx, problems[k].model);
            lf_data *data = some_rows(ctx, &problems[k]);
            for (size_t i = 0; i < lf_parameter_count(model); i++) {
                lf_parameter_fix(model, i, 0);
            }
            lf_engine_options options = {.size = sizeof options,
                                         .engine = engines[e],
                                         .nodes = problems[k].nodes,
                                         .features = problems[k].features,
                                         .inducing = 7};
            compare(ctx, model, data, options);
            lf_data_free(data);
            lf_model_free(model);
        }
    }
}

/* Fewer rows than inducing values. */
static void test_few_rows(void **state)
{
    lf_context *ctx = *state;
    static const char *const engines[] = {"dtc", "variational", "fitc", "pitc"};
    for (int e = 0; e < 4; e++) {
        lf_model *model = parse_model(ctx, problems[10].model);
        lf_data *data;
        assert_ok(ctx, lf_data_create(ctx, 2, &data));
        for (int i = 0; i < 9; i++) {
            double x[] = {0.3 * i, cos(i)};
            assert_ok(ctx,
                      lf_data_add(ctx, data,
                                  &(lf_row){.size = sizeof(lf_row), .output = i % 3 ? "a" : "b", .x = x, .y = sin(i)}));
        }
        lf_engine_options options = {.size = sizeof options, .engine = engines[e], .inducing = 8};
        compare(ctx, model, data, options);
        lf_data_free(data);
        lf_model_free(model);
    }
}

int main(void)
{
    if (!has_device()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_few_rows)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
