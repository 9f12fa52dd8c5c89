/* One matrix: the factor takes the place of the covariance there, then the inverse, then the adjoint. */
#include "dense/device_factor.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/memory_limit.h"

void lf_device_factor_free(lf_device_factor *f)
{
    if (f) {
        f->device->op->release(f->device, f->L);
        f->device->op->release(f->device, f->alpha);
        free(f);
    }
}

/* The diagonal of L (n, n). */
static lf_status read_diagonal(lf_context *ctx, const lf_device_factor *f, double *diagonal)
{
    size_t *index = calloc(f->n + 1, sizeof *index);
    if (!index) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < f->n; i++) {
        index[i] = i * (f->n + 1);
    }
    f->device->op->get(f->device, f->n, index, f->L, diagonal);
    free(index);
    return lf_device_status(ctx, f->device);
}

/* Before anything is allocated, so that the device remains usable. */
static lf_status check_memory(lf_context *ctx, lf_device *device, size_t n)
{
    double needed = sizeof(double) * (double)(n + 1) * (double)n, left = device->op->available(device);
    char needs[LF_SIZE_TEXT], has[LF_SIZE_TEXT];
    return needed <= left ? LF_OK
                          : lf_fail(ctx, LF_ERROR_MEMORY,
                                    "device %s: the dense engine needs a matrix of %zu x %zu, %s, it has %s left; use "
                                    "the processor or another engine",
                                    device->op->name, n, n, lf_size_text(needed, needs), lf_size_text(left, has));
}

lf_status lf_device_factor_create(lf_context *ctx, lf_device *device, size_t n, const double *K, double *pivots,
                                  int *positive, lf_device_factor **factor)
{
    const lf_device_class *op = device->op;
    *factor = NULL;
    lf_status status = check_memory(ctx, device, n);
    lf_device_factor *f = *factor = status ? NULL : calloc(1, sizeof *f);
    if (!f) {
        return status ? status : lf_no_memory(ctx);
    }
    *f = (lf_device_factor){.device = device, .n = n};
    f->L = op->allocate(device, n * n + 1);
    f->alpha = op->allocate(device, n + 1);
    op->upload(device, n, n, K, n, f->L, n);
    *positive = op->potrf(device, n, f->L, n);
    return read_diagonal(ctx, f, pivots);
}

lf_status lf_device_factor_solve(lf_context *ctx, lf_device_factor *f, double *alpha)
{
    const lf_device_class *op = f->device->op;
    op->upload(f->device, f->n, 1, alpha, f->n, f->alpha, f->n);
    op->trsm(f->device, LF_LEFT, LF_PLAIN, f->n, 1, f->L, f->n, f->alpha, f->n);
    op->trsm(f->device, LF_LEFT, LF_TRANSPOSED, f->n, 1, f->L, f->n, f->alpha, f->n);
    op->download(f->device, f->n, 1, f->alpha, f->n, alpha, f->n);
    return lf_device_status(ctx, f->device);
}

lf_status lf_device_factor_copy(lf_context *ctx, const lf_device_factor *f, double *L)
{
    f->device->op->download(f->device, f->n, f->n, f->L, f->n, L, f->n);
    return lf_device_status(ctx, f->device);
}

lf_status lf_device_factor_adjoint(lf_context *ctx, lf_device_factor *f, double *G)
{
    const lf_device_class *op = f->device->op;
    size_t n = f->n;
    op->potri(f->device, n, f->L, n);
    op->gemm(f->device, LF_PLAIN, LF_TRANSPOSED, n, n, 1, 0.5, f->alpha, n, f->alpha, n, -0.5, f->L, n);
    op->download(f->device, n, n, f->L, n, G, n);
    return lf_device_status(ctx, f->device);
}
