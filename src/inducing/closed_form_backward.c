/* Derivatives of the covariances of one output in closed form. The derivatives with respect to inducing inputs are
 * taken from nodes for ODEs with EQ forces, and directly from the covariances otherwise. */
#include <cblas.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "inducing/kernel_rows.h"

/* Adds to by_Y for ODEs; used for the derivatives with respect to inducing inputs only. */
static lf_status backward_Y(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                            const double *by_X, size_t ld, double *by_Y)
{
    lf_response response;
    lf_status status = lf_response_create(ctx, k->model, rows->output, rows->n, rows->x, 0, &response);
    for (int q = 0; !status && q < k->model->force_count; q++) {
        const lf_inducing_force *f = &k->forces[q];
        const lf_nodes *nodes = &k->features.grids.grids[k->features.grids.sources[q].grid];
        double *V = lf_doubles(rows->n, f->S2);
        status = V ? lf_response_columns(ctx, &response, lf_all_nodes(nodes), V) : lf_no_memory(ctx);
        if (!status) {
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)f->S2, (int)f->K, (int)rows->n,
                        k->model->outputs[rows->output].sensitivity[q], V, (int)rows->n, by_X + f->first * ld, (int)ld,
                        1, by_Y + f->Y_offset, (int)f->S2);
        }
        free(V);
    }
    lf_response_clear(&response);
    return status;
}

/* Derivatives of the gaussian operator with respect to inducing inputs, for several input dimensions: K is proportional
 * to exp(-(x - z)^2 / 2 V), V = l^2 / 2 + 1 / precision. */
static lf_status backward_gaussian_inputs(lf_context *ctx, const lf_inducing_kernel *k, const lf_point_set *set,
                                          const double *by_X, size_t ld, double *gradient)
{
    size_t n = set->n, p = (size_t)set->input_dim;
    int needed = 0;
    for (int q = 0; q < k->model->force_count; q++) {
        needed = needed || lf_index_inducing(k->model, q) >= 0;
    }
    if (!needed) {
        return LF_OK;
    }
    double *X = lf_doubles(n, k->u.n);
    const lf_output *output = &k->model->outputs[set->target[0]];
    lf_status status = X ? lf_exact_covariance_matrix(ctx, k->model, k->exact, set, &k->u, X, n) : lf_no_memory(ctx);
    for (int q = 0; !status && q < k->model->force_count; q++) {
        const lf_inducing_force *f = &k->forces[q];
        const lf_force *force = &k->model->forces[q];
        int inputs = lf_index_inducing(k->model, q);
        for (size_t a = 0; inputs >= 0 && a < p; a++) {
            double l = force->lengthscale[force->lengthscale_count > 1 ? a : 0];
            double V = 0.5 * l * l + 1 / output->constants[output->constant_count > 1 ? a : 0];
            for (size_t j = 0; j < f->K; j++) {
                double sum = 0;
                for (size_t i = 0; i < n; i++) {
                    size_t column = f->first + j;
                    sum += by_X[column * ld + i] * X[column * n + i] * (set->x[i * p + a] - f->z[j * p + a]);
                }
                gradient[(size_t)inputs + j * p + a] += sum / V;
            }
        }
    }
    free(X);
    return status;
}

/* Derivatives of Matern forces with respect to inducing inputs, for one chunk of rows. */
static lf_status backward_matern_inputs(lf_context *ctx, const lf_inducing_kernel *k, const lf_point_set *set,
                                        const double *by_X, size_t ld, double *gradient)
{
    size_t n = set->n;
    double *slopes = lf_doubles(n, k->u.n);
    lf_status status =
        slopes ? lf_exact_covariance_slopes(ctx, k->model, k->exact, set, &k->u, slopes, n) : lf_no_memory(ctx);
    for (int q = 0; !status && q < k->model->force_count; q++) {
        int inputs = lf_index_inducing(k->model, q);
        for (size_t j = 0; inputs >= 0 && j < k->forces[q].K; j++) {
            size_t column = k->forces[q].first + j;
            gradient[(size_t)inputs + j] += cblas_ddot((int)n, by_X + column * ld, 1, slopes + column * n, 1);
        }
    }
    free(slopes);
    return status;
}

/* K_fu through the state space, in chunks of rows. */
static lf_status backward_chunks(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                                 const double *by_X, size_t ld, double *gradient)
{
    size_t start[2], n = rows->n;
    int target, needed = 0;
    for (int q = 0; q < k->model->force_count; q++) {
        needed = needed || lf_index_inducing(k->model, q) >= 0;
    }
    lf_status status = LF_OK;
    for (size_t first = 0, count; !status && first < n; first += count) {
        count = lf_inducing_chunk(k, n - first);
        lf_point_set set = lf_inducing_points(k, rows, first, count, &target, start);
        status = lf_exact_covariance_gradient(ctx, k->model, k->exact, &set, &k->u, by_X + first, ld, gradient);
        if (!status && needed && k->exact.route == LF_ROUTE_STATE_SPACE) {
            status = backward_matern_inputs(ctx, k, &set, by_X + first, ld, gradient);
        }
    }
    return status;
}

/* Derivatives of the variances of some rows, by (n). The state space takes several rows together. */
static lf_status backward_diagonal(lf_context *ctx, const lf_inducing_kernel *k, const lf_model *partial,
                                   const lf_row_compression *rows, const double *by, double *gradient)
{
    enum { TOGETHER = 32 };
    size_t start[2], most = k->exact.route == LF_ROUTE_STATE_SPACE ? TOGETHER : 1;
    int target;
    lf_status status = LF_OK;
    for (size_t first = 0, count; !status && first < rows->n; first += count) {
        double G[TOGETHER * TOGETHER] = {0};
        count = rows->n - first < most ? rows->n - first : most;
        for (size_t i = 0; i < count; i++) {
            G[i * count + i] = by[first + i];
        }
        lf_point_set set = lf_inducing_points(k, rows, first, count, &target, start);
        status = lf_exact_covariance_gradient(ctx, partial, k->exact, &set, &set, G, count, gradient);
    }
    return status;
}

/* Derivatives of K_ff of shared_model or private_model, given by its diagonal (n) or by all of it (n, n). The initial
 * variances that shared_model sets to 0 get no derivative. */
static lf_status backward_partial_model(lf_context *ctx, const lf_inducing_kernel *k, const lf_model *partial,
                                        const lf_row_compression *rows, const double *diagonal, const double *square,
                                        double *gradient)
{
    size_t start[2], n = rows->n;
    int target;
    double *partial_gradient = lf_doubles(partial->parameter_count, 1);
    lf_status status = partial_gradient ? LF_OK : lf_no_memory(ctx);
    if (diagonal && !status) {
        status = backward_diagonal(ctx, k, partial, rows, diagonal, partial_gradient);
    }
    if (square && !status) {
        lf_point_set set = lf_inducing_points(k, rows, 0, n, &target, start);
        status = lf_exact_covariance_gradient(ctx, partial, k->exact, &set, &set, square, n, partial_gradient);
    }
    int first = lf_index_initial_variance(partial, rows->output);
    for (int i = 0; !status && partial == k->shared_model && first >= 0 && i < partial->outputs[rows->output].order;
         i++) {
        partial_gradient[first + i] = 0;
    }
    for (size_t i = 0; !status && i < partial->parameter_count; i++) {
        gradient[i] += partial_gradient[i];
    }
    free(partial_gradient);
    return status;
}

lf_status lf_inducing_closed_form_backward(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                                           const double *by_X, size_t ld, lf_inducing_blocks by_blocks,
                                           double *gradient, double *by_Y)
{
    size_t start[2];
    int target;
    lf_point_set set = lf_inducing_points(k, rows, 0, rows->n, &target, start);
    const lf_model *shared = k->shared_model ? k->shared_model : k->model;
    lf_status status = backward_chunks(ctx, k, rows, by_X, ld, gradient);
    if (!status && (by_blocks.diagonal || by_blocks.shared)) {
        status = backward_partial_model(ctx, k, shared, rows, by_blocks.diagonal, by_blocks.shared, gradient);
    }
    if (!status && by_blocks.private && k->private_model) {
        status = backward_partial_model(ctx, k, k->private_model, rows, NULL, by_blocks.private, gradient);
    }
    if (!status && k->has_features) {
        status = backward_Y(ctx, k, rows, by_X, ld, by_Y);
    } else if (!status && k->model->input_dim > 1) {
        status = backward_gaussian_inputs(ctx, k, &set, by_X, ld, gradient);
    }
    return status;
}
