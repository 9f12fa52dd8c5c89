/* The dense engine: the exact Gaussian process by Cholesky factorisation. */
#ifndef LF_DENSE_DENSE_H
#define LF_DENSE_DENSE_H

#include "engine/engine.h"

extern const lf_engine_class lf_engine_dense;

/* Whether the matrix of n rows is spread over the processes of the context. Covariances of equations have gradients only as a whole: every
 * process has them all. */
int lf_dense_is_spread(const lf_context *ctx, const lf_model *model, size_t n);

/* lf_engine_class.memory. */
int lf_dense_memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                    lf_memory_estimate *memory);

#endif
