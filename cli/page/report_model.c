/* The tables of a report: constants with standard errors, sensitivities, scores, residuals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"
#include "page/report.h"
#include "show/formats.h"
#include "show/kernel_values.h"
#include "show/quantity.h"

void cli_report_pair(FILE *stream, double value, double error)
{
    fputc('[', stream);
    cli_json_number(stream, value);
    fputc(',', stream);
    cli_json_number(stream, error);
    fputc(']', stream);
}

/* The same for the parameter "OWNER.WHAT", or "OWNER.WHATnumber" for a number above 0. */
static void write_parameter(const cli_report *report, FILE *stream, const char *owner, const char *what, int number,
                            double value)
{
    cli_report_pair(stream, value, cli_parameter_error(report->ctx, report->model, owner, what, number));
}

/* "kernel":…,"lengthscale":[[value, error],…],"unit":…; of a formula "values":"period 24 h, …" */
static void write_force(FILE *stream, const char *name, cli_kernel kernel)
{
    size_t lengthscales = 0;
    lf_parameter first = {0};
    for (size_t i = 0; i < kernel.count; i++) {
        lf_parameter parameter = cli_parameter(kernel.model, kernel.first + i);
        if (strncmp(parameter.short_name, "lengthscale", 11) == 0) {
            first = lengthscales++ ? first : parameter;
        }
    }
    if (lengthscales < kernel.count) { /* a formula */
        lengthscales = 0;
    }
    fputs("\"kernel\":", stream);
    cli_json_string(stream, name);
    fputs(",\"lengthscale\":[", stream);
    for (size_t i = 0; i < lengthscales; i++) {
        lf_parameter parameter = cli_parameter(kernel.model, kernel.first + i);
        fputs(i ? "," : "", stream);
        cli_report_pair(stream, parameter.value, parameter.standard_error);
    }
    fputc(']', stream);
    if (*first.unit) {
        fputs(",\"unit\":", stream);
        cli_json_string(stream, first.unit);
    }
    if (lengthscales == 0) {
        char text[1024];
        cli_kernel_text(kernel, sizeof text, text);
        fputs(",\"values\":", stream);
        cli_json_string(stream, text);
    }
}

void cli_report_named(const cli_report *report, FILE *stream, const char *owner, const char *what)
{
    size_t index;
    if (cli_find_parameter(report->ctx, report->model, owner, what, 0, &index)) {
        lf_parameter parameter = cli_parameter(report->model, index);
        cli_report_pair(stream, parameter.value, parameter.standard_error);
    } else {
        fputs("[null,null]", stream);
    }
}

static int write_forces(const cli_report *report, FILE *stream)
{
    size_t index;
    lf_table *table = NULL;
    lf_column kernel = {.size = sizeof kernel};
    lf_status found = lf_model_table(report->ctx, report->model, "forces", &table);
    found = found ? found : lf_table_find(report->ctx, table, "kernel", &index);
    found = found ? found : lf_table_column_get(report->ctx, table, index, &kernel);
    fputs("\"forces\":[", stream);
    for (int q = 0; !found && q < cli_count(report->model, LF_KIND_FORCE); q++) {
        const char *owner = cli_name(report->model, LF_KIND_FORCE, q);
        fputs(q ? ",{\"name\":" : "{\"name\":", stream);
        cli_json_string(stream, owner);
        fputc(',', stream);
        write_force(stream, kernel.words[kernel.code[q]], cli_force_kernel(report->model, q));
        if (cli_about(report->model).equations) {
            fputs(",\"amplitude\":", stream);
            cli_report_named(report, stream, owner, "amplitude");
        }
        fprintf(stream, ",\"idle\":%s,\"hidden\":%s}", lf_model_force_is_idle(report->model, q) ? "true" : "false",
                cli_report_hides_force(report, q) ? "true" : "false");
    }
    fputs("],\n", stream);
    lf_table_free(table);
    return cli_check(report->ctx, found);
}

static void write_constants(const cli_report *report, FILE *stream, const lf_output_info *output)
{
    fputs(",\"constants\":[", stream);
    for (size_t k = 0; k < output->constant_count; k++) {
        const char *name = cli_parameter(report->model, output->first_constant + k).short_name;
        fputs(k ? ",[" : "[", stream);
        cli_json_string(stream, name);
        fputc(',', stream);
        write_parameter(report, stream, output->name, name, 0, output->constants[k]);
        char unit[LF_UNIT_SIZE];
        cli_parameter_unit(report->ctx, report->model, output->name, name, 0, unit);
        fputc(',', stream);
        cli_json_string(stream, unit);
        fputc(']', stream);
    }
    fputs("],\"time_constant\":", stream);
    cli_report_pair(stream, output->time_constant, output->time_constant_error);
    fputs(",\"natural_frequency\":", stream);
    cli_report_pair(stream, output->natural_frequency, output->natural_frequency_error);
    fputs(",\"damping_ratio\":", stream);
    cli_report_pair(stream, output->damping_ratio, output->damping_ratio_error);
    fprintf(stream, ",\"stable\":%s", output->stable ? "true" : "false");
}

static void write_output(const cli_report *report, FILE *stream, int d)
{
    lf_output_info output = cli_output(report->model, d);
    fputs("{\"name\":", stream);
    cli_json_string(stream, output.name);
    fputs(",\"unit\":", stream);
    cli_json_string(stream, output.unit);
    fputs(",\"operator\":", stream);
    cli_json_string(stream, output.operator_type);
    fprintf(stream, ",\"order\":%zu", output.order);
    write_constants(report, stream, &output);
    fputs(",\"noise_sd\":", stream);
    cli_json_number(stream, sqrt(cli_output(report->model, d).noise_variance));
    fputs(",\"offset\":", stream);
    cli_json_number(stream, output.offset);
    fputs(",\"scale\":", stream);
    cli_json_number(stream, output.scale);
    fputs(",\"sensitivity\":[", stream);
    for (int q = 0; q < cli_count(report->model, LF_KIND_FORCE); q++) {
        fputs(q ? "," : "", stream);
        write_parameter(report, stream, output.name, "sensitivity", q + 1, output.sensitivity[q]);
    }
    fputs("],\"private\":", stream);
    if (output.private_kernel) {
        fputc('{', stream);
        write_force(stream, output.private_kernel, cli_private_kernel(report->model, d));
        fputs(",\"amplitude\":", stream);
        write_parameter(report, stream, output.name, "private.amplitude", 0, output.private_amplitude);
        fputc('}', stream);
    } else {
        fputs("null", stream);
    }
}

static double squared_deviations(size_t n, const double *y)
{
    double average = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        average += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        sum += (y[i] - average) * (y[i] - average);
    }
    return sum;
}

/* Scores of rows, per output (n = 0: it has none) and pooled. */
static int score_rows(int outputs, size_t n, const int *target, const double *y, const double *mean, const double *s2,
                      lf_score_summary *score, lf_score_summary *overall)
{
    double deviations = 0;
    double *rows = calloc(3 * n + 1, sizeof *rows); /* (3, n) y, mean, s2 of one output */
    if (!rows) {
        return cli_no_memory();
    }
    for (int d = 0; d < outputs; d++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            if (target[i] == d) {
                rows[count] = y[i];
                rows[n + count] = mean[i];
                rows[2 * n + count] = s2[i];
                count++;
            }
        }
        if (count > 0) {
            score[d] = lf_score_rows(count, rows, rows + n, rows + 2 * n);
            deviations += squared_deviations(count, rows);
        }
    }
    *overall = lf_score_rows(n, y, mean, s2);
    double errors = overall->rmse * overall->rmse * (double)n;
    overall->nmse = deviations > 0 ? errors / deviations : (double)NAN;
    free(rows);
    return CLI_DONE;
}

/* Scores of the rows marked test, per output and over all outputs. */
static int score_test_rows(const cli_report *report, lf_score_summary *score, lf_score_summary *overall)
{
    size_t n = 0;
    int *target = calloc(report->n + 1, sizeof *target);
    double *y = calloc(3 * report->n + 1, sizeof *y), *mean = y + report->n, *s2 = mean + report->n;
    int status = target && y ? CLI_DONE : cli_no_memory();
    for (size_t i = 0; status == CLI_DONE && i < report->n; i++) {
        const cli_report_row *row = &report->rows[i];
        if (row->test) {
            target[n] = row->output;
            y[n] = row->y;
            mean[n] = row->mean;
            s2[n] = row->variance + row->noise;
            n++;
        }
    }
    if (status == CLI_DONE && n > 0) {
        status = score_rows(cli_count(report->model, LF_KIND_OUTPUT), n, target, y, mean, s2, score, overall);
    }
    free(target);
    free(y);
    return status;
}

static void write_score(FILE *stream, const char *key, const lf_score_summary *score)
{
    fprintf(stream, "\"%s\":", key);
    if (score->n == 0) {
        fputs("null", stream);
        return;
    }
    const double values[] = {score->nmse, score->nlpd, score->rmse, score->coverage95};
    static const char *const keys[] = {"nmse", "nlpd", "rmse", "coverage95"};
    fprintf(stream, "{\"n\":%zu", score->n);
    for (size_t i = 0; i < 4; i++) {
        fprintf(stream, ",\"%s\":", keys[i]);
        cli_json_number(stream, values[i]);
    }
    fputc('}', stream);
}

int cli_report_write_model(const cli_report *report, FILE *stream)
{
    int outputs = cli_count(report->model, LF_KIND_OUTPUT);
    lf_score_summary *score = calloc((size_t)outputs + 1, sizeof *score); /* the last one over all outputs */
    int status = score ? score_test_rows(report, score, &score[outputs]) : cli_no_memory();
    status = status ? status : write_forces(report, stream);
    status = status ? status : cli_report_write_equations(report, stream);
    fputs("\"outputs\":[\n", stream);
    for (int d = 0; status == CLI_DONE && d < outputs; d++) {
        const lf_output_diagnosis *diagnosis = report->diagnosis ? &report->diagnosis->outputs[d] : NULL;
        fputs(d ? ",\n" : "", stream);
        write_output(report, stream, d);
        fputc(',', stream);
        write_score(stream, "score", &score[d]);
        fputs(",\"residuals\":", stream);
        status = cli_report_write_residuals(diagnosis, stream);
        fputs(",\"innovations\":", stream);
        cli_report_write_innovations(diagnosis, stream);
        fputc('}', stream);
    }
    fputs("],\n", stream);
    if (status == CLI_DONE) {
        write_score(stream, "overall", &score[outputs]);
        fputs(",\n", stream);
    }
    free(score);
    return status;
}
