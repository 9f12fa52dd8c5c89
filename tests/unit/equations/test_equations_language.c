/* The language of equations: precedence of operators, amplitudes that are fixed, names that are not used, values that evaluation refuses. */
#include "support.h"

#include "equations/equations.h"

static lf_equations *parse(lf_context *ctx, const char *text)
{
    lf_equations *equations;
    assert_ok(ctx, lf_equations_parse(ctx, text, "x.eq", &equations));
    return equations;
}

static void clear(lf_equations *e, lf_system_matrices *m)
{
    lf_system_matrices_clear(m);
    lf_equations_free(e);
}

/* Precedence: a parameter stands where the value is wanted, so that nothing is carried out early. */
static void precedence(void **state)
{
    lf_context *ctx = *state;
    static const struct {
        const char *text;
        double value; /* at a = 2, b = 3 */
    } cases[] = {{"-a^2", -4},       {"a^b^2", 512},
                 {"a^-b", 0.125},    {"-a^-b", -0.125},
                 {"a-b-1", -2},      {"a/b/2", 1.0 / 3},
                 {"a-b*2", -4},      {"--a", 2},
                 {"a*-b", -6},       {"+a", 2},
                 {"exp(log(a))", 2}, {"sqrt(a*8)", 4},
                 {"2e-1*a", 0.4},    {".5*a", 1},
                 {"5.*a", 10},       {"a^0.5^2", 1.189207115002721},
                 {"(a)^(b)", 8},     {"1/(a*b)", 1.0 / 6},
                 {"a^b", 8},         {"3^a", 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "x' = -a*x - b\noutput x\nquantity q = %s\n", cases[i].text);
        lf_equations *e = parse(ctx, text);
        double value;
        assert_ok(ctx, lf_equations_quantities(ctx, e, (const double[]){2, 3}, &value, NULL));
        assert_near(value, cases[i].value, 4e-16 * fabs(cases[i].value));
        lf_equations_free(e);
    }
}

/* The amplitude of a force is fixed at 1 only where a free parameter that scales nothing else multiplies every occurrence. */
static void amplitudes(void **state)
{
    lf_context *ctx = *state;
    static const struct {
        const char *text;
        int fixed;
    } cases[] = {{"force u\nx' = -a*x + S*u\noutput x\n", 1},
                 {"force u\nx' = (S*u - x)/tau\noutput x\n", 1},
                 {"force u\nx' = (u - x)/tau\noutput x\n", 0},
                 {"force u\nx' = k*(u - x)\noutput x\n", 0},
                 {"force u\nx' = -a*x + S*u\ny' = -b*y + u\noutput x\noutput y\n", 0},
                 {"force u\nx' = -a*x + S1*u\ny' = -b*y - u*S2/3\noutput x\noutput y\n", 1},
                 {"force u\nx' = -a*x + (1 + S)*u\noutput x\n", 0},
                 {"parameter S = 2 fixed\nforce u\nx' = -a*x + S*u\noutput x\n", 0},
                 {"force u ~ eq(amplitude = 3)\nx' = -a*x + S*u\noutput x\n", 0},
                 {"force u\nx' = -a*x + S*u\noutput y = x + u\n", 0},
                 {"force u ~ white\nx' = -a*x + S*u\noutput x\n", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lf_equations *e = parse(ctx, cases[i].text);
        if (e->forces[0].amplitude.fixed != cases[i].fixed) {
            fail_msg("amplitude fixed: %d in\n%s", e->forces[0].amplitude.fixed, cases[i].text);
        }
        lf_equations_free(e);
    }
}

static void keep_note(void *user, lf_level level, const char *note)
{
    (void)level;
    strncat(user, note, 400);
    strncat(user, "\n", 2);
}

static void misspelt_names(void **state)
{
    static const struct {
        const char *text, *note;
    } cases[] = {
        {"input heating\nx' = -a*x + heating + Heating\noutput x\n",
         "x.eq:2: Heating is a parameter here; did you mean the input heating"},
        {"input heating\nx' = -a*x + heating + b*heatng/1000\noutput x\n", "did you mean the input heating"},
        {"input heating\nx' = -a*x + heating + b*(1 + haeting)\noutput x\n", "did you mean the input heating"},
        {"force gains\nx' = -a*x + gains + gain\noutput x\n", "did you mean the force gains"},
        {"Tw' = -a*Tw + (TW - Tw)/R\noutput y = Tw\n", "did you mean the variable Tw"},
        {"input u\nTw' = -a*Tw + u\noutput y = u + TW\n",
         "x.eq:3: TW is a parameter here; did you mean the variable Tw"},
        /* coefficients, other words, counted names, and parameters with a statement */
        {"TW*Tw' = -a*Tw + b\noutput y = Tw\n", ""},
        {"input To\nTi' = (To - Ti)/Ri + Ro\noutput y = Ti\n", ""},
        {"input tank1\nx' = -a*x + tank1 + tank2\noutput x\n", ""},
        {"input heating\nx' = -a*x + heating + heat\noutput x\n", ""},
        {"input heating\nparameter Heating\nx' = -a*x + heating + Heating\noutput x\n", ""},
    };
    lf_context *ctx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char notes[2000] = "";
        lf_context_set_log(ctx, keep_note, notes);
        lf_equations_free(parse(ctx, cases[i].text));
        lf_context_set_log(ctx, NULL, NULL);
        if (*cases[i].note ? !strstr(notes, cases[i].note) : *notes) {
            fail_msg("%s: \"%s\" instead of \"%s\"", cases[i].text, notes, cases[i].note);
        }
    }
}

static void unused_names(void **state)
{
    lf_context *ctx = *state;
    char notes[2000] = "";
    lf_context_set_log(ctx, keep_note, notes);
    lf_equations *e = parse(ctx, "input To, Qh\nforce u\nparameter k = 3\n\nx' = -a*x + To\noutput x\n");
    lf_context_set_log(ctx, NULL, NULL);
    assert_string_equal(notes, "x.eq:1: the input Qh is not used\nx.eq:2: the force u is not used\n"
                               "x.eq:3: the parameter k is not used\n");
    assert_true(!e->inputs[1].used && e->inputs[0].used && !e->forces[0].used);
    assert_true(!e->parameters[0].used && e->parameters[1].used);
    lf_equations_free(e);
}

/* What evaluation refuses, with its message. */
static void values_that_are_refused(void **state)
{
    lf_context *ctx = *state;
    static const struct {
        const char *text;
        double parameters[2];
        const char *message;
    } cases[] = {
        {"x' = -x/(a - b)\noutput x\n",
         {2, 2},
         "x.eq:1:6: -x/(a - b) is not finite where a = 2, b = 2\n    x' = -x/(a - b)\n         ^"},
        {"a*x' = -b*x\noutput x\n",
         {0, 2},
         "x.eq:1:3: the equations cannot be solved for the highest derivative of x where a = 0: its coefficients are "
         "0, or those of a derivative that is not independent of the others\n    a*x' = -b*x\n      ^"},
        {"x' + a*y' = -x\nx' + b*y' = -y\noutput x\n",
         {2, 2},
         "x.eq:1:8: the equations cannot be solved for the highest derivative of y where a = 2: its coefficients are "
         "0, or those of a derivative that is not independent of the others\n    x' + a*y' = -x\n           ^"},
        {"x' = -exp(a)*x + b\noutput x\n",
         {1000, 0},
         "x.eq:1:7: exp(a) is not finite where a = 1000\n    x' = -exp(a)*x + b\n          ^"},
        {"x' = -log(a)*x + b\noutput x\n",
         {-1, 0},
         "x.eq:1:7: log(a) is not finite where a = -1\n    x' = -log(a)*x + b\n          ^"},
        {"x' = -a*x\noutput x\nstart x ~ normal(1, b)\n",
         {1, -2},
         "x.eq:3:21: the standard deviation of this start is -2 where b = -2\n    start x ~ normal(1, b)\n             "
         "           ^"},
        {"x' = -a*x + b\noutput x\n", {NAN, 0}, "x.eq:1:7: the parameter a is nan\n    x' = -a*x + b\n          ^"},
        {"a*x' = -x/a - b\noutput x\n",
         {1e-200, 0},
         "x.eq:1:1: the equations, solved for the highest derivatives, have a coefficient that is not finite\n    a*x' "
         "= -x/a - b\n    ^"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lf_equations *e = parse(ctx, cases[i].text);
        lf_system_matrices m;
        assert_int_equal(e->parameter_count, 2);
        assert_ok(ctx, lf_system_matrices_create(ctx, e, &m));
        assert_int_equal(lf_equations_evaluate(ctx, e, cases[i].parameters, &m), LF_ERROR_NUMERIC);
        assert_string_equal(lf_context_message(ctx), cases[i].message);
        /* a value that works is not disturbed by one that did not */
        assert_ok(ctx, lf_equations_evaluate(ctx, e, (const double[]){1.5, 0.7}, &m));
        clear(e, &m);
    }
    lf_equations *e = parse(ctx, "x' = -a*x\noutput x\nquantity q = sqrt(a)\n");
    double value, gradient;
    assert_ok(ctx, lf_equations_quantities(ctx, e, (const double[]){0}, &value, NULL));
    assert_int_equal(lf_equations_quantities(ctx, e, (const double[]){0}, &value, &gradient), LF_ERROR_NUMERIC);
    assert_string_equal(lf_context_message(ctx), "x.eq:3:14: the derivative of sqrt(a) is not finite where a = 0\n"
                                                 "    quantity q = sqrt(a)\n                 ^");
    lf_equations_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(precedence), cmocka_unit_test(amplitudes),
                                       cmocka_unit_test(misspelt_names), cmocka_unit_test(unused_names),
                                       cmocka_unit_test(values_that_are_refused)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
