/* Residuals of training rows, standardised by their variance under the model:
 *   z = (y - mean) / s,  s^2 = noise - variance of f,
 * which is the variance of y - mean for a row that the posterior is conditioned on. The autocorrelation at lag k, in
 * rows, is
 *   sum z_i z_(i+k) / sum z_i^2  over pairs within a replicate, with the average of z subtracted. */
#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "report.h"

enum { MAX_LAGS = 40, MAX_QUANTILES = 200 };

/* Approximate engines and rounding may make noise - variance negative; at least a tenth of the noise is used. */
static double standardised(const cli_report_row *row)
{
    double s2 = fmax(row->noise - row->variance, 0.1 * row->noise);
    return s2 > 0 ? (row->y - row->mean) / sqrt(s2) : 0;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* z (n), with average 0, and replicate (n). */
static void write_autocorrelation(const double *z, const int *replicate, size_t n, FILE *stream)
{
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        total += z[i] * z[i];
    }
    fputs(",\"autocorrelation\":[", stream);
    for (size_t lag = 1; lag <= MAX_LAGS && lag <= n / 4 && total > 0; lag++) {
        double sum = 0;
        for (size_t i = 0; i + lag < n; i++) {
            sum += replicate[i] == replicate[i + lag] ? z[i] * z[i + lag] : 0;
        }
        fputs(lag > 1 ? "," : "", stream);
        cli_report_number(stream, sum / total, 5);
    }
    fputc(']', stream);
}

/* Pairs (fraction of the residuals below, residual), at most MAX_QUANTILES, including the least and the largest. */
static void write_quantiles(double *z, size_t n, FILE *stream)
{
    size_t count = n < MAX_QUANTILES ? n : MAX_QUANTILES;
    qsort(z, n, sizeof *z, compare_numbers);
    fputs(",\"quantiles\":[", stream);
    for (size_t k = 0; k < count; k++) {
        size_t i = count > 1 ? k * (n - 1) / (count - 1) : 0;
        fputs(k ? ",[" : "[", stream);
        cli_report_number(stream, ((double)i + 0.5) / (double)n, 5);
        fputc(',', stream);
        cli_report_number(stream, z[i], 5);
        fputc(']', stream);
    }
    fputc(']', stream);
}

static void write_residuals(double *z, const int *replicate, size_t n, FILE *stream)
{
    double average = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        average += z[i] / (double)n;
        square += z[i] * z[i] / (double)n;
    }
    fprintf(stream, "{\"n\":%zu,\"mean\":", n);
    cli_report_number(stream, average, 5);
    fputs(",\"rms\":", stream);
    cli_report_number(stream, sqrt(square), 5);
    for (size_t i = 0; i < n; i++) {
        z[i] -= average;
    }
    write_autocorrelation(z, replicate, n, stream);
    for (size_t i = 0; i < n; i++) {
        z[i] += average;
    }
    write_quantiles(z, n, stream);
    fputc('}', stream);
}

int cli_report_write_residuals(const cli_report_row *rows, size_t n, FILE *stream)
{
    size_t count = 0;
    double *z = calloc(n + 1, sizeof *z);
    int *replicate = calloc(n + 1, sizeof *replicate);
    int status = z && replicate ? CLI_DONE : cli_no_memory();
    for (size_t i = 0; status == CLI_DONE && i < n; i++) {
        if (!rows[i].test) {
            z[count] = standardised(&rows[i]);
            replicate[count++] = rows[i].replicate;
        }
    }
    if (status == CLI_DONE && count > 0) {
        write_residuals(z, replicate, count, stream);
    } else {
        fputs("null", stream);
    }
    free(z);
    free(replicate);
    return status;
}
