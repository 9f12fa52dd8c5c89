/* In a locale with a decimal comma data and models are read and written as in any other. An installed locale is taken, or
 * one is compiled with localedef; exit status 77 where neither is possible. */
#include "support.h"

#include <locale.h>
#include <unistd.h>

static char folder[64] = "/tmp/lf_test_locale_XXXXXX", path[128];

/* Whether a locale with a decimal comma was found. */
static int set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    char command[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (setlocale(LC_ALL, names[i])) {
            return 1;
        }
    }
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    return system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
}

static void test_the_locale_has_a_comma(void **state)
{
    char text[16];
    (void)state;
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
}

static void test_data(void **state)
{
    lf_context *ctx = *state;
    lf_data *data, *again;
    const double x = 0.025, y = 1.5;
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs("output,x,y\na,0.025000000000000001,1.5\n", stream);
    fclose(stream);
    assert_ok(ctx, lf_data_read(ctx, path, NULL, &data));
    assert_ok(ctx, lf_data_write(ctx, data, path));
    assert_ok(ctx, lf_data_read(ctx, path, NULL, &again));
    assert_int_equal(lf_data_count(again, LF_KIND_ROW), 1);
    assert_true(*lf_data_numbers(data, "x") == x && *lf_data_numbers(data, "y") == y);
    assert_true(*lf_data_numbers(again, "x") == x && *lf_data_numbers(again, "y") == y);
    lf_data_free(data);
    lf_data_free(again);
}

static void test_model(void **state)
{
    lf_context *ctx = *state;
    lf_model *again,
        *model = parse_model(ctx, "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\","
                                  "\"lengthscale\":0.3}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\","
                                  "\"decay\":1.25},\"sensitivity\":[0.1],\"noise_variance\":1e-3}]}");
    assert_ok(ctx, lf_model_write(ctx, model, path));
    assert_ok(ctx, lf_model_read(ctx, path, &again));
    assert_int_equal(lf_parameter_count(again), lf_parameter_count(model));
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        assert_true(lf_parameter_get(again, i).value == lf_parameter_get(model, i).value);
    }
    lf_model_free(model);
    lf_model_free(again);
}

static void test_options(void **state)
{
    lf_context *ctx = *state;
    lf_options *options;
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    assert_ok(ctx, lf_options_set(ctx, options, "origin", "0.5"));
    assert_ok(ctx, lf_options_set(ctx, options, "fix", "a.decay=1.25"));
    assert_int_equal(lf_options_set(ctx, options, "horizon", "0,5"), LF_ERROR_ARGUMENT);
    lf_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_locale_has_a_comma),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_options),
    };
    char command[128];
    int status = 77;
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(path, sizeof path, "%s/file", folder);
    if (set_comma_locale()) {
        status = cmocka_run_group_tests(tests, make_context, free_context);
    } else {
        printf("skipped: there is no locale with a decimal comma, and localedef cannot make one\n");
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? status : 1;
}
