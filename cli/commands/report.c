/* latentforce report: an HTML page with a model and its data, which the library makes. */
#include <stdlib.h>

#include "commands.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"

/* What the page shows. */
static lf_status set_options(lf_context *ctx, const cli_settings *settings, lf_options *options)
{
    const char *variable =
        getenv("LATENTFORCE_DYGRAPHS"); /* the Python package brings dygraphs with it, to wherever it is installed */
    const char *dygraphs = settings->dygraphs ? settings->dygraphs : variable && *variable ? variable : NULL;
    const struct {
        const char *name, *value;
    } texts[] = {{"model", settings->model},
                 {"data", settings->data},
                 {"horizon", settings->horizon},
                 {"dygraphs", dygraphs},
                 {"all-forces", settings->all_forces ? "yes" : NULL}};
    lf_status status = LF_OK;
    for (size_t i = 0; !status && i < sizeof texts / sizeof *texts; i++) {
        status = texts[i].value ? lf_options_set(ctx, options, texts[i].name, texts[i].value) : LF_OK;
    }
    for (int i = 0; !status && i < settings->argc; i++) {
        status = *settings->argv[i] ? lf_options_set(ctx, options, "command", settings->argv[i]) : LF_OK;
    }
    return status;
}

/* The posterior of the training rows by the engine that the options name; NULL: the library finds one. */
static int find_posterior(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *table,
                          lf_posterior **posterior)
{
    lf_data *training = NULL, *rows = NULL;
    cli_points points = {0};
    if (!table) {
        return cli_about(model).has_posterior ? cli_refuse_engine_options("report", settings)
                                              : cli_fail_no_posterior(settings);
    }
    if (!cli_engine_option_given(settings)) {
        return CLI_DONE;
    }
    int status = cli_select(ctx, model, settings->data, table, "train", &training);
    status = status ? status
                    : cli_select(ctx, model, settings->data, table,
                                 cli_count(model, LF_KIND_INPUT) == 1 ? "started" : "outputs", &rows);
    status = status ? status : cli_points_from_inputs(model, rows, 0, &points);
    status = status ? status : cli_condition_on(ctx, settings, model, training, &points, posterior);
    cli_points_free(&points);
    lf_data_free(rows);
    lf_data_free(training);
    return status;
}

static int write(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *table,
                 lf_posterior *posterior)
{
    lf_options *options = NULL;
    lf_report *report = NULL;
    lf_status status = lf_options_create(ctx, "report", &options);
    status = status ? status : set_options(ctx, settings, options);
    status = status ? status : lf_report_create(ctx, model, posterior, table, options, &report);
    status = status ? status : lf_report_write(ctx, report, settings->output);
    lf_report_free(report);
    lf_options_free(options);
    return cli_check(ctx, status);
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    lf_data *table = NULL;
    lf_posterior *posterior = NULL;
    int status = cli_read_model(ctx, settings->model, &model);
    if (status == CLI_DONE && settings->data) {
        status = cli_read_data(ctx, settings, model, settings->data, &table);
    }
    status = status ? status : find_posterior(ctx, settings, model, table, &posterior);
    status = status ? status : write(ctx, settings, model, table, posterior);
    lf_posterior_free(posterior);
    lf_data_free(table);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND, CLI_END};

static const cli_option options[] = {
    CLI_OPTION(output, .name = "-o", .argument = "PAGE", .kind = CLI_RESULT, .choice = 1,
               .help = "file for the page (HTML), replaced only when complete"),
    CLI_OPTION(data_files, .name = "--data", .argument = "DATA", .kind = CLI_INPUTS,
               .help = "rows to show; rows marked test are shown and scored, and not used otherwise; may be repeated"),
    CLI_OPTION(dygraphs, .name = "--dygraphs", .argument = "DIR", .kind = CLI_TEXT,
               .help = "folder with dygraph.min.js and dygraph.min.css (default: LATENTFORCE_DYGRAPHS in the "
                       "environment, else that of Debian's libjs-dygraphs)"),
    CLI_OPTION(all_forces, .name = "--all-forces", .kind = CLI_FLAG,
               .help = "show idle forces too: those that explain less than 1 % of every output"),
    CLI_ENGINE_OPTIONS,
    CLI_READ_OPTIONS,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_report_page = {
    .name = "report",
    .summary = "write an HTML page with a model and its data",
    .description =
        "Writes one HTML page that needs no network and no other files: every output with its data, mean and 95 % "
        "bands; "
        "every force; constants with their standard errors; sensitivities; scores of held-out rows; residuals; the "
        "course of the fit; and the commands that were run. Of models given by equations there are the equations, "
        "their "
        "states and the known inputs too. Charts can be zoomed by mouse, touch or keyboard and share "
        "their time axis, which has dates where the model has them. For two inputs there are maps.\n\n"
        "The page shows the posterior stored in the model. The posterior is computed from the training rows of --data "
        "instead if there is none, if it does not cover all rows, or if an engine option is given. If there are more "
        "rows than a chart can show, the least and the largest of each short interval are drawn, with a remark; scores "
        "and residuals are those of all rows. With several inputs observed values are drawn against predicted values; "
        "with "
        "two there are maps of the mean and the standard deviation.",
    .example = "latentforce report model.json --data data.csv -o report.html",
    .operands = operands,
    .options = options,
    .run = run};
