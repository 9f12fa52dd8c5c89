/* Likelihoods: derivatives against differences, densities that sum to 1, expectations, moments, distributions and quantiles against sums over
 * a fine grid. */
#include "support.h"

#include "base/gamma_function.h"
#include "base/numbers.h"
#include "likelihood/likelihood.h"

/* Readings that are typical of each likelihood. */
typedef struct example {
    const lf_likelihood *likelihood;
    lf_reading reading;
} example;

static const example examples[] = {{&lf_likelihood_gaussian, {.y = 0.7, .noise = 0.3}},
                                   {&lf_likelihood_student, {.y = 0.7, .noise = 0.3, .number = 3.5}},
                                   {&lf_likelihood_student, {.y = -9, .noise = 0.05, .number = 2.1}},
                                   {&lf_likelihood_poisson, {.y = 0}},
                                   {&lf_likelihood_poisson, {.y = 17}},
                                   {&lf_likelihood_negative_binomial, {.y = 0, .number = 0.4}},
                                   {&lf_likelihood_negative_binomial, {.y = 23, .number = 1.7}},
                                   {&lf_likelihood_bernoulli, {.y = 0}},
                                   {&lf_likelihood_bernoulli, {.y = 1}},
                                   {&lf_likelihood_gamma, {.y = 2.3, .number = 4.2}},
                                   {&lf_likelihood_gamma, {.y = 0.02, .number = 0.8}}};
enum { EXAMPLES = sizeof examples / sizeof *examples };

/* ---- derivatives ---- */

static lf_reading reading_at(const example *e, const double *x)
{
    return (lf_reading){.y = e->reading.y, .noise = x[2], .number = x[3]};
}

static double log_density_at(void *user, const double *x)
{
    const example *e = user;
    lf_reading r = reading_at(e, x);
    return e->likelihood->log_density(&r, x[0]).value;
}

static double expectation_at(void *user, const double *x)
{
    const example *e = user;
    lf_reading r = reading_at(e, x);
    return e->likelihood->expectation(&r, x[0], x[1]).value;
}

static void test_derivatives(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        example e = examples[i];
        for (double m = -2; m < 4; m += 0.9) {
            double x[] = {m, 0.4 + 0.1 * fabs(m), e.reading.noise, e.reading.number};
            lf_reading r = e.reading;
            lf_log_density at = e.likelihood->log_density(&r, m), mean = e.likelihood->expectation(&r, m, x[1]);
            double by_density[] = {at.by_mean, 0, at.by_noise, at.by_number},
                   by_mean[] = {mean.by_mean, mean.by_variance, mean.by_noise, mean.by_number};
            x[2] = r.noise > 0 ? r.noise : NAN; /* which is not moved */
            x[3] = r.number > 0 ? r.number : NAN;
            check_gradient(4, x, by_density, log_density_at, &e, 1e-3, 1e-7, NULL);
            check_gradient(4, x, by_mean, expectation_at, &e, 1e-3, 1e-7, NULL);
            assert_true(mean.by_variance < 0); /* the precision of its site is positive */
        }
    }
}

/* ---- sums over a grid ---- */

/* E log p by Simpson's rule over 12 standard deviations. */
static double simpson(const example *e, double m, double v)
{
    enum { INTERVALS = 4000 };
    double s = sqrt(v), h = 24.0 / INTERVALS, sum = 0;
    for (int k = 0; k <= INTERVALS; k++) {
        double z = -12 + h * k, w = k == 0 || k == INTERVALS ? 1 : k % 2 ? 4 : 2;
        sum +=
            w * h / 3 * exp(-0.5 * z * z) / sqrt(2 * LF_PI) * e->likelihood->log_density(&e->reading, m + s * z).value;
    }
    return sum;
}

static void test_expectations(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        for (double v = 0.01; v < 3; v *= 6) {
            for (double m = -1; m < 3; m += 1.3) {
                double exact = simpson(&examples[i], m, v),
                       found = examples[i].likelihood->expectation(&examples[i].reading, m, v).value;
                if (examples[i].likelihood == &lf_likelihood_student) {
                    assert_true(found <= exact);
                } else {
                    assert_near(found, exact, 2e-11 * fmax(1, fabs(exact)));
                }
            }
        }
    }
    example smooth = {&lf_likelihood_student, {.y = 0.7, .noise = 0.3, .number = 1e6}};
    double gaussian = lf_likelihood_gaussian.expectation(&smooth.reading, 0.4, 0.2).value;
    assert_near(lf_likelihood_student.expectation(&smooth.reading, 0.4, 0.2).value, gaussian, 2e-6);
}

/* Readings over which densities are summed, and the weight of each: counts, or a fine grid. */
static size_t grid(const example *e, double m, double v, size_t room, double *y, double *weight)
{
    size_t n = 0;
    if (e->likelihood == &lf_likelihood_bernoulli) {
        y[0] = 0;
        y[1] = weight[0] = weight[1] = 1;
        return 2;
    }
    if (e->likelihood->discrete) {
        for (; n < room; n++) {
            y[n] = (double)n;
            weight[n] = 1;
        }
        return n;
    }
    int positive = e->likelihood == &lf_likelihood_gamma;
    double middle = m,
           scale = positive ? 0.02 : sqrt(v + e->reading.noise) * 0.02; /* equal steps of log y or of asinh y */
    for (; n < room; n++) {
        double u = ((double)n - 0.5 * (double)room) * scale, s = sqrt(v + e->reading.noise);
        y[n] = positive ? exp(middle + u) : middle + s * sinh(u);
        weight[n] = scale * (positive ? y[n] : s * cosh(u));
    }
    return n;
}

static void test_predictive(void **state)
{
    (void)state;
    enum { ROOM = 3000 };
    static double y[ROOM], weight[ROOM];
    for (int i = 0; i < EXAMPLES; i++) {
        const lf_likelihood *kind = examples[i].likelihood;
        lf_reading r = examples[i].reading;
        if (kind == &lf_likelihood_student) {
            r = (lf_reading){.noise = 0.3, .number = 6.5}; /* tails of which a grid holds enough for a variance */
        }
        r.number = kind == &lf_likelihood_gamma ? fmax(r.number, 3) : r.number;
        double m = 0.6, v = 0.15, sum = 0, mean = 0, square = 0;
        lf_moments moments = kind->moments(&r, m, v);
        size_t n = grid(&(example){kind, r}, m, v, ROOM, y, weight);
        for (size_t k = 0; k < n; k++) {
            r.y = y[k];
            double p = weight[k] * exp(kind->log_predictive(&r, m, v));
            double half = kind->discrete ? p : 0.5 * p; /* up to the middle of the step */
            if (k % 7 == 0) {
                assert_near(kind->distribution(&r, m, v, y[k]), sum + half, kind->discrete ? 1e-9 : 2e-4);
            }
            sum += p;
            mean += p * y[k];
            square += p * y[k] * y[k];
        }
        assert_near(sum, 1, 1e-9);
        assert_near(mean, moments.mean, 1e-7 * fmax(1, mean));
        assert_near(square - mean * mean, moments.variance_new, 1e-4 * moments.variance_new);
    }
}

static void test_quantiles(void **state)
{
    (void)state;
    static const double probabilities[] = {0.001, 0.025, 0.3, 0.5, 0.975, 0.9999};
    for (int i = 0; i < EXAMPLES; i++) {
        const lf_likelihood *kind = examples[i].likelihood;
        const lf_reading *r = &examples[i].reading;
        for (size_t k = 0; k < sizeof probabilities / sizeof *probabilities; k++) {
            for (double v = 1e-8; v < 5; v *= 70) {
                double p = probabilities[k], y = lf_likelihood_quantile(kind, r, 0.8, v, p);
                if (kind->discrete) {
                    assert_true(y == floor(y) && kind->distribution(r, 0.8, v, y) >= p &&
                                kind->distribution(r, 0.8, v, y - 1) < p);
                } else {
                    assert_near(kind->distribution(r, 0.8, v, y), p, 1e-9);
                }
            }
        }
    }
}

/* Known values: tables of t and of the beta distribution, digamma at 1 and 1/2. */
static void test_known_values(void **state)
{
    (void)state;
    lf_reading student = {.noise = 1, .number = 4}, counts = {.number = 0.5};
    assert_near(lf_likelihood_student.distribution(&student, 0, 1e-18, 2.776445105), 0.975, 1e-9);
    /* size 2, mean 3: probability 0.4; P(Y <= 2) = 0.16 (1 + 2 * 0.6 + 3 * 0.36) */
    assert_near(lf_likelihood_negative_binomial.distribution(&counts, log(3), 0, 2), 0.5248, 1e-12);
    assert_near(lf_digamma(1), -0.57721566490153286, 1e-14);
    assert_near(lf_digamma(0.5), -1.9635100260214235, 1e-14);
    assert_near(lf_beta_distribution(2, 3, 0.4), 0.5248, 1e-14);
}

static void test_tables(void **state)
{
    (void)state;
    assert_string_equal(LF_LIKELIHOOD_NAMES, "gaussian, student, poisson, negative-binomial, bernoulli, gamma");
    assert_ptr_equal(lf_likelihood_find("student"), &lf_likelihood_student);
    assert_ptr_equal(lf_likelihood_find("negbinomial"), &lf_likelihood_negative_binomial);
    assert_null(lf_likelihood_find("normal"));
    for (int i = 0; i < EXAMPLES; i++) {
        const lf_likelihood *kind = examples[i].likelihood;
        assert_true(kind->allows(examples[i].reading.y));
        assert_false(kind->allows(NAN));
        assert_near(kind->link(kind->inverse_link(0.7)), 0.7, 1e-15);
    }
    assert_false(lf_likelihood_poisson.allows(1.5));
    assert_false(lf_likelihood_poisson.allows(-1));
    assert_false(lf_likelihood_bernoulli.allows(2));
    assert_false(lf_likelihood_gamma.allows(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivatives),  cmocka_unit_test(test_expectations),
                                       cmocka_unit_test(test_predictive),   cmocka_unit_test(test_quantiles),
                                       cmocka_unit_test(test_known_values), cmocka_unit_test(test_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
