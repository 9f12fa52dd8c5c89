/* The value of a filled system: with I + B B' or I + B'B of the whitened B, whichever is smaller. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "inducing/inducing_system.h"

/* log |Lambda|, what the reduced rows left out, and minus the trace of the variational bound; twice their value. */
static double part_value(const lf_inducing_system *s, const lf_inducing_part *p)
{
    const lf_output *output = &s->model->outputs[p->rows.output];
    size_t n = p->rows.n, spare = p->rows.rows - n;
    double value = spare ? (double)spare * log(output->noise_variance) +
                               p->rows.rest / (output->scale * output->scale * output->noise_variance)
                         : 0;
    for (size_t i = 0; i < n; i++) {
        double lambda = s->lambda[p->first + i];
        value += p->dense ? 2 * log(p->C[i * n + i]) : log(lambda);
        value += !p->dense && s->method == LF_METHOD_VARIATIONAL ? s->k[p->first + i] / lambda : 0;
    }
    return value;
}

/* tr Lambda^-1 (K_ff - B B') of a dense part. */
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

static int factor(size_t n, double *A, double *log_determinant)
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

/* I + B B': e, mean = B'e, Z. */
static int solve_by_rows(lf_inducing_system *s, int with_gradient, double *log_determinant)
{
    int n = (int)s->n, M = (int)s->M;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, M, 1, s->whitened, n, 0, s->core, n);
    if (!factor(s->n, s->core, log_determinant)) {
        return 0;
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
    return 1;
}

/* I + B'B: mean, e = y - B mean, Z = B (I + B'B)^-1. */
static int solve_by_columns(lf_inducing_system *s, int with_gradient, double *log_determinant)
{
    int n = (int)s->n, M = (int)s->M;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, M, n, 1, s->whitened, n, 0, s->core, M);
    if (!factor(s->M, s->core, log_determinant)) {
        return 0;
    }
    cblas_dgemv(CblasColMajor, CblasTrans, n, M, 1, s->whitened, n, s->y, 1, 0, s->mean, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, M, s->core, M, s->mean, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, M, s->core, M, s->mean, 1);
    memcpy(s->e, s->y, s->n * sizeof *s->e);
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, M, -1, s->whitened, n, s->mean, 1, 1, s->e, 1);
    if (with_gradient) {
        if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', M, s->core, M)) {
            return 0;
        }
        cblas_dsymm(CblasColMajor, CblasRight, CblasLower, n, M, 1, s->core, M, s->whitened, n, 0, s->Z, n);
    }
    return 1;
}

lf_status lf_inducing_system_solve(lf_context *ctx, lf_inducing_system *s, int with_gradient, double *value)
{
    double twice = (double)s->N * log(2 * LF_PI), log_determinant = 0;
    lf_status status = LF_OK;
    for (size_t d = 0; !status && d < s->count; d++) {
        twice += part_value(s, &s->parts[d]);
        if (s->parts[d].dense && s->method == LF_METHOD_VARIATIONAL) {
            status = dense_trace(ctx, s, &s->parts[d], &twice);
        }
    }
    if (status) {
        return status;
    }
    if (!(s->n < s->M ? solve_by_rows : solve_by_columns)(s, with_gradient, &log_determinant)) {
        return lf_fail(ctx, LF_ERROR_NUMERIC, "the likelihood broke down: a parameter is out of range");
    }
    *value += 0.5 * (twice + log_determinant + cblas_ddot((int)s->n, s->y, 1, s->e, 1));
    return LF_OK;
}
