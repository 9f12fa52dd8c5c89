/* latentforce covariance: writes the prior covariance of outputs and forces at given inputs. */
#include <stdlib.h>
#include <string.h>

#include "base/output_file.h"
#include "commands.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/points.h"
#include "options/session.h"

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

/* The outputs at the rows of the file and, with --with-forces, every force at the distinct inputs. */
static int make_points(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *inputs,
                       cli_points *points)
{
    int outputs = cli_count(model, LF_KIND_OUTPUT), forces = cli_count(model, LF_KIND_FORCE);
    cli_points rows = {0};
    int status = cli_points_from_inputs(model, inputs, 0, &rows);
    status = status ? status : cli_points_append(points, &rows, 0, outputs, 1);
    cli_points_free(&rows);
    if (status == CLI_DONE && settings->with_forces) {
        status = cli_points_distinct(model, inputs, &rows);
        size_t before = points->n;
        status = status ? status : cli_points_append(points, &rows, outputs, forces, 1);
        status = status ? status : cli_points_drop_white(ctx, model, before, points);
        cli_points_free(&rows);
    }
    return status;
}

/* NULL is the default; the others are those that lf_covariance distinguishes. */
static int is_covariance_engine(const char *engine)
{
    return !engine || strcmp(engine, "auto") == 0 || strcmp(engine, "dense") == 0 || strcmp(engine, "lowrank") == 0 ||
           strcmp(engine, "features") == 0;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_engine_options engine_options = cli_engine_options(settings);
    lf_model *model = NULL;
    lf_data *inputs = NULL;
    cli_points points = {0};
    lf_points *made = NULL;
    double *K = NULL;
    if (!is_covariance_engine(engine_options.engine)) {
        return cli_fail("--engine '%s': expected dense or features", engine_options.engine);
    }
    int status = cli_read_model(ctx, settings->model, &model);
    status = status ? status : cli_read_inputs(ctx, settings, model, 0, &inputs);
    status = status ? status : cli_refuse_replicates(settings, inputs);
    status = status ? status : make_points(ctx, settings, model, inputs, &points);
    if (status == CLI_DONE) {
        K = points.n > SIZE_MAX / sizeof *K / (points.n + 1) ? NULL : calloc(points.n * points.n + 1, sizeof *K);
        status = K ? CLI_DONE : cli_fail("out of memory for a covariance of %zu rows", points.n);
    }
    if (status == CLI_DONE) {
        status = cli_points_make(ctx, model, &points, &made);
        status = status ? status : cli_check(ctx, lf_covariance(ctx, model, made, &engine_options, K));
    }
    status = status ? status : write_matrix(ctx, settings->output, K, points.n);
    free(K);
    lf_points_free(made);
    cli_points_free(&points);
    lf_data_free(inputs);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND, CLI_END};

static const cli_option options[] = {
    CLI_OPTION(at, .name = "--at", .argument = "INPUTS.csv", .kind = CLI_INPUT, .choice = 1,
               .help = "file of inputs, with the columns output,x; without the column output: every output in turn"),
    CLI_OPTION(with_forces, .name = "--with-forces", .kind = CLI_FLAG,
               .help = "append every force, after the outputs, at the distinct inputs of the file in ascending order"),
    CLI_OUTPUT_OPTION,
    CLI_OPTION(engine, .name = "--engine", .argument = "E", .kind = CLI_TEXT, .group = CLI_ENGINE_GROUP,
               .values = "dense, features, lowrank, auto",
               .help = "dense: the exact covariance (default); features: the approximation of the lowrank engine"),
    CLI_OPTION(nodes, .name = "--nodes", .argument = "R", .kind = CLI_TEXT, .group = CLI_ENGINE_GROUP,
               .values = "auto, uniform, mc, qmc, orthogonal, closed-form, state-space",
               .help = "rule for the frequencies: auto (default), uniform (one input); features only: mc (random), qmc "
                       "(quasi-random, up to 37 inputs), orthogonal (random orthogonal directions); dense only: "
                       "closed-form (no frequencies), state-space (exact for Matern forces, the default for them)"),
    CLI_FEATURES_OPTION,
    CLI_TOLERANCE_OPTION,
    CLI_SEED_OPTION,
    CLI_READ_OPTIONS,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_covariance = {
    .name = "covariance",
    .summary = "write the prior covariance of outputs and forces",
    .description =
        "Writes the prior covariance of the outputs at the rows of a file, without noise and in the units of the data: "
        "a square matrix as CSV, in full precision, without a header.",
    .example = "latentforce covariance model.json --at inputs.csv -o K.csv",
    .operands = operands,
    .options = options,
    .run = run};
