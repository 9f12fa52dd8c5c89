/* The dense engine: the exact Gaussian process by Cholesky factorisation. */
#ifndef LF_DENSE_DENSE_H
#define LF_DENSE_DENSE_H

#include "device/device.h"
#include "engine/engine.h"
#include "exact/exact_covariance.h"

extern const lf_engine_class lf_engine_dense;

/* Whether the matrix of n rows is spread over the processes of the context. Covariances of equations have gradients only as a whole: every
 * process has them all. */
int lf_dense_is_spread(const lf_context *ctx, const lf_model *model, size_t n);

/* Whether the engine applies, negative without memory. */
int lf_dense_memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                    lf_memory_estimate *memory);

/* ---- in dense_posterior.c ---- */

/* The posterior, with the log likelihood of the rows and its error by rounding. *same: these are those of the engine, whose route the
 * posterior has. */
lf_status lf_dense_posterior_create(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                                    lf_exact_covariance kernel, lf_device *device, void **posterior, double *value,
                                    double *rounding, int *same);
extern const lf_posterior_class lf_dense_posterior_class;

#endif
