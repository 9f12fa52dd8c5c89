/* Fingerprints and steps of tables, and what posteriors keep of them. */
#include "data/data.h"
#include "support.h"

#include <string.h>

static lf_posterior_info facts_of(lf_context *ctx, const lf_posterior *posterior)
{
    lf_posterior_info info = {.size = sizeof info};
    assert_ok(ctx, lf_posterior_get(ctx, posterior, &info));
    return info;
}

static lf_context *ctx;

static int setup(void **state)
{
    (void)state;
    ctx = lf_context_create();
    return ctx ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    lf_context_free(ctx);
    return 0;
}

static lf_data *table(void)
{
    lf_data *data;
    assert_int_equal(lf_data_create(ctx, 1, &data), LF_OK);
    return data;
}

static void add(lf_data *data, const char *output, const char *replicate, double x, double y)
{
    assert_int_equal(
        lf_data_add(ctx, data,
                    &(lf_row){.size = sizeof(lf_row), .output = output, .replicate = replicate, .x = &x, .y = y}),
        LF_OK);
}

static void test_order(void **state)
{
    (void)state;
    lf_data *a = table(), *b = table();
    add(a, "u", NULL, 0, 1);
    add(a, "v", NULL, 0.1, 2);
    add(a, "u", NULL, 3, -0.0);
    add(b, "v", NULL, 0.1, 2);
    add(b, "u", NULL, 3, 0);
    add(b, "u", NULL, -0.0, 1);
    assert_true(lf_data_fingerprint(a) == lf_data_fingerprint(b));
    assert_true(lf_data_fingerprint(a) ==
                lf_data_row_fingerprint(a, 0) + lf_data_row_fingerprint(a, 1) + lf_data_row_fingerprint(a, 2));
    lf_data_free(a);
    lf_data_free(b);
}

/* Every part of a row counts, and parts cannot be exchanged. */
static void test_differences(void **state)
{
    (void)state;
    enum { COUNT = 8 };
    lf_data *data = table();
    add(data, "u", "r", 1, 2);
    add(data, "u", "r", 2, 1);
    add(data, "u", "r", 1, 2.0000000000000004);
    add(data, "u", "r", 1.0000000000000002, 2);
    add(data, "v", "r", 1, 2);
    add(data, "u", "s", 1, 2);
    add(data, "ur", "t", 1, 2);
    add(data, "u", "rt", 1, 2);
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_true(lf_data_row_fingerprint(data, i) != lf_data_row_fingerprint(data, j));
        }
    }
    lf_data_free(data);
}

static void test_split(void **state)
{
    (void)state;
    lf_data *data = table();
    add(data, "u", NULL, 1, 2);
    uint64_t before = lf_data_fingerprint(data);
    assert_null(lf_data_row(data, 0).split);
    assert_int_equal(lf_data_set_split(ctx, data, 0, "test"), LF_OK);
    assert_string_equal(lf_data_row(data, 0).split, "test");
    assert_true(lf_data_fingerprint(data) == before);
    assert_int_equal(lf_data_set_split(ctx, data, 0, NULL), LF_OK);
    assert_null(lf_data_row(data, 0).split);
    assert_int_equal(lf_data_set_split(ctx, data, 0, "tset"), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "tset"));
    assert_int_equal(lf_data_set_split(ctx, data, 1, "test"), LF_ERROR_ARGUMENT);
    lf_data_free(data);
}

static void test_step(void **state)
{
    (void)state;
    lf_data *data = table();
    assert_true(isnan(lf_data_step(data)));
    add(data, "u", "r", 5, 0);
    add(data, "v", "r", 5 + 4e-15, 0); /* the same time but for rounding */
    assert_true(isnan(lf_data_step(data)));
    add(data, "u", "r", 4, 0);
    add(data, "v", "r", 6, 0);
    add(data, "u", "r", 16, 0);  /* after a gap */
    add(data, "u", "s", 4.5, 0); /* of another replicate: no neighbour of the others */
    assert_true(fabs(lf_data_step(data) - 1) < 1e-14);
    double step;
    size_t gaps, steps;
    assert_true(lf_data_find_step(data, &step, &gaps, &steps));
    assert_int_equal(gaps, 2); /* 1, twice, and 10 */
    assert_int_equal(steps, 4);
    add(data, "u", "s", 5.5, 0);
    add(data, "u", "s", 8.5, 0);
    assert_true(lf_data_find_step(data, &step, &gaps, &steps));
    assert_int_equal(gaps, 4); /* each replicate has its own */
    lf_data_free(data);
    lf_data *plane;
    const double x[] = {1, 2};
    assert_int_equal(lf_data_create(ctx, 2, &plane), LF_OK);
    assert_int_equal(lf_data_add(ctx, plane, &(lf_row){.size = sizeof(lf_row), .output = "u", .x = x}), LF_OK);
    assert_true(isnan(lf_data_step(plane)));
    lf_data_free(plane);
}

static const char model_text[] = "{\"format\": \"latentforce-model\", \"version\": 1,"
                                 "\"provenance\": {\"command\": [\"latentforce\", \"fit\", \"a.csv\"]},"
                                 "\"forces\": [{\"kernel\": \"matern32\", \"lengthscale\": 1}],"
                                 "\"outputs\": [{\"name\": \"u\", \"operator\": {\"type\": \"ode1\", \"decay\": 1},"
                                 "\"sensitivity\": [1], \"noise_variance\": 0.1}]}";

static void check_facts(const lf_posterior *posterior, size_t rows, uint64_t fingerprint, double step)
{
    size_t count;
    uint64_t found;
    count = facts_of(ctx, posterior).rows;
    found = facts_of(ctx, posterior).fingerprint;
    assert_int_equal(count, rows);
    assert_true(found == fingerprint);
    assert_true(facts_of(ctx, posterior).step == step);
}

static void test_posterior(void **state)
{
    (void)state;
    lf_data *data = table(), *newer = table();
    lf_model *model;
    lf_engine *engine;
    lf_posterior *posterior, *restored;
    const lf_engine_options options = {.size = sizeof options, .engine = "kalman"};
    for (int i = 0; i < 5; i++) {
        add(data, "u", NULL, 0.5 * i, i % 2);
    }
    add(newer, "u", NULL, 3, 1);
    assert_int_equal(lf_model_parse(ctx, model_text, "model", &model), LF_OK);
    assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_OK);
    assert_int_equal(lf_engine_posterior(engine, &posterior), LF_OK);
    check_facts(posterior, 5, lf_data_fingerprint(data), 0.5);
    assert_int_equal(lf_posterior_store(posterior, model), LF_OK);
    assert_int_equal(lf_posterior_restore(ctx, model, &restored), LF_OK);
    check_facts(restored, 5, lf_data_fingerprint(data), 0.5);
    assert_int_equal(lf_posterior_update(ctx, restored, newer, "rows"), LF_OK);
    check_facts(restored, 6, lf_data_fingerprint(data) + lf_data_fingerprint(newer), 0.5);
    lf_posterior_free(restored);
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    lf_model_free(model);
    lf_data_free(newer);
    lf_data_free(data);
}

static void test_command(void **state)
{
    (void)state;
    lf_model *model;
    assert_int_equal(lf_model_parse(ctx, model_text, "model", &model), LF_OK);
    assert_string_equal(lf_model_command(model, 1), "fit");
    assert_string_equal(lf_model_command(model, 2), "a.csv");
    assert_null(lf_model_command(model, 3));
    assert_int_equal(lf_model_set_provenance(ctx, model, "{\"command\": 3}"), LF_OK);
    assert_null(lf_model_command(model, 0));
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order),     cmocka_unit_test(test_differences),
                                       cmocka_unit_test(test_split),     cmocka_unit_test(test_step),
                                       cmocka_unit_test(test_posterior), cmocka_unit_test(test_command)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
