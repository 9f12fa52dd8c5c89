/* Tables of data by the public header alone: rows, names, columns, labels, selections, and what is refused. */
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

static void check(lf_context *ctx, lf_status status, int line)
{
    if (status) {
        print_error("line %d: %s\n", line, lf_context_message(ctx));
        fail();
    }
}

#define ok(ctx, call) check((ctx), (call), __LINE__)

static int setup(void **state)
{
    *state = lf_context_create();
    return *state == NULL;
}

static int teardown(void **state)
{
    lf_context_free(*state);
    return 0;
}

static void add(lf_context *ctx, lf_data *data, const char *output, const char *replicate, double x, double y,
                const char *split)
{
    ok(ctx, lf_data_add(ctx, data,
                        &(lf_row){.size = sizeof(lf_row),
                                  .output = output,
                                  .replicate = replicate,
                                  .x = &x,
                                  .y = y,
                                  .sd = 0.5,
                                  .split = split}));
}

/* Two outputs and two replicates. */
static lf_data *make_table(lf_context *ctx)
{
    lf_data *data;
    ok(ctx, lf_data_create(ctx, 1, &data));
    add(ctx, data, "a", "r1", 0, 1, NULL);
    add(ctx, data, "b", "r1", 1, 2, "train");
    add(ctx, data, "a", "r2", 2, 3, "test");
    add(ctx, data, "a", "r2", 4, 4, NULL);
    return data;
}

static void contents(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = make_table(ctx);
    const double x = 5;
    ok(ctx, lf_data_add(
                ctx, data,
                &(lf_row){.size = sizeof(lf_row), .output = "b", .replicate = "r1", .x = &x, .y = 5, .width = 0.25}));
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 5);
    assert_int_equal(lf_data_count(data, LF_KIND_INPUT), 1);
    assert_int_equal(lf_data_count(data, LF_KIND_OUTPUT), 2);
    assert_int_equal(lf_data_count(data, LF_KIND_REPLICATE), 2);
    assert_int_equal(lf_data_count(data, LF_KIND_FORCE), 0);
    assert_string_equal(lf_data_name(data, LF_KIND_OUTPUT, 1), "b");
    assert_string_equal(lf_data_name(data, LF_KIND_REPLICATE, 0), "r1");
    const int32_t *output = lf_data_codes(data, "output"), *replicate = lf_data_codes(data, "replicate"),
                  *split = lf_data_codes(data, "split");
    for (size_t i = 0; i < 5; i++) {
        static const char *const marks[] = {NULL, "train", "test"};
        lf_row row = {.size = sizeof row};
        ok(ctx, lf_data_get(ctx, data, i, &row));
        assert_string_equal(row.output, lf_data_name(data, LF_KIND_OUTPUT, (size_t)output[i]));
        assert_string_equal(row.replicate, lf_data_name(data, LF_KIND_REPLICATE, (size_t)replicate[i]));
        assert_true(row.x[0] == lf_data_numbers(data, "x")[i] && row.y == lf_data_numbers(data, "y")[i]);
        assert_true(row.sd == lf_data_numbers(data, "sd")[i] && row.width == lf_data_numbers(data, "width")[i]);
        assert_true(row.split == marks[split[i]] || strcmp(row.split, marks[split[i]]) == 0);
    }
    assert_null(lf_data_numbers(data, "output"));
    assert_null(lf_data_codes(data, "y"));
    lf_data_free(data);
    lf_data_free(NULL);
}

/* What there is none of is an error, or "". */
static void out_of_range(void **state)
{
    static const size_t beyond[] = {4, 1000, LF_NONE};
    lf_context *ctx = *state;
    lf_data *data = make_table(ctx);
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        lf_row row = {.size = sizeof row};
        lf_label label = {.size = sizeof label};
        assert_int_equal(lf_data_get(ctx, data, beyond[i], &row), LF_ERROR_ARGUMENT);
        assert_non_null(strstr(lf_context_message(ctx), "the table has 4"));
        assert_int_equal(lf_data_label_get(ctx, data, LF_KIND_INPUT, beyond[i], &label), LF_ERROR_ARGUMENT);
        assert_int_equal(lf_data_label_get(ctx, data, LF_KIND_OUTPUT, beyond[i], &label), LF_ERROR_ARGUMENT);
        assert_int_equal(lf_data_label_set(ctx, data, LF_KIND_INPUT, beyond[i], &label), LF_ERROR_ARGUMENT);
        assert_int_equal(lf_data_label_set(ctx, data, LF_KIND_OUTPUT, beyond[i], &label), LF_ERROR_ARGUMENT);
        assert_int_equal(lf_data_label_get(ctx, data, LF_KIND_ROW, 0, &label), LF_ERROR_ARGUMENT);
        for (lf_kind kind = LF_KIND_ROW; kind <= LF_KIND_TARGET; kind++) {
            assert_string_equal(lf_data_name(data, kind, beyond[i]), "");
        }
    }
    assert_string_equal(lf_data_name(data, LF_KIND_INPUT, 0), "");
    assert_null(lf_data_numbers(data, "depth"));
    assert_null(lf_data_numbers(data, NULL));
    assert_null(lf_data_codes(data, NULL));
    assert_null(lf_data_numbers(data, "width"));
    lf_data_free(data);
}

static void refused_rows(void **state)
{
    static const double x = 1;
    static const double infinite = INFINITY;
    const struct {
        lf_row row;
        lf_status status;
    } rows[] = {{{.output = "a", .x = NULL}, LF_ERROR_DATA},
                {{.output = "a", .x = &infinite}, LF_ERROR_DATA},
                {{.output = "a", .x = &x, .y = INFINITY}, LF_ERROR_DATA},
                {{.output = "a", .x = &x, .sd = -1}, LF_ERROR_DATA},
                {{.output = "a", .x = &x, .sd = NAN}, LF_ERROR_DATA},
                {{.output = "a", .x = &x, .split = "other"}, LF_ERROR_ARGUMENT},
                {{.output = "a", .x = &x, .width = -1}, LF_ERROR_ARGUMENT},
                {{.output = "a", .x = &x, .width = INFINITY}, LF_ERROR_ARGUMENT},
                {{.output = "a", .x = &x, .y = NAN}, LF_ERROR_ARGUMENT},
                {{.output = "a", .x = &x, .replicate = "r"}, LF_ERROR_ARGUMENT},
                {{.output = "", .x = &x}, LF_ERROR_DATA},
                {{.x = &x}, LF_ERROR_ARGUMENT}};
    lf_context *ctx = *state;
    lf_data *data;
    ok(ctx, lf_data_create(ctx, 1, &data));
    add(ctx, data, "a", NULL, 0, 1, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lf_row row = rows[i].row;
        row.size = sizeof row;
        assert_int_equal(lf_data_add(ctx, data, &row), rows[i].status);
        assert_int_equal(lf_data_count(data, LF_KIND_ROW), 1);
    }
    assert_int_equal(lf_data_add(ctx, data, NULL), LF_ERROR_ARGUMENT);
    lf_data_free(data);
    lf_data *none = (lf_data *)ctx;
    assert_int_equal(lf_data_create(ctx, 0, &none), LF_ERROR_ARGUMENT);
    assert_null(none);
    none = (lf_data *)ctx;
    assert_int_equal(lf_data_create(ctx, LF_NONE, &none), LF_ERROR_ARGUMENT);
    assert_null(none);
}

/* An older caller knows less, a newer one more: what the library does not know must be 0. */
static void sizes(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = make_table(ctx);
    struct {
        lf_row row;
        int more[2];
    } newer = {.row = {.size = sizeof newer, .output = "a", .replicate = "r1", .x = (const double[]){7}, .y = 1}};
    ok(ctx, lf_data_add(ctx, data, &newer.row));
    newer.more[1] = 1;
    assert_int_equal(lf_data_add(ctx, data, &newer.row), LF_ERROR_UNSUPPORTED);
    ok(ctx, lf_data_get(ctx, data, 4, &newer.row));
    assert_true(newer.row.size == sizeof newer && newer.more[1] == 0 && newer.row.x[0] == 7);
    lf_row older = {.size = offsetof(lf_row, y), .y = 3, .split = "test"};
    ok(ctx, lf_data_get(ctx, data, 4, &older));
    assert_true(older.size == offsetof(lf_row, y) && older.x[0] == 7 && older.y == 3);
    assert_string_equal(older.split, "test");
    older = (lf_row){.size = offsetof(lf_row, sd), .output = "a", .replicate = "r1", .x = &older.y, .sd = -1};
    ok(ctx, lf_data_add(ctx, data, &older));
    struct {
        lf_label label;
        double more;
    } label = {.label = {.size = sizeof label, .unit = "K"}, .more = 1};
    assert_int_equal(lf_data_label_set(ctx, data, LF_KIND_OUTPUT, 0, &label.label), LF_ERROR_UNSUPPORTED);
    lf_label small = {.size = offsetof(lf_label, file_unit), .unit = "K", .dated = 1};
    ok(ctx, lf_data_label_set(ctx, data, LF_KIND_INPUT, 0, &small));
    lf_data_info info = {.size = offsetof(lf_data_info, fingerprint), .fingerprint = 17};
    ok(ctx, lf_data_info_get(ctx, data, NULL, &info));
    assert_true(info.rows == 6 && info.fingerprint == 17);
    struct {
        lf_data_info info;
        void *more;
    } unknown = {.info = {.size = sizeof unknown}, .more = &unknown};
    assert_int_equal(lf_data_info_get(ctx, data, NULL, &unknown.info), LF_ERROR_UNSUPPORTED);
    size_t none = 0;
    assert_int_equal(lf_data_get(ctx, data, 0, (lf_row *)(void *)&none), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_data_info_get(ctx, data, NULL, NULL), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_data_label_set(ctx, data, LF_KIND_INPUT, 0, NULL), LF_ERROR_ARGUMENT);
    lf_data_free(data);
}

static void labels(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = make_table(ctx);
    const lf_label wrong[] = {{.unit = "m", .dated = 1},
                              {.dated = 1},
                              {.unit = "h", .dated = 1, .zero = 0.5},
                              {.unit = "h", .dated = 1, .zero = NAN},
                              {.unit = "h", .dated = 1, .zero = 1e15},
                              {.unit = "m", .file_unit = "h"},
                              {.unit = "h", .file_unit = "m"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lf_label label = wrong[i];
        label.size = sizeof label;
        assert_int_equal(lf_data_label_set(ctx, data, LF_KIND_INPUT, 0, &label), LF_ERROR_ARGUMENT);
    }
    lf_label given = {.size = sizeof given,
                      .name = "when",
                      .unit = "h",
                      .file_unit = "min",
                      .dated = 1,
                      .zero = 3600,
                      .zoned = 1,
                      .zone = -7200,
                      .digits = 9,
                      .months = 3,
                      .month_day = 31},
             found = {.size = sizeof found};
    ok(ctx, lf_data_label_set(ctx, data, LF_KIND_INPUT, 0, &given));
    ok(ctx, lf_data_label_get(ctx, data, LF_KIND_INPUT, 0, &found));
    assert_string_equal(found.name, "when");
    assert_string_equal(lf_data_name(data, LF_KIND_INPUT, 0), "when");
    assert_string_equal(found.unit, "h");
    assert_string_equal(found.file_unit, "min");
    assert_true(found.dated && found.zero == 3600 && found.seconds == 3600 && found.zoned && found.zone == -7200);
    assert_true(found.digits == 9 && !found.date_only && found.months == 3 && found.month_day == 31);
    assert_true(found.offset == 0 && found.scale == 1);
    ok(ctx, lf_data_label_set(ctx, data, LF_KIND_INPUT, 0, &found)); /* its own texts */
    ok(ctx, lf_data_label_set(ctx, data, LF_KIND_OUTPUT, 1, &(lf_label){.size = sizeof(lf_label), .unit = "K"}));
    ok(ctx, lf_data_label_get(ctx, data, LF_KIND_OUTPUT, 1, &found));
    assert_string_equal(found.name, "b");
    assert_string_equal(found.unit, "K");
    ok(ctx, lf_data_label_set(ctx, data, LF_KIND_OUTPUT, 1, &(lf_label){.size = sizeof(lf_label)}));
    ok(ctx, lf_data_label_get(ctx, data, LF_KIND_OUTPUT, 1, &found));
    assert_string_equal(found.unit, "");
    lf_data_free(data);
}

static void facts(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = make_table(ctx), *other;
    double low, high, last[2];
    lf_data_info info = {.size = sizeof info, .low = &low, .high = &high, .last = last}, again = {.size = sizeof again};
    ok(ctx, lf_data_info_get(ctx, data, NULL, &info));
    assert_true(info.rows == 4 && !info.distributed && info.step == 1 && !info.empty);
    assert_true(low == 0 && high == 4 && last[0] == 1 && last[1] == 4);
    ok(ctx, lf_data_create(ctx, 1, &other));
    add(ctx, other, "b", "r1", 1, 2, NULL);
    add(ctx, other, "a", "r2", 4, 4, NULL);
    add(ctx, other, "a", "r2", 2, 3, NULL);
    add(ctx, other, "a", "r1", 0, 1, NULL);
    ok(ctx, lf_data_info_get(ctx, other, NULL, &again));
    assert_true(again.fingerprint == info.fingerprint);
    lf_data_free(other);
    lf_data_free(data);
    ok(ctx, lf_data_create(ctx, 2, &data));
    ok(ctx, lf_data_info_get(ctx, data, NULL, &again));
    assert_true(again.rows == 0 && isnan(again.step));
    lf_data_free(data);
}

static void selections(void **state)
{
    static const struct {
        const char *rows;
        size_t count;
    } cases[] = {{"train", 3}, {"test", 1}, {"outputs", 4}, {"known", 0}, {"started", 4}};
    lf_context *ctx = *state;
    lf_data *data = make_table(ctx), *part, *none;
    lf_data_info info = {.size = sizeof info};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ok(ctx, lf_data_select(ctx, data, NULL, cases[i].rows, &part));
        assert_int_equal(lf_data_count(part, LF_KIND_ROW), cases[i].count);
        assert_int_equal(lf_data_count(part, LF_KIND_REPLICATE), 2);
        lf_data_free(part);
    }
    ok(ctx, lf_data_select(ctx, data, NULL, "test", &part));
    ok(ctx, lf_data_select(ctx, part, NULL, "train", &none)); /* none is no error */
    assert_int_equal(lf_data_count(none, LF_KIND_ROW), 0);
    ok(ctx, lf_data_info_get(ctx, none, NULL, &info));
    assert_string_equal(info.empty, "no training rows are left: every row is marked test");
    lf_data_free(none);
    lf_data_free(part);
    for (size_t i = 0; i < 2; i++) {
        part = data;
        assert_int_equal(lf_data_select(ctx, data, NULL, i ? NULL : "other", &part), LF_ERROR_ARGUMENT);
        assert_null(part);
    }
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(contents, setup, teardown),
        cmocka_unit_test_setup_teardown(out_of_range, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(labels, setup, teardown),
        cmocka_unit_test_setup_teardown(facts, setup, teardown),
        cmocka_unit_test_setup_teardown(selections, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
