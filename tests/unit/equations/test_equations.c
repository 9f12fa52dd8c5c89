/* Equations as text: declarations, and the matrices of known systems against those derived by hand. */
#include "support.h"

#include "equations/equations.h"

static lf_equations *parse(lf_context *ctx, const char *text)
{
    lf_equations *equations;
    assert_ok(ctx, lf_equations_parse(ctx, text, "x.eq", &equations));
    return equations;
}

/* The value of a parameter by its name, for tests in which its place does not matter. */
static void set(const lf_equations *e, double *parameters, const char *name, double value)
{
    for (int i = 0; i < e->parameter_count; i++) {
        if (strcmp(e->parameters[i].name, name) == 0) {
            parameters[i] = value;
            return;
        }
    }
    fail_msg("no parameter %s", name);
}

#define assert_matrix(actual, ...)                                                                                     \
    compare((actual), (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), #actual,  \
            __LINE__)

static void compare(const double *actual, const double *expected, size_t count, const char *what, int line)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(actual[i] - expected[i]) <= 4e-16 * fmax(1, fabs(expected[i])))) {
            print_error("%s[%zu] is %.17g, not %.17g\n", what, i, actual[i], expected[i]);
            _fail(__FILE__, line);
        }
    }
}

static void evaluate(lf_context *ctx, const lf_equations *e, const double *parameters, lf_system_matrices *m)
{
    assert_ok(ctx, lf_system_matrices_create(ctx, e, m));
    assert_ok(ctx, lf_equations_evaluate(ctx, e, parameters, m));
}

static void clear(lf_equations *e, lf_system_matrices *m)
{
    lf_system_matrices_clear(m);
    lf_equations_free(e);
}

static const char house[] = "# house.eq — a wall and the air of a room\r\n"
                            "input  To, Qh                    # measured: columns of the data\r\n"
                            "force  gains                     # not measured: a Gaussian process\r\n"
                            "Cw*Tw' = (To - Tw)/Ro + (Ti - Tw)/Ri\r\n"
                            "Ci*Ti' = (Tw - Ti)/Ri + Qh + gains\r\n"
                            "output xi = Ti                   # the column xi is Ti plus noise\r\n"
                            "quantity HTC = 1/(Ro + Ri)       # reported with a standard error\r\n";

static void the_house(void **state)
{
    lf_context *ctx = *state;
    lf_equations *e = parse(ctx, house);
    double Cw = 167, Ro = 0.02, Ri = 0.0025, Ci = 30, value, gradient[4];
    lf_system_matrices m;
    assert_string_equal(lf_equations_text(e), house);
    static const char *const names[] = {"Cw", "Ro", "Ri", "Ci"};
    assert_int_equal(e->parameter_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(e->parameters[i].name, names[i]);
        assert_true(isnan(e->parameters[i].value) && !e->parameters[i].declared && e->parameters[i].positive);
        assert_true(e->parameters[i].lower == 0 && e->parameters[i].upper == INFINITY && e->parameters[i].used);
    }
    assert_int_equal(e->parameters[3].line, 5);
    assert_int_equal(e->input_count, 2);
    assert_string_equal(e->inputs[1].name, "Qh");
    assert_int_equal(e->inputs[1].hold, LF_HOLD_LINEAR);
    assert_int_equal(e->force_count, 1);
    assert_true(e->forces[0].kernel == NULL && !e->forces[0].white && isnan(e->forces[0].lengthscale.value));
    assert_true(isnan(e->forces[0].amplitude.value) && !e->forces[0].amplitude.fixed);
    assert_int_equal(e->variable_count, 2);
    assert_string_equal(e->variables[0].name, "Tw");
    assert_string_equal(e->variables[1].name, "Ti");
    assert_string_equal(e->outputs[0].name, "xi");
    assert_true(isnan(e->outputs[0].noise.value) && !e->outputs[0].noise.fixed && e->outputs[0].width == 0);
    assert_true(e->time_unit == NULL && e->start == LF_EQ_START_DEFAULT && e->start_count == 0);
    double parameters[] = {Cw, Ro, Ri, Ci};
    evaluate(ctx, e, parameters, &m);
    assert_matrix(m.A, -(1 / Ro + 1 / Ri) / Cw, 1 / Ri / Cw, 1 / Ri / Ci, -1 / Ri / Ci);
    assert_matrix(m.B, 1 / Ro / Cw, 0, 0, 1 / Ci);
    assert_matrix(m.L, 0, 1 / Ci);
    assert_matrix(m.c, 0, 0);
    assert_matrix(m.C, 0, 1);
    assert_matrix(m.D, 0, 0);
    assert_matrix(m.E, 0);
    assert_matrix(m.d, 0);
    assert_true(isnan(m.start_mean[0]) && isnan(m.start_sd[1]));
    assert_ok(ctx, lf_equations_quantities(ctx, e, parameters, &value, gradient));
    assert_near(value, 1 / (Ro + Ri), 1e-14);
    assert_matrix(gradient, 0, -value * value, -value * value, 0);
    clear(e, &m);
}

/* M x'' + C x' + K x = S u with a full M: its inverse is multiplied by hand. */
static void coupled_masses(void **state)
{
    lf_context *ctx = *state;
    lf_equations *e = parse(ctx, "force load ~ matern52(lengthscale = 2 fixed)\n"
                                 "m1*x'' + mc*(x'' + y'') + c*(x' - y') + k*x = S1*load + 3\n"
                                 "0 = m2*y'' + mc*(x'' + y'') - c*(x' - y') - S2*load\n"
                                 "output a1 = x'' + g\n"
                                 "output a2 = 2*(y'' - y)/3 noise = 0.1 fixed\n");
    double p[8], m1 = 2, mc = 0.5, c = 0.3, k = 4, S1 = 1.5, m2 = 1, S2 = 0.7, g = 9.81;
    static const char *const names[] = {"m1", "mc", "c", "k", "S1", "m2", "S2", "g"};
    const double values[] = {m1, mc, c, k, S1, m2, S2, g};
    lf_system_matrices m;
    assert_int_equal(e->parameter_count, 8);
    for (int i = 0; i < 8; i++) {
        set(e, p, names[i], values[i]);
    }
    assert_int_equal(e->state_count, 4);
    assert_true(e->forces[0].amplitude.fixed && e->forces[0].amplitude.value == 1 && !e->forces[0].amplitude_given);
    assert_true(e->forces[0].lengthscale.fixed && e->forces[0].lengthscale.value == 2);
    assert_true(e->outputs[1].noise.value == 0.1 && e->outputs[1].noise.fixed);
    char name[8];
    lf_equations_state_name(e, 3, sizeof name, name);
    assert_string_equal(name, "y'");
    evaluate(ctx, e, p, &m);
    /* (m1+mc  mc; mc  m2+mc)⁻¹ = (m2+mc  -mc; -mc  m1+mc) / det */
    double det = (m1 + mc) * (m2 + mc) - mc * mc, i11 = (m2 + mc) / det, i12 = -mc / det, i22 = (m1 + mc) / det;
    double ax[] = {-k * i11, -c * i11 + c * i12, 0, c * i11 - c * i12};
    double ay[] = {-k * i12, -c * i12 + c * i22, 0, c * i12 - c * i22};
    assert_matrix(m.A, 0, 1, 0, 0, ax[0], ax[1], ax[2], ax[3], 0, 0, 0, 1, ay[0], ay[1], ay[2], ay[3]);
    assert_matrix(m.L, 0, S1 * i11 + S2 * i12, 0, S1 * i12 + S2 * i22);
    assert_matrix(m.c, 0, 3 * i11, 0, 3 * i12);
    double s = 2.0 / 3;
    assert_matrix(m.C, ax[0], ax[1], ax[2], ax[3], s * ay[0], s * ay[1], s * ay[2] - s, s * ay[3]);
    assert_matrix(m.E, m.L[1], s * m.L[3]);
    assert_matrix(m.d, m.c[1] + g, s * m.c[3]);
    clear(e, &m);
}

/* Three masses in a chain, of which one is driven; equations in another order than the variables appear. */
static void chain_of_masses(void **state)
{
    lf_context *ctx = *state;
    lf_equations *e = parse(ctx, "force load\n"
                                 "parameter m = 2\n parameter k = 8 # N/m\n"
                                 "m*x3'' = -k*(x3 - x2)\n"
                                 "m*x1'' = -k*x1 - k*(x1 - x2) + load\n"
                                 "m*x2'' = k*(x1 - 2*x2 + x3)\n"
                                 "output a = x1''\noutput \"d 3\" = x3 - x2\n");
    const double p[] = {2, 8};
    lf_system_matrices m;
    evaluate(ctx, e, p, &m);
    assert_string_equal(e->variables[0].name, "x3"); /* x3, x2, x1 */
    assert_matrix(m.A, 0, 1, 0, 0, 0, 0, -4, 0, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 4, 0, -8, 0, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0,
                  4, 0, -8, 0);
    assert_matrix(m.L, 0, 0, 0, 0, 0, 0.5);
    assert_matrix(m.C, 0, 0, 4, 0, -8, 0, 1, 0, -1, 0, 0, 0);
    assert_matrix(m.E, 0.5, 0);
    assert_string_equal(e->outputs[1].name, "d 3");
    clear(e, &m);
}

/* L i' + R i + v = source, C v' = i; the source is a known voltage that is held, the current is read as an average. */
static void rlc_circuit(void **state)
{
    lf_context *ctx = *state;
    lf_equations *e = parse(ctx, "time s\ninput source constant\n"
                                 "L*i' + R*i + v = source\n"
                                 "C*v' = i\n"
                                 "output current = average(i, 1/50)\n"
                                 "output vL = L*i' noise = 1e-3\n"
                                 "quantity w0 = (L*C)^-0.5\nquantity Q = sqrt(L/C)/R\nquantity twice = 2*Q\n"
                                 "start rest\nstart v ~ normal(v0, sqrt(2)*R)\n");
    double L = 0.5, R = 3, C = 0.125, v0 = 7, p[4], values[3], gradient[12];
    lf_system_matrices m;
    set(e, p, "L", L);
    set(e, p, "R", R);
    set(e, p, "C", C);
    set(e, p, "v0", v0);
    assert_string_equal(e->time_unit, "s");
    assert_int_equal(e->inputs[0].hold, LF_HOLD_CONSTANT);
    assert_true(e->outputs[0].width == 0.02 && e->outputs[1].width == 0);
    assert_true(e->outputs[1].noise.value == 1e-3 && !e->outputs[1].noise.fixed);
    assert_int_equal(e->start, LF_EQ_START_REST);
    assert_int_equal(e->start_count, 1);
    assert_int_equal(e->starts[0].state, 1);
    evaluate(ctx, e, p, &m);
    assert_matrix(m.A, -R / L, -1 / L, 1 / C, 0);
    assert_matrix(m.B, 1 / L, 0);
    assert_matrix(m.C, 1, 0, -R, -1);
    assert_matrix(m.D, 0, 1);
    assert_true(isnan(m.start_mean[0]) && m.start_mean[1] == v0 && m.start_sd[1] == sqrt(2) * R);
    assert_ok(ctx, lf_equations_quantities(ctx, e, p, values, gradient));
    assert_near(values[0], 4, 1e-15);
    assert_near(values[1], 2.0 / 3, 1e-15);
    assert_near(values[2], 4.0 / 3, 1e-15);
    clear(e, &m);
}

static void two_compartments(void **state)
{
    lf_context *ctx = *state;
    lf_equations *e = parse(ctx, "input dose impulse\n"
                                 "parameter V = 5 in 1 .. 20\n"
                                 "parameter ke ~ lognormal(0.2, 0.5)\n"
                                 "parameter shift = -1 real ~ normal(0, 2) in -inf .. 4\n"
                                 "parameter unit = -3 fixed\n"
                                 "a1' = -(ke + k12)*a1 + k21*a2 + dose\n"
                                 "a2' = k12*a1 - k21*a2\n"
                                 "output concentration = a1/V + shift + 0*unit\n"
                                 "start rest\n");
    double p[6];
    lf_system_matrices m;
    const lf_eq_parameter *V = &e->parameters[0], *ke = &e->parameters[1], *shift = &e->parameters[2];
    assert_true(V->value == 5 && V->lower == 1 && V->upper == 20 && V->positive && V->declared && !V->fixed);
    assert_true(isnan(ke->value) && ke->prior == LF_EQ_PRIOR_LOGNORMAL && ke->prior_at == 0.2 &&
                ke->prior_width == 0.5);
    assert_true(!shift->positive && shift->lower == -INFINITY && shift->upper == 4 && shift->value == -1);
    assert_true(shift->prior == LF_EQ_PRIOR_NORMAL && shift->prior_at == 0 && shift->prior_width == 2);
    assert_true(e->parameters[3].fixed && !e->parameters[3].positive);
    assert_int_equal(e->inputs[0].hold, LF_HOLD_IMPULSE);
    set(e, p, "V", 5);
    set(e, p, "ke", 0.25);
    set(e, p, "k12", 0.5);
    set(e, p, "k21", 0.75);
    set(e, p, "shift", -1);
    set(e, p, "unit", -3);
    evaluate(ctx, e, p, &m);
    assert_matrix(m.A, -0.75, 0.75, 0.5, -0.75);
    assert_matrix(m.B, 1, 0);
    assert_matrix(m.C, 0.2, 0);
    assert_matrix(m.d, -1);
    clear(e, &m);
}

/* One unseen protein drives a gene, which drives the next; names with any characters, a statement over several lines. */
static void cascade_of_genes(void **state)
{
    lf_context *ctx = *state;
    lf_equations *e = parse(ctx, "\xef\xbb\xbf"
                                 "force f1, f2 ~ white(sd = 0.5)\n"
                                 "force \"p53 °\" ~ eq(amplitude = 2, lengthscale = 3)\n"
                                 "\"gène 1\"' = B1 + \"p53 °\" - D1*\"gène 1\" + f1\n"
                                 "g2' = (B2 + S2*(\"gène 1\"\n"
                                 "        - g3) # feedback (\n"
                                 "       - D2*g2)\n"
                                 "g3' = S3*g2 - -g3/D3 + f2\n"
                                 "output \"gène 1\" noise = 0 fixed\n"
                                 "output \"a \"\"b\"\"#\" = g3 + \"p53 °\"\n");
    static const char *const names[] = {"B1", "D1", "B2", "S2", "D2", "S3", "D3"};
    const double values[] = {3, 0.5, 4, 1.5, 0.25, 2, 8};
    double p[7];
    lf_system_matrices m;
    assert_int_equal(e->parameter_count, 7);
    for (int i = 0; i < 7; i++) {
        set(e, p, names[i], values[i]);
    }
    assert_true(e->forces[1].white && e->forces[1].amplitude.value == 0.5 && !e->forces[1].amplitude.fixed);
    assert_string_equal(e->forces[1].kernel, "white");
    assert_string_equal(e->forces[2].kernel, "eq");
    assert_true(e->forces[2].amplitude.value == 2 && e->forces[2].lengthscale.value == 3);
    assert_string_equal(e->outputs[0].name, "gène 1");
    assert_true(e->outputs[0].noise.fixed && e->outputs[0].noise.value == 0);
    assert_string_equal(e->outputs[1].name, "a \"b\"#");
    evaluate(ctx, e, p, &m);
    assert_matrix(m.A, -0.5, 0, 0, 1.5, -0.25, -1.5, 0, 2, 0.125); /* gène 1, g2, g3 */
    assert_matrix(m.L, 1, 0, 1, 0, 0, 0, 0, 1, 0);
    assert_matrix(m.c, 3, 4, 0);
    assert_matrix(m.C, 1, 0, 0, 0, 0, 1);
    assert_matrix(m.E, 0, 0, 0, 0, 0, 1);
    assert_int_equal(lf_equations_fail(ctx, e, e->forces[2].kernel_position, "no kernel %s", "eq"), LF_ERROR_MODEL);
    assert_string_equal(lf_context_message(ctx),
                        "x.eq:2:17: no kernel eq\n"
                        "    force \"p53 °\" ~ eq(amplitude = 2, lengthscale = 3)\n                    ^");
    clear(e, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_house),        cmocka_unit_test(coupled_masses),
                                       cmocka_unit_test(chain_of_masses),  cmocka_unit_test(rlc_circuit),
                                       cmocka_unit_test(two_compartments), cmocka_unit_test(cascade_of_genes)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
