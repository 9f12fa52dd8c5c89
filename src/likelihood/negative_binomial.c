/* Counts that vary more than Poisson ones: mean mu = e^f, variance mu + a mu^2, a the dispersion. With k = 1 / a
 *   log p = log Gamma(y + k) - log Gamma(k) - log y! + k log k + y f - (y + k) log(k + e^f),
 * which is concave in f. */
#include <math.h>

#include "base/gamma_function.h"
#include "likelihood/likelihood.h"
#include "likelihood/log_link.h"

static lf_log_density log_density(const lf_reading *r, double f)
{
    double y = r->y, k = 1 / r->number, log_k = log(k), share = 1 / (1 + exp(log_k - f)), /* e^f / (k + e^f) */
        log_sum = fmax(f, log_k) + log1p(exp(-fabs(f - log_k)));
    double by_k = lf_digamma(y + k) - lf_digamma(k) + log_k + 1 - log_sum - (y + k) * (1 - share) / k;
    return (lf_log_density){.value = lf_log_gamma(y + k) - lf_log_gamma(k) - lf_log_gamma(y + 1) + k * log_k + y * f -
                                     (y + k) * log_sum,
                            .by_mean = y - (y + k) * share,
                            .by_number = -k * k * by_k};
}

static lf_log_density expectation(const lf_reading *r, double m, double v)
{
    return lf_expect_by_quadrature(&lf_likelihood_negative_binomial, r, m, v);
}

static lf_moments moments(const lf_reading *r, double m, double v)
{
    lf_moments result = lf_log_link_moments(m, v);
    result.variance_new = result.variance + result.mean + r->number * (result.variance + result.mean * result.mean);
    return result;
}

static double width(const lf_reading *r, double y) { return 1 / sqrt(fmin(fmax(y, 0), 1 / r->number) + 1); }

typedef struct counts {
    const lf_reading *r;
    double count;
} counts;

/* A Poisson count whose mean is a gamma variate of shape k and mean e^f: I_(k / (k + e^f))(k, y + 1). */
static double not_above(const void *data, double f)
{
    const counts *c = data;
    double k = 1 / c->r->number;
    return lf_beta_distribution(k, c->count + 1, 1 / (1 + exp(f) / k));
}

static double distribution(const lf_reading *r, double m, double v, double y)
{
    counts c = {.r = r, .count = floor(y)};
    return c.count < 0 ? 0 : fmin(lf_normal_average(m, v, width(r, c.count), not_above, &c), 1);
}

static double log_predictive(const lf_reading *r, double m, double v)
{
    return lf_log_predictive_by_quadrature(&lf_likelihood_negative_binomial, r, m, v, width(r, r->y));
}

const lf_likelihood lf_likelihood_negative_binomial = {.name = "negative-binomial",
                                                       .number = "dispersion",
                                                       .number_start = 0.3,
                                                       .number_centre = 0.3,
                                                       .number_sd = 1.5,
                                                       .number_low = 1e-3,
                                                       .number_high = 100,
                                                       .discrete = 1,
                                                       .readings = "counts 0, 1, 2, …",
                                                       .allows = lf_is_count,
                                                       .log_density = log_density,
                                                       .expectation = expectation,
                                                       .start = lf_start_count,
                                                       .link = log,
                                                       .inverse_link = exp,
                                                       .moments = moments,
                                                       .distribution = distribution,
                                                       .log_predictive = log_predictive};
