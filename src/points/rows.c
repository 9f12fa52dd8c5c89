/* Groups the rows of a data table by replicate and sorts them by output. */
#include "points/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"

/* target (outputs of the data): their indices in the model; -1 - i for known input i. */
static lf_status match_outputs(lf_context *ctx, const lf_model *model, const lf_data *data, int *target)
{
    for (int d = 0; d < data->outputs.count; d++) {
        int known = lf_model_find_known(model, data->outputs.name[d]);
        target[d] = known < 0 ? lf_model_find_output(model, data->outputs.name[d]) : -1 - known;
        if (known < 0 && target[d] < 0) {
            return lf_fail(ctx, LF_ERROR_DATA, "output '%s' of the data is not in the model", data->outputs.name[d]);
        }
    }
    return LF_OK;
}

static lf_status fill_replicate(lf_context *ctx, const lf_model *model, const lf_data *data,
                                const lf_point_list *points, size_t count, const size_t *rows, lf_replicate *replicate)
{
    lf_status status = lf_point_set_create(ctx, model, points, count, rows, &replicate->points);
    if (status) {
        return status;
    }
    replicate->y = lf_doubles(count, 1);
    replicate->variance = lf_doubles(count, 1);
    if (!replicate->y || !replicate->variance) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < count; i++) {
        size_t row = replicate->points.order[i];
        replicate->y[i] = data->y[row];
        replicate->variance[i] = data->sd[row] * data->sd[row];
    }
    return LF_OK;
}

/* Times must count from the same date in the same unit. */
static lf_status check_axis(lf_context *ctx, const lf_model *model, const lf_data *data)
{
    const lf_axis *ours = lf_model_axis(model, 0), *theirs = &data->axes[0];
    int units = ours->unit && theirs->unit && strcmp(ours->unit, theirs->unit) != 0;
    int dates = ours->dated != theirs->dated || (ours->dated && ours->zero != theirs->zero);
    int known = lf_axis_is_known(ours) && lf_axis_is_known(theirs);
    return known && (units || dates)
               ? lf_fail(
                     ctx, LF_ERROR_DATA,
                     "the times of the data and of the model differ in their unit or in the date of 0: read the data "
                     "for this model (lf_read_options.model)")
               : LF_OK;
}

/* The replicate of a row, by number. */
static size_t replicate_of(const lf_data *data, size_t row)
{
    return data->replicate[row] < 0 ? 0 : (size_t)data->replicate[row];
}

static lf_status check_row(lf_context *ctx, const lf_data *data, size_t row)
{
    if (data->output[row] < 0 || !isfinite(data->y[row])) {
        return lf_fail(ctx, LF_ERROR_DATA, "row %zu has no output or no value", row);
    }
    return data->replicate[row] < 0 && data->replicates.count > 0
               ? lf_fail(ctx, LF_ERROR_DATA, "row %zu has no replicate while others have", row)
               : LF_OK;
}

/* The readings of the known inputs among the rows of a replicate. output: as match_outputs gives it. */
static lf_status fill_known(lf_context *ctx, const lf_model *model, const lf_data *data, const int *output, size_t r,
                            lf_replicate *replicate)
{
    lf_status status = model->known_count ? lf_known_set_create(ctx, model->known_count, &replicate->known) : LF_OK;
    for (size_t i = 0; !status && model->known_count && i < data->n; i++) {
        int known = -1 - output[data->output[i]];
        if (known >= 0 && replicate_of(data, i) == r) {
            status =
                data->width && data->width[i] > 0
                    ? lf_fail(ctx, LF_ERROR_DATA,
                              "input '%s' has a reading with a width, at %.10g: only readings of outputs are means "
                              "over a time; leave its width empty",
                              model->known[known].name, data->x[i])
                    : lf_known_series_add(ctx, &replicate->known.series[known], data->x[i], data->y[i]);
        }
    }
    for (int i = 0; !status && i < replicate->known.count; i++) {
        status = lf_known_series_sort(ctx, model, i, &replicate->known.series[i]);
    }
    return status;
}

/* The rows that are readings of outputs, by replicate. */
typedef struct sorted_rows {
    int labels;      /* replicates of the table */
    int *output;     /* of the model, of each output of the table; -1 - k: known input k */
    int *target;     /* (rows of the table) their outputs */
    size_t *row;     /* (n) */
    size_t *start;   /* (labels + 2) */
    double *present; /* (labels) > 0: some process has rows */
    double *latest;  /* (labels) the last of them */
} sorted_rows;

static lf_status sort_rows(lf_context *ctx, const lf_data *data, sorted_rows *by, lf_rows *rows)
{
    lf_status status = LF_OK;
    int labels = by->labels, *target = by->target;
    size_t *start = by->start;
    double *latest = by->latest;
    for (int r = 0; r < labels; r++) {
        latest[r] = -INFINITY;
    }
    for (size_t i = 0; !status && i < data->n; i++) { /* start[r + 2]: size of replicate r */
        status = check_row(ctx, data, i);
        target[i] = status ? 0 : by->output[data->output[i]];
        if (!status && target[i] >= 0) {
            start[replicate_of(data, i) + 2]++;
            rows->n++;
            rows->earliest = fmin(rows->earliest, data->x[i * (size_t)data->input_dim]);
            rows->latest = fmax(rows->latest, data->x[i * (size_t)data->input_dim]);
            latest[replicate_of(data, i)] = fmax(latest[replicate_of(data, i)], data->x[i * (size_t)data->input_dim]);
        }
    }
    for (int r = 0; !status && r < labels; r++) {
        start[r + 2] += start[r + 1];
    }
    for (size_t i = 0; !status && i < data->n; i++) { /* start[r + 1] advances to the end of replicate r */
        if (target[i] >= 0) {
            by->row[start[replicate_of(data, i) + 1]++] = i;
        }
    }
    return status;
}

/* What all processes know of the rows of a shared table. */
static lf_status add_processes(lf_context *ctx, lf_status status, const lf_data *data, sorted_rows *by, lf_rows *rows)
{
    double limits[] = {-rows->earliest, rows->latest}, n = (double)rows->n;
    uint64_t *fingerprints = NULL;
    size_t count = (size_t)lf_process_count(ctx);
    for (int r = 0; !status && r < by->labels; r++) {
        by->present[r] = by->start[r + 1] > by->start[r];
    }
    if (!data->shared) {
        return status;
    }
    fingerprints = calloc(count, sizeof *fingerprints);
    status = status || fingerprints ? status : lf_no_memory(ctx);
    status = lf_sum(ctx, status, 1, &n);
    LF_TRY(status, lf_largest(ctx, LF_OK, 2, limits));
    LF_TRY(status, lf_largest(ctx, LF_OK, (size_t)by->labels, by->latest));
    if (!status && data->shared != LF_BY_REPLICATES) {
        status = lf_sum(ctx, LF_OK, (size_t)by->labels, by->present);
    }
    LF_TRY(status, lf_gather(ctx, sizeof *fingerprints, &rows->fingerprint, fingerprints));
    rows->fingerprint = 0;
    for (size_t i = 0; !status && i < count; i++) {
        rows->fingerprint += fingerprints[i];
    }
    free(fingerprints);
    rows->n = (size_t)n;
    rows->earliest = -limits[0];
    rows->latest = limits[1];
    rows->shared = count > 1 ? (int)count : 0; /* one process has all of them */
    return status;
}

/* Fingerprint and step, which are those of the rows of outputs. */
static lf_status describe_rows(lf_context *ctx, const lf_model *model, const lf_data *data, lf_rows *rows)
{
    lf_data *outputs = NULL;
    lf_status status = LF_OK;
    if (model->known_count > 0 && (data->n > 0 || data->shared)) {
        status = lf_data_choose(ctx, data, model, "outputs", &outputs);
    }
    const lf_data *described = outputs ? outputs : data;
    rows->hashes = calloc(described->n + 1, sizeof *rows->hashes);
    status = status || rows->hashes ? status : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < described->n; i++) {
        rows->hashes[i] = lf_data_row_fingerprint(described, i);
        rows->fingerprint += rows->hashes[i];
        rows->hash_count++;
    }
    if (!status && !data->shared) {
        status = lf_data_find_step(described, &rows->step, &rows->gaps, &rows->steps) ? LF_OK : lf_no_memory(ctx);
    }
    lf_data_free(outputs);
    return status;
}

static lf_status check_table(lf_context *ctx, const lf_model *model, const lf_data *data)
{
    if (data->n == 0 && !data->shared) {
        return lf_fail(ctx, LF_ERROR_DATA, "there are no rows");
    }
    if (data->input_dim != model->input_dim) {
        return lf_fail(ctx, LF_ERROR_DATA, "the data have %d inputs, the model has %d", data->input_dim,
                       model->input_dim);
    }
    return check_axis(ctx, model, data);
}

lf_status lf_rows_create(lf_context *ctx, const lf_model *model, const lf_data *data, lf_rows *rows)
{
    *rows = (lf_rows){.earliest = INFINITY, .latest = -INFINITY, .step = NAN};
    int labels = data->replicates.count > 0 ? data->replicates.count : 1;
    sorted_rows by = {.labels = labels,
                      .output = calloc((size_t)data->outputs.count + 1, sizeof *by.output),
                      .target = calloc(data->n + 1, sizeof *by.target),
                      .row = calloc(data->n + 1, sizeof *by.row),
                      .start = calloc((size_t)labels + 2, sizeof *by.start),
                      .present = lf_doubles((size_t)labels, 1),
                      .latest = lf_doubles((size_t)labels, 1)};
    rows->replicates = calloc((size_t)labels, sizeof *rows->replicates);
    int allocated = by.output && by.target && by.row && by.start && by.present && by.latest && rows->replicates;
    lf_status status = allocated ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, describe_rows(ctx, model, data, rows));
    LF_TRY(status, check_table(ctx, model, data));
    LF_TRY(status, match_outputs(ctx, model, data, by.output));
    LF_TRY(status, sort_rows(ctx, data, &by, rows));
    status = add_processes(ctx, status, data, &by, rows);
    if (!status && rows->n == 0) {
        status = lf_fail(ctx, LF_ERROR_DATA, "there are no rows of an output");
    }
    lf_point_list points = {.n = data->n, .target = by.target, .x = data->x, .width = data->width};
    for (int r = 0; !status && r < labels; r++) {
        size_t count = by.start[r + 1] - by.start[r];
        const char *name = data->replicates.count ? data->replicates.name[r] : "";
        if (!(by.present[r] > 0)) {
            continue; /* lf_data_choose may have left a label without rows */
        }
        if (lf_names_add(&rows->names, name, strlen(name)) < 0) {
            status = lf_no_memory(ctx);
            break;
        }
        lf_replicate *replicate = &rows->replicates[rows->count++];
        replicate->latest = by.latest[r];
        status = fill_replicate(ctx, model, data, &points, count, by.row + by.start[r], replicate);
        LF_TRY(status, fill_known(ctx, model, data, by.output, (size_t)r, replicate));
        rows->averages = rows->averages || replicate->points.width;
    }
    free(by.output);
    free(by.target);
    free(by.row);
    free(by.start);
    free(by.present);
    free(by.latest);
    double averages = rows->averages;
    status = data->shared ? lf_largest(ctx, status, 1, &averages) : status;
    rows->averages = averages > 0;
    if (status) {
        lf_rows_clear(rows);
    }
    return status;
}

void lf_replicate_clear(lf_replicate *replicate)
{
    lf_point_set_clear(&replicate->points);
    free(replicate->y);
    free(replicate->variance);
    free(replicate->mean);
    lf_known_set_clear(&replicate->known);
    *replicate = (lf_replicate){0};
}

lf_status lf_replicate_copy(lf_context *ctx, const lf_model *model, const lf_replicate *from, lf_replicate *to)
{
    size_t n = from->points.n;
    int *target = calloc(n + 1, sizeof *target);
    to->y = lf_doubles(n, 1);
    to->variance = lf_doubles(n, 1);
    lf_status status = target && to->y && to->variance ? LF_OK : lf_no_memory(ctx);
    for (int g = 0; !status && g < from->points.group_count; g++) {
        for (size_t i = from->points.start[g]; i < from->points.start[g + 1]; i++) {
            target[i] = from->points.target[g];
        }
    }
    lf_point_list points = {.n = n, .target = target, .x = from->points.x, .width = from->points.width};
    LF_TRY(status, lf_point_set_sort(ctx, model, &points, n, NULL, &to->points));
    if (!status) {
        memcpy(to->y, from->y, n * sizeof *to->y);
        memcpy(to->variance, from->variance, n * sizeof *to->variance);
    }
    if (!status && from->mean) {
        to->mean = lf_doubles(n, 1);
        status = to->mean ? LF_OK : lf_no_memory(ctx);
    }
    if (!status && from->mean) {
        memcpy(to->mean, from->mean, n * sizeof *to->mean);
    }
    if (!status && from->known.count) {
        status = lf_known_set_create(ctx, from->known.count, &to->known);
        LF_TRY(status, lf_known_set_merge(ctx, &from->known, &to->known));
    }
    free(target);
    return status;
}

void lf_rows_clear(lf_rows *rows)
{
    for (int r = 0; r < rows->count; r++) {
        lf_replicate_clear(&rows->replicates[r]);
    }
    free(rows->replicates);
    free(rows->hashes);
    lf_names_clear(&rows->names);
    lf_data_free(rows->source);
    if (rows->sample) {
        lf_rows_clear(rows->sample);
        free(rows->sample);
    }
    *rows = (lf_rows){0};
}

void lf_rows_scaled(const lf_model *model, const lf_replicate *replicate, double *y, double *noise)
{
    const lf_point_set *points = &replicate->points;
    for (int g = 0; g < points->group_count; g++) {
        const lf_output *output = &model->outputs[points->target[g]];
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            y[i] = (replicate->y[i] - output->offset) / output->scale - (replicate->mean ? replicate->mean[i] : 0);
            noise[i] = (output->likelihood ? 0 : output->noise_variance) +
                       replicate->variance[i] / (output->scale * output->scale);
        }
    }
}

lf_status lf_check_noise(lf_context *ctx, const lf_model *model, const lf_rows *rows, const double *noise)
{
    for (int r = 0; r < rows->count; r++) {
        const lf_replicate *replicate = &rows->replicates[r];
        const lf_point_set *points = &replicate->points;
        for (int g = 0; g < points->group_count; g++) {
            const lf_output *output = &model->outputs[points->target[g]];
            for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
                double variance = noise               ? noise[i]
                                  : rows->any_targets ? 1
                                                      : fmax(output->noise_variance, replicate->variance[i]);
                if (variance <= 0) {
                    return lf_fail(ctx, LF_ERROR_MODEL,
                                   "output '%s': its noise_variance is 0; the feature engines need noise on every row",
                                   output->name);
                }
            }
        }
        noise = noise ? noise + points->n : NULL;
    }
    return LF_OK;
}
