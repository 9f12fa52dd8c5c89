/* The dense engine: the exact Gaussian process by Cholesky factorisation. */
#ifndef LF_DENSE_DENSE_H
#define LF_DENSE_DENSE_H

#include "device/device.h"
#include "engine/engine.h"
#include "exact/exact_covariance.h"

extern const lf_engine_class lf_engine_dense;

typedef struct lf_dense {
    const lf_rows *rows;
    lf_exact_covariance kernel;
    lf_device *device;      /* NULL: the processor */
    const char *route;      /* its name */
    int known;              /* value and rounding are those of the rows at the parameters last evaluated */
    double value, rounding; /* log likelihood and its error by rounding */
} lf_dense;

/* Whether the matrix of n rows is spread over the processes of the context. Covariances of equations have gradients only as a whole: every
 * process has them all. */
int lf_dense_is_spread(const lf_context *ctx, const lf_model *model, size_t n);

/* Whether the engine applies, negative without memory. */
int lf_dense_memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                    lf_memory_estimate *memory);

/* ---- in dense_posterior.c ---- */

/* The posterior. It computes the log likelihood and its error by rounding: they become those of the engine where it has its route. */
lf_status lf_dense_posterior_create(lf_context *ctx, lf_dense *engine, const lf_model *model, const lf_targets *targets,
                                    void **posterior);
extern const lf_posterior_class lf_dense_posterior_class;

#endif
