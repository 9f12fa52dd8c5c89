/* Yes or no: y is 1 with the probability 1 / (1 + e^-f), otherwise 0. */
#include <math.h>
#include <stddef.h>

#include "likelihood/likelihood.h"

static int allows(double y) { return y == 0 || y == 1; }

static double logistic(double f) { return 1 / (1 + exp(-f)); }

static double logit(double p) { return log(p) - log1p(-p); }

static lf_log_density log_density(const lf_reading *r, double f)
{
    double sign = r->y > 0 ? 1 : -1;
    return (lf_log_density){.value = -(fmax(-sign * f, 0) + log1p(exp(-fabs(f)))),
                            .by_mean = sign * logistic(-sign * f)};
}

static lf_log_density expectation(const lf_reading *r, double m, double v)
{
    return lf_expect_by_quadrature(&lf_likelihood_bernoulli, r, m, v);
}

static void start(const lf_reading *r, double *m, double *v)
{
    *m = r->y > 0 ? 1 : -1;
    *v = 4; /* 1 / (p (1 - p)) at f = 0 */
}

static double probability(const void *data, double f)
{
    (void)data;
    return logistic(f);
}

static double square(const void *data, double f)
{
    (void)data;
    return logistic(f) * logistic(f);
}

static lf_moments moments(const lf_reading *r, double m, double v)
{
    (void)r;
    double mean = lf_normal_average(m, v, 1, probability, NULL), of_square = lf_normal_average(m, v, 1, square, NULL);
    return (lf_moments){
        .mean = mean, .variance = fmax(of_square - mean * mean, 0), .variance_new = fmax(mean * (1 - mean), 0)};
}

static double distribution(const lf_reading *r, double m, double v, double y)
{
    return y < 0 ? 0 : y < 1 ? 1 - moments(r, m, v).mean : 1;
}

static double log_predictive(const lf_reading *r, double m, double v)
{
    return lf_log_predictive_by_quadrature(&lf_likelihood_bernoulli, r, m, v, 1);
}

const lf_likelihood lf_likelihood_bernoulli = {.name = "bernoulli",
                                               .discrete = 1,
                                               .readings = "0 or 1",
                                               .allows = allows,
                                               .log_density = log_density,
                                               .expectation = expectation,
                                               .start = start,
                                               .link = logit,
                                               .inverse_link = logistic,
                                               .moments = moments,
                                               .distribution = distribution,
                                               .log_predictive = log_predictive};
