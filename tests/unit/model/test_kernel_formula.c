/* Formulas of kernels: what they are read as, what they are written as, and what is refused. */
#include "model/kernel_formula.h"
#include "support.h"

/* The terms as text: "V ENVELOPE(l) MODULATION(T, p, H)", with NaN as "-". */
static void describe(int count, const lf_force_term *terms, char *text, size_t size)
{
    static const char *const modulations[] = {"", " cosine", " periodic"};
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        const lf_force_term *t = &terms[i];
        used += (size_t)snprintf(text + used, size - used, "%s%g %s", i ? "; " : "", t->weight,
                                 t->envelope ? t->envelope->name : "1");
        if (!isnan(t->lengthscale)) {
            used += (size_t)snprintf(text + used, size - used, "(%g)", t->lengthscale);
        }
        used += (size_t)snprintf(text + used, size - used, "%s", modulations[t->modulation]);
        if (t->modulation) {
            used += (size_t)snprintf(text + used, size - used, "(%g", t->period);
            if (!isnan(t->period_lengthscale)) {
                used += (size_t)snprintf(text + used, size - used, ", p %g", t->period_lengthscale);
            }
            if (t->modulation == LF_MODULATION_PERIODIC && t->harmonics != LF_DEFAULT_HARMONICS) {
                used += (size_t)snprintf(text + used, size - used, ", H %d", t->harmonics);
            }
            used += (size_t)snprintf(text + used, size - used, ")");
        }
    }
}

/* The input is in hours, its files are in minutes. */
static char hours[] = "h", minutes[] = "min";
static const lf_axis in_hours = {.unit = hours}, from_minutes = {.unit = hours, .file_unit = minutes}, no_unit;

static void test_forms(void **state)
{
    static const struct {
        const char *formula, *terms, *written;
    } cases[] = {
        {"eq", "1 eq", "eq"},
        {"rbf", "1 eq", "eq"},
        {"matern12(3)", "1 matern12(3)", "matern12"},
        {" matern32 ( lengthscale = 2d ) ", "1 matern32(48)", "matern32"},
        {"matern52()", "1 matern52", "matern52"},
        {"constant", "1 1", "constant"},
        {"linear(100)", "1 linear(100)", "linear"},
        {"white", "1 white", "white"},
        {"cosine(12)", "1 1 cosine(12)", "cosine"},
        {"periodic(24h)", "1 1 periodic(24)", "periodic"},
        {"periodic(period = 1440 min, period_lengthscale=0.5, harmonics=7)", "1 1 periodic(24, p 0.5, H 7)",
         "periodic(harmonics=7)"},
        {"quasiperiodic(7d)", "1 matern32 periodic(168)", "periodic*matern32"},
        {"quasiperiodic(1d, eq, lengthscale=90)", "1 eq(90) periodic(24)", "periodic*eq"},
        {"eq(30)*cosine(12)", "1 eq(30) cosine(12)", "cosine*eq"},
        {"periodic(24)*matern52", "1 matern52 periodic(24)", "periodic*matern52"},
        {"quasiperiodic(24h) + matern32", "1 matern32 periodic(24); 1 matern32", "periodic*matern32 + matern32"},
        {"0.3*eq + 2*constant", "0.3 eq; 2 1", "eq + constant"},
        {"eq + 2", "1 eq; 2 1", "eq + constant"},
        {"2*3*eq*.5", "3 eq", "eq"},
        {"(eq(1) + 2*matern12(4))*(cosine(3) + 1)",
         "1 eq(1) cosine(3); 1 eq(1); 2 matern12(4) cosine(3); 2 matern12(4)",
         "cosine*eq + eq + cosine*matern12 + matern12"},
        {"0.5*(eq + linear)", "0.5 eq; 0.5 linear", "eq + linear"},
        {"constant*eq(1e1)", "1 eq(10)", "eq"},
        {"((eq))", "1 eq", "eq"},
        {"eq(1a)", "1 eq(8766)", "eq"},
        {"eq(360 s)", "1 eq(0.1)", "eq"},
    };
    lf_context *ctx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lf_force_term terms[LF_MAX_TERMS], again[LF_MAX_TERMS];
        int count, count_again;
        char text[1024];
        assert_ok(ctx, lf_kernel_parse(ctx, cases[i].formula, &in_hours, &count, terms));
        describe(count, terms, text, sizeof text);
        assert_string_equal(text, cases[i].terms);
        char *written = lf_kernel_formula(count, terms);
        assert_string_equal(written, cases[i].written);
        /* what is written has the same terms, without values */
        assert_ok(ctx, lf_kernel_parse(ctx, written, NULL, &count_again, again));
        assert_int_equal(count_again, count);
        for (int k = 0; k < count; k++) {
            assert_ptr_equal(again[k].envelope, terms[k].envelope);
            assert_int_equal(again[k].modulation, terms[k].modulation);
            assert_int_equal(again[k].harmonics, terms[k].harmonics);
        }
        free(written);
    }
}

static void test_units(void **state)
{
    lf_context *ctx = *state;
    lf_force_term terms[LF_MAX_TERMS];
    int count;
    assert_ok(ctx, lf_kernel_parse(ctx, "periodic(1440)*eq(2h)", &from_minutes, &count, terms));
    assert_near(terms->period, 24, 1e-12); /* a plain number is in the unit of files */
    assert_near(terms->lengthscale, 2, 1e-12);
    assert_ok(ctx, lf_kernel_parse(ctx, "periodic(24)", &no_unit, &count, terms));
    assert_near(terms->period, 24, 0);
    assert_ok(ctx, lf_kernel_parse(ctx, "periodic", NULL, &count, terms)); /* the model file has the period elsewhere */
    assert_true(isnan(terms->period));
}

static void test_refused(void **state)
{
    static const struct {
        const char *formula, *message;
    } cases[] = {
        {"", "ends where the name of a kernel"},
        {"perodic(24h)", "there is no kernel 'perodic'; did you mean 'periodic'?"},
        {"Matern32", "did you mean 'matern32'?"},
        {"sawtooth", "there is no kernel 'sawtooth'; supported are sums of terms"},
        {"eq*matern32", "eq times matern32 is not supported; supported are"},
        {"eq*eq", "eq times eq"},
        {"quasiperiodic(24)*eq", "periodic*matern32 times eq"},
        {"periodic(24)*cosine(12)", "periodic times cosine"},
        {"linear*eq", "linear times eq"},
        {"linear*linear", "linear times linear"},
        {"white*periodic(24)", "white times periodic"},
        {"white + eq", "a white force has no variance to share"},
        {"periodic", "a period is missing"},
        {"eq + cosine*matern12", "a period is missing"},
        {"eq(3, 4)", "eq has no argument '4)'; it can have lengthscale="},
        {"eq(period=3)", "eq has no argument 'period'"},
        {"cosine(3, harmonics=2)", "cosine has no argument 'harmonics'; it can have period="},
        {"white(3)", "white has no argument '3)'; it can have none"},
        {"constant(3)", "it can have none"},
        {"periodic(24, matern32)", "'matern32' cannot be an argument of periodic"},
        {"periodic(24, period=12)", "the period is given twice"},
        {"eq(lengthscale=1, lengthscale=2)", "the lengthscale is given twice"},
        {"periodic(0)", "the period must be > 0, found 0"},
        {"periodic(-3)", "expected a number for the period at '-3)'"},
        {"periodic(1.2.3)", "expected a number"},
        {"periodic(1e999)", "expected a number"},
        {"periodic(24weeks)", "'weeks' is no unit of time"},
        {"periodic(24, harmonics=2.5)", "harmonics must be a whole number from 1 to 40, found 2.5"},
        {"periodic(24, harmonics=41)", "from 1 to 40"},
        {"0*eq", "a weight must be > 0"},
        {"1e-300*1e-300*eq", "out of range"},
        {"eq +", "it ends where the name of a kernel is expected"},
        {"eq - linear", "expected '+', '*' or the end at '- linear'"},
        {"eq matern32", "expected '+', '*' or the end at 'matern32'"},
        {"eq)", "expected '+', '*' or the end at ')'"},
        {"(eq", "it ends where ')' is expected"},
        {"eq(3", "it ends where ')' is expected"},
        {"eq(3;", "expected ')' at ';'"},
        {"(((((((((((((((((((((eq)))))))))))))))))))))", "nested deeper than 20"},
        {"(1+1+1+1+1)*(eq+eq+eq+eq)", "more than 16 terms"},
        {"1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1", "more than 16 terms"},
    };
    lf_context *ctx = *state;
    lf_force_term terms[LF_MAX_TERMS];
    int count;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char quoted[128];
        snprintf(quoted, sizeof quoted, "kernel '%s'", cases[i].formula);
        assert_int_equal(lf_kernel_parse(ctx, cases[i].formula, &in_hours, &count, terms), LF_ERROR_ARGUMENT);
        if (!strstr(lf_context_message(ctx), quoted) || !strstr(lf_context_message(ctx), cases[i].message)) {
            print_error("'%s': '%s' is not in '%s'\n", cases[i].formula, cases[i].message, lf_context_message(ctx));
            fail();
        }
    }
    assert_int_equal(lf_kernel_parse(ctx, "eq(3h)", &no_unit, &count, terms), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "the unit of time of the data is not known"));
    assert_int_equal(lf_kernel_parse(ctx, "eq(3h)", NULL, &count, terms), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(ctx), "in a file it is a number in the unit of the input"));
    assert_ok(ctx, lf_kernel_check(ctx, "quasiperiodic(24h) + eq(3)"));
    assert_int_equal(lf_kernel_check(ctx, "periodic"), LF_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_units),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
