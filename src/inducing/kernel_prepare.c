/* Brings the kernel of the inducing engines to the current parameters: frequencies, E and Y, K_uu and its Cholesky
 * factor. */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "features/response.h"
#include "inducing/inducing_kernel.h"

/* The force kernel: C (K, K) = k(|(z - z') / lengthscale|), lower triangle. */
static void force_covariance(const lf_force *force, size_t p, size_t K, const double *z, double *C)
{
    for (size_t j = 0; j < K; j++) {
        for (size_t i = j; i < K; i++) {
            double square = 0;
            for (size_t a = 0; a < p; a++) {
                double r = (z[i * p + a] - z[j * p + a]) / force->lengthscale[force->lengthscale_count > 1 ? a : 0];
                square += r * r;
            }
            C[j * K + i] = force->kernel->covariance(sqrt(square));
        }
    }
}

static lf_status compute_E_and_Y(lf_context *ctx, lf_inducing_kernel *k, int q)
{
    lf_inducing_force *f = &k->forces[q];
    const lf_source *source = &k->features.grids.sources[q];
    const lf_nodes *nodes = &k->features.grids.grids[source->grid];
    size_t S = nodes->count;
    lf_response response;
    lf_status status = lf_response_create(ctx, k->model, k->model->output_count + q, f->K, f->z, 0, &response);
    LF_TRY(status, lf_response_columns(ctx, &response, lf_all_nodes(nodes), f->E));
    lf_response_clear(&response);
    for (size_t s = 0; !status && s < 2 * S; s++) {
        double w = source->w[s < S ? s : s - S];
        for (size_t i = 0; i < f->K; i++) {
            f->Y[i * f->S2 + s] = w * f->E[s * f->K + i];
        }
    }
    return status;
}

/* C (K, K) = K_uu without noise, lower triangle. */
static void inducing_covariance(const lf_inducing_kernel *k, int q, double *C)
{
    const lf_inducing_force *f = &k->forces[q];
    if (k->source != LF_INDUCING_FEATURES) {
        force_covariance(&k->model->forces[q], (size_t)k->model->input_dim, f->K, f->z, C);
        return;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)f->K, (int)f->K, (int)f->S2, 1, f->E, (int)f->K, f->Y,
                (int)f->S2, 0, C, (int)f->K);
}

/* Replaces the lower triangle of C (K, K) by its Cholesky factor. 0: there is none, or a pivot is at the rounding
 * error. */
static int cholesky(size_t K, double *C)
{
    double min_pivot = 64 * DBL_EPSILON * C[0];
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)K, C, (lapack_int)K)) {
        return 0;
    }
    for (size_t i = 0; i < K; i++) {
        if (!(C[i * K + i] * C[i * K + i] > min_pivot)) {
            return 0;
        }
    }
    return 1;
}

/* Factors K_uu + noise, with the smallest jitter of 0, 1e-12, 1e-11, … of the diagonal that makes it possible. */
static lf_status factor_K_uu(lf_context *ctx, lf_inducing_kernel *k, int q, double *C)
{
    lf_inducing_force *f = &k->forces[q];
    const lf_force *force = &k->model->forces[q];
    inducing_covariance(k, q, C);
    for (double jitter = 0; jitter<1e-3; jitter = jitter> 0 ? 10 * jitter : 1e-12) {
        memcpy(f->L, C, f->K * f->K * sizeof *C);
        for (size_t i = 0; i < f->K; i++) {
            f->L[i * f->K + i] += force->inducing_noise + jitter * C[0];
        }
        if (cholesky(f->K, f->L)) {
            k->jitter = fmax(k->jitter, jitter);
            return LF_OK;
        }
    }
    return lf_fail(ctx, LF_ERROR_NUMERIC,
                   "force %d: the covariance of its %zu inducing values cannot be factored, even with a jitter of 1e-4 "
                   "of its diagonal (lengthscale %g, inducing_noise %g): use fewer inducing values, set "
                   "inducing_noise, or check for a parameter that is out of range",
                   q + 1, f->K, force->lengthscale[0], force->inducing_noise);
}

/* Copies the parameters of the model into the copy of its shared forces (shared 1) or of its private parts (shared 0),
 * and sets what this copy leaves out to 0. */
static lf_status update_partial_model(lf_context *ctx, const lf_model *model, lf_model *partial, int shared)
{
    double *theta = lf_doubles(model->parameter_count, 1);
    lf_status status = theta ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        lf_model_theta(model, theta);
        status = lf_model_set_theta(ctx, partial, partial->parameter_count, theta);
    }
    for (int d = 0; !status && d < partial->output_count; d++) {
        lf_output *output = &partial->outputs[d];
        for (int q = 0; !shared && q < partial->force_count; q++) {
            output->sensitivity[q] = 0;
        }
        for (int i = 0; shared && output->initial_variance && i < output->order; i++) {
            output->initial_variance[i] = 0;
        }
        output->private_amplitude = shared ? 0 : output->private_amplitude;
    }
    free(theta);
    return status;
}

lf_status lf_inducing_kernel_prepare(lf_context *ctx, lf_inducing_kernel *k)
{
    size_t p = (size_t)k->model->input_dim, max_K = 0;
    lf_status status = k->shared_model ? update_partial_model(ctx, k->model, k->shared_model, 1) : LF_OK;
    status = status || !k->private_model ? status : update_partial_model(ctx, k->model, k->private_model, 0);
    if (k->has_features) {
        lf_grids_update(&k->features.grids);
    }
    for (int q = 0; q < k->model->force_count; q++) {
        const lf_force *force = &k->model->forces[q];
        max_K = k->forces[q].K > max_K ? k->forces[q].K : max_K;
        if (force->inducing_count) {
            memcpy(k->forces[q].z, force->inducing, k->forces[q].K * p * sizeof *force->inducing);
        }
    }
    double *C = lf_doubles(max_K, max_K);
    LF_TRY(status, C ? LF_OK : lf_no_memory(ctx));
    k->jitter = 0;
    for (int q = 0; !status && q < k->model->force_count; q++) {
        status = k->has_features ? compute_E_and_Y(ctx, k, q) : LF_OK;
        LF_TRY(status, factor_K_uu(ctx, k, q, C));
    }
    free(C);
    if (!status && k->jitter > k->reported_jitter) {
        k->reported_jitter = k->jitter;
        lf_note(ctx,
                "the covariance of inducing values was factored with a jitter of %g of its diagonal: the inducing "
                "inputs are close to each other relative to the lengthscales",
                k->jitter);
    }
    return status;
}
