/* Rows go to the device and back for one triangular solve, which takes longer than both ways from a few hundred columns on. */
#include "features/device_factor.h"

lf_status lf_device_factor_open(lf_context *ctx, const char *name, size_t M, const double *L, size_t tile,
                                lf_device_factor *factor)
{
    *factor = (lf_device_factor){.M = M, .tile = tile};
    lf_status status = lf_device_open(ctx, name, &factor->device);
    if (status || !factor->device) {
        return status;
    }
    const lf_device_class *op = factor->device->op;
    factor->L = op->allocate(factor->device, M * M + 1);
    factor->X = op->allocate(factor->device, tile * M + 1);
    op->upload(factor->device, M, M, L, M, factor->L, M);
    return lf_device_status(ctx, factor->device);
}

void lf_device_factor_close(lf_device_factor *factor)
{
    if (factor->device) {
        factor->device->op->release(factor->device, factor->L);
        factor->device->op->release(factor->device, factor->X);
        lf_device_close(factor->device);
    }
    *factor = (lf_device_factor){0};
}

lf_status lf_device_factor_whiten(lf_context *ctx, const lf_device_factor *factor, size_t n, double *X)
{
    const lf_device_class *op = factor->device->op;
    op->upload(factor->device, n, factor->M, X, n, factor->X, n);
    op->trsm(factor->device, LF_RIGHT, LF_TRANSPOSED, n, factor->M, factor->L, factor->M, factor->X, n);
    op->download(factor->device, n, factor->M, factor->X, n, X, n);
    return lf_device_status(ctx, factor->device);
}
