/* -log p, or minus the variational bound, of a filled system: with the whitened B and y,
 *
 *   1/2 [ log|Lambda| + log|I + B'B| + y'(I + B B')^-1 y + N log 2 pi ] + [variational] 1/2 tr Lambda^-1 (K_ff - B B')
 *
 * from I + B B' or I + B'B, whichever is smaller. Of several processes each adds the terms of its rows, and the first log|I + B'B|. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/processes.h"
#include "inducing/device_system.h"

/* Twice the terms of one output: log |Lambda|, the rows dropped by compression, and the trace of the variational bound
 * where Lambda is diagonal. */
static double part_terms(const lf_inducing_system *s, const lf_inducing_part *p)
{
    const lf_output *output = &s->model->outputs[p->rows.output];
    size_t n = p->rows.n, dropped = p->rows.rows - n;
    double value = dropped ? (double)dropped * log(output->noise_variance) +
                                 p->rows.residual / (output->scale * output->scale * output->noise_variance)
                           : 0;
    for (size_t i = 0; i < n; i++) {
        double lambda = s->lambda[p->first + i];
        value += p->dense ? 2 * log(p->C[i * n + i]) : log(lambda);
        value += !p->dense && s->method == LF_METHOD_VARIATIONAL ? s->K_diagonal[p->first + i] / lambda : 0;
    }
    return value;
}

/* *trace += tr Lambda^-1 (K_ff - B B') of a dense part. */
static lf_status dense_trace(lf_context *ctx, const lf_inducing_system *s, const lf_inducing_part *p, double *trace)
{
    size_t n = p->rows.n;
    double *X = lf_doubles(n, n), *explained = lf_doubles(n, 1);
    lf_status status = X && explained ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        memcpy(X, p->shared, n * n * sizeof *X);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, (int)n, 1, p->C, (int)n,
                    X, (int)n);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)n, (int)n, 1, p->C, (int)n, X,
                    (int)n);
        lf_row_squares(n, s->M, s->whitened + p->first, s->n, explained);
        for (size_t i = 0; i < n; i++) {
            *trace += X[i * n + i] - explained[i];
        }
    }
    free(X);
    free(explained);
    return status;
}

static int factor_with_identity(size_t n, double *A, double *log_determinant)
{
    for (size_t i = 0; i < n; i++) {
        A[i * n + i] += 1;
    }
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)n)) {
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        *log_determinant += 2 * log(A[i * n + i]);
    }
    return 1;
}

static lf_status fail_out_of_range(lf_context *ctx)
{
    return lf_fail(ctx, LF_ERROR_NUMERIC, "the likelihood cannot be computed: a parameter is out of range");
}

/* With I + B B': e, mean = B'e, Z. */
static lf_status solve_by_rows(lf_context *ctx, lf_inducing_system *s, int with_gradient, double *log_determinant)
{
    int n = (int)s->n, M = (int)s->M;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, M, 1, s->whitened, n, 0, s->core, n);
    if (!factor_with_identity(s->n, s->core, log_determinant)) {
        return fail_out_of_range(ctx);
    }
    memcpy(s->e, s->y, s->n * sizeof *s->e);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, s->core, n, s->e, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, s->core, n, s->e, 1);
    cblas_dgemv(CblasColMajor, CblasTrans, n, M, 1, s->whitened, n, s->e, 1, 0, s->mean, 1);
    if (with_gradient) {
        memcpy(s->Z, s->whitened, s->n * s->M * sizeof *s->Z);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, M, 1, s->core, n, s->Z, n);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, M, 1, s->core, n, s->Z, n);
    }
    return LF_OK;
}

/* With I + B'B: mean, e = y - B mean, Z = B (I + B'B)^-1. */
static lf_status solve_by_columns(lf_context *ctx, lf_inducing_system *s, int with_gradient, double *log_determinant)
{
    int n = (int)s->n, M = (int)s->M;
    lf_status status = lf_inducing_system_sums(ctx, s, s->core, s->mean);
    if (!status && !factor_with_identity(s->M, s->core, log_determinant)) {
        status = fail_out_of_range(ctx);
    }
    if (status) {
        return status;
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, M, s->core, M, s->mean, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, M, s->core, M, s->mean, 1);
    if (n == 0) { /* other processes have the rows */
        return LF_OK;
    }
    memcpy(s->e, s->y, s->n * sizeof *s->e);
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, M, -1, s->whitened, n, s->mean, 1, 1, s->e, 1);
    if (with_gradient) {
        if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', M, s->core, M)) {
            return fail_out_of_range(ctx);
        }
        cblas_dsymm(CblasColMajor, CblasRight, CblasLower, n, M, 1, s->core, M, s->whitened, n, 0, s->Z, n);
    }
    return LF_OK;
}

lf_status lf_inducing_system_solve(lf_context *ctx, lf_inducing_system *s, int with_gradient, double *value)
{
    double twice_value = (double)s->N * log(2 * LF_PI), log_determinant = 0, quadratic_form = 0;
    lf_status status = LF_OK;
    for (size_t d = 0; !status && d < s->count; d++) {
        twice_value += part_terms(s, &s->parts[d]);
        if (s->device) {
            twice_value += s->parts[d].trace;
        } else if (s->parts[d].dense && s->method == LF_METHOD_VARIATIONAL) {
            status = dense_trace(ctx, s, &s->parts[d], &twice_value);
        }
    }
    if (!status && s->device) {
        status = lf_inducing_device_solve(ctx, s, with_gradient, &log_determinant, &quadratic_form);
    } else if (!status) {
        status =
            (s->n < s->M && !s->shared ? solve_by_rows : solve_by_columns)(ctx, s, with_gradient, &log_determinant);
        quadratic_form = cblas_ddot((int)s->n, s->y, 1, s->e, 1);
    }
    if (status) {
        return status;
    }
    if (s->shared && lf_process_rank(ctx) > 0) {
        log_determinant = 0;
    }
    *value += 0.5 * (twice_value + log_determinant + quadratic_form);
    return LF_OK;
}
