/* latentforce simulate: a draw from the prior: outputs with noise, and the forces behind them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output_file.h"
#include "commands.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/points.h"
#include "options/session.h"
#include "show/formats.h"

/* The outputs at the rows of the file and, with --forces, every force at the distinct inputs. *outputs is the number of
 * points of outputs. */
static int make_points(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *inputs,
                       cli_points *points, size_t *outputs)
{
    int output_count = cli_count(model, LF_KIND_OUTPUT), replicates = (int)lf_data_count(inputs, LF_KIND_REPLICATE);
    cli_points rows = {0};
    int status = cli_points_from_inputs(model, inputs, 0, &rows);
    status = status ? status : cli_points_append(points, &rows, 0, output_count, 1);
    cli_points_free(&rows);
    *outputs = points->n;
    if (status == CLI_DONE && settings->forces_file) {
        status = cli_points_distinct(model, inputs, &rows);
        status = status ? status
                        : cli_points_append(points, &rows, output_count, cli_count(model, LF_KIND_FORCE),
                                            replicates ? replicates : 1);
        status = status ? status : cli_points_drop_white(ctx, model, *outputs, points);
        cli_points_free(&rows);
    }
    return status;
}

/* The noise is drawn even with --noise-free, so that the same seed gives the same curve with and without noise. */
static int draw(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *inputs,
                const cli_points *points, size_t outputs, double *y)
{
    double *z = calloc(outputs + 1, sizeof *z);
    if (!z) {
        return cli_no_memory();
    }
    lf_normals(ctx, outputs, z);
    lf_points *made = NULL;
    int status = cli_points_make(ctx, model, points, &made);
    if (status == CLI_DONE && lf_simulate_driven(ctx, model, made, inputs, y) != LF_OK) {
        status = cli_count(model, LF_KIND_KNOWN) > 0 ? cli_fail("%s: %s", settings->at, lf_context_message(ctx))
                                                     : cli_fail("%s", lf_context_message(ctx));
    }
    for (size_t i = 0; status == CLI_DONE && i < outputs; i++) {
        y[i] = lf_model_reading(model, (size_t)points->target[i], y[i], settings->noise_free ? (double)NAN : z[i]);
    }
    lf_points_free(made);
    free(z);
    return status;
}

static const char *replicate_name(const lf_data *inputs, int replicate)
{
    return replicate >= 0 && replicate < (int)lf_data_count(inputs, LF_KIND_REPLICATE)
               ? lf_data_name(inputs, LF_KIND_REPLICATE, (size_t)replicate)
               : NULL;
}

/* The inputs measure what those of the model measure, and the outputs have their units. */
static int set_labels(lf_context *ctx, const lf_model *model, lf_data *data)
{
    lf_status status = LF_OK;
    for (size_t k = 0; !status && k < lf_data_count(data, LF_KIND_INPUT); k++) {
        lf_label label = cli_input(model, (int)k);
        status = lf_data_label_set(ctx, data, LF_KIND_INPUT, k, &label);
    }
    for (size_t d = 0; !status && d < lf_data_count(data, LF_KIND_OUTPUT); d++) {
        int output = cli_find(model, LF_KIND_OUTPUT, lf_data_name(data, LF_KIND_OUTPUT, d));
        lf_label label = {.size = sizeof label, .unit = cli_output(model, output).unit};
        status = output >= 0 ? lf_data_label_set(ctx, data, LF_KIND_OUTPUT, d, &label) : LF_OK;
    }
    return cli_check(ctx, status);
}

static int make_data(lf_context *ctx, const lf_model *model, const lf_data *inputs, const cli_points *points,
                     size_t outputs, const double *y, lf_data **data)
{
    int status = cli_check(ctx, lf_data_create(ctx, (size_t)points->input_dim, data));
    for (size_t i = 0; status == CLI_DONE && i < outputs; i++) {
        status = cli_check(ctx, lf_data_add(ctx, *data,
                                            &(lf_row){.size = sizeof(lf_row),
                                                      .output = cli_name(model, LF_KIND_OUTPUT, points->target[i]),
                                                      .replicate = replicate_name(inputs, points->replicate[i]),
                                                      .x = points->x + i * (size_t)points->input_dim,
                                                      .y = y[i],
                                                      .width = points->width ? points->width[i] : 0}));
    }
    /* the readings of known inputs, for a fit */
    for (size_t i = 0; status == CLI_DONE && i < lf_data_count(inputs, LF_KIND_ROW); i++) {
        lf_row row = cli_row(inputs, i);
        if (row.output && cli_find(model, LF_KIND_KNOWN, row.output) >= 0) {
            status = cli_check(ctx, lf_data_add(ctx, *data,
                                                &(lf_row){.size = sizeof(lf_row),
                                                          .output = row.output,
                                                          .replicate = row.replicate,
                                                          .x = row.x,
                                                          .y = row.y}));
        }
    }
    return status ? status : set_labels(ctx, model, *data);
}

static void print_forces(FILE *stream, const lf_model *model, const lf_data *inputs, const cli_points *points,
                         size_t first, const double *y)
{
    int named = lf_data_count(inputs, LF_KIND_REPLICATE) > 0;
    fputs(named ? "replicate,force," : "force,", stream);
    cli_csv_input_heading(stream, model);
    fputs(",y\n", stream);
    for (size_t i = first; i < points->n; i++) {
        if (named) {
            cli_csv_name(stream, replicate_name(inputs, points->replicate[i]));
            fputc(',', stream);
        }
        char name[256];
        snprintf(name, sizeof name, "%s",
                 cli_name(model, LF_KIND_FORCE, points->target[i] - cli_count(model, LF_KIND_OUTPUT)));
        cli_csv_name(stream, name);
        fputc(',', stream);
        cli_csv_inputs(stream, model, points->x + i * (size_t)points->input_dim);
        fputc(',', stream);
        cli_csv_number(stream, y[i]);
        fputc('\n', stream);
    }
}

/* Both files are written completely before either is put in place. */
static int write(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *inputs,
                 const cli_points *points, size_t outputs, const double *y)
{
    lf_output_file forces = {0};
    lf_data *data = NULL;
    int status = make_data(ctx, model, inputs, points, outputs, y, &data);
    if (status == CLI_DONE && settings->forces_file) {
        status = cli_check(ctx, lf_file_create(ctx, settings->forces_file, &forces));
        if (status == CLI_DONE) {
            print_forces(forces.stream, model, inputs, points, outputs, y);
        }
    }
    status = status ? status : cli_check(ctx, lf_data_write(ctx, data, settings->output));
    if (forces.stream) {
        if (status == CLI_DONE) {
            status = cli_check(ctx, lf_file_commit(ctx, &forces));
        } else {
            lf_file_discard(&forces);
        }
    }
    lf_data_free(data);
    return status;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    lf_data *inputs = NULL;
    cli_points points = {0};
    size_t outputs = 0;
    double *y = NULL;
    if (settings->forces_file && strcmp(settings->forces_file, settings->output) == 0) {
        return cli_usage_error("simulate", "-o and --forces name the same file '%s'", settings->output);
    }
    int status = cli_read_model(ctx, settings->model, &model);
    status = status ? status : cli_read_inputs(ctx, settings, model, 0, &inputs);
    status = status ? status : make_points(ctx, settings, model, inputs, &points, &outputs);
    if (status == CLI_DONE) {
        y = calloc(points.n + 1, sizeof *y);
        status = y ? CLI_DONE : cli_no_memory();
    }
    status = status ? status : draw(ctx, settings, model, inputs, &points, outputs, y);
    status = status ? status : write(ctx, settings, model, inputs, &points, outputs, y);
    free(y);
    cli_points_free(&points);
    lf_data_free(inputs);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND, CLI_END};

static const cli_option options[] = {
    CLI_OPTION(
        at, .name = "--at", .argument = "INPUTS.csv", .kind = CLI_INPUT, .choice = 1,
        .help = "file of inputs, with the columns output,x; without the column output: every output; with the column "
                "replicate: replicates are independent draws"),
    CLI_SEED_OPTION,
    CLI_OUTPUT_OPTION,
    CLI_OPTION(forces_file, .name = "--forces", .argument = "FILE", .kind = CLI_RESULT,
               .help = "also write the forces of the same draw, at the distinct inputs: force,x,y"),
    CLI_OPTION(noise_free, .name = "--noise-free", .kind = CLI_FLAG, .help = "without noise"),
    CLI_READ_OPTIONS,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_simulate = {
    .name = "simulate",
    .summary = "draw outputs and forces from a model",
    .description = "Draws the outputs of the model at the given inputs, with noise and in the units of the data, and "
                   "writes them as a data file: output,x,y.",
    .example = "latentforce simulate model.json --at inputs.csv --seed 7 -o data.csv --forces forces.csv",
    .operands = operands,
    .options = options,
    .run = run};
