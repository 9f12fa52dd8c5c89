/* The optimiser: a known minimum, bounds, and state that can be put down and taken up. */
#include "support.h"

#include "inference/optimiser.h"

/* Rosenbrock's valley in n dimensions. */
static double valley(size_t n, const double *x, double *g)
{
    double f = 0;
    memset(g, 0, n * sizeof *g);
    for (size_t i = 0; i + 1 < n; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        f += 100 * a * a + b * b;
        g[i] -= 400 * a * x[i] + 2 * b;
        g[i + 1] += 200 * a;
    }
    return f;
}

enum { N = 6 };

static lf_optimiser *start_in_valley(lf_context *ctx, double highest)
{
    double x[N], lower[N], upper[N];
    lf_optimiser *optimiser;
    for (size_t i = 0; i < N; i++) {
        x[i] = i % 2 ? 1.3 : -1.2;
        lower[i] = -INFINITY;
        upper[i] = i == 0 ? highest : (double)INFINITY;
    }
    assert_ok(ctx, lf_optimiser_create(ctx, N, x, lower, upper, 1e-9, &optimiser));
    return optimiser;
}

/* Goes on until the end or for `steps` steps. */
static lf_request descend(lf_optimiser *optimiser, size_t steps)
{
    double gradient[N] = {0}, value = 0, before = INFINITY;
    lf_request request = LF_REQUEST_NOTHING;
    while (steps > 0 && (request == LF_REQUEST_NOTHING || request == LF_REQUEST_VALUE)) {
        request = lf_optimiser_next(optimiser, value, gradient);
        if (request == LF_REQUEST_VALUE) {
            value = valley(N, lf_optimiser_point(optimiser), gradient);
        } else if (request == LF_REQUEST_NOTHING) {
            assert_true(lf_optimiser_value(optimiser) <= before);
            before = lf_optimiser_value(optimiser);
            steps--;
        }
    }
    return request;
}

static void test_finds_minimum(void **state)
{
    lf_optimiser *optimiser = start_in_valley(*state, INFINITY);
    assert_int_equal(descend(optimiser, 1000), LF_REQUEST_STOP_GOOD);
    for (size_t i = 0; i < N; i++) {
        assert_near(lf_optimiser_point(optimiser)[i], 1, 1e-8);
    }
    assert_near(lf_optimiser_value(optimiser), 0, 1e-15); /* loose on purpose: where it stops depends on rounding */
    assert_true(lf_optimiser_steps(optimiser) > 5);
    lf_optimiser_free(optimiser);
}

static void test_keeps_bounds(void **state)
{
    lf_optimiser *optimiser = start_in_valley(*state, 0.5);
    double gradient[N];
    assert_int_equal(descend(optimiser, 1000), LF_REQUEST_STOP_GOOD);
    const double *x = lf_optimiser_point(optimiser);
    assert_near(x[0], 0.5, 0);
    valley(N, x, gradient);
    assert_true(gradient[0] < 0); /* it would go further */
    for (size_t i = 1; i < N; i++) {
        assert_near(gradient[i], 0, 3e-7);
    }
    lf_optimiser_free(optimiser);
}

/* An optimiser put down and taken up by another goes the same way to the last bit. */
static void test_resumes(void **state)
{
    lf_optimiser *whole = start_in_valley(*state, 0.9), *first = start_in_valley(*state, 0.9),
                 *second = start_in_valley(*state, 0.9);
    double *stored = malloc(lf_optimiser_size(first) * sizeof *stored);
    assert_non_null(stored);
    descend(whole, 1000);
    assert_int_equal(descend(first, 7), LF_REQUEST_NOTHING);
    lf_optimiser_save(first, stored);
    lf_optimiser_load(second, stored);
    assert_int_equal(lf_optimiser_steps(second), 7);
    descend(second, 1000);
    assert_memory_equal(lf_optimiser_point(whole), lf_optimiser_point(second), N * sizeof(double));
    assert_int_equal(lf_optimiser_steps(whole), lf_optimiser_steps(second));
    free(stored);
    lf_optimiser_free(whole);
    lf_optimiser_free(first);
    lf_optimiser_free(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_minimum),
        cmocka_unit_test(test_keeps_bounds),
        cmocka_unit_test(test_resumes),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
