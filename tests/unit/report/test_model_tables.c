/* Tables of a model hold what its functions say, and numbers for people have the digits that their errors allow. */
#include "reference_models.h"

static lf_column column_of(lf_context *ctx, const lf_table *table, const char *name)
{
    size_t index;
    lf_column column = {.size = sizeof column};
    assert_ok(ctx, lf_table_find(ctx, table, name, &index));
    assert_ok(ctx, lf_table_column_get(ctx, table, index, &column));
    return column;
}

static const char *word(lf_context *ctx, const lf_table *table, const char *name, size_t row)
{
    lf_column column = column_of(ctx, table, name);
    return column.code[row] < 0 ? "" : column.words[column.code[row]];
}

static double number(lf_context *ctx, const lf_table *table, const char *name, size_t row)
{
    return column_of(ctx, table, name).number[row];
}

static lf_table *table_of(lf_context *ctx, const lf_model *model, const char *what, size_t rows)
{
    lf_table *table;
    assert_ok(ctx, lf_model_table(ctx, model, what, &table));
    assert_int_equal(lf_table_rows(table), rows);
    return table;
}

static void holds_operators(void **state)
{
    lf_context *ctx = *state;
    lf_model *model;
    assert_ok(ctx, lf_model_parse(ctx, small_ode2, "small", &model));
    lf_table *table = table_of(ctx, model, "parameters", lf_parameter_count(model));
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        lf_parameter parameter = lf_parameter_get(model, i);
        assert_string_equal(word(ctx, table, "name", i), parameter.name);
        assert_true(number(ctx, table, "value", i) == parameter.value);
        assert_true(number(ctx, table, "fixed", i) == parameter.fixed);
        assert_true(isnan(number(ctx, table, "standard_error", i)));
    }
    lf_table_free(table);
    table = table_of(ctx, model, "modes", 2);
    assert_near(number(ctx, table, "natural_frequency", 1), sqrt(2), 1e-15); /* y'' + 0.2 y' + 2 y */
    assert_near(number(ctx, table, "damping_ratio", 1), 0.1 / sqrt(2), 1e-15);
    assert_near(number(ctx, table, "time_constant", 1), 10, 1e-13);
    assert_near(number(ctx, table, "period", 1), sqrt(2) * acos(-1), 1e-14);
    assert_string_equal(word(ctx, table, "frequency", 1), "1.4142 rad (0.225 cycles)");
    assert_string_equal(word(ctx, table, "stable", 1), "yes");
    lf_table_free(table);
    table = table_of(ctx, model, "quantities", 6);
    assert_string_equal(word(ctx, table, "name", 5), "b.damping_ratio");
    assert_near(number(ctx, table, "value", 5), 0.1 / sqrt(2), 1e-15);
    lf_table_free(table);
    table = table_of(ctx, model, "sensitivities", 2);
    assert_near(number(ctx, table, "force1", 1), 10, 0);
    lf_table_free(table);
    table = table_of(ctx, model, "outputs", 2);
    assert_string_equal(word(ctx, table, "constants", 1), "mass 1, damper 0.2, spring 2");
    assert_near(number(ctx, table, "noise_sd", 1), sqrt(0.5), 1e-15);
    lf_table_free(table);
    lf_table_free(table_of(ctx, model, "known", 0));
    lf_table_free(table_of(ctx, model, "verdict", 0));
    lf_model_free(model);
}

static void holds_equations(void **state)
{
    lf_context *ctx = *state;
    lf_model *model;
    assert_ok(ctx,
              lf_model_from_equations(ctx,
                                      "time h\ninput v impulse\nforce f ~ matern32(lengthscale = 2, amplitude = 0.5)\n"
                                      "force w ~ white(sd = 0.3)\nparameter k = 2\nparameter c = 3 fixed\n"
                                      "x' = -k*x + f + w + v\noutput x noise = 0.1\nquantity half = log(2)/k\n",
                                      "test.eq", &model));
    lf_table *table = table_of(ctx, model, "forces", 2);
    assert_string_equal(word(ctx, table, "force", 1), "w");
    assert_near(number(ctx, table, "amplitude", 0), 0.5, 1e-15);
    assert_near(number(ctx, table, "amplitude", 1), 0.3, 1e-15);
    assert_true(isnan(number(ctx, table, "lengthscale", 1)));
    assert_near(number(ctx, table, "white", 1), 1, 0);
    lf_table_free(table);
    table = table_of(ctx, model, "quantities", 1);
    assert_near(number(ctx, table, "value", 0), log(2) / 2, 1e-15);
    lf_table_free(table);
    table = table_of(ctx, model, "known", 1);
    assert_string_equal(word(ctx, table, "between", 0), "impulse");
    lf_table_free(table);
    table = table_of(ctx, model, "modes", 1);
    assert_near(number(ctx, table, "time_constant", 0), 0.5, 1e-15);
    assert_string_equal(word(ctx, table, "time_unit", 0), lf_model_input(model, 0).unit);
    assert_string_equal(word(ctx, table, "frequency", 0), "-");
    lf_table_free(table);
    lf_table_free(table_of(ctx, model, "states", 1));
    lf_model_free(model);
}

static void refuses_other_tables(void **state)
{
    lf_model *model;
    lf_table *table = (lf_table *)state;
    assert_ok(*state, lf_model_parse(*state, small_ode1, "small", &model));
    assert_int_equal(lf_model_table(*state, model, "pictures", &table), LF_ERROR_ARGUMENT);
    assert_null(table);
    assert_non_null(strstr(lf_context_message(*state), "verdict"));
    lf_model_free(model);
}

static void writes_quantities(void **state)
{
    static const struct {
        double value, error;
        const char *unit, *text;
    } cases[] = {{2.1, 0.12, "h", "2.10 +- 0.12 h"}, {12.3e-6, (double)NAN, "1/h", "12.3e-6 1/h"},
                 {0.35, 0, "s", "350 ms"},           {0, 0, "s", "0 s"},
                 {0, 0.012, NULL, "0.000 +- 0.012"}, {12345678, 120000, "", "12.35e6 +- 0.12e6"},
                 {0.5, 1200, "", "0.5 +- 1200"},     {-2.5e-7, (double)NAN, "", "-250e-9"},
                 {(double)NAN, 1, "h", "-"},         {-(double)INFINITY, 1, "h", "-inf"}};
    char text[64], cut[6];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = lf_format_quantity(cases[i].value, cases[i].error, cases[i].unit, sizeof text, text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(length, strlen(text));
    }
    assert_int_equal(lf_format_quantity(2.1, 0.12, "h", sizeof cut, cut), 14);
    assert_string_equal(cut, "2.10 ");
    assert_int_equal(lf_format_quantity(2.1, 0.12, "h", 0, NULL), 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(holds_operators), cmocka_unit_test(holds_equations),
                                       cmocka_unit_test(refuses_other_tables), cmocka_unit_test(writes_quantities)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
