/* Free motions: against the exact solution of their ODE by a fine Runge-Kutta march, special forms against the general
 * one, derivatives against differences; roots against their polynomial. */
#include "support.h"

#include "model/operator.h"

/* f(t) of a_0 f^(P) + … = 0 from f^(k)(0) = 1, by the classical Runge-Kutta method. */
static double march(const double *a, int P, int k, double t)
{
    enum { STEPS = 20000 };
    double f[LF_MAX_ORDER] = {0}, slope[4][LF_MAX_ORDER], at[LF_MAX_ORDER], h = t / STEPS;
    static const double node[4] = {0, 0.5, 0.5, 1};
    f[k] = 1;
    for (int step = 0; step < STEPS; step++) {
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < P; i++) {
                at[i] = f[i] + (stage ? node[stage] * h * slope[stage - 1][i] : 0);
            }
            slope[stage][P - 1] = 0;
            for (int i = 0; i < P; i++) {
                if (i + 1 < P) {
                    slope[stage][i] = at[i + 1];
                }
                slope[stage][P - 1] -= a[P - i] / a[0] * at[i];
            }
        }
        for (int i = 0; i < P; i++) {
            f[i] += h / 6 * (slope[0][i] + 2 * slope[1][i] + 2 * slope[2][i] + slope[3][i]);
        }
    }
    return f[0];
}

static const struct {
    const lf_operator *op;
    int order;
    double constants[5];
} cases[] = {
    {&lf_operator_ode1, 1, {0.7}},
    {&lf_operator_ode1, 1, {0}},
    {&lf_operator_ode2, 2, {1, 3, 1}},        /* overdamped */
    {&lf_operator_ode2, 2, {2, 0.2, 2}},      /* underdamped */
    {&lf_operator_ode2, 2, {1, 2, 1}},        /* critical */
    {&lf_operator_ode2, 2, {1, 2 + 1e-9, 1}}, /* nearly critical */
    {&lf_operator_ode2, 2, {1, 0, 3}},        /* undamped */
    {&lf_operator_ode2, 2, {1, 1, 0}},        /* no spring */
    {&lf_operator_ode, 2, {1, 3, 1}},
    {&lf_operator_ode, 3, {1, 3, 3, 1}}, /* triple root */
    {&lf_operator_ode, 3, {2, 1, 4, 0.5}},
    {&lf_operator_ode, 4, {1, 0.5, 6, 1, 4}},
    {&lf_operator_ode, 1, {1, -0.3}},    /* unstable */
    {&lf_operator_ode, 3, {1, 0, 0, 0}}, /* triple integrator */
};
enum { CASES = sizeof cases / sizeof *cases };

static int constant_count(int i) { return cases[i].order + 1 - cases[i].op->first_coefficient; }

static void test_motion_solves_the_equation(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        int P = cases[i].order;
        double a[LF_MAX_ORDER + 1], h[LF_MAX_ORDER];
        lf_ode_coefficients(cases[i].op, cases[i].constants, P, a);
        for (double t = 0.3; t < 9; t *= 3) {
            cases[i].op->motion(cases[i].constants, P, t, h, NULL);
            for (int k = 0; k < P; k++) {
                assert_near(h[k], march(a, P, k, t), 3e-12 * fmax(1, fabs(h[k])));
            }
        }
    }
}

static void test_special_forms_match_the_general_one(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 11);
    for (int trial = 0; trial < 300; trial++) {
        double constants[3] = {log_between(&random, 0.1, 10), log_between(&random, 1e-3, 100),
                               log_between(&random, 1e-3, 100)};
        double t = log_between(&random, 1e-3, 20), h[2], dh[6], general[2], derivative[6];
        if (trial % 5 == 0) {
            constants[1] = 2 * sqrt(constants[0] * constants[2]);
        }
        lf_operator_ode2.motion(constants, 2, t, h, dh);
        lf_ode_motion(constants, 2, t, general, derivative);
        for (int k = 0; k < 2; k++) {
            assert_near(h[k], general[k], 1e-11 * fmax(fabs(general[0]), fabs(general[1])) + 1e-12);
        }
        for (int k = 0; k < 6; k++) {
            assert_near(dh[k], derivative[k], 1e-12 * (1 + fabs(derivative[k])));
        }
    }
}

static double one_motion(void *user, const double *constants)
{
    const double *which = user; /* case, k, t */
    double h[LF_MAX_ORDER];
    cases[(int)which[0]].op->motion(constants, cases[(int)which[0]].order, which[2], h, NULL);
    return h[(int)which[1]];
}

static void test_motion_derivatives(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++) {
        int P = cases[i].order, n = constant_count(i);
        for (double t = 0.2; t < 9; t *= 2.5) {
            double h[LF_MAX_ORDER], dh[LF_MAX_ORDER * (LF_MAX_ORDER + 1)], gradient[LF_MAX_ORDER + 1];
            cases[i].op->motion(cases[i].constants, P, t, h, dh);
            for (int k = 0; k < P; k++) {
                double which[3] = {i, k, t};
                for (int c = 0; c < n; c++) {
                    gradient[c] = dh[c * P + k];
                }
                check_gradient((size_t)n, cases[i].constants, gradient, one_motion, which, 1e-3, 5e-9, NULL);
            }
        }
    }
}

/* Stiff and extreme constants stay finite and bounded by their physics. */
static void test_motion_extremes(void **state)
{
    (void)state;
    double h[2], dh[6];
    for (double rate = 1e-4; rate < 2e4; rate *= 10) {
        for (double ratio = 1e-4; ratio < 2e4; ratio *= 10) {
            double constants[3] = {1, 2 * ratio * rate, rate * rate};
            for (double t = 1e-6; t < 2; t *= 10) {
                lf_operator_ode2.motion(constants, 2, t, h, dh);
                assert_true(fabs(h[0]) <= 1 + 1e-12 && fabs(h[1]) <= t * (1 + 1e-12));
                for (int k = 0; k < 6; k++) {
                    assert_true(isfinite(dh[k]));
                }
            }
        }
    }
}

static void test_roots(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 5);
    for (int trial = 0; trial < 200; trial++) {
        int P = 1 + trial % 6;
        double a[LF_MAX_ORDER + 1], size = 0;
        double complex roots[LF_MAX_ORDER];
        for (int k = 0; k <= P; k++) {
            a[k] = uniform_between(&random, -2, 2);
        }
        assert_int_equal(lf_ode_roots(a, P, roots), 0);
        for (int k = 0; k < P; k++) {
            size = 0;
            for (int i = 0; i <= P; i++) {
                size += fabs(a[i]) * pow(cabs(roots[k]), P - i);
            }
            assert_near(cabs(lf_ode_polynomial(a, P, roots[k])), 0, 2e-14 * size);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion_solves_the_equation),
        cmocka_unit_test(test_special_forms_match_the_general_one),
        cmocka_unit_test(test_motion_derivatives),
        cmocka_unit_test(test_motion_extremes),
        cmocka_unit_test(test_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
