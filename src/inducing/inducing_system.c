/* Creates the system of a replicate, and fills it: B, Lambda, and both whitened. */
#include "inducing/inducing_system.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "inducing/device_system.h"

#define MAX_BLOCK_ROWS 20000 /* 3 GiB per matrix */

void lf_inducing_system_clear(lf_inducing_system *s)
{
    for (size_t d = 0; s->parts && d < s->count; d++) {
        lf_row_compression_clear(&s->parts[d].rows);
        free(s->parts[d].C);
        free(s->parts[d].shared);
        free(s->parts[d].private);
    }
    double *all[] = {s->B, s->whitened, s->Z, s->core, s->lambda, s->K_diagonal, s->y, s->e, s->mean};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    free(s->parts);
    *s = (lf_inducing_system){0};
}

static lf_status part_create(lf_context *ctx, const lf_model *model, const lf_features *features,
                             lf_inducing_method method, const lf_replicate *replicate, int group, lf_inducing_part *p)
{
    int d = replicate->points.target[group], private = lf_output_has_private_part(model, d);
    /* fitc needs the diagonal of K_ff at the original rows: no compression */
    lf_status status =
        lf_row_compression_create(ctx, model, method == LF_METHOD_FITC ? NULL : features, replicate, group, &p->rows);
    size_t n = p->rows.n;
    p->dense = private || method == LF_METHOD_PITC;
    if (status || !p->dense) {
        return status;
    }
    if (n > MAX_BLOCK_ROWS) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "output '%s' has %zu rows: %s needs a matrix of all of them, and the limit is %d rows",
                       model->outputs[d].name, n, private ? "a private force or a free start" : "pitc", MAX_BLOCK_ROWS);
    }
    p->C = lf_doubles(n, n);
    p->shared = method != LF_METHOD_DTC ? lf_doubles(n, n) : NULL;
    p->private = private ? lf_doubles(n, n) : NULL;
    return p->C && (p->shared || method == LF_METHOD_DTC) && (p->private || !private) ? LF_OK : lf_no_memory(ctx);
}

lf_status lf_inducing_system_create(lf_context *ctx, const lf_model *model, const lf_inducing_kernel *kernel,
                                    lf_inducing_method method, const lf_rows *rows, int number, lf_inducing_system *s)
{
    const lf_replicate *replicate = &rows->replicates[number];
    int shared = rows->shared;
    *s = (lf_inducing_system){
        .model = model, .method = method, .shared = shared, .M = kernel->u.n, .N = replicate->points.n};
    /* compression assumes equal noise, and values that are known once for all */
    int whole = kernel->source == LF_INDUCING_CLOSED_FORM || rows->any_targets;
    const lf_features *features = whole ? NULL : &kernel->features;
    lf_status status = LF_OK;
    int here = 0; /* some K_fu is */
    s->count = (size_t)replicate->points.group_count;
    s->parts = calloc(s->count + 1, sizeof *s->parts);
    status = s->parts ? LF_OK : lf_no_memory(ctx);
    for (size_t d = 0; !status && d < s->count; d++) {
        s->parts[d].first = s->n;
        s->parts[d].target = replicate->points.start[d];
        status = part_create(ctx, model, features, method, replicate, (int)d, &s->parts[d]);
        s->parts[d].there = !s->parts[d].dense && lf_inducing_made_there(kernel, &s->parts[d].rows);
        s->n += s->parts[d].rows.n;
        here = here || !s->parts[d].there;
    }
    if (status) {
        return status;
    }
    s->device = kernel->device;
    size_t core_size = s->n < s->M && !shared && !s->device ? s->n : s->M;
    s->B = s->device ? NULL : lf_doubles(s->n, s->M);
    s->whitened = s->device ? NULL : lf_doubles(s->n, s->M);
    s->Z = lf_doubles(here ? s->n : 0, s->M);
    s->core = lf_doubles(core_size, core_size);
    s->lambda = lf_doubles(s->n, 1);
    s->K_diagonal = lf_doubles(s->n, 1);
    s->y = lf_doubles(s->n, 1);
    s->e = lf_doubles(s->n, 1);
    s->mean = lf_doubles(s->M, 1);
    return ((s->B && s->whitened) || s->device) && s->Z && s->core && s->lambda && s->K_diagonal && s->y && s->e &&
                   s->mean
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_MEMORY, "out of memory: three matrices of %zu rows and %zu inducing values",
                         s->n, s->M);
}

int lf_inducing_system_needs_regrid(const lf_model *model, const lf_inducing_kernel *kernel,
                                    const lf_inducing_system *s)
{
    for (size_t d = 0; d < s->count; d++) {
        if (lf_row_compression_needs_regrid(model, &kernel->features, &s->parts[d].rows)) {
            return 1;
        }
    }
    return 0;
}

void lf_inducing_whiten(const lf_inducing_kernel *kernel, size_t n, int backward, double *X, size_t ld)
{
    for (int q = 0; n > 0 && q < kernel->model->force_count; q++) {
        const lf_inducing_force *f = &kernel->forces[q];
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, backward ? CblasNoTrans : CblasTrans, CblasNonUnit, (int)n,
                    (int)f->K, 1, f->L, (int)f->K, X + f->first * ld, (int)ld);
    }
}

/* ---- Lambda ---- */

double lf_inducing_noise(const lf_inducing_system *s, const lf_inducing_part *p, size_t i)
{
    return p->rows.R ? s->model->outputs[p->rows.output].noise_variance : s->targets.noise[p->target + i];
}

double lf_inducing_value(const lf_inducing_system *s, const lf_inducing_part *p, size_t i)
{
    const lf_output *output = &s->model->outputs[p->rows.output];
    return p->rows.R ? (p->rows.Qty[i] - output->offset * p->rows.Qt1[i]) / output->scale : s->targets.y[p->target + i];
}

void lf_row_squares(size_t n, size_t M, const double *B, size_t ld, double *explained)
{
    memset(explained, 0, n * sizeof *explained);
    for (size_t j = 0; j < M; j++) {
        for (size_t i = 0; i < n; i++) {
            explained[i] += B[j * ld + i] * B[j * ld + i];
        }
    }
}

lf_status lf_inducing_not_positive(lf_context *ctx, const lf_model *model, int d)
{
    return lf_fail(ctx, LF_ERROR_NUMERIC,
                   "output '%s': the covariance that the inducing values do not explain is not positive definite: "
                   "noise_variance %g is too small, or a constant is out of range",
                   model->outputs[d].name, model->outputs[d].noise_variance);
}

lf_status lf_inducing_diagonal_lambda(lf_context *ctx, lf_inducing_system *s, const lf_inducing_part *p, size_t from,
                                      size_t n)
{
    double *lambda = s->lambda + p->first;
    for (size_t i = from; i < from + n; i++) {
        double residual = s->K_diagonal[p->first + i] - lambda[i];
        lambda[i] = lf_inducing_noise(s, p, i) + (s->method == LF_METHOD_FITC ? residual : 0);
        if (!(lambda[i] > 0)) {
            return lf_inducing_not_positive(ctx, s->model, p->rows.output);
        }
        s->K_diagonal[p->first + i] = residual;
        s->y[p->first + i] /= sqrt(lambda[i]);
    }
    return LF_OK;
}

static lf_status whiten_diagonal_part(lf_context *ctx, lf_inducing_system *s, lf_inducing_part *p)
{
    size_t n = p->rows.n;
    double *lambda = s->lambda + p->first;
    lf_row_squares(n, s->M, s->B + p->first, s->n, lambda);
    lf_status status = lf_inducing_diagonal_lambda(ctx, s, p, 0, n);
    if (status) {
        return status;
    }
    for (size_t j = 0; j < s->M; j++) {
        for (size_t i = 0; i < n; i++) {
            size_t entry = j * s->n + p->first + i;
            s->whitened[entry] = s->B[entry] / sqrt(lambda[i]);
        }
    }
    return LF_OK;
}

static lf_status whiten_dense_part(lf_context *ctx, lf_inducing_system *s, lf_inducing_part *p)
{
    size_t n = p->rows.n;
    double *B = s->B + p->first, *whitened = s->whitened + p->first;
    if (p->private) {
        memcpy(p->C, p->private, n * n * sizeof *p->C);
    } else {
        memset(p->C, 0, n * n * sizeof *p->C);
    }
    if (s->method == LF_METHOD_PITC) {
        cblas_daxpy((int)(n * n), 1, p->shared, 1, p->C, 1);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)s->M, -1, B, (int)s->n, 1, p->C, (int)n);
    }
    lf_row_squares(n, s->M, B, s->n, s->lambda + p->first);
    for (size_t i = 0; i < n; i++) {
        double residual = s->method == LF_METHOD_FITC ? p->shared[i * n + i] - s->lambda[p->first + i] : 0;
        p->C[i * n + i] += lf_inducing_noise(s, p, i) + residual;
    }
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, p->C, (lapack_int)n)) {
        return lf_inducing_not_positive(ctx, s->model, p->rows.output);
    }
    for (size_t j = 0; j < s->M; j++) {
        memcpy(whitened + j * s->n, B + j * s->n, n * sizeof *B);
    }
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, (int)s->M, 1, p->C, (int)n,
                whitened, (int)s->n);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, p->C, (int)n, s->y + p->first, 1);
    return LF_OK;
}

int lf_inducing_side_by_side(const lf_context *ctx, const lf_inducing_system *s)
{
    return s->count > 1 && (!s->device || s->count >= (size_t)lf_threads(ctx));
}

lf_status lf_inducing_system_fill(lf_context *ctx, const lf_inducing_kernel *kernel, const lf_targets *targets,
                                  lf_inducing_system *s)
{
    s->targets = *targets;
    lf_loop_failure *loop = lf_loop_begin(ctx);
    double *X = s->device ? s->Z : s->B;
    if (!loop) {
        return LF_ERROR_MEMORY;
    }
#pragma omp parallel for schedule(dynamic) if (lf_inducing_side_by_side(ctx, s))
    for (size_t d = 0; d < s->count; d++) {
        lf_context local = {0};
        const lf_inducing_part *p = &s->parts[d];
        lf_inducing_blocks blocks = {.shared = p->shared, .private = p->private};
        blocks.diagonal = p->dense || s->method == LF_METHOD_DTC ? NULL : s->K_diagonal + p->first;
        lf_status failed =
            p->there ? LF_OK : lf_inducing_kernel_rows(&local, kernel, &p->rows, X + p->first, s->n, blocks);
        for (size_t i = 0; i < p->rows.n; i++) {
            s->y[p->first + i] = lf_inducing_value(s, p, i);
        }
        if (failed) {
            lf_loop_fail(loop, d, failed, local.message);
        }
    }
    lf_status status = lf_loop_end(ctx, loop);
    if (status || s->device) {
        return status ? status : lf_inducing_device_fill(ctx, kernel, s);
    }
    lf_inducing_whiten(kernel, s->n, 0, s->B, s->n);
    for (size_t d = 0; !status && d < s->count; d++) {
        lf_inducing_part *p = &s->parts[d];
        status = p->dense ? whiten_dense_part(ctx, s, p) : whiten_diagonal_part(ctx, s, p);
    }
    return status;
}
