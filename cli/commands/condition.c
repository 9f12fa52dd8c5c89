/* latentforce condition: stores the posterior given data in a model file, so that predictions need no data. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"

static int print_summary(lf_context *ctx, const cli_settings *settings, const lf_model *model,
                         const lf_posterior *posterior)
{
    char note[512], range[64] = "for all inputs";
    lf_posterior_info info = {.size = sizeof info};
    int status = cli_check(ctx, lf_posterior_get(ctx, posterior, &info));
    if (status != CLI_DONE) {
        return status;
    }
    if (isfinite(info.to)) {
        char last[CLI_INPUT_SIZE];
        lf_model_format_input(model, 0, info.to, sizeof last, last);
        snprintf(range, sizeof range, "up to %s%s", cli_input(model, 0).dated ? "" : "x = ", last);
    }
    snprintf(note, sizeof note, "%s: conditioned on %zu rows by the %s engine with %zu columns; valid %s",
             strcmp(settings->output, "-") == 0 ? "standard output" : settings->output, info.rows, info.engine,
             info.columns, range);
    cli_note(NULL, LF_LEVEL_NOTE, note);
    return CLI_DONE;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    lf_data *data = NULL, *training = NULL;
    lf_posterior *posterior = NULL;
    int status = cli_read_model(ctx, settings->model, &model);
    status = status ? status : cli_read_data(ctx, settings, model, settings->rows, &data);
    status = status ? status : cli_select(ctx, model, settings->rows, data, "train", &training);
    status = status ? status : cli_condition_on(ctx, settings, model, training, NULL, &posterior);
    status = status ? status : cli_check(ctx, lf_posterior_store(posterior, model));
    status = status ? status : cli_check(ctx, lf_model_write(ctx, model, settings->output));
    if (status == CLI_DONE && !settings->quiet) {
        status = print_summary(ctx, settings, model, posterior);
    }
    lf_posterior_free(posterior);
    lf_data_free(training);
    lf_data_free(data);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND,
                                      CLI_OPTION(row_files, .name = "DATA", .kind = CLI_INPUTS,
                                                 .help = "data file; rows marked test in a split column are left out"),
                                      CLI_END};

static const cli_option options[] = {
    CLI_OPTION(output, .name = "-o", .argument = "MODEL2", .kind = CLI_NEW_MODEL, .choice = 1,
               .help = "file for the model with its posterior, replaced only when complete; may be MODEL"),
    CLI_ENGINE_OPTIONS,
    CLI_READ_OPTIONS,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_condition = {
    .name = "condition",
    .summary = "store the posterior given data in a model",
    .description =
        "Computes the posterior given the training rows of a data file, at the parameters of the model, and writes the "
        "model with it. Afterwards predict and score need no data. Nothing is fitted.\n\n"
        "The dense and kalman engines store the rows themselves and predict at any input; a kalman posterior can be "
        "continued with newer rows by 'latentforce update'. The lowrank and fourier engines store weights of their "
        "columns, whose number does not depend on the number of rows; with uniform nodes they predict up to the "
        "horizon, which --horizon sets beyond the data. The inducing engines store their inducing values; with exact "
        "covariances they predict at any input.",
    .example = "latentforce condition model.json data.csv --horizon 30 -o conditioned.json",
    .operands = operands,
    .options = options,
    .run = run};
