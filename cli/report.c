/* latentforce report: a page that shows what a model says about data. C gathers the numbers as JSON; scripts in the page
 * draw them. */
#include "report.h"
#include "base/output_file.h"

#include <stdlib.h>

#include "commands.h"
#include "formats.h"
#include "message.h"
#include "session.h"

static void write_texts(FILE *stream, const char *key, int count, const char *const *texts)
{
    fprintf(stream, "\"%s\":[", key);
    for (int i = 0; i < count; i++) {
        fputs(i ? "," : "", stream);
        cli_json_string(stream, texts[i]);
    }
    fputs("],\n", stream);
}

static void write_replicates(const cli_report *report, FILE *stream)
{
    int count = cli_has_named_replicates(report->posterior) ? lf_posterior_replicate_count(report->posterior) : 0;
    fputs("\"replicates\":[", stream);
    for (int r = 0; r < count; r++) {
        fputs(r ? "," : "", stream);
        cli_json_string(stream, lf_posterior_replicate_name(report->posterior, r));
    }
    fputs("],\n", stream);
}

/* Where everything comes from. */
static void write_origin(const cli_report *report, FILE *stream)
{
    const cli_settings *settings = report->settings;
    size_t test = 0;
    for (size_t i = 0; i < report->n; i++) {
        test += report->rows[i].test != 0;
    }
    char *provenance = lf_model_provenance(report->model);
    fprintf(stream, "{\"version\":\"%s\",\"input_dim\":%d,\"training\":%zu,\"test\":%zu,\"stored\":%s,\n", lf_version(),
            lf_model_input_dim(report->model), report->n - test, test, report->stored ? "true" : "false");
    fputs("\"model\":", stream);
    cli_json_string(stream, settings->model);
    fputs(",\"data\":", stream);
    if (settings->data) {
        cli_json_string(stream, settings->data);
    } else {
        fputs("null", stream);
    }
    fprintf(stream, ",\"engine\":\"%s\",\n\"inputs\":[", lf_posterior_engine(report->posterior));
    for (int k = 0; k < lf_model_input_dim(report->model); k++) {
        lf_input_info input = lf_model_input(report->model, k);
        fprintf(stream, "%s[%.10g,%.10g]", k ? "," : "", input.offset, input.scale);
    }
    fputs("],\n", stream);
    write_texts(stream, "command", settings->argc, (const char *const *)settings->argv);
    write_replicates(report, stream);
    fprintf(stream, "\"provenance\":%s,\n", provenance ? provenance : "null");
    lf_free(provenance);
}

static int write_json(const cli_report *report, char **text)
{
    size_t size = 0;
    FILE *stream = open_memstream(text, &size);
    if (!stream) {
        return cli_no_memory();
    }
    write_origin(report, stream);
    int status = cli_report_write_model(report, stream);
    status = status ? status : cli_report_write_charts(report, stream);
    fputs("}\n", stream);
    int failed = ferror(stream);
    return (fclose(stream) || failed) && status == CLI_DONE ? cli_no_memory() : status;
}

static int write_report(lf_context *ctx, const cli_settings *settings, const char *json)
{
    lf_output_file file;
    int status = cli_check(ctx, lf_file_create(ctx, settings->output, &file));
    if (status != CLI_DONE) {
        return status;
    }
    status = cli_report_write_page(settings, json, file.stream);
    status = status ? status : cli_check(ctx, lf_file_commit(ctx, &file));
    lf_file_discard(&file);
    return status;
}

static int run(lf_context *ctx, const cli_settings *settings)
{
    lf_model *model = NULL;
    cli_report report = {.ctx = ctx, .settings = settings};
    char *json = NULL;
    int status = cli_report_check_parts(settings);
    status = status ? status : cli_check(ctx, lf_model_read(ctx, settings->model, &model));
    report.model = model;
    status = status ? status : cli_report_gather(&report);
    status = status ? status : write_json(&report, &json);
    status = status ? status : write_report(ctx, settings, json);
    free(json);
    free(report.rows);
    lf_posterior_free(report.posterior);
    lf_model_free(model);
    return status;
}

static const cli_option operands[] = {CLI_MODEL_OPERAND, CLI_END};

static const cli_option options[] = {
    CLI_OPTION(output, .name = "-o", .argument = "PAGE", .kind = CLI_TEXT, .choice = 1,
               .help = "where the page (HTML) goes; it appears whole or not at all"),
    CLI_OPTION(data, .name = "--data", .argument = "DATA", .kind = CLI_INPUT,
               .help = "rows to show; those marked test are held out: shown, scored, and not used for anything else"),
    CLI_OPTION(dygraphs, .name = "--dygraphs", .argument = "DIR", .kind = CLI_TEXT,
               .help = "folder with dygraph.min.js and dygraph.min.css (default: that of Debian's libjs-dygraphs)"),
    CLI_ENGINE_OPTIONS,
    CLI_IGNORE_OPTION,
    CLI_THREADS_OPTION,
    CLI_QUIET_OPTION,
    CLI_END};

const cli_command cli_report_page = {
    .name = "report",
    .summary = "write a page that shows a model and its data",
    .description =
        "Writes one HTML page that needs neither a network nor any other file: every output with its data, mean and "
        "95 % bands; every force; constants with their standard errors; sensitivities; scores of held-out rows; "
        "residuals; how the fit went; and the commands that made it all. Charts can be zoomed, by mouse or by "
        "keyboard, "
        "and share their time axis.\n\n"
        "What is shown is the posterior stored in the model. It is computed anew from the training rows of --data when "
        "there is none, when it does not reach all rows, or when an option about engines is given. Where there are "
        "more rows than a chart can show, the least and the largest of each short stretch are drawn, and the page says "
        "so; scores and residuals are of all rows. With several inputs there are no charts along time: observed and "
        "predicted values are drawn against each other.",
    .example = "latentforce report model.json --data data.csv -o report.html",
    .operands = operands,
    .options = options,
    .run = run};
