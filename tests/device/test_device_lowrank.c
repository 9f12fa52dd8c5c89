/* The low-rank engine on a device agrees with that on the processor: values, gradients, posteriors. The device is "host" with little
 * memory, so that there are many tiles, or, with LF_TEST_DEVICE=gpu, a GPU; without one the status is 77, "skipped". */
#include "kernel_table.h"

#include "base/processes.h"
#include "data/share.h"
#include "device_support.h"
#include "engine/engine.h"
#include "processes.h"

typedef struct problem {
    const char *what, *model;
    int inputs, outputs;
} problem;

#define FORMAT "{\"format\":\"latentforce-model\",\"version\":1,"
#define RICH(initial)                                                                                                  \
    FORMAT "\"initial\":\"" initial "\",\"origin\":0.5,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.9},"           \
           "{\"kernel\":\"matern32\",\"lengthscale\":0.7}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":"       \
           "\"ode1\",\"decay\":1.3},\"sensitivity\":[1,-0.5],\"noise_variance\":0.2,\"offset\":0.3,\"scale\":2},"      \
           "{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1.2,\"damper\":0.9,\"spring\":2},"                \
           "\"sensitivity\":[0.7,2],\"noise_variance\":0.1,\"initial_variance\":[0.5,2],\"private\":{\"kernel\":"      \
           "\"eq\",\"lengthscale\":0.6,\"amplitude\":0.7}},{\"name\":\"c\",\"operator\":{\"type\":\"ode\","            \
           "\"coefficients\":[1,3,3,1]},\"sensitivity\":[2,0],\"noise_variance\":0.05,\"scale\":0.5},{\"name\":"       \
           "\"d\",\"operator\":{\"type\":\"gaussian\",\"precision\":3},\"sensitivity\":[1,1],\"noise_variance\":"      \
           "0.3,\"private\":{\"kernel\":\"matern52\",\"lengthscale\":0.5,\"amplitude\":0.4}}]}"

enum { ROWS = 480, POINTS = 24 };

static const problem problems[] = {
    {"zero start", RICH("zero"), 1, 4},
    {"free start", RICH("free"), 1, 4},
    {"stationary start", RICH("stationary"), 1, 4},
    {"at resonance: a root on a frequency, coincident roots",
     FORMAT "\"initial\":\"zero\",\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.7}],\"outputs\":[{\"name\":\"a\","
            "\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":0.001,\"spring\":9},\"sensitivity\":[1.4],"
            "\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":2,"
            "\"spring\":1},\"sensitivity\":[1],\"noise_variance\":0.1},{\"name\":\"c\",\"operator\":{\"type\":\"ode\","
            "\"coefficients\":[1,0,0]},\"sensitivity\":[1],\"noise_variance\":0.1}]}",
     1, 3},
    {"private forces only",
     FORMAT "\"forces\":[],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[]"
            ",\"noise_variance\":0.1,\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.6,\"amplitude\":0.7}},{\"name\":"
            "\"b\",\"operator\":{\"type\":\"ode1\",\"decay\":2},\"sensitivity\":[],\"noise_variance\":0.1,\"private\":"
            "{\"kernel\":\"eq\",\"lengthscale\":0.5,\"amplitude\":1}}]}",
     1, 2},
    {"three inputs",
     FORMAT "\"input_dim\":3,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":[0.8,1.1,2]},{\"kernel\":\"matern32\","
            "\"lengthscale\":0.7}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\",\"precision\":"
            "[1.5,3,2]},\"sensitivity\":[1.3,0.4],\"noise_variance\":0.1,\"private\":{\"kernel\":\"eq\","
            "\"lengthscale\":[0.6,0.9,1],\"amplitude\":0.7}},{\"name\":\"b\",\"operator\":{\"type\":\"gaussian\","
            "\"precision\":4},\"sensitivity\":[-0.7,1],\"noise_variance\":0.2}]}",
     3, 2},
};

/* Rows of the first outputs of a, b, c, d: in two replicates (unless single), one at the start, some with error bars, not in the order of
 * time. */
static lf_data *some_rows(lf_context *ctx, int inputs, int outputs, int single)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, (size_t)inputs, &data));
    for (int i = 0; i < ROWS; i++) {
        int k = 7 * i % ROWS;
        double x[] = {0.5 + 0.005 * k * (1 + 0.1 * sin(k)), cos(2.0 * k), sin(3.0 * k)},
               y = sin(3 * x[0] + i % outputs);
        const char *replicate = single ? NULL : i % 5 < 3 ? "one" : "two";
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = names[i % outputs],
                                             .replicate = replicate,
                                             .x = x,
                                             .y = y,
                                             .sd = i % 4 == 0 ? 0.1 + 0.001 * i : 0}));
    }
    return data;
}

typedef struct result {
    lf_status status;
    double value, *gradient, mean[POINTS], variance[POINTS], covariance[POINTS * POINTS];
} result;

/* Value, gradient and predictions of every target. */
static result evaluate(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options,
                       const char *device)
{
    size_t n = lf_parameter_count(model);
    int target[POINTS],
        targets = (int)lf_model_count(model, LF_KIND_OUTPUT) + (int)lf_model_count(model, LF_KIND_FORCE);
    double x[3 * POINTS];
    result r = {.gradient = calloc(n + 1, sizeof *r.gradient)};
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
    r.status = r.status ? r.status : lf_engine_evaluate(engine, n, NULL, &r.value, r.gradient);
    r.status = r.status ? r.status : lf_engine_posterior(engine, &posterior);
    r.status = r.status ? r.status : lf_predict_list(posterior, &points, r.mean, r.variance, r.covariance);
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    return r;
}

static void assert_equal_results(const lf_model *model, const result *a, const result *b)
{
    double scale = 0;
    assert_near(a->value, b->value, 2e-13 * (fabs(b->value) + ROWS)); /* the sum of a term for each row */
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        scale = fmax(scale, fabs(b->gradient[i]));
    }
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        assert_near(a->gradient[i], b->gradient[i], 2e-12 * scale);
    }
    for (int i = 0; i < POINTS; i++) {
        assert_near(a->mean[i], b->mean[i], 1e-12);
        assert_near(a->variance[i], b->variance[i], 1e-12);
    }
    for (int i = 0; i < POINTS * POINTS; i++) {
        assert_near(a->covariance[i], b->covariance[i], 1e-12);
    }
}

/* On the processor and on the device; on "host" also with the least memory that suffices. */
static void compare(lf_context *ctx, const lf_model *model, const lf_data *data, const char *nodes, size_t features)
{
    lf_engine_options options = {.size = sizeof options,
                                 .engine = "lowrank",
                                 .nodes = nodes,
                                 .features = features,
                                 .tolerance = features ? 0 : 1e-3};
    result cpu = evaluate(ctx, model, data, options, "cpu");
    assert_ok(ctx, cpu.status);
    result device = evaluate(ctx, model, data, options, device_name());
    assert_ok(ctx, device.status);
    assert_equal_results(model, &device, &cpu);
    free(device.gradient);
    for (double bytes = 2e4; strcmp(device_name(), "host") == 0; bytes *= 1.3) {
        char name[64];
        snprintf(name, sizeof name, "host:%.0f", bytes);
        device = evaluate(ctx, model, data, options, name);
        int enough = device.status != LF_ERROR_MEMORY;
        if (enough) {
            assert_ok(ctx, device.status);
            assert_equal_results(model, &device, &cpu);
        } else {
            assert_non_null(strstr(lf_context_message(ctx), "device host"));
        }
        free(device.gradient);
        if (enough) {
            break;
        }
    }
    free(cpu.gradient);
}

static void test_models(void **state)
{
    lf_context *ctx = *state;
    static const char *const rules[] = {"uniform", "mc", "qmc", "orthogonal"};
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        for (int rule = problems[k].inputs > 1; rule < 4; rule += ONE_OF(3)) {
            lf_model *model = parse_model(ctx, problems[k].model);
            lf_data *data = some_rows(ctx, problems[k].inputs, problems[k].outputs, rule % 2);
            compare(ctx, model, data, rules[rule], 21);
            lf_data_free(data);
            lf_model_free(model);
        }
    }
}

/* Nodes in runs with gaps, lines, private composed forces, and a start before the rows. */
static void test_composed_forces(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    for (int k = 0; k < KERNEL_CASES; k += ONE_OF(4)) {
        if (!has_spectrum(&kernel_cases[k])) {
            continue;
        }
        lf_model *model = composed_model(ctx, &kernel_cases[k], starts[k % 3]);
        lf_data *data = some_rows(ctx, 1, 2, 1);
        compare(ctx, model, data, "uniform", 0);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* ---- several processes ---- */

typedef struct shares {
    const lf_model *model;
    const lf_data *data;
    lf_engine_options options;
    int count;
    result results[MOST_PROCESSES];
} shares;

/* Every count-th row, on the device. */
static void evaluate_share(lf_context *ctx, int rank, void *user)
{
    shares *s = user;
    lf_data *share = NULL;
    lf_status status = lf_data_create(ctx, 1, &share);
    for (size_t i = 0; !status && i < lf_data_count(s->data, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(s->data, i);
        const char *replicate =
            row.replicate < 0 ? NULL : lf_data_name(s->data, LF_KIND_REPLICATE, (size_t)row.replicate);
        if (i % (size_t)s->count == (size_t)rank) {
            status = lf_data_add(ctx, share,
                                 &(lf_row){.size = sizeof(lf_row),
                                           .output = lf_data_name(s->data, LF_KIND_OUTPUT, (size_t)row.output),
                                           .replicate = replicate,
                                           .x = row.x,
                                           .y = row.y,
                                           .sd = row.sd,
                                           .split = row.split});
        }
    }
    status = lf_agree(ctx, status);
    status = status ? status : lf_data_share(ctx, share);
    if (!status) {
        s->results[rank] = evaluate(ctx, s->model, share, s->options, device_name());
    }
    s->results[rank].status = status ? status : s->results[rank].status;
    lf_data_free(share);
}

static void test_processes(void **state)
{
    lf_context *ctx = *state;
    static shares s;
    lf_model *model = parse_model(ctx, problems[1].model);
    lf_data *data = some_rows(ctx, 1, 4, 0);
    s = (shares){
        .model = model, .data = data, .options = {.size = sizeof s.options, .engine = "lowrank", .features = 15}};
    result one = evaluate(ctx, model, data, s.options, "cpu");
    assert_ok(ctx, one.status);
    for (s.count = 2; s.count < 4; s.count++) {
        run_processes(s.count, evaluate_share, &s);
        for (int r = 0; r < s.count; r++) {
            assert_int_equal(s.results[r].status, LF_OK);
            assert_equal_results(model, &s.results[r], &one);
            assert_memory_equal(&s.results[r].value, &s.results[0].value, sizeof s.results[0].value);
        }
        for (int r = 0; r < s.count; r++) {
            free(s.results[r].gradient);
        }
    }
    free(one.gradient);
    lf_data_free(data);
    lf_model_free(model);
}

/* ---- what cannot be done ---- */

static void test_messages(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, problems[0].model);
    lf_data *data = some_rows(ctx, 1, 4, 1);
    lf_engine *engine;
    lf_engine_options options = {.size = sizeof options, .engine = "lowrank", .features = 10, .device = "tpu"};
    assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "unknown device 'tpu'; the devices are cpu and gpu");
    options = (lf_engine_options){.size = sizeof options, .engine = "kalman", .device = device_name()};
    assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "the kalman engine computes on the processor only"));
    options = (lf_engine_options){.size = sizeof options, .device = device_name(), .features = 10};
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine)); /* auto chooses one that can */
    assert_true(lf_engine_is_able(engine->class, LF_ALLOWS_DEVICE));
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    if (!has_device()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_composed_forces),
                                       cmocka_unit_test(test_processes), cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
