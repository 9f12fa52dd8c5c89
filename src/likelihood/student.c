/* Readings with outliers: y = f + e, e Student-t with scale^2 = noise and nu degrees of freedom, as a scale mixture
 *   y | f, w ~ N(f, noise / w),   w ~ Gamma(nu / 2, nu / 2).
 *
 * The expectation is replaced by its bound over q(f) q(w), which has a closed form: with r = (y - m)^2 + v it is the log density at a residual
 * of sqrt(r), and the best q(w) has the mean w = (nu + 1) / (nu + r / noise). It is at most E log p(y | f). As its derivative by v is
 * -w / (2 noise), the site of a reading is the reading itself with the noise variance noise / w. */
#include <math.h>

#include "base/gamma_function.h"
#include "base/numbers.h"
#include "likelihood/likelihood.h"

static int allows(double y) { return isfinite(y); }

/* log t and its derivatives by r (in by_variance), noise and nu. */
static lf_log_density of_square(const lf_reading *r, double square)
{
    double nu = r->number, ratio = square / r->noise, weight = (nu + 1) / (nu + ratio);
    double by_nu = 0.5 * (lf_digamma(0.5 * (nu + 1)) - lf_digamma(0.5 * nu) - 1 / nu - log1p(ratio / nu) +
                          (nu + 1) * ratio / (nu * (nu + ratio)));
    return (lf_log_density){.value = lf_log_gamma(0.5 * (nu + 1)) - lf_log_gamma(0.5 * nu) -
                                     0.5 * log(nu * LF_PI * r->noise) - 0.5 * (nu + 1) * log1p(ratio / nu),
                            .by_variance = -0.5 * weight / r->noise,
                            .by_noise = 0.5 * (weight * ratio - 1) / r->noise,
                            .by_number = by_nu};
}

static lf_log_density expectation(const lf_reading *r, double m, double v)
{
    double residual = r->y - m;
    lf_log_density bound = of_square(r, residual * residual + v);
    bound.by_mean = -2 * residual * bound.by_variance;
    return bound;
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
    return (lf_moments){.mean = m, .variance = v, .variance_new = v + r->noise * r->number / (r->number - 2)};
}

/* E g(v + noise / w) over w ~ Gamma(nu / 2, nu / 2): the trapezoidal rule in u = log w, whose density decays like e^(nu u / 2) below and
 * like exp(-nu e^u / 2) above. */
static double over_weights(const lf_reading *r, double v, double (*g)(double residual, double variance),
                           double residual)
{
    double a = 0.5 * r->number, step = fmin(0.25, 0.6 / sqrt(a)), sum = 0,
           shift = a * log(a) - lf_log_gamma(a); /* log density of u: shift + a (u - e^u) */
    double lowest = -fmax(40 / a, 10 / sqrt(a)), highest = log1p(10 / sqrt(a) + 40 / a);
    for (double u = lowest; u <= highest; u += step) {
        sum += step * exp(shift + a * (u - exp(u))) * g(residual, v + r->noise * exp(-u));
    }
    return sum;
}

static double normal_distribution(double residual, double variance)
{
    return 0.5 * erfc(-residual / sqrt(2 * variance));
}

static double normal_density(double residual, double variance)
{
    return exp(-0.5 * residual * residual / variance) / sqrt(2 * LF_PI * variance);
}

static double distribution(const lf_reading *r, double m, double v, double y)
{
    return over_weights(r, v, normal_distribution, y - m);
}

static double log_predictive(const lf_reading *r, double m, double v)
{
    return log(over_weights(r, v, normal_density, r->y - m));
}

const lf_likelihood lf_likelihood_student = {.name = "student",
                                             .number = "degrees",
                                             .number_start = 5,
                                             .number_centre = 5,
                                             .number_sd = 0.7,
                                             .number_low = 2.05,
                                             .number_high = 200,
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
