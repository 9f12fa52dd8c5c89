/* The rules at the top of the header, kept by every function: it reads the names of the header, and fails for one that no case here calls. */
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
    "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":1,"
    "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.8}],"
    "\"outputs\":[{\"name\":\"température\",\"operator\":{\"type\":\"ode1\",\"decay\":0.5},\"sensitivity\":[1],"
    "\"noise_variance\":0.1}]}";
#define OUTPUT "temp\xc3\xa9rature"

/* One of everything. */
typedef struct fixture {
    lf_context *ctx;
    lf_data *data;
    lf_model *model, *fitted;
    lf_options *options;
    lf_fit_result *result;
    lf_points *points;
    lf_posterior *posterior;
    lf_table *table;
    lf_scores *scores;
    lf_report *report;
} fixture;

static int release(void **state)
{
    fixture *f = *state;
    lf_report_free(f->report);
    lf_scores_free(f->scores);
    lf_table_free(f->table);
    lf_posterior_free(f->posterior);
    lf_points_free(f->points);
    lf_fit_result_free(f->result);
    lf_options_free(f->options);
    lf_model_free(f->fitted);
    lf_model_free(f->model);
    lf_data_free(f->data);
    lf_context_free(f->ctx);
    free(f);
    return 0;
}

static int make(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->ctx = lf_context_create();
    lf_status status = lf_model_parse(f->ctx, model_text, "test", &f->model);
    status = status ? status : lf_data_create(f->ctx, 1, &f->data);
    for (int i = 0; !status && i < 24; i++) {
        double x = 0.5 * i;
        lf_row row = {.size = sizeof row, .output = OUTPUT, .x = &x, .y = sin(x), .split = i % 6 == 5 ? "test" : NULL};
        status = lf_data_add(f->ctx, f->data, &row);
    }
    uint32_t target = 0;
    double x = 1;
    status = status ? status : lf_options_create(f->ctx, "fit", &f->options);
    status = status ? status : lf_options_set(f->ctx, f->options, "max-iterations", "2");
    status = status ? status : lf_options_set(f->ctx, f->options, "forces", "1");
    status = status ? status : lf_fit(f->ctx, f->data, f->options, &f->fitted, &f->result);
    status = status ? status : lf_posterior_restore(f->ctx, f->fitted, &f->posterior);
    status = status ? status : lf_points_create(f->ctx, f->fitted, &f->points);
    status = status ? status : lf_model_target(f->ctx, f->fitted, LF_KIND_OUTPUT, 0, &target);
    status = status ? status : lf_points_add(f->ctx, f->points, 1, &target, NULL, &x, NULL);
    status = status ? status : lf_model_table(f->ctx, f->fitted, "parameters", &f->table);
    status = status ? status : lf_score(f->ctx, f->posterior, f->data, NULL, &f->scores);
    status = status ? status : lf_report_create(f->ctx, f->fitted, f->posterior, f->data, NULL, &f->report);
    if (status) {
        print_error("%s\n", lf_context_message(f->ctx));
    }
    return status != LF_OK;
}

/* ---- every function of the header has a case ---- */

static char called[32768] = " "; /* " lf_a lf_b " */

static void call(const char *names)
{
    assert_true(strlen(called) + strlen(names) + 2 < sizeof called);
    strcat(called, names);
    strcat(called, " ");
}

/* The cases that do not fit into a rule below, and where they are tested. */
static const char elsewhere[] =
    "lf_status_text lf_version lf_context_create lf_context_message lf_context_set_log "
    "lf_context_set_progress " /* below, or test_header */
    "lf_context_set_seed lf_context_set_threads lf_context_set_spelling lf_format_quantity "
    "lf_model_format_input "
    "lf_data_numbers lf_data_codes lf_draw lf_points_add lf_options_set_model lf_options_check "
    "lf_model_target "                              /* test_data_api, test_points, test_fit_options */
    "lf_posterior_update lf_predict lf_covariance " /* test_requests, test_points */
    "lf_data_info_get lf_posterior_get"; /* structs that are input and output: test_data_api, test_requests */

/* Functions that later versions do not have, or that do not keep the rules yet. */
static const char leaving[] = "lf_data_read lf_data_read_files lf_data_read_columns lf_find_time "
                              "lf_simulate lf_simulate_driven lf_normals lf_engine_create lf_engine_free "
                              "lf_engine_describe lf_engine_evaluate lf_engine_error_bounds "
                              "lf_engine_rounding lf_engine_log_jacobian lf_engine_posterior lf_posterior_store "
                              "lf_fit_options_get "
                              "lf_fit_options_set_equations lf_fit_read lf_fit_read_columns "
                              "lf_fit_options_set_command lf_model_reading";

static int listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += length) {
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])) {
            return 1;
        }
    }
    return 0;
}

static void every_function_has_a_case(void **state)
{
    (void)state;
    const char *folder = getenv("LF_SOURCE_DIR");
    char path[4096], line[4096], name[4096];
    size_t functions = 0, missing = 0;
    assert_non_null(folder);
    snprintf(path, sizeof path, "%s/include/latentforce.h", folder);
    FILE *header = fopen(path, "r");
    assert_non_null(header);
    while (fgets(line, sizeof line, header)) {
        char *at = strncmp(line, "LF_API ", 7) == 0 ? strchr(line, '(') : NULL;
        if (!at) {
            continue;
        }
        *at = '\0';
        while (at > line && (at[-1] == '_' || (at[-1] >= 'a' && at[-1] <= 'z'))) {
            at--;
        }
        snprintf(name, sizeof name, "%s", at);
        functions++;
        if (!listed(called, name) && !listed(elsewhere, name) && !listed(leaving, name)) {
            print_error("%s is in the header, but no case of a rule calls it\n", name);
            missing++;
        }
    }
    fclose(header);
    assert_true(functions > 100);
    assert_int_equal(missing, 0);
}

/* ---- rule 2: NULL is released ---- */

static void null_is_released(void **state)
{
    (void)state;
    lf_free(NULL);
    lf_context_free(NULL);
    lf_table_free(NULL);
    lf_data_free(NULL);
    lf_model_free(NULL);
    lf_matrices_free(NULL);
    lf_points_free(NULL);
    lf_posterior_free(NULL);
    lf_options_free(NULL);
    lf_fit_result_free(NULL);
    lf_scores_free(NULL);
    lf_report_free(NULL);
    call("lf_free lf_context_free lf_table_free lf_data_free lf_model_free lf_matrices_free lf_points_free "
         "lf_posterior_free lf_options_free lf_fit_result_free lf_scores_free lf_report_free");
}

/* ---- rules 3 and 5: counts and names ---- */

static void counts_and_names_of_everything(void **state)
{
    fixture *f = *state;
    for (int k = -1; k < 40; k++) {
        lf_kind kind = (lf_kind)k;
        size_t rows = lf_data_count(f->data, kind), parts = lf_model_count(f->fitted, kind);
        assert_string_equal(lf_data_name(f->data, kind, rows), "");
        assert_string_equal(lf_data_name(f->data, kind, LF_NONE), "");
        assert_string_equal(lf_model_name(f->fitted, kind, parts), "");
        assert_string_equal(lf_model_name(f->fitted, kind, LF_NONE), "");
        for (size_t i = 0; i < parts; i++) {
            assert_true(*lf_model_name(f->fitted, kind, i) != '\0');
        }
        assert_int_equal(lf_data_count(NULL, kind), 0);
        assert_int_equal(lf_model_count(NULL, kind), 0);
        assert_int_equal(lf_points_count(NULL, kind), 0);
        assert_string_equal(lf_data_name(NULL, kind, 0), "");
        assert_string_equal(lf_model_name(NULL, kind, 0), "");
    }
    assert_int_equal(lf_points_count(f->points, LF_KIND_ROW), 1);
    assert_int_equal(lf_table_rows(NULL) + lf_table_columns(NULL), 0);
    assert_int_equal(lf_option_count("nothing") + lf_option_count(NULL), 0);
    assert_string_equal(lf_posterior_name(f->posterior, 1), "");
    assert_string_equal(lf_posterior_name(f->posterior, LF_NONE), "");
    call("lf_data_count lf_data_name lf_model_count lf_model_name lf_points_count lf_table_rows lf_table_columns "
         "lf_option_count lf_posterior_name");
}

/* ---- rules 1, 4 and 5: structs that are filled ---- */

typedef lf_status (*getter)(fixture *f, int null, size_t index, void *info);

/* What every function that fills a struct does: `size` is that of the struct; most: an index that is too large, 0: it takes none. */
static void check_getter(fixture *f, const char *names, getter get, size_t size, int indexed)
{
    size_t words = size / sizeof(size_t) + 4;
    size_t *info = calloc(words, sizeof *info), *whole = calloc(words, sizeof *whole);
    *whole = size;
    assert_int_equal(get(f, 0, 0, whole), LF_OK);
    assert_int_equal(*whole, size);
    assert_int_equal(get(f, 0, 0, info), LF_ERROR_ARGUMENT); /* its size is 0 */
    assert_non_null(strstr(lf_context_message(f->ctx), "size"));
    for (size_t known = sizeof(size_t); known <= size + 2 * sizeof(size_t);
         known += sizeof(size_t)) { /* an older or a newer caller */
        memset(info, 0xa5, words * sizeof *info);
        *info = known;
        assert_int_equal(get(f, 0, 0, info), LF_OK);
        assert_int_equal(*info, known);
        assert_true(known < 2 * sizeof(size_t) || info[1] != (size_t)0xa5a5a5a5a5a5a5a5u);
        for (size_t i = size / sizeof(size_t); i < known / sizeof(size_t); i++) {
            assert_true(info[i] == 0);
        }
        assert_true(info[known / sizeof(size_t)] == (size_t)0xa5a5a5a5a5a5a5a5u);
    }
    *info = size;
    assert_int_equal(get(f, 1, 0, info), LF_ERROR_ARGUMENT);
    assert_int_equal(get(f, 0, 0, NULL), LF_ERROR_ARGUMENT);
    for (size_t index = (size_t)1 << 20; indexed && index > 0; index <<= 4) {
        assert_int_equal(get(f, 0, index, info), LF_ERROR_ARGUMENT);
    }
    if (indexed) {
        assert_int_equal(get(f, 0, LF_NONE, info), LF_ERROR_ARGUMENT);
    }
    free(info);
    free(whole);
    call(names);
}

#define GETTER(name, expression)                                                                                       \
    static lf_status name(fixture *f, int null, size_t index, void *info)                                              \
    {                                                                                                                  \
        (void)null;                                                                                                    \
        (void)index;                                                                                                   \
        return expression;                                                                                             \
    }
GETTER(get_column, lf_table_column_get(f->ctx, null ? NULL : f->table, index, info))
GETTER(get_row, lf_data_get(f->ctx, null ? NULL : f->data, index, info))
GETTER(get_data_label, lf_data_label_get(f->ctx, null ? NULL : f->data, LF_KIND_OUTPUT, index, info))
GETTER(get_model, lf_model_get(f->ctx, null ? NULL : f->fitted, info))
GETTER(get_label, lf_model_label_get(f->ctx, null ? NULL : f->fitted, LF_KIND_FORCE, index, info))
GETTER(get_output, lf_model_output_get(f->ctx, null ? NULL : f->fitted, index, info))
GETTER(get_parameter, lf_model_parameter_get(f->ctx, null ? NULL : f->fitted, index, info))
GETTER(get_option, lf_option_get(f->ctx, null ? NULL : "fit", index, info))
GETTER(get_scores, lf_scores_get(f->ctx, null ? NULL : f->scores, info))
GETTER(get_report, lf_report_get(f->ctx, null ? NULL : f->report, info))
GETTER(get_panel, lf_report_panel_get(f->ctx, null ? NULL : f->report, index, info))

static void structs_of_every_size_are_filled(void **state)
{
    fixture *f = *state;
    check_getter(f, "lf_table_column_get", get_column, sizeof(lf_column), 1);
    check_getter(f, "lf_data_get", get_row, sizeof(lf_row), 1);
    check_getter(f, "lf_data_label_get", get_data_label, sizeof(lf_label), 1);
    check_getter(f, "lf_model_get", get_model, sizeof(lf_model_info), 0);
    check_getter(f, "lf_model_label_get", get_label, sizeof(lf_label), 1);
    check_getter(f, "lf_model_output_get", get_output, sizeof(lf_output_info), 1);
    check_getter(f, "lf_model_parameter_get", get_parameter, sizeof(lf_parameter), 1);
    check_getter(f, "lf_option_get", get_option, sizeof(lf_option), 1);
    check_getter(f, "lf_scores_get", get_scores, sizeof(lf_scores_info), 0);
    check_getter(f, "lf_report_get", get_report, sizeof(lf_report_info), 0);
    check_getter(f, "lf_report_panel_get", get_panel, sizeof(lf_panel), 1);
}

/* ---- rule 4: structs that are given ---- */

static void a_field_of_a_newer_caller_is_no_silent_default(void **state)
{
    fixture *f = *state;
    double x = 100;
    struct {
        lf_row known;
        double later;
    } row = {.known = {.size = sizeof row, .output = OUTPUT, .x = &x, .y = 1}};
    struct {
        lf_label known;
        double later;
    } label = {.known = {.size = sizeof label, .unit = "K"}};
    struct {
        lf_parameter known;
        double later;
    } parameter = {.known = {.size = sizeof parameter}};
    assert_int_equal(lf_model_parameter_get(f->ctx, f->model, 0, &parameter.known), LF_OK);
    for (int k = 0; k < 2; k++) {
        lf_status expected = k ? LF_ERROR_UNSUPPORTED : LF_OK;
        row.later = label.later = parameter.later = k;
        assert_int_equal(lf_data_add(f->ctx, f->data, &row.known), expected);
        assert_int_equal(lf_data_label_set(f->ctx, f->data, LF_KIND_OUTPUT, 0, &label.known), expected);
        assert_int_equal(lf_model_parameter_set(f->ctx, f->model, 0, &parameter.known), expected);
    }
    row.later = label.later = parameter.later = 0;
    assert_int_equal(lf_data_add(f->ctx, NULL, &row.known), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_data_add(f->ctx, f->data, NULL), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_data_label_set(f->ctx, NULL, LF_KIND_OUTPUT, 0, &label.known), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_data_label_set(f->ctx, f->data, LF_KIND_OUTPUT, 7, &label.known), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_data_label_set(f->ctx, f->data, LF_KIND_OUTPUT, 0, NULL), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_parameter_set(f->ctx, NULL, 0, &parameter.known), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_parameter_set(f->ctx, f->model, 1000, &parameter.known), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_parameter_set(f->ctx, f->model, 0, NULL), LF_ERROR_ARGUMENT);
    call("lf_data_add lf_data_label_set lf_model_parameter_set");
}

/* ---- rule 1: what is made is NULL after a failure ---- */

#define FAILS(pointer, call)                                                                                           \
    do {                                                                                                               \
        (pointer) = (void *)(uintptr_t)16;                                                                             \
        assert_int_not_equal((call), LF_OK);                                                                           \
        assert_null(pointer);                                                                                          \
    } while (0)

static void what_is_made_is_null_after_a_failure(void **state)
{
    fixture *f = *state;
    lf_context *ctx = f->ctx;
    lf_data *data;
    lf_model *model;
    lf_matrices *matrices;
    lf_points *points;
    lf_posterior *posterior;
    lf_options *options;
    lf_table *table;
    lf_scores *scores;
    lf_report *report;
    lf_fit_result *result = (void *)(uintptr_t)16;
    char *text;
    FAILS(data, lf_data_create(ctx, 0, &data));
    FAILS(data, lf_data_select(ctx, f->data, NULL, "nothing", &data));
    FAILS(data, lf_data_select(ctx, NULL, NULL, "train", &data));
    FAILS(model, lf_model_read(ctx, "/nonexistent/model.json", &model));
    FAILS(model, lf_model_read(ctx, NULL, &model));
    FAILS(model, lf_model_parse(ctx, "{", "test", &model));
    FAILS(model, lf_model_parse(ctx, NULL, "test", &model));
    FAILS(model, lf_model_copy(ctx, NULL, &model));
    FAILS(matrices, lf_model_matrices(ctx, f->model, -1, &matrices));
    FAILS(matrices, lf_model_matrices(ctx, NULL, 0, &matrices));
    FAILS(text, lf_matrices_json(ctx, f->model, NULL, &text));
    FAILS(table, lf_model_table(ctx, f->model, "nothing", &table));
    FAILS(table, lf_model_table(ctx, NULL, "parameters", &table));
    FAILS(text, lf_model_json(ctx, f->model, "nothing", &text));
    FAILS(text, lf_model_json(ctx, NULL, "file", &text));
    FAILS(points, lf_points_create(ctx, NULL, &points));
    FAILS(points, lf_points_request(ctx, NULL, NULL, NULL, NULL, NULL, &points));
    FAILS(posterior, lf_posterior_create(ctx, f->model, f->data, f->options, NULL, &posterior)); /* of a fit */
    FAILS(posterior, lf_posterior_create(ctx, NULL, f->data, NULL, NULL, &posterior));
    FAILS(posterior, lf_posterior_restore(ctx, f->model, &posterior)); /* it has none */
    FAILS(posterior, lf_posterior_restore(ctx, NULL, &posterior));
    FAILS(options, lf_options_create(ctx, "nothing", &options));
    FAILS(options, lf_options_create(ctx, NULL, &options));
    FAILS(model, lf_fit(ctx, NULL, f->options, &model, &result));
    assert_null(result);
    FAILS(table, lf_plan(ctx, NULL, f->options, &table));
    FAILS(table, lf_fit_result_table(ctx, f->result, "nothing", &table));
    FAILS(table, lf_fit_result_table(ctx, NULL, "stages", &table));
    FAILS(text, lf_fit_result_json(ctx, NULL, &text));
    FAILS(table, lf_predict_table(ctx, NULL, f->points, NULL, &table));
    FAILS(text, lf_predict_json(ctx, NULL, f->points, NULL, &text));
    FAILS(scores, lf_score(ctx, NULL, f->data, NULL, &scores));
    FAILS(scores, lf_cross_validate(ctx, NULL, f->data, NULL, &scores));
    FAILS(scores, lf_compare(ctx, 0, NULL, NULL, NULL, &scores));
    FAILS(table, lf_scores_table(ctx, f->scores, "nothing", &table));
    FAILS(table, lf_scores_table(ctx, NULL, "outputs", &table));
    FAILS(text, lf_scores_json(ctx, NULL, &text));
    FAILS(report, lf_report_create(ctx, NULL, f->posterior, f->data, NULL, &report));
    FAILS(table, lf_report_table(ctx, f->report, 0, "nothing", &table));
    FAILS(table, lf_report_table(ctx, f->report, 10000, "rows", &table));
    FAILS(table, lf_report_table(ctx, NULL, 0, "rows", &table));
    FAILS(text, lf_report_json(ctx, NULL, &text));
    FAILS(text, lf_context_spell(ctx, NULL, &text));
    call("lf_data_create lf_data_select lf_model_read lf_model_parse lf_model_copy lf_model_matrices lf_matrices_json "
         "lf_model_table lf_model_json lf_points_create lf_points_request lf_posterior_create lf_posterior_restore "
         "lf_options_create lf_fit lf_plan lf_fit_result_table lf_fit_result_json lf_predict_table lf_predict_json "
         "lf_score lf_cross_validate lf_compare lf_scores_table lf_scores_json lf_report_create lf_report_table "
         "lf_report_json lf_context_spell");
}

/* ---- rule 1: what is no handle is refused ---- */

static int take_none(void *user, const lf_fitted *fitted)
{
    (void)user;
    return fitted != NULL;
}

static void what_is_missing_is_refused(void **state)
{
    fixture *f = *state;
    lf_context *ctx = f->ctx;
    double x = 0, theta[64] = {0};
    size_t index;
    assert_int_equal(lf_context_set_memory(ctx, "much"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_table_find(ctx, NULL, "name", &index), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_table_find(ctx, f->table, "nothing", &index), LF_ERROR_ARGUMENT);
    assert_true(index == LF_NONE);
    assert_int_equal(lf_table_find(ctx, f->table, NULL, &index), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_table_write(ctx, NULL, "csv", "/dev/null"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_table_write(ctx, f->table, "nothing", "/dev/null"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_data_write(ctx, NULL, "/dev/null"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_write(ctx, NULL, "/dev/null"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_report_write(ctx, NULL, "/dev/null"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_find(ctx, NULL, LF_KIND_OUTPUT, OUTPUT, &index), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_find(ctx, NULL, LF_KIND_PARAMETER, "k", &index), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_find(ctx, f->model, LF_KIND_OUTPUT, NULL, &index), LF_ERROR_ARGUMENT);
    assert_true(index == LF_NONE);
    assert_int_equal(lf_model_parse_input(ctx, f->model, 1, "1", &x), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_parse_input(ctx, NULL, 0, "1", &x), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_parse_span(ctx, NULL, "1", &x), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_get_theta(ctx, NULL, 0, theta), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_set_theta(ctx, NULL, 0, theta), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_set_theta(ctx, f->model, LF_NONE, theta), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(ctx, NULL, "forces", "1"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(ctx, f->options, NULL, "1"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_options_set(ctx, f->options, "nothing", "1"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_fit_many(ctx, f->data, f->options, NULL, NULL), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_fit_many(ctx, NULL, f->options, take_none, NULL), LF_ERROR_ARGUMENT);
    call(
        "lf_context_set_memory lf_table_find lf_table_write lf_data_write lf_model_write lf_report_write lf_model_find "
        "lf_model_parse_input lf_model_parse_span lf_model_get_theta lf_model_set_theta lf_options_set lf_fit_many");
}

/* ---- rule 10: texts ---- */

/* Whether a text is valid UTF-8 of at most two bytes a character. */
static int is_whole(const char *text)
{
    for (; *text; text++) {
        if ((*text & 0xe0) == 0xc0 && (text[1] & 0xc0) == 0x80) {
            text++;
        } else if (*text & 0x80) {
            return 0;
        }
    }
    return 1;
}

static void a_text_that_is_cut_is_valid(void **state)
{
    fixture *f = *state;
    char name[3001] = "", text[64];
    for (int k = 0; k < 2; k++) { /* both halves of a character at the end of the message */
        size_t index, length = 0;
        while (length + 3 < sizeof name) {
            length += (size_t)snprintf(name + length, sizeof name - length, length == 0 && k ? "x" : "é");
        }
        assert_int_equal(lf_model_find(f->ctx, f->model, LF_KIND_OUTPUT, name, &index), LF_ERROR_ARGUMENT);
        assert_true(strlen(lf_context_message(f->ctx)) > 900 && is_whole(lf_context_message(f->ctx)));
    }
    for (size_t size = 1; size < 20; size++) {
        assert_int_equal(lf_format_quantity(2.5, NAN, "éé", size, text), strlen("2.5 éé"));
        assert_true(strlen(text) < size && is_whole(text));
    }
    assert_true(!is_whole("\xc3"));
    for (int status = -1; status < 40; status++) {
        assert_true(*lf_status_text((lf_status)status) != '\0');
    }
    assert_string_equal(lf_version(), LF_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(null_is_released, make, release),
        cmocka_unit_test_setup_teardown(counts_and_names_of_everything, make, release),
        cmocka_unit_test_setup_teardown(structs_of_every_size_are_filled, make, release),
        cmocka_unit_test_setup_teardown(a_field_of_a_newer_caller_is_no_silent_default, make, release),
        cmocka_unit_test_setup_teardown(what_is_made_is_null_after_a_failure, make, release),
        cmocka_unit_test_setup_teardown(what_is_missing_is_refused, make, release),
        cmocka_unit_test_setup_teardown(a_text_that_is_cut_is_valid, make, release),
        cmocka_unit_test(every_function_has_a_case), /* the last: the others say what they call */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
