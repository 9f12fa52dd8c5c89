/* The gamma function by Stirling's series; its tail by the series of 1 - Q for small x, by Lentz's continued fraction for large x. The
 * beta distribution by its continued fraction. */
#include "base/gamma_function.h"

#include <math.h>

#include "base/numbers.h"

double lf_log_gamma(double x)
{
    double product = 1;
    for (; x < 12; x++) {
        product *= x;
    }
    double r = 1 / (x * x);
    double series =
        (1 / 12.0 - r * (1 / 360.0 - r * (1 / 1260.0 - r * (1 / 1680.0 - r * (1 / 1188.0 - r * 691 / 360360.0))))) / x;
    return (x - 0.5) * log(x) - x + 0.5 * log(2 * LF_PI) + series - log(product);
}

double lf_digamma(double x)
{
    double sum = 0;
    for (; x < 12; x++) {
        sum -= 1 / x;
    }
    double r = 1 / (x * x);
    return sum + log(x) - 0.5 / x -
           r * (1 / 12.0 - r * (1 / 120.0 - r * (1 / 252.0 - r * (1 / 240.0 - r * (1 / 132.0 - r * 691 / 32760.0)))));
}

double lf_log_gamma_tail(double a, double x)
{
    if (!(x > 0)) {
        return 0;
    }
    double front = a * log(x) - x - lf_log_gamma(a);
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (double k = a + 1; term > 1e-16 * sum; k++) {
            term *= x / k;
            sum += term;
        }
        return log1p(-fmin(exp(front) * sum, 1));
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d, change = 0;
    for (int i = 1; i < 1000 && fabs(change - 1) > 1e-15; i++) {
        double even = -i * (i - a);
        b += 2;
        d = 1 / (even * d + b);
        c = b + even / c;
        change = c * d;
        h *= change;
    }
    return front + log(h);
}

double lf_gamma_quantile(double a, double probability)
{
    double low = 0, high = 10 * a + 10;
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (low + high);
        if (lf_log_gamma_tail(a, middle) > log(probability)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

/* The continued fraction of I_x(a, b) for x < (a + 1) / (a + b + 2), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    static const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), h, change = 0;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    h = d;
    for (int m = 1; m < 10000 && fabs(change - 1) > 1e-15; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
               odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        change = 1;
        for (int half = 0; half < 2; half++) {
            double term = half ? odd : even;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            h *= change;
        }
    }
    return h;
}

double lf_beta_distribution(double a, double b, double x)
{
    if (!(x > 0) || x >= 1) {
        return x >= 1;
    }
    double front = exp(lf_log_gamma(a + b) - lf_log_gamma(a) - lf_log_gamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}
