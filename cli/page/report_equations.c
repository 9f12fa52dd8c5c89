/* The equations of a report: text, constants, quantities, modes, states, white forces, and the known inputs of any model. */
#include <stdlib.h>

#include "message.h"
#include "options/model_parts.h"
#include "page/report.h"
#include "show/formats.h"

static void write_known(const cli_report *report, FILE *stream)
{
    const lf_model *model = report->model;
    fputs("\"known_inputs\":[", stream);
    for (int k = 0; k < cli_count(model, LF_KIND_KNOWN); k++) {
        char gain[32];
        snprintf(gain, sizeof gain, "gain%d", k + 1);
        fputs(k ? ",{\"name\":" : "{\"name\":", stream);
        cli_json_string(stream, cli_name(model, LF_KIND_KNOWN, k));
        fputs(",\"unit\":", stream);
        cli_json_string(stream, cli_known(model, k).unit);
        fprintf(stream, ",\"between\":\"%s\",\"gains\":[", cli_known(model, k).between);
        for (int d = 0; !cli_about(model).equations && d < cli_count(model, LF_KIND_OUTPUT); d++) {
            fputs(d ? "," : "", stream);
            cli_report_named(report, stream, cli_name(model, LF_KIND_OUTPUT, d), gain);
        }
        fputs("]}", stream);
    }
    fputs("],\n", stream);
}

static void write_constants(const lf_model *model, FILE *stream)
{
    size_t first = 0, count = lf_model_count(model, LF_KIND_CONSTANT);
    fputs(",\"constants\":[", stream);
    for (size_t i = 0; i < count; i++) {
        lf_model_find(NULL, model, LF_KIND_PARAMETER, lf_model_name(model, LF_KIND_CONSTANT, i), &first);
        lf_parameter constant = cli_parameter(model, first);
        fputs(i ? ",[" : "[", stream);
        cli_json_string(stream, constant.name);
        fputc(',', stream);
        cli_report_pair(stream, constant.value, constant.standard_error);
        fprintf(stream, ",%s]", constant.fixed ? "true" : "false");
    }
    fputc(']', stream);
}

/* A column of a table that has numbers, or words; empty where the table has no such column. */
static lf_column column_of(lf_context *ctx, const lf_table *table, const char *name)
{
    size_t index;
    lf_column column = {.size = sizeof column};
    if (lf_table_find(ctx, table, name, &index) == LF_OK) {
        lf_table_column_get(ctx, table, index, &column);
    }
    return column;
}

static int write_quantities(const cli_report *report, FILE *stream)
{
    lf_table *table = NULL;
    int status = cli_check(report->ctx, lf_model_table(report->ctx, report->model, "quantities", &table));
    fputs(",\"quantities\":[", stream);
    if (status == CLI_DONE) {
        lf_column value = column_of(report->ctx, table, "value"),
                  error = column_of(report->ctx, table, "standard_error");
        for (size_t i = 0; i < lf_model_count(report->model, LF_KIND_QUANTITY); i++) {
            fputs(i ? ",[" : "[", stream);
            cli_json_string(stream, lf_model_name(report->model, LF_KIND_QUANTITY, i));
            fputc(',', stream);
            cli_report_pair(stream, value.number[i], error.number[i]);
            fputc(']', stream);
        }
    }
    fputc(']', stream);
    lf_table_free(table);
    return status;
}

/* [time constant, natural frequency, damping ratio, "yes", "no" or "integrates"] of each. */
static int write_modes(const cli_report *report, FILE *stream)
{
    static const char *const names[] = {"time_constant", "natural_frequency", "damping_ratio"};
    lf_table *table = NULL;
    int status = cli_check(report->ctx, lf_model_table(report->ctx, report->model, "modes", &table));
    fputs(",\"modes\":[", stream);
    for (size_t i = 0; status == CLI_DONE && i < lf_table_rows(table); i++) {
        lf_column stable = column_of(report->ctx, table, "stable");
        for (int k = 0; k < 3; k++) {
            fputs(k ? "," : i ? ",[" : "[", stream);
            cli_json_number(stream, column_of(report->ctx, table, names[k]).number[i]);
        }
        fprintf(stream, ",\"%s\"]", stable.words[stable.code[i]]);
    }
    fputc(']', stream);
    lf_table_free(table);
    return status;
}

static void write_states(const lf_model *model, FILE *stream)
{
    fputs(",\"states\":[", stream);
    for (int i = 0; i < cli_count(model, LF_KIND_STATE); i++) {
        char name[256];
        snprintf(name, sizeof name, "%s", cli_name(model, LF_KIND_STATE, i));
        fputs(i ? "," : "", stream);
        cli_json_string(stream, name);
    }
    fputc(']', stream);
}

static void write_white_forces(const cli_report *report, FILE *stream)
{
    fputs(",\"white\":[", stream);
    for (int i = 0; i < cli_count(report->model, LF_KIND_WHITE); i++) {
        const char *name = cli_name(report->model, LF_KIND_WHITE, i);
        fputs(i ? ",[" : "[", stream);
        cli_json_string(stream, name);
        fputc(',', stream);
        cli_report_named(report, stream, name, "sd");
        fputc(']', stream);
    }
    fputc(']', stream);
}

int cli_report_write_equations(const cli_report *report, FILE *stream)
{
    const char *text = cli_about(report->model).equations;
    write_known(report, stream);
    if (!text) {
        fputs("\"equations\":null,\n", stream);
        return CLI_DONE;
    }
    fputs("\"equations\":{\"text\":", stream);
    cli_json_string(stream, text);
    write_constants(report->model, stream);
    int status = write_quantities(report, stream);
    write_states(report->model, stream);
    write_white_forces(report, stream);
    status = status ? status : write_modes(report, stream);
    fputs("},\n", stream);
    return status;
}
