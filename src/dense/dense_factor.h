/* The factorised covariance of the rows of one replicate, with its log likelihood: whole, spread over processes (spread_factor.h) or on a
 * device (device_factor.h). */
#ifndef LF_DENSE_DENSE_FACTOR_H
#define LF_DENSE_DENSE_FACTOR_H

#include "dense/device_factor.h"
#include "dense/spread_factor.h"
#include "engine/targets.h"

typedef struct lf_dense_factor {
    double *L; /* (n, n) lower triangle, Cholesky factor of K + Sigma; NULL: it is spread */
    lf_spread_factor *spread;
    lf_device_factor *there; /* NULL: the processor has the factor; otherwise it is on a device, and not in L */
    double *alpha;           /* (n) */
    double value, rounding;  /* log likelihood and its error by rounding */
} lf_dense_factor;

/* y, noise: the targets (n). device NULL: the processor. After a failure the factor must still be cleared. */
lf_status lf_dense_factorise(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                             const lf_point_set *points, const double *y, const double *noise, lf_device *device,
                             lf_dense_factor *f);
void lf_dense_factor_clear(lf_dense_factor *f);

/* Adds the gradient of the log likelihood, and sets by_y and by_noise of the targets. The factor is lost. */
lf_status lf_dense_gradient(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                            const lf_point_set *points, const lf_targets *targets, lf_dense_factor *f,
                            double *gradient);

#endif
