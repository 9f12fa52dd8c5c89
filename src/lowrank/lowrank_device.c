/* The work space of the low-rank engine on a device, and the passes over all replicates. */
#include "lowrank/lowrank_device.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory_limit.h"

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

/* Columns of `shared`: M, and with gradient the response columns of any grid. */
static size_t shared_columns(const lf_features *features, int with_gradient)
{
    size_t most = features->shared;
    for (int g = 0; with_gradient && g < features->grids.grid_count; g++) {
        size_t columns = 2 * features->grids.grids[g].count;
        most = columns > most ? columns : most;
    }
    return most;
}

/* The rows of a tile: as many as there are, or as half of the memory that is left can hold. */
static lf_status choose_tile(lf_context *ctx, lf_device *device, const lf_features *features, const lf_rows *rows,
                             int with_gradient, const lf_device_work *work, size_t *tile)
{
    size_t replicate, group;
    double each_row, fixed, left = device->op->available(device) / sizeof(double);
    count_rows(rows, &replicate, &group);
    lf_device_rows_numbers(features, with_gradient, &each_row, &fixed);
    each_row += (double)(shared_columns(features, with_gradient) + work->m);
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

lf_status lf_device_work_create(lf_context *ctx, lf_device *device, const lf_features *features, const lf_rows *rows,
                                int with_gradient, lf_device_work *work)
{
    const lf_device_class *op = device->op;
    size_t D = (size_t)features->model->output_count, M = features->shared, tile = 0, replicate, group;
    *work = (lf_device_work){.device = device, .across_processes = rows->shared, .M = M, .output_count = (int)D};
    work->outputs = calloc(D + 1, sizeof *work->outputs);
    if (!work->outputs) {
        return lf_no_memory(ctx);
    }
    work->L = op->allocate(device, M * M + 1);
    work->mean = op->allocate(device, M + 1);
    for (size_t d = 0; d < D; d++) {
        size_t m = lf_features_private(features, (int)d);
        work->m = m > work->m ? m : work->m;
        work->outputs[d] = (lf_device_private){.m = m};
        if (m) {
            work->outputs[d].L = op->allocate(device, m * m);
            work->outputs[d].F = op->allocate(device, m * M + 1);
            work->outputs[d].mean = op->allocate(device, m);
        }
    }
    lf_status status = lf_device_status(ctx, device);
    LF_TRY(status, choose_tile(ctx, device, features, rows, with_gradient, work, &tile));
    LF_TRY(status, lf_device_rows_create(ctx, device, features, tile, with_gradient, &work->rows));
    if (status) {
        return status;
    }
    count_rows(rows, &replicate, &group);
    work->shared = op->allocate(device, tile * shared_columns(features, with_gradient) + 1);
    work->private = op->allocate(device, tile * work->m + 1);
    work->by_shared = with_gradient ? op->allocate(device, tile * M + 1) : NULL;
    work->by_private = with_gradient ? op->allocate(device, tile * work->m + 1) : NULL;
    work->row_values = op->allocate(device, 3 * replicate + 1);
    return lf_device_status(ctx, device);
}

void lf_device_work_clear(lf_device_work *work)
{
    lf_device *device = work->device;
    for (int d = 0; work->outputs && d < work->output_count; d++) {
        device->op->release(device, work->outputs[d].L);
        device->op->release(device, work->outputs[d].F);
        device->op->release(device, work->outputs[d].mean);
    }
    double *arrays[] = {work->L,         work->mean,       work->shared,    work->private,
                        work->by_shared, work->by_private, work->row_values};
    for (size_t i = 0; device && i < sizeof arrays / sizeof *arrays; i++) {
        device->op->release(device, arrays[i]);
    }
    lf_device_rows_clear(&work->rows);
    free(work->outputs);
    *work = (lf_device_work){0};
}

lf_status lf_device_weights(lf_context *ctx, lf_device_work *work, lf_replicate_weights *weights)
{
    const lf_device_class *op = work->device->op;
    size_t M = work->M;
    op->download(work->device, M, M, work->L, M, weights->L, M);
    op->download(work->device, M, 1, work->mean, M, weights->mean, M);
    for (int d = 0; d < work->output_count; d++) {
        const lf_device_private *from = &work->outputs[d];
        lf_private_weights *to = &weights->outputs[d];
        op->download(work->device, from->m, from->m, from->L, from->m, to->L, from->m);
        op->download(work->device, from->m, M, from->F, from->m, to->F, from->m);
        op->download(work->device, from->m, 1, from->mean, from->m, to->mean, from->m);
    }
    return lf_device_status(ctx, work->device);
}

lf_status lf_lowrank_device_evaluate(lf_context *ctx, lf_device *device, const lf_features *features,
                                     const lf_rows *rows, const lf_targets *targets, double *value, double *gradient)
{
    lf_device_work work;
    lf_targets here = *targets;
    lf_status status = lf_device_work_create(ctx, device, features, rows, gradient != NULL, &work);
    for (int r = 0; !status && r < rows->count; r++) {
        const lf_point_set *points = &rows->replicates[r].points;
        status = lf_device_solve(ctx, &work, points, &here, value);
        if (!status && gradient) {
            status = lf_device_gradient(ctx, &work, points, &here, gradient);
        }
        here = lf_targets_after(here, points->n);
    }
    lf_device_work_clear(&work);
    return status;
}

lf_status lf_lowrank_device_weights(lf_context *ctx, lf_device *device, const lf_features *features,
                                    const lf_rows *rows, const lf_targets *targets, lf_replicate_weights *weights)
{
    lf_device_work work;
    lf_targets here = *targets;
    double value = 0;
    lf_status status = lf_device_work_create(ctx, device, features, rows, 0, &work);
    for (int r = 0; !status && r < rows->count; r++) {
        status = lf_device_solve(ctx, &work, &rows->replicates[r].points, &here, &value);
        LF_TRY(status, lf_device_weights(ctx, &work, &weights[r]));
        here = lf_targets_after(here, rows->replicates[r].points.n);
    }
    lf_device_work_clear(&work);
    return status;
}
