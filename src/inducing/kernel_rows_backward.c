/* Derivatives of the covariances of one output. From nodes, with G = dL/dK_fu and B = dL/dK_ff:
 *
 *   dL/dV = sum_q S_dq G_q Y_q' + 2 B V diag(c),   dL/dY_q += S_dq V' G_q,   dL/dc = column sums of V o (B V)
 *   dL/dS_dq = <V' G_q, Y_q> + 2 S_dq <w_q, dL/dc>
 *
 * V <- R V where the rows are compressed. lf_response_backward continues from V to the constants of the operator and to
 * sampled frequencies. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "inducing/kernel_rows.h"

/* Work arrays for one grid. */
typedef struct grid_arrays {
    double *V, *RV, *by_V, *work; /* (n, 2S) */
    double *c, *by_c;             /* (S) */
    double *product;              /* (2S, K) */
    double *by_lambda;            /* (S, p) */
} grid_arrays;

/* What the rows of one output add to: derivatives by X = K_fu (n, ld) and K_ff are given. */
typedef struct adjoints {
    const double *X;
    size_t ld;
    lf_inducing_blocks blocks;
    double *gradient, *Y;
} adjoints;

/* by_V += 2 B RV diag(c), by_c = column sums of RV o (B RV). B is `square` (n, n) or, where that is NULL, diagonal (n). */
static void backward_block(size_t n, size_t S, const double *diagonal, const double *square, grid_arrays *a)
{
    memset(a->by_c, 0, S * sizeof *a->by_c);
    if (square) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)(2 * S), (int)n, 1, square, (int)n, a->RV,
                    (int)n, 0, a->work, (int)n);
    }
    for (size_t s = 0; s < 2 * S; s++) {
        const double *v = a->RV + s * n;
        double *product = a->work + s * n, *by_blocks = a->by_V + s * n, sum = 0, twice_c = 2 * a->c[s % S];
        for (size_t i = 0; !square && i < n; i++) {
            product[i] = diagonal[i] * v[i];
        }
        for (size_t i = 0; i < n; i++) {
            sum += v[i] * product[i];
            by_blocks[i] += twice_c * product[i];
        }
        a->by_c[s % S] += sum;
    }
}

/* Chain rule from c to sensitivities (or the private amplitude) and, for fixed frequencies, lengthscales. */
static void backward_coupling(const lf_inducing_kernel *k, int output, int grid, int shared, const double *by_c,
                              double *gradient)
{
    const lf_model *model = k->model;
    const lf_grids *grids = &k->features.grids;
    for (int i = 0; i < grids->source_count; i++) {
        const lf_source *source = &grids->sources[i];
        if (source->grid != grid || (shared ? source->index < 0 : source->output != output)) {
            continue;
        }
        double factor = lf_source_sensitivity(model, output, source), by_w = 0, by_l = 0;
        for (size_t s = 0; s < grids->grids[grid].count; s++) {
            by_w += by_c[s] * source->w[s];
            by_l += by_c[s] * source->dw[s];
        }
        gradient[shared ? lf_index_sensitivity(model, output) + source->index
                        : lf_index_private_amplitude(model, output)] += 2 * factor * by_w;
        gradient[shared ? lf_index_kernel(model, source->index) : lf_index_private_kernel(model, output)] +=
            factor * factor * by_l;
    }
}

void lf_inducing_frequency_backward(const lf_source *source, const lf_nodes *nodes, int first, const double *by_lambda,
                                    double *gradient)
{
    size_t p = (size_t)nodes->input_dim;
    for (size_t i = 0; i < nodes->count * p; i++) {
        size_t k = source->force->lengthscale_count > 1 ? i % p : 0;
        gradient[(size_t)first + k] -= by_lambda[i] * nodes->lambda[i] / source->force->lengthscale[k];
    }
}

/* Sampled frequencies belong to one source. */
static void backward_frequencies(const lf_inducing_kernel *k, int output, int grid, const double *by_lambda,
                                 double *gradient)
{
    const lf_grids *grids = &k->features.grids;
    for (int i = 0; i < grids->source_count; i++) {
        const lf_source *source = &grids->sources[i];
        if (source->grid == grid) {
            lf_inducing_frequency_backward(source, &grids->grids[grid],
                                           source->index >= 0 ? lf_index_kernel(k->model, source->index)
                                                              : lf_index_private_kernel(k->model, output),
                                           by_lambda, gradient);
        }
    }
}

static void grid_arrays_clear(grid_arrays *s)
{
    double *all[] = {s->V, s->RV, s->by_V, s->work, s->c, s->by_c, s->product, s->by_lambda};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static lf_status grid_arrays_create(lf_context *ctx, const lf_inducing_kernel *k, size_t n, size_t S, grid_arrays *s)
{
    size_t max_K = 0;
    for (int q = 0; q < k->model->force_count; q++) {
        max_K = k->forces[q].K > max_K ? k->forces[q].K : max_K;
    }
    *s = (grid_arrays){.V = lf_doubles(n, 2 * S),
                       .RV = lf_doubles(n, 2 * S),
                       .by_V = lf_doubles(n, 2 * S),
                       .work = lf_doubles(n, 2 * S),
                       .c = lf_doubles(S, 1),
                       .by_c = lf_doubles(S, 1),
                       .product = lf_doubles(2 * S, max_K),
                       .by_lambda = lf_doubles(S, (size_t)k->model->input_dim)};
    return s->V && s->RV && s->by_V && s->work && s->c && s->by_c && s->product && s->by_lambda ? LF_OK
                                                                                                : lf_no_memory(ctx);
}

/* K_fu of one force: derivatives with respect to its sensitivity and Y, and its contribution to by_V. */
static void backward_force(const lf_inducing_kernel *k, const lf_row_compression *rows, int q, grid_arrays *s,
                           const adjoints *by)
{
    const double *by_X = by->X + k->forces[q].first * by->ld;
    const lf_inducing_force *f = &k->forces[q];
    int n = (int)rows->n, S2 = (int)f->S2, K = (int)f->K;
    double sensitivity = k->model->outputs[rows->output].sensitivity[q];
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, S2, K, n, 1, s->RV, n, by_X, (int)by->ld, 0, s->product, S2);
    by->gradient[lf_index_sensitivity(k->model, rows->output) + q] += cblas_ddot(S2 * K, s->product, 1, f->Y, 1);
    cblas_daxpy(S2 * K, sensitivity, s->product, 1, by->Y + f->Y_offset, 1);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, S2, K, sensitivity, by_X, (int)by->ld, f->Y, S2, 1, s->by_V,
                n);
}

static lf_status backward_grid(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows, int grid,
                               const lf_response *response, const adjoints *by)
{
    const lf_nodes *nodes = &k->features.grids.grids[grid];
    size_t n = rows->n, S = nodes->count;
    int d = rows->output;
    grid_arrays s;
    lf_status status = grid_arrays_create(ctx, k, n, S, &s);
    LF_TRY(status, lf_response_columns(ctx, response, lf_all_nodes(nodes), s.V));
    if (status) {
        grid_arrays_clear(&s);
        return status;
    }
    memcpy(s.RV, s.V, n * 2 * S * sizeof *s.V);
    lf_row_compression_apply(rows, 0, 2 * S, s.RV);
    for (int q = 0; q < k->model->force_count; q++) {
        if (k->features.grids.sources[q].grid == grid) {
            backward_force(k, rows, q, &s, by);
        }
    }
    if ((by->blocks.diagonal || by->blocks.shared) && lf_inducing_coupling(k, d, grid, 1, s.c)) {
        backward_block(n, S, by->blocks.diagonal, by->blocks.shared, &s);
        backward_coupling(k, d, grid, 1, s.by_c, by->gradient);
    }
    if (by->blocks.private && lf_inducing_coupling(k, d, grid, 0, s.c)) {
        backward_block(n, S, NULL, by->blocks.private, &s);
        backward_coupling(k, d, grid, 0, s.by_c, by->gradient);
    }
    lf_row_compression_apply(rows, 1, 2 * S, s.by_V);
    status = lf_response_backward(ctx, response, lf_all_nodes(nodes), s.V, s.by_V,
                                  by->gradient + lf_index_constants(k->model, d), nodes->base ? s.by_lambda : NULL);
    if (!status && nodes->base) {
        backward_frequencies(k, d, grid, s.by_lambda, by->gradient);
    }
    grid_arrays_clear(&s);
    return status;
}

/* The free initial state: derivatives with respect to its variances and, through h, the constants of the operator. */
static lf_status backward_initial_states(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                                         const lf_response *response, const double *by_private, double *gradient)
{
    int d = rows->output;
    const lf_output *output = &k->model->outputs[d];
    size_t n = rows->n, P = (size_t)output->order;
    if (!lf_has_initial_state(k->model, rows->output)) {
        return LF_OK;
    }
    double *h = lf_doubles(n, P), *by_h = lf_doubles(n, P);
    lf_status status = h && by_h ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        memcpy(h, response->h, n * P * sizeof *h);
        lf_row_compression_apply(rows, 0, P, h);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)P, (int)n, 1, by_private, (int)n, h, (int)n,
                    0, by_h, (int)n);
        for (size_t i = 0; i < P; i++) {
            gradient[(size_t)lf_index_initial_variance(k->model, d) + i] +=
                cblas_ddot((int)n, h + i * n, 1, by_h + i * n, 1);
        }
        lf_row_compression_apply(rows, 1, P, by_h);
        for (size_t c = 0; c < (size_t)output->constant_count; c++) {
            for (size_t i = 0; i < P; i++) {
                gradient[(size_t)lf_index_constants(k->model, d) + c] +=
                    2 * output->initial_variance[i] *
                    cblas_ddot((int)n, by_h + i * n, 1, response->dh + (c * P + i) * n, 1);
            }
        }
    }
    free(h);
    free(by_h);
    return status;
}

static lf_status backward_from_nodes(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                                     const adjoints *by)
{
    lf_response response;
    lf_status status = lf_response_create(ctx, k->model, rows->output, rows->n, rows->x, 1, &response);
    if (status) {
        return status;
    }
    for (int g = 0; !status && g < k->features.grids.grid_count; g++) {
        if (lf_inducing_grid_drives(k, rows->output, g)) {
            status = backward_grid(ctx, k, rows, g, &response, by);
        }
    }
    if (!status && by->blocks.private) {
        status = backward_initial_states(ctx, k, rows, &response, by->blocks.private, by->gradient);
    }
    lf_response_clear(&response);
    return status;
}

lf_status lf_inducing_kernel_rows_backward(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                                           const double *by_X, size_t ld, lf_inducing_blocks by_blocks,
                                           double *gradient, double *by_Y)
{
    const adjoints by = {by_X, ld, by_blocks, gradient, by_Y};
    return k->source == LF_INDUCING_CLOSED_FORM
               ? lf_inducing_closed_form_backward(ctx, k, rows, by_X, ld, by_blocks, gradient, by_Y)
               : backward_from_nodes(ctx, k, rows, &by);
}
