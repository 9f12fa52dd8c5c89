/* latentforce covariance: the prior covariance of outputs, and of forces, at given inputs. */
#include <stdlib.h>
#include <string.h>

#include "base/output_file.h"
#include "commands.h"
#include "message.h"
#include "points.h"
#include "session.h"

static int write_matrix(lf_context *ctx, const char *path, const double *K, size_t n)
{
    lf_output_file out;
    int status = cli_check(ctx, lf_file_create(ctx, path, &out));
    if (status != CLI_DONE) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            fprintf(out.stream, j ? ",%.17g" : "%.17g", K[i * n + j]);
        }
        fputc('\n', out.stream);
    }
    return cli_check(ctx, lf_file_commit(ctx, &out));
}

/* The outputs at the rows of the file, then, if asked for, every force at its distinct inputs. */
static int make_points(const cli_settings *settings, const lf_model *model, const lf_data *inputs, cli_points *points)
{
    int outputs = lf_model_output_count(model), forces = lf_model_force_count(model);
    cli_points rows = {0};
    int status = cli_points_from_inputs(model, inputs, 0, &rows);
    status = status ? status : cli_points_append(points, &rows, 0, outputs, 1);
    cli_points_free(&rows);
    if (status == CLI_DONE && settings->with_forces) {
        status = cli_points_distinct(inputs, &rows);
        status = status ? status : cli_points_append(points, &rows, outputs, forces, 1);
        cli_points_free(&rows);
    }
    return status;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_engine_options how = cli_engine_options(settings);
    lf_model *model = NULL;
    lf_data *inputs = NULL;
    cli_points points = {0};
    double *K = NULL;
    if (how.engine && strcmp(how.engine, "features") == 0) {
        how.engine = "lowrank";
    } else if (how.engine && strcmp(how.engine, "auto") != 0 && strcmp(how.engine, "dense") != 0 &&
               strcmp(how.engine, "lowrank") != 0) {
        return cli_fail("--engine '%s': covariance knows the engines dense and features", how.engine);
    }
    int status = cli_check(ctx, lf_model_read(ctx, settings->model, &model));
    status = status ? status : cli_read_inputs(ctx, settings, model, 0, &inputs);
    if (status == CLI_DONE && lf_data_replicate_count(inputs) > 0) {
        status = cli_fail("%s: has a replicate column, but replicates have no covariance with each other; leave the "
                          "column out",
                          settings->at);
    }
    status = status ? status : make_points(settings, model, inputs, &points);
    if (status == CLI_DONE) {
        K = points.n > SIZE_MAX / sizeof *K / (points.n + 1) ? NULL : calloc(points.n * points.n + 1, sizeof *K);
        status = K ? CLI_DONE : cli_fail("out of memory for a covariance of %zu rows", points.n);
    }
    if (status == CLI_DONE) {
        lf_points view = cli_points_view(&points);
        status = cli_check(ctx, lf_covariance(ctx, model, &view, &how, K));
    }
    status = status ? status : write_matrix(ctx, settings->output, K, points.n);
    free(K);
    cli_points_free(&points);
    lf_data_free(inputs);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND, CLI_END};

static const cli_option options[] = {
    CLI_OPTION(at, .name = "--at", .argument = "INPUTS.csv", .kind = CLI_INPUT, .choice = 1,
               .help = "where: rows output,x; without an output column every output, one after the other"),
    CLI_OPTION(with_forces, .name = "--with-forces", .kind = CLI_FLAG,
               .help = "append, after the outputs, every force at the distinct inputs of the file in ascending order"),
    CLI_OUTPUT_OPTION,
    CLI_OPTION(engine, .name = "--engine", .argument = "E", .kind = CLI_TEXT,
               .help = "dense: the exact covariance (default); features: that of the columns which the lowrank engine "
                       "puts in its place"),
    CLI_OPTION(nodes, .name = "--nodes", .argument = "R", .kind = CLI_TEXT,
               .help = "how frequencies are chosen: uniform (one input); features only: mc (at random), qmc (evenly "
                       "scattered, up to 37 inputs), orthogonal (at random, at right angles); dense only: closed-form "
                       "(none); or auto (default)"),
    CLI_FEATURES_OPTION,
    CLI_TOLERANCE_OPTION,
    CLI_SEED_OPTION,
    CLI_IGNORE_OPTION,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_covariance = {
    .name = "covariance",
    .summary = "write the prior covariance of outputs and forces",
    .description =
        "Writes the prior covariance of the outputs, without noise and in the units of the data, at the rows "
        "of a file: a square CSV matrix in full precision without header.",
    .example = "latentforce covariance model.json --at inputs.csv -o K.csv",
    .operands = operands,
    .options = options,
    .run = run};
