/* Exponentiated quadratic kernel: k(r) = e^{-r^2} (without the factor 1/2), p(lambda) = N(0, 2). */
#include <math.h>

#include "base/normal_quantile.h"
#include "base/numbers.h"
#include "model/force_kernel.h"

static double covariance(double r) { return exp(-r * r); }
static double covariance_slope(double r) { return -2 * r * exp(-r * r); }
static double density(double lambda) { return exp(-lambda * lambda / 4) / (2 * LF_SQRT_PI); }
static double density_slope(double lambda) { return -lambda / 2 * density(lambda); }

static double quantile(double u)
{
    /* p has standard deviation sqrt 2: P(lambda > 2x) = erfc(x) / 2 */
    return u < 0.5 ? -2 * lf_inverse_erfc(2 * u) : 2 * lf_inverse_erfc(2 * (1 - u));
}

static double reach(double epsilon) { return sqrt(-log(epsilon)); }
static double tail(double epsilon) { return 2 * lf_inverse_erfc(epsilon); }

const lf_force_kernel lf_force_kernel_eq = {.name = "eq",
                                            .covariance = covariance,
                                            .covariance_slope = covariance_slope,
                                            .density = density,
                                            .density_slope = density_slope,
                                            .quantile = quantile,
                                            .reach = reach,
                                            .tail = tail};
