/* The covariance of the rows of one replicate, factorised and inverted on a device. The covariances themselves, and the sums of their
 * derivatives with the adjoint, are computed by the processor, which has a matrix of the same size. */
#ifndef LF_DENSE_DEVICE_FACTOR_H
#define LF_DENSE_DEVICE_FACTOR_H

#include "device/device.h"

typedef struct lf_device_factor {
    lf_device *device;
    size_t n;
    double *L;     /* (n, n) on the device: Cholesky factor of K + Sigma */
    double *alpha; /* (n) on the device */
} lf_device_factor;

/* Factorises K (n, n), whose lower triangle is given here. pivots (n): L_ii. *positive: whether there is a factor. After a failure it must
 * still be freed. */
lf_status lf_device_factor_create(lf_context *ctx, lf_device *device, size_t n, const double *K, double *pivots,
                                  int *positive, lf_device_factor **factor);
void lf_device_factor_free(lf_device_factor *factor);

/* alpha (n), here, becomes (L L')^-1 alpha; the device keeps it. */
lf_status lf_device_factor_solve(lf_context *ctx, lf_device_factor *factor, double *alpha);
/* Copies the factor to L (n, n), its lower triangle. */
lf_status lf_device_factor_copy(lf_context *ctx, const lf_device_factor *factor, double *L);
/* G (n, n), here, = 1/2 (alpha alpha' - (L L')^-1), both triangles. The factor is overwritten. */
lf_status lf_device_factor_adjoint(lf_context *ctx, lf_device_factor *factor, double *G);

#endif
