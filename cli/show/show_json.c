/* latentforce show --json: the tables of show as one JSON object. Numbers that are not known are null. */
#include "show/show_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "options/session.h"
#include "show/formats.h"
#include "show/kernel_values.h"
#include "show/quantity.h"

#define TWO_PI 6.28318530717958647692

static void member(FILE *stream, const char *separator, const char *name)
{
    fputs(separator, stream);
    cli_json_string(stream, name);
    fputc(':', stream);
}

static void number(FILE *stream, const char *separator, const char *name, double value)
{
    member(stream, separator, name);
    cli_json_number(stream, value);
}

static void string(FILE *stream, const char *separator, const char *name, const char *value)
{
    member(stream, separator, name);
    cli_json_string(stream, value);
}

static void truth(FILE *stream, const char *separator, const char *name, int value)
{
    member(stream, separator, name);
    fputs(value ? "true" : "false", stream);
}

static void numbers(FILE *stream, const char *separator, const char *name, int count, const double *value)
{
    member(stream, separator, name);
    fputc('[', stream);
    for (int k = 0; k < count; k++) {
        fputs(k ? "," : "", stream);
        cli_json_number(stream, value[k]);
    }
    fputc(']', stream);
}

/* Members of a force; owner and what name its lengthscales among the parameters, kernel has all of them. */
static void write_force(lf_context *ctx, FILE *stream, const lf_model *model, const lf_force_info *force,
                        const char *owner, const char *what, cli_kernel kernel)
{
    int count = force->lengthscale_count;
    string(stream, "", "kernel", force->kernel);
    numbers(stream, ",", "lengthscale", count, force->lengthscale);
    member(stream, ",", "lengthscale_error");
    fputc('[', stream);
    for (int k = 0; k < count; k++) {
        fputs(k ? "," : "", stream);
        cli_json_number(stream, cli_parameter_error(ctx, model, owner, what, count > 1 ? k + 1 : 0));
    }
    fputc(']', stream);
    if (count == 0) {
        member(stream, ",", "terms");
        cli_kernel_json(kernel, stream);
    }
}

/* The parameter "OWNER.WHAT" or "OWNER.WHATnumber"; NaN where there is none. */
static lf_parameter find_parameter(lf_context *ctx, const lf_model *model, const char *owner, const char *what,
                                   int number)
{
    size_t index;
    return cli_find_parameter(ctx, model, owner, what, number, &index)
               ? lf_parameter_get(model, index)
               : (lf_parameter){.value = (double)NAN, .standard_error = (double)NAN};
}

/* Its value and standard error as members. */
static void write_parameter(lf_context *ctx, FILE *stream, const lf_model *model, const char *owner, const char *what)
{
    char error[64];
    lf_parameter parameter = find_parameter(ctx, model, owner, what, 0);
    snprintf(error, sizeof error, "%s_error", what);
    number(stream, ",", what, parameter.value);
    number(stream, ",", error, parameter.standard_error);
}

static void write_forces(lf_context *ctx, FILE *stream, const lf_model *model)
{
    member(stream, ",\n", "forces");
    fputc('[', stream);
    for (int q = 0; q < lf_model_force_count(model); q++) {
        char owner[256];
        lf_force_info force = lf_model_force(model, q);
        lf_model_force_name(model, q, sizeof owner, owner);
        string(stream, q ? ",\n {" : "{", "name", owner);
        fputc(',', stream);
        write_force(ctx, stream, model, &force, owner, "lengthscale", cli_force_kernel(model, q));
        if (lf_model_equations(model)) {
            write_parameter(ctx, stream, model, owner, "amplitude");
        }
        fputc('}', stream);
    }
    for (int i = 0; i < lf_model_white_count(model); i++) {
        const char *owner = lf_model_white_name(model, i);
        string(stream, i || lf_model_force_count(model) ? ",\n {" : "{", "name", owner);
        string(stream, ",", "kernel", "white");
        write_parameter(ctx, stream, model, owner, "sd");
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void write_known_inputs(lf_context *ctx, FILE *stream, const lf_model *model)
{
    int outputs = lf_model_equations(model) ? 0 : lf_model_output_count(model);
    member(stream, ",\n", "known_inputs");
    fputc('[', stream);
    for (int k = 0; k < lf_model_known_count(model); k++) {
        string(stream, k ? ",\n {" : "{", "name", lf_model_known_name(model, k));
        string(stream, ",", "between", lf_model_known_between(model, k));
        string(stream, ",", "unit", lf_model_known_unit(model, k));
        for (int d = 0; d < outputs; d++) {
            lf_parameter gain = find_parameter(ctx, model, lf_model_output_name(model, d), "gain", k + 1);
            fputs(d ? "," : ",\"gain\":{", stream);
            cli_json_string(stream, lf_model_output_name(model, d));
            number(stream, ":{", "value", gain.value);
            number(stream, ",", "standard_error", gain.standard_error);
            fputc('}', stream);
        }
        fputs(outputs ? "}}" : "}", stream);
    }
    fputc(']', stream);
}

int cli_quantity_value(lf_context *ctx, const lf_model *model, int quantity, double *value)
{
    return lf_model_quantity_value(ctx, model, quantity, value) == LF_ERROR_MEMORY ? cli_no_memory() : CLI_DONE;
}

int cli_json_quantities(lf_context *ctx, FILE *stream, const lf_model *model)
{
    int status = CLI_DONE;
    fputs("\"quantities\":{", stream);
    for (int i = 0; status == CLI_DONE && i < lf_model_quantity_count(model); i++) {
        double value;
        status = cli_quantity_value(ctx, model, i, &value);
        member(stream, i ? "," : "", lf_model_quantity_name(model, i));
        number(stream, "{", "value", value);
        number(stream, ",", "standard_error", lf_model_quantity_error(model, i));
        fputc('}', stream);
    }
    fputc('}', stream);
    return status;
}

/* Equations, constants, quantities, states and modes. */
static int write_equations(lf_context *ctx, FILE *stream, const lf_model *model)
{
    size_t first, constants = lf_model_constants(model, &first);
    int states = lf_model_state_count(model), count = 0;
    lf_mode *modes = calloc((size_t)states + 1, sizeof *modes);
    int status = modes ? cli_check(ctx, lf_model_modes(ctx, model, states, modes, &count)) : cli_no_memory();
    if (status != CLI_DONE) {
        free(modes);
        return status;
    }
    string(stream, ",\n", "equations", lf_model_equations(model));
    member(stream, ",\n", "constants");
    fputc('{', stream);
    for (size_t i = 0; i < constants; i++) {
        lf_parameter constant = lf_parameter_get(model, first + i);
        member(stream, i ? "," : "", constant.name);
        number(stream, "{", "value", constant.value);
        number(stream, ",", "standard_error", constant.standard_error);
        fputc('}', stream);
    }
    fputs("},\n", stream);
    status = cli_json_quantities(ctx, stream, model);
    member(stream, ",\n", "states");
    fputc('[', stream);
    for (int i = 0; i < states; i++) {
        char name[256];
        lf_model_state_name(model, i, sizeof name, name);
        fputs(i ? "," : "", stream);
        cli_json_string(stream, name);
    }
    member(stream, "],\n", "modes");
    fputc('[', stream);
    for (int i = 0; i < count; i++) {
        number(stream, i ? ",\n {" : "{", "real", modes[i].real);
        number(stream, ",", "imaginary", modes[i].imaginary);
        number(stream, ",", "time_constant", modes[i].time_constant);
        number(stream, ",", "natural_frequency", modes[i].natural_frequency);
        number(stream, ",", "damping_ratio", modes[i].damping_ratio);
        fputc('}', stream);
    }
    fputc(']', stream);
    free(modes);
    return status;
}

static void write_inputs(FILE *stream, const lf_model *model)
{
    int count = lf_model_input_dim(model);
    member(stream, ",\n", "inputs");
    fputc('[', stream);
    for (int k = 0; k < count; k++) {
        char name[32] = "x", zero[64];
        lf_input_info input = lf_model_input(model, k);
        if (count > 1) {
            snprintf(name, sizeof name, "x%d", k + 1);
        }
        string(stream, k ? ",{" : "{", "name", *input.name ? input.name : name);
        string(stream, ",", "unit", input.unit);
        member(stream, ",", "zero"); /* the date of the value 0 */
        if (input.dated) {
            lf_model_format_input(model, k, 0, sizeof zero, zero);
            cli_json_string(stream, zero);
        } else {
            fputs("null", stream);
        }
        number(stream, ",", "offset", input.offset);
        number(stream, ",", "scale", input.scale);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void write_constants(lf_context *ctx, FILE *stream, const lf_model *model, int d, const lf_output_info *output)
{
    member(stream, ",\n  ", "constants");
    for (int k = 0; k < output->constant_count; k++) {
        const char *name = lf_model_constant_name(model, d, k);
        member(stream, k ? "," : "{", name);
        number(stream, "{", "value", output->constants[k]);
        number(stream, ",", "standard_error", cli_parameter_error(ctx, model, output->name, name, 0));
        fputc('}', stream);
    }
    fputs(output->constant_count ? "}" : "{}", stream);
}

/* Time constant, frequency and damping of an equation. */
static void write_readings(FILE *stream, const lf_output_info *output)
{
    double frequency = output->natural_frequency;
    number(stream, ",\n  ", "time_constant", output->time_constant);
    number(stream, ",", "time_constant_error", output->time_constant_error);
    number(stream, ",", "natural_frequency", frequency);
    number(stream, ",", "natural_frequency_error", output->natural_frequency_error);
    number(stream, ",", "period", TWO_PI / frequency);
    number(stream, ",", "period_error", TWO_PI / frequency * output->natural_frequency_error / frequency);
    number(stream, ",", "damping_ratio", output->damping_ratio);
    number(stream, ",", "damping_ratio_error", output->damping_ratio_error);
    truth(stream, ",", "stable", output->stable);
}

static void write_output(lf_context *ctx, FILE *stream, const lf_model *model, int d)
{
    lf_output_info output = lf_model_output(model, d);
    string(stream, d ? ",\n {" : "{", "name", output.name);
    string(stream, ",", "operator", output.operator_type);
    fprintf(stream, ",\"order\":%d", output.order);
    string(stream, ",", "unit", output.unit);
    number(stream, ",", "noise_sd", sqrt(lf_model_noise_variance(model, d)));
    number(stream, ",", "offset", output.offset);
    number(stream, ",", "scale", output.scale);
    write_constants(ctx, stream, model, d, &output);
    if (output.order > 0) {
        write_readings(stream, &output);
    }
    numbers(stream, ",\n  ", "sensitivity", lf_model_force_count(model), output.sensitivity);
    number(stream, ",", "sensitivity_sd", output.sensitivity_sd);
    number(stream, ",", "variance_inflation", output.variance_inflation);
    member(stream, ",\n  ", "private");
    if (output.has_private) {
        fputc('{', stream);
        write_force(ctx, stream, model, &output.private_force, output.name, "private.lengthscale",
                    cli_private_kernel(model, d));
        number(stream, ",", "amplitude", output.private_amplitude);
        fputc('}', stream);
    } else {
        fputs("null", stream);
    }
    fputc('}', stream);
}

void cli_json_parameters(FILE *stream, const lf_model *model)
{
    fputs("\"parameters\":{", stream);
    for (size_t i = 0; i < lf_parameter_count(model); i++) {
        char unit[LF_UNIT_SIZE];
        lf_parameter parameter = lf_parameter_get(model, i);
        lf_parameter_unit(model, i, unit);
        member(stream, i ? ",\n " : "", parameter.name);
        number(stream, "{", "value", parameter.value);
        string(stream, ",", "unit", unit);
        number(stream, ",", "standard_error", parameter.standard_error);
        number(stream, ",", "lower", parameter.lower);
        number(stream, ",", "upper", parameter.upper);
        double low, high;
        if (lf_parameter_searched(model, i, &low, &high)) {
            number(stream, ",", "searched_lower", low);
            number(stream, ",", "searched_upper", high);
        }
        truth(stream, ",", "fixed", parameter.fixed);
        if (parameter.tied_to >= 0) {
            string(stream, ",", "tied_to", lf_parameter_get(model, (size_t)parameter.tied_to).name);
        } else {
            fputs(",\"tied_to\":null", stream);
        }
        fputc('}', stream);
    }
    fputc('}', stream);
}

static void write_posterior(FILE *stream, const lf_posterior *posterior)
{
    double from, to, first, last;
    member(stream, ",\n", "posterior");
    if (!posterior) {
        fputs("null", stream);
        return;
    }
    lf_posterior_range(posterior, &from, &to);
    int known = lf_posterior_span(posterior, &first, &last);
    string(stream, "{", "engine", lf_posterior_engine(posterior));
    number(stream, ",", "from", from);
    number(stream, ",", "to", to);
    number(stream, ",", "first_input", known ? first : (double)NAN);
    number(stream, ",", "last_input", known ? last : (double)NAN);
    member(stream, ",", "replicates");
    fputc('[', stream);
    for (int r = 0; cli_has_named_replicates(posterior) && r < lf_posterior_replicate_count(posterior); r++) {
        fputs(r ? "," : "", stream);
        cli_json_string(stream, lf_posterior_replicate_name(posterior, r));
    }
    fputs("]}", stream);
}

int cli_show_json(lf_context *ctx, FILE *stream, const cli_settings *settings, const lf_model *model,
                  const lf_posterior *posterior)
{
    string(stream, "{", "model", settings->model);
    string(stream, ",", "version", lf_version());
    fprintf(stream, ",\"input_dim\":%d", lf_model_input_dim(model));
    write_inputs(stream, model);
    write_forces(ctx, stream, model);
    write_known_inputs(ctx, stream, model);
    int status = lf_model_equations(model) ? write_equations(ctx, stream, model) : CLI_DONE;
    if (status != CLI_DONE) {
        return status;
    }
    member(stream, ",\n", "outputs");
    fputc('[', stream);
    for (int d = 0; d < lf_model_output_count(model); d++) {
        write_output(ctx, stream, model, d);
    }
    fputs("],\n", stream);
    cli_json_parameters(stream, model);
    write_posterior(stream, posterior);
    errno = 0;
    char *provenance = lf_model_provenance(model);
    if (!provenance && errno == ENOMEM) {
        return cli_no_memory();
    }
    fputs(",\n\"provenance\":", stream);
    cli_json_text(stream, provenance ? provenance : "null");
    fputs("}\n", stream);
    lf_free(provenance);
    return CLI_DONE;
}
