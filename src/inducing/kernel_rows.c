/* K_fu and the blocks of K_ff at the rows of one output. From nodes, with V <- R V where the rows are compressed
 * (row_compression.h):
 *
 *   K_fu = S_dq V Y_q,   K_ff = V diag(c) V',   c = sum_q S_dq^2 w_q (shared), amplitude^2 w (private)
 *
 * A free initial state adds variance_k h_k h_k' to the private block. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "inducing/kernel_rows.h"

int lf_inducing_coupling(const lf_inducing_kernel *k, int output, int grid, int shared, double *c)
{
    const lf_grids *grids = &k->features.grids;
    size_t S = grids->grids[grid].count;
    int found = 0;
    memset(c, 0, S * sizeof *c);
    for (int i = 0; i < grids->source_count; i++) {
        const lf_source *source = &grids->sources[i];
        if (source->grid == grid && (shared ? source->index >= 0 : source->output == output)) {
            double factor = lf_source_sensitivity(k->model, output, source);
            found = 1;
            for (size_t s = 0; s < S; s++) {
                c[s] += factor * factor * source->w[s];
            }
        }
    }
    return found;
}

/* Lower triangle of K (n, n) += V diag(c) V', V and work (n, 2S). */
static void add_block(size_t n, size_t S, const double *V, const double *c, double *work, double *K)
{
    for (size_t s = 0; s < 2 * S; s++) {
        double root = sqrt(c[s % S]);
        for (size_t i = 0; i < n; i++) {
            work[s * n + i] = root * V[s * n + i];
        }
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)(2 * S), 1, work, (int)n, 1, K, (int)n);
}

static void add_diagonal(size_t n, size_t S, const double *V, const double *c, double *k)
{
    for (size_t s = 0; s < 2 * S; s++) {
        for (size_t i = 0; i < n; i++) {
            k[i] += c[s % S] * V[s * n + i] * V[s * n + i];
        }
    }
}

static lf_status fill_grid(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows, int grid,
                           const lf_response *response, double *X, size_t ld, lf_inducing_blocks blocks)
{
    const lf_grids *grids = &k->features.grids;
    size_t n = rows->n, S = grids->grids[grid].count, dense = blocks.shared || blocks.private ? n : 0;
    double *V = lf_doubles(n, 2 * S), *c = lf_doubles(S, 1), *work = lf_doubles(dense, 2 * S);
    lf_status status = V && c && work ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, lf_response_columns(ctx, response, lf_all_nodes(&grids->grids[grid]), V));
    if (!status) {
        lf_row_compression_apply(rows, 0, 2 * S, V);
    }
    for (int q = 0; !status && q < k->model->force_count; q++) {
        const lf_inducing_force *f = &k->forces[q];
        if (grids->sources[q].grid == grid) {
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)f->K, (int)f->S2,
                        k->model->outputs[rows->output].sensitivity[q], V, (int)n, f->Y, (int)f->S2, 0,
                        X + f->first * ld, (int)ld);
        }
    }
    if (!status && (blocks.diagonal || blocks.shared) && lf_inducing_coupling(k, rows->output, grid, 1, c)) {
        if (blocks.diagonal) {
            add_diagonal(n, S, V, c, blocks.diagonal);
        }
        if (blocks.shared) {
            add_block(n, S, V, c, work, blocks.shared);
        }
    }
    if (!status && blocks.private && lf_inducing_coupling(k, rows->output, grid, 0, c)) {
        add_block(n, S, V, c, work, blocks.private);
    }
    free(V);
    free(c);
    free(work);
    return status;
}

/* The free initial state: lower triangle of private (n, n) += variance_k h_k h_k'. */
static lf_status add_initial_states(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                                    const lf_response *response, double *private)
{
    const lf_output *output = &k->model->outputs[rows->output];
    size_t n = rows->n, P = (size_t)output->order;
    if (!lf_has_initial_state(k->model, rows->output)) {
        return LF_OK;
    }
    double *h = lf_doubles(n, P);
    if (!h) {
        return lf_no_memory(ctx);
    }
    memcpy(h, response->h, n * P * sizeof *h);
    lf_row_compression_apply(rows, 0, P, h);
    for (size_t i = 0; i < P; i++) {
        cblas_dsyr(CblasColMajor, CblasLower, (int)n, output->initial_variance[i], h + i * n, 1, private, (int)n);
    }
    free(h);
    return LF_OK;
}

static lf_status rows_from_nodes(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                                 double *X, size_t ld, lf_inducing_blocks blocks)
{
    lf_response response;
    lf_status status = lf_response_create(ctx, k->model, rows->output, rows->n, rows->x, 0, &response);
    if (status) {
        return status;
    }
    for (int g = 0; !status && g < k->features.grids.grid_count; g++) {
        if (lf_inducing_grid_drives(k, rows->output, g)) {
            status = fill_grid(ctx, k, rows, g, &response, X, ld, blocks);
        }
    }
    if (!status && blocks.private) {
        status = add_initial_states(ctx, k, rows, &response, blocks.private);
    }
    lf_response_clear(&response);
    return status;
}

int lf_inducing_grid_drives(const lf_inducing_kernel *k, int output, int grid)
{
    for (int i = 0; i < k->features.grids.source_count; i++) {
        const lf_source *source = &k->features.grids.sources[i];
        if (source->grid == grid && (source->index >= 0 || source->output == output)) {
            return 1;
        }
    }
    return 0;
}

lf_point_set lf_inducing_points(const lf_inducing_kernel *k, const lf_row_compression *rows, size_t first, size_t n,
                                int *target, size_t *start)
{
    *target = rows->output;
    start[0] = 0;
    start[1] = n;
    return (lf_point_set){.n = n,
                          .input_dim = k->model->input_dim,
                          .x = rows->x + first * (size_t)k->model->input_dim,
                          .group_count = 1,
                          .target = target,
                          .start = start};
}

size_t lf_inducing_chunk(const lf_inducing_kernel *k, size_t rows)
{
    size_t most = k->u.n > 64 ? k->u.n : 64;
    return k->exact.route == LF_ROUTE_STATE_SPACE && rows > most ? most : rows;
}

static lf_status rows_in_closed_form(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                                     double *X, size_t ld, lf_inducing_blocks blocks)
{
    size_t start[2], n = rows->n;
    int target;
    const lf_model *shared = k->shared_model ? k->shared_model : k->model;
    lf_status status = LF_OK;
    for (size_t first = 0, count; !status && first < n; first += count) {
        count = lf_inducing_chunk(k, n - first);
        lf_point_set part = lf_inducing_points(k, rows, first, count, &target, start);
        status = lf_exact_covariance_matrix(ctx, k->model, k->exact, &part, &k->u, X + first, ld);
    }
    lf_point_set set = lf_inducing_points(k, rows, 0, n, &target, start);
    if (!status && blocks.diagonal) {
        status = lf_exact_covariance_diagonal(ctx, shared, k->exact, &set, blocks.diagonal);
    }
    if (!status && blocks.shared) {
        status = lf_exact_covariance_matrix(ctx, shared, k->exact, &set, &set, blocks.shared, n);
    }
    if (!status && blocks.private && k->private_model) {
        status = lf_exact_covariance_matrix(ctx, k->private_model, k->exact, &set, &set, blocks.private, n);
    }
    return status;
}

lf_status lf_inducing_kernel_rows(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                                  double *X, size_t ld, lf_inducing_blocks blocks)
{
    size_t n = rows->n;
    double *square[2] = {blocks.shared, blocks.private};
    if (blocks.diagonal) {
        memset(blocks.diagonal, 0, n * sizeof *blocks.diagonal);
    }
    for (int i = 0; i < 2; i++) {
        if (square[i]) {
            memset(square[i], 0, n * n * sizeof *square[i]);
        }
    }
    lf_status status = k->source == LF_INDUCING_CLOSED_FORM ? rows_in_closed_form(ctx, k, rows, X, ld, blocks)
                                                            : rows_from_nodes(ctx, k, rows, X, ld, blocks);
    for (int i = 0; !status && i < 2; i++) {
        if (square[i]) {
            lf_mirror(n, square[i], n);
        }
    }
    return status;
}
