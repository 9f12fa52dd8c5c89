/* The rows of a report and its posterior: the one of the caller, the one stored in the model, or one of the training rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/plural.h"
#include "data/data.h"
#include "page/report.h"

/* What lf_fail says, with the name of the data before it. */
static lf_status name_data(lf_context *ctx, const lf_report *report, lf_status status)
{
    char message[LF_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", lf_context_message(ctx));
    return status && report->settings.data ? lf_fail(ctx, status, "%s: %s", report->settings.data, message) : status;
}

/* An output has no value before the start of the model. */
static lf_status drop_before_start(lf_context *ctx, lf_report *report)
{
    lf_data *started = NULL;
    if (report->model->input_dim > 1) {
        return LF_OK;
    }
    lf_status status = lf_data_choose(ctx, report->data, report->model, "started", &started);
    if (status) {
        return name_data(ctx, report, status);
    }
    size_t dropped = report->data->n - started->n;
    if (dropped > 0) {
        lf_note(ctx,
                "%s: %zu row%s before the start of the model %s left out: an output has no value there; to predict %s "
                "too, fit with --origin at the earliest time",
                lf_report_data_name(report), dropped, lf_plural(dropped), dropped == 1 ? "is" : "are",
                dropped == 1 ? "it" : "them");
    }
    lf_data_free(report->data);
    report->data = started;
    return LF_OK;
}

static lf_status take_rows(lf_context *ctx, lf_report *report)
{
    const lf_data *table = report->table;
    if (table->input_dim != report->model->input_dim) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s: a row has %d input%s, but the model has %d",
                       lf_report_data_name(report), table->input_dim, lf_plural((size_t)table->input_dim),
                       report->model->input_dim);
    }
    lf_status status = name_data(ctx, report, lf_data_choose(ctx, table, report->model, "outputs", &report->data));
    LF_TRY(status, drop_before_start(ctx, report));
    report->rows = status ? NULL : calloc(report->data->n + 1, sizeof *report->rows);
    if (status || !report->rows) {
        return status ? status : lf_no_memory(ctx);
    }
    report->n = report->data->n;
    for (size_t i = 0; i < report->n; i++) {
        const lf_data *data = report->data;
        report->rows[i] = (lf_report_row){
            .index = i,
            .output = lf_model_find_output(report->model, lf_data_name(data, LF_KIND_OUTPUT, (size_t)data->output[i])),
            .replicate = data->replicate[i],
            .test = data->split[i] == LF_SPLIT_TEST,
            .x = data->x + i * (size_t)data->input_dim,
            .y = data->y[i],
            .sd = data->sd[i],
            .width = data->width ? data->width[i] : 0};
    }
    return LF_OK;
}

/* ---- the posterior ---- */

static int covers(const lf_report *report, const lf_posterior *posterior)
{
    double from, to;
    lf_posterior_range(posterior, &from, &to);
    for (size_t i = 0; report->model->input_dim == 1 && i < report->n; i++) {
        if (!(report->rows[i].x[0] >= from && report->rows[i].x[0] <= to)) {
            return 0;
        }
    }
    return 1;
}

/* The stored one, unless it does not cover all rows. */
static lf_status restore_posterior(lf_context *ctx, lf_report *report)
{
    lf_status status = report->model->posterior ? lf_posterior_restore(ctx, report->model, &report->posterior) : LF_OK;
    report->owned = report->posterior != NULL;
    if (!report->posterior) {
        return status;
    }
    if (report->table && !covers(report, report->posterior)) {
        lf_note(ctx, "the stored posterior does not cover all rows; it is computed again from the training rows");
        lf_posterior_free(report->posterior);
        report->posterior = NULL;
        return LF_OK;
    }
    report->stored = 1;
    return report->table ? name_data(ctx, report, lf_posterior_update(ctx, report->posterior, report->table, "inputs"))
                         : LF_OK;
}

/* How far the rows that are shown reach beyond the training rows. */
static lf_status find_reach(lf_context *ctx, const lf_report *report, const lf_data *training,
                            lf_engine_options *options)
{
    double low, high;
    if (report->model->input_dim > 1) {
        return LF_OK;
    }
    lf_data_info info = {.size = sizeof info, .low = &low, .high = &high};
    lf_status status = lf_data_info_get(ctx, training, report->model, &info);
    for (size_t i = 0; !status && i < report->n; i++) {
        options->ahead = fmax(options->ahead, report->rows[i].x[0] - high);
        options->behind = fmax(options->behind, low - report->rows[i].x[0]);
    }
    return status;
}

static lf_status compute_posterior(lf_context *ctx, lf_report *report)
{
    lf_engine_options options = {.size = sizeof options};
    lf_engine *engine = NULL;
    lf_data *training = NULL;
    lf_status status = name_data(ctx, report, lf_data_choose(ctx, report->table, report->model, "train", &training));
    LF_TRY(status, find_reach(ctx, report, training, &options));
    LF_TRY(status, lf_engine_create(ctx, report->model, training, &options, &engine));
    LF_TRY(status, lf_engine_posterior(engine, &report->posterior));
    report->owned = 1;
    lf_engine_free(engine);
    lf_data_free(training);
    return status;
}

/* ---- replicates ---- */

static lf_status match_replicates(lf_context *ctx, lf_report *report)
{
    int named = lf_report_has_named_replicates(report);
    const char *data = lf_report_data_name(report);
    if (named && report->data->replicates.count == 0) {
        return lf_fail(ctx, LF_ERROR_DATA, "%s: has no replicate column, but the posterior%s%s has replicates%s", data,
                       report->stored ? " stored in " : "", report->stored ? lf_report_model_name(report) : "",
                       report->stored ? "; to condition on the data instead, give an engine option such as "
                                        "--engine auto"
                                      : "");
    }
    for (size_t i = 0; i < report->n; i++) {
        int r = report->rows[i].replicate;
        const char *label = r >= 0 ? report->data->replicates.name[r] : "";
        report->rows[i].replicate = r < 0 ? 0 : named ? lf_posterior_find_replicate(report->posterior, label) : -1;
        if (report->rows[i].replicate < 0) {
            return lf_fail(ctx, LF_ERROR_DATA,
                           "%s: the replicate '%s' does not occur in %s, so that nothing is known of it; give rows of "
                           "the training replicates",
                           data, label, report->stored ? lf_report_model_name(report) : "the posterior");
        }
    }
    return LF_OK;
}

static int compare_places(const void *left, const void *right)
{
    const lf_report_row *a = left, *b = right;
    if (a->output != b->output) {
        return a->output < b->output ? -1 : 1;
    }
    if (a->replicate != b->replicate) {
        return a->replicate < b->replicate ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The same with rows of one output and replicate in the order of their input. */
static int compare_times(const void *left, const void *right)
{
    const lf_report_row *a = left, *b = right;
    int together = a->output == b->output && a->replicate == b->replicate;
    return together && a->x[0] != b->x[0] ? (a->x[0] < b->x[0] ? -1 : 1) : compare_places(left, right);
}

lf_status lf_report_collect(lf_context *ctx, lf_report *report, lf_posterior *posterior)
{
    lf_status status = report->table ? take_rows(ctx, report) : LF_OK;
    report->posterior = posterior;
    if (!posterior) {
        LF_TRY(status, restore_posterior(ctx, report));
    }
    if (!status && !report->posterior && !report->table) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s holds no posterior, so the training rows are needed: give --data",
                       lf_report_model_name(report));
    }
    if (!report->posterior) {
        LF_TRY(status, compute_posterior(ctx, report));
    }
    if (report->table) {
        LF_TRY(status, match_replicates(ctx, report));
    }
    if (!status && report->n) {
        qsort(report->rows, report->n, sizeof *report->rows,
              report->model->input_dim == 1 ? compare_times : compare_places);
    }
    return status;
}

void lf_report_drop_outside(lf_report *report)
{
    size_t kept = 0;
    for (size_t i = 0; i < report->n; i++) {
        if (report->rows[i].x[0] >= report->low[0] && report->rows[i].x[0] <= report->high[0]) {
            report->rows[kept++] = report->rows[i];
        }
    }
    report->n = kept;
}

size_t lf_report_count(const lf_report *report, int test)
{
    size_t count = 0;
    for (size_t i = 0; i < report->n; i++) {
        count += report->rows[i].test == test;
    }
    return count;
}
