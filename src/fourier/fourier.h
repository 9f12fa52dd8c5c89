/* The fourier engine: uniform frequencies, for one input. */
#ifndef LF_FOURIER_FOURIER_H
#define LF_FOURIER_FOURIER_H

#include "engine/engine.h"

extern const lf_engine_class lf_engine_fourier;

/* lf_engine_class.memory. */
int lf_fourier_memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                      lf_memory_estimate *memory);

#endif
