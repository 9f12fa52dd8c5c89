/* Derivatives of the matrices of equations, and of quantities, by the parameters: against differences, entry by entry weighted at random.
 * Solutions for the highest derivatives are checked by their residuals. */
#include "support.h"

#include "equations/equations.h"

static const char *const texts[] = {
    /* a house with white forces and a start with parameters */
    "input To, Qh\nforce w1, w2 ~ white\nforce gains\n"
    "Cw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri + w1\n"
    "Ci*Ti' = (Tw - Ti)/Ri + Qh + aw*w2/Ro + gains\n"
    "output xi = Ti\noutput flux = (Ti - Tw)/Ri + gains*Ri\n"
    "start Tw ~ normal(x0_w, s^2)\nstart Ti ~ normal(x0_i*Ro, exp(s)/3)\n"
    "quantity HTC = 1/(Ro + Ri)\nquantity tau = Cw*Ro*HTC^1.5\nquantity none = 3\n",
    /* three masses whose highest derivatives are coupled, observed by accelerometers */
    "force load\ninput shaker\n"
    "m1*x'' + mc*(x'' - y'') + c*(x' - y') + k*x = S1*load + g\n"
    "m2*y'' - mc*(x'' - y'')/2 + k^1.5*(y - z) = shaker + sqrt(c)*(z'' - x'')\n"
    "z'' + log(m1)*y'' = -(z - y)*k/m2 - z' + load/S1\n"
    "output a = x''*S1 + g\noutput b = (z'' - y'')/k + shaker\noutput c2 = y''/(1 + g^2) + load*g - x/k\n"
    "start x' ~ normal(-g, 1/k)\nquantity w = sqrt(k/m1)\n",
    /* orders 3 and 1, powers with parameters in the exponent */
    "input v, w constant\nforce u\n"
    "x''' + a^b*x'' - (-b)*x' = -x + u*b^2 - y/a + v\n"
    "y' = -exp(-a)*y + 2^b*x'' + c*(v - w*c^c)\n"
    "output p = x''' - y'/b\noutput q = x''*a + c*(2 - a)\n"
    "quantity r = a^b\nquantity s = (a + b)^(1/c) - 2^a\n"};

typedef struct weighed {
    lf_context *ctx;
    const lf_equations *equations;
    lf_system_matrices m, by;
} weighed;

/* Sum over all entries of an entry times its weight. */
static double value_at(void *user, const double *parameters)
{
    weighed *of = user;
    double value = 0;
    assert_ok(of->ctx, lf_equations_evaluate(of->ctx, of->equations, parameters, &of->m));
    for (size_t i = 0; i < of->m.value_count; i++) {
        value += isnan(of->m.A[i]) ? 0 : of->m.A[i] * of->by.A[i];
    }
    return value;
}

static const char *name_of(void *user, size_t i) { return ((weighed *)user)->equations->parameters[i].name; }

typedef struct quantity {
    lf_context *ctx;
    const lf_equations *equations;
    int index;
} quantity;

static double quantity_at(void *user, const double *parameters)
{
    quantity *of = user;
    double values[8];
    assert_ok(of->ctx, lf_equations_quantities(of->ctx, of->equations, parameters, values, NULL));
    return values[of->index];
}

static void derivatives(void **state)
{
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 17);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        lf_equations *e;
        double parameters[16], gradient[16], rows[8 * 16], values[8];
        assert_ok(ctx, lf_equations_parse(ctx, texts[t], "x.eq", &e));
        assert_true(e->parameter_count <= 16 && e->quantity_count <= 8);
        weighed of = {.ctx = ctx, .equations = e};
        assert_ok(ctx, lf_system_matrices_create(ctx, e, &of.m));
        assert_ok(ctx, lf_system_matrices_create(ctx, e, &of.by));
        for (int draw = 0; draw < 5; draw++) {
            for (int i = 0; i < e->parameter_count; i++) {
                parameters[i] = log_between(&random, 0.5, 2.5);
                gradient[i] = i; /* what is there is added to */
            }
            for (size_t i = 0; i < of.by.value_count; i++) {
                of.by.A[i] = lf_random_normal(&random);
            }
            assert_ok(ctx, lf_equations_evaluate(ctx, e, parameters, &of.m));
            assert_ok(ctx, lf_equations_backward(ctx, e, parameters, &of.m, &of.by, gradient));
            for (int i = 0; i < e->parameter_count; i++) {
                gradient[i] -= i;
            }
            check_gradient((size_t)e->parameter_count, parameters, gradient, value_at, &of, 1e-3, 5e-10, name_of);
            assert_ok(ctx, lf_equations_quantities(ctx, e, parameters, values, rows));
            for (int q = 0; q < e->quantity_count; q++) {
                quantity one = {ctx, e, q};
                check_gradient((size_t)e->parameter_count, parameters, rows + q * e->parameter_count, quantity_at, &one,
                               1e-3, 5e-10, NULL);
            }
        }
        lf_system_matrices_clear(&of.m);
        lf_system_matrices_clear(&of.by);
        lf_equations_free(e);
    }
}

/* One matrix at a time: a mistake in one of them cannot hide behind another. */
static void derivatives_of_each_matrix(void **state)
{
    lf_context *ctx = *state;
    lf_equations *e;
    lf_random random;
    double parameters[16], gradient[16];
    lf_random_seed(&random, 18);
    assert_ok(ctx, lf_equations_parse(ctx, texts[1], "x.eq", &e));
    weighed of = {.ctx = ctx, .equations = e};
    assert_ok(ctx, lf_system_matrices_create(ctx, e, &of.m));
    assert_ok(ctx, lf_system_matrices_create(ctx, e, &of.by));
    double *const parts[] = {of.by.A,
                             of.by.B,
                             of.by.L,
                             of.by.c,
                             of.by.C,
                             of.by.D,
                             of.by.E,
                             of.by.d,
                             of.by.start_mean,
                             of.by.start_sd,
                             of.by.A + of.by.value_count};
    for (int i = 0; i < e->parameter_count; i++) {
        parameters[i] = log_between(&random, 0.5, 2.5);
    }
    for (size_t part = 0; part + 1 < sizeof parts / sizeof *parts; part++) {
        memset(of.by.A, 0, of.by.value_count * sizeof *of.by.A);
        memset(gradient, 0, sizeof gradient);
        for (double *weight = parts[part]; weight < parts[part + 1]; weight++) {
            *weight = lf_random_normal(&random);
        }
        assert_ok(ctx, lf_equations_evaluate(ctx, e, parameters, &of.m));
        assert_ok(ctx, lf_equations_backward(ctx, e, parameters, &of.m, &of.by, gradient));
        check_gradient((size_t)e->parameter_count, parameters, gradient, value_at, &of, 1e-3, 5e-10, name_of);
    }
    lf_system_matrices_clear(&of.m);
    lf_system_matrices_clear(&of.by);
    lf_equations_free(e);
}

/* M may have any scale in rows and columns; M X = -K holds for the solution. */
static void large_mass_matrix(void **state)
{
    enum { N = 30 };
    lf_context *ctx = *state;
    lf_random random;
    lf_equations *e;
    lf_system_matrices m;
    static char text[N * N * 48];
    static double M[N][N];
    size_t used = 0;
    lf_random_seed(&random, 19);
    for (int i = 0; i < N; i++) {
        double row = log_between(&random, 1e-12, 1e12);
        used += (size_t)snprintf(text + used, sizeof text - used, "1 = (0");
        for (int j = 0; j < N; j++) {
            char number[32];
            snprintf(number, sizeof number, "%.17g", lf_random_normal(&random) * row * pow(10, j % 7));
            M[i][j] = strtod(number, NULL);
            used += (size_t)snprintf(text + used, sizeof text - used, "\n + %s*x%d'", number, j);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, ")\n");
    }
    snprintf(text + used, sizeof text - used, "output x0\n");
    assert_ok(ctx, lf_equations_parse(ctx, text, "x.eq", &e));
    assert_ok(ctx, lf_system_matrices_create(ctx, e, &m));
    assert_ok(ctx, lf_equations_evaluate(ctx, e, NULL, &m));
    for (int i = 0; i < N; i++) {
        double sum = 0, size = 0;
        for (int j = 0; j < N; j++) {
            sum += M[i][j] * m.c[j];
            size += fabs(M[i][j] * m.c[j]);
        }
        assert_near((sum - 1) / size, 0, 5e-15);
    }
    lf_system_matrices_clear(&m);
    lf_equations_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(derivatives_of_each_matrix),
                                       cmocka_unit_test(large_mass_matrix)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
