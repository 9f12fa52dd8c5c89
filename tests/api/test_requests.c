/* Requests, tables of predictions and facts about posteriors, as a client of the shared library sees them. */
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

enum { ROWS = 20 };

static const char model_text[] =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"stationary\","
    " \"forces\": [{\"kernel\": \"eq\", \"lengthscale\": 2}, {\"kernel\": \"eq\", \"lengthscale\": 1}],"
    " \"outputs\": [{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 1}, \"sensitivity\": [1, 0.5],"
    " \"noise_variance\": 0.01, \"offset\": 5, \"scale\": 2},"
    " {\"name\": \"b\", \"operator\": {\"type\": \"ode1\", \"decay\": 0.5}, \"sensitivity\": [0.3, 1],"
    " \"noise_variance\": 0.04}]}";

typedef struct fixture {
    lf_context *ctx;
    lf_model *model;
    lf_data *data;
    lf_posterior *posterior;
} fixture;

static fixture shared;

/* The replicate r1 has rows from 0 to 4.5, r2 from 5 to 9.5. */
static int create(void **state)
{
    fixture *f = *state = &shared;
    f->ctx = lf_context_create();
    lf_status status = lf_model_parse(f->ctx, model_text, "test", &f->model);
    status = status ? status : lf_data_create(f->ctx, 1, &f->data);
    for (int i = 0; !status && i < ROWS; i++) {
        double x = 0.5 * i;
        status = lf_data_add(f->ctx, f->data,
                             &(lf_row){.size = sizeof(lf_row),
                                       .output = i % 2 ? "b" : "a",
                                       .replicate = i < ROWS / 2 ? "r1" : "r2",
                                       .x = &x,
                                       .y = 5 + sin(x)});
    }
    status = status ? status : lf_posterior_create(f->ctx, f->model, f->data, NULL, NULL, &f->posterior);
    return status != LF_OK;
}

static int release(void **state)
{
    fixture *f = *state;
    lf_posterior_free(f->posterior);
    lf_data_free(f->data);
    lf_model_free(f->model);
    lf_context_free(f->ctx);
    return 0;
}

/* Options of a verb: names and values, then NULL. */
static lf_options *options_of(const fixture *f, const char *verb, const char *const *words)
{
    lf_options *options;
    assert_int_equal(lf_options_create(f->ctx, verb, &options), LF_OK);
    for (size_t i = 0; words[i]; i += 2) {
        assert_int_equal(lf_options_set(f->ctx, options, words[i], words[i + 1]), LF_OK);
    }
    return options;
}

#define REQUEST(...) options_of(f, "request", (const char *const[]){__VA_ARGS__, NULL})

/* The points of a request, of which the options are released; `status` is expected. */
static lf_points *ask(const fixture *f, lf_options *request, const lf_data *inputs, lf_status status)
{
    lf_points *points = (lf_points *)&shared;
    assert_int_equal(lf_points_request(f->ctx, f->model, NULL, f->posterior, request, inputs, &points), status);
    assert_true((points == NULL) == (status != LF_OK));
    lf_options_free(request);
    return points;
}

static lf_column column_of(const fixture *f, const lf_table *table, const char *name)
{
    size_t index;
    lf_column column = {.size = sizeof column};
    if (lf_table_find(f->ctx, table, name, &index)) {
        fail_msg("%s", lf_context_message(f->ctx));
    }
    assert_int_equal(lf_table_column_get(f->ctx, table, index, &column), LF_OK);
    return column;
}

static const char *word_of(const lf_column *column, size_t row) { return column->words[column->code[row]]; }

static void assert_counts(const lf_points *points, size_t replicates, size_t targets, size_t inputs)
{
    assert_int_equal(lf_points_count(points, LF_KIND_REPLICATE), replicates);
    assert_int_equal(lf_points_count(points, LF_KIND_TARGET), targets);
    assert_int_equal(lf_points_count(points, LF_KIND_INPUT), inputs);
}

static void a_request_combines_replicates_targets_and_inputs(void **state)
{
    const fixture *f = *state;
    lf_points *points = ask(f, NULL, NULL, LF_OK);
    assert_counts(points, 2, 2, 200);
    assert_int_equal(lf_points_count(points, LF_KIND_ROW), 800);
    lf_points_free(points);
    points = ask(f, REQUEST("targets", "forces", "grid", "7", "replicate", "r2"), NULL, LF_OK);
    assert_counts(points, 1, 2, 7);
    lf_points_free(points);
    points = ask(f, REQUEST("targets", "rates", "output", "b", "from", "1", "to", "3", "step", "0.5"), NULL, LF_OK);
    assert_counts(points, 2, 1, 5);
    lf_table *table;
    assert_int_equal(lf_predict_table(f->ctx, f->posterior, points, NULL, &table), LF_OK);
    lf_column x = column_of(f, table, "x"), output = column_of(f, table, "output"),
              of = column_of(f, table, "replicate");
    for (size_t i = 0; i < 10; i++) {
        assert_true(x.number[i] == 1 + 0.5 * (double)(i % 5));
        assert_string_equal(word_of(&output, i), "b");
        assert_string_equal(word_of(&of, i), i < 5 ? "r1" : "r2");
    }
    lf_table_free(table);
    lf_points_free(points);
}

/* The table has what lf_predict() and lf_draw() compute at the same points. */
static void a_table_has_the_numbers_of_the_library(void **state)
{
    enum { N = 12 };
    const fixture *f = *state;
    lf_options *request = REQUEST("grid", "3", "level", "0.5", "samples", "2", "rows", "yes");
    lf_points *points, *same;
    lf_table *table;
    double mean[N], variance[N], fresh[N], lower[N], upper[N], samples[2 * N];
    assert_int_equal(lf_points_request(f->ctx, f->model, NULL, f->posterior, request, NULL, &points), LF_OK);
    lf_context_set_seed(f->ctx, 5);
    assert_int_equal(lf_predict_table(f->ctx, f->posterior, points, request, &table), LF_OK);
    assert_int_equal(lf_table_rows(table), N);
    assert_int_equal(lf_table_columns(table), 11);
    lf_column x = column_of(f, table, "x");
    assert_int_equal(lf_points_create(f->ctx, f->model, &same), LF_OK);
    for (size_t i = 0; i < N; i++) {
        uint32_t target;
        size_t replicate = i / 6;
        assert_int_equal(lf_model_target(f->ctx, f->model, LF_KIND_OUTPUT, i / 3 % 2, &target), LF_OK);
        assert_int_equal(lf_points_add(f->ctx, same, 1, &target, &replicate, &x.number[i], NULL), LF_OK);
    }
    lf_prediction wanted = {.size = sizeof wanted,
                            .level = 0.5,
                            .mean = mean,
                            .variance = variance,
                            .variance_new = fresh,
                            .lower = lower,
                            .upper = upper};
    lf_context_set_seed(f->ctx, 5);
    assert_int_equal(lf_predict(f->ctx, f->posterior, same, &wanted), LF_OK);
    assert_int_equal(lf_draw(f->ctx, f->posterior, same, 2, samples), LF_OK);
    for (size_t i = 0; i < N; i++) {
        assert_true(column_of(f, table, "row").number[i] == (double)(i % 3));
        assert_true(column_of(f, table, "mean").number[i] == mean[i]);
        assert_true(column_of(f, table, "sd_f").number[i] == sqrt(variance[i]));
        assert_true(column_of(f, table, "sd_y").number[i] == sqrt(fresh[i]));
        assert_true(column_of(f, table, "lower").number[i] == lower[i]);
        assert_true(column_of(f, table, "upper").number[i] == upper[i]);
        assert_true(column_of(f, table, "sample1").number[i] == samples[i]);
        assert_true(column_of(f, table, "sample2").number[i] == samples[N + i]);
    }
    assert_true(x.number[0] == 0 && x.number[1] == 4.75 && x.number[2] == 9.5);
    lf_table_free(table);
    assert_int_equal(lf_options_set(f->ctx, request, "no-noise", NULL), LF_OK);
    assert_int_equal(lf_predict_table(f->ctx, f->posterior, points, request, &table), LF_OK);
    wanted.noise_free = 1;
    assert_int_equal(lf_predict(f->ctx, f->posterior, same, &wanted), LF_OK);
    assert_true(column_of(f, table, "lower").number[4] == lower[4] &&
                column_of(f, table, "upper").number[4] == upper[4]);
    lf_table_free(table);
    lf_points_free(same);
    lf_points_free(points);
    lf_options_free(request);
}

static void points_of_several_kinds_have_a_column_target(void **state)
{
    const fixture *f = *state;
    lf_points *points;
    lf_table *table;
    char *text;
    uint32_t target[2];
    assert_int_equal(lf_model_target(f->ctx, f->model, LF_KIND_FORCE, 1, &target[0]), LF_OK);
    assert_int_equal(lf_model_target(f->ctx, f->model, LF_KIND_OUTPUT, 0, &target[1]), LF_OK);
    assert_int_equal(lf_points_create(f->ctx, f->model, &points), LF_OK);
    assert_int_equal(lf_points_add(f->ctx, points, 2, target, NULL, (double[]){1, 2}, NULL), LF_OK);
    assert_int_equal(lf_predict_table(f->ctx, f->posterior, points, NULL, &table), LF_OK);
    lf_column names = column_of(f, table, "target");
    assert_string_equal(word_of(&names, 0), "force2");
    assert_string_equal(word_of(&names, 1), "a");
    assert_true(column_of(f, table, "sd_f").number[0] == column_of(f, table, "sd_y").number[0]);
    assert_int_equal(lf_predict_json(f->ctx, f->posterior, points, NULL, &text), LF_OK);
    assert_non_null(strstr(text, "{\"replicates\":{\"r1\":{\"targets\":{\"a\":{\"x\":[2],\"mean\":["));
    assert_non_null(strstr(text, "\"force2\":{\"x\":[1],\"mean\":["));
    lf_free(text);
    lf_table_free(table);
    lf_points_free(points);
}

/* Rows of a table of inputs: output, replicate, x. */
static lf_data *inputs_of(const fixture *f, size_t n, const char *const *words, const double *x)
{
    lf_data *inputs;
    assert_int_equal(lf_data_create(f->ctx, 1, &inputs), LF_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(lf_data_add(f->ctx, inputs,
                                     &(lf_row){.size = sizeof(lf_row),
                                               .output = words[2 * i],
                                               .replicate = words[2 * i + 1],
                                               .x = &x[i],
                                               .y = (double)NAN}),
                         LF_OK);
    }
    return inputs;
}

static void rows_of_a_table_name_targets_and_replicates(void **state)
{
    static const char *const all[] = {NULL, NULL, NULL, NULL}, *const named[] = {"b", "r2", "a", "r1", "b", "r1"},
                             *const outputs[] = {"c", NULL}, *const replicates[] = {NULL, "r3"};
    static const double x[] = {3, 1, 2};
    const fixture *f = *state;
    lf_data *inputs = inputs_of(f, 2, all, x);
    lf_points *points = ask(f, NULL, inputs, LF_OK);
    assert_counts(points, 2, 2, 2);
    lf_points_free(points);
    lf_data_free(inputs);
    inputs = inputs_of(f, 3, named, x);
    points = ask(f, REQUEST("output", "b"), inputs, LF_OK);
    assert_counts(points, 0, 0, 0);
    lf_table *table;
    lf_options *rows = REQUEST("rows", "yes");
    assert_int_equal(lf_predict_table(f->ctx, f->posterior, points, rows, &table), LF_OK);
    assert_int_equal(lf_table_rows(table), 2);
    lf_column of = column_of(f, table, "replicate"), row = column_of(f, table, "row");
    assert_string_equal(word_of(&of, 0), "r2");
    assert_string_equal(word_of(&of, 1), "r1");
    assert_true(row.number[0] == 0 && row.number[1] == 2);
    lf_options_free(rows);
    lf_table_free(table);
    lf_points_free(points);
    points = ask(f, REQUEST("targets", "forces"), inputs, LF_OK); /* names of outputs do not count */
    assert_int_equal(lf_points_count(points, LF_KIND_ROW), 6);
    lf_points_free(points);
    lf_data_free(inputs);
    inputs = inputs_of(f, 1, outputs, x);
    ask(f, NULL, inputs, LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(f->ctx), "'c' is not in the model"));
    lf_data_free(inputs);
    inputs = inputs_of(f, 1, replicates, x);
    ask(f, NULL, inputs, LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(f->ctx), "'r3' is not in the training data"));
    assert_non_null(strstr(lf_context_message(f->ctx), "r1, r2"));
    lf_data_free(inputs);
    assert_int_equal(lf_data_create(f->ctx, 2, &inputs), LF_OK);
    ask(f, NULL, inputs, LF_ERROR_DATA);
    lf_data_free(inputs);
}

/* Each replicate is continued from where it ends; one that is asked for alone from its own end. */
static void forecasts_continue_replicates(void **state)
{
    const fixture *f = *state;
    lf_table *table;
    lf_points *points = ask(f, REQUEST("ahead", "1", "step", "0.5"), NULL, LF_OK);
    assert_counts(points, 2, 2, 2);
    assert_int_equal(lf_predict_table(f->ctx, f->posterior, points, NULL, &table), LF_OK);
    lf_column x = column_of(f, table, "x");
    const double expected[] = {5, 5.5, 5, 5.5, 10, 10.5, 10, 10.5};
    assert_memory_equal(x.number, expected, sizeof expected);
    lf_table_free(table);
    lf_points_free(points);
    points = ask(f, REQUEST("ahead", "1", "replicate", "r1"), NULL, LF_OK);
    assert_int_equal(lf_predict_table(f->ctx, f->posterior, points, NULL, &table), LF_OK);
    assert_true(column_of(f, table, "x").number[0] == 5);
    lf_table_free(table);
    lf_points_free(points);
}

static void contradictions_and_unknown_names_are_refused(void **state)
{
    const fixture *f = *state;
    ask(f, REQUEST("grid", "3", "ahead", "1"), NULL, LF_ERROR_ARGUMENT);
    ask(f, REQUEST("ahead", "1", "to", "9"), NULL, LF_ERROR_ARGUMENT);
    ask(f, REQUEST("step", "1"), NULL, LF_ERROR_ARGUMENT);
    ask(f, REQUEST("targets", "forces", "output", "a"), NULL, LF_ERROR_ARGUMENT);
    ask(f, REQUEST("output", "c"), NULL, LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(f->ctx), "its outputs are a, b"));
    ask(f, REQUEST("replicate", "r3"), NULL, LF_ERROR_DATA);
    ask(f, REQUEST("targets", "states"), NULL, LF_ERROR_MODEL);
    ask(f, REQUEST("from", "soon"), NULL, LF_ERROR_ARGUMENT);
    ask(f, REQUEST("from", "3", "to", "1"), NULL, LF_ERROR_DATA);
    ask(f, REQUEST("ahead", "1", "step", "2"), NULL, LF_ERROR_ARGUMENT);
    ask(f, options_of(f, "engine", (const char *const[]){NULL}), NULL, LF_ERROR_ARGUMENT);
    lf_options *options;
    assert_int_equal(lf_options_create(f->ctx, "request", &options), LF_OK);
    assert_int_equal(lf_options_set(f->ctx, options, "grid", "1"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(f->ctx, options, "level", "1"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(f->ctx, options, "targets", "moods"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(f->ctx, options, "grids", "2"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(f->ctx, options, "ahead", "1"), LF_OK);
    assert_int_equal(lf_options_set(f->ctx, options, "to", "1"), LF_OK);
    assert_int_equal(lf_options_check(f->ctx, options), LF_ERROR_ARGUMENT);
    lf_options_free(options);
    lf_table *table = (lf_table *)&shared;
    char *text = (char *)&shared;
    lf_points *points = ask(f, REQUEST("grid", "2"), NULL, LF_OK);
    options = options_of(f, "fit", (const char *const[]){NULL});
    assert_int_equal(lf_predict_table(f->ctx, f->posterior, points, options, &table), LF_ERROR_ARGUMENT);
    assert_null(table);
    assert_int_equal(lf_predict_json(f->ctx, f->posterior, points, options, &text), LF_ERROR_ARGUMENT);
    assert_null(text);
    lf_options_free(options);
    lf_points_free(points);
}

/* Points that will be asked, or a horizon, are within reach of an engine with frequencies; others are refused. */
static void a_posterior_reaches_as_far_as_it_was_asked_to(void **state)
{
    const fixture *f = *state;
    fixture other = *f;
    lf_options *engine = options_of(f, "engine", (const char *const[]){"engine", "fourier", NULL}),
               *request = REQUEST("ahead", "2", "step", "0.5");
    lf_points *points, *again;
    lf_posterior_info info = {.size = sizeof info};
    assert_int_equal(lf_points_request(f->ctx, f->model, f->data, NULL, request, NULL, &points), LF_OK);
    assert_counts(points, 2, 2, 4);
    assert_int_equal(lf_posterior_create(f->ctx, f->model, f->data, engine, points, &other.posterior), LF_OK);
    assert_int_equal(lf_posterior_get(f->ctx, other.posterior, &info), LF_OK);
    assert_true(fabs(info.to - 11.5) < 1e-9 && info.from == 0);
    again = ask(&other, request, NULL, LF_OK); /* of the posterior, the same points */
    lf_table *one, *two;
    assert_int_equal(lf_predict_table(f->ctx, other.posterior, points, NULL, &one), LF_OK);
    assert_int_equal(lf_predict_table(f->ctx, other.posterior, again, NULL, &two), LF_OK);
    assert_memory_equal(column_of(f, one, "mean").number, column_of(f, two, "mean").number, 16 * sizeof(double));
    lf_table_free(one);
    lf_table_free(two);
    lf_points_free(again);
    lf_points_free(points);
    ask(&other, REQUEST("ahead", "3"), NULL, LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(f->ctx), "lies outside [0, 11.5]"));
    assert_non_null(strstr(lf_context_message(f->ctx), "--horizon 12.5"));
    lf_data *inputs = inputs_of(f, 1, (const char *const[]){NULL, NULL}, (double[]){-1});
    ask(&other, NULL, inputs, LF_ERROR_DATA);
    lf_data_free(inputs);
    lf_posterior_free(other.posterior);
    assert_int_equal(lf_options_set(f->ctx, engine, "horizon", "20"), LF_OK);
    assert_int_equal(lf_posterior_create(f->ctx, f->model, f->data, engine, NULL, &other.posterior), LF_OK);
    assert_int_equal(lf_posterior_get(f->ctx, other.posterior, &info), LF_OK);
    assert_true(fabs(info.to - 20) < 1e-9);
    lf_posterior_free(other.posterior);
    other.posterior = f->posterior;
    assert_int_equal(lf_options_set(f->ctx, engine, "horizon", "9"), LF_OK);
    assert_int_equal(lf_posterior_create(f->ctx, f->model, f->data, engine, NULL, &other.posterior), LF_ERROR_ARGUMENT);
    assert_null(other.posterior);
    lf_options_free(engine);
}

static void facts_of_a_posterior(void **state)
{
    const fixture *f = *state;
    double low, high, ends[2];
    lf_data_info data = {.size = sizeof data};
    struct {
        lf_posterior_info known;
        double later;
    } info = {.known = {.size = sizeof info, .low = &low, .high = &high, .ends = ends}, .later = 1};
    assert_int_equal(lf_posterior_get(f->ctx, f->posterior, &info.known), LF_ERROR_UNSUPPORTED);
    info.later = 0;
    assert_int_equal(lf_posterior_get(f->ctx, f->posterior, &info.known), LF_OK);
    assert_int_equal(lf_data_info_get(f->ctx, f->data, NULL, &data), LF_OK);
    assert_int_equal(info.known.rows, ROWS);
    assert_true(info.known.fingerprint == data.fingerprint && info.known.step == data.step);
    assert_true(info.known.first == 0 && info.known.last == 9.5 && low == 0 && high == 9.5);
    assert_true(ends[0] == 4.5 && ends[1] == 9.5);
    assert_true(info.known.replicates == 2 && info.known.named && info.known.columns > 0);
    assert_true(*info.known.engine);
    lf_posterior_info first = {.size = offsetof(lf_posterior_info, columns)};
    assert_int_equal(lf_posterior_get(f->ctx, f->posterior, &first), LF_OK);
    assert_string_equal(first.engine, info.known.engine);
    assert_int_equal(first.columns, 0);
    first.size = 0;
    assert_int_equal(lf_posterior_get(f->ctx, f->posterior, &first), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_posterior_get(f->ctx, f->posterior, NULL), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_posterior_name(f->posterior, 1), "r2");
    assert_string_equal(lf_posterior_name(f->posterior, 2), "");
    assert_string_equal(lf_posterior_name(f->posterior, SIZE_MAX), "");
}

/* Of a posterior of the kalman engine, that is continued with what there is. */
static void a_posterior_is_given_newer_data(void **state)
{
    const fixture *f = *state;
    lf_options *engine = options_of(f, "engine", (const char *const[]){"engine", "kalman", NULL});
    lf_posterior *posterior;
    lf_posterior_info info = {.size = sizeof info};
    lf_data *newer;
    double x = 12;
    lf_row row = {.size = sizeof row, .output = "a", .replicate = "r2", .x = &x, .y = 5};
    assert_int_equal(lf_posterior_create(f->ctx, f->model, f->data, engine, NULL, &posterior), LF_OK);
    assert_int_equal(lf_data_create(f->ctx, 1, &newer), LF_OK);
    assert_int_equal(lf_data_add(f->ctx, newer, &row), LF_OK);
    assert_int_equal(lf_posterior_update(f->ctx, posterior, newer, "columns"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_posterior_update(f->ctx, posterior, newer, "inputs"),
                     LF_OK); /* it has none, and there are none */
    x = 13;
    row.split = "test"; /* is not seen */
    assert_int_equal(lf_data_add(f->ctx, newer, &row), LF_OK);
    assert_int_equal(lf_posterior_update(f->ctx, posterior, newer, NULL), LF_OK);
    assert_int_equal(lf_posterior_get(f->ctx, posterior, &info), LF_OK);
    assert_true(info.rows == ROWS + 1 && info.last == 12);
    assert_int_equal(lf_posterior_update(f->ctx, posterior, newer, "rows"), LF_OK);
    assert_int_equal(lf_posterior_update(f->ctx, posterior, f->data, NULL), LF_ERROR_DATA);
    assert_int_equal(lf_posterior_get(f->ctx, posterior, &info), LF_OK);
    assert_true(info.rows == ROWS + 3 && info.last == 13);
    lf_data_free(newer);
    lf_posterior_free(posterior);
    lf_options_free(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_combines_replicates_targets_and_inputs),
        cmocka_unit_test(a_table_has_the_numbers_of_the_library),
        cmocka_unit_test(points_of_several_kinds_have_a_column_target),
        cmocka_unit_test(rows_of_a_table_name_targets_and_replicates),
        cmocka_unit_test(forecasts_continue_replicates),
        cmocka_unit_test(contradictions_and_unknown_names_are_refused),
        cmocka_unit_test(a_posterior_reaches_as_far_as_it_was_asked_to),
        cmocka_unit_test(facts_of_a_posterior),
        cmocka_unit_test(a_posterior_is_given_newer_data),
    };
    return cmocka_run_group_tests(tests, create, release);
}
