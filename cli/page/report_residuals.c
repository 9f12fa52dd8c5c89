/* Residuals z of training rows, as the library has standardised them. The autocorrelation at lag k, in rows, is
 *   sum z_i z_(i+k) / sum z_i^2  over pairs within a replicate, with the average of z subtracted. */
#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "page/report.h"

enum { MAX_LAGS = 40, MAX_QUANTILES = 200 };

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

static void write_residuals(double *z, const lf_output_diagnosis *output, FILE *stream)
{
    size_t n = output->rows;
    fprintf(stream, "{\"n\":%zu,\"mean\":", n);
    cli_report_number(stream, output->residual_mean, 5);
    fputs(",\"rms\":", stream);
    cli_report_number(stream, output->residual_rms, 5);
    for (size_t i = 0; i < n; i++) {
        z[i] = output->residuals[i] - output->residual_mean;
    }
    write_autocorrelation(z, output->residual_replicates, n, stream);
    for (size_t i = 0; i < n; i++) {
        z[i] = output->residuals[i];
    }
    write_quantiles(z, n, stream);
    fputc('}', stream);
}

int cli_report_write_residuals(const lf_output_diagnosis *output, FILE *stream)
{
    if (!output || !output->residuals) {
        fputs("null", stream);
        return CLI_DONE;
    }
    double *z = calloc(output->rows + 1, sizeof *z);
    if (!z) {
        return cli_no_memory();
    }
    write_residuals(z, output, stream);
    free(z);
    return CLI_DONE;
}
