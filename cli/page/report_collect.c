/* Collects the contents of a report: the rows of the data, the posterior, and its predictions of the rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options/model_parts.h"
#include "options/session.h"
#include "page/report.h"

int cli_report_predict(const cli_report *report, const cli_points *points, double *mean, double *variance)
{
    /* The kalman engine passes over its rows in every call; the others need memory for rows times points. */
    size_t portion = strcmp(lf_posterior_engine(report->posterior), "kalman") == 0 ? points->n : 8192;
    int status = CLI_DONE;
    for (size_t start = 0; status == CLI_DONE && start < points->n; start += portion) {
        cli_points part = {.n = points->n - start < portion ? points->n - start : portion,
                           .input_dim = points->input_dim,
                           .target = points->target + start,
                           .replicate = points->replicate ? points->replicate + start : NULL,
                           .x = points->x + start * (size_t)points->input_dim,
                           .width = points->width ? points->width + start : NULL,
                           .shorten = points->shorten};
        status = cli_points_predict(report->ctx, report->model, report->posterior, &part,
                                    (lf_prediction){.mean = mean + start, .variance = variance + start});
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

/* Restores the stored posterior, unless an engine option is given; drops it again if it does not cover all rows. */
static int restore_posterior(cli_report *report, const lf_data *data, const cli_points *points)
{
    const cli_settings *settings = report->settings;
    int wanted = cli_about(report->model).has_posterior && !(data && cli_engine_option_given(settings));
    if (!wanted) {
        return CLI_DONE;
    }
    int status = cli_restore(report->ctx, "report", settings, report->model, &report->posterior);
    if (status == CLI_DONE && data && !covers(report->posterior, points)) {
        if (!settings->quiet) {
            cli_note(NULL, LF_LEVEL_NOTE,
                     "the stored posterior does not cover all rows; it is computed again from the training rows");
        }
        lf_posterior_free(report->posterior);
        report->posterior = NULL;
    }
    report->stored = report->posterior != NULL;
    if (status == CLI_DONE && report->stored) {
        status = cli_add_inputs(report->ctx, settings->data, data, report->posterior);
    }
    return status;
}

static int compute_posterior(cli_report *report, const lf_data *data, const cli_points *points)
{
    lf_data *training = NULL;
    int status = cli_select(report->ctx, report->model, report->settings->data, data, "train", &training);
    if (status == CLI_DONE) {
        status = cli_condition_on(report->ctx, report->settings, report->model, training, points, &report->posterior);
    }
    lf_data_free(training);
    return status;
}

static int find_posterior(cli_report *report, const lf_data *data, const cli_points *points)
{
    int status = restore_posterior(report, data, points);
    if (status == CLI_DONE && !report->posterior && !data) {
        return cli_fail_no_posterior(report->settings);
    }
    return status || report->posterior ? status : compute_posterior(report, data, points);
}

static int match_replicates(const cli_report *report, const lf_data *data, cli_points *points)
{
    const char *path = report->settings->data;
    int named = cli_has_named_replicates(report->posterior);
    if (named && !points->replicate) {
        return cli_fail(
            "%s: has no replicate column, but the posterior stored in %s has replicates; to condition on the "
            "data instead, give an engine option such as --engine auto",
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
    if (a->x[0] != b->x[0]) {
        return a->x[0] < b->x[0] ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The rows with their predictions, sorted. */
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
        lf_observation row = lf_data_row(data, i);
        report->rows[i] =
            (cli_report_row){.index = i,
                             .output = points->target[i],
                             .replicate = points->replicate ? points->replicate[i] : 0,
                             .test = cli_is_test(row),
                             .x = {row.x[0], points->input_dim > 1 ? row.x[1] : 0},
                             .y = row.y,
                             .sd = row.sd,
                             .mean = mean[i],
                             .variance = variance[i],
                             .noise = cli_output(report->model, points->target[i]).noise_variance + row.sd * row.sd};
    }
    report->n = n;
    qsort(report->rows, n, sizeof *report->rows, compare_rows);
    free(mean);
    return status;
}

/* The range of charts: from the first to the last row, and on to the end of the range of the posterior. */
static int set_limits(cli_report *report)
{
    double from, to;
    int p = cli_count(report->model, LF_KIND_INPUT), known = report->n > 0;
    for (int k = 0; k < 2 && k < p && known; k++) {
        report->low[k] = INFINITY;
        report->high[k] = -INFINITY;
        for (size_t i = 0; i < report->n; i++) {
            report->low[k] = fmin(report->low[k], report->rows[i].x[k]);
            report->high[k] = fmax(report->high[k], report->rows[i].x[k]);
        }
    }
    if (p > 1) {
        known = p == 2 && (known || cli_stored_limits(report->model, report->posterior, report->low, report->high));
        report->has_range = known && report->low[0] < report->high[0] && report->low[1] < report->high[1];
        return CLI_DONE;
    }
    lf_posterior_range(report->posterior, &from, &to);
    if (!known) {
        known = lf_posterior_span(report->posterior, report->low, report->high);
    }
    if (!known && isfinite(from) && isfinite(to)) {
        report->low[0] = from;
        report->high[0] = to;
        known = 1;
    }
    double horizon;
    int status = cli_horizon(report->ctx, report->settings, report->model, &horizon);
    if (status != CLI_DONE) {
        return status;
    }
    if (known && (isfinite(to) || !isnan(horizon))) {
        report->high[0] = fmax(report->high[0], isfinite(to) ? to : horizon);
    }
    report->has_range = known;
    return known ? CLI_DONE
                 : cli_fail("%s: the stored posterior does not contain the range of its training inputs; give the data "
                            "with --data DATA",
                            report->settings->model);
}

static int has_training_rows(const cli_report *report)
{
    for (size_t i = 0; i < report->n; i++) {
        if (!report->rows[i].test) {
            return 1;
        }
    }
    return 0;
}

int cli_report_collect(cli_report *report)
{
    lf_data *table = NULL, *data = NULL; /* all rows, and those of outputs */
    cli_points points = {0};
    int status = CLI_DONE;
    if (report->settings->data) {
        status = cli_read_data(report->ctx, report->settings, report->model, report->settings->data, &table);
        if (status == CLI_DONE) {
            status = cli_select(report->ctx, report->model, report->settings->data, table, "outputs", &data);
        }
        if (status == CLI_DONE) {
            status = cli_drop_before_start(report->ctx, report->settings, report->model, report->settings->data, &data);
        }
        status = status ? status : cli_points_from_inputs(report->model, data, 0, &points);
    }
    status = status ? status : find_posterior(report, table, &points);
    if (data) {
        status = status ? status : match_replicates(report, data, &points);
        status = status ? status : predict_rows(report, data, &points);
    }
    status = status ? status : set_limits(report);
    if (status == CLI_DONE && has_training_rows(report)) {
        status = cli_check(report->ctx, lf_diagnose_residuals(report->posterior, table, &report->diagnosis));
    }
    cli_points_free(&points);
    lf_data_free(data);
    lf_data_free(table);
    return status;
}
