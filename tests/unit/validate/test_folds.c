/* Folds: every row is withheld once, neighbours together, whatever the order of the outputs. */
#include "validate/folds.h"

#include "support.h"

enum { TIMES = 24, FOLDS = 4 };

static const char model_text[] =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"forces\": [{\"kernel\": \"matern32\", \"lengthscale\": 1}],"
    " \"outputs\": [{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 1}, \"sensitivity\": [1],"
    " \"noise_variance\": 1}, {\"name\": \"b\", \"operator\": {\"type\": \"ode1\", \"decay\": 1}, \"sensitivity\": [1],"
    " \"noise_variance\": 1}]}";

/* Rows of "a" that rise and of "b" that fall; the first one of the table is that of `first`. */
static lf_data *make_rows(lf_context *ctx, const char *first)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int pass = 0; pass < 2; pass++) {
        const char *output = (strcmp(first, "a") == 0) == (pass == 0) ? "a" : "b";
        for (int i = 0; i < TIMES; i++) {
            double x = (i * 7) % TIMES; /* in any order */
            const lf_row row = {.size = sizeof row, .output = output, .x = &x, .y = *output == 'a' ? x : -x};
            assert_ok(ctx, lf_data_add(ctx, data, &row));
        }
    }
    return data;
}

static void test_windows(void **state)
{
    lf_context *ctx = *state;
    lf_model *model;
    int window[2][2][TIMES]; /* order of the outputs, output, time */
    assert_ok(ctx, lf_model_parse(ctx, model_text, "test", &model));
    for (int order = 0; order < 2; order++) {
        int fold[2 * TIMES];
        lf_data *data = make_rows(ctx, order ? "b" : "a");
        assert_ok(ctx, lf_folds_create(ctx, model, data, FOLDS, 1, fold));
        for (int i = 0; i < 2 * TIMES; i++) {
            window[order][*data->outputs.name[data->output[i]] == 'b'][(int)data->x[i]] = fold[i];
        }
        lf_data_free(data);
    }
    for (int d = 0; d < 2; d++) {
        for (int t = 0; t < TIMES; t++) {
            assert_int_equal(window[0][d][t], window[1][d][t]);
            assert_true(window[0][d][t] >= 0 && window[0][d][t] < FOLDS);
            assert_int_equal(window[0][d][t], window[0][d][t - t % (TIMES / FOLDS)]); /* neighbours stay together */
            assert_int_not_equal(window[0][0][t], window[0][1][t]); /* the other output is kept there */
        }
    }
    lf_model_free(model);
}

/* Of an output with one row nothing is left. */
static void test_too_few(void **state)
{
    lf_context *ctx = *state;
    lf_model *model;
    lf_data *data;
    int fold[TIMES + 1];
    double x = 0;
    assert_ok(ctx, lf_model_parse(ctx, model_text, "test", &model));
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i <= TIMES; i++, x++) {
        const lf_row row = {.size = sizeof row, .output = i == TIMES ? "b" : "a", .x = &x, .y = x};
        assert_ok(ctx, lf_data_add(ctx, data, &row));
    }
    assert_int_equal(lf_folds_create(ctx, model, data, FOLDS, 1, fold), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(ctx), "'b' has too few rows"));
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows), cmocka_unit_test(test_too_few)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
