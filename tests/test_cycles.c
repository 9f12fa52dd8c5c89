/* Periodograms of uneven series against least squares, and cycles found in simulated series. */
#include "fit/lomb_scargle.h"
#include "support.h"

/* The share of the variance that a sinusoid beside a constant explains, from the normal equations. */
static double sinusoid_share(size_t n, const double *t, const double *y, double frequency)
{
    double A[3][4] = {{0}}, total = 0, average = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        double row[4] = {1, cos(2 * acos(-1.0) * frequency * t[i]), sin(2 * acos(-1.0) * frequency * t[i]), y[i]};
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 4; b++) {
                A[a][b] += row[a] * row[b];
            }
        }
        average += y[i] / (double)n;
    }
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            double factor = a == b ? 0 : A[b][a] / A[a][a];
            for (int c = 0; c < 4; c++) {
                A[b][c] -= factor * A[a][c];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        double angle = 2 * acos(-1.0) * frequency * t[i];
        double e = y[i] - A[0][3] / A[0][0] - A[1][3] / A[1][1] * cos(angle) - A[2][3] / A[2][2] * sin(angle);
        left += e * e;
        total += (y[i] - average) * (y[i] - average);
    }
    return 1 - left / total;
}

static void test_least_squares(void **state)
{
    enum { N = 150 };
    (void)state;
    double t[N], y[N];
    lf_random random;
    lf_random_seed(&random, 3);
    for (int i = 0; i < N; i++) { /* uneven, with a gap */
        t[i] = 50 + (i < 90 ? 0 : 20) + 0.5 * (i + 0.8 * lf_random_uniform(&random));
        y[i] = 3 + sin(2 * t[i]) + lf_random_normal(&random);
    }
    lf_lomb_scargle l;
    assert_true(lf_lomb_scargle_create(t[N - 1] - t[0], 0.5, 1 << 17, &l));
    double *power = malloc(l.count * sizeof *power);
    assert_true(power && (double)l.count * l.frequency >= 1);
    lf_lomb_scargle_power(&l, N, t, y, power);
    for (size_t k = 1; (double)k * l.frequency < 1; k++) { /* the interpolation is of third order */
        double f = (double)k * l.frequency;
        assert_near(power[k], sinusoid_share(N, t, y, f), f < 0.25 ? 1e-3 : 3e-2);
    }
    free(power);
    lf_lomb_scargle_clear(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_least_squares)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
