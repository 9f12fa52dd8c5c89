/* Parameters: names, order, transforms, the flat vector theta, ties, and the chain rule. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "latentforce.h"
#include "model/model.h"

static void check_close(double found, double expected, double tolerance, int line)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("line %d: %.17g instead of %.17g", line, found, expected);
    }
}
#define assert_close(found, expected, tolerance) check_close(found, expected, tolerance, __LINE__)

#define HEAD "{\"format\": \"latentforce-model\", \"version\": 1, "

/* One of everything in one dimension, with a free start. */
#define BODY                                                                                                           \
    "\"initial\": \"free\", \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 0.5}, {\"kernel\": \"matern32\","       \
    " \"lengthscale\": 2}], \"outputs\": ["                                                                            \
    "{\"name\": \"a\", \"operator\": {\"type\": \"ode2\", \"mass\": 3, \"damper\": 0.3, \"spring\": 7},"               \
    " \"sensitivity\": [1, -2], \"noise_variance\": 0.1, \"initial_variance\": [4, 5], \"offset\": 6,"                 \
    " \"private\": {\"kernel\": \"eq\", \"lengthscale\": 0.7, \"amplitude\": 0.9}},"                                   \
    "{\"name\": \"b.c\", \"operator\": {\"type\": \"ode1\", \"decay\": 2}, \"sensitivity\": [3, 4],"                   \
    " \"noise_variance\": 0.2},"                                                                                       \
    "{\"name\": \"d\", \"operator\": {\"type\": \"ode\", \"coefficients\": [2, -1]}, \"sensitivity\": [5, 6],"         \
    " \"noise_variance\": 0.3}]"

static lf_context *ctx;
static lf_model *model;

static lf_model *parse(const char *text)
{
    lf_model *result = NULL;
    if (lf_model_parse(ctx, text, "m.json", &result)) {
        fail_msg("%s", lf_context_message(ctx));
    }
    return result;
}

static int set_up(void **state)
{
    (void)state;
    ctx = lf_context_create();
    model = parse(HEAD BODY "}");
    return model ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    lf_model_free(model);
    lf_context_free(ctx);
    return 0;
}

static size_t find(const char *name)
{
    size_t index = 0;
    if (lf_parameter_find(ctx, model, name, &index)) {
        fail_msg("%s", lf_context_message(ctx));
    }
    return index;
}

static double value(const char *name) { return lf_parameter_get(model, find(name)).value; }

static void test_order(void **state)
{
    (void)state;
    static const struct {
        const char *name, *theta_name;
        double value;
    } expected[] = {
        {"force1.lengthscale", "force1.log_lengthscale", 0.5},
        {"force2.lengthscale", "force2.log_lengthscale", 2},
        {"a.mass", "a.log_mass", 3},
        {"a.damper", "a.log_damper", 0.3},
        {"a.spring", "a.log_spring", 7},
        {"a.sensitivity1", "a.sensitivity1", 1},
        {"a.sensitivity2", "a.sensitivity2", -2},
        {"a.noise_variance", "a.log_noise_variance", 0.1},
        {"a.initial_variance0", "a.log_initial_variance0", 4},
        {"a.initial_variance1", "a.log_initial_variance1", 5},
        {"a.private.lengthscale", "a.private.log_lengthscale", 0.7},
        {"a.private.amplitude", "a.private.log_amplitude", 0.9},
        {"a.offset", "a.offset", 6},
        {"b.c.decay", "b.c.log_decay", 2},
        {"b.c.sensitivity1", "b.c.sensitivity1", 3},
        {"b.c.sensitivity2", "b.c.sensitivity2", 4},
        {"b.c.noise_variance", "b.c.log_noise_variance", 0.2},
        {"b.c.initial_variance0", "b.c.log_initial_variance0", 1},
        {"b.c.offset", "b.c.offset", 0},
        {"d.coefficient0", "d.coefficient0", 2},
        {"d.coefficient1", "d.coefficient1", -1},
        {"d.sensitivity1", "d.sensitivity1", 5},
        {"d.sensitivity2", "d.sensitivity2", 6},
        {"d.noise_variance", "d.log_noise_variance", 0.3},
        {"d.initial_variance0", "d.log_initial_variance0", 1},
        {"d.offset", "d.offset", 0},
    };
    size_t count = sizeof expected / sizeof *expected;
    assert_int_equal(lf_parameter_count(model), count);
    for (size_t i = 0; i < count; i++) {
        lf_parameter p = lf_parameter_get(model, i);
        int is_log = strstr(expected[i].theta_name, "log_") != NULL;
        assert_string_equal(p.name, expected[i].name);
        assert_string_equal(p.theta_name, expected[i].theta_name);
        assert_string_equal(p.transform, is_log ? "log" : "identity");
        assert_close(p.value, expected[i].value, 0);
        assert_true(is_log ? p.lower == 0 : p.lower == -(double)INFINITY);
        assert_true(p.upper == (double)INFINITY);
        assert_int_equal(p.fixed, strstr(p.name, "offset") != NULL);
        assert_int_equal(p.tied_to, -1);
        assert_int_equal(find(p.name), i);
        assert_int_equal(find(p.theta_name), i);
    }
}

static void test_indices(void **state)
{
    (void)state;
    assert_int_equal(lf_index_kernel(model, 1), find("force2.lengthscale"));
    assert_int_equal(lf_index_constants(model, 0), find("a.mass"));
    assert_int_equal(lf_index_sensitivity(model, 2), find("d.sensitivity1"));
    assert_int_equal(lf_index_noise(model, 1), find("b.c.noise_variance"));
    assert_int_equal(lf_index_initial_variance(model, 0), find("a.initial_variance0"));
    assert_int_equal(lf_index_private_kernel(model, 0), find("a.private.lengthscale"));
    assert_int_equal(lf_index_private_amplitude(model, 0), find("a.private.amplitude"));
    assert_int_equal(lf_index_private_kernel(model, 1), -1);
    assert_int_equal(lf_index_private_amplitude(model, 1), -1);
    for (int d = 0; d < 3; d++) {
        assert_ptr_equal(model->parameters[lf_index_offset(model, d)].value, &model->outputs[d].offset);
    }
}

static void test_several_inputs(void **state)
{
    (void)state;
    lf_model *wide = parse(
        HEAD "\"input_dim\": 2, \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": [1, 2]}], \"outputs\": ["
             "{\"name\": \"a\", \"operator\": {\"type\": \"gaussian\", \"precision\": [4, 5]}, \"sensitivity\": [1],"
             " \"noise_variance\": 1, \"private\": {\"kernel\": \"eq\", \"lengthscale\": [6, 7], \"amplitude\": 8}},"
             "{\"name\": \"b\", \"operator\": {\"type\": \"gaussian\", \"precision\": 9}, \"sensitivity\": [1],"
             " \"noise_variance\": 1}]}");
    static const char *const names[] = {"force1.lengthscale1",
                                        "force1.lengthscale2",
                                        "a.precision1",
                                        "a.precision2",
                                        "a.sensitivity1",
                                        "a.noise_variance",
                                        "a.private.lengthscale1",
                                        "a.private.lengthscale2",
                                        "a.private.amplitude",
                                        "a.offset",
                                        "b.precision",
                                        "b.sensitivity1",
                                        "b.noise_variance",
                                        "b.offset"};
    assert_int_equal(lf_parameter_count(wide), sizeof names / sizeof *names);
    for (size_t i = 0; i < lf_parameter_count(wide); i++) {
        assert_string_equal(lf_parameter_get(wide, i).name, names[i]);
    }
    assert_string_equal(lf_parameter_get(wide, 7).theta_name, "a.private.log_lengthscale2");
    assert_int_equal(lf_index_initial_variance(wide, 0), -1);
    assert_int_equal(lf_index_private_amplitude(wide, 0), 8);
    assert_int_equal(lf_index_offset(wide, 0), 9);
    lf_model_free(wide);
}

static void test_theta_round_trip(void **state)
{
    (void)state;
    double theta[32], back[32], before[32];
    size_t n = lf_parameter_count(model);
    lf_parameter_fix(model, find("a.mass"), 1);
    lf_model_theta(model, theta);
    for (size_t i = 0; i < n; i++) {
        before[i] = lf_parameter_get(model, i).value;
        assert_close(theta[i], strstr(model->parameters[i].theta_name, "log_") ? log(before[i]) : before[i], 0);
    }
    assert_int_equal(lf_model_set_theta(ctx, model, lf_parameter_count(model), theta), LF_OK);
    for (size_t i = 0; i < n; i++) {
        assert_close(lf_parameter_get(model, i).value, before[i], 4e-16 * fabs(before[i]));
    }
    assert_true(value("a.mass") == 3); /* fixed: not even by a rounding; exp(log(3)) is not 3 */

    for (size_t i = 0; i < n; i++) {
        theta[i] += 0.125 * (double)(i + 1);
    }
    assert_int_equal(lf_model_set_theta(ctx, model, lf_parameter_count(model), theta), LF_OK);
    lf_model_theta(model, back);
    for (size_t i = 0; i < n; i++) {
        assert_close(back[i], theta[i], 1e-15 * (1 + fabs(theta[i])));
    }
    assert_close(model->forces[0].lengthscale[0], 0.5 * exp(0.125), 1e-15);
}

static void refuse_theta(const char *name, double entry, const char *message)
{
    double theta[32], before[32], after[32];
    lf_model_theta(model, before);
    lf_model_theta(model, theta);
    theta[0] += 1;
    theta[find(name)] = entry;
    assert_int_equal(lf_model_set_theta(ctx, model, lf_parameter_count(model), theta), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), message);
    lf_model_theta(model, after); /* nothing was set */
    assert_memory_equal(before, after, lf_parameter_count(model) * sizeof *before);
}

static void test_theta_is_checked(void **state)
{
    (void)state;
    const double inf = (double)INFINITY;
    refuse_theta("a.log_damper", (double)NAN, "a.log_damper is not a number");
    refuse_theta("a.damper", 1000, "a.log_damper = 1000 makes a.damper = inf, which must be finite");
    refuse_theta("a.sensitivity1", inf, "a.sensitivity1 = inf makes a.sensitivity1 = inf, which must be finite");
    refuse_theta("a.mass", -inf, "a.log_mass = -inf makes a.mass = 0, which must be > 0");
    refuse_theta("force2.lengthscale", -800,
                 "force2.log_lengthscale = -800 makes force2.lengthscale = 0, which must be > 0");
    refuse_theta("d.coefficient0", 0, "d.coefficient0 = 0 makes d.coefficient0 = 0, which must not be 0");
}

static void test_set_is_checked(void **state)
{
    (void)state;
    assert_int_equal(lf_parameter_set(ctx, model, find("a.log_damper"), 5), LF_OK);
    assert_close(model->outputs[0].constants[1], 5, 0);
    assert_int_equal(lf_parameter_set(ctx, model, find("a.damper"), -5), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "a.damper: must be >= 0, found -5");
    assert_int_equal(lf_parameter_set(ctx, model, find("a.mass"), 0), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "a.mass: must be > 0, found 0");
    assert_int_equal(lf_parameter_set(ctx, model, find("a.offset"), (double)INFINITY), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "a.offset: must be finite, found inf");
    assert_int_equal(lf_parameter_set(ctx, model, 26, 1), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "parameter number 26 does not exist; the model has 26");
    size_t index;
    assert_int_equal(lf_parameter_find(ctx, model, "a.mas", &index), LF_ERROR_ARGUMENT);
    assert_ptr_equal(
        strstr(lf_context_message(ctx), "no parameter is called \"a.mas\"; the model has force1.lengthscale, force2."),
        lf_context_message(ctx));
}

static void test_bounds(void **state)
{
    (void)state;
    size_t mass = find("a.mass"), sensitivity = find("a.sensitivity1");
    assert_int_equal(lf_parameter_bound(ctx, model, mass, 0.1, 9), LF_OK);
    assert_close(lf_parameter_get(model, mass).lower, 0.1, 0);
    assert_close(lf_parameter_get(model, mass).upper, 9, 0);
    assert_int_equal(lf_parameter_bound(ctx, model, sensitivity, -2, (double)INFINITY), LF_OK);
    assert_int_equal(lf_parameter_bound(ctx, model, mass, 2, 1), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "a.mass: bounds must go from low to high, found [2, 1]");
    assert_int_equal(lf_parameter_bound(ctx, model, mass, (double)NAN, 1), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_parameter_bound(ctx, model, mass, -1, 1), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "a.mass is never negative, so its bounds cannot be [-1, 1]");
    assert_close(lf_parameter_get(model, mass).lower, 0.1, 0);
}

static void test_zero_does_not_move(void **state)
{
    (void)state;
    size_t damper = find("a.damper");
    double theta[32], gradient[32];
    assert_false(lf_parameter_get(model, damper).fixed);
    assert_int_equal(lf_parameter_set(ctx, model, damper, 0), LF_OK);
    assert_true(lf_parameter_get(model, damper).fixed);
    lf_parameter_fix(model, damper, 0);
    assert_true(lf_parameter_get(model, damper).fixed);
    lf_model_theta(model, theta);
    assert_true(theta[damper] == -(double)INFINITY);
    assert_int_equal(lf_model_set_theta(ctx, model, lf_parameter_count(model), theta), LF_OK);
    assert_close(value("a.damper"), 0, 0);
    for (size_t i = 0; i < 26; i++) {
        gradient[i] = 1;
    }
    gradient[damper] = (double)INFINITY; /* even where the natural gradient breaks down */
    lf_parameters_chain(model, gradient);
    assert_close(gradient[damper], 0, 0);
    assert_int_equal(lf_parameter_set(ctx, model, damper, 1), LF_OK);
    assert_false(lf_parameter_get(model, damper).fixed);
}

static void test_ties(void **state)
{
    (void)state;
    size_t mass = find("a.mass"), spring = find("a.spring"), decay = find("b.c.decay"), damper = find("a.damper");
    double theta[32];
    assert_int_equal(lf_parameter_tie(ctx, model, spring, mass), LF_OK);
    assert_close(value("a.spring"), 3, 0); /* at once */
    assert_int_equal(lf_parameter_tie(ctx, model, damper, spring), LF_OK);
    assert_int_equal(lf_parameter_get(model, damper).tied_to, mass); /* a chain leads to its end */
    assert_int_equal(lf_parameter_tie(ctx, model, mass, damper), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "a.mass cannot be tied to itself, directly or through others");
    assert_int_equal(lf_parameter_tie(ctx, model, mass, mass), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_parameter_tie(ctx, model, mass, find("a.offset")), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx),
                        "a.mass cannot be tied to a.offset: only one of them moves as a logarithm");
    /* A leader that becomes a follower brings its followers along. */
    assert_int_equal(lf_parameter_tie(ctx, model, mass, decay), LF_OK);
    for (size_t i = mass; i <= spring; i++) {
        assert_int_equal(lf_parameter_get(model, i).tied_to, decay);
        assert_close(lf_parameter_get(model, i).value, 2, 0);
    }
    lf_model_theta(model, theta);
    theta[decay] = log(5);
    theta[mass] = (double)NAN; /* ignored */
    assert_int_equal(lf_model_set_theta(ctx, model, lf_parameter_count(model), theta), LF_OK);
    assert_close(value("b.c.decay"), 5, 1e-14);
    assert_true(value("a.mass") == value("b.c.decay") && value("a.damper") == value("b.c.decay"));

    assert_int_equal(lf_parameter_set(ctx, model, mass, 4), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "a.mass is tied to b.c.decay; set that one instead");
    assert_int_equal(lf_parameter_set(ctx, model, decay, 4), LF_OK);
    assert_close(value("a.spring"), 4, 0);
    /* The leader may not take what a follower cannot. */
    assert_int_equal(lf_parameter_set(ctx, model, decay, 0), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(ctx), "a.mass: must be > 0, found 0");
    assert_close(value("b.c.decay"), 4, 0);
}

/* A smooth function of the natural values, and its gradient by them. */
static double function(const lf_model *at, double *gradient)
{
    double sum = 0;
    for (size_t i = 0; i < lf_parameter_count(at); i++) {
        double weight = 1.0 / (double)(i + 1), v = lf_parameter_get(at, i).value;
        sum += weight * v * v;
        if (gradient) {
            gradient[i] = 2 * weight * v;
        }
    }
    return sum;
}

static void test_chain_rule(void **state)
{
    (void)state;
    double theta[32], gradient[32];
    const double step = 1e-6;
    assert_int_equal(lf_parameter_tie(ctx, model, find("a.spring"), find("b.c.decay")), LF_OK);
    assert_int_equal(lf_parameter_tie(ctx, model, find("d.noise_variance"), find("a.noise_variance")), LF_OK);
    assert_int_equal(lf_parameter_tie(ctx, model, find("d.sensitivity1"), find("a.sensitivity2")), LF_OK);
    function(model, gradient);
    lf_parameters_chain(model, gradient);
    lf_model_theta(model, theta);
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        double centre = theta[i], above, below;
        theta[i] = centre + step;
        assert_int_equal(lf_model_set_theta(ctx, model, lf_parameter_count(model), theta), LF_OK);
        above = function(model, NULL);
        theta[i] = centre - step;
        assert_int_equal(lf_model_set_theta(ctx, model, lf_parameter_count(model), theta), LF_OK);
        below = function(model, NULL);
        theta[i] = centre;
        assert_close(gradient[i], (above - below) / (2 * step), 1e-6);
    }
    assert_close(gradient[find("a.spring")], 0, 0);
    assert_true(fabs(gradient[find("b.c.decay")]) > 1);
}

static void test_file_section(void **state)
{
    (void)state;
    lf_model_free(model);
    model = parse(HEAD BODY ", \"parameters\": {\"fixed\": [\"a.mass\", \"d.log_noise_variance\"], \"free\": "
                            "[\"a.offset\"], \"tied\": [[\"b.c.decay\", \"a.log_spring\", \"a.damper\"]],"
                            "\"bounds\": {\"force1.lengthscale\": [0.1, 2], \"a.sensitivity1\": [null, 5]}}}");
    assert_true(lf_parameter_get(model, find("a.mass")).fixed);
    assert_true(lf_parameter_get(model, find("d.noise_variance")).fixed);
    assert_false(lf_parameter_get(model, find("a.offset")).fixed);
    assert_true(lf_parameter_get(model, find("d.offset")).fixed);
    assert_int_equal(lf_parameter_get(model, find("a.damper")).tied_to, find("b.c.decay"));
    assert_close(value("a.spring"), 2, 0);
    lf_parameter lengthscale = lf_parameter_get(model, 0),
                 sensitivity = lf_parameter_get(model, find("a.sensitivity1"));
    assert_close(lengthscale.lower, 0.1, 0);
    assert_close(lengthscale.upper, 2, 0);
    assert_true(sensitivity.lower == -(double)INFINITY && sensitivity.upper == 5);
}

static void refuse_section(const char *section, const char *beginning)
{
    char text[4000];
    lf_model *none;
    snprintf(text, sizeof text, HEAD BODY ", \"parameters\": %s}", section);
    assert_int_equal(lf_model_parse(ctx, text, "m.json", &none), LF_ERROR_MODEL);
    assert_null(none);
    if (strncmp(lf_context_message(ctx), beginning, strlen(beginning)) != 0) {
        fail_msg("\"%s\" does not begin with \"%s\"", lf_context_message(ctx), beginning);
    }
}

static void test_file_section_errors(void **state)
{
    (void)state;
    refuse_section("[]", "m.json: parameters: expected an object, found list");
    refuse_section("{\"fix\": []}", "m.json: parameters.fix: unknown field; the fields here are fixed, free, tied, ");
    refuse_section("{\"fixed\": [\"a.mass\", \"a.mas\"]}",
                   "m.json: parameters.fixed[1]: no parameter is called \"a.mas\"; the model has force1.lengthscale, ");
    refuse_section("{\"free\": [3]}", "m.json: parameters.free[0]: expected a string, found number");
    refuse_section("{\"tied\": [\"a.mass\"]}", "m.json: parameters.tied[0]: expected a list, found string");
    refuse_section("{\"tied\": [[\"a.mass\"]]}", "m.json: parameters.tied[0]: expected at least two names, found 1");
    refuse_section("{\"tied\": [[\"a.mass\", \"a.offset\"]]}",
                   "m.json: parameters.tied[0][1]: a.offset cannot be tied ");
    refuse_section("{\"tied\": [[\"a.mass\", \"a.spring\"], [\"a.damper\", \"a.spring\"]]}",
                   "m.json: parameters.tied[1][1]: a.spring is already tied to a.mass");
    refuse_section("{\"tied\": [[\"a.mass\", \"a.spring\"], [\"a.spring\", \"a.mass\"]]}",
                   "m.json: parameters.tied[1][1]: a.mass cannot be tied to itself");
    refuse_section("{\"bounds\": {\"a.x\": [1, 2]}}", "m.json: parameters.bounds.a.x: no parameter is called \"a.x\"");
    refuse_section("{\"bounds\": {\"a.mass\": [1]}}",
                   "m.json: parameters.bounds.a.mass: expected [lower, upper], found a list of 1");
    refuse_section("{\"bounds\": {\"a.mass\": [2, 1]}}",
                   "m.json: parameters.bounds.a.mass: a.mass: bounds must go from low to high, found [2, 1]");
    refuse_section("{\"bounds\": {\"a.mass\": [2, \"x\"]}}",
                   "m.json: parameters.bounds.a.mass[1]: expected a number, found string");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_order),
        TEST(test_indices),
        TEST(test_several_inputs),
        TEST(test_theta_round_trip),
        TEST(test_theta_is_checked),
        TEST(test_set_is_checked),
        TEST(test_bounds),
        TEST(test_zero_does_not_move),
        TEST(test_ties),
        TEST(test_chain_rule),
        TEST(test_file_section),
        TEST(test_file_section_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
