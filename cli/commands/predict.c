/* latentforce predict: posterior mean and standard deviation of outputs, rates, forces or states, and joint samples. */
#include <stdio.h>

#include "base/output_file.h"
#include "commands.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"

/* What the settings ask for. */
static int make_request(lf_context *ctx, const cli_settings *settings, lf_options **request)
{
    char grid[32], samples[32];
    snprintf(grid, sizeof grid, "%zu", settings->grid);
    snprintf(samples, sizeof samples, "%zu", settings->samples);
    const struct {
        const char *name, *value;
    } given[] = {{"targets", settings->forces   ? "forces"
                             : settings->rates  ? "rates"
                             : settings->states ? "states"
                                                : NULL},
                 {"grid", settings->grid ? grid : NULL},
                 {"ahead", settings->ahead},
                 {"from", settings->from},
                 {"to", settings->to},
                 {"step", settings->step},
                 {"samples", settings->samples ? samples : NULL}};
    lf_status status = lf_options_create(ctx, "request", request);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        status = status || !given[i].value ? status : lf_options_set(ctx, *request, given[i].name, given[i].value);
    }
    return cli_check(ctx, status);
}

/* Of points that were not made: the command line is at fault, the model, or the file of inputs. */
static int fail_points(lf_context *ctx, const cli_settings *settings, lf_status status)
{
    const char *message = lf_context_message(ctx), *file = NULL;
    if (status == LF_ERROR_MODEL || (status == LF_ERROR_DATA && *message != '-')) { /* no option is named first */
        file = status == LF_ERROR_DATA && settings->at ? settings->at : settings->model;
    }
    return status == LF_ERROR_ARGUMENT ? cli_usage_error("predict", "%s", message)
                                       : cli_fail("%s%s%s", file ? file : "", file ? ": " : "", message);
}

/* The posterior, and the points that it is asked for. */
static int ask(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_options *request,
               lf_posterior **posterior, lf_points **points)
{
    lf_data *data = NULL, *training = NULL, *inputs = NULL;
    int status = CLI_DONE;
    if (settings->data) {
        status = cli_read_data(ctx, settings, model, settings->data, &data);
        status = status ? status : cli_select(ctx, model, settings->data, data, "train", &training);
    } else if (cli_about(model).has_posterior) {
        status = cli_restore(ctx, "predict", settings, model, posterior);
    } else {
        status = cli_fail_no_posterior(settings);
    }
    if (status == CLI_DONE && settings->at) {
        status = cli_read_inputs(ctx, settings, model, settings->forces || settings->states, &inputs);
    }
    if (status == CLI_DONE) {
        lf_status made = lf_points_request(ctx, model, training, *posterior, request, inputs, points);
        status = made ? fail_points(ctx, settings, made) : CLI_DONE;
    }
    if (status == CLI_DONE && training) {
        status = cli_posterior_given(ctx, settings, model, training, *points, posterior);
    }
    status = status ? status : cli_add_inputs(ctx, settings->at, inputs, *posterior);
    lf_data_free(inputs);
    lf_data_free(training);
    lf_data_free(data);
    return status;
}

static int write_json(lf_context *ctx, const cli_settings *settings, const char *text)
{
    lf_output_file out;
    int status = cli_check(ctx, lf_file_create(ctx, settings->output, &out));
    if (status == CLI_DONE) {
        fputs(text, out.stream);
        status = cli_check(ctx, lf_file_commit(ctx, &out));
    }
    return status;
}

static int write(lf_context *ctx, const cli_settings *settings, lf_posterior *posterior, const lf_points *points,
                 const lf_options *request)
{
    lf_table *table = NULL;
    char *text = NULL;
    int status = cli_check(ctx, settings->json ? lf_predict_json(ctx, posterior, points, request, &text)
                                               : lf_predict_table(ctx, posterior, points, request, &table));
    if (status == CLI_DONE) {
        status = text ? write_json(ctx, settings, text)
                      : cli_check(ctx, lf_table_write(ctx, table, "csv", settings->output));
    }
    lf_table_free(table);
    lf_free(text);
    return status;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    lf_options *request = NULL;
    lf_posterior *posterior = NULL;
    lf_points *points = NULL;
    if (settings->forces + settings->rates + settings->states > 1) {
        return cli_usage_error("predict", "give one of --forces, --rates and --states");
    }
    if (settings->step && (settings->at || settings->grid)) {
        return cli_usage_error("predict", "--step needs --ahead SPAN, --from T or --to T");
    }
    if (settings->samples > 0) {
        lf_context_set_threads(ctx, 1); /* rounding in the posterior reaches the samples */
    }
    int status = cli_read_model(ctx, settings->model, &model);
    status = status ? status : make_request(ctx, settings, &request);
    status = status ? status : ask(ctx, settings, model, request, &posterior, &points);
    status = status ? status : write(ctx, settings, posterior, points, request);
    lf_points_free(points);
    lf_posterior_free(posterior);
    lf_options_free(request);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND, CLI_END};

static const cli_option options[] = {
    CLI_OPTION(at, .name = "--at", .argument = "INPUTS.csv", .kind = CLI_INPUT, .choice = 1,
               .help =
                   "file of inputs, with the columns output,x; without the column output: every output; without the "
                   "column replicate: every replicate of the data. Columns of known inputs are read too"),
    CLI_OPTION(
        grid, .name = "--grid", .argument = "N", .kind = CLI_COUNT, .minimum = 2, .choice = 1,
        .help =
            "N evenly spaced inputs over the range of the training inputs (N x N for two inputs); without --data over "
            "the range of the stored posterior, or over its training inputs if that is unlimited; with standardised "
            "inputs from offset - 1.73 scale to offset + 1.73 scale"),
    CLI_OPTION(
        ahead, .name = "--ahead", .argument = "SPAN", .kind = CLI_TEXT, .choice = 1,
        .help =
            "forecast: from the last training input on (of each replicate), as far as SPAN: 48h, 30min, 2d, 12months, "
            "or a number in the unit of the data; one step after the other"),
    CLI_OPTION(from, .name = "--from", .argument = "T", .kind = CLI_TEXT, .choice = 1, .together = 1,
               .help = "first input, a date or a number (default with --to: the first training input)"),
    CLI_OPTION(to, .name = "--to", .argument = "T", .kind = CLI_TEXT, .choice = 1, .together = 1,
               .help = "last input (default with --from: the last training input)"),
    CLI_OPTION(step, .name = "--step", .argument = "SPAN", .kind = CLI_TEXT,
               .help = "distance of the inputs (default with --ahead: the usual step of the training inputs; with "
                       "--from and --to: 200 inputs)"),
    CLI_OPTION(data_files, .name = "--data", .argument = "DATA", .kind = CLI_INPUTS,
               .help = "training data; rows marked test are left out (default: the posterior stored in the model). "
                       "Engine options require it. May be repeated: the files are read as one table"),
    CLI_OPTION(forces, .name = "--forces", .kind = CLI_FLAG,
               .help = "predict every force instead of the outputs; a column output in the inputs is ignored"),
    CLI_OPTION(rates, .name = "--rates", .kind = CLI_FLAG,
               .help = "predict the rates of change of the outputs per unit of the input, instead of the outputs"),
    CLI_OPTION(states, .name = "--states", .kind = CLI_FLAG,
               .help =
                   "predict the states of a model given by equations, instead of the outputs; a column output in the "
                   "inputs is ignored"),
    CLI_OPTION(
        samples, .name = "--samples", .argument = "K", .kind = CLI_COUNT, .minimum = 1,
        .help = "add K joint samples of the noise-free curves, as columns sample1 to sampleK; on one thread, so that "
                "they do not depend on the number of threads"),
    CLI_JSON_OPTION("the predictions"),
    CLI_OUTPUT_OPTION,
    CLI_ENGINE_OPTIONS,
    CLI_READ_OPTIONS,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_predict = {
    .name = "predict",
    .summary = "predict outputs, rates, forces or states",
    .description =
        "Predicts outputs given the training rows of a data file, or from the posterior stored in the model by "
        "'latentforce fit' or 'latentforce condition'. The result has the columns output,x,mean,sd_f,sd_y: sd_f is the "
        "standard deviation of the output itself, sd_y that of a new observation. With --rates: output,x,mean,sd; with "
        "--forces: force,x,mean,sd; with --states: state,x,mean,sd. If the data have replicates, the first column is "
        "replicate. The column x has the "
        "name of the input in the data. --json prints for each output its inputs, mean, sd_f and sd_y as arrays.\n\n"
        "Predictions of outputs that are counts, yes or no, or positive (poisson, negative-binomial, bernoulli and "
        "gamma "
        "of 'latentforce fit --likelihood') also have lower and upper, between which 95 % of new observations lie; "
        "mean, sd_f and samples are those of the mean of an observation. They have no rates.\n\n"
        "Known inputs ('latentforce fit --input', or those of equations) must reach as far as the predictions: their "
        "later "
        "readings stand in columns of the file of --at, or in rows of --data without values of the outputs.\n\n"
        "A posterior stored by the lowrank and fourier engines predicts up to its horizon ('latentforce fit "
        "--horizon'); with --data predictions are possible at any input. Rows of data beside their predictions, with "
        "z-scores, are written by 'latentforce score --rows'.",
    .example = "latentforce predict model.json --ahead 48h -o forecast.csv",
    .operands = operands,
    .options = options,
    .run = run};
