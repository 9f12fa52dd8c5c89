/* The gradient of the low-rank likelihood: a second pass over the tiles.
 *
 * With the notation of features/weights.h, r = y - (posterior mean at the row), D = phi_s - phi_p F_d, E = D A^-1, and
 * the posterior covariance C of the weights,
 *
 *   d log p / d phi_s = -(E - r m') / sigma^2
 *   d log p / d phi_p = -(phi_p (I + G_pp)^-1 - E F_d' - r m_d') / sigma^2
 *   d log p / d sigma^2 = -1/2 [ 1/sigma^2 - (r^2 + phi C phi') / sigma^4 ],
 *                         phi C phi' = E D' + phi_p (I + G_pp)^-1 phi_p'
 *   d log p / d y = -r / sigma^2
 *
 * Residuals and variances of all rows stay on the device until its end. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "lowrank/lowrank.h"

static lf_status backward_tile(lf_context *ctx, lf_lowrank_work *work, const lf_point_set *points, int output,
                               size_t from, size_t n)
{
    lf_device *device = work->device;
    const lf_device_class *op = device->op;
    const lf_private_weights *private = &work->weights.outputs[output];
    size_t M = work->M, m = private->m, p = (size_t)points->input_dim;
    double *D = work->shared, *E = work->by_shared, *residual = work->row_values + from;
    double *variance = residual + points->n, *noise = variance + points->n;
    lf_status status = lf_device_rows_load(ctx, &work->rows, output, n, points->x + from * p, 1);
    LF_TRY(status, lf_device_rows_fill(ctx, &work->rows, NULL, NULL, D, work->private));
    if (status) {
        return status;
    }
    size_t ld = work->rows.ld;
    op->gemm(device, LF_PLAIN, LF_PLAIN, n, 1, M, -1, D, ld, work->weights.mean, M, 1, residual, n);
    if (m) {
        op->gemm(device, LF_PLAIN, LF_PLAIN, n, 1, m, -1, work->private, ld, private->mean, m, 1, residual, n);
        op->gemm(device, LF_PLAIN, LF_PLAIN, n, M, m, -1, work->private, ld, private->F, m, 1, D, ld);
        op->gemm(device, LF_PLAIN, LF_PLAIN, n, m, m, 1, work->private, ld, private->L, m, 0, work->by_private, ld);
        op->add_products(device, n, m, work->private, work->by_private, ld, variance);
    }
    op->gemm(device, LF_PLAIN, LF_PLAIN, n, M, M, 1, D, ld, work->weights.L, M, 0, E, ld);
    op->add_products(device, n, M, D, E, ld, variance);
    if (m) {
        op->gemm(device, LF_PLAIN, LF_TRANSPOSED, n, m, M, -1, E, ld, private->F, m, 1, work->by_private, ld);
        op->to_adjoint(device, n, m, residual, noise, private->mean, work->by_private, ld);
    }
    op->to_adjoint(device, n, M, residual, noise, work->weights.mean, E, ld);
    return lf_device_rows_backward(ctx, &work->rows, E, work->by_private, D); /* D is not needed any more */
}

/* The derivatives by noise and offset, from the residuals and variances of the rows. */
static lf_status finish_rows(lf_context *ctx, lf_lowrank_work *work, const lf_point_set *points,
                             const lf_targets *targets, double *values, double *gradient)
{
    const lf_model *model = work->rows.features->model;
    const double *residual = values, *variance = values + points->n, *noise = variance + points->n;
    work->device->op->download(work->device, points->n, 2, work->row_values, points->n, values, points->n);
    lf_status status = lf_device_status(ctx, work->device);
    for (int g = 0; !status && g < points->group_count; g++) {
        double by_noise = 0, by_offset = 0;
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            double by_row = 0.5 * ((residual[i] * residual[i] + variance[i]) / noise[i] - 1) / noise[i];
            by_noise += by_row;
            by_offset += residual[i] / noise[i];
            if (targets->by_noise) {
                targets->by_noise[i] = by_row;
            }
            if (targets->by_y) {
                targets->by_y[i] = -residual[i] / noise[i];
            }
        }
        gradient[lf_index_noise(model, points->target[g])] += by_noise;
        gradient[lf_index_offset(model, points->target[g])] += by_offset / model->outputs[points->target[g]].scale;
    }
    return status;
}

/* The sums over the rows of this process. values (n, 3): residual, variance, noise. */
static lf_status backward_rows(lf_context *ctx, lf_lowrank_work *work, const lf_point_set *points,
                               const lf_targets *targets, double *values, double *gradient)
{
    lf_device *device = work->device;
    size_t n = points->n, tile = work->rows.rows;
    lf_status status = LF_OK;
    memcpy(values, targets->y, n * sizeof *values);
    memcpy(values + 2 * n, targets->noise, n * sizeof *values);
    device->op->upload(device, n, 3, values, n, work->row_values, n);
    device->op->potri(device, work->M, work->weights.L, work->M);
    for (int d = 0; d < work->output_count; d++) {
        const lf_private_weights *private = &work->weights.outputs[d];
        device->op->potri(device, private->m, private->L, private->m);
    }
    for (int g = 0; !status && g < points->group_count; g++) {
        int output = points->target[g];
        status = lf_device_rows_begin(ctx, &work->rows, gradient);
        for (size_t from = points->start[g]; !status && from < points->start[g + 1]; from += tile) {
            size_t left = points->start[g + 1] - from;
            status = backward_tile(ctx, work, points, output, from, left < tile ? left : tile);
        }
        LF_TRY(status, lf_device_rows_finish(ctx, &work->rows, output));
    }
    return status ? status : finish_rows(ctx, work, points, targets, values, gradient);
}

lf_status lf_lowrank_gradient(lf_context *ctx, lf_lowrank_work *work, const lf_point_set *points,
                              const lf_targets *targets, double *gradient)
{
    double *values = lf_doubles(points->n, 3); /* variances begin at 0 */
    lf_status status = values ? backward_rows(ctx, work, points, targets, values, gradient) : lf_no_memory(ctx);
    free(values);
    return status;
}
