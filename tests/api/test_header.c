/* What callers rely on in every function of the public header: numbers that are out of range, structs of callers that were compiled with another
 * version, texts that are cut. */
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

static const char model_text[] =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 1}],"
    " \"outputs\": [{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 1}, \"sensitivity\": [1], "
    "\"noise_variance\": 0.1}]}";

static int create(void **state) { return (*state = lf_context_create()) == NULL; }

static int release(void **state)
{
    lf_context_free(*state);
    return 0;
}

static lf_model *make_model(lf_context *ctx)
{
    lf_model *model;
    assert_int_equal(lf_model_parse(ctx, model_text, "test", &model), LF_OK);
    return model;
}

static void a_wrong_number_is_answered(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = make_model(ctx);
    for (size_t i = 1; i > 0; i *= 8) { /* up to 2^63 */
        lf_output_info output = {.size = sizeof output};
        assert_int_equal(lf_model_output_get(ctx, model, i, &output), LF_ERROR_ARGUMENT);
        assert_string_equal(lf_model_name(model, LF_KIND_OUTPUT, i), "");
        assert_string_equal(lf_model_name(model, LF_KIND_FORCE, i), "");
    }
    lf_model_free(model);
}

static void a_field_that_is_not_known_must_be_zero(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = make_model(ctx);
    struct {
        lf_engine_options known;
        double later;
    } options = {.known = {.size = sizeof options}};
    uint32_t target;
    double x = 0, K;
    lf_points *points;
    assert_int_equal(lf_model_target(ctx, model, LF_KIND_OUTPUT, 0, &target), LF_OK);
    assert_int_equal(lf_points_create(ctx, model, &points), LF_OK);
    assert_int_equal(lf_points_add(ctx, points, 1, &target, NULL, &x, NULL), LF_OK);
    assert_int_equal(lf_covariance(ctx, model, points, &options.known, &K), LF_OK);
    options.later = 1;
    assert_int_equal(lf_covariance(ctx, model, points, &options.known, &K), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "lf_engine_options"));
    options.known.size = offsetof(lf_engine_options, device); /* of an older caller */
    assert_int_equal(lf_covariance(ctx, model, points, &options.known, &K), LF_OK);
    options.known.size = 1;
    assert_int_equal(lf_covariance(ctx, model, points, &options.known, &K), LF_ERROR_ARGUMENT);
    lf_points_free(points);
    lf_model_free(model);
}

/* Whether the text is UTF-8, by the multibyte form alone. */
static int is_utf8(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        int more = *s < 0x80 ? 0 : *s < 0xc0 ? -1 : *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3;
        if (more < 0) {
            return 0;
        }
        for (s++; more > 0; more--, s++) {
            if ((*s & 0xc0) != 0x80) {
                return 0;
            }
        }
    }
    return 1;
}

typedef struct notes {
    int count, broken;
} notes;

static void take_note(void *user, lf_level level, const char *note)
{
    (void)level;
    notes *n = user;
    n->count++;
    n->broken += !is_utf8(note);
}

/* `before` bytes, then a character of 2, 3 or 4 bytes again and again. */
static void fill(char *text, size_t size, size_t before, const char *character)
{
    memset(text, 'n', before);
    size_t length = strlen(character), at = before;
    for (; at + length < size; at += length) {
        memcpy(text + at, character, length);
    }
    text[at] = '\0';
}

static void a_text_that_is_cut_stays_utf8(void **state)
{
    static const char *const characters[] = {"é", "…", "𝛼"};
    lf_context *ctx = *state;
    notes n = {0};
    lf_context_set_log(ctx, take_note, &n);
    for (size_t i = 0; i < 12; i++) {
        char name[1500], output[120];
        fill(name, sizeof name, i / 3, characters[i % 3]);
        fill(output, sizeof output, i / 3, characters[i % 3]);
        lf_model *model;
        assert_int_equal(lf_model_parse(ctx, "{", name, &model), LF_ERROR_MODEL);
        assert_true(is_utf8(lf_context_message(ctx)) && strlen(lf_context_message(ctx)) > 900);

        const double t[] = {0, 1, 2}, y[] = {1, 2, 1};
        const lf_column columns[] = {{.size = sizeof *columns, .name = "time", .number = t, .stride = sizeof *t},
                                     {.size = sizeof *columns, .name = output, .number = y, .stride = sizeof *y}};
        lf_data *data;
        int before = n.count;
        assert_int_equal(lf_data_read_columns(ctx, name, 3, 2, columns, NULL, &data), LF_OK);
        assert_true(n.count > before);
        lf_data_free(data);
    }
    assert_int_equal(n.broken, 0);
    lf_context_set_log(ctx, NULL, NULL);
}

static void options_are_spelt_as_the_caller_writes_them(void **state)
{
    static const char *const texts[][2] = {
        {"give --time-in UNIT or --x COL,COL", "give time_in=UNIT or x=COL,COL"},
        {"--drop 'a': there is none", "drop='a': there is none"},
        {"use --no-private instead", "use private=False instead"},
        {"--period none reads, --engine dense or --period in --at or",
         "period='none' reads, engine='dense' or period= in t= or"},
        {"--data DATA, --quiet and a--b -- c", "data=DATA, --quiet and a--b -- c"},
        {"no options", "no options"},
        {"or number the rows with --time row. The", "or number the rows with time='row'. The"},
        {"--operator ode2: given already", "operator='ode2': given already"},
        {"--fix a.decay=1: none", "fix='a.decay=1': none"},
        {"(--period none leaves them out)", "(period='none' leaves them out)"},
        {"--drop leaves it out", "drop= leaves it out"},
        {"--private makes them", "private=True makes them"},
        {"--", "--"},
        {"é--drop a and …--drop", "é--drop a and …--drop"},
        {"--drop", "drop="},
    };
    lf_context *ctx = *state;
    char *spelt;
    for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
        lf_context_set_spelling(ctx, i % 2 ? LF_SPELLING_KEYWORD : LF_SPELLING_COMMAND);
        assert_int_equal(lf_context_spell(ctx, texts[i / 2][0], &spelt), LF_OK);
        assert_string_equal(spelt, texts[i / 2][i % 2]);
        lf_free(spelt);
    }
    assert_int_equal(lf_context_set_memory(ctx, "much"), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "memory='much': expected"));
    lf_context_set_spelling(ctx, LF_SPELLING_COMMAND);
    assert_int_equal(lf_context_set_memory(ctx, "much"), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "--memory 'much': expected"));
}

/* The draws of a context, which depend on its seed. */
static double draw(lf_context *ctx)
{
    double z;
    lf_normals(ctx, 1, &z);
    return z;
}

static void a_fit_leaves_the_context_as_it_was(void **state)
{
    static const char *const settings[][2] = {
        {"seed", "7"}, {"threads", "1"}, {"memory", "3G"}, {"forces", "1"}, {"max-iterations", "2"}};
    lf_context *ctx = *state;
    lf_data *data;
    lf_options *options;
    lf_model *model;
    assert_int_equal(lf_data_create(ctx, 1, &data), LF_OK);
    for (int i = 0; i < 12; i++) {
        double x = i;
        assert_int_equal(lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = sin(x)}),
                         LF_OK);
    }
    assert_int_equal(lf_options_create(ctx, "fit", &options), LF_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        assert_int_equal(lf_options_set(ctx, options, settings[i][0], settings[i][1]), LF_OK);
    }
    lf_context_set_seed(ctx, 5);
    double expected = draw(ctx);
    lf_context_set_seed(ctx, 5);
    assert_int_equal(lf_fit(ctx, data, options, &model, NULL), LF_OK);
    assert_true(draw(ctx) == expected);
    lf_model_free(model);
    lf_options_free(options);
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_wrong_number_is_answered, create, release),
        cmocka_unit_test_setup_teardown(a_field_that_is_not_known_must_be_zero, create, release),
        cmocka_unit_test_setup_teardown(a_text_that_is_cut_stays_utf8, create, release),
        cmocka_unit_test_setup_teardown(options_are_spelt_as_the_caller_writes_them, create, release),
        cmocka_unit_test_setup_teardown(a_fit_leaves_the_context_as_it_was, create, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
