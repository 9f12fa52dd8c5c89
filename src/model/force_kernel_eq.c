/* Exponentiated quadratic kernel: k(r) = e^{-r^2} (without the factor 1/2), p(lambda) = N(0, 2). */
#include <math.h>

#include "base/numbers.h"
#include "model/force_kernel.h"

static double covariance(double r) { return exp(-r * r); }
static double covariance_slope(double r) { return -2 * r * exp(-r * r); }
static double density(double lambda) { return exp(-lambda * lambda / 4) / (2 * LF_SQRT_PI); }
static double density_slope(double lambda) { return -lambda / 2 * density(lambda); }

/* The root x > 0 of erfc(x) = u, 0 < u <= 1: Newton iterations on log erfc, started from its asymptote. */
static double inverse_erfc(double u)
{
    double x = u > 0.5 ? (1 - u) * LF_SQRT_PI / 2 : sqrt(-log(u * (1 + sqrt(-log(u)))));
    for (int i = 0; i < 60; i++) {
        double value = erfc(x);
        double step = log(value / u) * value * LF_SQRT_PI / 2 * exp(x * x);
        x += step;
        if (fabs(step) <= 1e-16 * fabs(x)) {
            break;
        }
    }
    return x;
}

static double quantile(double u)
{
    /* p has standard deviation sqrt 2: P(lambda > 2x) = erfc(x) / 2 */
    return u < 0.5 ? -2 * inverse_erfc(2 * u) : 2 * inverse_erfc(2 * (1 - u));
}

static double reach(double epsilon) { return sqrt(-log(epsilon)); }
static double tail(double epsilon) { return 2 * inverse_erfc(epsilon); }

const lf_force_kernel lf_force_kernel_eq = {.name = "eq",
                                            .covariance = covariance,
                                            .covariance_slope = covariance_slope,
                                            .density = density,
                                            .density_slope = density_slope,
                                            .quantile = quantile,
                                            .reach = reach,
                                            .tail = tail};
