/* The equations of a report: text, constants, quantities, modes, states, white forces, and the known inputs of any model. */
#include <stdlib.h>

#include "message.h"
#include "page/report.h"
#include "show/formats.h"

static void write_known(const cli_report *report, FILE *stream)
{
    const lf_model *model = report->model;
    fputs("\"known_inputs\":[", stream);
    for (int k = 0; k < lf_model_known_count(model); k++) {
        char gain[32];
        snprintf(gain, sizeof gain, "gain%d", k + 1);
        fputs(k ? ",{\"name\":" : "{\"name\":", stream);
        cli_json_string(stream, lf_model_known_name(model, k));
        fputs(",\"unit\":", stream);
        cli_json_string(stream, lf_model_known_unit(model, k));
        fprintf(stream, ",\"between\":\"%s\",\"gains\":[", lf_model_known_between(model, k));
        for (int d = 0; !lf_model_equations(model) && d < lf_model_output_count(model); d++) {
            fputs(d ? "," : "", stream);
            cli_report_named(report, stream, lf_model_output_name(model, d), gain);
        }
        fputs("]}", stream);
    }
    fputs("],\n", stream);
}

static void write_constants(const lf_model *model, FILE *stream)
{
    size_t first, count = lf_model_constants(model, &first);
    fputs(",\"constants\":[", stream);
    for (size_t i = 0; i < count; i++) {
        lf_parameter constant = lf_parameter_get(model, first + i);
        fputs(i ? ",[" : "[", stream);
        cli_json_string(stream, constant.name);
        fputc(',', stream);
        cli_report_pair(stream, constant.value, constant.standard_error);
        fprintf(stream, ",%s]", constant.fixed ? "true" : "false");
    }
    fputc(']', stream);
}

static int write_quantities(const cli_report *report, FILE *stream)
{
    int status = CLI_DONE;
    fputs(",\"quantities\":[", stream);
    for (int i = 0; status == CLI_DONE && i < lf_model_quantity_count(report->model); i++) {
        double value;
        status = lf_model_quantity_value(report->ctx, report->model, i, &value) == LF_ERROR_MEMORY ? cli_no_memory()
                                                                                                   : CLI_DONE;
        fputs(i ? ",[" : "[", stream);
        cli_json_string(stream, lf_model_quantity_name(report->model, i));
        fputc(',', stream);
        cli_report_pair(stream, value, lf_model_quantity_error(report->model, i));
        fputc(']', stream);
    }
    fputc(']', stream);
    return status;
}

/* [time constant, natural frequency, damping ratio, "yes", "no" or "integrates"] of each. */
static int write_modes(const cli_report *report, FILE *stream)
{
    int states = lf_model_state_count(report->model), count = 0;
    lf_mode *modes = calloc((size_t)states + 1, sizeof *modes);
    int status = modes ? cli_check(report->ctx, lf_model_modes(report->ctx, report->model, states, modes, &count))
                       : cli_no_memory();
    fputs(",\"modes\":[", stream);
    for (int i = 0; status == CLI_DONE && i < count; i++) {
        const double numbers[] = {modes[i].time_constant, modes[i].natural_frequency, modes[i].damping_ratio};
        for (int k = 0; k < 3; k++) {
            fputs(k ? "," : i ? ",[" : "[", stream);
            cli_json_number(stream, numbers[k]);
        }
        fprintf(stream, ",\"%s\"]", modes[i].real < 0 ? "yes" : modes[i].real > 0 ? "no" : "integrates");
    }
    fputc(']', stream);
    free(modes);
    return status;
}

static void write_states(const lf_model *model, FILE *stream)
{
    fputs(",\"states\":[", stream);
    for (int i = 0; i < lf_model_state_count(model); i++) {
        char name[256];
        lf_model_state_name(model, i, sizeof name, name);
        fputs(i ? "," : "", stream);
        cli_json_string(stream, name);
    }
    fputc(']', stream);
}

static void write_white_forces(const cli_report *report, FILE *stream)
{
    fputs(",\"white\":[", stream);
    for (int i = 0; i < lf_model_white_count(report->model); i++) {
        const char *name = lf_model_white_name(report->model, i);
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
    const char *text = lf_model_equations(report->model);
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
