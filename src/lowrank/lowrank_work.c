/* The work space of the low-rank engine, and the posterior of all replicates. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "lowrank/lowrank.h"

/* Rows of a tile: enough for products at full speed; more would only take memory. Few are slow, and less is refused. */
enum { LARGEST_TILE = 32768, SMALLEST_TILE = 32, ALIGNED = 32 };

/* The rows of the longest replicate, and of the longest run of one output. */
static void count_rows(const lf_rows *rows, size_t *replicate, size_t *group)
{
    *replicate = *group = 0;
    for (int r = 0; r < rows->count; r++) {
        const lf_point_set *points = &rows->replicates[r].points;
        *replicate = points->n > *replicate ? points->n : *replicate;
        for (int g = 0; g < points->group_count; g++) {
            size_t n = points->start[g + 1] - points->start[g];
            *group = n > *group ? n : *group;
        }
    }
}

/* Columns of `shared`: M and, with the gradient of rows that are made on the device, the response columns of any grid. */
static size_t shared_columns(const lf_device *device, const lf_features *features, int with_gradient)
{
    size_t most = features->shared;
    for (int g = 0; with_gradient && !device->here && g < features->grids.grid_count; g++) {
        size_t columns = 2 * features->grids.grids[g].count;
        most = columns > most ? columns : most;
    }
    return most;
}

/* The rows of a tile: as many as there are, or as half of the memory that is left can hold. */
static lf_status choose_tile(lf_context *ctx, lf_device *device, const lf_features *features, const lf_rows *rows,
                             int with_gradient, const lf_lowrank_work *work, size_t *tile)
{
    size_t replicate, group;
    double each_row, fixed, left = device->op->available(device) / sizeof(double);
    count_rows(rows, &replicate, &group);
    if (device->here) {
        *tile = group < LF_LOWRANK_TILE ? group : LF_LOWRANK_TILE;
        return LF_OK;
    }
    lf_device_rows_numbers(features, with_gradient, &each_row, &fixed);
    each_row += (double)(shared_columns(device, features, with_gradient) + work->m);
    each_row += with_gradient ? (double)(work->M + work->m) : 0;
    fixed += 3 * (double)replicate;
    double fits = (left - fixed) / each_row, wanted = group < LARGEST_TILE ? (double)group : LARGEST_TILE;
    double size = wanted <= fits / 2 ? wanted : fmin(fmax(floor(fits / 2), SMALLEST_TILE), wanted);
    size_t aligned = ((size_t)size + ALIGNED - 1) / ALIGNED * ALIGNED;
    if ((double)aligned > fits) {
        char needs[LF_SIZE_TEXT], has[LF_SIZE_TEXT];
        return lf_fail(ctx, LF_ERROR_MEMORY,
                       "device %s: %zu columns need %s more memory for their rows, it has %s left; take fewer columns",
                       device->op->name, work->M + work->m,
                       lf_size_text((fixed + each_row * (double)aligned) * sizeof(double), needs),
                       lf_size_text(left * sizeof(double), has));
    }
    *tile = aligned;
    return LF_OK;
}

lf_status lf_lowrank_work_create(lf_context *ctx, lf_device *device, const lf_features *features, const lf_rows *rows,
                                 int with_gradient, lf_lowrank_work *work)
{
    const lf_device_class *op = device->op;
    size_t M = features->shared, tile = 0, replicate, group;
    *work = (lf_lowrank_work){
        .device = device, .across_processes = rows->shared, .M = M, .output_count = features->model->output_count};
    work->weights.outputs = calloc((size_t)work->output_count + 1, sizeof *work->weights.outputs);
    if (!work->weights.outputs) {
        return lf_no_memory(ctx);
    }
    work->weights.L = op->allocate(device, M * M + 1);
    work->weights.mean = op->allocate(device, M + 1);
    for (int d = 0; d < work->output_count; d++) {
        size_t m = lf_features_private(features, d);
        work->m = m > work->m ? m : work->m;
        if (m) {
            work->weights.outputs[d] = (lf_private_weights){.m = m,
                                                            .L = op->allocate(device, m * m),
                                                            .F = op->allocate(device, m * M + 1),
                                                            .mean = op->allocate(device, m)};
        }
    }
    lf_status status = lf_device_status(ctx, device);
    LF_TRY(status, choose_tile(ctx, device, features, rows, with_gradient, work, &tile));
    LF_TRY(status, lf_device_rows_create(ctx, device, features, tile, with_gradient, &work->rows));
    if (status) {
        return status;
    }
    count_rows(rows, &replicate, &group);
    work->shared = op->allocate(device, tile * shared_columns(device, features, with_gradient) + 1);
    work->private = op->allocate(device, tile * work->m + 1);
    work->by_shared = with_gradient ? op->allocate(device, tile * M + 1) : NULL;
    work->by_private = with_gradient ? op->allocate(device, tile * work->m + 1) : NULL;
    work->row_values = op->allocate(device, 3 * replicate + 1);
    return lf_device_status(ctx, device);
}

void lf_lowrank_work_clear(lf_lowrank_work *work)
{
    lf_device *device = work->device;
    lf_private_weights *outputs = work->weights.outputs;
    for (int d = 0; outputs && d < work->output_count; d++) {
        device->op->release(device, outputs[d].L);
        device->op->release(device, outputs[d].F);
        device->op->release(device, outputs[d].mean);
    }
    double *arrays[] = {work->weights.L, work->weights.mean, work->shared,    work->private,
                        work->by_shared, work->by_private,   work->row_values};
    for (size_t i = 0; device && i < sizeof arrays / sizeof *arrays; i++) {
        device->op->release(device, arrays[i]);
    }
    lf_device_rows_clear(&work->rows);
    free(outputs);
    *work = (lf_lowrank_work){0};
}

static void copy(lf_device *device, int up, size_t m, size_t n, double *there, double *here)
{
    if (up) {
        device->op->upload(device, m, n, here, m, there, m);
    } else {
        device->op->download(device, m, n, there, m, here, m);
    }
}

lf_status lf_lowrank_copy(lf_context *ctx, const lf_lowrank_work *work, int up, lf_replicate_weights *here)
{
    size_t M = work->M;
    copy(work->device, up, M, M, work->weights.L, here->L);
    copy(work->device, up, M, 1, work->weights.mean, here->mean);
    for (int d = 0; d < work->output_count; d++) {
        const lf_private_weights *there = &work->weights.outputs[d], *to = &here->outputs[d];
        copy(work->device, up, there->m, there->m, there->L, to->L);
        copy(work->device, up, there->m, M, there->F, to->F);
        copy(work->device, up, there->m, 1, there->mean, to->mean);
    }
    return lf_device_status(ctx, work->device);
}

lf_status lf_lowrank_weights(lf_context *ctx, lf_device *device, const lf_features *features, const lf_rows *rows,
                             const lf_targets *targets, lf_replicate_weights *weights)
{
    lf_lowrank_work work;
    lf_targets here = *targets;
    double value = 0;
    lf_status status = lf_lowrank_work_create(ctx, device, features, rows, 0, &work);
    for (int r = 0; !status && r < rows->count; r++) {
        status = lf_lowrank_solve(ctx, &work, &rows->replicates[r].points, &here, &value);
        LF_TRY(status, lf_lowrank_copy(ctx, &work, 0, &weights[r]));
        here = lf_targets_after(here, rows->replicates[r].points.n);
    }
    lf_lowrank_work_clear(&work);
    return status;
}
