/* The known inputs of a report: their readings within the range of the charts, with the values at both ends. */
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/model_parts.h"
#include "page/report.h"

/* The value between the readings i and i + 1, at x. */
static double between(const double *x, const double *value, size_t i, double at, int linear)
{
    return linear ? value[i] + (value[i + 1] - value[i]) * (at - x[i]) / (x[i + 1] - x[i]) : value[i];
}

/* rows (n + 2) within the range; returns how many. Impulses are 0 between readings. */
static size_t clip(const cli_report *report, int known, size_t n, const double *x, const double *value,
                   cli_report_row *rows)
{
    double low = report->low[0], high = report->high[0];
    const char *hold = cli_known(report->model, known).between;
    int impulses = strcmp(hold, "impulse") == 0, linear = strcmp(hold, "linear") == 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!impulses && i + 1 < n && x[i] < low && x[i + 1] > low) {
            rows[count++] = (cli_report_row){.x = {low}, .y = between(x, value, i, low, linear)};
        }
        if (x[i] >= low && x[i] <= high) {
            rows[count++] = (cli_report_row){.x = {x[i]}, .y = value[i]};
        }
        if (!impulses && i + 1 < n && x[i] < high && x[i + 1] > high) {
            rows[count++] = (cli_report_row){.x = {high}, .y = between(x, value, i, high, linear)};
        }
    }
    if (n > 0 && !impulses && !linear && x[n - 1] < high) { /* the last reading holds */
        rows[count++] = (cli_report_row){.x = {high}, .y = value[n - 1]};
    }
    return count;
}

static void write_numbers(FILE *stream, const char *key, size_t n, const cli_report_row *rows, const char *keep,
                          int inputs)
{
    const char *separator = "";
    fprintf(stream, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        if (keep[i]) {
            fputs(separator, stream);
            cli_report_number(stream, inputs ? rows[i].x[0] : rows[i].y, inputs ? 15 : 7);
            separator = ",";
        }
    }
    fputc(']', stream);
}

static int write_input(const cli_report *report, int known, int replicate, size_t most, FILE *stream)
{
    const double *x, *value;
    size_t n = lf_posterior_readings(report->posterior, replicate, known, &x, &value);
    cli_report_row *rows = calloc(n + 2, sizeof *rows);
    char *keep = calloc(n + 2, 1);
    size_t count = rows && keep ? clip(report, known, n, x, value, rows) : 0;
    int status =
        rows && keep ? cli_report_thin(rows, count, report->low[0], report->high[0], most, keep) : cli_no_memory();
    if (status == CLI_DONE) {
        fprintf(stream, "{\"known\":%d,\"replicate\":%d,\"rows\":%zu", known, replicate, count);
        write_numbers(stream, "x", count, rows, keep, 1);
        write_numbers(stream, "y", count, rows, keep, 0);
        fputc('}', stream);
    }
    free(rows);
    free(keep);
    return status;
}

int cli_report_write_inputs(const cli_report *report, size_t most, FILE *stream)
{
    int known = cli_count(report->model, LF_KIND_KNOWN), status = CLI_DONE;
    const char *separator = "";
    fputs("\"input_charts\":[\n", stream);
    for (int k = 0; k < known && report->has_range; k++) {
        for (int r = 0; status == CLI_DONE && r < lf_posterior_replicate_count(report->posterior); r++) {
            fputs(separator, stream);
            status = write_input(report, k, r, most, stream);
            separator = ",\n";
        }
    }
    fputs("]", stream);
    return status;
}
