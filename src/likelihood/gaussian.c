/* The Gaussian likelihood, y = f + e, e ~ N(0, noise), for readings beside those of other likelihoods. */
#include <math.h>

#include "base/numbers.h"
#include "likelihood/likelihood.h"

static int allows(double y) { return isfinite(y); }

static lf_log_density expectation(const lf_reading *r, double m, double v)
{
    double residual = r->y - m, square = residual * residual + v;
    return (lf_log_density){.value = -0.5 * (log(2 * LF_PI * r->noise) + square / r->noise),
                            .by_mean = residual / r->noise,
                            .by_variance = -0.5 / r->noise,
                            .by_noise = 0.5 * (square / r->noise - 1) / r->noise};
}

static lf_log_density log_density(const lf_reading *r, double f)
{
    lf_log_density density = expectation(r, f, 0);
    density.by_variance = 0;
    return density;
}

static void start(const lf_reading *r, double *m, double *v)
{
    *m = r->y;
    *v = r->noise;
}

static double identity(double f) { return f; }

static lf_moments moments(const lf_reading *r, double m, double v)
{
    return (lf_moments){.mean = m, .variance = v, .variance_new = v + r->noise};
}

static double distribution(const lf_reading *r, double m, double v, double y)
{
    return 0.5 * erfc((m - y) / sqrt(2 * (v + r->noise)));
}

static double log_predictive(const lf_reading *r, double m, double v)
{
    double variance = v + r->noise;
    return -0.5 * (log(2 * LF_PI * variance) + (r->y - m) * (r->y - m) / variance);
}

const lf_likelihood lf_likelihood_gaussian = {.name = "gaussian",
                                              .has_noise = 1,
                                              .readings = "numbers",
                                              .allows = allows,
                                              .log_density = log_density,
                                              .expectation = expectation,
                                              .start = start,
                                              .link = identity,
                                              .inverse_link = identity,
                                              .moments = moments,
                                              .distribution = distribution,
                                              .log_predictive = log_predictive};
