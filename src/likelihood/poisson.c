/* Counts: y ~ Poisson(e^f). The expectation has a closed form, y m - e^(m + v/2) - log y!. */
#include <math.h>

#include "base/gamma_function.h"
#include "likelihood/likelihood.h"
#include "likelihood/log_link.h"

static lf_log_density expectation(const lf_reading *r, double m, double v)
{
    double mean = exp(m + 0.5 * v);
    return (lf_log_density){
        .value = r->y * m - mean - lf_log_gamma(r->y + 1), .by_mean = r->y - mean, .by_variance = -0.5 * mean};
}

static lf_log_density log_density(const lf_reading *r, double f)
{
    lf_log_density density = expectation(r, f, 0);
    density.by_variance = 0;
    return density;
}

static lf_moments moments(const lf_reading *r, double m, double v)
{
    (void)r;
    lf_moments result = lf_log_link_moments(m, v);
    result.variance_new = result.variance + result.mean;
    return result;
}

/* The width of a likelihood of k counts by f: 1 / sqrt(k + 1). */
static double width(double k) { return 1 / sqrt(fmax(k, 0) + 1); }

static double not_above(const void *data, double f)
{
    return exp(lf_log_gamma_tail(*(const double *)data + 1, exp(fmin(f, 700))));
}

static double distribution(const lf_reading *r, double m, double v, double y)
{
    (void)r;
    double count = floor(y);
    return count < 0 ? 0 : fmin(lf_normal_average(m, v, width(count), not_above, &count), 1);
}

static double log_predictive(const lf_reading *r, double m, double v)
{
    return lf_log_predictive_by_quadrature(&lf_likelihood_poisson, r, m, v, width(r->y));
}

const lf_likelihood lf_likelihood_poisson = {.name = "poisson",
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
