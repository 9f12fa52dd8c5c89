/* Force kernels: each density is the Fourier transform of its covariance, and the helpers agree with both. */
#include "support.h"

#include "base/numbers.h"
#include "model/force_kernel.h"

static const lf_force_kernel *const spectra[] = {&lf_force_kernel_eq, &lf_force_kernel_matern12,
                                                 &lf_force_kernel_matern32, &lf_force_kernel_matern52};

/* p(lambda) = (1/pi) integral over r > 0 of k(r) cos(lambda r), by Simpson's rule. */
static double transform(const lf_force_kernel *kernel, double lambda)
{
    enum { STEPS = 400000 };
    double end = 45, h = end / STEPS, sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        double weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
        sum += weight * kernel->covariance(i * h) * cos(lambda * i * h);
    }
    return sum * h / 3 / LF_PI;
}

/* Mass of p above lambda: on lambda' = lambda / u the integral runs over (0, 1]. */
static double mass_above(const lf_force_kernel *kernel, double lambda)
{
    enum { STEPS = 200000 };
    double sum = 0;
    for (int i = 0; i < STEPS; i++) { /* midpoint rule */
        double u = (i + 0.5) / STEPS;
        sum += kernel->density(lambda / u) * lambda / (u * u) / STEPS;
    }
    return sum;
}

static void test_density_is_the_transform(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (double lambda = 0; lambda < 6; lambda += 0.7) {
            assert_near(spectra[i]->density(lambda), transform(spectra[i], lambda), 1e-12);
        }
        assert_near(spectra[i]->covariance(0), 1, 0);
    }
}

static void test_slopes(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (double x = 0.05; x < 8; x *= 1.7) {
            double h = 1e-5 * x;
            assert_near(spectra[i]->covariance_slope(x),
                        (spectra[i]->covariance(x + h) - spectra[i]->covariance(x - h)) / (2 * h), 1e-9);
            assert_near(spectra[i]->density_slope(x),
                        (spectra[i]->density(x + h) - spectra[i]->density(x - h)) / (2 * h), 5e-10);
        }
    }
}

static void test_quantile_inverts_the_distribution(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (double u = 1e-6; u < 0.5; u *= 2.3) {
            double upper = spectra[i]->quantile(1 - u), lower = spectra[i]->quantile(u);
            assert_near(mass_above(spectra[i], upper) / u, 1, 3e-9);
            assert_near(-lower / upper, 1, 2e-10);
        }
        assert_near(spectra[i]->quantile(0.5), 0, 1e-15);
        assert_near(mass_above(spectra[i], spectra[i]->tail(1e-5)), 0.5e-5, 1e-14);
    }
    /* the normal distribution's textbook value */
    assert_near(lf_force_kernel_eq.quantile(0.975), sqrt(2) * 1.959963984540054, 3e-15);
    assert_near(lf_force_kernel_matern12.quantile(0.75), 1, 5e-15);
    assert_near(lf_force_kernel_matern32.quantile(0.975), 3.182446305284263, 1e-12);
    assert_near(lf_force_kernel_matern52.quantile(0.975), 2.570581835636314, 1e-14);
}

static void test_reach(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (double epsilon = 1e-2; epsilon > 1e-17; epsilon *= 1e-3) {
            double r = spectra[i]->reach(epsilon);
            assert_true(spectra[i]->covariance(r) <= 1.01 * epsilon);
            assert_true(spectra[i]->covariance(0.98 * r) > epsilon);
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_ptr_equal(lf_force_kernel_find(spectra[i]->name), spectra[i]);
        assert_non_null(strstr(lf_force_kernel_names(), spectra[i]->name));
    }
    assert_ptr_equal(lf_force_kernel_find("rbf"), &lf_force_kernel_eq);
    assert_ptr_equal(lf_force_kernel_find("se"), &lf_force_kernel_eq);
    assert_null(lf_force_kernel_find("gaussian"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_density_is_the_transform),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_quantile_inverts_the_distribution),
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
