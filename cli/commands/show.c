/* latentforce show: prints a model in tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "commands.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"
#include "show/counts.h"
#include "show/formats.h"
#include "show/model.h"
#include "show/quantity.h"
#include "show/verdict.h"
#include "show/visible.h"

static int print_model(lf_context *ctx, FILE *stream, const char *path, const lf_model *model)
{
    char counts[CLI_COUNTS_SIZE];
    fprintf(stream, "%s: %s, ", path, cli_counts(model, counts));
    if (cli_count(model, LF_KIND_INPUT) > 1) {
        fprintf(stream, "%d coordinates, ", cli_count(model, LF_KIND_INPUT));
    }
    fprintf(stream, "%zu parameter%s\n", lf_model_count(model, LF_KIND_PARAMETER),
            lf_plural(lf_model_count(model, LF_KIND_PARAMETER)));
    int status = cli_verdict_print(ctx, stream, "\nVerdict\n", model);
    return status ? status : cli_show_model(ctx, stream, model);
}

/* "from x = 2", "from 2020-01-01T00:00:00" */
static void print_input(FILE *stream, const lf_model *model, const char *word, double x)
{
    char text[64], name[CLI_LABEL_SIZE];
    lf_model_format_input(model, 0, x, sizeof text, text);
    cli_input_name(model, 0, name);
    int dated = cli_input(model, 0).dated;
    fprintf(stream, "%s ", word);
    cli_put_visible(stream, dated ? "" : name);
    fprintf(stream, "%s%s", dated ? "" : " = ", text);
}

static void print_posterior(FILE *stream, const lf_model *model, const lf_posterior *posterior)
{
    lf_posterior_info info = cli_posterior(posterior);
    double from = info.from, to = info.to;
    fprintf(stream, "\nPosterior: stored by the %s engine; predicts without data ", info.engine);
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
        int count = (int)cli_posterior(posterior).replicates;
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
    if (status == CLI_DONE && cli_about(model).has_posterior) {
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
