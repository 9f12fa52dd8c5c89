/* latentforce update: continues a stored posterior with newer rows, without the old rows. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"

/* rows: how many rows of outputs; 0: there were only readings of known inputs. */
static void print_summary(const cli_settings *settings, const lf_model *model, size_t rows,
                          const lf_posterior *posterior)
{
    const char *name = strcmp(settings->output, "-") == 0 ? "standard output" : settings->output;
    char note[512], shown[CLI_INPUT_SIZE];
    double from = cli_posterior(posterior).from;
    lf_model_format_input(model, 0, from, sizeof shown, shown);
    if (rows == 0) {
        snprintf(note, sizeof note, "%s: has the new readings of known inputs; the rows of outputs are as before",
                 name);
    } else {
        snprintf(note, sizeof note, "%s: continued with %zu rows; valid from %s%s on", name, rows,
                 cli_input(model, 0).dated ? "" : "x = ", shown);
    }
    cli_note(NULL, LF_LEVEL_NOTE, note);
}

/* How many rows of outputs there are for the filter; without any, readings of known inputs are added. */
static int take_rows(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *data,
                     lf_posterior *posterior, size_t *count)
{
    lf_data *rows = NULL;
    lf_data_info info = {.size = sizeof info};
    lf_status status = lf_data_select(ctx, data, model, "train", &rows);
    status = status ? status : lf_data_info_get(ctx, rows, model, &info);
    status = status ? status : lf_posterior_update(ctx, posterior, data, NULL);
    lf_data_free(rows);
    *count = info.rows;
    return status ? cli_fail("%s: %s", settings->rows, lf_context_message(ctx)) : CLI_DONE;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    lf_data *data = NULL;
    size_t count = 0;
    lf_posterior *posterior = NULL;
    int status = cli_read_model(ctx, settings->model, &model);
    if (status == CLI_DONE && !cli_about(model).has_posterior) {
        status = cli_fail("%s: holds no posterior to continue; store one with 'latentforce condition --engine kalman'",
                          settings->model);
    }
    status = status ? status : cli_restore(ctx, "update", settings, model, &posterior);
    status = status ? status : cli_read_data(ctx, settings, model, settings->rows, &data);
    status = status ? status : take_rows(ctx, settings, model, data, posterior, &count);
    status = status ? status : cli_check(ctx, lf_posterior_store(posterior, model));
    status = status ? status : cli_check(ctx, lf_model_write(ctx, model, settings->output));
    if (status == CLI_DONE && !settings->quiet) {
        print_summary(settings, model, count, posterior);
    }
    lf_posterior_free(posterior);
    lf_data_free(data);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {
    CLI_MODEL_OPERAND,
    CLI_OPTION(row_files, .name = "NEW", .kind = CLI_INPUTS,
               .help = "data file with newer rows; rows marked test in a split column are left out"),
    CLI_END};

static const cli_option options[] = {
    CLI_OPTION(output, .name = "-o", .argument = "MODEL2", .kind = CLI_NEW_MODEL, .choice = 1,
               .help = "file for the continued model, replaced only when complete; may be MODEL"),
    CLI_READ_OPTIONS, CLI_QUIET_OPTION, CLI_END};

const cli_command cli_update = {
    .name = "update",
    .summary = "continue a stored posterior with newer rows, without the old rows",
    .description =
        "Continues the filter of a posterior that the kalman engine has stored with newer rows. Predictions are then "
        "those from all rows together. The old rows are neither needed nor kept, so the model file does not grow; the "
        "new "
        "posterior predicts from the last of the old rows on.\n\n"
        "Rows older than the last row are refused; a row of another output at the same input is accepted. Every "
        "replicate "
        "continues from its own last row; replicates without new rows are unchanged. Readings of known inputs in NEW "
        "are "
        "kept with the old ones; a file with nothing else, such as a weather forecast, only adds these.",
    .example = "latentforce update model.json today.csv -o model.json",
    .operands = operands,
    .options = options,
    .run = run};
