/* latentforce predict: mean and spread of outputs or forces given data, and joint draws of them. */
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "formats.h"
#include "message.h"
#include "output_file.h"
#include "points.h"
#include "session.h"

/* What was predicted, ready to be written. */
typedef struct prediction {
    const lf_model *model;
    const lf_posterior *posterior;
    cli_points points;
    int named_replicates;
    double *mean, *variance; /* (n) */
    double *samples;         /* (count, n) */
} prediction;

static int make_points(lf_context *ctx, const cli_settings *settings, const lf_data *training, prediction *result)
{
    int outputs = lf_model_output_count(result->model), forces = lf_model_force_count(result->model);
    int replicates = result->named_replicates ? lf_posterior_replicate_count(result->posterior) : 1;
    lf_data *inputs = NULL;
    cli_points rows = {0};
    int status;
    if (settings->forces && forces == 0) {
        return cli_fail("%s: has no forces to predict", settings->model);
    }
    if (settings->at) {
        status = cli_read_inputs(ctx, settings, result->model, settings->forces, &inputs);
        status = status ? status : cli_points_from_inputs(result->model, inputs, settings->forces, &rows);
        if (status == CLI_DONE) {
            status = cli_points_match_replicates(&rows, inputs, settings->at, result->posterior,
                                                 result->named_replicates, settings->data);
        }
    } else {
        status = cli_points_grid(training, settings->grid, &rows);
    }
    if (status == CLI_DONE) {
        status = cli_points_append(&result->points, &rows, settings->forces ? outputs : 0,
                                   settings->forces ? forces : outputs, replicates);
    }
    cli_points_free(&rows);
    lf_data_free(inputs);
    return status;
}

static int compute(lf_context *ctx, const cli_settings *settings, lf_posterior *posterior, prediction *result)
{
    size_t n = result->points.n;
    lf_points view = cli_points_view(&result->points);
    result->mean = calloc(n + 1, sizeof *result->mean);
    result->variance = calloc(n + 1, sizeof *result->variance);
    result->samples = calloc(n * settings->samples + 1, sizeof *result->samples);
    if (!result->mean || !result->variance || !result->samples) {
        return cli_no_memory();
    }
    int status = cli_check(ctx, lf_predict(posterior, &view, result->mean, result->variance, NULL));
    if (status == CLI_DONE && settings->samples > 0) {
        status = cli_check(ctx, lf_sample(posterior, &view, settings->samples, result->samples));
    }
    return status;
}

static void print_heading(FILE *stream, const cli_settings *settings, const prediction *result)
{
    fputs(result->named_replicates ? "replicate," : "", stream);
    fputs(settings->forces ? "force," : "output,", stream);
    cli_csv_input_heading(stream, result->points.input_dim);
    fputs(settings->forces ? ",mean,sd" : ",mean,sd_f,sd_y", stream);
    for (size_t k = 0; k < settings->samples; k++) {
        fprintf(stream, ",sample%zu", k + 1);
    }
    fputc('\n', stream);
}

static void print_row(FILE *stream, const cli_settings *settings, const prediction *result, size_t i)
{
    const cli_points *points = &result->points;
    int target = points->target[i], outputs = lf_model_output_count(result->model);
    if (result->named_replicates) {
        cli_csv_name(stream, lf_posterior_replicate_name(result->posterior, points->replicate[i]));
        fputc(',', stream);
    }
    if (settings->forces) {
        fprintf(stream, "force%d", target - outputs + 1);
    } else {
        cli_csv_name(stream, lf_model_output_name(result->model, target));
    }
    fputc(',', stream);
    cli_csv_numbers(stream, points->x + i * (size_t)points->input_dim, points->input_dim);
    double variance = fmax(result->variance[i], 0);
    fputc(',', stream);
    cli_csv_number(stream, result->mean[i]);
    fputc(',', stream);
    cli_csv_number(stream, sqrt(variance));
    if (!settings->forces) {
        fputc(',', stream);
        cli_csv_number(stream, sqrt(variance + lf_model_noise_variance(result->model, target)));
    }
    for (size_t k = 0; k < settings->samples; k++) {
        fputc(',', stream);
        cli_csv_number(stream, result->samples[k * points->n + i]);
    }
    fputc('\n', stream);
}

static int print(const cli_settings *settings, const prediction *result)
{
    cli_output out;
    int status = cli_output_open(&out, settings->output);
    if (status != CLI_DONE) {
        return status;
    }
    print_heading(out.stream, settings, result);
    for (size_t i = 0; i < result->points.n; i++) {
        print_row(out.stream, settings, result, i);
    }
    return cli_output_close(&out);
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    lf_data *data = NULL, *training = NULL;
    lf_posterior *posterior = NULL;
    prediction result = {0};
    int status = cli_check(ctx, lf_model_read(ctx, settings->model, &model));
    if (status == CLI_DONE && !settings->data) {
        status = cli_fail("%s: holds no posterior, so the training data are needed: give them with --data DATA",
                          settings->model);
    }
    status = status ? status : cli_read_data(ctx, settings, model, settings->data, &data);
    status = status ? status : cli_select(ctx, settings->data, data, LF_SPLIT_TRAIN, &training);
    status = status ? status : cli_condition(ctx, settings, model, training, &posterior);
    if (status == CLI_DONE) {
        result.model = model;
        result.posterior = posterior;
        result.named_replicates = lf_data_replicate_count(training) > 0;
        status = make_points(ctx, settings, training, &result);
    }
    status = status ? status : compute(ctx, settings, posterior, &result);
    status = status ? status : print(settings, &result);
    free(result.mean);
    free(result.variance);
    free(result.samples);
    cli_points_free(&result.points);
    lf_posterior_free(posterior);
    lf_data_free(training);
    lf_data_free(data);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND, CLI_END};

static const cli_option options[] = {
    CLI_OPTION(at, .name = "--at", .argument = "INPUTS.csv", .kind = CLI_INPUT, .choice = 1,
               .help = "where: rows output,x; without an output column every output; with a replicate column that "
                       "replicate, without one each replicate of the data"),
    CLI_OPTION(grid, .name = "--grid", .argument = "N", .kind = CLI_COUNT, .minimum = 2, .choice = 1,
               .help = "where: N evenly spaced inputs over the range of the training inputs (N x N for two inputs)"),
    CLI_OPTION(data, .name = "--data", .argument = "DATA", .kind = CLI_INPUT,
               .help = "training data, needed because the model file holds none; rows marked test are left out"),
    CLI_OPTION(forces, .name = "--forces", .kind = CLI_FLAG,
               .help = "predict every force instead of outputs; an output column in the inputs is ignored"),
    CLI_OPTION(samples, .name = "--samples", .argument = "K", .kind = CLI_COUNT, .minimum = 1,
               .help = "add K joint draws of the noise-free curves as columns sample1 to sampleK"),
    CLI_SEED_OPTION,
    CLI_OUTPUT_OPTION,
    CLI_ENGINE_OPTION,
    CLI_NODES_OPTION,
    CLI_TOLERANCE_OPTION,
    CLI_IGNORE_OPTION,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_predict = {
    .name = "predict",
    .summary = "predict outputs or forces given data",
    .description =
        "Predicts outputs given the training rows of a data file: output,x,mean,sd_f,sd_y, where sd_f is the "
        "standard deviation of the output itself and sd_y that of a new observation of it. With --forces: "
        "force,x,mean,sd. When the data have replicates the first column is replicate.",
    .example = "latentforce predict model.json --grid 200 --data data.csv -o prediction.csv",
    .operands = operands,
    .options = options,
    .run = run};
