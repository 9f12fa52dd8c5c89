/* The vectorised sine and cosine against libm, over every size of argument and at the edges of quadrants. */
#include "support.h"

#include "base/numbers.h"
#include "features/sincos.h"

enum { N = 331 }; /* not a multiple of any vector or block */

static void check(const double *x)
{
    double sine[N], cosine[N];
    lf_sincos(N, x, sine, cosine);
    for (int i = 0; i < N; i++) {
        if (!isfinite(x[i])) {
            assert_true(isnan(sine[i]) && isnan(cosine[i]));
            continue;
        }
        if (!(fabs(sine[i] - sin(x[i])) <= 2.3e-16 && fabs(cosine[i] - cos(x[i])) <= 2.3e-16)) {
            print_error("x = %.17g: %.17g %.17g\n", x[i], sine[i], cosine[i]);
            fail();
        }
    }
}

static void test_random_arguments(void **state)
{
    (void)state;
    lf_random random;
    double x[N];
    lf_random_seed(&random, 1);
    for (double scale = 1e-300; scale < 1e300; scale *= scale < 1e-9 || scale > 1e7 ? 1e6 : 1.3) {
        for (int i = 0; i < N; i++) {
            x[i] = uniform_between(&random, -scale, scale);
        }
        check(x);
    }
}

static void test_quadrant_edges(void **state)
{
    (void)state;
    double x[N];
    for (int multiple = 1; multiple < 60000; multiple = multiple * 5 / 4 + 1) {
        for (int i = 0; i < N; i++) {
            x[i] = multiple * LF_PI / 4;
            for (int step = 0; step < i % 7; step++) {
                x[i] = nextafter(x[i], i % 2 ? INFINITY : -INFINITY);
            }
            x[i] = i % 3 ? x[i] : -x[i];
        }
        check(x);
    }
}

static void test_special_values_and_overlap(void **state)
{
    (void)state;
    double x[N] = {0, -0.0, INFINITY, -INFINITY, NAN, 1e5, 100000.5, -1e22, 1e308}, sine[N], cosine[N], again[N];
    check(x);
    for (int i = 0; i < N; i++) {
        x[i] = 0.37 * i - 20;
    }
    lf_sincos(N, x, sine, cosine);
    memcpy(again, x, sizeof x);
    lf_sincos(N, again, again, x);
    assert_memory_equal(again, sine, sizeof again);
    assert_memory_equal(x, cosine, sizeof x);
    lf_sincos(0, x, sine, cosine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_arguments),
        cmocka_unit_test(test_quadrant_edges),
        cmocka_unit_test(test_special_values_and_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
