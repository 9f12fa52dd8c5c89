/* The maps of a report over two inputs: mean and standard deviation of an output or a force on a grid. */
#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "page/report.h"

/* A list of n numbers, from the first input on; the second input runs fastest. */
static void write_values(FILE *stream, const char *key, const double *value, size_t n, int digits)
{
    fprintf(stream, ",\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "," : "", stream);
        cli_report_number(stream, value[i], digits);
    }
    fputc(']', stream);
}

static int make_points(const cli_report *report, int target, int replicate, size_t n, cli_points *points)
{
    cli_points grid = {0};
    int status = cli_points_grid(2, report->low, report->high, n, &grid);
    status = status ? status : cli_points_append(points, &grid, target, 1, 1);
    for (size_t i = 0; status == CLI_DONE && points->replicate && i < points->n; i++) {
        points->replicate[i] = replicate;
    }
    cli_points_free(&grid);
    return status;
}

int cli_report_write_map(const cli_report *report, int target, int replicate, size_t n, FILE *stream)
{
    cli_points points = {0};
    int status = make_points(report, target, replicate, n, &points);
    double *mean = calloc(2 * points.n + 1, sizeof *mean), *sd = mean + points.n;
    status = status || mean ? status : cli_no_memory();
    status = status ? status : cli_report_predict(report, &points, mean, sd);
    if (status == CLI_DONE) {
        for (size_t i = 0; i < points.n; i++) {
            sd[i] = sqrt(sd[i]);
        }
        fprintf(stream, "{\"n\":%zu,\"low\":[%.9g,%.9g],\"high\":[%.9g,%.9g]", n, report->low[0], report->low[1],
                report->high[0], report->high[1]);
        write_values(stream, "mean", mean, points.n, 5);
        write_values(stream, "sd", sd, points.n, 4);
        fputc('}', stream);
    }
    cli_points_free(&points);
    free(mean);
    return status;
}
