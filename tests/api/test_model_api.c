/* A model by its parts, from outside: counts, names, labels, parameters. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "latentforce.h"

static const char springs[] =
    "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":1,\"inputs\":[{\"name\":\"time\",\"unit\":\"h\"}],"
    "\"known_inputs\":[{\"name\":\"heating\",\"unit\":\"kW\",\"between\":\"constant\"}],"
    "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.8},{\"kernel\":\"matern32\",\"lengthscale\":2}],"
    "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.5},\"sensitivity\":[1,-2],"
    "\"gain\":[0.3],\"noise_variance\":0.1,\"offset\":3,\"scale\":2},"
    "{\"name\":\"b.c\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":3,\"spring\":2},\"sensitivity\":[0,1],"
    "\"gain\":[0],\"noise_variance\":0.2,\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.4,\"amplitude\":0.7}}]}";
static const char wall[] = "# a wall between two rooms\n"
                           "input heat impulse\n"
                           "force sun ~ matern32(lengthscale = 3, amplitude = 2)\n"
                           "force draught ~ white(sd = 0.1)\n"
                           "parameter k = 0.5\n"
                           "x'' = -k*x - x' + sun + heat + draught\n"
                           "output T = x noise = 0.2\n"
                           "quantity swing = sqrt(k)\n"
                           "start rest\n";

static lf_model *parse(lf_context *ctx, const char *text)
{
    lf_model *model;
    lf_status status = lf_model_parse(ctx, text, "test", &model);
    if (status) {
        fail_msg("%s", lf_context_message(ctx));
    }
    return model;
}

static size_t parameter(lf_context *ctx, const lf_model *model, const char *name, lf_parameter *found)
{
    size_t index;
    *found = (lf_parameter){.size = sizeof *found};
    assert_int_equal(lf_model_find(ctx, model, LF_KIND_PARAMETER, name, &index), LF_OK);
    assert_int_equal(lf_model_parameter_get(ctx, model, index, found), LF_OK);
    return index;
}

static void names_of_every_kind(void **state)
{
    static const struct {
        const char *text;
        lf_kind kind;
        const char *names[4];
    } cases[] = {{springs, LF_KIND_INPUT, {"time"}},    {springs, LF_KIND_OUTPUT, {"a", "b.c"}},
                 {springs, LF_KIND_RATE, {"a", "b.c"}}, {springs, LF_KIND_FORCE, {"force1", "force2"}},
                 {springs, LF_KIND_PRIVATE, {"b.c"}},   {springs, LF_KIND_KNOWN, {"heating"}},
                 {springs, LF_KIND_STATE, {NULL}},      {springs, LF_KIND_ROW, {NULL}},
                 {springs, (lf_kind)1000, {NULL}},      {wall, LF_KIND_INPUT, {"x"}},
                 {wall, LF_KIND_OUTPUT, {"T"}},         {wall, LF_KIND_FORCE, {"sun"}},
                 {wall, LF_KIND_PRIVATE, {NULL}},       {wall, LF_KIND_WHITE, {"draught"}},
                 {wall, LF_KIND_KNOWN, {"heat"}},       {wall, LF_KIND_STATE, {"x", "x'"}},
                 {wall, LF_KIND_CONSTANT, {"k"}},       {wall, LF_KIND_QUANTITY, {"swing"}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        lf_model *model = parse(*state, cases[c].text);
        size_t count = lf_model_count(model, cases[c].kind), found;
        for (size_t i = 0; i < count; i++) {
            lf_label label = {.size = sizeof label};
            assert_string_equal(lf_model_name(model, cases[c].kind, i), cases[c].names[i]);
            assert_int_equal(lf_model_find(*state, model, cases[c].kind, cases[c].names[i], &found), LF_OK);
            assert_int_equal(found, i);
            assert_int_equal(lf_model_label_get(*state, model, cases[c].kind, i, &label), LF_OK);
        }
        assert_null(cases[c].names[count]);
        assert_string_equal(lf_model_name(model, cases[c].kind, count), "");
        assert_string_equal(lf_model_name(model, cases[c].kind, LF_NONE), "");
        assert_int_equal(lf_model_find(*state, model, cases[c].kind, "nobody", &found), LF_ERROR_ARGUMENT);
        assert_true(found == LF_NONE);
        lf_model_free(model);
    }
}

static void labels_and_outputs(void **state)
{
    lf_model *model = parse(*state, springs);
    lf_label label = {.size = sizeof label};
    assert_int_equal(lf_model_label_get(*state, model, LF_KIND_INPUT, 0, &label), LF_OK);
    assert_string_equal(label.name, "time");
    assert_string_equal(label.unit, "h");
    assert_true(label.seconds == 3600 && label.offset == 0 && label.scale == 1 && !label.between);
    assert_int_equal(lf_model_label_get(*state, model, LF_KIND_KNOWN, 0, &label), LF_OK);
    assert_string_equal(label.unit, "kW");
    assert_string_equal(label.between, "constant");
    lf_output_info output = {.size = sizeof output};
    assert_int_equal(lf_model_output_get(*state, model, 0, &output), LF_OK);
    assert_true(output.noise_variance == 2 * 2 * 0.1 && output.offset == 3 && output.scale == 2 && output.order == 1);
    assert_null(output.private_kernel);
    assert_int_equal(lf_model_output_get(*state, model, 1, &output), LF_OK);
    assert_string_equal(output.private_kernel, "eq");
    assert_int_equal(output.constant_count, 3);
    lf_parameter constant = {.size = sizeof constant};
    assert_int_equal(lf_model_parameter_get(*state, model, output.first_constant + 1, &constant), LF_OK);
    assert_string_equal(constant.name, "b.c.damper");
    assert_true(constant.value == output.constants[1]);
    lf_model_info info = {.size = sizeof info};
    assert_int_equal(lf_model_get(*state, model, &info), LF_OK);
    assert_true(!info.equations && !info.has_posterior && !info.has_provenance);
    lf_model_free(model);
}

static void owners_of_parameters(void **state)
{
    static const struct {
        const char *text, *name, *short_name;
        lf_kind owner;
        size_t index;
        const char *unit;
    } cases[] = {{springs, "force2.lengthscale", "lengthscale", LF_KIND_FORCE, 1, "h"},
                 {springs, "a.decay", "decay", LF_KIND_OUTPUT, 0, "1/h"},
                 {springs, "a.log_decay", "decay", LF_KIND_OUTPUT, 0, "1/h"},
                 {springs, "a.gain1", "gain1", LF_KIND_OUTPUT, 0, "1/(h kW)"},
                 {springs, "b.c.spring", "spring", LF_KIND_OUTPUT, 1, "1/h^2"},
                 {springs, "b.c.offset", "offset", LF_KIND_OUTPUT, 1, ""},
                 {springs, "b.c.private.lengthscale", "lengthscale", LF_KIND_PRIVATE, 0, "h"},
                 {springs, "b.c.private.amplitude", "amplitude", LF_KIND_PRIVATE, 0, ""},
                 {wall, "k", "k", LF_KIND_CONSTANT, 0, ""},
                 {wall, "sun.lengthscale", "lengthscale", LF_KIND_FORCE, 0, ""},
                 {wall, "sun.amplitude", "amplitude", LF_KIND_FORCE, 0, ""},
                 {wall, "draught.sd", "sd", LF_KIND_WHITE, 0, ""},
                 {wall, "T.noise_variance", "noise_variance", LF_KIND_OUTPUT, 0, ""}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        lf_parameter found;
        lf_model *model = parse(*state, cases[c].text);
        parameter(*state, model, cases[c].name, &found);
        assert_string_equal(found.short_name, cases[c].short_name);
        assert_int_equal(found.owner, cases[c].owner);
        assert_int_equal(found.owner_index, cases[c].index);
        assert_string_equal(found.unit, cases[c].unit);
        assert_true(isnan(found.standard_error) && isnan(found.searched_lower) && found.tied_to == LF_NONE);
        lf_model_free(model);
    }
}

static void a_parameter_is_changed_and_set(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse(ctx, springs);
    lf_parameter first, second;
    size_t leader = parameter(ctx, model, "force1.lengthscale", &first),
           index = parameter(ctx, model, "force2.lengthscale", &second);
    assert_int_equal(lf_model_parameter_set(ctx, model, index, &second), LF_OK); /* as it was */
    second.value = 1.5;
    second.lower = 0.1;
    second.upper = 9;
    second.fixed = 1;
    assert_int_equal(lf_model_parameter_set(ctx, model, index, &second), LF_OK);
    parameter(ctx, model, "force2.lengthscale", &second);
    assert_true(second.value == 1.5 && second.lower == 0.1 && second.upper == 9 && second.fixed);

    lf_parameter wrong = second; /* nothing changes after a failure */
    wrong.value = -1;
    wrong.lower = 0.2;
    wrong.fixed = 0;
    assert_int_equal(lf_model_parameter_set(ctx, model, index, &wrong), LF_ERROR_ARGUMENT);
    wrong = second;
    wrong.lower = 10;
    assert_int_equal(lf_model_parameter_set(ctx, model, index, &wrong), LF_ERROR_ARGUMENT);
    wrong = second;
    wrong.upper = 8;
    wrong.tied_to = 1000;
    assert_int_equal(lf_model_parameter_set(ctx, model, index, &wrong), LF_ERROR_ARGUMENT);
    parameter(ctx, model, "force2.lengthscale", &second);
    assert_true(second.value == 1.5 && second.lower == 0.1 && second.upper == 9 && second.fixed);

    second.tied_to = leader;
    assert_int_equal(lf_model_parameter_set(ctx, model, index, &second), LF_OK);
    parameter(ctx, model, "force2.lengthscale", &second);
    assert_true(second.tied_to == leader && second.value == first.value);
    first.value = 0.6;
    assert_int_equal(lf_model_parameter_set(ctx, model, leader, &first), LF_OK);
    parameter(ctx, model, "force2.lengthscale", &second);
    assert_true(second.value == 0.6);
    second.tied_to = LF_NONE;
    second.value = 4;
    assert_int_equal(lf_model_parameter_set(ctx, model, index, &second), LF_OK);
    parameter(ctx, model, "force2.lengthscale", &second);
    parameter(ctx, model, "force1.lengthscale", &first);
    assert_true(second.tied_to == LF_NONE && second.value == 4 && first.value == 0.6);
    lf_model_free(model);
}

static void fields_that_a_caller_does_not_know_stay(void **state)
{
    struct {
        size_t size;
        const char *names[3];
        double value;
    } older = {.size = sizeof older}; /* an lf_parameter that ends with its value */
    lf_parameter now;
    lf_model *model = parse(*state, springs);
    size_t index = parameter(*state, model, "a.decay", &now);
    now.upper = 7;
    assert_int_equal(lf_model_parameter_set(*state, model, index, &now), LF_OK);
    assert_int_equal(lf_model_parameter_get(*state, model, index, (lf_parameter *)(void *)&older), LF_OK);
    assert_true(older.value == 0.5 && older.size == sizeof older);
    older.value = 2;
    assert_int_equal(lf_model_parameter_set(*state, model, index, (const lf_parameter *)(const void *)&older), LF_OK);
    parameter(*state, model, "a.decay", &now);
    assert_true(now.value == 2 && now.upper == 7 && now.lower == 0 && !now.fixed);
    lf_model_free(model);
}

static void theta_has_all_parameters(void **state)
{
    double theta[64], again[64];
    lf_model *model = parse(*state, springs);
    size_t count = lf_model_count(model, LF_KIND_PARAMETER);
    assert_true(count < 63);
    assert_int_equal(lf_model_get_theta(*state, model, count, theta), LF_OK);
    assert_int_equal(lf_model_get_theta(*state, model, count - 1, theta), LF_ERROR_ARGUMENT);
    theta[0] += 0.25;
    assert_int_equal(lf_model_set_theta(*state, model, count, theta), LF_OK);
    assert_int_equal(lf_model_set_theta(*state, model, count + 1, theta), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_get_theta(*state, model, count, again), LF_OK);
    assert_true(fabs(again[0] - theta[0]) < 1e-15);
    lf_model_free(model);
}

static void a_text_shows_what_it_is(void **state)
{
    lf_model *model = parse(*state, wall);
    lf_model_info info = {.size = sizeof info};
    assert_int_equal(lf_model_get(*state, model, &info), LF_OK);
    assert_string_equal(info.equations, wall);
    char *text;
    assert_int_equal(lf_model_json(*state, model, "file", &text), LF_OK);
    lf_model *again = parse(*state, text);
    assert_string_equal(lf_model_name(again, LF_KIND_STATE, 1), "x'");
    lf_free(text);
    assert_int_equal(lf_model_json(*state, model, "provenance", &text), LF_OK);
    assert_null(text);
    lf_model_free(again);
    lf_model_free(model);
    /* Without all values it is no model. */
    assert_int_equal(lf_model_parse(*state, "x' = -k*x\noutput y = x\n", "test", &model), LF_ERROR_MODEL);
    assert_null(model);
    assert_non_null(strstr(lf_context_message(*state), "k"));
    assert_int_equal(lf_model_parse(*state, "", "test", &model), LF_ERROR_MODEL);
}

static void inputs_as_texts(void **state)
{
    char text[40];
    double x;
    lf_model *model = parse(*state, springs);
    assert_int_equal(lf_model_format_input(model, 0, 1.25, sizeof text, text), 4);
    assert_string_equal(text, "1.25");
    assert_int_equal(lf_model_format_input(model, 0, 1.25, 3, text), 4); /* cut */
    assert_string_equal(text, "1.");
    assert_int_equal(lf_model_format_input(model, 1, 1.25, sizeof text, text), 0);
    assert_string_equal(text, "");
    assert_int_equal(lf_model_parse_input(*state, model, 0, "1.25", &x), LF_OK);
    assert_true(x == 1.25);
    assert_int_equal(lf_model_parse_input(*state, model, 1, "1.25", &x), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_parse_span(*state, model, "30 min", &x), LF_OK);
    assert_true(x == 0.5);
    lf_model_free(model);
}

static int create(void **state)
{
    *state = lf_context_create();
    return *state == NULL;
}

static int destroy(void **state)
{
    lf_context_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_every_kind),
        cmocka_unit_test(labels_and_outputs),
        cmocka_unit_test(owners_of_parameters),
        cmocka_unit_test(a_parameter_is_changed_and_set),
        cmocka_unit_test(fields_that_a_caller_does_not_know_stay),
        cmocka_unit_test(theta_has_all_parameters),
        cmocka_unit_test(a_text_shows_what_it_is),
        cmocka_unit_test(inputs_as_texts),
    };
    return cmocka_run_group_tests(tests, create, destroy);
}
