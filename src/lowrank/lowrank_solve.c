/* The first pass of the low-rank engine: the posterior of the feature weights, and the marginal likelihood. With the
 * feature matrix Phi, A = I + Phi' Sigma^-1 Phi and alpha = Phi' Sigma^-1 y,
 *
 *   -log p = 1/2 log|Sigma| + 1/2 (y' Sigma^-1 y - alpha' A^-1 alpha) + 1/2 log|A| + n/2 log 2 pi
 *
 * The private columns of an output are eliminated as soon as all its rows are added (features/weights.h). */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/processes.h"
#include "lowrank/lowrank.h"

/* y' Sigma^-1 y less what is eliminated, log |Sigma| and of what is eliminated, and the number of rows. */
typedef struct totals {
    double quadratic_form, log_det, rows;
} totals;

/* Adds n rows of one output, from row `from` on, to A and alpha (in L and mean) and, for its private columns, to I + G_pp, G_ps and
 * b_p = Phi_p' Sigma^-1 y (in its L, F and mean). */
static lf_status add_tile(lf_context *ctx, lf_lowrank_work *work, const lf_point_set *points, int output, size_t from,
                          size_t n, const double *inverse_sigma)
{
    const lf_device_class *op = work->device->op;
    const lf_private_weights *private = &work->weights.outputs[output];
    const double *scale = work->row_values + from, *y = work->row_values + points->n + from;
    size_t M = work->M, m = private->m, p = (size_t)points->input_dim;
    lf_status status = lf_device_rows_load(ctx, &work->rows, output, n, points->x + from * p, 0);
    LF_TRY(status, lf_device_rows_fill(ctx, &work->rows, inverse_sigma + from, scale, work->shared, work->private));
    if (status) {
        return status;
    }
    size_t ld = work->rows.ld;
    op->syrk(work->device, LF_TRANSPOSED, M, n, 1, work->shared, ld, 1, work->weights.L, M);
    op->gemm(work->device, LF_TRANSPOSED, LF_PLAIN, M, 1, n, 1, work->shared, ld, y, n, 1, work->weights.mean, M);
    op->syrk(work->device, LF_TRANSPOSED, m, n, 1, work->private, ld, 1, private->L, m);
    op->gemm(work->device, LF_TRANSPOSED, LF_PLAIN, m, 1, n, 1, work->private, ld, y, n, 1, private->mean, m);
    op->gemm(work->device, LF_TRANSPOSED, LF_PLAIN, m, M, n, 1, work->private, ld, work->shared, ld, 1, private->F, m);
    return LF_OK;
}

/* The sums over the rows of this process become those of all, and so do the totals. */
static lf_status sum_processes(lf_context *ctx, lf_lowrank_work *work, lf_status status, totals *total)
{
    const lf_features *features = work->rows.features;
    lf_replicate_weights copy = {0}, *sums = work->device->here ? &work->weights : &copy;
    double terms[] = {total->quadratic_form, total->log_det, total->rows};
    if (!work->device->here) {
        LF_TRY(status, lf_replicate_weights_create(ctx, features, &copy));
        LF_TRY(status, lf_lowrank_copy(ctx, work, 0, &copy));
    }
    status = status ? lf_agree(ctx, status) : lf_lowrank_sum(ctx, features, sums, 3, terms);
    if (!work->device->here) {
        LF_TRY(status, lf_lowrank_copy(ctx, work, 1, &copy));
        lf_replicate_weights_clear(&copy, work->output_count);
    }
    *total = (totals){terms[0], terms[1], terms[2]};
    return status;
}

/* L = I, mean = 0: the prior, to which the rows are added. Of several processes one adds it. */
static void set_to_prior(lf_device *device, size_t m, double one, double *L, double *mean)
{
    device->op->fill(device, m * m, 0, L);
    device->op->fill(device, m, 0, mean);
    device->op->add_diagonal(device, m, one, L, m);
}

/* Factorises A (m, m) in place and solves for mean (m): L^-1 mean. Adds log|A| and -|L^-1 mean|^2. */
static lf_status factorise(lf_context *ctx, lf_device *device, const char *name, size_t m, double *L, double *mean,
                           totals *total)
{
    const lf_device_class *op = device->op;
    size_t *index = calloc(m + 1, sizeof *index);
    double *diagonal = lf_doubles(m, 1), *solved = lf_doubles(m, 1), log_det = 0;
    lf_status status = index && diagonal && solved ? LF_OK : lf_no_memory(ctx);
    if (!status && !op->potrf(device, m, L, m)) {
        status = lf_fail(ctx, LF_ERROR_NUMERIC,
                         "the precision matrix of the feature weights of %s%s%s is not positive definite: a "
                         "noise_variance is too small for its signal, or a constant is out of range",
                         name ? "output '" : "the model", name ? name : "", name ? "'" : "");
    }
    if (!status) {
        op->trsm(device, LF_LEFT, LF_PLAIN, m, 1, L, m, mean, m);
        for (size_t i = 0; i < m; i++) {
            index[i] = i * (m + 1);
        }
        op->get(device, m, index, L, diagonal);
        op->download(device, m, 1, mean, m, solved, m);
        status = lf_device_status(ctx, device);
    }
    for (size_t i = 0; !status && i < m; i++) {
        log_det += 2 * log(diagonal[i]);
    }
    if (!status) {
        total->log_det += log_det;
        total->quadratic_form -= cblas_ddot((int)m, solved, 1, solved, 1);
    }
    free(index);
    free(diagonal);
    free(solved);
    return status;
}

/* Eliminates the private columns of an output: T = L_d^-1 G_ps, A -= T'T, alpha -= T' (L_d^-1 b_p); then F = L_d^-T T
 * and mean = L_d^-T L_d^-1 b_p. Adds their terms of -2 log p. */
static lf_status eliminate(lf_context *ctx, lf_lowrank_work *work, int output, totals *total)
{
    const lf_device_class *op = work->device->op;
    const lf_private_weights *private = &work->weights.outputs[output];
    const char *name = work->rows.features->model->outputs[output].name;
    size_t m = private->m, M = work->M;
    double *alpha = work->weights.mean;
    lf_status status = m ? factorise(ctx, work->device, name, m, private->L, private->mean, total) : LF_OK;
    if (status || !m) {
        return status;
    }
    op->trsm(work->device, LF_LEFT, LF_PLAIN, m, M, private->L, m, private->F, m);
    op->syrk(work->device, LF_TRANSPOSED, M, m, -1, private->F, m, 1, work->weights.L, M);
    op->gemm(work->device, LF_TRANSPOSED, LF_PLAIN, M, 1, m, -1, private->F, m, private->mean, m, 1, alpha, M);
    op->trsm(work->device, LF_LEFT, LF_TRANSPOSED, m, M, private->L, m, private->F, m);
    op->trsm(work->device, LF_LEFT, LF_TRANSPOSED, m, 1, private->L, m, private->mean, m);
    return LF_OK;
}

/* Adds the rows of all outputs and eliminates the private columns: those of each output as soon as its rows are added or, where several
 * processes have rows of it, after all sums. */
static lf_status add_rows(lf_context *ctx, lf_lowrank_work *work, const lf_point_set *points,
                          const double *inverse_sigma, totals *total)
{
    lf_device *device = work->device;
    double one = !work->across_processes || lf_process_rank(ctx) == 0;
    lf_status status = LF_OK;
    set_to_prior(device, work->M, one, work->weights.L, work->weights.mean);
    for (int d = 0; d < work->output_count; d++) {
        lf_private_weights *private = &work->weights.outputs[d];
        set_to_prior(device, private->m, one, private->L, private->mean);
        device->op->fill(device, private->m * work->M, 0, private->F);
    }
    for (int g = 0; !status && g < points->group_count; g++) {
        size_t end = points->start[g + 1], tile = work->rows.rows;
        for (size_t from = points->start[g]; !status && from < end; from += tile) {
            size_t n = end - from < tile ? end - from : tile;
            status = add_tile(ctx, work, points, points->target[g], from, n, inverse_sigma);
        }
        if (!status && !work->across_processes) {
            status = eliminate(ctx, work, points->target[g], total);
        }
    }
    return status ? status : lf_device_status(ctx, device);
}

/* From A and alpha to the posterior. */
static lf_status solve_sums(lf_context *ctx, lf_lowrank_work *work, totals *total)
{
    const lf_device_class *op = work->device->op;
    size_t M = work->M;
    double *L = work->weights.L, *mean = work->weights.mean;
    lf_status status = LF_OK;
    for (int d = 0; work->across_processes && !status && d < work->output_count; d++) {
        status = eliminate(ctx, work, d, total);
    }
    if (M) {
        LF_TRY(status, factorise(ctx, work->device, NULL, M, L, mean, total));
    }
    if (status || !M) {
        return status;
    }
    op->trsm(work->device, LF_LEFT, LF_TRANSPOSED, M, 1, L, M, mean, M);
    for (int d = 0; d < work->output_count; d++) {
        const lf_private_weights *private = &work->weights.outputs[d];
        op->gemm(work->device, LF_PLAIN, LF_PLAIN, private->m, 1, M, -1, private->F, private->m, mean, M, 1,
                 private->mean, private->m);
    }
    return lf_device_status(ctx, work->device);
}

lf_status lf_lowrank_solve(lf_context *ctx, lf_lowrank_work *work, const lf_point_set *points,
                           const lf_targets *targets, double *value)
{
    size_t n = points->n;
    totals total = {.rows = (double)n};
    double *values = lf_doubles_unset(n, 2); /* 1 / sigma, y / sigma */
    lf_status status = values ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        values[i] = 1 / sqrt(targets->noise[i]);
        values[n + i] = targets->y[i] * values[i];
    }
    if (!status) {
        work->device->op->upload(work->device, n, 2, values, n, work->row_values, n);
        status = add_rows(ctx, work, points, values, &total);
    }
    free(values);
    for (size_t i = 0; !status && i < n; i++) {
        total.quadratic_form += targets->y[i] * targets->y[i] / targets->noise[i];
        total.log_det += log(targets->noise[i]);
    }
    status = work->across_processes ? sum_processes(ctx, work, status, &total) : status;
    LF_TRY(status, solve_sums(ctx, work, &total));
    if (status) {
        return status;
    }
    double log_likelihood = -0.5 * (total.quadratic_form + total.log_det + total.rows * log(2 * LF_PI));
    *value += !work->across_processes || lf_process_rank(ctx) == 0 ? log_likelihood : 0;
    return isfinite(log_likelihood) ? LF_OK
                                    : lf_fail(ctx, LF_ERROR_NUMERIC, "the log likelihood is not a finite number");
}
