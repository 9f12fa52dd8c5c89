/* The dense engine: the exact Gaussian process by Cholesky factorisation. */
#ifndef LF_DENSE_DENSE_H
#define LF_DENSE_DENSE_H

#include "engine/engine.h"

extern const lf_engine_class lf_engine_dense;

#endif
