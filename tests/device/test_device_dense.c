/* The dense engine on a device against the processor: likelihoods, gradients, rounding errors, posteriors and failures. The device is
 * "host" or, with LF_TEST_DEVICE=gpu, a GPU; without one the status is 77, "skipped". */
#include "dense_cases.h"

#include "device_support.h"

static void a_device_gives_the_same_results(void **state)
{
    for (int c = 0; c < DENSE_CASES; c++) {
        const dense_case *task = &dense_cases[c];
        dense_results expected = {0}, found = {0}, again = {0};
        dense_compute(*state, task, 0, NULL, &expected);
        dense_compute_on(device_name(), *state, task, 1, NULL, &found);
        dense_compute_on(device_name(), *state, task, 1, NULL, &again);
        compare_results(&found, &expected);
        assert_memory_equal(&found, &again, sizeof found);
    }
}

/* Repeated times without noise: the message names the row, as that of the processor does. */
static void a_singular_covariance_is_named(void **state)
{
    static const dense_case singular = {
        "singular",
        HEAD "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],\"outputs\":[{\"name\":\"a\","
             "\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1],\"noise_variance\":"
             "1e-30}]}",
        "closed-form",
        1,
        1,
        60};
    dense_results expected = {0}, found = {0};
    dense_compute(*state, &singular, 0, NULL, &expected);
    dense_compute_on(device_name(), *state, &singular, 0, NULL, &found);
    assert_int_equal(found.status, LF_ERROR_NUMERIC);
    assert_non_null(strstr(found.message, "is not positive definite at output 'a'"));
    assert_string_equal(found.message, expected.message);
}

static void too_little_memory_is_a_message(void **state)
{
    dense_results found = {0};
    dense_compute_on("host:2e4", *state, &dense_cases[0], 0, NULL, &found);
    assert_int_equal(found.status, LF_ERROR_MEMORY);
    assert_non_null(strstr(found.message, "device host: the dense engine needs a matrix of 60 x 60"));
}

int main(void)
{
    if (!has_device()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_device_gives_the_same_results),
                                       cmocka_unit_test(a_singular_covariance_is_named),
                                       cmocka_unit_test(too_little_memory_is_a_message)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
