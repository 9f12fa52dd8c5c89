/* Documents of the library are JSON that another parser reads back: the same numbers to the bit, the same texts. */
#include <jansson.h>

#include "base/document.h"
#include "reference_models.h"

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json) {
        print_error("%s\n%s\n", error.text, text);
    }
    assert_non_null(json);
    return json;
}

static const json_t *at(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);
    if (!value) {
        print_error("there is no %s\n", key);
    }
    assert_non_null(value);
    return value;
}

static void assert_number(const json_t *json, const char *key, double value)
{
    const json_t *found = at(json, key);
    if (isfinite(value)) {
        assert_true(json_number_value(found) == value);
    } else {
        assert_true(json_is_null(found));
    }
}

static void writes_what_reads_back(void **state)
{
    const double numbers[] = {0.1, 1e-300, -3, 1.0 / 3, 12345678901234567.0, (double)NAN, -(double)INFINITY};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    const char *text = "tab\t end\n \"quoted\" back\\slash \x7f C1 \xc2\x85, \xe2\x86\x92 and \xc3\x80";
    char *written = NULL;
    lf_document d = lf_document_begin();
    lf_document_numbers(&d, "numbers", COUNT, numbers);
    lf_document_line(&d, 2);
    lf_document_text(&d, text, text);
    lf_document_open(&d, "list", '[');
    lf_document_open(&d, NULL, '{');
    lf_document_close(&d);
    lf_document_text(&d, NULL, NULL);
    lf_document_truth(&d, NULL, 1);
    lf_document_count(&d, NULL, SIZE_MAX / 2);
    lf_document_integer(&d, NULL, -7);
    lf_document_rounded(&d, NULL, 1.0 / 3, 3);
    lf_document_json(&d, NULL, "{\"a\": \"\xe2\x86\x92 \xc2\x85\"}");
    assert_ok(*state, lf_document_end(*state, LF_OK, &d, &written)); /* closes the list */
    assert_null(strchr(written, '\t'));
    assert_null(strchr(written, '\x7f'));
    assert_null(strstr(written, "\xc2\x85"));
    assert_non_null(strstr(written, "],\n  \"tab"));
    json_t *json = parse(written);
    const json_t *list = at(json, "list");
    for (size_t i = 0; i < COUNT; i++) {
        const json_t *number = json_array_get(at(json, "numbers"), i);
        assert_true(isfinite(numbers[i]) ? json_number_value(number) == numbers[i] : json_is_null(number));
    }
    assert_string_equal(json_string_value(at(json, text)), text);
    assert_int_equal(json_object_size(json_array_get(list, 0)), 0);
    assert_true(json_is_null(json_array_get(list, 1)) && json_is_true(json_array_get(list, 2)));
    assert_true(json_integer_value(json_array_get(list, 3)) == (json_int_t)(SIZE_MAX / 2));
    assert_true(json_integer_value(json_array_get(list, 4)) == -7);
    assert_true(json_number_value(json_array_get(list, 5)) == 0.333);
    assert_string_equal(json_string_value(at(json_array_get(list, 6), "a")), "\xe2\x86\x92 \xc2\x85");
    json_decref(json);
    lf_free(written);
}

static json_t *document_of(lf_context *ctx, const lf_model *model, const char *what)
{
    char *text;
    assert_ok(ctx, lf_model_json(ctx, model, what, &text));
    json_t *json = parse(text);
    lf_free(text);
    return json;
}

static void describes_the_parameters(lf_context *ctx, const lf_model *model, const json_t *json)
{
    const json_t *parameters = at(json, "parameters");
    assert_int_equal(json_object_size(parameters), lf_parameter_count(model));
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        lf_parameter parameter = lf_parameter_get(model, i);
        const json_t *entry = at(parameters, parameter.name);
        assert_number(entry, "value", parameter.value);
        assert_number(entry, "lower", parameter.lower);
        assert_number(entry, "upper", parameter.upper);
        assert_number(entry, "standard_error", parameter.standard_error);
        assert_int_equal(json_is_true(at(entry, "fixed")), parameter.fixed);
    }
    (void)ctx;
}

static void describes_operators(void **state)
{
    lf_context *ctx = *state;
    lf_model *model;
    assert_ok(ctx, lf_model_parse(ctx, small_ode2, "small", &model));
    assert_ok(ctx, lf_model_set_provenance(ctx, model, "{\"note\": \"\xc3\x80 \xe2\x86\x92 b\"}"));
    json_t *json = document_of(ctx, model, "description"), *provenance = document_of(ctx, model, "provenance");
    describes_the_parameters(ctx, model, json);
    for (int d = 0; d < (int)lf_model_count(model, LF_KIND_OUTPUT); d++) {
        lf_output_info output = lf_model_output(model, d);
        const json_t *entry = json_array_get(at(json, "outputs"), (size_t)d);
        assert_string_equal(json_string_value(at(entry, "name")), output.name);
        assert_number(entry, "time_constant", output.time_constant);
        assert_number(entry, "natural_frequency", output.natural_frequency);
        assert_near(json_number_value(at(entry, "period")) * output.natural_frequency, 2 * acos(-1), 1e-14);
        assert_near(json_number_value(at(entry, "noise_sd")), sqrt(output.noise_variance), 1e-15);
        assert_number(at(at(entry, "constants"), "damper"), "value", output.constants[1]);
    }
    assert_true(json_equal(at(json, "provenance"), provenance));
    assert_string_equal(json_string_value(at(provenance, "note")), "\xc3\x80 \xe2\x86\x92 b");
    assert_true(json_is_null(at(json, "posterior")));
    json_decref(json);
    json_decref(provenance);
    lf_model_free(model);
}

static void describes_equations(void **state)
{
    lf_context *ctx = *state;
    lf_model *model;
    lf_matrices *matrices;
    char *text;
    assert_ok(ctx, lf_model_from_equations(ctx,
                                           "input v\nforce f ~ matern32(lengthscale = 2, amplitude = 0.5)\n"
                                           "parameter m = 2\nparameter k = 8\nparameter c = 0.5\n"
                                           "m*x'' = -k*x - c*x' + f + v\noutput x noise = 0.1\n"
                                           "quantity frequency = sqrt(k/m)\n",
                                           "test.eq", &model));
    json_t *json = document_of(ctx, model, "description");
    describes_the_parameters(ctx, model, json);
    const json_t *mode = json_array_get(at(json, "modes"), 0);
    assert_near(json_number_value(at(mode, "natural_frequency")), 2, 1e-14); /* sqrt(k / m) */
    assert_near(json_number_value(at(mode, "time_constant")), 8, 1e-13);     /* 2 m / c */
    assert_near(json_number_value(at(at(at(json, "quantities"), "frequency"), "value")), 2, 1e-14);
    assert_int_equal(json_array_size(at(json, "states")), 2);
    json_decref(json);
    assert_ok(ctx, lf_model_matrices(ctx, model, 0.25, &matrices));
    assert_ok(ctx, lf_matrices_json(ctx, model, matrices, &text));
    json = parse(text);
    for (size_t i = 0; i < matrices->states; i++) {
        for (size_t j = 0; j < matrices->states; j++) {
            const json_t *row = json_array_get(at(json, "A"), i);
            assert_true(json_number_value(json_array_get(row, j)) == matrices->A[i * matrices->states + j]);
        }
    }
    assert_number(json, "step", 0.25);
    json_decref(json);
    lf_free(text);
    lf_matrices_free(matrices);
    json = document_of(ctx, model, "state-space");
    assert_true(json_is_null(at(json, "step")));
    assert_null(json_object_get(json, "B_slope"));
    json_decref(json);
    lf_model_free(model);
}

/* A copy describes itself as the model does, with the standard errors of what follows from the parameters. */
static void copies_have_the_same_description(void **state)
{
    static const char text[] = "{\"format\":\"latentforce-model\",\"version\":1,\"equations\":\"parameter k = 2\\nx' = "
                               "-k*x\\noutput x noise = 0.1\\n"
                               "quantity tau = "
                               "1/"
                               "k\\n\",\"constants\":{\"k\":2},\"forces\":[],\"known_inputs\":[],\"outputs\":[{"
                               "\"name\":\"x\",\"noise_variance\":0.01}],\"start\":{\"x\":[1,0]},"
                               "\"standard_errors\":{\"k\":0.2},\"quantities\":{\"tau\":[0.5,0.05]}}";
    lf_context *ctx = *state;
    lf_model *model, *copy;
    assert_ok(ctx, lf_model_parse(ctx, text, "test", &model));
    assert_ok(ctx, lf_model_copy(ctx, model, &copy));
    json_t *first = document_of(ctx, model, "description"), *second = document_of(ctx, copy, "description");
    assert_number(at(at(second, "quantities"), "tau"), "standard_error", 0.05);
    assert_true(json_equal(first, second));
    json_decref(first);
    json_decref(second);
    lf_model_free(model);
    lf_model_free(copy);
}

static void refuses_other_documents(void **state)
{
    lf_model *model;
    char *text = (char *)"";
    assert_ok(*state, lf_model_parse(*state, small_ode1, "small", &model));
    assert_int_equal(lf_model_json(*state, model, "picture", &text), LF_ERROR_ARGUMENT);
    assert_null(text);
    assert_non_null(strstr(lf_context_message(*state), "picture"));
    assert_ok(*state, lf_model_json(*state, model, "provenance", &text)); /* there is none */
    assert_null(text);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writes_what_reads_back), cmocka_unit_test(describes_operators),
                                       cmocka_unit_test(describes_equations),
                                       cmocka_unit_test(copies_have_the_same_description),
                                       cmocka_unit_test(refuses_other_documents)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
