/* latentforce show: prints a model in tables, with physical readings of its operators (time constant, frequency,
 * damping). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "session.h"
#include "show_json.h"
#include "table.h"
#include "verdict.h"

#define TWO_PI 6.28318530717958647692

/* "0.5" or, if the standard error is known, "0.5 +- 0.02". */
static void format_number(char *text, size_t size, double value, double error)
{
    if (isnan(value)) {
        snprintf(text, size, "-");
    } else if (isnan(error)) {
        snprintf(text, size, "%.6g", value);
    } else {
        snprintf(text, size, "%.4g +- %.2g", value, error);
    }
}

/* "0.5" or "0.5, 1.2", cut to the size of the buffer. */
static void format_lengthscales(lf_context *ctx, const lf_model *model, char *text, size_t size, const char *owner,
                                const char *what, const lf_force_info *force)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < force->lengthscale_count && used < size; k++) {
        char number[64];
        double error = cli_parameter_error(ctx, model, owner, what, force->lengthscale_count > 1 ? k + 1 : 0);
        format_number(number, sizeof number, force->lengthscale[k], error);
        int written = snprintf(text + used, size - used, k ? ", %s" : "%s", number);
        used += written > 0 ? (size_t)written : 0;
    }
}

static void format_constants(lf_context *ctx, char *text, size_t size, const lf_model *model, int output,
                             const lf_output_info *info)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < info->constant_count && used < size; k++) {
        char number[64];
        const char *name = lf_model_constant_name(model, output, k);
        format_number(number, sizeof number, info->constants[k], cli_parameter_error(ctx, model, info->name, name, 0));
        int written = snprintf(text + used, size - used, k ? ", %s %s" : "%s %s", name, number);
        used += written > 0 ? (size_t)written : 0;
    }
}

static void add_headings(cli_table *table, const char *const *headings)
{
    for (; *headings; headings++) {
        cli_table_add(table, "%s", *headings);
    }
}

static int print_forces(lf_context *ctx, FILE *stream, const lf_model *model)
{
    char text[1024], owner[32];
    cli_table table = cli_table_create("lll");
    add_headings(&table, (const char *const[]){"force", "kernel", "lengthscale", NULL});
    for (int q = 0; q < lf_model_force_count(model); q++) {
        lf_force_info force = lf_model_force(model, q);
        snprintf(owner, sizeof owner, "force%d", q + 1);
        format_lengthscales(ctx, model, text, sizeof text, owner, "lengthscale", &force);
        cli_table_add(&table, "%s%s", owner, lf_model_force_is_idle(model, q) ? " (idle)" : "");
        cli_table_add(&table, "%s", force.kernel);
        cli_table_add(&table, "%s", text);
    }
    return cli_table_print(&table, stream);
}

static int has_standardised_inputs(const lf_model *model)
{
    for (int k = 0; k < lf_model_input_dim(model); k++) {
        lf_input_info input = lf_model_input(model, k);
        if (input.offset != 0 || input.scale != 1) {
            return 1;
        }
    }
    return 0;
}

static int print_inputs(FILE *stream, const lf_model *model)
{
    cli_table table = cli_table_create("lrr");
    add_headings(&table, (const char *const[]){"input", "offset", "scale", NULL});
    for (int k = 0; k < lf_model_input_dim(model); k++) {
        lf_input_info input = lf_model_input(model, k);
        cli_table_add(&table, "x%d", k + 1);
        cli_table_add_number(&table, input.offset);
        cli_table_add_number(&table, input.scale);
    }
    return cli_table_print(&table, stream);
}

static int print_outputs(lf_context *ctx, FILE *stream, const lf_model *model)
{
    char text[1024];
    cli_table table = cli_table_create("llrrrll");
    add_headings(&table, (const char *const[]){"output", "operator", "noise sd", "offset", "scale", "private force",
                                               "constants", NULL});
    for (int d = 0; d < lf_model_output_count(model); d++) {
        lf_output_info output = lf_model_output(model, d);
        cli_table_add(&table, "%s", output.name);
        cli_table_add(&table, "%s", output.operator_type);
        cli_table_add_number(&table, sqrt(lf_model_noise_variance(model, d)));
        cli_table_add_number(&table, output.offset);
        cli_table_add_number(&table, output.scale);
        if (output.has_private) {
            format_lengthscales(ctx, model, text, sizeof text, output.name, "private.lengthscale",
                                &output.private_force);
            cli_table_add(&table, "%s, lengthscale %s, amplitude %.6g", output.private_force.kernel, text,
                          output.private_amplitude);
        } else {
            cli_table_add(&table, "-");
        }
        format_constants(ctx, text, sizeof text, model, d, &output);
        cli_table_add(&table, "%s", text);
    }
    return cli_table_print(&table, stream);
}

static void add_reading(cli_table *table, double value, double error)
{
    char text[64];
    format_number(text, sizeof text, value, error);
    cli_table_add(table, "%s", text);
}

static int print_readings(FILE *stream, const lf_model *model)
{
    cli_table table = cli_table_create("lrrrrl");
    add_headings(&table, (const char *const[]){"output", "time constant", "natural frequency", "period",
                                               "damping ratio", "stable", NULL});
    for (int d = 0; d < lf_model_output_count(model); d++) {
        lf_output_info output = lf_model_output(model, d);
        if (output.order > 0) {
            cli_table_add(&table, "%s", output.name);
            add_reading(&table, output.time_constant, output.time_constant_error);
            add_reading(&table, output.natural_frequency, output.natural_frequency_error);
            double period = TWO_PI / output.natural_frequency;
            add_reading(&table, period, period * output.natural_frequency_error / output.natural_frequency);
            add_reading(&table, output.damping_ratio, output.damping_ratio_error);
            cli_table_add(&table, output.stable ? "yes" : "no");
        }
    }
    return cli_table_print(&table, stream);
}

static int print_sensitivities(FILE *stream, const lf_model *model)
{
    size_t forces = (size_t)lf_model_force_count(model);
    char *alignment = malloc(forces + 3);
    if (!alignment) {
        return cli_no_memory();
    }
    int uncertain = 0;
    for (int d = 0; d < lf_model_output_count(model); d++) {
        uncertain = uncertain || lf_model_output(model, d).sensitivity_sd > 0;
    }
    memset(alignment, 'r', forces + 2);
    alignment[0] = 'l';
    alignment[forces + (uncertain ? 2 : 1)] = '\0';
    cli_table table = cli_table_create(alignment);
    cli_table_add(&table, "output");
    for (size_t q = 0; q < forces; q++) {
        cli_table_add(&table, "force%zu", q + 1);
    }
    if (uncertain) {
        cli_table_add(&table, "sd before rows");
    }
    for (int d = 0; d < lf_model_output_count(model); d++) {
        lf_output_info output = lf_model_output(model, d);
        cli_table_add(&table, "%s", output.name);
        for (size_t q = 0; q < forces; q++) {
            cli_table_add_number(&table, output.sensitivity[q]);
        }
        if (uncertain) {
            cli_table_add_number(&table, output.sensitivity_sd);
        }
    }
    int status = cli_table_print(&table, stream);
    free(alignment);
    return status;
}

/* Whether any output is an ODE: only these have physical readings. */
static int has_equations(const lf_model *model)
{
    for (int d = 0; d < lf_model_output_count(model); d++) {
        if (lf_model_output(model, d).order > 0) {
            return 1;
        }
    }
    return 0;
}

static int print_model(lf_context *ctx, FILE *stream, const char *path, const lf_model *model)
{
    fprintf(stream, "%s: %d output(s), %d force(s), %d input(s), %zu parameters\n", path, lf_model_output_count(model),
            lf_model_force_count(model), lf_model_input_dim(model), lf_parameter_count(model));
    int status = cli_verdict_print(ctx, stream, "\nVerdict\n", model);
    if (status == CLI_DONE) {
        fputs("\nForces\n", stream);
        status = print_forces(ctx, stream, model);
    }
    if (status == CLI_DONE && has_standardised_inputs(model)) {
        fputs("\nInputs (lengthscales and precisions are of (x - offset) / scale)\n", stream);
        status = print_inputs(stream, model);
    }
    if (status == CLI_DONE) {
        fputs("\nOutputs (noise, offset and scale in the units of the data)\n", stream);
        status = print_outputs(ctx, stream, model);
    }
    if (status == CLI_DONE && has_equations(model)) {
        fputs("\nPhysical readings (frequency in radians per unit of input)\n", stream);
        status = print_readings(stream, model);
    }
    if (status == CLI_DONE) {
        fputs("\nSensitivities (of the scaled output to each force)\n", stream);
        status = print_sensitivities(stream, model);
    }
    return status;
}

static void print_posterior(FILE *stream, const lf_posterior *posterior)
{
    double from, to;
    lf_posterior_range(posterior, &from, &to);
    fprintf(stream, "\nPosterior: stored by the %s engine; predicts without data ", lf_posterior_engine(posterior));
    if (isfinite(to)) {
        fprintf(stream, "from x = %.10g to x = %.10g", from, to);
    } else if (isfinite(from)) {
        fprintf(stream, "from x = %.10g on", from);
    } else {
        fputs("at any input", stream);
    }
    if (cli_has_named_replicates(posterior)) {
        fprintf(stream, ", %d replicate(s)", lf_posterior_replicate_count(posterior));
    }
    fputc('\n', stream);
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    lf_posterior *posterior = NULL;
    int from_stdin = strcmp(settings->model, "-") == 0;
    int status = cli_check(ctx, lf_model_read(ctx, settings->model, &model));
    if (status == CLI_DONE && lf_model_has_posterior(model)) {
        status = cli_restore(ctx, "show", settings, model, &posterior);
    }
    if (status == CLI_DONE && settings->json) {
        status = cli_show_json(ctx, stdout, settings, model, posterior);
        lf_posterior_free(posterior);
        lf_model_free(model);
        return status ? status : cli_flush();
    }
    status = status ? status : print_model(ctx, stdout, from_stdin ? "standard input" : settings->model, model);
    if (status == CLI_DONE && posterior) {
        print_posterior(stdout, posterior);
    } else if (status == CLI_DONE) {
        puts("\nPosterior: none; 'latentforce condition' stores one");
    }
    status = status ? status : cli_flush();
    lf_posterior_free(posterior);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND, CLI_END};

static const cli_option options[] = {CLI_JSON_OPTION("the model"), CLI_QUIET_OPTION, CLI_END};

const cli_command cli_show = {
    .name = "show",
    .summary = "print a model, with physical readings",
    .description =
        "Prints the verdict on the fit (whether it converged, what the forces explain, whether the residuals look like "
        "noise), and tables of the forces, of the outputs with their constants, of the time constant, natural "
        "frequency and "
        "damping ratio of each equation, and of the sensitivities. The time constant is that of the slowest mode. "
        "Standard errors, if the fit computed them, follow after +-. Times and lengthscales are in the units of the "
        "input. The last line describes the stored posterior and the range in which it predicts.\n\n"
        "With --json all of this is one JSON object, with every parameter by name and the provenance of the model.",
    .example = "latentforce show model.json",
    .operands = operands,
    .options = options,
    .run = run};
