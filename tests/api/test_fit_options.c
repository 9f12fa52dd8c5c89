/* Options of a fit and of an engine by the C interface: every wrong name, value or size is refused with a message that names it. */
#include <stddef.h>

#include "support.h"

static void refused(lf_context *ctx, lf_status status, const char *const *words)
{
    assert_int_equal(status, LF_ERROR_ARGUMENT);
    for (size_t i = 0; words[i]; i++) {
        if (!strstr(lf_context_message(ctx), words[i])) {
            print_error("'%s' has no '%s'\n", lf_context_message(ctx), words[i]);
            fail();
        }
    }
}

#define refuse(ctx, call, ...) refused((ctx), (call), (const char *const[]){__VA_ARGS__, NULL})

static lf_options *make_options(lf_context *ctx)
{
    lf_options *options;
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    return options;
}

static void test_unknown_names(void **state)
{
    static const char *const names[] = {"lengthscale", "",         "Forces",    "force",
                                        "forces ",     "--forces", "no-forces", "no-"};
    lf_context *ctx = *state;
    lf_options *options = make_options(ctx);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "'%s'", names[i]);
        refuse(ctx, lf_options_set(ctx, options, names[i], "1"), quoted);
    }
    lf_options_free(options);
}

/* Values that a type does not allow; text, lists and files allow anything but nothing. */
static const struct {
    const char *type, *values[8];
} wrong[] = {
    {"text", {""}},
    {"list", {""}},
    {"file", {""}},
    {"kernel", {"", "something", "eq*eq", "periodic"}},
    {"choice", {"", "something", "auto,", "AUTO"}},
    {"count", {"", "many", "-1", "1.5", "1e3", " 1", "99999999999999999999"}},
    {"number", {"", "later", "nan", "inf", "1,5", "1 "}},
    {"share", {"", "half", "0", "1", "-0.5", "nan"}},
    {"seed", {"", "x", "-1", "1.5", "18446744073709551616"}},
    {"flag", {"", "maybe", "1"}},
    {"switch", {"", "maybe", "1"}},
};

static void test_wrong_values(void **state)
{
    lf_context *ctx = *state;
    size_t seen = 0;
    lf_option found = {.size = sizeof found};
    const lf_option *option = &found;
    for (size_t i = 0; i < lf_option_count("fit"); i++) {
        assert_ok(ctx, lf_option_get(ctx, "fit", i, &found));
        char name[64];
        snprintf(name, sizeof name, "--%s", option->name);
        for (size_t t = 0; t < sizeof wrong / sizeof *wrong; t++) {
            if (strcmp(wrong[t].type, option->type) != 0) {
                continue;
            }
            seen |= (size_t)1 << t;
            for (size_t k = 0; k < 8 && wrong[t].values[k]; k++) {
                lf_options *options = make_options(ctx);
                refuse(ctx, lf_options_set(ctx, options, option->name, wrong[t].values[k]), name, wrong[t].values[k]);
                lf_options_free(options);
            }
        }
        lf_options *options = make_options(ctx);
        if (option->argument) { /* a value is needed */
            refuse(ctx, lf_options_set(ctx, options, option->name, NULL), name, option->argument);
        } else {
            assert_ok(ctx, lf_options_set(ctx, options, option->name, NULL));
        }
        if (option->maximum) {
            char text[32];
            snprintf(text, sizeof text, "%zu", option->maximum + 1);
            refuse(ctx, lf_options_set(ctx, options, option->name, text), name, text);
            snprintf(text, sizeof text, "%zu", option->minimum - 1);
            refuse(ctx, lf_options_set(ctx, options, option->name, text), name, text);
        }
        lf_options_free(options);
    }
    assert_int_equal(seen, ((size_t)1 << sizeof wrong / sizeof *wrong) - 1); /* the table has options of every type */
}

/* Whatever the type, the table names only values that are accepted. */
static void test_listed_values(void **state)
{
    lf_context *ctx = *state;
    lf_option found = {.size = sizeof found};
    const lf_option *option = &found;
    for (size_t i = 0; i < lf_option_count("fit"); i++) {
        assert_ok(ctx, lf_option_get(ctx, "fit", i, &found));
        char list[256], *word, *rest = list;
        snprintf(list, sizeof list, "%s", option->values ? option->values : "");
        while ((word = strtok_r(rest, ", ", &rest))) {
            lf_options *options = make_options(ctx);
            assert_ok(ctx, lf_options_set(ctx, options, option->name, word));
            assert_ok(ctx, lf_options_check(ctx, options));
            lf_options_free(options);
        }
    }
}

static void test_contradictions(void **state)
{
    static const struct {
        const char *settings[3][2], *words[3];
    } cases[] = {
        {{{"private", NULL}, {"no-private", NULL}}, {"--private", "--no-private"}},
        {{{"operator", "ode1"}, {"operator", "ode2"}}, {"--operator", "ode2"}},
        {{{"init", "model.json"}, {"forces", "2"}}, {"--forces", "--init", "model.json"}},
        {{{"inducing", "5"}}, {"--inducing", "--engine"}},
        {{{"learn-inducing", NULL}}, {"--learn-inducing", "--inducing K"}},
        {{{"resume", NULL}}, {"--resume", "--checkpoint"}},
        {{{"checkpoint-every", "0"}}, {"--checkpoint-every", "0"}},
        {{{"max-seconds", "0"}}, {"--max-seconds", "0"}},
    };
    lf_context *ctx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lf_options *options = make_options(ctx);
        lf_status status = LF_OK;
        for (size_t k = 0; k < 3 && cases[i].settings[k][0] && !status; k++) {
            status = lf_options_set(ctx, options, cases[i].settings[k][0], cases[i].settings[k][1]);
        }
        status = status ? status : lf_options_check(ctx, options);
        refuse(ctx, status, cases[i].words[0], cases[i].words[1], cases[i].words[2]);
        lf_options_free(options);
    }
}

/* A struct whose size was not set, or is too small to hold its size. */
static void test_struct_sizes(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(
        ctx, "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],"
             "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1],"
             "\"noise_variance\":1}]}");
    lf_data *data, *unread;
    lf_engine *engine;
    const double x = 1;
    double K;
    uint32_t target;
    lf_points *points;
    assert_ok(ctx, lf_model_target(ctx, model, LF_KIND_OUTPUT, 0, &target));
    assert_ok(ctx, lf_points_create(ctx, model, &points));
    assert_ok(ctx, lf_points_add(ctx, points, 1, &target, NULL, &x, NULL));
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = 1}));
    for (size_t size = 0; size < sizeof(size_t); size++) {
        lf_engine_options options = {.size = size};
        lf_read_options reading = {.size = size};
        char found[32];
        snprintf(found, sizeof found, "size is %zu", size);
        refuse(ctx, lf_engine_create(ctx, model, data, &options, &engine), "lf_engine_options", found);
        refuse(ctx, lf_covariance(ctx, model, points, &options, &K), "lf_engine_options", found);
        refuse(ctx, lf_data_read(ctx, "nothing.csv", &reading, &unread), "lf_read_options", found);
    }
    lf_points_free(points);
    lf_data_free(data);
    lf_model_free(model);
}

/* A value that the option accepts: the first that is listed, or one of its type. */
static void find_value(const lf_option *option, size_t size, char *value)
{
    static const char *const values[][2] = {{"count", "3"}, {"number", "2"}, {"share", "0.5"}, {"seed", "7"},
                                            {"time", "5"},  {"flag", "yes"}, {"switch", "no"}};
    const char *listed = option->values ? option->values : "name";
    snprintf(value, size, "%.*s", (int)strcspn(listed, ","), listed);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (strcmp(values[i][0], option->type) == 0) {
            snprintf(value, size, "%s", values[i][1]);
        }
    }
}

/* Every option of every verb is stored, whatever the length of the table: as long as its table is what the options hold. */
static void test_every_option_of_a_verb(void **state)
{
    static const char *const verbs[] = {"fit", "engine", "report", "request"};
    lf_context *ctx = *state;
    for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++) {
        lf_options *options;
        lf_option option = {.size = sizeof option};
        assert_ok(ctx, lf_options_create(ctx, verbs[v], &options));
        for (size_t i = 0; i < lf_option_count(verbs[v]); i++) {
            assert_ok(ctx, lf_option_get(ctx, verbs[v], i, &option));
            assert_int_equal(option.size, sizeof option);
            char value[32];
            find_value(&option, sizeof value, value);
            if (lf_options_set(ctx, options, option.name, value)) {
                fail_msg("%s: %s", option.name, lf_context_message(ctx));
            }
            assert_string_equal(lf_fit_options_get(options, option.name), value);
        }
        refuse(ctx, lf_option_get(ctx, verbs[v], lf_option_count(verbs[v]), &option), verbs[v]);
        lf_options_free(options);
    }
}

static void test_verbs(void **state)
{
    lf_context *ctx = *state;
    lf_options *options = NULL;
    lf_option option = {.size = sizeof option};
    refuse(ctx, lf_options_create(ctx, "fitt", &options), "'fitt'");
    assert_null(options);
    refuse(ctx, lf_options_create(ctx, NULL, &options), "''");
    assert_int_equal(lf_option_count("fitt"), 0);
    refuse(ctx, lf_option_get(ctx, "fitt", 0, &option), "'fitt'");
    option.size = 1;
    refuse(ctx, lf_option_get(ctx, "fit", 0, &option), "lf_option.size is 1");
    assert_ok(ctx, lf_options_create(ctx, "engine", &options));
    refuse(ctx, lf_options_set(ctx, options, "enginee", "kalman"), "an engine", "'enginee'", "did you mean 'engine'?");
    refuse(ctx, lf_options_set(ctx, options, "forces", "2"), "an engine", "'forces'");
    refuse(ctx, lf_options_set(ctx, options, "coordinates", "polar"), "--coordinates 'polar'", "unconstrained");
    assert_ok(ctx, lf_options_set(ctx, options, "inducing", "4"));
    refuse(ctx, lf_options_check(ctx, options), "--inducing", "--engine");
    lf_options_free(options);
    lf_options_free(NULL);
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    refuse(ctx, lf_options_set(ctx, options, "force-kernal", "eq"), "a fit", "did you mean 'force-kernel'?");
    lf_options_free(options);
}

/* A caller of an earlier version knows fewer fields, one of a later version more: these become 0. */
static void test_growth_of_option(void **state)
{
    lf_context *ctx = *state;
    struct {
        lf_option option;
        double later;
    } grown = {.option.size = sizeof grown, .later = 1};
    lf_option option = {.size = offsetof(lf_option, argument), .argument = "untouched"};
    assert_ok(ctx, lf_option_get(ctx, "fit", 0, &option));
    assert_string_equal(option.name, "operator");
    assert_string_equal(option.argument, "untouched");
    assert_ok(ctx, lf_option_get(ctx, "fit", 0, &grown.option));
    assert_string_equal(grown.option.argument, "OP");
    assert_true(grown.later == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_option_of_a_verb), cmocka_unit_test(test_verbs),
        cmocka_unit_test(test_growth_of_option),       cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_wrong_values),           cmocka_unit_test(test_listed_values),
        cmocka_unit_test(test_contradictions),         cmocka_unit_test(test_struct_sizes),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
