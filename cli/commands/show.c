/* latentforce show: prints a model in tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "commands.h"
#include "message.h"
#include "options/session.h"
#include "show/counts.h"
#include "show/formats.h"
#include "show/kernel_values.h"
#include "show/quantity.h"
#include "show/show_equations.h"
#include "show/show_readings.h"
#include "show/table.h"
#include "show/verdict.h"
#include "show/visible.h"

/* "0.5" or "0.5, 1.2", cut to the size of the buffer. */
static void format_lengthscales(lf_context *ctx, const lf_model *model, char *text, size_t size, const char *owner,
                                const char *what, const lf_force_info *force)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < force->lengthscale_count && used < size; k++) {
        char number[CLI_QUANTITY_SIZE];
        cli_parameter_quantity(ctx, model, number, owner, what, force->lengthscale_count > 1 ? k + 1 : 0,
                               force->lengthscale[k]);
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
        char number[CLI_QUANTITY_SIZE];
        const char *name = lf_model_constant_name(model, output, k);
        cli_parameter_quantity(ctx, model, number, info->name, name, 0, info->constants[k]);
        int written = snprintf(text + used, size - used, k ? ", %s %s" : "%s %s", name, number);
        used += written > 0 ? (size_t)written : 0;
    }
}

static int print_forces(lf_context *ctx, FILE *stream, const lf_model *model)
{
    char text[1024], owner[256];
    int by_name = 0;
    for (int q = 0; q < lf_model_force_count(model); q++) {
        by_name = by_name || lf_model_force(model, q).lengthscale_count == 0;
    }
    cli_table table = cli_table_create("lll");
    cli_table_add_headings(&table, (const char *const[]){"force", "kernel", by_name ? "values" : "lengthscale", NULL});
    for (int q = 0; q < lf_model_force_count(model); q++) {
        lf_force_info force = lf_model_force(model, q);
        lf_model_force_name(model, q, sizeof owner, owner);
        if (by_name) {
            cli_kernel_text(cli_force_kernel(model, q), sizeof text, text);
        } else {
            format_lengthscales(ctx, model, text, sizeof text, owner, "lengthscale", &force);
        }
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
    cli_table_add_headings(&table, (const char *const[]){"input", "offset", "scale", NULL});
    for (int k = 0; k < lf_model_input_dim(model); k++) {
        lf_input_info input = lf_model_input(model, k);
        char name[CLI_LABEL_SIZE];
        cli_input_name(model, k, name);
        cli_table_add(&table, "%s", name);
        cli_table_add_quantity(&table, input.offset, (double)NAN, input.unit);
        cli_table_add_quantity(&table, input.scale, (double)NAN, input.unit);
    }
    return cli_table_print(&table, stream);
}

/* "matern12, lengthscale 2 h, amplitude 0.3" */
static void print_private_force(lf_context *ctx, cli_table *table, const lf_model *model, int d,
                                const lf_output_info *output)
{
    const lf_force_info *force = &output->private_force;
    char text[1024], amplitude[CLI_QUANTITY_SIZE];
    cli_parameter_quantity(ctx, model, amplitude, output->name, "private.amplitude", 0, output->private_amplitude);
    if (force->lengthscale_count) {
        format_lengthscales(ctx, model, text, sizeof text, output->name, "private.lengthscale", force);
        cli_table_add(table, "%s, lengthscale %s, amplitude %s", force->kernel, text, amplitude);
    } else {
        cli_kernel_text(cli_private_kernel(model, d), sizeof text, text);
        int has_values = strcmp(text, "-") != 0;
        cli_table_add(table, "%s, %s%samplitude %s", force->kernel, has_values ? text : "", has_values ? ", " : "",
                      amplitude);
    }
}

static int print_outputs(lf_context *ctx, FILE *stream, const lf_model *model)
{
    char text[1024];
    cli_table table = cli_table_create("llrrrll");
    cli_table_add_headings(&table, (const char *const[]){"output", "operator", "noise sd", "offset", "scale",
                                                         "private force", "constants", NULL});
    for (int d = 0; d < lf_model_output_count(model); d++) {
        lf_output_info output = lf_model_output(model, d);
        cli_table_add(&table, "%s", output.name);
        cli_table_add(&table, "%s", output.operator_type);
        cli_table_add_quantity(&table, sqrt(lf_model_noise_variance(model, d)), (double)NAN, output.unit);
        cli_table_add_quantity(&table, output.offset, (double)NAN, output.unit);
        cli_table_add_quantity(&table, output.scale, (double)NAN, output.unit);
        if (output.has_private) {
            print_private_force(ctx, &table, model, d, &output);
        } else {
            cli_table_add(&table, "-");
        }
        format_constants(ctx, text, sizeof text, model, d, &output);
        cli_table_add(&table, "%s", text);
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
            cli_table_add_quantity(&table, output.sensitivity[q], (double)NAN, "");
        }
        if (uncertain) {
            cli_table_add_quantity(&table, output.sensitivity_sd, (double)NAN, "");
        }
    }
    int status = cli_table_print(&table, stream);
    free(alignment);
    return status;
}

static int print_model(lf_context *ctx, FILE *stream, const char *path, const lf_model *model)
{
    char counts[CLI_COUNTS_SIZE];
    fprintf(stream, "%s: %s, ", path, cli_counts(model, counts));
    if (lf_model_input_dim(model) > 1) {
        fprintf(stream, "%d coordinates, ", lf_model_input_dim(model));
    }
    fprintf(stream, "%zu parameter%s\n", lf_parameter_count(model), lf_plural(lf_parameter_count(model)));
    int status = cli_verdict_print(ctx, stream, "\nVerdict\n", model);
    if (lf_model_equations(model)) {
        return status ? status : cli_show_equations(ctx, stream, model);
    }
    status = status ? status : cli_show_readings(stream, model); /* time constants say more than decay rates */
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
    if (status == CLI_DONE) {
        fputs("\nSensitivities (of the scaled output to each force)\n", stream);
        status = print_sensitivities(stream, model);
    }
    return status ? status : cli_show_known_inputs(ctx, stream, model);
}

/* "from x = 2", "from 2020-01-01T00:00:00" */
static void print_input(FILE *stream, const lf_model *model, const char *word, double x)
{
    char text[64], name[CLI_LABEL_SIZE];
    lf_model_format_input(model, 0, x, sizeof text, text);
    cli_input_name(model, 0, name);
    int dated = lf_model_input(model, 0).dated;
    fprintf(stream, "%s ", word);
    cli_put_visible(stream, dated ? "" : name);
    fprintf(stream, "%s%s", dated ? "" : " = ", text);
}

static void print_posterior(FILE *stream, const lf_model *model, const lf_posterior *posterior)
{
    double from, to;
    lf_posterior_range(posterior, &from, &to);
    fprintf(stream, "\nPosterior: stored by the %s engine; predicts without data ", lf_posterior_engine(posterior));
    if (isfinite(to)) {
        print_input(stream, model, "from", from);
        print_input(stream, model, " to", to);
    } else if (isfinite(from)) {
        print_input(stream, model, "from", from);
        fputs(" on", stream);
    } else {
        fputs("at any input", stream);
    }
    if (cli_has_named_replicates(posterior)) {
        int count = lf_posterior_replicate_count(posterior);
        fprintf(stream, ", %d replicate%s", count, lf_plural((size_t)count));
    }
    fputc('\n', stream);
}

static int print_matrices(lf_context *ctx, const cli_settings *settings, const lf_model *model)
{
    double step = 0;
    lf_matrices *matrices = NULL;
    char *text = NULL;
    int status = settings->step ? cli_check(ctx, lf_model_parse_span(ctx, model, settings->step, &step)) : CLI_DONE;
    if (status == CLI_DONE && settings->step && !(step > 0)) {
        status = cli_fail("--step %s: the step must be more than 0", settings->step);
    }
    status = status ? status : cli_check(ctx, lf_model_matrices(ctx, model, step, &matrices));
    status = status ? status : cli_check(ctx, lf_matrices_json(ctx, model, matrices, &text));
    lf_matrices_free(matrices);
    return status ? status : cli_json_print(settings->model, text);
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    lf_posterior *posterior = NULL;
    int from_stdin = strcmp(settings->model, "-") == 0;
    if (settings->state_space ? !settings->json : settings->step != NULL) {
        return cli_usage_error("show", settings->state_space ? "--state-space prints JSON: give --json too"
                                                             : "--step is for --state-space");
    }
    int status = cli_read_model(ctx, settings->model, &model);
    if (status == CLI_DONE && settings->state_space) {
        status = print_matrices(ctx, settings, model);
        lf_model_free(model);
        return status;
    }
    if (status == CLI_DONE && settings->json) {
        char *text = NULL;
        status = cli_check(ctx, lf_model_json(ctx, model, "description", &text));
        lf_model_free(model);
        return status ? status : cli_json_print(settings->model, text);
    }
    if (status == CLI_DONE && lf_model_has_posterior(model)) {
        status = cli_restore(ctx, "show", settings, model, &posterior);
    }
    status = status ? status : print_model(ctx, stdout, from_stdin ? "standard input" : settings->model, model);
    if (status == CLI_DONE && posterior) {
        print_posterior(stdout, model, posterior);
    } else if (status == CLI_DONE) {
        puts("\nPosterior: none; 'latentforce condition' stores one");
    }
    status = status ? status : cli_flush();
    lf_posterior_free(posterior);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND, CLI_END};

static const cli_option options[] = {
    CLI_JSON_OPTION("the model"),
    CLI_OPTION(state_space, .name = "--state-space", .kind = CLI_FLAG,
               .help = "with --json: the matrices of the model as a state space, for a controller or a simulator"),
    CLI_OPTION(step, .name = "--step", .argument = "SPAN", .kind = CLI_TEXT,
               .help = "of --state-space: the matrices for this step (default: those of continuous time)"),
    CLI_QUIET_OPTION, CLI_END};

const cli_command cli_show = {
    .name = "show",
    .summary = "print a model, with physical readings",
    .description =
        "Prints the verdict on the fit (whether it converged, what the forces explain, whether the residuals look like "
        "noise), and tables of the time constant, natural frequency and damping ratio of each equation, of the forces, "
        "of the "
        "outputs with their constants, and of the sensitivities. The time constant is that of the slowest mode. "
        "Standard errors, if the fit computed them, follow after +-. Numbers have the units that the data gave; other "
        "times and lengthscales are in the unit of the input. Natural frequencies are angular; cycles, in Hz if the "
        "unit of time is known, follow in brackets. The last line describes the stored posterior and the range in "
        "which it predicts.\n\n"
        "Of a model given by equations the equations are shown, with their constants, quantities, forces and known "
        "inputs, "
        "and the modes of the whole system.\n\n"
        "With --json all of this is one JSON object, with every parameter by name and the provenance of the model.\n\n"
        "With --state-space --json the JSON object holds A, B, c, C, D, d, Q, R and the start of x' = A x + B v + c + "
        "w, "
        "y = C x + D v + d + e, in the units of the data: v are the known inputs, forces are part of the state, Q is "
        "the "
        "intensity of the white noise w, R the covariance of the noise e. With --step they are those of x[k+1] = A "
        "x[k] "
        "+ B v[k] + B_slope (v[k+1] - v[k]) + c + w[k]: without B_slope for inputs that are constant within a step "
        "(zero-order hold), with it for linear ones (first-order hold).",
    .example = "latentforce show model.json",
    .operands = operands,
    .options = options,
    .run = run};
