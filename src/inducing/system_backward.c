/* Derivatives of L = -log p (minus the variational bound). With P = Lambda^-1 and, not whitened, Z = P B (I + B'PB)^-1,
 * e = P (y - B mean), Y = P B:
 *
 *   dL/dB      = Z - e mean' - [variational] Y - [fitc] 2 diag(dL/dLambda) B - [pitc] 2 (dL/dLambda) B
 *   dL/dLambda = 1/2 (P - Z Y' - e e') - [variational] 1/2 (P K_ff P - Y Y')
 *   dL/dK_ff   = [variational] P / 2, [fitc] diag(dL/dLambda), [pitc] dL/dLambda
 *   dL/dK_uu   = -1/2 L^-T (B' dL/dB) L^-1
 *
 * the last because L depends on K_fu and K_uu through K_fu K_uu^-1 K_uf only. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "inducing/device_system.h"

void lf_inducing_noise_backward(const lf_inducing_system *s, const lf_inducing_part *p, double by_noise,
                                const double *e, double *gradient)
{
    const lf_row_compression *rows = &p->rows;
    const lf_output *output = &s->model->outputs[rows->output];
    double dropped = (double)(rows->rows - rows->n), variance = output->noise_variance;
    if (dropped > 0) {
        by_noise += 0.5 * (dropped - rows->residual / (output->scale * output->scale * variance)) / variance;
    }
    gradient[lf_index_noise(s->model, rows->output)] += by_noise;
    gradient[lf_index_offset(s->model, rows->output)] -= cblas_ddot((int)rows->n, e, 1, rows->Qt1, 1) / output->scale;
}

void lf_inducing_target_backward(const lf_inducing_system *s, const lf_inducing_part *p, size_t from, size_t n,
                                 const double *by_lambda, size_t stride, const double *e)
{
    double *by_y = s->targets.by_y, *by_noise = s->targets.by_noise; /* of log p = -L; never of compressed rows */
    for (size_t i = 0; by_y && i < n; i++) {
        by_y[p->target + from + i] = -e[i];
    }
    for (size_t i = 0; by_noise && i < n; i++) {
        by_noise[p->target + from + i] = -by_lambda[i * stride];
    }
}

static void diagonal_backward(lf_inducing_system *s, const lf_inducing_part *p, double *by_k, double *gradient)
{
    size_t n = p->rows.n;
    const double *lambda = s->lambda + p->first, *residual = s->K_diagonal + p->first;
    double *e = s->e + p->first, by_noise = 0;
    int variational = s->method == LF_METHOD_VARIATIONAL, fitc = s->method == LF_METHOD_FITC;
    memset(by_k, 0, n * sizeof *by_k);
    for (size_t j = 0; j < s->M; j++) { /* for now by_k is the diagonal of Z Y'; Z becomes that of B, not whitened */
        for (size_t i = 0; i < n; i++) {
            size_t entry = j * s->n + p->first + i;
            by_k[i] += s->Z[entry] * s->whitened[entry] / lambda[i];
            s->Z[entry] /= sqrt(lambda[i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        e[i] /= sqrt(lambda[i]);
        double by_lambda = 0.5 * (1 / lambda[i] - by_k[i] - e[i] * e[i]);
        by_lambda -= variational ? 0.5 * residual[i] / (lambda[i] * lambda[i]) : 0;
        by_noise += by_lambda;
        lf_inducing_target_backward(s, p, i, 1, &by_lambda, 1, e + i);
        by_k[i] = variational ? 0.5 / lambda[i] : fitc ? by_lambda : 0;
    }
    for (size_t j = 0; j < s->M; j++) {
        for (size_t i = 0; i < n; i++) { /* variational and fitc: 2 (dL/dK_ff) B */
            size_t entry = j * s->n + p->first + i;
            s->Z[entry] -= e[i] * s->mean[j] + 2 * by_k[i] * s->B[entry];
        }
    }
    lf_inducing_noise_backward(s, p, by_noise, e, gradient);
}

/* X (n, columns) <- C^-T X. */
static void unwhiten(const lf_inducing_part *p, size_t columns, double *X, size_t ld)
{
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)p->rows.n, (int)columns, 1, p->C,
                (int)p->rows.n, X, (int)ld);
}

/* by_lambda, by_shared (n, n): dL/dLambda and dL/dK_ff, both triangles. */
static lf_status dense_backward(lf_context *ctx, lf_inducing_system *s, const lf_inducing_part *p, double *by_lambda,
                                double *by_shared, double *gradient)
{
    size_t n = p->rows.n, ld = s->n, M = s->M;
    double *Z = s->Z + p->first, *Y = s->whitened + p->first, *e = s->e + p->first, *B = s->B + p->first, by_noise = 0;
    int variational = s->method == LF_METHOD_VARIATIONAL;
    double *P = lf_doubles(n, n), *product = lf_doubles(variational ? n : 0, n);
    if (!P || !product) {
        free(P);
        free(product);
        return lf_no_memory(ctx);
    }
    unwhiten(p, M, Z, ld);
    unwhiten(p, M, Y, ld);
    unwhiten(p, 1, e, ld);
    memcpy(P, p->C, n * n * sizeof *P);
    if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, P, (lapack_int)n)) {
        free(P);
        free(product);
        return lf_fail(ctx, LF_ERROR_NUMERIC, "the covariance of the rows is singular to working precision");
    }
    lf_mirror(n, P, n);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)n, (int)n, (int)M, -0.5, Z, (int)ld, Y, (int)ld, 0,
                by_lambda, (int)n);
    if (variational) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)n, (int)n, 1, P, (int)n, p->shared, (int)n,
                    0, product, (int)n);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)n, (int)n, -0.5, product, (int)n, P, (int)n,
                    1, by_lambda, (int)n);
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)n, (int)n, (int)M, 0.5, Y, (int)ld, Y, (int)ld, 1,
                    by_lambda, (int)n);
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            by_lambda[j * n + i] += 0.5 * (P[j * n + i] - e[i] * e[j]);
            by_shared[j * n + i] = variational                             ? 0.5 * P[j * n + i]
                                   : s->method == LF_METHOD_PITC           ? by_lambda[j * n + i]
                                   : s->method == LF_METHOD_FITC && i == j ? by_lambda[j * n + i]
                                                                           : 0;
        }
        by_noise += by_lambda[j * n + j];
    }
    for (size_t j = 0; j < M; j++) {
        for (size_t i = 0; i < n; i++) {
            Z[j * ld + i] -= e[i] * s->mean[j];
        }
    }
    if (s->method != LF_METHOD_DTC) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)M, (int)n, -2, by_shared, (int)n, B,
                    (int)ld, 1, Z, (int)ld);
    }
    lf_inducing_target_backward(s, p, 0, n, by_lambda, n + 1, e);
    lf_inducing_noise_backward(s, p, by_noise, e, gradient);
    free(P);
    free(product);
    return LF_OK;
}

/* by_uu += -1/2 L^-T (B' dL/dB) L^-1 of each force. */
static lf_status backward_inducing(lf_context *ctx, const lf_inducing_kernel *kernel, const lf_inducing_system *s,
                                   double *by_uu)
{
    for (int q = 0; q < s->model->force_count; q++) {
        const lf_inducing_force *f = &kernel->forces[q];
        int K = (int)f->K, n = (int)s->n;
        double *H = lf_doubles(f->K, f->K);
        if (!H) {
            return lf_no_memory(ctx);
        }
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, K, K, n, -0.5, s->B + f->first * s->n, n,
                    s->Z + f->first * s->n, n, 0, H, K);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, K, K, 1, f->L, K, H, K);
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, K, K, 1, f->L, K, H, K);
        for (size_t j = 0; j < f->K; j++) { /* symmetric but for rounding */
            for (size_t i = 0; i < f->K; i++) {
                by_uu[j * f->K + i] += 0.5 * (H[j * f->K + i] + H[i * f->K + j]);
            }
        }
        by_uu += f->K * f->K;
        free(H);
    }
    return LF_OK;
}

static void adjoints_clear(size_t count, lf_inducing_adjoints *a)
{
    for (size_t d = 0; d < count; d++) {
        free(a->lambda ? a->lambda[d] : NULL);
        free(a->shared ? a->shared[d] : NULL);
    }
    free(a->diagonal);
    free(a->lambda);
    free(a->shared);
}

static lf_status adjoints_create(lf_context *ctx, const lf_inducing_system *s, lf_inducing_adjoints *a)
{
    *a = (lf_inducing_adjoints){.diagonal = lf_doubles(s->n, 1),
                                .lambda = calloc(s->count + 1, sizeof *a->lambda),
                                .shared = calloc(s->count + 1, sizeof *a->shared)};
    int complete = a->diagonal && a->lambda && a->shared;
    for (size_t d = 0; complete && d < s->count; d++) {
        size_t n = s->parts[d].dense ? s->parts[d].rows.n : 0;
        a->lambda[d] = lf_doubles(n, n);
        a->shared[d] = lf_doubles(n, n);
        complete = a->lambda[d] && a->shared[d];
    }
    return complete ? LF_OK : lf_no_memory(ctx);
}

/* Chain rule from K_fu and K_ff of the outputs to the parameters. The number of chunks of outputs is fixed, so that the
 * sums do not depend on the number of threads. */
static lf_status backward_rows(lf_context *ctx, const lf_inducing_kernel *kernel, const lf_inducing_system *s,
                               const lf_inducing_adjoints *a, double *by_Y, double *gradient)
{
    enum { CHUNKS = 16 };
    size_t chunks = s->count < CHUNKS ? s->count : CHUNKS, parameters = s->model->parameter_count;
    size_t size = parameters + kernel->Y_size;
    double *sums = lf_doubles(chunks, size);
    lf_loop_failure *loop = sums ? lf_loop_begin(ctx) : NULL;
    if (!loop) {
        free(sums);
        return lf_no_memory(ctx);
    }
#pragma omp parallel for schedule(dynamic) if (lf_inducing_side_by_side(ctx, s))
    for (size_t c = 0; c < chunks; c++) {
        lf_context local = {0};
        lf_status failed = LF_OK;
        for (size_t d = c * s->count / chunks; !failed && d < (c + 1) * s->count / chunks; d++) {
            const lf_inducing_part *p = &s->parts[d];
            if (p->there) {
                continue;
            }
            lf_inducing_blocks by_blocks = {.private = p->private ? a->lambda[d] : NULL};
            if (s->method != LF_METHOD_DTC) {
                by_blocks.diagonal = p->dense ? NULL : a->diagonal + p->first;
                by_blocks.shared = p->dense ? a->shared[d] : NULL;
            }
            failed = lf_inducing_kernel_rows_backward(&local, kernel, &p->rows, s->Z + p->first, s->n, by_blocks,
                                                      sums + c * size, sums + c * size + parameters);
        }
        if (failed) {
            lf_loop_fail(loop, c, failed, local.message);
        }
    }
    lf_status status = lf_loop_end(ctx, loop);
    for (size_t c = 0; !status && c < chunks; c++) {
        cblas_daxpy((int)parameters, 1, sums + c * size, 1, gradient, 1);
        cblas_daxpy((int)kernel->Y_size, 1, sums + c * size + parameters, 1, by_Y, 1);
    }
    free(sums);
    return status;
}

lf_status lf_inducing_system_backward(lf_context *ctx, const lf_inducing_kernel *kernel, lf_inducing_system *s,
                                      double *by_uu, double *by_Y, double *gradient)
{
    lf_inducing_adjoints a;
    if (s->n == 0) { /* other processes have the rows */
        return LF_OK;
    }
    lf_status status = adjoints_create(ctx, s, &a);
    if (!status && s->device) {
        status = lf_inducing_device_backward(ctx, kernel, s, &a, by_uu, by_Y, gradient);
        LF_TRY(status, backward_rows(ctx, kernel, s, &a, by_Y, gradient));
    }
    for (size_t d = 0; !status && !s->device && d < s->count; d++) {
        const lf_inducing_part *p = &s->parts[d];
        if (p->dense) {
            status = dense_backward(ctx, s, p, a.lambda[d], a.shared[d], gradient);
        } else {
            diagonal_backward(s, p, a.diagonal + p->first, gradient);
        }
    }
    if (!status && !s->device) {
        status = backward_inducing(ctx, kernel, s, by_uu);
    }
    if (!status && !s->device) {
        lf_inducing_whiten(kernel, s->n, 1, s->Z, s->n); /* from B to K_fu */
        status = backward_rows(ctx, kernel, s, &a, by_Y, gradient);
    }
    adjoints_clear(s->count, &a);
    return status;
}
