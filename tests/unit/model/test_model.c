/* The model file: what it accepts, what it refuses and how it says so, and that nothing is lost on the way through. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static lf_context *ctx;
static char folder[] = "/tmp/latentforce-test-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    ctx = lf_context_create();
    return ctx && mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    lf_context_free(ctx);
    return rmdir(folder);
}

static lf_model *parse(const char *text)
{
    lf_model *model = NULL;
    if (lf_model_parse(ctx, text, "m.json", &model)) {
        fail_msg("%s", lf_context_message(ctx));
    }
    return model;
}

/* The text is refused with exactly this message. */
static void refuse(const char *text, const char *message)
{
    lf_model *model = (lf_model *)(void *)&ctx;
    assert_int_equal(lf_model_parse(ctx, text, "m.json", &model), LF_ERROR_MODEL);
    assert_string_equal(lf_context_message(ctx), message);
    assert_null(model);
}

/* The text is refused with a message that begins so. */
static void refuse_prefix(const char *text, const char *beginning)
{
    lf_model *model;
    assert_int_equal(lf_model_parse(ctx, text, "m.json", &model), LF_ERROR_MODEL);
    if (strncmp(lf_context_message(ctx), beginning, strlen(beginning)) != 0) {
        fail_msg("\"%s\" does not begin with \"%s\"", lf_context_message(ctx), beginning);
    }
}

#define HEAD "{\"format\": \"latentforce-model\", \"version\": 1, "
#define FORCE "\"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 0.5}], "
#define ODE1 "\"operator\": {\"type\": \"ode1\", \"decay\": 2}"
#define REST "\"sensitivity\": [1], \"noise_variance\": 0.1"
/* One output "a" with this operator, and with more fields at the top and in the output. */
#define MODEL(top, op, more) HEAD top FORCE "\"outputs\": [{\"name\": \"a\", \"operator\": " op ", " REST more "}]}"
#define OUTPUT(fields) HEAD FORCE "\"outputs\": [{" fields "}]}"

static const char example[] = /* of the interface, completed */
    "{ \"format\": \"latentforce-model\", \"version\": 1, \"input_dim\": 1, \"origin\": 0.0, \"initial\": \"zero\",\n"
    "  \"forces\":  [ { \"kernel\": \"eq\", \"lengthscale\": 0.5 } ],\n"
    "  \"outputs\": [ { \"name\": \"a\", \"operator\": {\"type\": \"ode2\", \"mass\": 1, \"damper\": 3, \"spring\": "
    "1},\n"
    "                 \"sensitivity\": [10], \"noise_variance\": 0.1, \"offset\": 0, \"scale\": 1 },\n"
    "               { \"name\": \"b\", \"operator\": {\"type\": \"ode\", \"coefficients\": [1, 0.2, 2]},\n"
    "                 \"sensitivity\": [-3], \"noise_variance\": 0.2, \"offset\": 5, \"scale\": 2 } ] }\n";

/* Every field that there is. */
static const char everything[] =
    HEAD "\"input_dim\": 1, \"origin\": -0.1, \"initial\": \"free\","
         "\"forces\": [{\"kernel\": \"matern32\", \"lengthscale\": 0.1, \"inducing\": [0.1, 2, 1e-300],"
         " \"inducing_noise\": 1e-9}, {\"kernel\": \"eq\", \"lengthscale\": 3}],"
         "\"outputs\": [{\"name\": \"h\\u00e9 \\\"x\\\".y\", \"operator\": {\"type\": \"ode\", \"coefficients\":"
         " [1, -0.3333333333333333, 2, 0.1]}, \"sensitivity\": [-1.5, 0], \"noise_variance\": 0.30000000000000004,"
         " \"offset\": 1e22, \"scale\": 7.2, \"initial_variance\": [1, 0, 0.7],"
         " \"private\": {\"kernel\": \"matern52\", \"lengthscale\": 0.7, \"amplitude\": 0.9}},"
         "{\"name\": \"b\", \"operator\": {\"type\": \"gaussian\", \"precision\": 4}, \"sensitivity\": [1, 2],"
         " \"noise_variance\": 0}, {\"name\": \"c\", " ODE1 ", \"sensitivity\": [1, 2], \"noise_variance\": 1}],"
         "\"parameters\": {\"fixed\": [\"b.log_precision\"], \"free\": [\"c.offset\"],"
         " \"tied\": [[\"force1.lengthscale\", \"force2.log_lengthscale\"]],"
         " \"bounds\": {\"c.decay\": [0.1, null], \"b.sensitivity1\": [null, 3], \"force1.lengthscale\": [0.05, 2]}},"
         "\"provenance\": {\"program\": \"by hand\", \"rows\": 3, \"deep\": [[1, 2.5], {\"x\": null}, true]},"
         "\"posterior\": {\"engine\": \"none\", \"mean\": [0.1, 1e-17, 3, -0.0]}}";

static void test_example(void **state)
{
    (void)state;
    lf_model *model = parse(example);
    assert_int_equal(lf_model_count(model, LF_KIND_INPUT), 1);
    assert_int_equal(lf_model_count(model, LF_KIND_FORCE), 1);
    assert_int_equal(lf_model_count(model, LF_KIND_OUTPUT), 2);
    assert_string_equal(lf_model_name(model, LF_KIND_OUTPUT, 1), "b");
    assert_int_equal(lf_model_find_output(model, "b"), 1);
    assert_int_equal(lf_model_find_output(model, "c"), -1);
    assert_string_equal(lf_force_kernel_text(&model->forces[0]), "eq");
    assert_close(model->forces[0].lengthscale[0], 0.5, 0);
    assert_close(lf_model_output(model, 1).offset, 5, 0);
    assert_close(lf_model_output(model, 1).scale, 2, 0);
    assert_close(lf_model_noise_variance(model, 1), 0.8, 1e-15);
    lf_output_info a = lf_model_output(model, 0), b = lf_model_output(model, 1);
    assert_string_equal(a.operator_type, "ode2");
    assert_int_equal(a.order, 2);
    assert_int_equal(a.constant_count, 3);
    assert_close(a.constants[1], 3, 0);
    assert_close(a.sensitivity[0], 10, 0);
    assert_null(a.private_kernel);
    assert_string_equal(lf_model_constant_name(model, 0, 1), "damper");
    assert_string_equal(b.operator_type, "ode");
    assert_int_equal(b.order, 2);
    assert_string_equal(lf_model_constant_name(model, 1, 2), "coefficient2");
    lf_model_free(model);
}

static void test_defaults(void **state)
{
    (void)state;
    lf_model *model = parse(MODEL("", "{\"type\": \"ode2\", \"mass\": 1, \"damper\": 0, \"spring\": 1}", ""));
    const lf_output *output = &model->outputs[0];
    assert_int_equal(model->input_dim, 1);
    assert_close(model->origin, 0, 0);
    assert_int_equal(model->initial, LF_INITIAL_ZERO);
    assert_close(output->offset, 0, 0);
    assert_close(output->scale, 1, 0);
    assert_close(output->initial_variance[0], 1, 0);
    assert_close(output->initial_variance[1], 1, 0);
    assert_false(output->has_private);
    assert_int_equal(model->forces[0].inducing_count, 0);
    assert_close(model->forces[0].inducing_noise, 0, 0);
    assert_null(model->posterior);
    lf_model_free(model);
}

static void test_notes_are_free(void **state)
{
    (void)state;
    lf_model_free(parse(MODEL("\"comment\": 3, \"_x\": [], ", "{\"type\": \"ode1\", \"decay\": 1, \"_why\": \"guess\"}",
                              ", \"comment\": \"an output\"")));
}

static void test_no_forces(void **state)
{
    (void)state;
    lf_model *model = parse(HEAD "\"forces\": [], \"outputs\": [{\"name\": \"a\", " ODE1
                                 ", \"sensitivity\": [], \"noise_variance\": 1}]}");
    assert_int_equal(lf_model_count(model, LF_KIND_FORCE), 0);
    assert_int_equal(lf_index_sensitivity(model, 0), -1);
    assert_int_equal(lf_index_noise(model, 0), 1);
    lf_model_free(model);
}

static void test_several_inputs(void **state)
{
    (void)state;
    lf_model *model =
        parse(HEAD "\"input_dim\": 2, \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": [1, 2]},"
                   "{\"kernel\": \"eq\", \"lengthscale\": 3}], \"outputs\": [{\"name\": \"a\","
                   "\"operator\": {\"type\": \"gaussian\", \"precision\": [4, 5]}, \"sensitivity\": [1, 1],"
                   "\"noise_variance\": 1}]}");
    assert_int_equal(model->forces[0].lengthscale_count, 2);
    assert_close(model->forces[0].lengthscale[1], 2, 0);
    assert_int_equal(model->forces[1].lengthscale_count, 1);
    lf_output_info info = lf_model_output(model, 0);
    assert_int_equal(info.order, 0);
    assert_int_equal(info.constant_count, 2);
    assert_close(info.constants[1], 5, 0);
    assert_string_equal(lf_model_constant_name(model, 0, 1), "precision2");
    lf_model_free(model);
}

/* The whole text of a file; the caller frees it. */
static char *slurp(const char *path)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    char *text = calloc(1, 20000);
    assert_non_null(text);
    assert_true(fread(text, 1, 19999, stream) > 0);
    fclose(stream);
    return text;
}

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static void test_round_trip(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/model.json", folder);
    lf_model *first = parse(everything), *second;
    assert_int_equal(lf_model_write(ctx, first, path), LF_OK);
    char *once = slurp(path);
    assert_int_equal(lf_model_read(ctx, path, &second), LF_OK);

    assert_close(second->origin, -0.1, 0);
    assert_int_equal(second->initial, LF_INITIAL_FREE);
    assert_string_equal(second->forces[0].kernel->name, "matern32");
    assert_int_equal(second->forces[0].inducing_count, 3);
    assert_close(second->forces[0].inducing[2], 1e-300, 0);
    assert_close(second->forces[0].inducing_noise, 1e-9, 0);
    const lf_output *output = &second->outputs[0];
    assert_string_equal(output->name, "h\xc3\xa9 \"x\".y");
    assert_close(output->constants[1], -0.3333333333333333, 0);
    assert_close(output->noise_variance, 0.1 + 0.2, 0);
    assert_close(output->offset, 1e22, 0);
    assert_close(output->scale, 7.2, 0);
    assert_close(output->initial_variance[2], 0.7, 0);
    assert_true(output->has_private);
    assert_string_equal(output->private_force.kernel->name, "matern52");
    assert_close(output->private_amplitude, 0.9, 0);
    assert_int_equal(second->parameter_count, first->parameter_count);
    for (size_t i = 0; i < first->parameter_count; i++) {
        lf_parameter a = lf_parameter_get(first, i), b = lf_parameter_get(second, i);
        assert_string_equal(a.name, b.name);
        assert_memory_equal(&a.value, &b.value, sizeof a.value);
        assert_memory_equal(&a.lower, &b.lower, sizeof a.lower);
        assert_memory_equal(&a.upper, &b.upper, sizeof a.upper);
        assert_int_equal(a.fixed, b.fixed);
        assert_int_equal(a.tied_to, b.tied_to);
    }
    assert_non_null(strstr(once, "\"rows\": 3,"));
    assert_non_null(strstr(once, "\"mean\": [0.1, 1e-17, 3, -0.0]"));
    assert_non_null(strstr(once, "\"scale\": 7.2")); /* no digits that carry nothing */

    assert_int_equal(lf_model_write(ctx, second, path), LF_OK);
    char *twice = slurp(path);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
    lf_model_free(first);
    lf_model_free(second);
    unlink(path);
}

/* Doubles that need all their digits, and the ends of the range. */
static void test_numbers_are_exact(void **state)
{
    (void)state;
    static const double numbers[] = {DBL_MIN,         DBL_TRUE_MIN,        DBL_MAX, 1.0 / 3, 0.1,
                                     1 + DBL_EPSILON, 123456789012345678.0};
    char path[64];
    snprintf(path, sizeof path, "%s/model.json", folder);
    lf_model *model = parse(example);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        lf_model *back;
        model->outputs[0].sensitivity[0] = -numbers[i];
        assert_int_equal(lf_model_write(ctx, model, path), LF_OK);
        assert_int_equal(lf_model_read(ctx, path, &back), LF_OK);
        assert_close(back->outputs[0].sensitivity[0], -numbers[i], 0);
        lf_model_free(back);
    }
    lf_model_free(model);
    unlink(path);
}

static void test_copy_is_deep(void **state)
{
    (void)state;
    lf_model *model = parse(everything), *copy;
    assert_int_equal(lf_model_copy(ctx, model, &copy), LF_OK);
    assert_int_equal(copy->parameter_count, model->parameter_count);
    for (size_t i = 0; i < model->parameter_count; i++) {
        lf_parameter a = lf_parameter_get(model, i), b = lf_parameter_get(copy, i);
        assert_string_equal(a.name, b.name);
        assert_close(a.value, b.value, 0);
        assert_int_equal(a.fixed, b.fixed);
        assert_int_equal(a.tied_to, b.tied_to);
        assert_memory_equal(&a.lower, &b.lower, sizeof a.lower);
        assert_memory_equal(&a.upper, &b.upper, sizeof a.upper);
        double before = a.value;
        *copy->parameters[i].value = before + 1 + fabs(before);
        assert_close(*model->parameters[i].value, before, 0);
    }
    copy->outputs[0].name[0] = 'x';
    copy->forces[0].inducing[0] = 77;
    assert_int_equal(model->outputs[0].name[0], 'h');
    assert_close(model->forces[0].inducing[0], 0.1, 0);
    lf_model_free(model);
    assert_close(copy->forces[0].inducing[2], 1, 0); /* as moved above: it stands alone */
    assert_non_null(copy->posterior);
    lf_model_free(copy);
    lf_model_free(NULL);
}

static void test_structure_errors(void **state)
{
    (void)state;
    refuse("{\"format\": \"x\"}", "m.json: format: expected \"latentforce-model\", found \"x\"");
    refuse("{}", "m.json: format: missing; expected a string");
    refuse("[]", "m.json: expected an object, found list");
    refuse("{\"format\": \"latentforce-model\", \"version\": 2}",
           "m.json: version: only version 1 can be read, found 2");
    refuse(HEAD "\"forces\": []}", "m.json: outputs: missing; expected a list");
    refuse(HEAD "\"forces\": [], \"outputs\": []}", "m.json: outputs: at least one output is needed, found none");
    refuse(HEAD "\"forces\": {}, \"outputs\": []}", "m.json: forces: expected a list, found object");
    refuse(MODEL("\"input_dim\": 1.5, ", "1", ""),
           "m.json: input_dim: must be a whole number from 1 to 1000, found 1.5");
    refuse(MODEL("\"input_dim\": 0, ", "1", ""), "m.json: input_dim: must be a whole number from 1 to 1000, found 0");
    refuse(MODEL("\"origin\": \"0\", ", "1", ""), "m.json: origin: expected a number, found string");
    refuse(MODEL("\"initial\": \"rest\", ", "1", ""),
           "m.json: initial: expected \"zero\", \"stationary\" or \"free\", found \"rest\"");
    refuse(MODEL("", "1", ""), "m.json: outputs[0].operator: expected an object, found number");
    refuse(MODEL("", "{}", ""), "m.json: outputs[0].operator.type: missing; expected a string");
    refuse_prefix(MODEL("", "{\"type\": \"ode3\"}", ""),
                  "m.json: outputs[0].operator.type: unknown operator \"ode3\"; ");
    refuse(MODEL("", "{\"type\": \"ode1\"}", ""), "m.json: outputs[0].operator.decay: missing; expected a number");
    refuse(MODEL("", "{\"type\": \"ode1\", \"decay\": \"2\"}", ""),
           "m.json: outputs[0].operator.decay: expected a number, found string");
    refuse(MODEL("", "{\"type\": \"ode1\", \"decay\": 1, \"mass\": 2}", ""),
           "m.json: outputs[0].operator.mass: unknown field; the fields here are type, decay");
    refuse(MODEL("", "{\"type\": \"ode\", \"coefficients\": [1]}", ""),
           "m.json: outputs[0].operator.coefficients: expected 2 to 13 coefficients (order 1 to 12), found 1");
    refuse(MODEL("", "{\"type\": \"ode\", \"coefficients\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1]}", ""),
           "m.json: outputs[0].operator.coefficients: expected 2 to 13 coefficients (order 1 to 12), found 14");
    refuse(MODEL("", "{\"type\": \"ode\", \"coefficients\": [1, null]}", ""),
           "m.json: outputs[0].operator.coefficients[1]: expected a number, found null");
    refuse(MODEL("", "{\"type\": \"gaussian\"}", ""),
           "m.json: outputs[0].operator.precision: missing; expected a number");
    refuse(
        MODEL("", "{\"type\": \"gaussian\", \"precision\": [1, 2]}", ""),
        "m.json: outputs[0].operator.precision: expected a number or a list of 1 (one per input), found a list of 2");
    refuse_prefix(MODEL("\"extra\": 1, ", "1", ""), "m.json: extra: unknown field; the fields here are format, ");
    refuse(OUTPUT("\"name\": \"a\", " ODE1 ", \"sensitivity\": [1]"),
           "m.json: outputs[0].noise_variance: missing; expected a number");
    refuse(OUTPUT("\"name\": \"a\", " ODE1 ", \"sensitivity\": [1, 2], \"noise_variance\": 1"),
           "m.json: outputs[0].sensitivity: expected 1 number (one per force), found 2");
    refuse(OUTPUT("\"name\": \"a\", " ODE1 ", \"sensitivity\": 1, \"noise_variance\": 1"),
           "m.json: outputs[0].sensitivity: expected a list of numbers, found number");
    refuse(OUTPUT(ODE1 ", " REST), "m.json: outputs[0].name: missing; expected a string");
    refuse(HEAD "\"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 1, \"copies\": 1.5}], \"outputs\": []}",
           "m.json: forces[0].copies: must be a whole number from 1 to 1000, found 1.5");
    refuse(MODEL("\"input_dim\": 2, \"inputs\": [{}], ", "{\"type\": \"gaussian\", \"precision\": 1}", ""),
           "m.json: inputs: expected a list of 2 (one per input), found a list of 1");
    refuse(MODEL("\"inputs\": [{\"scale\": 2}], ", "{\"type\": \"gaussian\", \"precision\": 1}", ""),
           "m.json: inputs: they are for several inputs, but input_dim is 1");
    refuse(
        MODEL("\"input_dim\": 2, \"inputs\": [{}, {\"scale\": 0}], ", "{\"type\": \"gaussian\", \"precision\": 1}", ""),
        "m.json: inputs[1].scale: must be > 0, found 0");
    refuse_prefix(
        MODEL("\"input_dim\": 2, \"inputs\": [{\"mean\": 1}, {}], ", "{\"type\": \"gaussian\", \"precision\": 1}", ""),
        "m.json: inputs[0].mean: unknown field");
    refuse(OUTPUT("\"name\": \"\", " ODE1 ", " REST), "m.json: outputs[0].name: must not be empty");
    refuse(HEAD FORCE "\"outputs\": [{\"name\": \"a\", " ODE1 ", " REST "}, {\"name\": \"a\", " ODE1 ", " REST "}]}",
           "m.json: outputs[1].name: \"a\" is already the name of outputs[0]");
    refuse_prefix(HEAD FORCE "\"outputs\": [{\"name\": \"a\", " ODE1 ", " REST "}, {\"name\": \"b\", \"opertor\": 1}]}",
                  "m.json: outputs[1].opertor: unknown field; the fields here are name, unit, operator, ");
    refuse(MODEL("", "{\"type\": \"ode1\", \"decay\": 1}", ", \"initial_variance\": [1, 2]"),
           "m.json: outputs[0].initial_variance: expected 1 number (for the order of the operator), found 2");
    refuse(MODEL("", "{\"type\": \"ode1\", \"decay\": 1}", ", \"private\": {\"kernel\": \"eq\", \"lengthscale\": 1}"),
           "m.json: outputs[0].private.amplitude: missing; expected a number");
    refuse_prefix(HEAD "\"forces\": [{\"kernel\": \"sinc\"}], \"outputs\": []}",
                  "m.json: forces[0].kernel: kernel 'sinc': there is no kernel 'sinc'; supported are ");
    refuse(HEAD "\"forces\": [{\"kernel\": \"eq\"}], \"outputs\": []}",
           "m.json: forces[0].lengthscale: missing; expected a number");
    refuse(HEAD "\"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 1, \"inducing\": [1, \"2\"]}], \"outputs\": []}",
           "m.json: forces[0].inducing[1]: expected a number, found string");
    refuse(HEAD "\"input_dim\": 2, \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 1, \"inducing\": [[1, 2], [3]]}],"
                " \"outputs\": []}",
           "m.json: forces[0].inducing[1]: expected a list of 2 (one per input), found a list of 1");
    refuse(HEAD "\"input_dim\": 2, \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 1, \"inducing\": [[1, 2], 3]}],"
                " \"outputs\": []}",
           "m.json: forces[0].inducing[1]: expected a list of numbers, found number");
}

static void test_range_errors(void **state)
{
    (void)state;
    refuse(HEAD FORCE "\"outputs\": [{\"name\": \"a\", " ODE1 ", " REST "}, {\"name\": \"b\", \"operator\":"
                      "{\"type\": \"ode2\", \"mass\": 1, \"damper\": -3, \"spring\": 1}, " REST "}]}",
           "m.json: outputs[1].operator.damper: must be >= 0, found -3");
    refuse(MODEL("", "{\"type\": \"ode2\", \"mass\": 0, \"damper\": 1, \"spring\": 1}", ""),
           "m.json: outputs[0].operator.mass: must be > 0, found 0");
    refuse(MODEL("", "{\"type\": \"ode1\", \"decay\": -0.5}", ""),
           "m.json: outputs[0].operator.decay: must be >= 0, found -0.5");
    refuse(MODEL("", "{\"type\": \"ode\", \"coefficients\": [0, 1]}", ""),
           "m.json: outputs[0].operator.coefficients[0]: must not be 0, found 0");
    refuse(MODEL("", "{\"type\": \"gaussian\", \"precision\": 0}", ""),
           "m.json: outputs[0].operator.precision: must be > 0, found 0");
    refuse(OUTPUT("\"name\": \"a\", " ODE1 ", \"sensitivity\": [1], \"noise_variance\": -1"),
           "m.json: outputs[0].noise_variance: must be >= 0, found -1");
    refuse(MODEL("", "{\"type\": \"ode1\", \"decay\": 1}", ", \"scale\": 0"),
           "m.json: outputs[0].scale: must be > 0, found 0");
    refuse(MODEL("", "{\"type\": \"ode1\", \"decay\": 1}", ", \"initial_variance\": [-2]"),
           "m.json: outputs[0].initial_variance[0]: must be >= 0, found -2");
    refuse(MODEL("", "{\"type\": \"ode1\", \"decay\": 1}",
                 ", \"private\": {\"kernel\": \"eq\", \"lengthscale\": 0, \"amplitude\": 1}"),
           "m.json: outputs[0].private.lengthscale: must be > 0, found 0");
    refuse(MODEL("", "{\"type\": \"ode1\", \"decay\": 1}",
                 ", \"private\": {\"kernel\": \"eq\", \"lengthscale\": 1, \"amplitude\": -1}"),
           "m.json: outputs[0].private.amplitude: must be >= 0, found -1");
    refuse(HEAD "\"forces\": [{\"kernel\": \"eq\", \"lengthscale\": -1}], \"outputs\": [{\"name\": \"a\", " ODE1
                ", " REST "}]}",
           "m.json: forces[0].lengthscale: must be > 0, found -1");
    refuse(HEAD "\"input_dim\": 2, \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": [1, -1]}], \"outputs\":"
                "[{\"name\": \"a\", \"operator\": {\"type\": \"gaussian\", \"precision\": 1}, " REST "}]}",
           "m.json: forces[0].lengthscale[1]: must be > 0, found -1");
    refuse(HEAD "\"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 1, \"inducing_noise\": -1}], \"outputs\":"
                "[{\"name\": \"a\", " ODE1 ", " REST "}]}",
           "m.json: forces[0].inducing_noise: must be >= 0, found -1");
    refuse(MODEL("\"input_dim\": 2, ", "{\"type\": \"ode1\", \"decay\": 1}", ""),
           "m.json: outputs[0].operator.type: \"ode1\" needs one input, but input_dim is 2; use \"gaussian\"");
}

static void test_json_errors(void **state)
{
    (void)state;
    refuse_prefix("{\"format\": \"latentforce-model\",\n  \"version\" 1}", "m.json:2:13: ");
    refuse_prefix("{\"format\": 1,\n \"format\": 2}", "m.json:2:");
    assert_non_null(strstr(lf_context_message(ctx), "duplicate"));
    refuse_prefix("", "m.json:1:0: ");
    refuse_prefix(MODEL("\"origin\": 1e999, ", "1", ""), "m.json:1:");
}

static void test_file_errors(void **state)
{
    (void)state;
    lf_model *model;
    char path[64], expected[128];
    snprintf(path, sizeof path, "%s/absent.json", folder);
    snprintf(expected, sizeof expected, "%s: cannot be opened: No such file or directory", path);
    assert_int_equal(lf_model_read(ctx, path, &model), LF_ERROR_IO);
    assert_string_equal(lf_context_message(ctx), expected);
    snprintf(expected, sizeof expected, "%s: is a directory, not a model file", folder);
    assert_int_equal(lf_model_read(ctx, folder, &model), LF_ERROR_IO);
    assert_string_equal(lf_context_message(ctx), expected);

    write_text(path, "{\n}");
    snprintf(expected, sizeof expected, "%s: format: missing; expected a string", path);
    assert_int_equal(lf_model_read(ctx, path, &model), LF_ERROR_MODEL);
    assert_string_equal(lf_context_message(ctx), expected);
    if (geteuid() != 0) { /* nothing is closed to root */
        assert_int_equal(chmod(path, 0), 0);
        assert_int_equal(lf_model_read(ctx, path, &model), LF_ERROR_IO);
        assert_non_null(strstr(lf_context_message(ctx), "Permission denied"));
    }
    unlink(path);

    model = parse(example);
    snprintf(path, sizeof path, "%s/absent/model.json", folder);
    assert_int_equal(lf_model_write(ctx, model, path), LF_ERROR_IO);
    assert_non_null(strstr(lf_context_message(ctx), path));
    free(model->outputs[0].name);
    model->outputs[0].name = strdup("\xff");
    snprintf(path, sizeof path, "%s/model.json", folder);
    assert_int_equal(lf_model_write(ctx, model, path), LF_ERROR_MODEL);
    assert_int_not_equal(access(path, F_OK), 0);
    lf_model_free(model);
}

#define STATIONARY "\"initial\": \"stationary\", "

static void test_stability(void **state)
{
    (void)state;
    refuse(
        MODEL(STATIONARY, "{\"type\": \"ode\", \"coefficients\": [1, -0.5]}", ""),
        "m.json: outputs[0] (\"a\"): operator is unstable (root +0.5) but initial \"stationary\" needs a stable one; "
        "use \"zero\" or \"free\"");
    refuse_prefix(MODEL(STATIONARY, "{\"type\": \"ode1\", \"decay\": 0}", ""),
                  "m.json: outputs[0] (\"a\"): operator is unstable (root ");
    /* On the boundary rounding must not decide: undamped, and (s^2 + 1)(s + 1). */
    refuse_prefix(MODEL(STATIONARY, "{\"type\": \"ode2\", \"mass\": 3, \"damper\": 0, \"spring\": 7}", ""),
                  "m.json: outputs[0] (\"a\"): operator is unstable (root ");
    refuse_prefix(MODEL(STATIONARY, "{\"type\": \"ode\", \"coefficients\": [1, 1, 1, 1]}", ""),
                  "m.json: outputs[0] (\"a\"): operator is unstable (root ");
    /* All coefficients positive, yet unstable: s^3 + s^2 + s + 2. */
    refuse_prefix(MODEL(STATIONARY, "{\"type\": \"ode\", \"coefficients\": [1, 1, 1, 2]}", ""),
                  "m.json: outputs[0] (\"a\"): operator is unstable (root +0.1766");
    lf_model_free(parse(MODEL(STATIONARY, "{\"type\": \"ode\", \"coefficients\": [-1, -6, -11, -6]}", "")));
    lf_model_free(parse(MODEL(STATIONARY, "{\"type\": \"gaussian\", \"precision\": 2}", "")));
    lf_model_free(parse(MODEL("\"initial\": \"free\", ", "{\"type\": \"ode\", \"coefficients\": [1, -0.5]}", "")));
    lf_model_free(parse(MODEL("", "{\"type\": \"ode\", \"coefficients\": [1, -0.5]}", "")));
}

static lf_output_info describe(const char *text, lf_model **model)
{
    *model = parse(text);
    return lf_model_output(*model, 0);
}

static void test_readings(void **state)
{
    (void)state;
    lf_model *model;
    lf_output_info info = describe(MODEL("", "{\"type\": \"ode1\", \"decay\": 4}", ""), &model);
    assert_true(info.stable);
    assert_close(info.time_constant, 0.25, 1e-15);
    assert_true(isnan(info.natural_frequency) && isnan(info.damping_ratio));
    lf_model_free(model);

    /* 2 (s + 1)(s + 3): the slower mode counts */
    info = describe(MODEL("", "{\"type\": \"ode2\", \"mass\": 2, \"damper\": 8, \"spring\": 6}", ""), &model);
    assert_close(info.time_constant, 1, 1e-14);
    assert_close(info.natural_frequency, sqrt(3), 1e-15);
    assert_close(info.damping_ratio, 8 / (2 * sqrt(12)), 1e-15);
    lf_model_free(model);

    info = describe(MODEL("", "{\"type\": \"ode\", \"coefficients\": [2, 8, 6]}", ""), &model);
    assert_close(info.natural_frequency, sqrt(3), 1e-15);
    assert_close(info.damping_ratio, 8 / (2 * sqrt(12)), 1e-15);
    lf_model_free(model);

    /* undamped: an oscillator with no time constant */
    info = describe(MODEL("", "{\"type\": \"ode2\", \"mass\": 1, \"damper\": 0, \"spring\": 9}", ""), &model);
    assert_false(info.stable);
    assert_true(isnan(info.time_constant));
    assert_close(info.natural_frequency, 3, 1e-15);
    assert_close(info.damping_ratio, 0, 0);
    lf_model_free(model);

    info = describe(MODEL("", "{\"type\": \"ode2\", \"mass\": 1, \"damper\": 1, \"spring\": 0}", ""), &model);
    assert_false(info.stable);
    assert_true(isnan(info.natural_frequency) && isnan(info.damping_ratio));
    lf_model_free(model);

    /* (s + 1)(s + 2)(s + 3) */
    info = describe(MODEL("", "{\"type\": \"ode\", \"coefficients\": [1, 6, 11, 6]}", ""), &model);
    assert_close(info.time_constant, 1, 1e-12);
    assert_true(isnan(info.natural_frequency));
    lf_model_free(model);

    info = describe(MODEL("", "{\"type\": \"gaussian\", \"precision\": 4}",
                          ", \"private\": {\"kernel\": \"matern12\", \"lengthscale\": 7, \"amplitude\": 2}"),
                    &model);
    assert_true(info.stable);
    assert_true(isnan(info.time_constant));
    assert_string_equal(info.private_kernel, "matern12");
    assert_close(model->outputs[0].private_force.lengthscale[0], 7, 0);
    assert_close(info.private_amplitude, 2, 0);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),           cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_notes_are_free),    cmocka_unit_test(test_no_forces),
        cmocka_unit_test(test_several_inputs),    cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_numbers_are_exact), cmocka_unit_test(test_copy_is_deep),
        cmocka_unit_test(test_structure_errors),  cmocka_unit_test(test_range_errors),
        cmocka_unit_test(test_json_errors),       cmocka_unit_test(test_file_errors),
        cmocka_unit_test(test_stability),         cmocka_unit_test(test_readings),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
