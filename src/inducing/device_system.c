/* Tiles of rows of the inducing engines on a device, and the first pass over them. */
#include "inducing/device_system.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/memory_limit.h"

/* Rows of a tile: enough for products at full speed. Fewer are slow, and less is refused. */
enum { LARGEST_TILE = 32768, SMALLEST_TILE = 32 };

/* ---- tiles ---- */

/* Numbers that the largest dense part needs during a pass. */
static double dense_numbers(const lf_inducing_system *s, int with_gradient)
{
    double squares = 1 + with_gradient, most = 0;
    squares += s->method == LF_METHOD_VARIATIONAL ? 1 + with_gradient : 0;
    for (size_t d = 0; d < s->count; d++) {
        double n = s->parts[d].dense ? (double)s->parts[d].rows.n : 0;
        most = fmax(most, n * (squares * n + (with_gradient ? 3 : 1) * (double)s->M + 3));
    }
    return most;
}

/* The rows of a tile: as many as the largest diagonal part has, or as half of what is left can hold. */
static lf_status choose_rows(lf_context *ctx, const lf_inducing_kernel *k, const lf_inducing_system *s,
                             int with_gradient, lf_inducing_tiles *t)
{
    double each = (with_gradient ? 2 : 1) * (double)t->M + 3, wanted = 0, dense = dense_numbers(s, with_gradient);
    for (size_t d = 0; d < s->count; d++) {
        wanted = s->parts[d].dense ? wanted : fmax(wanted, (double)s->parts[d].rows.n);
        t->makes = t->makes || s->parts[d].there;
    }
    if (t->makes) {
        double each_made, fixed;
        lf_inducing_device_rows_numbers(k, with_gradient, &each_made, &fixed);
        each += each_made;
        dense += fixed;
    }
    double left = t->device->op->available(t->device) / sizeof(double) - dense;
    wanted = fmin(wanted, LARGEST_TILE);
    double rows = fmin(wanted, fmax(floor(left / each / 2), SMALLEST_TILE));
    if (rows * each > left) {
        char needs[LF_SIZE_TEXT], has[LF_SIZE_TEXT];
        return lf_fail(ctx, LF_ERROR_MEMORY,
                       "device %s: %zu inducing values need %s more memory for their rows, it has %s left; take fewer "
                       "inducing values, or the device cpu",
                       t->device->op->name, t->M, lf_size_text((rows * each + dense) * sizeof(double), needs),
                       lf_size_text((left + dense) * sizeof(double), has));
    }
    t->rows = (size_t)rows;
    return LF_OK;
}

lf_status lf_inducing_tiles_create(lf_context *ctx, const lf_inducing_kernel *k, const lf_inducing_system *s,
                                   int with_gradient, lf_inducing_tiles *t)
{
    lf_device *device = s->device;
    const lf_device_class *op = device->op;
    size_t Q = (size_t)k->model->force_count;
    *t = (lf_inducing_tiles){.device = device, .M = s->M};
    t->L = calloc(Q + 1, sizeof *t->L);
    t->H = calloc(Q + 1, sizeof *t->H);
    if (!t->L || !t->H) {
        return lf_no_memory(ctx);
    }
    for (size_t q = 0; q < Q; q++) {
        size_t K = k->forces[q].K;
        t->L[q] = op->allocate(device, K * K + 1);
        op->upload(device, K, K, k->forces[q].L, K, t->L[q], K);
        if (with_gradient) {
            t->H[q] = op->allocate(device, K * K + 1);
            op->fill(device, K * K, 0, t->H[q]);
        }
    }
    t->A = op->allocate(device, s->M * s->M + 1);
    t->mean = op->allocate(device, s->M + 1);
    lf_status status = lf_device_status(ctx, device);
    LF_TRY(status, choose_rows(ctx, k, s, with_gradient, t));
    if (status) {
        return status;
    }
    t->B = op->allocate(device, t->rows * s->M + 1);
    t->Z = with_gradient ? op->allocate(device, t->rows * s->M + 1) : NULL;
    t->vectors = op->allocate(device, 3 * t->rows + 1);
    status = lf_device_status(ctx, device);
    return status || !t->makes ? status : lf_inducing_device_rows_create(ctx, k, t->rows, with_gradient, &t->made);
}

void lf_inducing_tiles_clear(const lf_inducing_kernel *k, lf_inducing_tiles *t)
{
    double *arrays[] = {t->B, t->Z, t->A, t->mean, t->vectors};
    if (t->makes) {
        lf_inducing_device_rows_clear(k, &t->made);
    }
    for (int q = 0; q < k->model->force_count; q++) {
        t->device->op->release(t->device, t->L ? t->L[q] : NULL);
        t->device->op->release(t->device, t->H ? t->H[q] : NULL);
    }
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        t->device->op->release(t->device, arrays[i]);
    }
    free(t->L);
    free(t->H);
    *t = (lf_inducing_tiles){0};
}

void lf_inducing_tiles_whiten(const lf_inducing_kernel *k, const lf_inducing_tiles *t, size_t n, int backward,
                              double *X, size_t ld)
{
    for (int q = 0; q < k->model->force_count; q++) {
        const lf_inducing_force *f = &k->forces[q];
        t->device->op->trsm(t->device, LF_RIGHT, backward ? LF_PLAIN : LF_TRANSPOSED, n, f->K, t->L[q], f->K,
                            X + f->first * ld, ld);
    }
}

lf_status lf_inducing_tiles_load(lf_context *ctx, const lf_inducing_kernel *k, lf_inducing_tiles *t,
                                 const lf_inducing_system *s, const lf_inducing_part *p, size_t from, size_t n,
                                 int with_derivative)
{
    lf_status status = LF_OK;
    if (p->there) {
        status = lf_inducing_device_rows_make(ctx, k, &t->made, &p->rows, from, n, with_derivative, t->B);
    } else {
        t->device->op->upload(t->device, n, s->M, s->Z + p->first + from, s->n, t->B, t->rows);
    }
    lf_inducing_tiles_whiten(k, t, n, 0, t->B, t->rows);
    return status;
}

void lf_inducing_row_products(const lf_inducing_tiles *t, size_t n, size_t columns, const double *X, const double *Y,
                              size_t ld, double *sums, double *explained)
{
    t->device->op->fill(t->device, n, 0, sums);
    t->device->op->add_products(t->device, n, columns, X, Y, ld, sums);
    t->device->op->download(t->device, n, 1, sums, n, explained, n);
}

/* The diagonal of X (n, n), copied here. */
static lf_status copy_diagonal(lf_context *ctx, lf_device *device, size_t n, const double *X, double *diagonal)
{
    size_t *index = calloc(n + 1, sizeof *index);
    if (!index) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < n; i++) {
        index[i] = i * (n + 1);
    }
    device->op->get(device, n, index, X, diagonal);
    free(index);
    return lf_device_status(ctx, device);
}

/* ---- the first pass ---- */

/* Adds the whitened rows W (n, M) and y (n), which begin with row `first` of the system. */
static void add_rows(const lf_inducing_tiles *t, lf_inducing_system *s, size_t first, size_t n, const double *W,
                     size_t ld, const double *y)
{
    const lf_device_class *op = t->device->op;
    if (s->whitened) {
        op->download(t->device, n, t->M, W, ld, s->whitened + first, s->n);
    }
    op->syrk(t->device, LF_TRANSPOSED, t->M, n, 1, W, ld, 1, t->A, t->M);
    op->gemm(t->device, LF_TRANSPOSED, LF_PLAIN, t->M, 1, n, 1, W, ld, y, n, 1, t->mean, t->M);
}

/* The n rows of a part from `from` on. scale (n): work. */
static lf_status add_tile(lf_context *ctx, const lf_inducing_kernel *k, lf_inducing_tiles *t, lf_inducing_system *s,
                          const lf_inducing_part *p, size_t from, size_t n, double *scale)
{
    lf_device *device = t->device;
    const lf_device_class *op = device->op;
    size_t first = p->first + from;
    double *lambda = s->lambda + first, *factor = t->vectors, *y = t->vectors + t->rows;
    lf_status status = lf_inducing_tiles_load(ctx, k, t, s, p, from, n, 0);
    if (!status && p->there && s->method != LF_METHOD_DTC) {
        lf_inducing_row_products(t, n, k->features.shared, t->made.shared, t->made.shared, t->rows, t->vectors,
                                 s->K_diagonal + first);
    }
    lf_inducing_row_products(t, n, t->M, t->B, t->B, t->rows, t->vectors, lambda);
    LF_TRY(status, lf_device_status(ctx, device));
    LF_TRY(status, lf_inducing_diagonal_lambda(ctx, s, p, from, n));
    if (status) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        scale[i] = 1 / sqrt(lambda[i]);
    }
    op->upload(device, n, 1, scale, n, factor, n);
    op->upload(device, n, 1, s->y + first, n, y, n);
    op->scale_rows(device, n, s->M, factor, t->B, t->rows);
    add_rows(t, s, first, n, t->B, t->rows, y);
    return LF_OK;
}

/* C <- Lambda_d without -B B' of pitc. explained (n): the diagonal of B B'. */
static void fill_lambda(const lf_inducing_system *s, const lf_inducing_part *p, const double *explained)
{
    size_t n = p->rows.n;
    for (size_t i = 0; i < n * n; i++) {
        p->C[i] = (p->private ? p->private[i] : 0) + (s->method == LF_METHOD_PITC ? p->shared[i] : 0);
    }
    for (size_t i = 0; i < n; i++) {
        double residual = s->method == LF_METHOD_FITC ? p->shared[i * n + i] - explained[i] : 0;
        p->C[i * n + i] += lf_inducing_noise(s, p, i) + residual;
    }
}

/* p->trace = tr Lambda^-1 (K_ff - B B'), given C and the whitened rows W (n, M). X (n, n) and sums (n) on the device. */
static lf_status add_trace(lf_context *ctx, const lf_inducing_tiles *t, lf_inducing_part *p, const double *C,
                           const double *W, double *X, double *sums, double *work)
{
    const lf_device_class *op = t->device->op;
    size_t n = p->rows.n;
    op->upload(t->device, n, n, p->shared, n, X, n);
    op->trsm(t->device, LF_LEFT, LF_PLAIN, n, n, C, n, X, n);
    op->trsm(t->device, LF_LEFT, LF_TRANSPOSED, n, n, C, n, X, n);
    lf_status status = copy_diagonal(ctx, t->device, n, X, work);
    p->trace = 0;
    for (size_t i = 0; !status && i < n; i++) {
        p->trace += work[i];
    }
    lf_inducing_row_products(t, n, t->M, W, W, n, sums, work);
    for (size_t i = 0; !status && i < n; i++) {
        p->trace -= work[i];
    }
    return status ? status : lf_device_status(ctx, t->device);
}

static lf_status add_dense_part(lf_context *ctx, const lf_inducing_kernel *k, const lf_inducing_tiles *t,
                                lf_inducing_system *s, lf_inducing_part *p, double *work)
{
    lf_device *device = t->device;
    const lf_device_class *op = device->op;
    size_t n = p->rows.n;
    int variational = s->method == LF_METHOD_VARIATIONAL;
    double *B = op->allocate(device, n * s->M + 1), *C = op->allocate(device, n * n + 1);
    double *X = variational ? op->allocate(device, n * n + 1) : NULL, *vectors = op->allocate(device, 2 * n + 1);
    lf_status status = lf_device_status(ctx, device);
    if (!status) {
        op->upload(device, n, s->M, s->Z + p->first, s->n, B, n);
        lf_inducing_tiles_whiten(k, t, n, 0, B, n);
        lf_inducing_row_products(t, n, t->M, B, B, n, vectors, s->lambda + p->first);
        status = lf_device_status(ctx, device);
    }
    if (!status) {
        fill_lambda(s, p, s->lambda + p->first);
        op->upload(device, n, n, p->C, n, C, n);
        if (s->method == LF_METHOD_PITC) {
            op->syrk(device, LF_PLAIN, n, s->M, -1, B, n, 1, C, n);
        }
        status = op->potrf(device, n, C, n) ? LF_OK : lf_inducing_not_positive(ctx, s->model, p->rows.output);
    }
    if (!status) {
        double *y = vectors + n;
        op->upload(device, n, 1, s->y + p->first, n, y, n);
        op->trsm(device, LF_LEFT, LF_PLAIN, n, s->M, C, n, B, n);
        op->trsm(device, LF_LEFT, LF_PLAIN, n, 1, C, n, y, n);
        op->download(device, n, n, C, n, p->C, n);
        op->download(device, n, 1, y, n, s->y + p->first, n);
        add_rows(t, s, p->first, n, B, n, y);
        status = variational ? add_trace(ctx, t, p, C, B, X, vectors, work) : lf_device_status(ctx, device);
    }
    op->release(device, B);
    op->release(device, C);
    op->release(device, X);
    op->release(device, vectors);
    return status;
}

lf_status lf_inducing_device_fill(lf_context *ctx, const lf_inducing_kernel *k, lf_inducing_system *s)
{
    lf_inducing_tiles t;
    const lf_device_class *op = s->device->op;
    double *work = lf_doubles(s->n, 1);
    lf_status status = lf_inducing_tiles_create(ctx, k, s, 0, &t);
    status = status || work ? status : lf_no_memory(ctx);
    op->fill(s->device, s->M * s->M, 0, t.A);
    op->fill(s->device, s->M, 0, t.mean);
    for (size_t d = 0; !status && d < s->count; d++) {
        lf_inducing_part *p = &s->parts[d];
        if (p->dense) {
            status = add_dense_part(ctx, k, &t, s, p, work);
            continue;
        }
        for (size_t from = 0, n; !status && from < p->rows.n; from += n) {
            n = p->rows.n - from < t.rows ? p->rows.n - from : t.rows;
            status = add_tile(ctx, k, &t, s, p, from, n, work);
        }
    }
    op->download(s->device, s->M, s->M, t.A, s->M, s->core, s->M);
    op->download(s->device, s->M, 1, t.mean, s->M, s->mean, s->M);
    LF_TRY(status, lf_device_status(ctx, s->device));
    lf_inducing_tiles_clear(k, &t);
    free(work);
    return status;
}

lf_status lf_inducing_device_solve(lf_context *ctx, lf_inducing_system *s, int with_gradient, double *log_determinant,
                                   double *quadratic_form)
{
    lf_device *device = s->device;
    const lf_device_class *op = device->op;
    size_t M = s->M;
    double *A = op->allocate(device, M * M + 1), *x = op->allocate(device, M + 1);
    double *diagonal = lf_doubles(M, 1), *b = lf_doubles(M, 1);
    lf_status status = diagonal && b ? lf_device_status(ctx, device) : lf_no_memory(ctx);
    if (!status) {
        memcpy(b, s->mean, M * sizeof *b);
        status = lf_inducing_system_sums(ctx, s, s->core, s->mean);
    }
    if (!status) {
        op->upload(device, M, M, s->core, M, A, M);
        op->upload(device, M, 1, s->mean, M, x, M);
        op->add_diagonal(device, M, 1, A, M);
        status = op->potrf(device, M, A, M)
                     ? LF_OK
                     : lf_fail(ctx, LF_ERROR_NUMERIC, "the likelihood cannot be computed: a parameter is out of range");
    }
    LF_TRY(status, copy_diagonal(ctx, device, M, A, diagonal));
    if (!status) {
        op->trsm(device, LF_LEFT, LF_PLAIN, M, 1, A, M, x, M);
        op->trsm(device, LF_LEFT, LF_TRANSPOSED, M, 1, A, M, x, M);
        op->download(device, M, 1, x, M, s->mean, M);
        if (with_gradient) {
            op->potri(device, M, A, M);
        }
        op->download(device, M, M, A, M, s->core, M);
        status = lf_device_status(ctx, device);
    }
    for (size_t i = 0; !status && i < M; i++) {
        *log_determinant += 2 * log(diagonal[i]);
    }
    if (!status) {
        *quadratic_form = cblas_ddot((int)s->n, s->y, 1, s->y, 1) - cblas_ddot((int)M, b, 1, s->mean, 1);
    }
    op->release(device, A);
    op->release(device, x);
    free(diagonal);
    free(b);
    return status;
}
