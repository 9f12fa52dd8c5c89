/* latentforce report: a page that shows what a model says about data. C gathers the numbers as JSON; scripts in the page
 * draw them. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "formats.h"
#include "message.h"
#include "session.h"

int cli_report_predict(const cli_report *report, const cli_points *points, double *mean, double *variance)
{
    /* The kalman engine goes through its rows once for every question; the others hold rows times points. */
    size_t portion = strcmp(lf_posterior_engine(report->posterior), "kalman") == 0 ? points->n : 8192;
    int status = CLI_DONE;
    for (size_t start = 0; status == CLI_DONE && start < points->n; start += portion) {
        lf_points part = {.n = points->n - start < portion ? points->n - start : portion,
                          .target = points->target + start,
                          .replicate = points->replicate ? points->replicate + start : NULL,
                          .x = points->x + start * (size_t)points->input_dim};
        status = cli_check(report->ctx, lf_predict(report->posterior, &part, mean + start, variance + start, NULL));
    }
    for (size_t i = 0; i < points->n; i++) {
        variance[i] = fmax(variance[i], 0);
    }
    return status;
}

static int covers(const lf_posterior *posterior, const cli_points *points)
{
    double from, to;
    lf_posterior_range(posterior, &from, &to);
    for (size_t i = 0; points->input_dim == 1 && i < points->n; i++) {
        if (!(points->x[i] >= from && points->x[i] <= to)) {
            return 0;
        }
    }
    return 1;
}

/* The stored posterior, unless there is none, an option about engines asks for another, or it does not reach the rows. */
static int take_stored(cli_report *report, const lf_data *data, const cli_points *points)
{
    const cli_settings *settings = report->settings;
    int wanted = lf_model_has_posterior(report->model) && !(data && cli_engine_option_given(settings));
    if (!wanted) {
        return CLI_DONE;
    }
    int status = cli_restore(report->ctx, "report", settings, report->model, &report->posterior);
    if (status == CLI_DONE && data && !covers(report->posterior, points)) {
        lf_posterior_free(report->posterior);
        report->posterior = NULL;
    }
    report->stored = report->posterior != NULL;
    return status;
}

static int condition_anew(cli_report *report, const lf_data *data, const cli_points *points)
{
    lf_data *training = NULL;
    int status = cli_select(report->ctx, report->settings->data, data, LF_SPLIT_TRAIN, &training);
    if (status == CLI_DONE) {
        status = cli_condition_on(report->ctx, report->settings, report->model, training, points, &report->posterior);
    }
    lf_data_free(training);
    return status;
}

static int take_posterior(cli_report *report, const lf_data *data, const cli_points *points)
{
    const char *model = report->settings->model;
    int status = take_stored(report, data, points);
    if (status == CLI_DONE && !report->posterior && !data) {
        return cli_fail("%s: holds no posterior, so the training data are needed: give them with --data DATA, or "
                        "store a posterior with 'latentforce condition'",
                        model);
    }
    return status || report->posterior ? status : condition_anew(report, data, points);
}

static int match_replicates(const cli_report *report, const lf_data *data, cli_points *points)
{
    const char *path = report->settings->data;
    int named = cli_has_named_replicates(report->posterior);
    if (named && !points->replicate) {
        return cli_fail(
            "%s: has no replicate column, but the posterior stored in %s has replicates; to condition on the "
            "data instead name an engine, as in --engine auto",
            path, report->settings->model);
    }
    return cli_points_match_replicates(points, data, path, report->posterior, named,
                                       report->stored ? report->settings->model : path);
}

static int compare_rows(const void *left, const void *right)
{
    const cli_report_row *a = left, *b = right;
    if (a->output != b->output) {
        return a->output < b->output ? -1 : 1;
    }
    if (a->replicate != b->replicate) {
        return a->replicate < b->replicate ? -1 : 1;
    }
    if (a->x != b->x) {
        return a->x < b->x ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Every row with its prediction, sorted. */
static int predict_rows(cli_report *report, const lf_data *data, const cli_points *points)
{
    size_t n = points->n;
    double *mean = calloc(2 * n + 1, sizeof *mean), *variance = mean + n;
    report->rows = calloc(n + 1, sizeof *report->rows);
    if (!mean || !report->rows) {
        free(mean);
        return cli_no_memory();
    }
    int status = cli_report_predict(report, points, mean, variance);
    for (size_t i = 0; status == CLI_DONE && i < n; i++) {
        lf_row row = lf_data_row(data, i);
        report->rows[i] =
            (cli_report_row){.index = i,
                             .output = points->target[i],
                             .replicate = points->replicate ? points->replicate[i] : 0,
                             .test = row.split == LF_SPLIT_TEST,
                             .x = row.x[0],
                             .y = row.y,
                             .sd = row.sd,
                             .mean = mean[i],
                             .variance = variance[i],
                             .noise = lf_model_noise_variance(report->model, points->target[i]) + row.sd * row.sd};
    }
    report->n = n;
    qsort(report->rows, n, sizeof *report->rows, compare_rows);
    free(mean);
    return status;
}

/* From the first to the last row and on to where the posterior was asked to reach. */
static int set_limits(cli_report *report)
{
    double from, to;
    int known = report->n > 0;
    report->low = INFINITY;
    report->high = -INFINITY;
    for (size_t i = 0; i < report->n; i++) {
        report->low = fmin(report->low, report->rows[i].x);
        report->high = fmax(report->high, report->rows[i].x);
    }
    lf_posterior_range(report->posterior, &from, &to);
    if (!known) {
        known = lf_posterior_span(report->posterior, &report->low, &report->high);
    }
    if (!known && isfinite(from) && isfinite(to)) {
        report->low = from;
        report->high = to;
        known = 1;
    }
    if (known && (isfinite(to) || !isnan(report->settings->horizon))) {
        report->high = fmax(report->high, isfinite(to) ? to : report->settings->horizon);
    }
    if (!known && lf_model_input_dim(report->model) == 1) {
        return cli_fail("%s: the posterior stored in it does not say where its training inputs lie; give the data with "
                        "--data DATA",
                        report->settings->model);
    }
    return CLI_DONE;
}

/* Rows, posterior and predictions. */
static int gather(cli_report *report)
{
    lf_data *data = NULL;
    cli_points points = {0};
    int status = CLI_DONE;
    if (report->settings->data) {
        status = cli_read_data(report->ctx, report->settings, report->model, report->settings->data, &data);
        status = status ? status : cli_points_from_inputs(report->model, data, 0, &points);
    }
    status = status ? status : take_posterior(report, data, &points);
    if (data) {
        status = status ? status : match_replicates(report, data, &points);
        status = status ? status : predict_rows(report, data, &points);
    }
    status = status ? status : set_limits(report);
    cli_points_free(&points);
    lf_data_free(data);
    return status;
}

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
    fprintf(stream, ",\"engine\":\"%s\",\n", lf_posterior_engine(report->posterior));
    write_texts(stream, "command", settings->argc, (const char *const *)settings->argv);
    write_replicates(report, stream);
    fprintf(stream, "\"provenance\":%s,\n", provenance ? provenance : "null");
    free(provenance);
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
    int status = cli_check(ctx, lf_model_read(ctx, settings->model, &model));
    report.model = model;
    status = status ? status : gather(&report);
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
