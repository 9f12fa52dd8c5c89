/* The options of a fit are recorded in its model, and taken from there; so are the words of files that have no options. */
#include "fit/recipe.h"

#include "support.h"

static lf_model *fit_model(lf_context *ctx, const lf_options *options)
{
    lf_data *data;
    lf_model *model;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 40; i++) {
        double x = 0.5 * (i / 2);
        const lf_row row = {.size = sizeof row, .output = i % 2 ? "b" : "a", .x = &x, .y = sin(x + i % 2)};
        assert_ok(ctx, lf_data_add(ctx, data, &row));
    }
    assert_ok(ctx, lf_fit(ctx, data, options, &model, NULL));
    lf_data_free(data);
    return model;
}

static lf_options *make_options(lf_context *ctx)
{
    static const char *const given[][2] = {{"operator", "b=ode2"},  {"forces", "1"},   {"no-private", NULL},
                                           {"max-iterations", "3"}, {"restarts", "1"}, {"fix", "a.decay=2"},
                                           {"threads", "1"},        {"period", "none"}};
    lf_options *options;
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        assert_ok(ctx, lf_options_set(ctx, options, given[i][0], given[i][1]));
    }
    return options;
}

static void check_recipe(lf_context *ctx, const lf_model *model)
{
    lf_options *fit;
    assert_ok(ctx, lf_recipe_create(ctx, model, NULL, &fit));
    assert_string_equal(lf_options_text(fit, "operator"), "b=ode2");
    assert_string_equal(lf_options_text(fit, "forces"), "1");
    assert_string_equal(lf_options_text(fit, "private"), "no");
    assert_string_equal(lf_options_text(fit, "fix"), "a.decay=2");
    assert_string_equal(lf_options_text(fit, "errors"), "no");
    assert_string_equal(lf_options_text(fit, "calibrate"), "no");
    assert_null(lf_options_text(fit, "threads")); /* where it is computed is no part of what is fitted */
    assert_null(lf_options_text(fit, "checkpoint"));
    lf_options_free(fit);
}

static void test_recorded(void **state)
{
    lf_context *ctx = *state;
    lf_options *options = make_options(ctx);
    lf_model *model = fit_model(ctx, options);
    check_recipe(ctx, model);
    lf_options_free(options);
    lf_model_free(model);
}

static void test_words(void **state)
{
    lf_context *ctx = *state;
    lf_options *options = make_options(ctx), *fit;
    lf_model *model = fit_model(ctx, options);
    assert_ok(ctx,
              lf_model_set_provenance(
                  ctx, model,
                  "{\"command\": [\"latentforce\", \"fit\", \"x.csv\", \"--operator\", \"b=ode2\", \"--forces=1\", "
                  "\"--no-private\", \"-o\", \"m.json\", \"--missing\", \"-999\", \"--checkpoint\", \"precious\", "
                  "\"--fix\", \"a.decay=2\", \"--quiet\", \"--equations=none.eq\", \"--\", \"--forces\"]}"));
    check_recipe(ctx, model);
    /* a model to start from is given again, or the fit cannot be repeated */
    assert_ok(ctx, lf_model_set_provenance(ctx, model, "{\"options\": [\"forces=1\", \"init=m.json\"]}"));
    assert_int_equal(lf_recipe_create(ctx, model, NULL, &fit), LF_ERROR_ARGUMENT);
    assert_null(fit);
    assert_ok(ctx, lf_model_set_provenance(ctx, model, "{\"options\": [\"nonsense=1\"]}"));
    assert_int_equal(lf_recipe_create(ctx, model, NULL, &fit), LF_ERROR_MODEL);
    assert_ok(ctx, lf_model_set_provenance(ctx, model, "{\"options\": [7]}"));
    assert_int_equal(lf_recipe_create(ctx, model, NULL, &fit), LF_ERROR_MODEL);
    lf_options_free(options);
    lf_model_free(model);
}

/* Options that start from a model say so. */
static void test_start(void **state)
{
    lf_context *ctx = *state;
    lf_options *options = make_options(ctx), *again, *validate, *fit;
    lf_model *first = fit_model(ctx, options);
    assert_ok(ctx, lf_options_create(ctx, "fit", &again));
    assert_ok(ctx, lf_options_set_model(ctx, again, first));
    assert_ok(ctx, lf_options_set(ctx, again, "max-iterations", "2"));
    lf_model *second = fit_model(ctx, again);
    assert_int_equal(lf_recipe_create(ctx, second, NULL, &fit), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "--init"));
    assert_ok(ctx, lf_options_create(ctx, "validate", &validate));
    assert_ok(ctx, lf_options_set_model(ctx, validate, first));
    assert_ok(ctx, lf_recipe_create(ctx, second, validate, &fit));
    assert_non_null(fit->init_model);
    lf_options_free(fit);
    lf_options_free(validate);
    lf_options_free(again);
    lf_options_free(options);
    lf_model_free(second);
    lf_model_free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recorded), cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_start)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
