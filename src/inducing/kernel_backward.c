/* The derivatives that belong to no output: K_uu, and what all outputs have left in dL/dY_q, to lengthscales, inducing
 * inputs and noise. With T = (dL/dK_uu) E and w the weights of the nodes,
 *   dL/dE = dL/dY' w + 2 T w,   dL/dw = columns' sums of E o (dL/dY' + T)      (T = 0 where K_uu is the force kernel),
 *   dL/dz = sum_s lambda_s (cos o dL/dsin - sin o dL/dcos). */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "inducing/kernel_rows.h"

/* k(|(z - z') / l|): by the lengthscales and, unless NULL, by z (K, p). */
static void backward_force_kernel(const lf_force *force, size_t p, size_t K, const double *z, const double *G,
                                  double *by_lengthscale, double *by_z)
{
    for (size_t j = 0; j < K; j++) {
        for (size_t i = j + 1; i < K; i++) {
            double square = 0;
            for (size_t a = 0; a < p; a++) {
                double r = (z[i * p + a] - z[j * p + a]) / force->lengthscale[force->lengthscale_count > 1 ? a : 0];
                square += r * r;
            }
            double r = sqrt(square), slope = r > 0 ? 2 * G[j * K + i] * force->kernel->covariance_slope(r) / r : 0;
            for (size_t a = 0; a < p; a++) { /* both triangles at once */
                size_t which = force->lengthscale_count > 1 ? a : 0;
                double l = force->lengthscale[which], step = (z[i * p + a] - z[j * p + a]) / l;
                by_lengthscale[which] -= slope * step * step / l;
                if (by_z) {
                    by_z[i * p + a] += slope * step / l;
                    by_z[j * p + a] -= slope * step / l;
                }
            }
        }
    }
}

/* by_z (K, p) += from dL/dE (K, 2S). */
static void backward_inputs(const lf_inducing_force *f, const lf_nodes *nodes, const double *by_E, double *by_z)
{
    size_t K = f->K, S = nodes->count, p = (size_t)nodes->input_dim;
    for (size_t s = 0; s < S; s++) {
        const double *cosine = f->E + s * K, *sine = f->E + (S + s) * K;
        const double *by_cosine = by_E + s * K, *by_sine = by_E + (S + s) * K;
        for (size_t i = 0; i < K; i++) {
            double turn = cosine[i] * by_sine[i] - sine[i] * by_cosine[i];
            for (size_t a = 0; a < p; a++) {
                by_z[i * p + a] += nodes->lambda[s * p + a] * turn;
            }
        }
    }
}

/* Sampled frequencies: dL/dlambda from dL/dE, which is overwritten. */
static lf_status backward_waves(lf_context *ctx, const lf_inducing_kernel *k, int q, double *by_E, double *gradient)
{
    const lf_inducing_force *f = &k->forces[q];
    const lf_source *source = &k->features.grids.sources[q];
    const lf_nodes *nodes = &k->features.grids.grids[source->grid];
    double *by_lambda = lf_doubles(nodes->count, (size_t)nodes->input_dim);
    lf_response response = {0};
    lf_status status = by_lambda
                           ? lf_response_create(ctx, k->model, k->model->output_count + q, f->K, f->z, 1, &response)
                           : lf_no_memory(ctx);
    status =
        status ? status : lf_response_backward(ctx, &response, nodes, 0, nodes->count, f->E, by_E, gradient, by_lambda);
    if (!status) {
        lf_inducing_by_frequency(source, nodes, lf_index_lengthscale(k->model, q), by_lambda, gradient);
    }
    lf_response_clear(&response);
    free(by_lambda);
    return status;
}

static lf_status backward_nodes(lf_context *ctx, const lf_inducing_kernel *k, int q, const double *by_uu,
                                const double *by_waves, double *gradient)
{
    const lf_inducing_force *f = &k->forces[q];
    const lf_source *source = &k->features.grids.sources[q];
    const lf_nodes *nodes = &k->features.grids.grids[source->grid];
    size_t K = f->K, S2 = f->S2, S = S2 / 2;
    int inputs = lf_index_inducing(k->model, q), feature_kernel = k->source == LF_INDUCING_FEATURES;
    double *T = lf_doubles(K, S2), by_lengthscale = 0;
    if (!T) {
        return lf_no_memory(ctx);
    }
    if (feature_kernel) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)K, (int)S2, (int)K, 1, by_uu, (int)K, f->E, (int)K,
                    0, T, (int)K);
    }
    for (size_t s = 0; s < S2; s++) {
        double w = source->w[s % S], by_w = 0;
        for (size_t i = 0; i < K; i++) {
            double by_Y = by_waves[f->place + i * S2 + s], t = T[s * K + i];
            by_w += f->E[s * K + i] * (by_Y + t);
            T[s * K + i] = w * (by_Y + 2 * t);
        }
        by_lengthscale += nodes->base ? 0 : by_w * source->dw[s % S];
    }
    if (inputs >= 0) {
        backward_inputs(f, nodes, T, gradient + inputs);
    }
    lf_status status = LF_OK;
    if (k->source != LF_INDUCING_CLOSED_FORM) { /* there lengthscales are done with */
        gradient[lf_index_lengthscale(k->model, q)] += by_lengthscale;
        status = nodes->base ? backward_waves(ctx, k, q, T, gradient) : LF_OK;
    }
    free(T);
    return status;
}

lf_status lf_inducing_kernel_backward(lf_context *ctx, const lf_inducing_kernel *k, const double *by_uu,
                                      const double *by_Y, double *gradient)
{
    lf_status status = LF_OK;
    for (int q = 0; !status && q < k->model->force_count; q++) {
        const lf_inducing_force *f = &k->forces[q];
        int noise = lf_index_inducing_noise(k->model, q), inputs = lf_index_inducing(k->model, q);
        for (size_t i = 0; noise >= 0 && i < f->K; i++) {
            gradient[noise] += by_uu[i * f->K + i];
        }
        if (k->source != LF_INDUCING_FEATURES) {
            backward_force_kernel(&k->model->forces[q], (size_t)k->model->input_dim, f->K, f->z, by_uu,
                                  gradient + lf_index_lengthscale(k->model, q), inputs >= 0 ? gradient + inputs : NULL);
        }
        status = k->has_features ? backward_nodes(ctx, k, q, by_uu, by_Y, gradient) : LF_OK;
        by_uu += f->K * f->K;
    }
    return status;
}

/* ---- closed form ---- */

/* dL/dY of ODEs, for the derivatives by inducing inputs alone. */
static lf_status gather_waves(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                              const double *by_X, size_t ld, double *by_Y)
{
    lf_response response;
    lf_status status = lf_response_create(ctx, k->model, rows->output, rows->n, rows->x, 0, &response);
    for (int q = 0; !status && q < k->model->force_count; q++) {
        const lf_inducing_force *f = &k->forces[q];
        const lf_nodes *nodes = &k->features.grids.grids[k->features.grids.sources[q].grid];
        double *V = lf_doubles(rows->n, f->S2);
        status = V ? lf_response_columns(ctx, &response, nodes, 0, nodes->count, V) : lf_no_memory(ctx);
        if (!status) {
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)f->S2, (int)f->K, (int)rows->n,
                        k->model->outputs[rows->output].sensitivity[q], V, (int)rows->n, by_X + f->first * ld, (int)ld,
                        1, by_Y + f->place, (int)f->S2);
        }
        free(V);
    }
    lf_response_clear(&response);
    return status;
}

/* Gaussian operator, several inputs: K ~ exp(-(x - z)^2 / 2 V), V = l^2 / 2 + 1 / precision. */
static lf_status backward_gaussian_inputs(lf_context *ctx, const lf_inducing_kernel *k, const lf_point_set *set,
                                          const double *by_X, size_t ld, double *gradient)
{
    size_t n = set->n, p = (size_t)set->input_dim;
    int wanted = 0;
    for (int q = 0; q < k->model->force_count; q++) {
        wanted = wanted || lf_index_inducing(k->model, q) >= 0;
    }
    if (!wanted) {
        return LF_OK;
    }
    double *X = lf_doubles(n, k->u.n);
    const lf_output *output = &k->model->outputs[set->target[0]];
    lf_status status = X ? lf_kernel_matrix(ctx, k->model, k->exact, set, &k->u, X, n) : lf_no_memory(ctx);
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

/* Diagonal or square of one view of the model. What the view holds at zero takes no derivative. */
static lf_status backward_view(lf_context *ctx, const lf_inducing_kernel *k, const lf_model *view,
                               const lf_row_compression *rows, const double *diagonal, const double *square,
                               double *gradient)
{
    size_t start[2], n = rows->n;
    int target;
    double *view_gradient = lf_doubles(view->parameter_count, 1);
    lf_status status = view_gradient ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; diagonal && !status && i < n; i++) {
        lf_point_set set = lf_inducing_points(k, rows, i, 1, &target, start);
        status = lf_kernel_gradient(ctx, view, k->exact, &set, &set, diagonal + i, 1, view_gradient);
    }
    if (square && !status) {
        lf_point_set set = lf_inducing_points(k, rows, 0, n, &target, start);
        status = lf_kernel_gradient(ctx, view, k->exact, &set, &set, square, n, view_gradient);
    }
    int first = lf_index_initial_variance(view, rows->output);
    for (int i = 0; !status && view == k->shared && first >= 0 && i < view->outputs[rows->output].order; i++) {
        view_gradient[first + i] = 0;
    }
    for (size_t i = 0; !status && i < view->parameter_count; i++) {
        gradient[i] += view_gradient[i];
    }
    free(view_gradient);
    return status;
}

lf_status lf_inducing_closed_form_backward(lf_context *ctx, const lf_inducing_kernel *k, const lf_row_compression *rows,
                                           const double *by_X, size_t ld, lf_inducing_blocks by, double *gradient,
                                           double *by_Y)
{
    size_t start[2];
    int target;
    lf_point_set set = lf_inducing_points(k, rows, 0, rows->n, &target, start);
    const lf_model *shared = k->shared ? k->shared : k->model;
    lf_status status = lf_kernel_gradient(ctx, k->model, k->exact, &set, &k->u, by_X, ld, gradient);
    if (!status && (by.diagonal || by.shared)) {
        status = backward_view(ctx, k, shared, rows, by.diagonal, by.shared, gradient);
    }
    if (!status && by.private && k->private) {
        status = backward_view(ctx, k, k->private, rows, NULL, by.private, gradient);
    }
    if (!status && k->has_features) {
        status = gather_waves(ctx, k, rows, by_X, ld, by_Y);
    } else if (!status && k->model->input_dim > 1) {
        status = backward_gaussian_inputs(ctx, k, &set, by_X, ld, gradient);
    }
    return status;
}
