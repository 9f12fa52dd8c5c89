/* Tables of results: what is added comes out, by column, as CSV and as JSON. */
#include <stddef.h>

#include "base/table.h"
#include "support.h"

static const lf_table_heading headings[] = {
    {"stage", LF_WORDS}, {"evaluations", LF_NUMBERS}, {"reason, why", LF_WORDS}};

/* 40 rows, with the words of a row again and again. */
static lf_table *make_table(lf_context *ctx)
{
    lf_table *table;
    assert_ok(ctx, lf_table_create(ctx, 3, headings, &table));
    for (int i = 0; i < 40; i++) {
        lf_table_add_word(table, i % 2 ? "fit" : "plan");
        lf_table_add_number(table, i == 3 ? (double)NAN : i / 10.0);
        lf_table_add_word(table, i == 1 ? NULL : i == 0 ? "a \"quote\",\tand\xc2\x85" : "");
    }
    assert_ok(ctx, lf_table_check(ctx, table));
    return table;
}

static void test_columns(void **state)
{
    lf_context *ctx = *state;
    lf_table *table = make_table(ctx);
    size_t i;
    assert_int_equal(lf_table_rows(table), 40);
    assert_int_equal(lf_table_columns(table), 3);
    for (size_t k = 0; k < 3; k++) {
        assert_ok(ctx, lf_table_find(ctx, table, headings[k].name, &i));
        assert_int_equal(i, k);
    }
    assert_int_equal(lf_table_find(ctx, table, "evaluation", &i), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "'evaluation'"));
    lf_column stage = {.size = sizeof stage}, count = stage, reason = stage;
    assert_ok(ctx, lf_table_column_get(ctx, table, 0, &stage));
    assert_ok(ctx, lf_table_column_get(ctx, table, 1, &count));
    assert_ok(ctx, lf_table_column_get(ctx, table, 2, &reason));
    assert_int_equal(stage.word_count, 2);
    assert_null(stage.number);
    assert_null(count.code);
    assert_int_equal(reason.code[1], -1);
    for (size_t row = 0; row < 40; row++) {
        assert_string_equal(stage.words[stage.code[row]], row % 2 ? "fit" : "plan");
        assert_true(row == 3 ? isnan(count.number[row]) : count.number[row] == (double)row / 10.0);
    }
    lf_table_free(table);
    lf_table_free(NULL);
}

/* Inputs come out as lf_axis_format shows them. */
static void test_inputs(void **state)
{
    lf_context *ctx = *state;
    char hours[] = "h", seconds[] = "s";
    const double x[] = {-1.5, 0, 1.0 / 3, 1e5 + 1e-7};
    const lf_axis axes[] = {{.unit = hours, .dated = 1, .zero = 1577836800, .date_only = 1},
                            {.unit = hours, .dated = 1, .zero = 1577836800, .zoned = 1, .zone = 3600},
                            {.unit = seconds, .dated = 1, .zero = 1577836800, .fine = 1},
                            {.unit = hours, .dated = 1, .zero = INT64_C(-20000000000)},
                            {.unit = hours, .file_unit = seconds},
                            {.unit = hours}};
    enum { COUNT = sizeof axes / sizeof *axes };
    lf_table_heading heading[COUNT];
    lf_table *table;
    for (size_t k = 0; k < COUNT; k++) {
        heading[k] = (lf_table_heading){"x", lf_table_input_kind(&axes[k], 4, x, 1)};
        assert_int_equal(heading[k].kind, k < 3 ? LF_DATES : k == 3 ? LF_WORDS : LF_NUMBERS);
    }
    assert_ok(ctx, lf_table_create(ctx, COUNT, heading, &table));
    for (size_t i = 0; i < 4 * COUNT; i++) {
        lf_table_add_input(table, &axes[i % COUNT], x[i / COUNT]);
    }
    lf_column column = {.size = sizeof column};
    assert_ok(ctx, lf_table_column_get(ctx, table, 1, &column));
    assert_true(column.date[1] == INT64_C(1577836800000000000));
    assert_true(column.date[0] == INT64_C(1577831400000000000));
    assert_true(column.zoned && column.zone == 3600 && !column.number && !column.code);
    assert_ok(ctx, lf_table_write(ctx, table, "csv", "inputs.csv"));
    FILE *file = fopen("inputs.csv", "r");
    char line[512], expected[512];
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (size_t i = 0; i < 4; i++) {
        size_t used = 0;
        for (size_t k = 0; k < COUNT; k++) {
            char text[LF_TIMESTAMP_SIZE];
            lf_axis_format(&axes[k], x[i], text);
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s", text, k + 1 < COUNT ? "," : "\n");
        }
        assert_non_null(fgets(line, sizeof line, file));
        assert_string_equal(line, expected);
    }
    fclose(file);
    lf_table_free(table);
}

static void test_wrong_calls(void **state)
{
    lf_context *ctx = *state;
    lf_table *table = make_table(ctx);
    lf_column column = {.size = sizeof column}, small = {.size = 1};
    assert_int_equal(lf_table_column_get(ctx, table, 3, &column), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_table_column_get(ctx, table, 0, &small), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "lf_column.size is 1"));
    small = (lf_column){.size = offsetof(lf_column, number)};
    assert_ok(ctx, lf_table_column_get(ctx, table, 0, &small)); /* of a version that knew the name alone */
    assert_string_equal(small.name, "stage");
    assert_null(small.code);
    assert_int_equal(lf_table_write(ctx, table, "xml", "-"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_table_write(ctx, table, NULL, "-"), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_table_write(ctx, table, "csv", "no/such/folder/file.csv"), LF_ERROR_IO);
    lf_table_free(table);
}

static void begins_with(lf_context *ctx, const lf_table *table, const char *format, const char *expected)
{
    char text[512] = "";
    const char *path = "test_table.out";
    assert_ok(ctx, lf_table_write(ctx, table, format, path));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    remove(path);
    assert_true(length >= strlen(expected));
    text[strlen(expected)] = '\0';
    assert_string_equal(text, expected);
}

static void test_files(void **state)
{
    lf_context *ctx = *state;
    lf_table *table = make_table(ctx), *empty;
    begins_with(
        ctx, table, "csv",
        "stage,evaluations,\"reason, why\"\nplan,0,\"a \"\"quote\"\",\tand\xc2\x85\"\nfit,0.1,\nplan,0.2,\nfit,,\n");
    begins_with(ctx, table, "json",
                "[{\"stage\":\"plan\",\"evaluations\":0,\"reason, why\":\"a \\\"quote\\\",\\u0009and\\u0085\"},\n "
                "{\"stage\":\"fit\",\"evaluations\":0.1,\"reason, why\":null},\n "
                "{\"stage\":\"plan\",\"evaluations\":0.2,\"reason, why\":\"\"},\n "
                "{\"stage\":\"fit\",\"evaluations\":null,");
    assert_ok(ctx, lf_table_create(ctx, 3, headings, &empty));
    begins_with(ctx, empty, "csv", "stage,evaluations,\"reason, why\"\n");
    begins_with(ctx, empty, "json", "[]\n");
    lf_table_free(empty);
    lf_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns), cmocka_unit_test(test_wrong_calls),
                                       cmocka_unit_test(test_inputs), cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
