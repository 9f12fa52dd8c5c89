/* Tables in memory: the same rows, units and messages as the same table in a file. */
#include "data/data.h"
#include "support.h"

#include <unistd.h>

static lf_context *ctx;
static char path[] = "/tmp/lf_test_columns_XXXXXX";

static int setup(void **state)
{
    (void)state;
    ctx = lf_context_create();
    int file = mkstemp(path);
    return !ctx || file < 0 || close(file);
}

static int teardown(void **state)
{
    (void)state;
    lf_context_free(ctx);
    return unlink(path);
}

#define NUMBERS(heading, ...)                                                                                          \
    {                                                                                                                  \
        .name = heading, .number = (const double[]){__VA_ARGS__}, .stride = sizeof(double)                             \
    }
#define DATES(heading, ...)                                                                                            \
    {                                                                                                                  \
        .name = heading, .date = (const int64_t[]){__VA_ARGS__}, .stride = sizeof(int64_t)                             \
    }
#define WORDS(heading, list, count, ...)                                                                               \
    {                                                                                                                  \
        .name = heading, .code = (const int32_t[]){__VA_ARGS__}, .words = list, .word_count = count,                   \
        .stride = sizeof(int32_t)                                                                                      \
    }
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define SECOND INT64_C(1000000000)
#define DATE INT64_C(1577836800) /* 2020-01-01 */
#define NO_NUMBER ((double)NAN)

static lf_data *read_file(const char *text, lf_read_options options)
{
    lf_data *data;
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
    options.size = sizeof options;
    assert_ok(ctx, lf_data_read(ctx, path, &options, &data));
    return data;
}

static int equal(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void compare_inputs(const lf_data *a, const lf_data *b)
{
    for (int k = 0; k < (int)lf_data_count(a, LF_KIND_INPUT); k++) {
        lf_label p = lf_axis_info(&a->axes[k]), q = lf_axis_info(&b->axes[k]);
        assert_string_equal(p.name, q.name);
        assert_string_equal(p.unit, q.unit);
        assert_string_equal(p.file_unit, q.file_unit);
        assert_int_equal(p.dated, q.dated);
        assert_true(p.zero == q.zero && p.seconds == q.seconds && p.zoned == q.zoned && p.zone == q.zone);
    }
}

static void compare_rows(const lf_data *a, const lf_data *b)
{
    assert_int_equal(lf_data_count(a, LF_KIND_ROW), lf_data_count(b, LF_KIND_ROW));
    for (size_t i = 0; i < lf_data_count(a, LF_KIND_ROW); i++) {
        lf_observation p = lf_data_row(a, i), q = lf_data_row(b, i);
        assert_int_equal(p.output, q.output);
        assert_int_equal(p.replicate, q.replicate);
        assert_true(equal(p.y, q.y) && p.sd == q.sd && p.width == q.width);
        assert_true(p.split == q.split || strcmp(p.split, q.split) == 0);
        for (int k = 0; k < (int)lf_data_count(a, LF_KIND_INPUT); k++) {
            assert_true(p.x[k] == q.x[k]);
        }
        assert_int_equal(lf_data_codes(b, "output")[i], q.output);
        assert_int_equal(lf_data_codes(b, "replicate")[i], q.replicate);
        assert_true(equal(lf_data_numbers(b, "y")[i], q.y) && lf_data_numbers(b, "sd")[i] == q.sd);
        assert_ptr_equal(lf_data_numbers(b, "x") + i * lf_data_count(b, LF_KIND_INPUT), q.x);
    }
}

/* The table in memory has the rows of the text. */
static void same(const char *text, size_t rows, size_t count, const lf_column *columns, lf_read_options options)
{
    lf_data *file = read_file(text, options), *memory;
    options.size = sizeof options;
    assert_ok(ctx, lf_data_read_columns(ctx, "table", rows, count, columns, &options, &memory));
    assert_int_equal((int)lf_data_count(file, LF_KIND_INPUT), (int)lf_data_count(memory, LF_KIND_INPUT));
    assert_int_equal((int)lf_data_count(file, LF_KIND_OUTPUT), (int)lf_data_count(memory, LF_KIND_OUTPUT));
    for (int d = 0; d < (int)lf_data_count(file, LF_KIND_OUTPUT); d++) {
        assert_string_equal(lf_data_name(file, LF_KIND_OUTPUT, (size_t)d),
                            lf_data_name(memory, LF_KIND_OUTPUT, (size_t)d));
        assert_string_equal(lf_data_output_unit(file, d), lf_data_output_unit(memory, d));
    }
    assert_int_equal((int)lf_data_count(file, LF_KIND_REPLICATE), (int)lf_data_count(memory, LF_KIND_REPLICATE));
    for (int r = 0; r < (int)lf_data_count(file, LF_KIND_REPLICATE); r++) {
        assert_string_equal(lf_data_name(file, LF_KIND_REPLICATE, (size_t)r),
                            lf_data_name(memory, LF_KIND_REPLICATE, (size_t)r));
    }
    compare_inputs(file, memory);
    compare_rows(file, memory);
    lf_data_free(file);
    lf_data_free(memory);
}

static void refused(const char *message, size_t rows, size_t count, const lf_column *columns)
{
    lf_data *data = (lf_data *)ctx;
    lf_status status = lf_data_read_columns(ctx, "table", rows, count, columns, NULL, &data);
    if (status == LF_OK) {
        fail_msg("no error, but '%s' was expected", message);
    }
    assert_null(data);
    if (!strstr(lf_context_message(ctx), message)) {
        fail_msg("'%s' is not in '%s'", message, lf_context_message(ctx));
    }
}

static void test_wide(void **state)
{
    (void)state;
    const lf_column columns[] = {NUMBERS("time [min]", 0, 0.1, 2.5, 60),
                                 NUMBERS("T [K]", 280.125, NO_NUMBER, 281, 1e-300), NUMBERS("p", 1, 2, -999, 4),
                                 NUMBERS("p.sd", 0.5, NO_NUMBER, 1, 2)};
    const char *text = "time [min],T [K],p,p.sd\n0,280.125,1,0.5\n0.1,,2,\n2.5,281,-999,1\n60,1e-300,4,2\n";
    same(text, 4, COUNT(columns), columns, (lf_read_options){.missing = "-999"});
    same(text, 4, COUNT(columns), columns, (lf_read_options){.time_unit = "h", .drop = "p", .outputs = "T"});
}

static void test_dates(void **state)
{
    (void)state;
    const double a[] = {1, 2, 3};
    lf_column columns[] = {
        DATES("when", DATE * SECOND, (DATE + 3600) * SECOND + 125000000, (DATE + 7200) * SECOND + 987654321),
        {.name = "a", .number = a, .stride = sizeof *a}};
    same("when,a\n2020-01-01 00:00:00,1\n2020-01-01 01:00:00.125,2\n2020-01-01 02:00:00.987654321,3\n", 3,
         COUNT(columns), columns, (lf_read_options){0});
    columns[0] = (lf_column)DATES("when", DATE * SECOND, (DATE + 86400) * SECOND, (DATE - 86400 * 365) * SECOND);
    same("when,a\n2020-01-01,1\n2020-01-02,2\n2019-01-01,3\n", 3, COUNT(columns), columns, (lf_read_options){0});
    columns[0] = (lf_column)DATES("when", -SECOND / 2, 0, -86400 * SECOND); /* before 1970 */
    same("when,a\n1969-12-31 23:59:59.5,1\n1970-01-01 00:00:00,2\n1969-12-31 00:00:00,3\n", 3, COUNT(columns), columns,
         (lf_read_options){0});
    columns[0].zoned = 1;
    columns[0].zone = -3600 * 5 - 1800;
    same("when,a\n1969-12-31 18:29:59.5-05:30,1\n1969-12-31 18:30:00-05:30,2\n1969-12-30 18:30:00-05:30,3\n", 3,
         COUNT(columns), columns, (lf_read_options){.time_unit = "min"});
}

static void test_long(void **state)
{
    (void)state;
    const char *const outputs[] = {"T in", "p\"x"}, *const splits[] = {"train", "test"};
    const lf_column columns[] = {WORDS("output", outputs, 2, 1, 0, 0, 1),
                                 NUMBERS("replicate", 1, 1, 2, 2.5),
                                 NUMBERS("t", 0, 1, 2, 3),
                                 NUMBERS("y", 5, NO_NUMBER, 7, 8),
                                 NUMBERS("sd", NO_NUMBER, 1, 2, 0),
                                 WORDS("split", splits, 2, 0, 1, -1, 1)};
    same("output,replicate,t,y,sd,split\n\"p\"\"x\",1,0,5,,train\nT in,1,1,,1,test\nT "
         "in,2,2,7,2,\n\"p\"\"x\",2.5,3,8,0,test\n",
         4, COUNT(columns), columns, (lf_read_options){0});
    const lf_column other[] = {WORDS("gene", outputs, 2, 1, 0, 0), NUMBERS("x1", 0, 1, 2), NUMBERS("x2", 9, 8, 7),
                               NUMBERS("level", 5, 6, 7)};
    same("gene,x1,x2,level\n\"p\"\"x\",0,9,5\nT in,1,8,6\nT in,2,7,7\n", 3, COUNT(other), other,
         (lf_read_options){.output_column = "gene", .value_column = "level", .x = "x1,x2"});
}

/* Numbers that are words: their decimal mark is recognised, or given, as that of a file. */
static void test_decimal(void **state)
{
    (void)state;
    const char *const words[] = {"1,5", "2,25", "7"}, *const thousands[] = {"1,500"};
    lf_column columns[] = {NUMBERS("t", 0, 0.5, 1, 2), WORDS("a", words, 3, 0, 1, -1, 2)};
    const char *text = "t;a\n0;1,5\n0,5;2,25\n1;\n2;7\n";
    same(text, 4, COUNT(columns), columns, (lf_read_options){0});
    same(text, 4, COUNT(columns), columns, (lf_read_options){.decimal = ","});
    columns[1] = (lf_column)WORDS("a", thousands, 1, -1, -1, 0, 0);
    refused("table, row 2: '1,500' may have a decimal comma", 4, COUNT(columns), columns);
    lf_read_options options = {.size = sizeof options, .decimal = "x"};
    lf_data *data;
    assert_int_equal(lf_data_read_columns(ctx, "table", 4, COUNT(columns), columns, &options, &data),
                     LF_ERROR_ARGUMENT);
    assert_null(data);
}

/* Rows 200 and beyond are not in the sample that decides what columns hold. */
static void test_strides(void **state)
{
    (void)state;
    enum { N = 250 };
    static double block[N][3];
    static char text[N * 64] = "day,a,b\n";
    for (int i = 0; i < N; i++) {
        block[i][0] = i / 8.0;
        block[i][1] = i % 7 == 0 ? NO_NUMBER : sin(i);
        block[i][2] = i;
        char cell[32] = "";
        if (i % 7) {
            snprintf(cell, sizeof cell, "%.17g", block[i][1]);
        }
        snprintf(text + strlen(text), 64, "%.17g,%s,%d\n", i / 8.0, cell, N - 1 - i);
    }
    const ptrdiff_t row = sizeof block[0];
    lf_column columns[] = {{.name = "day", .number = &block[0][0], .stride = row},
                           {.name = "", .number = &block[0][1], .stride = row},
                           {.name = "b", .number = &block[N - 1][2], .stride = -row}};
    refused("the name of column 2 is empty", N, COUNT(columns), columns);
    columns[1].name = "a";
    same(text, N, COUNT(columns), columns, (lf_read_options){0});
    columns[1].stride = 0; /* a constant */
    columns[1].number = &block[1][1];
    lf_data *data;
    assert_ok(ctx, lf_data_read_columns(ctx, "table", N, COUNT(columns), columns, NULL, &data));
    assert_int_equal(lf_data_count(data, LF_KIND_ROW), 2 * N);
    assert_true(lf_data_row(data, 2 * N - 2).y == sin(1));
    lf_data_free(data);
}

/* Inputs at which a model is to predict, with readings of its known inputs. */
static void test_for_model(void **state)
{
    (void)state;
    lf_model *model = parse_model(
        ctx,
        "{\"format\":\"latentforce-model\",\"version\":1,\"inputs\":[{\"name\":\"when\",\"unit\":\"h\",\"zero\":"
        "\"2020-01-01\"}],\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],\"outputs\":[{\"name\":\"a\",\"operator\":"
        "{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1],\"noise_variance\":0.01}]}");
    const lf_column columns[] = {DATES("", (DATE + 1800) * SECOND, (DATE + 5400) * SECOND)};
    same("when\n2020-01-01T00:30:00\n2020-01-01T01:30:00\n", 2, 1, columns,
         (lf_read_options){.model = model, .inputs_only = 1});
    char *text;
    lf_model *again;
    assert_ok(ctx, lf_model_text(ctx, model, &text));
    assert_ok(ctx, lf_model_parse(ctx, text, "text", &again));
    assert_ok(ctx, lf_model_write(ctx, again, path));
    char written[4096] = "";
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    assert_true(fread(written, 1, sizeof written - 1, stream) > 0);
    fclose(stream);
    assert_string_equal(written, text);
    lf_free(text);
    lf_model_free(again);
    lf_model_free(model);
}

static void test_refused(void **state)
{
    (void)state;
    const char *const words[] = {"1", "many"};
    const lf_column infinite[] = {NUMBERS("t", 0, 1), NUMBERS("a", 1, INFINITY)},
                    no_time[] = {NUMBERS("t", 0, NO_NUMBER), NUMBERS("a", 1, 2)},
                    no_date[] = {DATES("t", 0, INT64_MIN), NUMBERS("a", 1, 2)},
                    mixed[] = {NUMBERS("t", 0, 1), WORDS("a", words, 2, 0, 1)},
                    negative[] = {NUMBERS("t", 0, 1), NUMBERS("a", 1, 2), NUMBERS("a.sd", 1, -2)},
                    twice[] = {NUMBERS("t", 0, 1), NUMBERS("a", 1, 2), NUMBERS("a", 1, 2)},
                    all_missing[] = {NUMBERS("t", 0, 1), NUMBERS("a", NO_NUMBER, NO_NUMBER)},
                    kinds[] = {NUMBERS("t", 0, 1), {.name = "a"}};
    refused("table, row 1: a is not a finite number: 'inf'", 2, 2, infinite);
    refused("table, row 1: t", 2, 2, no_time);
    refused("table, row 1: t", 2, 2, no_date);
    refused("table, row 1: a is not a number: 'many'", 2, 2, mixed);
    refused("table, row 1: a.sd is negative: '-2'", 2, 3, negative);
    refused("table: two columns are named 'a'", 2, 3, twice);
    refused("no cell of any output holds a value", 2, 2, all_missing);
    refused("column 2 needs", 2, 2, kinds);
    refused("has no rows", 0, 2, mixed);
    refused("has no columns", 2, 0, NULL);
}

/* Every option of the table has a name, an explanation and, unless it is a flag, an argument. */
static void test_option_table(void **state)
{
    lf_option option = {.size = sizeof option};
    size_t count = lf_option_count("read");
    for (size_t i = 0; i < count; i++) {
        assert_ok(*state, lf_option_get(*state, "read", i, &option));
        assert_true(*option.name && *option.help);
        assert_string_equal(option.group, "reading");
        assert_true(strcmp(option.type, "flag") == 0 ? !option.argument : option.argument != NULL);
    }
    assert_true(count >= 15);
    lf_options *options;
    assert_int_equal(lf_options_create(*state, "read", &options), LF_ERROR_ARGUMENT);
    assert_null(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),         cmocka_unit_test(test_dates),     cmocka_unit_test(test_long),
        cmocka_unit_test(test_strides),      cmocka_unit_test(test_for_model), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_option_table), cmocka_unit_test(test_decimal),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
