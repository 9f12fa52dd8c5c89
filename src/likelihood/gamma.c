/* Positive readings whose scatter grows with their level: y ~ Gamma(shape k, mean e^f), so that sd / mean is 1 / sqrt(k).
 *   E log p = k log k - log Gamma(k) + (k - 1) log y - k m - k y e^(-m + v/2) */
#include <math.h>

#include "base/gamma_function.h"
#include "likelihood/likelihood.h"
#include "likelihood/log_link.h"

static int allows(double y) { return y > 0 && isfinite(y); }

static lf_log_density expectation(const lf_reading *r, double m, double v)
{
    double k = r->number, ratio = exp(log(r->y) - m + 0.5 * v);
    return (lf_log_density){.value = k * log(k) - lf_log_gamma(k) + (k - 1) * log(r->y) - k * (m + ratio),
                            .by_mean = k * (ratio - 1),
                            .by_variance = -0.5 * k * ratio,
                            .by_number = log(k) + 1 - lf_digamma(k) + log(r->y) - m - ratio};
}

static lf_log_density log_density(const lf_reading *r, double f)
{
    lf_log_density density = expectation(r, f, 0);
    density.by_variance = 0;
    return density;
}

static void start(const lf_reading *r, double *m, double *v)
{
    *m = log(r->y);
    *v = 1 / r->number;
}

static lf_moments moments(const lf_reading *r, double m, double v)
{
    lf_moments result = lf_log_link_moments(m, v);
    result.variance_new = result.variance + (result.variance + result.mean * result.mean) / r->number;
    return result;
}

typedef struct positive {
    const lf_reading *r;
    double y;
} positive;

static double not_above(const void *data, double f)
{
    const positive *p = data;
    double k = p->r->number;
    return -expm1(lf_log_gamma_tail(k, k * p->y * exp(-f)));
}

static double distribution(const lf_reading *r, double m, double v, double y)
{
    positive p = {.r = r, .y = y};
    return y <= 0 ? 0 : fmin(lf_normal_average(m, v, 1 / sqrt(r->number + 1), not_above, &p), 1);
}

static double log_predictive(const lf_reading *r, double m, double v)
{
    return lf_log_predictive_by_quadrature(&lf_likelihood_gamma, r, m, v, 1 / sqrt(r->number + 1));
}

const lf_likelihood lf_likelihood_gamma = {.name = "gamma",
                                           .number = "shape",
                                           .number_start = 10,
                                           .number_centre = 10,
                                           .number_sd = 2,
                                           .number_low = 0.05,
                                           .number_high = 1e5,
                                           .readings = "numbers above 0",
                                           .allows = allows,
                                           .log_density = log_density,
                                           .expectation = expectation,
                                           .start = start,
                                           .link = log,
                                           .inverse_link = exp,
                                           .moments = moments,
                                           .distribution = distribution,
                                           .log_predictive = log_predictive};
