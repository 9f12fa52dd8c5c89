/* lowrank_solve.c on a device: the rows are added in tiles, then private columns are eliminated and the rest is factorised. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/processes.h"
#include "lowrank/lowrank_device.h"

/* The values of the rows here: 1 / sigma, y / sigma (n each); and their terms of -2 log p. */
static lf_status whiten_rows(lf_context *ctx, lf_device_work *work, size_t n, const lf_targets *targets, double *values,
                             double *quadratic_form, double *log_det)
{
    double *noise = values, *y = values + n;
    for (size_t i = 0; i < n; i++) {
        noise[i] = targets->noise[i];
        y[i] = targets->y[i];
        *quadratic_form += y[i] * y[i] / noise[i];
        *log_det += log(noise[i]);
        noise[i] = 1 / sqrt(noise[i]);
        y[i] *= noise[i];
    }
    work->device->op->upload(work->device, n, 2, values, n, work->row_values, n);
    return lf_device_status(ctx, work->device);
}

/* Adds n rows of one output, from row `from` on, to G_ss and alpha (in L and mean) and, for its private columns, to G_pp, G_ps and b_p. */
static lf_status add_tile(lf_context *ctx, lf_device_work *work, const lf_point_set *points, int output, size_t from,
                          size_t n, const double *inverse_sigma)
{
    const lf_device_class *op = work->device->op;
    const lf_device_private *private = &work->outputs[output];
    const double *scale = work->row_values + from, *y = work->row_values + points->n + from;
    size_t M = work->M, m = private->m, ld = work->rows.rows, p = (size_t)points->input_dim;
    lf_status status = lf_device_rows_load(ctx, &work->rows, output, n, points->x + from * p, 0);
    LF_TRY(status, lf_device_rows_fill(ctx, &work->rows, inverse_sigma + from, scale, work->shared, work->private));
    if (status) {
        return status;
    }
    op->syrk(work->device, LF_TRANSPOSED, M, n, 1, work->shared, ld, 1, work->L, M);
    op->gemm(work->device, LF_TRANSPOSED, LF_PLAIN, M, 1, n, 1, work->shared, ld, y, n, 1, work->mean, M);
    op->syrk(work->device, LF_TRANSPOSED, m, n, 1, work->private, ld, 1, private->L, m);
    op->gemm(work->device, LF_TRANSPOSED, LF_PLAIN, m, 1, n, 1, work->private, ld, y, n, 1, private->mean, m);
    op->gemm(work->device, LF_TRANSPOSED, LF_PLAIN, m, M, n, 1, work->private, ld, work->shared, ld, 1, private->F, m);
    return LF_OK;
}

/* The sums over the rows of this process become those of all, and so do the terms: they are exchanged here. */
static lf_status sum_processes(lf_context *ctx, lf_device_work *work, lf_status status, double *terms)
{
    const lf_features *features = work->rows.features;
    const lf_device_class *op = work->device->op;
    lf_replicate_weights here = {0};
    LF_TRY(status, lf_replicate_weights_create(ctx, features, &here));
    LF_TRY(status, lf_device_weights(ctx, work, &here));
    status = status ? lf_agree(ctx, status) : lf_lowrank_sum(ctx, LF_OK, features, &here, 3, terms);
    if (!status) {
        size_t M = work->M;
        op->upload(work->device, M, M, here.L, M, work->L, M);
        op->upload(work->device, M, 1, here.mean, M, work->mean, M);
        for (int d = 0; d < work->output_count; d++) {
            const lf_private_weights *from = &here.outputs[d];
            lf_device_private *to = &work->outputs[d];
            op->upload(work->device, to->m, to->m, from->L, to->m, to->L, to->m);
            op->upload(work->device, to->m, M, from->F, to->m, to->F, to->m);
            op->upload(work->device, to->m, 1, from->mean, to->m, to->mean, to->m);
        }
    }
    lf_replicate_weights_clear(&here, work->output_count);
    return status ? status : lf_device_status(ctx, work->device);
}

/* Adds the rows of all outputs. */
static lf_status add_rows(lf_context *ctx, lf_device_work *work, const lf_point_set *points,
                          const double *inverse_sigma)
{
    lf_device *device = work->device;
    lf_status status = LF_OK;
    size_t M = work->M;
    device->op->fill(device, M * M, 0, work->L);
    device->op->fill(device, M, 0, work->mean);
    for (int d = 0; d < work->output_count; d++) {
        lf_device_private *private = &work->outputs[d];
        device->op->fill(device, private->m * private->m, 0, private->L);
        device->op->fill(device, private->m * M, 0, private->F);
        device->op->fill(device, private->m, 0, private->mean);
    }
    for (int g = 0; !status && g < points->group_count; g++) {
        size_t end = points->start[g + 1], tile = work->rows.rows;
        for (size_t from = points->start[g]; !status && from < end; from += tile) {
            size_t n = end - from < tile ? end - from : tile;
            status = add_tile(ctx, work, points, points->target[g], from, n, inverse_sigma);
        }
    }
    return status ? status : lf_device_status(ctx, device);
}

/* Factorises I + G (m, m) in place and solves for mean (m): L^-1 mean. Adds log|I + G| and -|L^-1 mean|^2. */
static lf_status factorise(lf_context *ctx, lf_device *device, const char *name, size_t m, double *L, double *mean,
                           double *quadratic_form, double *log_det)
{
    const lf_device_class *op = device->op;
    size_t *index = calloc(m + 1, sizeof *index);
    double *diagonal = lf_doubles(m, 1), *solved = lf_doubles(m, 1);
    lf_status status = index && diagonal && solved ? LF_OK : lf_no_memory(ctx);
    op->add_diagonal(device, m, 1, L, m);
    if (!status && !op->potrf(device, m, L, m)) {
        status = lf_lowrank_not_positive(ctx, name);
    }
    op->trsm(device, LF_LEFT, LF_PLAIN, m, 1, L, m, mean, m);
    if (!status) {
        for (size_t i = 0; i < m; i++) {
            index[i] = i * (m + 1);
        }
        op->get(device, m, index, L, diagonal);
        op->download(device, m, 1, mean, m, solved, m);
        status = lf_device_status(ctx, device);
    }
    for (size_t i = 0; !status && i < m; i++) {
        *log_det += 2 * log(diagonal[i]);
        *quadratic_form -= solved[i] * solved[i];
    }
    free(index);
    free(diagonal);
    free(solved);
    return status;
}

/* Eliminates the private columns of an output, as eliminate_private in lowrank_solve.c. */
static lf_status eliminate_private(lf_context *ctx, lf_device_work *work, const char *name, lf_device_private *private,
                                   double *quadratic_form, double *log_det)
{
    const lf_device_class *op = work->device->op;
    size_t m = private->m, M = work->M;
    lf_status status = factorise(ctx, work->device, name, m, private->L, private->mean, quadratic_form, log_det);
    if (status) {
        return status;
    }
    op->trsm(work->device, LF_LEFT, LF_PLAIN, m, M, private->L, m, private->F, m);
    op->syrk(work->device, LF_TRANSPOSED, M, m, -1, private->F, m, 1, work->L, M);
    op->gemm(work->device, LF_TRANSPOSED, LF_PLAIN, M, 1, m, -1, private->F, m, private->mean, m, 1, work->mean, M);
    op->trsm(work->device, LF_LEFT, LF_TRANSPOSED, m, M, private->L, m, private->F, m);
    op->trsm(work->device, LF_LEFT, LF_TRANSPOSED, m, 1, private->L, m, private->mean, m);
    return LF_OK;
}

/* From sums over the rows to the posterior. */
static lf_status solve_sums(lf_context *ctx, lf_device_work *work, double *quadratic_form, double *log_det)
{
    const lf_device_class *op = work->device->op;
    const lf_model *model = work->rows.features->model;
    size_t M = work->M;
    lf_status status = LF_OK;
    for (int d = 0; !status && d < work->output_count; d++) {
        if (work->outputs[d].m) {
            status = eliminate_private(ctx, work, model->outputs[d].name, &work->outputs[d], quadratic_form, log_det);
        }
    }
    LF_TRY(status, factorise(ctx, work->device, NULL, M, work->L, work->mean, quadratic_form, log_det));
    if (status) {
        return status;
    }
    op->trsm(work->device, LF_LEFT, LF_TRANSPOSED, M, 1, work->L, M, work->mean, M);
    for (int d = 0; M && d < work->output_count; d++) {
        const lf_device_private *private = &work->outputs[d];
        op->gemm(work->device, LF_PLAIN, LF_PLAIN, private->m, 1, M, -1, private->F, private->m, work->mean, M, 1,
                 private->mean, private->m);
    }
    return lf_device_status(ctx, work->device);
}

lf_status lf_device_solve(lf_context *ctx, lf_device_work *work, const lf_point_set *points, const lf_targets *targets,
                          double *value)
{
    size_t n = points->n;
    double terms[] = {0, 0, (double)n}; /* of the rows: quadratic form, log determinant, number */
    double *values = lf_doubles_unset(n, 2);
    lf_status status = values ? whiten_rows(ctx, work, n, targets, values, &terms[0], &terms[1]) : lf_no_memory(ctx);
    LF_TRY(status, add_rows(ctx, work, points, values));
    status = work->across_processes ? sum_processes(ctx, work, status, terms) : status;
    LF_TRY(status, solve_sums(ctx, work, &terms[0], &terms[1]));
    free(values);
    if (status) {
        return status;
    }
    double log_likelihood = -0.5 * (terms[0] + terms[1] + terms[2] * log(2 * LF_PI));
    *value += !work->across_processes || lf_process_rank(ctx) == 0 ? log_likelihood : 0;
    return isfinite(log_likelihood) ? LF_OK
                                    : lf_fail(ctx, LF_ERROR_NUMERIC, "the log likelihood is not a finite number");
}
