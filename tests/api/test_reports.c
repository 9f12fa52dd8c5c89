/* Reports, as a client of the shared library sees them: panels, their tables, and what is refused. */
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

enum { ROWS = 60, FIRST_TEST = 20, LAST_TEST = 25, OUTLIER = 40 };

static const char model_text[] =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"stationary\","
    " \"forces\": [{\"kernel\": \"matern32\", \"lengthscale\": 2}, {\"kernel\": \"eq\", \"lengthscale\": 1}],"
    " \"outputs\": [{\"name\": \"a\", \"unit\": \"K\", \"operator\": {\"type\": \"ode1\", \"decay\": 1},"
    " \"sensitivity\": [1, 0.5], \"noise_variance\": 0.01, \"offset\": 5, \"scale\": 2},"
    " {\"name\": \"b\", \"operator\": {\"type\": \"ode1\", \"decay\": 0.5}, \"sensitivity\": [0.3, 1],"
    " \"noise_variance\": 0.04}]}";

typedef struct fixture {
    lf_context *ctx;
    lf_model *model;
    lf_data *data; /* ROWS of each output in each of two replicates; test rows in "a" of "r1" */
    lf_posterior *posterior;
} fixture;

static fixture shared;

static double value_of(int output, int replicate, int i)
{
    return output == 0 && replicate == 0 && i == OUTLIER ? 9 : 5 + sin(0.3 * i + output) + 0.1 * replicate;
}

static lf_status fill(lf_context *ctx, lf_data *data)
{
    lf_status status = LF_OK;
    for (int k = 0; !status && k < 4 * ROWS; k++) {
        int output = k % 2, replicate = k / 2 % 2, i = k / 4;
        double x = 0.1 * i;
        int test = output == 0 && replicate == 0 && i >= FIRST_TEST && i < LAST_TEST;
        status = lf_data_add(ctx, data,
                             &(lf_row){.size = sizeof(lf_row),
                                       .output = output ? "b" : "a",
                                       .replicate = replicate ? "r2" : "r1",
                                       .x = &x,
                                       .y = value_of(output, replicate, i),
                                       .sd = output == 0 ? 0.5 : 0,
                                       .split = test ? "test" : "train"});
    }
    return status;
}

static int create(void **state)
{
    lf_data *training = NULL;
    lf_engine *engine = NULL;
    fixture *f = *state = &shared;
    f->ctx = lf_context_create();
    lf_status status = lf_model_parse(f->ctx, model_text, "test", &f->model);
    status = status ? status : lf_data_create(f->ctx, 1, &f->data);
    status = status ? status : fill(f->ctx, f->data);
    status = status ? status : lf_data_select(f->ctx, f->data, f->model, "train", &training);
    status = status ? status : lf_engine_create(f->ctx, f->model, training, NULL, &engine);
    status = status ? status : lf_engine_posterior(engine, &f->posterior);
    lf_engine_free(engine);
    lf_data_free(training);
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

static void assert_ok(const fixture *f, lf_status status)
{
    if (status) {
        fail_msg("%s", lf_context_message(f->ctx));
    }
}

/* Options from pairs of name and value, which NULL ends. */
static lf_options *options_of(const fixture *f, const char *const *pairs)
{
    lf_options *options;
    assert_ok(f, lf_options_create(f->ctx, "report", &options));
    for (size_t i = 0; pairs && pairs[i]; i += 2) {
        assert_ok(f, lf_options_set(f->ctx, options, pairs[i], pairs[i + 1]));
    }
    return options;
}

static lf_report *make(const fixture *f, lf_posterior *posterior, const lf_data *data, const char *const *pairs)
{
    lf_options *options = options_of(f, pairs);
    lf_report *report;
    assert_ok(f, lf_report_create(f->ctx, f->model, posterior, data, options, &report));
    lf_options_free(options);
    return report;
}

static void refuse(const fixture *f, const lf_data *data, const char *const *pairs, const char *word)
{
    lf_options *options = options_of(f, pairs);
    lf_report *report;
    assert_int_not_equal(lf_report_create(f->ctx, f->model, f->posterior, data, options, &report), LF_OK);
    assert_null(report);
    assert_non_null(strstr(lf_context_message(f->ctx), word));
    lf_options_free(options);
}

/* The number of the panel; LF_NONE: there is none. */
static size_t find(const fixture *f, const lf_report *report, lf_kind kind, const char *name, const char *replicate,
                   int residuals)
{
    lf_report_info info = {.size = sizeof info};
    assert_ok(f, lf_report_get(f->ctx, report, &info));
    for (size_t i = 0; i < info.panels; i++) {
        lf_panel panel = {.size = sizeof panel};
        assert_ok(f, lf_report_panel_get(f->ctx, report, i, &panel));
        if (panel.kind == kind && panel.residuals == residuals && strcmp(panel.name, name) == 0 &&
            strcmp(panel.replicate_name, replicate) == 0) {
            return i;
        }
    }
    return LF_NONE;
}

static const double *numbers(const fixture *f, const lf_table *table, const char *name)
{
    size_t index;
    lf_column column = {.size = sizeof column};
    assert_ok(f, lf_table_find(f->ctx, table, name, &index));
    assert_ok(f, lf_table_column_get(f->ctx, table, index, &column));
    assert_non_null(column.number);
    return column.number;
}

static lf_table *table_of(const fixture *f, lf_report *report, size_t panel, const char *what)
{
    lf_table *table;
    assert_ok(f, lf_report_table(f->ctx, report, panel, what, &table));
    return table;
}

static void panels_are_of_what_is_asked_for(void **state)
{
    const fixture *f = *state;
    lf_report_info info = {.size = sizeof info};
    lf_report *report = make(f, f->posterior, f->data, NULL);
    assert_ok(f, lf_report_get(f->ctx, report, &info));
    assert_int_equal(info.panels, 2 * 4 + 2); /* outputs and forces of two replicates, residuals */
    assert_int_equal(info.test, LAST_TEST - FIRST_TEST);
    assert_int_equal(info.training, 4 * ROWS - (LAST_TEST - FIRST_TEST));
    assert_int_equal(info.ranges, 1);
    assert_true(info.low[0] == 0 && info.high[0] == 0.1 * (ROWS - 1) && info.level == 0.95 && !info.stored);
    lf_panel panel = {.size = sizeof panel};
    assert_ok(f, lf_report_panel_get(f->ctx, report, find(f, report, LF_KIND_OUTPUT, "a", "r1", 0), &panel));
    assert_int_equal(panel.index, 0);
    assert_int_equal(panel.test, LAST_TEST - FIRST_TEST);
    assert_int_equal(panel.training, ROWS - panel.test);
    assert_string_equal(panel.unit, "K");
    assert_null(panel.between);
    assert_int_equal(find(f, report, LF_KIND_RATE, "a", "r1", 0), LF_NONE);
    lf_report_free(report);

    report = make(f, f->posterior, NULL,
                  (const char *const[]){"panels", "rates", "panels", "forces", "only", "a", "only", "force2",
                                        "replicate", "r2", NULL});
    assert_ok(f, lf_report_get(f->ctx, report, &info));
    assert_int_equal(info.panels, 2);
    assert_int_not_equal(find(f, report, LF_KIND_RATE, "a", "r2", 0), LF_NONE);
    assert_int_not_equal(find(f, report, LF_KIND_FORCE, "force2", "r2", 0), LF_NONE);
    assert_true(info.low[0] == 0 && info.high[0] == 0.1 * (ROWS - 1)); /* of the training rows */
    lf_report_free(report);
}

/* The curve of every kind against lf_predict at the same inputs. */
static void curves_are_predictions(void **state)
{
    const fixture *f = *state;
    static const lf_kind kinds[] = {LF_KIND_OUTPUT, LF_KIND_RATE, LF_KIND_FORCE};
    lf_report *report = make(f, f->posterior, f->data,
                             (const char *const[]){"panels", "outputs", "panels", "rates", "panels", "forces", "grid",
                                                   "17", "level", "0.8", "horizon", "7.5", NULL});
    for (size_t k = 0; k < 3; k++) {
        uint32_t target[17];
        size_t replicate[17];
        double mean[17], lower[17], upper[17], lower_new[17], upper_new[17], variance[17];
        lf_table *curve = table_of(
            f, report, find(f, report, kinds[k], kinds[k] == LF_KIND_FORCE ? "force1" : "a", "r2", 0), "curve");
        assert_int_equal(lf_table_rows(curve), 17);
        const double *x = numbers(f, curve, "x");
        assert_true(x[0] == 0 && x[16] == 7.5);
        lf_points *points;
        assert_ok(f, lf_points_create(f->ctx, f->model, &points));
        for (size_t i = 0; i < 17; i++) {
            assert_ok(f, lf_model_target(f->ctx, f->model, kinds[k], 0, &target[i]));
            replicate[i] = 1;
        }
        assert_ok(f, lf_points_add(f->ctx, points, 17, target, replicate, x, NULL));
        lf_prediction wanted = {.size = sizeof wanted,
                                .level = 0.8,
                                .mean = mean,
                                .variance = variance,
                                .lower = lower_new,
                                .upper = upper_new};
        assert_ok(f, lf_predict(f->ctx, f->posterior, points, &wanted));
        wanted = (lf_prediction){.size = sizeof wanted, .level = 0.8, .noise_free = 1, .lower = lower, .upper = upper};
        assert_ok(f, lf_predict(f->ctx, f->posterior, points, &wanted));
        for (size_t i = 0; i < 17; i++) {
            assert_true(fabs(numbers(f, curve, "mean")[i] - mean[i]) < 1e-12);
            assert_true(fabs(numbers(f, curve, "sd")[i] - sqrt(variance[i])) < 1e-12);
            assert_true(fabs(numbers(f, curve, "lower")[i] - lower[i]) < 1e-12);
            assert_true(fabs(numbers(f, curve, "upper")[i] - upper[i]) < 1e-12);
            assert_true(fabs(numbers(f, curve, "lower_new")[i] - lower_new[i]) < 1e-12);
            assert_true(fabs(numbers(f, curve, "upper_new")[i] - upper_new[i]) < 1e-12);
        }
        lf_points_free(points);
        lf_table_free(curve);
    }
    lf_report_free(report);
}

static void thinned_rows_keep_extremes(void **state)
{
    const fixture *f = *state;
    for (int thinned = 0; thinned < 2; thinned++) {
        lf_report *report = make(f, f->posterior, f->data, (const char *const[]){"rows", thinned ? "10" : "all", NULL});
        lf_table *rows = table_of(f, report, find(f, report, LF_KIND_OUTPUT, "a", "r1", 0), "rows");
        size_t n = lf_table_rows(rows), split, test = 0;
        const double *x = numbers(f, rows, "x"), *y = numbers(f, rows, "y"), *upper = numbers(f, rows, "upper");
        lf_column column = {.size = sizeof column};
        assert_ok(f, lf_table_find(f->ctx, rows, "split", &split));
        assert_ok(f, lf_table_column_get(f->ctx, rows, split, &column));
        double most = 0;
        for (size_t i = 0; i < n; i++) {
            assert_true(i == 0 || x[i] > x[i - 1]);
            assert_true(y[i] == value_of(0, 0, (int)(10 * x[i] + 0.5)));
            assert_true(fabs(upper[i] - y[i] - 1.959963984540054 * 0.5) < 1e-12);
            test += strcmp(column.words[column.code[i]], "test") == 0;
            most = fmax(most, y[i]);
        }
        assert_true(most == 9);
        assert_int_equal(test, LAST_TEST - FIRST_TEST);
        assert_int_equal(n, thinned ? test + 10 : ROWS);
        lf_table_free(rows);
        lf_report_free(report);
    }
}

static void residuals_have_limits(void **state)
{
    const fixture *f = *state;
    lf_report *report = make(f, f->posterior, f->data, NULL);
    size_t panel = find(f, report, LF_KIND_OUTPUT, "b", "", 1);
    lf_table *errors = table_of(f, report, panel, "errors"), *lags = table_of(f, report, panel, "autocorrelation"),
             *power = table_of(f, report, panel, "periodogram"), *order = table_of(f, report, panel, "quantiles"),
             *numbers_of = table_of(f, report, panel, "diagnosis");
    size_t n = lf_table_rows(errors), frequencies = lf_table_rows(power);
    assert_int_equal(n, 2 * ROWS);
    assert_int_equal(lf_table_rows(lags), n / 4);
    const double *error = numbers(f, errors, "error"), *r = numbers(f, lags, "autocorrelation");
    assert_true(fabs(numbers(f, errors, "upper")[0] - 1.959963984540054) < 1e-12);
    assert_true(fabs(numbers(f, lags, "upper")[0] - 1.959963984540054 / sqrt((double)n)) < 1e-12);
    double average = 0, total = 0, product = 0;
    for (size_t i = 0; i < n; i++) {
        average += error[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        total += (error[i] - average) * (error[i] - average);
        product += i + 1 < n && i + 1 != ROWS ? (error[i] - average) * (error[i + 1] - average) : 0;
    }
    assert_true(fabs(r[0] - product / total) < 1e-12);
    assert_true(frequencies > 10 && numbers(f, power, "frequency")[0] == 0);
    assert_true(fabs(numbers(f, power, "frequency")[frequencies - 1] - 5) < 0.5); /* half a cycle in a step of 0.1 */
    assert_true(fabs(numbers(f, power, "share")[frequencies - 1] - 1) < 1e-12);
    assert_int_equal(lf_table_rows(order), n);
    assert_true(fabs(numbers(f, order, "expected")[0] + numbers(f, order, "expected")[n - 1]) < 1e-12);
    assert_true(numbers(f, numbers_of, "value")[0] == (double)n);
    lf_table *const all[] = {errors, lags, power, order, numbers_of};
    for (size_t i = 0; i < 5; i++) {
        lf_table_free(all[i]);
    }
    lf_report_free(report);
}

/* Without a posterior of the caller one is computed from the training rows. */
static void a_posterior_is_made_where_there_is_none(void **state)
{
    const fixture *f = *state;
    static const char *const options[] = {"grid", "9", "panels", "outputs", NULL};
    lf_report *given = make(f, f->posterior, f->data, options), *made = make(f, NULL, f->data, options);
    lf_table *one = table_of(f, given, 0, "curve"), *other = table_of(f, made, 0, "curve");
    for (size_t i = 0; i < 9; i++) {
        assert_true(fabs(numbers(f, one, "mean")[i] - numbers(f, other, "mean")[i]) < 1e-12);
        assert_true(fabs(numbers(f, one, "sd")[i] - numbers(f, other, "sd")[i]) < 1e-12);
    }
    lf_table_free(one);
    lf_table_free(other);
    lf_report_free(given);
    lf_report_free(made);
    lf_report *report;
    assert_int_equal(lf_report_create(f->ctx, f->model, NULL, NULL, NULL, &report), LF_ERROR_ARGUMENT);
    assert_null(report);
}

static void what_is_not_there_is_refused(void **state)
{
    const fixture *f = *state;
    lf_report_info info = {.size = sizeof info};
    lf_panel panel = {.size = sizeof panel};
    lf_table *table;
    lf_report *report = make(f, f->posterior, f->data, NULL);
    assert_ok(f, lf_report_get(f->ctx, report, &info));
    assert_int_equal(lf_report_panel_get(f->ctx, report, info.panels, &panel), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_report_table(f->ctx, report, info.panels, "curve", &table), LF_ERROR_ARGUMENT);
    assert_null(table);
    assert_int_equal(lf_report_table(f->ctx, report, LF_NONE, "curve", &table), LF_ERROR_ARGUMENT);
    static const char *const wrong[] = {"map", "readings", "errors", "curv", "", NULL};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(lf_report_table(f->ctx, report, 0, wrong[i], &table), LF_ERROR_ARGUMENT);
        assert_non_null(strstr(lf_context_message(f->ctx), "expected curve, rows"));
        assert_null(table);
    }
    assert_int_equal(lf_report_table(f->ctx, report, info.panels - 1, "curve", &table), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_report_get(f->ctx, NULL, &info), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_report_panel_get(f->ctx, NULL, 0, &panel), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_report_table(f->ctx, NULL, 0, "curve", &table), LF_ERROR_ARGUMENT);
    info.size = panel.size = 1;
    assert_int_not_equal(lf_report_get(f->ctx, report, &info), LF_OK);
    assert_int_not_equal(lf_report_panel_get(f->ctx, report, 0, &panel), LF_OK);
    lf_report_free(report);
    lf_report_free(NULL);

    refuse(f, f->data, (const char *const[]){"panels", "windows", NULL}, "'windows'");
    refuse(f, f->data, (const char *const[]){"only", "attic", NULL}, "'attic'");
    refuse(f, f->data, (const char *const[]){"replicate", "r3", NULL}, "'r3'");
    lf_options *other;
    assert_ok(f, lf_options_create(f->ctx, "engine", &other));
    assert_int_equal(lf_report_create(f->ctx, f->model, f->posterior, f->data, other, &report), LF_ERROR_ARGUMENT);
    lf_options_free(other);
    assert_int_equal(lf_report_create(f->ctx, NULL, f->posterior, f->data, NULL, &report), LF_ERROR_ARGUMENT);
    lf_data *plane;
    assert_ok(f, lf_data_create(f->ctx, 2, &plane));
    refuse(f, plane, NULL, "2 inputs");
    lf_data_free(plane);
}

/* A text of the file at the path; to be freed. */
static char *contents(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void the_page_has_its_document(void **state)
{
    const fixture *f = *state;
    char *json, *again;
    lf_report *report = make(f, f->posterior, f->data,
                             (const char *const[]){"model", "</script>.json", "data", "rooms.csv", "command", "report",
                                                   "command", "a b", "level", "0.5", "dygraphs", ".", NULL});
    assert_ok(f, lf_report_json(f->ctx, report, &json));
    assert_ok(f, lf_report_json(f->ctx, report, &again));
    assert_string_equal(json, again);
    assert_non_null(strstr(json, "\"model\":\"</script>.json\",\"data\":\"rooms.csv\""));
    assert_non_null(strstr(json, "\"command\":[\"report\",\"a b\"]"));
    assert_non_null(strstr(json, "\"level\":0.5"));
    assert_non_null(strstr(json, "\"charts\":[\n{\"target\":0,\"replicate\":0,\"rows\":60,"));
    static const char *const parts[] = {"dygraph.min.js", "dygraph.min.css"};
    assert_int_equal(lf_report_write(f->ctx, report, "test_reports.html"), LF_ERROR_IO); /* no dygraphs here */
    assert_non_null(strstr(lf_context_message(f->ctx), "./dygraph.min.js: cannot be read"));
    for (size_t i = 0; i < 2; i++) {
        FILE *file = fopen(parts[i], "w");
        assert_non_null(file);
        fprintf(file, "part %zu\n//# sourceMappingURL=none\n", i);
        fclose(file);
    }
    assert_ok(f, lf_report_write(f->ctx, report, "test_reports.html"));
    char *page = contents("test_reports.html");
    assert_non_null(strstr(page, "part 0\n"));
    assert_non_null(strstr(page, "part 1\n"));
    assert_null(strstr(page, "sourceMappingURL"));
    assert_null(strstr(page, "@@"));
    assert_non_null(strstr(page, "\"model\":\"\\u003c/script>.json\"")); /* it does not end the script */
    assert_int_equal(lf_report_write(f->ctx, report, "no/such/folder.html"), LF_ERROR_IO);
    for (size_t i = 0; i < 2; i++) {
        remove(parts[i]);
    }
    remove("test_reports.html");
    free(page);
    lf_free(json);
    lf_free(again);
    lf_report_free(report);
    assert_int_equal(lf_report_json(f->ctx, NULL, &json), LF_ERROR_ARGUMENT);
    assert_null(json);
    assert_int_equal(lf_report_write(f->ctx, NULL, "test_reports.html"), LF_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_are_of_what_is_asked_for),
        cmocka_unit_test(curves_are_predictions),
        cmocka_unit_test(thinned_rows_keep_extremes),
        cmocka_unit_test(residuals_have_limits),
        cmocka_unit_test(a_posterior_is_made_where_there_is_none),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(the_page_has_its_document),
    };
    return cmocka_run_group_tests(tests, create, release);
}
