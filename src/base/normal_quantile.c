/* Quantiles of the normal distribution, from the inverse of erfc. */
#include "base/normal_quantile.h"

#include <math.h>

#include "base/numbers.h"

/* Newton iterations on log erfc, started from its asymptote. */
double lf_inverse_erfc(double u)
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

double lf_normal_quantile(double probability)
{
    double root_two = sqrt(2);
    return probability < 0.5 ? -root_two * lf_inverse_erfc(2 * probability)
                             : root_two * lf_inverse_erfc(2 * (1 - probability));
}
