/* Derivatives through K_uu and Y, which all outputs share, with respect to lengthscales, inducing inputs and inducing
 * noise. With T = (dL/dK_uu) E and the weights w of the nodes,
 *
 *   dL/dE = dL/dY' w + 2 T w,   dL/dw = column sums of E o (dL/dY' + T),   T = 0 where K_uu is the force kernel
 *   dL/dz = sum_s lambda_s (cos o dL/dsin - sin o dL/dcos) */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "inducing/kernel_rows.h"

/* Derivatives of k(|(z - z') / l|) with respect to the lengthscales and, unless NULL, z (K, p). */
static void backward_force_kernel(const lf_force *force, size_t p, size_t K, const double *z, const double *by_uu,
                                  double *by_lengthscale, double *by_z)
{
    for (size_t j = 0; j < K; j++) {
        for (size_t i = j + 1; i < K; i++) {
            double square = 0;
            for (size_t a = 0; a < p; a++) {
                double r = (z[i * p + a] - z[j * p + a]) / force->lengthscale[force->lengthscale_count > 1 ? a : 0];
                square += r * r;
            }
            double r = sqrt(square), slope = r > 0 ? 2 * by_uu[j * K + i] * force->kernel->covariance_slope(r) / r : 0;
            for (size_t a = 0; a < p; a++) { /* both triangles at once */
                size_t index = force->lengthscale_count > 1 ? a : 0;
                double l = force->lengthscale[index], step = (z[i * p + a] - z[j * p + a]) / l;
                by_lengthscale[index] -= slope * step * step / l;
                if (by_z) {
                    by_z[i * p + a] += slope * step / l;
                    by_z[j * p + a] -= slope * step / l;
                }
            }
        }
    }
}

/* Adds to by_z (K, p), given by_E (K, 2S). */
static void backward_inputs(const lf_inducing_force *f, const lf_nodes *nodes, const double *by_E, double *by_z)
{
    size_t K = f->K, S = nodes->count, p = (size_t)nodes->input_dim;
    for (size_t s = 0; s < S; s++) {
        const double *cosine = f->E + s * K, *sine = f->E + (S + s) * K;
        const double *by_cosine = by_E + s * K, *by_sine = by_E + (S + s) * K;
        for (size_t i = 0; i < K; i++) {
            double by_phase = cosine[i] * by_sine[i] - sine[i] * by_cosine[i];
            for (size_t a = 0; a < p; a++) {
                by_z[i * p + a] += nodes->lambda[s * p + a] * by_phase;
            }
        }
    }
}

/* Sampled frequencies: derivatives with respect to lengthscales, given by_E, which is overwritten. */
static lf_status backward_sampled_nodes(lf_context *ctx, const lf_inducing_kernel *k, int q, double *by_E,
                                        double *gradient)
{
    const lf_inducing_force *f = &k->forces[q];
    const lf_source *source = &k->features.grids.sources[q];
    const lf_nodes *nodes = &k->features.grids.grids[source->grid];
    double *by_lambda = lf_doubles(nodes->count, (size_t)nodes->input_dim);
    lf_response response = {0};
    lf_status status = by_lambda
                           ? lf_response_create(ctx, k->model, k->model->output_count + q, f->K, f->z, 1, &response)
                           : lf_no_memory(ctx);
    LF_TRY(status, lf_response_backward(ctx, &response, lf_all_nodes(nodes), f->E, by_E, gradient, by_lambda));
    if (!status) {
        lf_inducing_frequency_backward(source, nodes, lf_index_kernel(k->model, q), by_lambda, gradient);
    }
    lf_response_clear(&response);
    free(by_lambda);
    return status;
}

static lf_status backward_nodes(lf_context *ctx, const lf_inducing_kernel *k, int q, const double *by_uu,
                                const double *by_Y_all, double *gradient)
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
            double by_Y = by_Y_all[f->Y_offset + i * S2 + s], t = T[s * K + i];
            by_w += f->E[s * K + i] * (by_Y + t);
            T[s * K + i] = w * (by_Y + 2 * t);
        }
        by_lengthscale += nodes->base ? 0 : by_w * source->dw[s % S];
    }
    if (inputs >= 0) {
        backward_inputs(f, nodes, T, gradient + inputs);
    }
    lf_status status = LF_OK;
    if (k->source != LF_INDUCING_CLOSED_FORM) { /* the closed form has added the derivatives of lengthscales */
        gradient[lf_index_kernel(k->model, q)] += by_lengthscale;
        status = nodes->base ? backward_sampled_nodes(ctx, k, q, T, gradient) : LF_OK;
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
                                  gradient + lf_index_kernel(k->model, q), inputs >= 0 ? gradient + inputs : NULL);
        }
        status = k->has_features ? backward_nodes(ctx, k, q, by_uu, by_Y, gradient) : LF_OK;
        by_uu += f->K * f->K;
    }
    return status;
}
