/* What the inputs and outputs of a model measure: in model files, copies and fits; texts of inputs and spans; units of
 * parameters. */
#include "base/timestamp.h"
#include "support.h"

#include <unistd.h>

#define FORCES "\"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 0.5}]"
#define REST "\"sensitivity\": [1], \"noise_variance\": 0.1"
#define OUTPUTS                                                                                                        \
    "\"outputs\": [{\"name\": \"a\", \"unit\": \"°C\", \"operator\": {\"type\": \"ode1\", \"decay\": 1}, " REST        \
    "}, {\"name\": \"b\", \"operator\": {\"type\": \"ode1\", \"decay\": 1}, " REST "}]"
#define MODEL(inputs) "{\"format\": \"latentforce-model\", \"version\": 1, " inputs FORCES ", " OUTPUTS "}"
#define DATED MODEL("\"inputs\": [{\"name\": \"when\", \"unit\": \"h\", \"zero\": \"2020-03-01T12:00:00+01:00\"}], ")
#define MINUTES MODEL("\"inputs\": [{\"name\": \"t\", \"unit\": \"h\", \"file_unit\": \"min\"}], ")

static void check_dated(const lf_model *model)
{
    lf_label input = lf_model_input(model, 0);
    assert_string_equal(input.name, "when");
    assert_string_equal(input.unit, "h");
    assert_string_equal(input.file_unit, "h");
    assert_true(input.dated && input.seconds == 3600 && input.offset == 0 && input.scale == 1);
    assert_true(input.zero == 1583064000); /* date -u -d 2020-03-01T12:00:00 +%s */
    assert_string_equal(lf_model_output(model, 0).unit, "°C");
    assert_string_equal(lf_model_output(model, 1).unit, "");
}

/* Writes the model, reads it again. */
static lf_model *reread(lf_context *ctx, const lf_model *model)
{
    char path[] = "/tmp/lf_test_axes_XXXXXX";
    lf_model *again;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_ok(ctx, lf_model_write(ctx, model, path));
    assert_ok(ctx, lf_model_read(ctx, path, &again));
    unlink(path);
    return again;
}

static void model_files(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, DATED), *copy, *again = reread(ctx, model);
    char text[64];
    double x;
    assert_ok(ctx, lf_model_copy(ctx, again, &copy));
    lf_model_free(again);
    check_dated(model);
    check_dated(copy);
    lf_model_format_input(copy, 0, 1.5, sizeof text, text);
    assert_string_equal(text, "2020-03-01T13:30:00+01:00");
    assert_ok(ctx, lf_model_parse_input(ctx, copy, 0, "2020-03-01T13:30Z", &x));
    assert_true(x == 2.5);
    assert_int_equal(lf_model_parse_input(ctx, copy, 0, "2020-03-01T13:30", &x), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "'2020-03-01T13:30' has no time zone"));
    assert_int_equal(lf_model_parse_input(ctx, copy, 0, "3", &x), LF_ERROR_ARGUMENT);
    lf_model_input_heading(copy, 0, sizeof text, text);
    assert_string_equal(text, "when");
    lf_model_free(model);
    lf_model_free(copy);

    model = parse_model(ctx, MINUTES);
    again = reread(ctx, model);
    assert_string_equal(lf_model_input(again, 0).file_unit, "min");
    assert_false(lf_model_input(again, 0).dated);
    assert_ok(ctx, lf_model_parse_input(ctx, again, 0, "90", &x));
    assert_true(x == 1.5);
    lf_model_format_input(again, 0, 0.1, sizeof text, text);
    assert_string_equal(text, "6");
    lf_model_format_input(again, 0, 0.1, 1, text); /* no room */
    assert_string_equal(text, "");
    lf_model_free(model);
    lf_model_free(again);

    /* every form of the date of 0 comes back as it was */
    static const char *const zeros[] = {"2020-02-29", "2020-02-29T00:00:00", "2020-02-29T10:11:12Z",
                                        "1969-12-31T23:59:59-03:30"};
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
        char json[1000];
        snprintf(json, sizeof json, MODEL("\"inputs\": [{\"unit\": \"d\", \"zero\": \"%s\"}], "), zeros[i]);
        model = parse_model(ctx, json);
        again = reread(ctx, model);
        lf_model_format_input(again, 0, 0, sizeof text, text);
        assert_string_equal(text, zeros[i]);
        lf_model_input_heading(again, 0, sizeof text, text);
        assert_string_equal(text, "x");
        lf_model_free(model);
        lf_model_free(again);
    }
    model = parse_model(ctx, MODEL("")); /* nothing is known, and nothing is written */
    again = reread(ctx, model);
    assert_string_equal(lf_model_input(again, 0).name, "");
    assert_string_equal(lf_model_input(again, 0).unit, "");
    assert_true(lf_model_input(again, 0).seconds == 0 && !lf_model_input(again, 0).dated);
    lf_model_free(model);
    lf_model_free(again);
}

static void bad_model_files(void **state)
{
    lf_context *ctx = *state;
    static const struct {
        const char *input, *message;
    } rows[] = {
        {"{\"name\": 3}", "m.json: inputs[0].name: "},
        {"{\"unit\": [\"h\"]}", "m.json: inputs[0].unit: "},
        {"{\"file_unit\": 60}", "m.json: inputs[0].file_unit: "},
        {"{\"zero\": 0}", "m.json: inputs[0].zero: "},
        {"{\"unit\": \"h\", \"zero\": \"yesterday\"}",
         "m.json: inputs[0].zero: expected a date such as \"2019-12-23T00:00:00\", found \"yesterday\""},
        {"{\"unit\": \"h\", \"zero\": \"2019-02-29\"}", "m.json: inputs[0].zero: expected a date"},
        {"{\"unit\": \"h\", \"zero\": \"2019-02-28T10:00:00.5\"}",
         "m.json: inputs[0].zero: the date of 0 must be a whole"},
        {"{\"unit\": \"m\", \"zero\": \"2019-02-28\"}", "m.json: inputs[0].zero: a date needs \"unit\""},
        {"{\"zero\": \"2019-02-28\"}", "m.json: inputs[0].zero: a date needs \"unit\""},
        {"{\"unit\": \"hours\", \"zero\": \"2019-02-28\"}", "m.json: inputs[0].zero: a date needs \"unit\""},
        {"{\"unit\": \"h\", \"file_unit\": \"week\"}",
         "m.json: inputs[0].file_unit: unit and file_unit must be ms, s, min, h, d or a, found \"h\" and \"week\""},
        {"{\"unit\": \"m\", \"file_unit\": \"s\"}", "m.json: inputs[0].file_unit: unit and file_unit must be"},
        {"{\"file_unit\": \"s\"}", "m.json: inputs[0].file_unit: unit and file_unit must be"},
        {"{\"origin\": 3}", "m.json: inputs[0].origin: unknown field; the fields here are offset, scale, name, unit"},
        {"{}, {}", "m.json: inputs: expected a list of 1 (one per input), found a list of 2"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char json[1200];
        lf_model *model;
        snprintf(json, sizeof json, MODEL("\"inputs\": [%s], "), rows[i].input);
        assert_int_equal(lf_model_parse(ctx, json, "m.json", &model), LF_ERROR_MODEL);
        if (strncmp(lf_context_message(ctx), rows[i].message, strlen(rows[i].message)) != 0) {
            fail_msg("\"%s\" does not begin with \"%s\"", lf_context_message(ctx), rows[i].message);
        }
    }
    lf_model *model;
    assert_int_equal(lf_model_parse(ctx,
                                    "{\"format\": \"latentforce-model\", \"version\": 1, " FORCES
                                    ", \"outputs\": [{\"name\": \"a\", \"unit\": 1, \"operator\": {\"type\": \"ode1\", "
                                    "\"decay\": 1}, " REST "}]}",
                                    "m.json", &model),
                     LF_ERROR_MODEL);
    assert_non_null(strstr(lf_context_message(ctx), "m.json: outputs[0].unit: "));
}

static void spans(void **state)
{
    lf_context *ctx = *state;
    static const struct {
        const char *text;
        double dated, minutes, none; /* NaN: refused */
    } rows[] = {{"48h", 48, 48, NAN},
                {"30 min", 0.5, 0.5, NAN},
                {"2.5", 2.5, 2.5 / 60, 2.5}, /* a plain number is in the unit of files */
                {"-1d", -24, -24, NAN},
                {"1e2 seconds", 100 / 3600.0, 100 / 3600.0, NAN},
                {"3   Days", 72, 72, NAN},
                {"1e3", 1000, 1000 / 60.0, 1000},
                {"x", NAN, NAN, NAN},
                {"", NAN, NAN, NAN},
                {"h", NAN, NAN, NAN},
                {"5 weeks", NAN, NAN, NAN},
                {"5 h ", NAN, NAN, NAN},
                {" 5h", NAN, NAN, NAN},
                {"1h30", NAN, NAN, NAN},
                {"1e", NAN, NAN, NAN},
                {"--1h", NAN, NAN, NAN},
                {"inf", NAN, NAN, NAN},
                {"nan h", NAN, NAN, NAN},
                {"1e999", NAN, NAN, NAN},
                {"2020-01-01", NAN, NAN, NAN},
                {"1000000000000000000000000000000000000000000000000000000000000000000000 h", NAN, NAN, NAN}};
    lf_model *models[] = {parse_model(ctx, DATED), parse_model(ctx, MINUTES), parse_model(ctx, MODEL(""))};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double expected[] = {rows[i].dated, rows[i].minutes, rows[i].none};
        for (int k = 0; k < 3; k++) {
            double span = 0;
            lf_status status = lf_model_parse_span(ctx, models[k], rows[i].text, &span);
            if (isnan(expected[k])) {
                assert_int_equal(status, LF_ERROR_ARGUMENT);
                assert_non_null(strstr(lf_context_message(ctx), rows[i].text));
            } else {
                assert_ok(ctx, status);
                assert_near(span, expected[k], 1e-15 * fabs(expected[k]));
            }
        }
    }
    double span;
    lf_model_parse_span(ctx, models[2], "48h", &span);
    assert_non_null(strstr(lf_context_message(ctx), "the unit of time is not known"));
    for (int k = 0; k < 3; k++) {
        lf_model_free(models[k]);
    }
}

static void check_units(lf_context *ctx, const lf_model *model, const char *const *names, const char *const *units)
{
    for (size_t i = 0; names[i]; i++) {
        size_t index;
        char unit[LF_UNIT_SIZE] = "not written";
        assert_ok(ctx, lf_parameter_find(ctx, model, names[i], &index));
        lf_parameter_unit(model, index, unit);
        if (strcmp(unit, units[i]) != 0) {
            fail_msg("the unit of %s is '%s' instead of '%s'", names[i], unit, units[i]);
        }
    }
}

static const char every_kind[] =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"free\", %s"
    "\"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 0.5}, {\"kernel\": \"matern32\", \"lengthscale\": 2}],"
    "\"outputs\": [{\"name\": \"a\", \"operator\": {\"type\": \"ode2\", \"mass\": 3, \"damper\": 0.3, \"spring\": 7},"
    " \"sensitivity\": [1, -2], \"noise_variance\": 0.1, \"initial_variance\": [4, 5],"
    " \"private\": {\"kernel\": \"eq\", \"lengthscale\": 0.7, \"amplitude\": 0.9}},"
    "{\"name\": \"b\", \"operator\": {\"type\": \"ode1\", \"decay\": 2}, \"sensitivity\": [3, 4], \"noise_variance\": "
    "0.2},"
    "{\"name\": \"c\", \"operator\": {\"type\": \"ode\", \"coefficients\": [2, 1, 3, 1]}, \"sensitivity\": [5, 6],"
    " \"noise_variance\": 0.3},"
    "{\"name\": \"d\", \"operator\": {\"type\": \"gaussian\", \"precision\": 2}, \"sensitivity\": [5, 6],"
    " \"noise_variance\": 0.3}]}";

static void units_of_parameters(void **state)
{
    lf_context *ctx = *state;
    static const char *const names[] = {"force1.lengthscale",
                                        "force2.lengthscale",
                                        "a.mass",
                                        "a.damper",
                                        "a.spring",
                                        "a.sensitivity1",
                                        "a.noise_variance",
                                        "a.private.lengthscale",
                                        "a.private.amplitude",
                                        "b.decay",
                                        "c.coefficient0",
                                        "c.coefficient1",
                                        "c.coefficient3",
                                        "d.precision",
                                        NULL};
    static const char *const units[] = {"h", "h", "",    "1/h", "1/h^2", "",      "",
                                        "h", "",  "1/h", "",    "1/h",   "1/h^3", "1/h^2"};
    static const char *const none[] = {"", "", "", "", "", "", "", "", "", "", "", "", "", ""};
    char json[3000];
    snprintf(json, sizeof json, every_kind, "\"inputs\": [{\"unit\": \"h\"}], ");
    lf_model *model = parse_model(ctx, json);
    check_units(ctx, model, names, units);
    for (size_t i = 0; i < lf_parameter_count(model); i++) { /* every other one has an end, and no unit of nonsense */
        char unit[LF_UNIT_SIZE];
        memset(unit, '#', sizeof unit);
        lf_parameter_unit(model, i, unit);
        assert_non_null(memchr(unit, '\0', sizeof unit));
    }
    lf_model_free(model);
    snprintf(json, sizeof json, every_kind, "");
    model = parse_model(ctx, json);
    check_units(ctx, model, names, none);
    lf_model_free(model);

    static const char driven[] =
        "{\"format\": \"latentforce-model\", \"version\": 1, \"inputs\": [{\"unit\": \"h\"}], \"forces\": [],"
        "\"known_inputs\": [{\"name\": \"heat\", \"between\": \"linear\", \"unit\": \"kW\"},"
        " {\"name\": \"dose\", \"between\": \"impulse\", \"unit\": \"mg\"}, {\"name\": \"state\", \"between\": "
        "\"constant\"}],"
        "\"outputs\": [{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 2}, \"sensitivity\": [],"
        " \"noise_variance\": 0.1, \"gain\": [1, 2, 3]}, {\"name\": \"b\", \"operator\": {\"type\": \"ode2\", "
        "\"mass\": 1,"
        " \"damper\": 1, \"spring\": 1}, \"sensitivity\": [], \"noise_variance\": 0.1, \"gain\": [1, 2, 3]}]}";
    static const char *const gains[] = {"a.gain1", "a.gain2", "a.gain3", "b.gain1", "b.gain2", NULL},
                             *const gain_units[] = {"1/(h kW)", "1/mg", "", "1/(h^2 kW)", "1/(h mg)"};
    model = parse_model(ctx, driven);
    check_units(ctx, model, gains, gain_units);
    lf_model_free(model);

    static const char plane[] =
        "{\"format\": \"latentforce-model\", \"version\": 1, \"input_dim\": 2, \"inputs\": [%s],"
        "\"forces\": [{\"kernel\": \"eq\", \"lengthscale\": [0.5, 0.6]}],"
        "\"outputs\": [{\"name\": \"u\", \"operator\": {\"type\": \"gaussian\", \"precision\": [2, 3]},"
        " \"sensitivity\": [1], \"noise_variance\": 0.1}]}";
    static const char *const plane_names[] = {"force1.lengthscale1", "force1.lengthscale2", "u.precision1",
                                              "u.precision2", NULL};
    static const char *const plane_units[] = {"m", "", "1/m^2", ""};
    snprintf(json, sizeof json, plane, "{\"unit\": \"m\"}, {\"name\": \"depth\"}");
    model = parse_model(ctx, json);
    check_units(ctx, model, plane_names, plane_units);
    lf_model_free(model);
    snprintf(json, sizeof json, plane,
             "{\"unit\": \"m\", \"offset\": 1, \"scale\": 2}, {\"unit\": \"m\", \"scale\": 3}");
    model = parse_model(ctx, json);
    check_units(ctx, model, plane_names, none); /* of inputs in units of their spread */
    lf_model_free(model);

    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 12; i++) {
        double x = i;
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = sin(x)}));
    }
    model = parse_model(ctx, MODEL("\"inputs\": [{\"unit\": \"min\"}], "));
    assert_ok(ctx, lf_model_place_inducing(ctx, model, data, 3, "even"));
    static const char *const inducing[] = {"force1.inducing1", "force1.inducing3", NULL};
    static const char *const minutes[] = {"min", "min"};
    check_units(ctx, model, inducing, minutes);
    lf_model_free(model);
    lf_data_free(data);
}

/* The input of the table measures what that of the model measures. */
static void take_label(lf_context *ctx, const lf_model *model, lf_data *data)
{
    lf_label label = {.size = sizeof label};
    assert_ok(ctx, lf_model_label_get(ctx, model, LF_KIND_INPUT, 0, &label));
    assert_ok(ctx, lf_data_label_set(ctx, data, LF_KIND_INPUT, 0, &label));
}

static lf_data *readings(lf_context *ctx)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 40; i++) {
        double x = 0.5 * i;
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = i % 2 ? "a" : "b",
                                             .x = &x,
                                             .y = sin(0.7 * x) + 0.1 * cos(9 * x)}));
    }
    return data;
}

/* Says what an input measures; zero: the date of 0 as text, or NULL. */
static lf_status label_input(lf_context *ctx, lf_data *data, int input, const char *name, const char *unit,
                             const char *zero)
{
    lf_timestamp stamp = {0};
    assert_true(!zero || lf_parse_timestamp(zero, strlen(zero), &stamp) == LF_TIMESTAMP);
    lf_label label = {.size = sizeof label,
                      .name = name,
                      .unit = unit,
                      .dated = zero != NULL,
                      .zero = (double)stamp.seconds + stamp.fraction,
                      .zoned = stamp.zoned,
                      .zone = stamp.zone};
    return lf_data_label_set(ctx, data, LF_KIND_INPUT, (size_t)input, &label);
}

static lf_label label_of(lf_context *ctx, const lf_data *data, lf_kind kind, size_t index)
{
    lf_label label = {.size = sizeof label};
    assert_ok(ctx, lf_data_label_get(ctx, data, kind, index, &label));
    return label;
}

static lf_status label_output(lf_context *ctx, lf_data *data, int output, const char *unit)
{
    return lf_data_label_set(ctx, data, LF_KIND_OUTPUT, (size_t)output,
                             &(lf_label){.size = sizeof(lf_label), .unit = unit});
}

/* A fitted model measures what its data measure. */
static void fits(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = readings(ctx), *part;
    lf_options *options;
    lf_model *model, *again;
    lf_fit_result *result;
    assert_ok(ctx, label_input(ctx, data, 0, "when", "h", "2020-03-01T12:00:00+01:00"));
    assert_int_equal((int)lf_data_count(data, LF_KIND_OUTPUT), 2);
    assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, 1), "a");
    assert_ok(ctx, label_output(ctx, data, 1, "°C"));
    assert_ok(ctx, lf_data_select(ctx, data, NULL, "train", &part));
    assert_string_equal(label_of(ctx, part, LF_KIND_OUTPUT, 1).unit, "°C");
    assert_true(label_of(ctx, part, LF_KIND_INPUT, 0).dated);
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    assert_ok(ctx, lf_options_set(ctx, options, "forces", "1"));
    assert_ok(ctx, lf_options_set(ctx, options, "operator", "ode1"));
    assert_ok(ctx, lf_options_set(ctx, options, "max-iterations", "2"));
    assert_ok(ctx, lf_fit(ctx, part, options, &model, &result));
    lf_fit_result_free(result);
    again = reread(ctx, model);
    lf_model_free(model);
    assert_string_equal(lf_model_input(again, 0).name, "when");
    assert_true(lf_model_input(again, 0).dated && lf_model_input(again, 0).zero == 1583064000);
    assert_string_equal(lf_model_output(again, lf_model_find_output(again, "a")).unit, "°C");
    assert_string_equal(lf_model_output(again, lf_model_find_output(again, "b")).unit, "");
    size_t decay;
    char unit[LF_UNIT_SIZE];
    assert_ok(ctx, lf_parameter_find(ctx, again, "a.decay", &decay));
    lf_parameter_unit(again, decay, unit);
    assert_string_equal(unit, "1/h");

    /* a fit that starts from a model of which nothing is known */
    lf_model *plain = parse_model(ctx, MODEL(""));
    assert_ok(ctx, lf_options_set_model(ctx, options, plain));
    lf_status status = lf_fit(ctx, part, options, &model, &result);
    if (status) { /* the options that the model decides */
        lf_options_free(options);
        assert_ok(ctx, lf_options_create(ctx, "fit", &options));
        assert_ok(ctx, lf_options_set(ctx, options, "max-iterations", "2"));
        assert_ok(ctx, lf_options_set_model(ctx, options, plain));
        assert_ok(ctx, lf_fit(ctx, part, options, &model, &result));
    }
    lf_fit_result_free(result);
    assert_true(lf_model_input(model, 0).dated);
    assert_string_equal(lf_model_output(model, lf_model_find_output(model, "a")).unit, "°C");
    lf_model_free(model);
    lf_model_free(plain);
    lf_model_free(again);
    lf_options_free(options);
    lf_data_free(part);
    lf_data_free(data);
}

/* Times that count from another date, or in another unit, do not reach an engine. */
static void engines_refuse_other_axes(void **state)
{
    lf_context *ctx = *state;
    static const struct {
        const char *model, *unit, *zero;
        int accepted;
    } rows[] = {{DATED, "h", "2020-03-01T12:00:00+01:00", 1},
                {DATED, "h", "2020-03-01T11:00:00Z", 1}, /* the same instant */
                {DATED, "h", "2020-03-01T12:00:00Z", 0},
                {DATED, "h", "2020-03-02T12:00:00+01:00", 0},
                {DATED, "min", "2020-03-01T12:00:00+01:00", 0},
                {DATED, "h", NULL, 0},
                {DATED, NULL, NULL, 1}, /* nothing is said */
                {MINUTES, "h", NULL, 1},
                {MINUTES, "min", NULL, 0},
                {MINUTES, "h", "2020-03-01", 0},
                {MODEL(""), "h", "2020-03-01", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lf_model *model = parse_model(ctx, rows[i].model);
        lf_data *data = readings(ctx);
        lf_engine *engine = NULL;
        assert_ok(ctx, label_input(ctx, data, 0, NULL, rows[i].unit, rows[i].zero));
        lf_status status = lf_engine_create(ctx, model, data, NULL, &engine);
        if (rows[i].accepted) {
            assert_ok(ctx, status);
        } else {
            assert_int_equal(status, LF_ERROR_DATA);
            assert_non_null(strstr(lf_context_message(ctx), "lf_read_options.model"));
            take_label(ctx, model, data); /* the caller says that they agree */
            assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
        }
        lf_engine_free(engine);
        lf_data_free(data);
        lf_model_free(model);
    }
}

static void labels(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = readings(ctx);
    lf_model *model = parse_model(ctx, DATED);
    assert_int_equal(label_input(ctx, data, 1, NULL, NULL, NULL), LF_ERROR_ARGUMENT);
    assert_int_equal(label_input(ctx, data, -1, NULL, NULL, NULL), LF_ERROR_ARGUMENT);
    assert_int_equal(label_input(ctx, data, 0, "t", "m", "2020-01-01"), LF_ERROR_ARGUMENT);
    assert_int_equal(label_input(ctx, data, 0, "t", NULL, "2020-01-01"), LF_ERROR_ARGUMENT);
    assert_int_equal(label_input(ctx, data, 0, "t", "h", "2020-01-01T00:00:00.25"), LF_ERROR_ARGUMENT);
    assert_string_equal(label_of(ctx, data, LF_KIND_INPUT, 0).name, ""); /* nothing has changed */
    assert_int_equal(label_output(ctx, data, 2, "K"), LF_ERROR_ARGUMENT);
    assert_int_equal(label_output(ctx, data, -1, "K"), LF_ERROR_ARGUMENT);
    assert_ok(ctx, label_output(ctx, data, 0, "K"));
    assert_ok(ctx, label_output(ctx, data, 0, NULL));
    assert_string_equal(label_of(ctx, data, LF_KIND_OUTPUT, 0).unit, "");
    assert_ok(ctx, label_input(ctx, data, 0, "depth", "m", NULL));
    assert_string_equal(label_of(ctx, data, LF_KIND_INPUT, 0).unit, "m");
    take_label(ctx, model, data);
    assert_string_equal(label_of(ctx, data, LF_KIND_INPUT, 0).name, "when");
    assert_ok(ctx, label_output(ctx, data, 1, "°C"));
    assert_string_equal(label_of(ctx, data, LF_KIND_OUTPUT, 1).unit, "°C");
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_files), cmocka_unit_test(bad_model_files),
        cmocka_unit_test(spans),       cmocka_unit_test(units_of_parameters),
        cmocka_unit_test(fits),        cmocka_unit_test(engines_refuse_other_axes),
        cmocka_unit_test(labels),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
