/* latentforce predict: posterior mean and standard deviation of outputs, rates, forces or states, and joint samples. */
#include <stdlib.h>

#include "commands.h"
#include "message.h"
#include "options/forecast.h"
#include "options/points.h"
#include "options/session.h"
#include "show/prediction.h"

static int choose_targets(const cli_settings *settings, cli_prediction *result)
{
    int outputs = lf_model_output_count(result->model), forces = lf_model_force_count(result->model);
    result->first = settings->forces   ? outputs
                    : settings->rates  ? outputs + forces
                    : settings->states ? 2 * outputs + forces
                                       : 0;
    result->count = settings->forces ? forces : settings->states ? lf_model_state_count(result->model) : outputs;
    if (settings->states && result->count == 0) {
        return cli_fail(
            "%s: --states is for models given by equations ('latentforce fit --equations'); its outputs have "
            "operators of their own",
            settings->model);
    }
    int white = 0;
    for (int q = 0; q < forces; q++) {
        white += lf_model_force_is_white(result->model, q);
    }
    if (settings->forces && forces > 0 && white == forces) {
        return cli_fail("%s: has no forces to predict: a white force has no value at an instant; predict the outputs "
                        "that it drives, or fit with --force-kernel matern12",
                        settings->model);
    }
    return result->count > 0 ? CLI_DONE
           : lf_model_white_count(result->model) > 0
               ? cli_fail("%s: has no forces to predict: a white force has no value at an instant; what it drives is "
                          "shown by --states",
                          settings->model)
               : cli_fail("%s: has no forces to predict", settings->model);
}

/* A grid over the training inputs or, without them, over the range of the stored posterior. */
static int make_grid(lf_context *ctx, const cli_settings *settings, const lf_data *training,
                     const cli_prediction *result, cli_points *rows)
{
    int p = lf_model_input_dim(result->model), status = CLI_DONE;
    double *low = calloc(2 * (size_t)p, sizeof *low), *high = low + p;
    if (!low) {
        return cli_no_memory();
    }
    if (training) {
        status = cli_check(ctx, lf_data_limits(ctx, training, result->model, low, high));
    } else if (!cli_stored_limits(result->model, result->posterior, low, high)) {
        status =
            cli_fail("--grid %zu: the posterior stored in %s predicts at any input and does not contain the range of "
                     "its rows, so the range of the grid is unknown; list the inputs with --at INPUTS.csv or give "
                     "the data with --data DATA",
                     settings->grid, settings->model);
    }
    status = status ? status : cli_points_grid(p, low, high, settings->grid, rows);
    free(low);
    return status;
}

/* The inputs of the predictions, before they are repeated for every target and replicate. *inputs is the file they come
 * from; NULL for a grid and for a forecast. */
static int make_rows(lf_context *ctx, const cli_settings *settings, const lf_data *training,
                     const cli_prediction *result, lf_data **inputs, cli_points *rows)
{
    if (!settings->at) {
        return settings->grid > 0
                   ? make_grid(ctx, settings, training, result, rows)
                   : cli_forecast_points(ctx, settings, result->model, training, result->posterior, rows);
    }
    int every = settings->forces || settings->states; /* a column output has no meaning */
    int status = cli_read_inputs(ctx, settings, result->model, every, inputs);
    status = status ? status : cli_points_from_inputs(result->model, *inputs, every, rows);
    if (status == CLI_DONE && rows->n == 0) {
        return cli_fail("%s: has only readings of known inputs, and no rows at which to predict", settings->at);
    }
    for (size_t i = 0; rows->target && i < rows->n; i++) {
        rows->target[i] += result->first;
    }
    return status;
}

static int make_points(const cli_settings *settings, const lf_data *inputs, const lf_data *training, cli_points *rows,
                       cli_prediction *result)
{
    int replicates = lf_posterior_replicate_count(result->posterior), status = CLI_DONE;
    result->named_replicates = cli_has_named_replicates(result->posterior);
    if (!inputs && training) { /* a forecast of replicates that end at different inputs */
        status = cli_points_match_replicates(rows, training, settings->data, result->posterior,
                                             result->named_replicates, settings->data);
    }
    if (inputs) {
        status = cli_points_match_replicates(rows, inputs, settings->at, result->posterior, result->named_replicates,
                                             settings->data ? settings->data : settings->model);
        if (status == CLI_DONE && !settings->data) {
            status = cli_check_range(settings, result->model, settings->at, rows, result->posterior);
        }
    }
    status = status ? status : cli_points_append(&result->points, rows, result->first, result->count, replicates);
    if (status == CLI_DONE && settings->forces) {
        cli_points_drop_white(result->model, 0, &result->points);
    }
    return status;
}

static int compute(lf_context *ctx, const cli_settings *settings, cli_prediction *result)
{
    size_t n = result->points.n;
    result->mean = calloc(n + 1, sizeof *result->mean);
    result->variance = calloc(n + 1, sizeof *result->variance);
    result->samples = calloc(n * settings->samples + 1, sizeof *result->samples);
    if (!result->mean || !result->variance || !result->samples) {
        return cli_no_memory();
    }
    lf_points *made = NULL;
    lf_prediction wanted = {.size = sizeof wanted, .mean = result->mean, .variance = result->variance};
    int status = cli_points_make(ctx, result->model, &result->points, &made);
    status = status ? status : cli_check(ctx, lf_predict(ctx, result->posterior, made, &wanted));
    if (status == CLI_DONE && settings->samples > 0) {
        status = cli_check(ctx, lf_draw(ctx, result->posterior, made, settings->samples, result->samples));
    }
    lf_points_free(made);
    return status;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    lf_data *data = NULL, *training = NULL, *inputs = NULL;
    cli_points rows = {0};
    cli_prediction result = {0};
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
    result.model = model;
    status = status ? status : choose_targets(settings, &result);
    if (status == CLI_DONE && settings->data) {
        status = cli_read_data(ctx, settings, model, settings->data, &data);
        status = status ? status : cli_select(ctx, model, settings->data, data, "train", &training);
    } else if (status == CLI_DONE && lf_model_has_posterior(model)) {
        status = cli_restore(ctx, "predict", settings, model, &result.posterior);
    } else if (status == CLI_DONE) {
        status = cli_fail_no_posterior(settings);
    }
    status = status ? status : make_rows(ctx, settings, training, &result, &inputs, &rows);
    if (status == CLI_DONE && training) {
        status = cli_condition_on(ctx, settings, model, training, &rows, &result.posterior);
    }
    status = status ? status : cli_add_inputs(ctx, settings->at, inputs, result.posterior);
    status = status ? status : make_points(settings, inputs, training, &rows, &result);
    status = status ? status : compute(ctx, settings, &result);
    status = status ? status : cli_write_prediction(ctx, settings, &result);
    free(result.mean);
    free(result.variance);
    free(result.samples);
    cli_points_free(&result.points);
    cli_points_free(&rows);
    lf_posterior_free(result.posterior);
    lf_data_free(inputs);
    lf_data_free(training);
    lf_data_free(data);
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
