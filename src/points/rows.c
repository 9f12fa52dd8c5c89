/* Groups the rows of a data table by replicate and sorts them by output. */
#include "points/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"

/* target (outputs of the data): their indices in the model. */
static lf_status match_outputs(lf_context *ctx, const lf_model *model, const lf_data *data, int *target)
{
    for (int d = 0; d < data->outputs.count; d++) {
        target[d] = lf_model_find_output(model, data->outputs.name[d]);
        if (target[d] < 0) {
            return lf_fail(ctx, LF_ERROR_DATA, "output '%s' of the data is not in the model", data->outputs.name[d]);
        }
    }
    return LF_OK;
}

static lf_status fill_replicate(lf_context *ctx, const lf_model *model, const lf_data *data, const lf_points *points,
                                size_t count, const size_t *rows, lf_replicate *replicate)
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

lf_status lf_rows_create(lf_context *ctx, const lf_model *model, const lf_data *data, lf_rows *rows)
{
    *rows =
        (lf_rows){.n = data->n, .earliest = INFINITY, .latest = -INFINITY, .fingerprint = lf_data_fingerprint(data)};
    if (!lf_data_find_step(data, &rows->step)) {
        return lf_no_memory(ctx);
    }
    if (data->n == 0) {
        return lf_fail(ctx, LF_ERROR_DATA, "there are no rows");
    }
    if (data->input_dim != model->input_dim) {
        return lf_fail(ctx, LF_ERROR_DATA, "the data have %d inputs, the model has %d", data->input_dim,
                       model->input_dim);
    }
    lf_status same = check_axis(ctx, model, data);
    if (same) {
        return same;
    }
    int labels = data->replicates.count > 0 ? data->replicates.count : 1;
    int *output = calloc((size_t)data->outputs.count + 1, sizeof *output);
    int *target = calloc(data->n, sizeof *target);
    size_t *sorted = calloc(data->n, sizeof *sorted), *start = calloc((size_t)labels + 2, sizeof *start);
    rows->replicates = calloc((size_t)labels, sizeof *rows->replicates);
    lf_status status = output && target && sorted && start && rows->replicates ? LF_OK : lf_no_memory(ctx);
    status = status ? status : match_outputs(ctx, model, data, output);
    for (size_t i = 0; !status && i < data->n; i++) { /* start[r + 2]: size of replicate r */
        if (data->output[i] < 0 || !isfinite(data->y[i])) {
            status = lf_fail(ctx, LF_ERROR_DATA, "row %zu has no output or no value", i);
        } else if (data->replicate[i] < 0 && data->replicates.count > 0) {
            status = lf_fail(ctx, LF_ERROR_DATA, "row %zu has no replicate while others have", i);
        } else {
            target[i] = output[data->output[i]];
            start[(data->replicate[i] < 0 ? 0 : data->replicate[i]) + 2]++;
            rows->earliest = fmin(rows->earliest, data->x[i * (size_t)data->input_dim]);
            rows->latest = fmax(rows->latest, data->x[i * (size_t)data->input_dim]);
        }
    }
    for (int r = 0; !status && r < labels; r++) {
        start[r + 2] += start[r + 1];
    }
    for (size_t i = 0; !status && i < data->n; i++) { /* start[r + 1] advances to the end of replicate r */
        sorted[start[(data->replicate[i] < 0 ? 0 : data->replicate[i]) + 1]++] = i;
    }
    lf_points points = {.n = data->n, .target = target, .x = data->x};
    for (int r = 0; !status && r < labels; r++) {
        size_t count = start[r + 1] - start[r];
        const char *name = data->replicates.count ? data->replicates.name[r] : "";
        if (count == 0) {
            continue; /* lf_data_select may have left a label without rows */
        }
        if (lf_names_add(&rows->names, name, strlen(name)) < 0) {
            status = lf_no_memory(ctx);
            break;
        }
        status = fill_replicate(ctx, model, data, &points, count, sorted + start[r], &rows->replicates[rows->count++]);
    }
    free(output);
    free(target);
    free(sorted);
    free(start);
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
    lf_points points = {.n = n, .target = target, .x = from->points.x};
    status = status ? status : lf_point_set_sort(ctx, model, &points, n, NULL, &to->points);
    if (!status) {
        memcpy(to->y, from->y, n * sizeof *to->y);
        memcpy(to->variance, from->variance, n * sizeof *to->variance);
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
    lf_names_clear(&rows->names);
    *rows = (lf_rows){0};
}

void lf_rows_scaled(const lf_model *model, const lf_replicate *replicate, double *y, double *noise)
{
    const lf_point_set *points = &replicate->points;
    for (int g = 0; g < points->group_count; g++) {
        const lf_output *output = &model->outputs[points->target[g]];
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            y[i] = (replicate->y[i] - output->offset) / output->scale;
            noise[i] = output->noise_variance + replicate->variance[i] / (output->scale * output->scale);
        }
    }
}

lf_status lf_check_noise(lf_context *ctx, const lf_model *model, const lf_rows *rows)
{
    for (int r = 0; r < rows->count; r++) {
        const lf_replicate *replicate = &rows->replicates[r];
        for (int g = 0; g < replicate->points.group_count; g++) {
            const lf_output *output = &model->outputs[replicate->points.target[g]];
            for (size_t i = replicate->points.start[g];
                 output->noise_variance <= 0 && i < replicate->points.start[g + 1]; i++) {
                if (replicate->variance[i] <= 0) {
                    return lf_fail(ctx, LF_ERROR_MODEL,
                                   "output '%s': its noise_variance is 0; the feature engines need noise on every row",
                                   output->name);
                }
            }
        }
    }
    return LF_OK;
}
