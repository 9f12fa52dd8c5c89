/* Series of residuals: how they depend on each other, and how they are distributed. */
#include <math.h>
#include <stdlib.h>

#include "base/normal_quantile.h"
#include "page/report.h"

/* sum z_i z_(i+k) over pairs within a replicate, z less its average. */
static double products(size_t n, const double *z, const int *replicate, double average, size_t lag)
{
    double sum = 0;
    for (size_t i = 0; i + lag < n; i++) {
        sum += replicate[i] == replicate[i + lag] ? (z[i] - average) * (z[i + lag] - average) : 0;
    }
    return sum;
}

size_t lf_report_autocorrelation(size_t n, const double *z, const int *replicate, double r[LF_REPORT_LAGS])
{
    double average = 0;
    for (size_t i = 0; i < n; i++) {
        average += z[i] / (double)n;
    }
    double total = products(n, z, replicate, average, 0);
    size_t count = 0;
    for (size_t lag = 1; lag <= LF_REPORT_LAGS && lag <= n / 4 && total > 0; lag++) {
        r[count++] = products(n, z, replicate, average, lag) / total;
    }
    return count;
}

double lf_report_lag_limit(size_t n) { return lf_normal_quantile(0.975) / sqrt((double)n); }

/* How far the cumulative periodogram is from a straight line. */
static double distance(const lf_output_diagnosis *output, size_t j)
{
    return fabs(output->cumulative[j] - (double)(j + 1) / (double)output->frequency_count);
}

size_t lf_report_farthest_frequency(const lf_output_diagnosis *output)
{
    size_t farthest = 0;
    for (size_t j = 1; j < output->frequency_count; j++) {
        farthest = distance(output, j) > distance(output, farthest) ? j : farthest;
    }
    return farthest;
}

int lf_report_draws_frequency(const lf_output_diagnosis *output, size_t j, size_t farthest)
{
    size_t m = output->frequency_count, step = (m + LF_REPORT_FREQUENCIES - 1) / LF_REPORT_FREQUENCIES;
    return j % step == 0 || j == farthest || j + 1 == m;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

size_t lf_report_quantiles(size_t n, double *z, double *expected, double *found)
{
    size_t count = n < LF_REPORT_QUANTILES ? n : LF_REPORT_QUANTILES;
    if (n > 0) {
        qsort(z, n, sizeof *z, compare_numbers);
    }
    for (size_t k = 0; k < count; k++) { /* the least and the largest are among them */
        size_t i = count > 1 ? k * (n - 1) / (count - 1) : 0;
        expected[k] = lf_normal_quantile(((double)i + 0.5) / (double)n);
        found[k] = z[i];
    }
    return count;
}
