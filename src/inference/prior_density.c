/* The density of the prior. With u the variable of a parameter, theta or the value,
 *
 *   log p(u) = - (u - mean)^2 / (2 sd^2) - log(sd sqrt(2 pi)) - log(Phi(b) - Phi(a)),   a, b: the limits of (u - mean) / sd,
 *
 * and -log(upper - lower) where there is no prior but two limits. The first term depends on theta, the others are the constant. */
#include <math.h>

#include "inference/prior.h"

static const double log_root_two_pi = 0.918938533204672742; /* log sqrt(2 pi) */

/* log(Phi(b) - Phi(a)), a < b. */
static double log_mass(double a, double b)
{
    double narrow = b - a, middle = 0.5 * (a + b), nearest = a > 0 ? a : b < 0 ? -b : 0;
    if (narrow < 1e-4) { /* the difference would cancel */
        return log(narrow) - 0.5 * middle * middle - log_root_two_pi;
    }
    if (nearest > 30) { /* both are too small for a double: Phi(-t) = exp(-t^2 / 2) / (t sqrt(2 pi)) */
        return -0.5 * nearest * nearest - log(nearest) - log_root_two_pi + log1p(-exp(-nearest * narrow));
    }
    double from = a > 0 ? a : -b, to = a > 0 ? b : -a; /* the same mass on the side where Phi is small */
    return log(0.5 * (erfc(from / sqrt(2)) - erfc(to / sqrt(2))));
}

double lf_prior_density(const lf_prior *prior, const lf_model *model, size_t count, const size_t *index,
                        const double *theta, double *gradient)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        size_t i = index[k];
        double sd = prior->sd[i];
        if (isfinite(sd)) {
            double slope = prior->of_value[i] ? exp(theta[i]) : 1, value = prior->of_value[i] ? slope : theta[i];
            double away = (value - prior->mean[i]) / sd;
            sum -= 0.5 * away * away;
            gradient[i] -= away / sd * slope;
        }
    }
    return prior->of_shares ? sum + lf_share_prior(model, prior->time, theta, gradient) : sum;
}

double lf_prior_constant(const lf_prior *prior, size_t count, const size_t *index, size_t *improper)
{
    double sum = 0;
    size_t open = 0;
    for (size_t k = 0; k < count; k++) {
        size_t i = index[k];
        double lower = prior->lower[i], upper = prior->upper[i], mean = prior->mean[i], sd = prior->sd[i];
        if (prior->of_value[i]) {
            lower = exp(lower);
            upper = exp(upper);
        }
        if (isfinite(sd)) {
            sum -= log(sd) + log_root_two_pi + log_mass((lower - mean) / sd, (upper - mean) / sd);
        } else if (isfinite(upper - lower)) {
            sum -= log(upper - lower);
        } else {
            open++;
        }
    }
    if (improper) {
        *improper = open;
    }
    return sum;
}

double lf_prior_log_jacobian(const lf_prior *prior, size_t i, double theta, double *slope)
{
    *slope = prior->of_value[i] ? 1 : 0;
    return prior->of_value[i] ? theta : 0;
}
