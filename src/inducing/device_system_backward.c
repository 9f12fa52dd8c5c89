/* system_backward.c on a device: the second pass over the tiles, which makes B again from K_fu. The rows are not whitened here:
 * with P = Lambda^-1, Y = P B, Z = Y (I + B'PB)^-1 and e = P (y - B mean). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "inducing/device_system.h"

/* The second pass over the tiles. */
typedef struct pass {
    const lf_inducing_kernel *k;
    lf_inducing_tiles *t;
    lf_inducing_system *s;
    double *work; /* (s->n) overwritten */
} pass;

/* From dL/dB in Z to H and, in place of Z, to dL/dK_fu. */
static void finish_rows(const lf_inducing_kernel *k, const lf_inducing_tiles *t, size_t n, const double *B, double *Z,
                        size_t ld)
{
    const lf_device_class *op = t->device->op;
    for (int q = 0; q < k->model->force_count; q++) {
        const lf_inducing_force *f = &k->forces[q];
        op->gemm(t->device, LF_TRANSPOSED, LF_PLAIN, f->K, f->K, n, -0.5, B + f->first * ld, ld, Z + f->first * ld, ld,
                 1, t->H[q], f->K);
    }
    lf_inducing_tiles_whiten(k, t, n, 1, Z, ld);
}

/* Derivatives by Lambda of the rows of a tile, in place of products, and, in by_k (n), by K_ff; returns the sum of the first. products (n):
 * the diagonal of B (I + B'PB)^-1 B'. e (n): y - B mean becomes e. */
static double diagonal_adjoints(const lf_inducing_system *s, size_t first, size_t n, double *products, double *e,
                                double *by_k)
{
    int variational = s->method == LF_METHOD_VARIATIONAL, fitc = s->method == LF_METHOD_FITC;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double lambda = s->lambda[first + i];
        e[i] /= lambda;
        double by_lambda = 0.5 * (1 / lambda - products[i] / (lambda * lambda) - e[i] * e[i]);
        by_lambda -= variational ? 0.5 * s->K_diagonal[first + i] / (lambda * lambda) : 0;
        sum += products[i] = by_lambda;
        by_k[i] = variational ? 0.5 / lambda : fitc ? by_lambda : 0;
    }
    return sum;
}

static lf_status backward_tile(lf_context *ctx, const pass *b, const lf_inducing_part *p, size_t from, size_t n,
                               double *by_k, double *by_noise)
{
    const lf_inducing_kernel *k = b->k;
    lf_inducing_tiles *t = b->t;
    lf_inducing_system *s = b->s;
    double *work = b->work;
    lf_device *device = t->device;
    const lf_device_class *op = device->op;
    size_t first = p->first + from;
    double *residual = t->vectors, *noise = t->vectors + t->rows, *sums = t->vectors + 2 * t->rows, *e = s->e + first;
    for (size_t i = 0; i < n; i++) {
        e[i] = s->y[first + i] * sqrt(s->lambda[first + i]);
        work[i] = -s->lambda[first + i];
    }
    op->upload(device, n, 1, e, n, residual, n);
    op->upload(device, n, 1, work, n, noise, n);
    lf_status status = lf_inducing_tiles_load(ctx, k, t, s, p, from, n, 1);
    op->gemm(device, LF_PLAIN, LF_PLAIN, n, 1, s->M, -1, t->B, t->rows, t->mean, s->M, 1, residual, n);
    op->gemm(device, LF_PLAIN, LF_PLAIN, n, s->M, s->M, 1, t->B, t->rows, t->A, s->M, 0, t->Z, t->rows);
    lf_inducing_row_products(t, n, s->M, t->B, t->Z, t->rows, sums, work);
    op->download(device, n, 1, residual, n, e, n);
    LF_TRY(status, lf_device_status(ctx, device));
    if (status) {
        return status;
    }
    *by_noise += diagonal_adjoints(s, first, n, work, e, by_k);
    lf_inducing_target_backward(s, p, from, n, work, 1, e);
    op->to_adjoint(device, n, s->M, residual, noise, t->mean, t->Z, t->rows); /* Z - e mean' */
    if (s->method != LF_METHOD_DTC) {
        for (size_t i = 0; i < n; i++) {
            work[i] = -2 * by_k[i];
        }
        op->upload(device, n, 1, work, n, sums, n);
        op->add_scaled_rows(device, n, s->M, sums, t->B, t->rows, t->Z, t->rows);
    }
    finish_rows(k, t, n, t->B, t->Z, t->rows);
    if (!p->there) {
        op->download(device, n, t->M, t->Z, t->rows, s->Z + first, s->n);
        return lf_device_status(ctx, device);
    }
    for (size_t i = 0; i < n; i++) {
        work[i] = 2 * by_k[i];
    }
    op->upload(device, n, 1, work, n, sums, n);
    return lf_inducing_device_rows_backward(ctx, k, &t->made, t->Z, s->method != LF_METHOD_DTC ? sums : NULL);
}

static lf_status backward_diagonal_part(lf_context *ctx, const pass *b, const lf_inducing_part *p, double *by_k,
                                        double *gradient)
{
    lf_inducing_tiles *t = b->t;
    double by_noise = 0;
    lf_status status = p->there ? lf_device_rows_begin(ctx, &t->made.rows, gradient) : LF_OK;
    for (size_t from = 0, n; !status && from < p->rows.n; from += n) {
        n = p->rows.n - from < t->rows ? p->rows.n - from : t->rows;
        status = backward_tile(ctx, b, p, from, n, by_k + from, &by_noise);
    }
    if (!status && p->there) {
        status = lf_device_rows_finish(ctx, &t->made.rows, p->rows.output);
    }
    if (!status) {
        lf_inducing_noise_backward(b->s, p, by_noise, b->s->e + p->first, gradient);
    }
    return status;
}

/* Matrices of a dense part on the device. */
typedef struct dense_arrays {
    double *B, *Y, *Z;          /* (n, M) */
    double *P, *by_lambda;      /* (n, n) */
    double *shared, *product;   /* (n, n) variational: K_ff and P K_ff */
    double *e, *factor, *other; /* (n) */
} dense_arrays;

static void dense_arrays_clear(lf_device *device, dense_arrays *a)
{
    double *all[] = {a->B, a->Y, a->Z, a->P, a->by_lambda, a->shared, a->product, a->e, a->factor, a->other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        device->op->release(device, all[i]);
    }
}

static lf_status dense_arrays_create(lf_context *ctx, const lf_inducing_system *s, size_t n, dense_arrays *a)
{
    lf_device *device = s->device;
    const lf_device_class *op = device->op;
    int variational = s->method == LF_METHOD_VARIATIONAL;
    *a = (dense_arrays){.B = op->allocate(device, n * s->M + 1),
                        .Y = op->allocate(device, n * s->M + 1),
                        .Z = op->allocate(device, n * s->M + 1),
                        .P = op->allocate(device, n * n + 1),
                        .by_lambda = op->allocate(device, n * n + 1),
                        .shared = variational ? op->allocate(device, n * n + 1) : NULL,
                        .product = variational ? op->allocate(device, n * n + 1) : NULL,
                        .e = op->allocate(device, n + 1),
                        .factor = op->allocate(device, n + 1),
                        .other = op->allocate(device, n + 1)};
    return lf_device_status(ctx, device);
}

/* P, B, Y, Z and e. work (n): overwritten. */
static void dense_solve(const lf_inducing_kernel *k, const lf_inducing_tiles *t, const lf_inducing_system *s,
                        const lf_inducing_part *p, dense_arrays *a, double *work)
{
    lf_device *device = t->device;
    const lf_device_class *op = device->op;
    size_t n = p->rows.n, M = s->M;
    for (size_t i = 0; i < n; i++) {
        work[i] = lf_inducing_value(s, p, i);
    }
    op->upload(device, n, n, p->C, n, a->P, n);
    op->potri(device, n, a->P, n);
    op->upload(device, n, M, s->Z + p->first, s->n, a->B, n);
    lf_inducing_tiles_whiten(k, t, n, 0, a->B, n);
    op->gemm(device, LF_PLAIN, LF_PLAIN, n, M, n, 1, a->P, n, a->B, n, 0, a->Y, n);
    op->gemm(device, LF_PLAIN, LF_PLAIN, n, M, M, 1, a->Y, n, t->A, M, 0, a->Z, n);
    op->upload(device, n, 1, work, n, a->other, n);
    op->gemm(device, LF_PLAIN, LF_PLAIN, n, 1, M, -1, a->B, n, t->mean, M, 1, a->other, n);
    op->gemm(device, LF_PLAIN, LF_PLAIN, n, 1, n, 1, a->P, n, a->other, n, 0, a->e, n);
}

/* dL/dLambda. */
static void dense_by_lambda(const lf_inducing_tiles *t, const lf_inducing_system *s, const lf_inducing_part *p,
                            dense_arrays *a)
{
    lf_device *device = t->device;
    const lf_device_class *op = device->op;
    size_t n = p->rows.n, M = s->M;
    op->gemm(device, LF_PLAIN, LF_TRANSPOSED, n, n, M, -0.5, a->Z, n, a->Y, n, 0, a->by_lambda, n);
    op->gemm(device, LF_PLAIN, LF_TRANSPOSED, n, n, 1, -0.5, a->e, n, a->e, n, 1, a->by_lambda, n);
    op->fill(device, n, 0.5, a->factor);
    op->add_scaled_rows(device, n, n, a->factor, a->P, n, a->by_lambda, n);
    if (s->method == LF_METHOD_VARIATIONAL) {
        op->upload(device, n, n, p->shared, n, a->shared, n);
        op->gemm(device, LF_PLAIN, LF_PLAIN, n, n, n, 1, a->P, n, a->shared, n, 0, a->product, n);
        op->gemm(device, LF_PLAIN, LF_PLAIN, n, n, n, -0.5, a->product, n, a->P, n, 1, a->by_lambda, n);
        op->gemm(device, LF_PLAIN, LF_TRANSPOSED, n, n, M, 0.5, a->Y, n, a->Y, n, 1, a->by_lambda, n);
    }
}

/* dL/dB in place of Z; diagonal (n): that of dL/dLambda, overwritten. */
static void dense_by_B(const lf_inducing_tiles *t, const lf_inducing_system *s, size_t n, dense_arrays *a,
                       double *diagonal)
{
    lf_device *device = t->device;
    const lf_device_class *op = device->op;
    size_t M = s->M;
    op->gemm(device, LF_PLAIN, LF_TRANSPOSED, n, M, 1, -1, a->e, n, t->mean, M, 1, a->Z, n);
    if (s->method == LF_METHOD_VARIATIONAL) { /* 2 (P / 2) B = Y */
        op->fill(device, n, -1, a->factor);
        op->add_scaled_rows(device, n, M, a->factor, a->Y, n, a->Z, n);
    } else if (s->method == LF_METHOD_PITC) {
        op->gemm(device, LF_PLAIN, LF_PLAIN, n, M, n, -2, a->by_lambda, n, a->B, n, 1, a->Z, n);
    } else if (s->method == LF_METHOD_FITC) {
        for (size_t i = 0; i < n; i++) {
            diagonal[i] *= -2;
        }
        op->upload(device, n, 1, diagonal, n, a->factor, n);
        op->add_scaled_rows(device, n, M, a->factor, a->B, n, a->Z, n);
    }
}

/* by_lambda, by_shared (n, n), here: dL/dLambda and dL/dK_ff. */
static lf_status backward_dense_part(lf_context *ctx, const pass *b, const lf_inducing_part *p, double *by_lambda,
                                     double *by_shared, double *gradient)
{
    const lf_inducing_kernel *k = b->k;
    const lf_inducing_tiles *t = b->t;
    lf_inducing_system *s = b->s;
    double *work = b->work;
    size_t n = p->rows.n;
    const lf_device_class *op = t->device->op;
    dense_arrays a;
    double by_noise = 0;
    lf_status status = dense_arrays_create(ctx, s, n, &a);
    if (!status) {
        dense_solve(k, t, s, p, &a, work);
        dense_by_lambda(t, s, p, &a);
        op->download(t->device, n, n, a.by_lambda, n, by_lambda, n);
        op->download(t->device, n, 1, a.e, n, s->e + p->first, n);
        if (s->method == LF_METHOD_VARIATIONAL) {
            op->download(t->device, n, n, a.P, n, by_shared, n);
        }
        status = lf_device_status(ctx, t->device);
    }
    for (size_t i = 0; !status && i < n; i++) {
        by_noise += work[i] = by_lambda[i * (n + 1)];
    }
    if (!status) {
        dense_by_B(t, s, n, &a, work);
        finish_rows(k, t, n, a.B, a.Z, n);
        op->download(t->device, n, s->M, a.Z, n, s->Z + p->first, s->n);
        status = lf_device_status(ctx, t->device);
    }
    dense_arrays_clear(t->device, &a);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < n * n; i++) {
        by_shared[i] = s->method == LF_METHOD_VARIATIONAL                ? 0.5 * by_shared[i]
                       : s->method == LF_METHOD_PITC                     ? by_lambda[i]
                       : s->method == LF_METHOD_FITC && i % (n + 1) == 0 ? by_lambda[i]
                                                                         : 0;
    }
    lf_inducing_target_backward(s, p, 0, n, by_lambda, n + 1, s->e + p->first);
    lf_inducing_noise_backward(s, p, by_noise, s->e + p->first, gradient);
    return LF_OK;
}

/* by_uu += L^-T H L^-1 of each force. */
static lf_status finish_inducing(lf_context *ctx, const lf_inducing_kernel *k, const lf_inducing_tiles *t,
                                 double *by_uu)
{
    lf_device *device = t->device;
    lf_status status = LF_OK;
    for (int q = 0; !status && q < k->model->force_count; q++) {
        size_t K = k->forces[q].K;
        double *H = lf_doubles(K, K);
        device->op->trsm(device, LF_LEFT, LF_TRANSPOSED, K, K, t->L[q], K, t->H[q], K);
        device->op->trsm(device, LF_RIGHT, LF_PLAIN, K, K, t->L[q], K, t->H[q], K);
        if (H) {
            device->op->download(device, K, K, t->H[q], K, H, K);
        }
        status = H ? lf_device_status(ctx, device) : lf_no_memory(ctx);
        for (size_t i = 0; !status && i < K * K; i++) { /* symmetric but for rounding */
            by_uu[i] += 0.5 * (H[i] + H[i % K * K + i / K]);
        }
        by_uu += K * K;
        free(H);
    }
    return status;
}

lf_status lf_inducing_device_backward(lf_context *ctx, const lf_inducing_kernel *k, lf_inducing_system *s,
                                      const lf_inducing_adjoints *a, double *by_uu, double *by_Y, double *gradient)
{
    lf_inducing_tiles t;
    double *work = lf_doubles(s->n, 1);
    const pass b = {k, &t, s, work};
    lf_status status = lf_inducing_tiles_create(ctx, k, s, 1, &t);
    status = status || work ? status : lf_no_memory(ctx);
    if (!status) {
        t.device->op->upload(t.device, s->M, s->M, s->core, s->M, t.A, s->M);
        t.device->op->upload(t.device, s->M, 1, s->mean, s->M, t.mean, s->M);
    }
    for (size_t d = 0; !status && d < s->count; d++) {
        const lf_inducing_part *p = &s->parts[d];
        status = p->dense ? backward_dense_part(ctx, &b, p, a->lambda[d], a->shared[d], gradient)
                          : backward_diagonal_part(ctx, &b, p, a->diagonal + p->first, gradient);
    }
    LF_TRY(status, finish_inducing(ctx, k, &t, by_uu));
    if (!status && t.makes) {
        status = lf_inducing_device_rows_finish(ctx, k, &t.made, by_Y, gradient);
    }
    lf_inducing_tiles_clear(k, &t);
    free(work);
    return status;
}
