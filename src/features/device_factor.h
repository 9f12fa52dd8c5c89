/* A Cholesky factor on a device, by which rows that are here are whitened. */
#ifndef LF_FEATURES_DEVICE_FACTOR_H
#define LF_FEATURES_DEVICE_FACTOR_H

#include "device/device.h"

typedef struct lf_device_factor {
    lf_device *device; /* NULL: there is none */
    size_t M, tile;
    double *L, *X; /* (M, M), (tile, M) on the device */
} lf_device_factor;

/* Copies L (M, M), lower triangle, to the device of this name; with "" and "cpu" there is none. After a failure it must still be closed. */
lf_status lf_device_factor_open(lf_context *ctx, const char *name, size_t M, const double *L, size_t tile,
                                lf_device_factor *factor);
void lf_device_factor_close(lf_device_factor *factor);
/* X (n, M) <- X L^-T for rows here, n <= tile. */
lf_status lf_device_factor_whiten(lf_context *ctx, const lf_device_factor *factor, size_t n, double *X);

#endif
