/* Quantiles of the normal distribution: known values, the identity with the distribution function, symmetry. */
#include "support.h"

#include "base/normal_quantile.h"

static void test_known_values(void **state)
{
    (void)state;
    assert_near(lf_normal_quantile(0.975), 1.959963984540054, 2e-15);
    assert_near(lf_normal_quantile(0.5), 0, 1e-16);
    assert_near(lf_normal_quantile(0.8413447460685429), 1, 2e-15);
    assert_near(lf_normal_quantile(1e-10), -6.361340902404056, 1e-14);
}

static void test_inverts_the_distribution(void **state)
{
    (void)state;
    for (double x = -8; x <= 4; x += 0.37) {
        assert_near(lf_normal_quantile(erfc(-x / sqrt(2)) / 2), x,
                    5e-13); /* beyond 4 the probability has lost its digits */
    }
}

static void test_is_symmetric(void **state)
{
    (void)state;
    for (int i = 1; i < 64; i++) { /* i / 128 and its complement are exact */
        assert_true(lf_normal_quantile(i / 128.0) == -lf_normal_quantile(1 - i / 128.0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_values),
                                       cmocka_unit_test(test_inverts_the_distribution),
                                       cmocka_unit_test(test_is_symmetric)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
