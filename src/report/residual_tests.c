/* Tail probabilities and statistics of residuals. */
#include "report/residual_tests.h"

#include <math.h>

#include "base/gamma_function.h"

double lf_chi_squared_tail(int k, double x) { return exp(lf_log_gamma_tail(0.5 * k, 0.5 * x)); }

double lf_binomial_tail(size_t n, size_t k, double p)
{
    if (k >= n) {
        return 1;
    }
    double m = (double)n, i = (double)k, sum = 0;
    double term =
        exp(lf_log_gamma(m + 1) - lf_log_gamma(i + 1) - lf_log_gamma(m - i + 1) + i * log(p) + (m - i) * log1p(-p));
    for (; i >= 0; i--) {
        sum += term;
        if (i < m * p && term < 1e-17 * sum) { /* below the mode the terms fall */
            break;
        }
        term *= i / (m - i + 1) * (1 - p) / p;
    }
    return fmin(sum, 1);
}

void lf_autocorrelations(size_t n, const double *z, const int *series, size_t lags, double *r)
{
    double average = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        average += z[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        total += (z[i] - average) * (z[i] - average);
    }
    for (size_t lag = 1; lag <= lags; lag++) {
        double sum = 0;
        for (size_t i = 0; i + lag < n; i++) {
            sum += series[i] == series[i + lag] ? (z[i] - average) * (z[i + lag] - average) : 0;
        }
        r[lag - 1] = total > 0 ? sum / total : 0;
    }
}

double lf_ljung_box_p(size_t n, size_t lags, const double *r)
{
    double statistic = 0, size = (double)n;
    for (size_t k = 1; k <= lags; k++) {
        statistic += size * (size + 2) * r[k - 1] * r[k - 1] / (size - (double)k);
    }
    return lf_chi_squared_tail((int)lags, statistic);
}

void lf_shape(size_t n, const double *z, double *skewness, double *excess_kurtosis)
{
    double average = 0, m2 = 0, m3 = 0, m4 = 0, size = (double)n;
    for (size_t i = 0; i < n; i++) {
        average += z[i] / size;
    }
    for (size_t i = 0; i < n; i++) {
        double e = z[i] - average;
        m2 += e * e / size;
        m3 += e * e * e / size;
        m4 += e * e * e * e / size;
    }
    *skewness = m2 > 0 ? m3 / (m2 * sqrt(m2)) : 0;
    *excess_kurtosis = m2 > 0 ? m4 / (m2 * m2) - 3 : 0;
}

/* D'Agostino's transformation of the skewness. */
static double normal_skewness(double n, double skewness)
{
    double y = skewness * sqrt((n + 1) * (n + 3) / (6 * (n - 2)));
    double beta = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9));
    double w2 = sqrt(2 * (beta - 1)) - 1, alpha = sqrt(2 / (w2 - 1));
    return asinh(y / alpha) / sqrt(0.5 * log(w2));
}

/* Anscombe and Glynn's transformation of the kurtosis. */
static double normal_kurtosis(double n, double kurtosis)
{
    double mean = 3 * (n - 1) / (n + 1);
    double variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5));
    double x = (kurtosis - mean) / sqrt(variance);
    double beta = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)));
    double a = 6 + 8 / beta * (2 / beta + sqrt(1 + 4 / (beta * beta)));
    double root = cbrt((1 - 2 / a) / (1 + x * sqrt(2 / (a - 4))));
    return (1 - 2 / (9 * a) - root) / sqrt(2 / (9 * a));
}

double lf_normality_p(size_t n, double skewness, double excess_kurtosis)
{
    double s = normal_skewness((double)n, skewness), k = normal_kurtosis((double)n, excess_kurtosis + 3);
    return exp(-0.5 * (s * s + k * k)); /* the tail of chi-squared with 2 degrees of freedom */
}
