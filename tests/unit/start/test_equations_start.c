/* Starting values of equations. */
#include "start/equations_start.h"

#include "data/data.h"
#include "plan/data_summary.h"
#include "support.h"

/* How many other time scales the likelihoods of an engine leave. */
static size_t other_starts(lf_context *ctx, const char *engine)
{
    static const char text[] = "time s\nforce u ~ matern32\nx'' + d*x' + k*x = u\noutput x\n";
    const lf_engine_options options = {.size = sizeof options, .engine = engine};
    lf_data *data;
    lf_model *model;
    lf_data_summary summary;
    lf_starts starts = {0};
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 60; i++) {
        double t = 0.2 * i;
        assert_ok(ctx, lf_data_add(
                           ctx, data,
                           &(lf_row){.size = sizeof(lf_row), .output = "x", .x = &t, .y = sin(t) + 0.3 * cos(3 * t)}));
    }
    assert_ok(ctx, lf_model_from_equations(ctx, text, "test.eq", &model));
    assert_ok(ctx, lf_data_summary_create(ctx, data, model, &summary));
    assert_ok(ctx, lf_system_starting_values(ctx, data, &summary, &options, NULL, model, &starts));
    assert_false(lf_system_is_open(model));
    size_t count = starts.count;
    free(starts.theta);
    lf_data_summary_clear(&summary);
    lf_model_free(model);
    lf_data_free(data);
    return count;
}

/* Time scales are compared by the engine of the options: one that does not take equations compares none. */
static void test_engine(void **state)
{
    assert_true(other_starts(*state, NULL) > 0);
    assert_int_equal(other_starts(*state, NULL), other_starts(*state, "dense"));
    assert_int_equal(other_starts(*state, "fitc"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_engine)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
