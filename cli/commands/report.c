/* latentforce report: an HTML page with a model and its data. C collects the numbers as JSON; scripts in the page draw
 * them. */
#include "page/report.h"
#include "base/output_file.h"

#include <errno.h>
#include <stdlib.h>

#include "commands.h"
#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"
#include "show/formats.h"
#include "show/quantity.h"
#include "show/verdict.h"

static void write_strings(FILE *stream, const char *key, int count, const char *const *strings)
{
    fprintf(stream, "\"%s\":[", key);
    for (int i = 0; i < count; i++) {
        fputs(i ? "," : "", stream);
        cli_json_string(stream, strings[i]);
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

/* What an input measures; dated ones have the time of 0 in seconds since 1970 and the seconds of their unit. */
static void write_input(const lf_model *model, int k, FILE *stream)
{
    lf_label input = cli_input(model, k);
    char name[CLI_LABEL_SIZE];
    cli_input_name(model, k, name);
    fputs("{\"name\":", stream);
    cli_json_string(stream, name);
    fputs(",\"unit\":", stream);
    cli_json_string(stream, input.unit);
    fprintf(stream, ",\"seconds\":%.10g,\"offset\":%.10g,\"scale\":%.10g", input.seconds, input.offset, input.scale);
    if (input.dated) {
        fprintf(stream, ",\"zero\":%.15g", input.zero);
    }
    fputc('}', stream);
}

/* Files, sizes, engine, commands and provenance. */
static int write_origin(const cli_report *report, FILE *stream)
{
    const cli_settings *settings = report->settings;
    size_t test = 0;
    for (size_t i = 0; i < report->n; i++) {
        test += report->rows[i].test != 0;
    }
    char *provenance = NULL;
    int status = cli_check(report->ctx, lf_model_json(report->ctx, report->model, "provenance", &provenance));
    if (status != CLI_DONE) {
        return status;
    }
    fprintf(stream, "{\"version\":\"%s\",\"input_dim\":%d,\"training\":%zu,\"test\":%zu,\"stored\":%s,\n", lf_version(),
            cli_count(report->model, LF_KIND_INPUT), report->n - test, test, report->stored ? "true" : "false");
    fputs("\"model\":", stream);
    cli_json_string(stream, settings->model);
    fputs(",\"data\":", stream);
    if (settings->data) {
        cli_json_string(stream, settings->data);
    } else {
        fputs("null", stream);
    }
    fprintf(stream, ",\"engine\":\"%s\",\n\"inputs\":[", lf_posterior_engine(report->posterior));
    for (int k = 0; k < cli_count(report->model, LF_KIND_INPUT); k++) {
        fputs(k ? ",\n" : "", stream);
        write_input(report->model, k, stream);
    }
    fputs("],\n", stream);
    write_strings(stream, "command", settings->argc, (const char *const *)settings->argv);
    write_replicates(report, stream);
    fprintf(stream, "\"provenance\":%s,\n", provenance ? provenance : "null");
    lf_free(provenance);
    return CLI_DONE;
}

static int write_json(const cli_report *report, char **text)
{
    size_t size = 0;
    errno = 0;
    FILE *stream = open_memstream(text, &size);
    if (!stream) {
        return cli_no_memory();
    }
    int status = write_origin(report, stream);
    fputs("\"verdict\":", stream);
    status = status ? status : cli_verdict_json(report->ctx, stream, report->model);
    fputs(",\n", stream);
    status = status ? status : cli_report_write_model(report, stream);
    status = status ? status : cli_report_write_charts(report, stream);
    fputs("}\n", stream);
    int failed = ferror(stream);
    failed |=
        fclose(stream) != 0 || !*text || errno == ENOMEM; /* the C library may report success without all of the text */
    return failed && status == CLI_DONE ? cli_no_memory() : status;
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
    status = status ? status : cli_read_model(ctx, settings->model, &model);
    report.model = model;
    status = status ? status : cli_report_collect(&report);
    status = status ? status : write_json(&report, &json);
    status = status ? status : write_report(ctx, settings, json);
    free(json);
    free(report.rows);
    lf_diagnosis_free(report.diagnosis);
    lf_posterior_free(report.posterior);
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
