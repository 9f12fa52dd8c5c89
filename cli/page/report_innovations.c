/* The errors of predictions from earlier rows, divided by their standard deviations, in a report: autocorrelation and cumulative
 * periodogram. They are those of the posterior that the page shows and of the training rows of --data. */
#include <math.h>

#include "message.h"
#include "page/report.h"

enum { MAX_LAGS = 40, MAX_FREQUENCIES = 400 };

static void write_autocorrelation(const lf_output_diagnosis *output, FILE *stream)
{
    size_t n = output->innovations;
    double average = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        average += output->errors[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        total += (output->errors[i] - average) * (output->errors[i] - average);
    }
    fputs(",\"autocorrelation\":[", stream);
    for (size_t lag = 1; lag <= MAX_LAGS && lag <= n / 4 && total > 0; lag++) {
        double sum = 0;
        for (size_t i = 0; i + lag < n; i++) {
            int same = output->error_replicates[i] == output->error_replicates[i + lag];
            sum += same ? (output->errors[i] - average) * (output->errors[i + lag] - average) : 0;
        }
        fputs(lag > 1 ? "," : "", stream);
        cli_report_number(stream, sum / total, 5);
    }
    fputc(']', stream);
}

/* Pairs (frequency in cycles per row, share up to it). Of many frequencies some, among them that of the largest distance. */
static void write_periodogram(const lf_output_diagnosis *output, FILE *stream)
{
    size_t m = output->frequency_count, step = (m + MAX_FREQUENCIES - 1) / MAX_FREQUENCIES, farthest = 0;
    const char *separator = "";
    for (size_t j = 1; j < m; j++) {
        double distance = fabs(output->cumulative[j] - (double)(j + 1) / (double)m);
        farthest = distance > fabs(output->cumulative[farthest] - (double)(farthest + 1) / (double)m) ? j : farthest;
    }
    fputs(",\"cumulative\":[", stream);
    for (size_t j = 0; j < m; j++) {
        if (j % step == 0 || j == farthest || j + 1 == m) {
            fprintf(stream, "%s[", separator);
            cli_report_number(stream, (double)(j + 1) * output->frequency_step, 6);
            fputc(',', stream);
            cli_report_number(stream, output->cumulative[j], 5);
            fputc(']', stream);
            separator = ",";
        }
    }
    fputc(']', stream);
}

void cli_report_write_innovations(const lf_output_diagnosis *output, FILE *stream)
{
    if (!output || output->innovations == 0 || !output->errors) {
        fputs("null", stream);
        return;
    }
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"autocorrelation_p", output->autocorrelation_p},
                   {"periodogram", output->periodogram},
                   {"periodogram_p", output->periodogram_p},
                   {"bound", output->periodogram_bound},
                   {"peak_period", output->peak_period},
                   {"peak_share", output->peak_share},
                   {"peak_expected", output->peak_expected},
                   {"spacing", output->spacing}};
    fprintf(stream, "{\"n\":%zu,\"peak_side\":%d", output->innovations, output->peak_side);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fprintf(stream, ",\"%s\":", numbers[i].key);
        cli_report_number(stream, numbers[i].value, 6);
    }
    write_autocorrelation(output, stream);
    write_periodogram(output, stream);
    fputc('}', stream);
}
