/* The fourier engine: uniform frequencies, for one input. */
#ifndef LF_FOURIER_FOURIER_H
#define LF_FOURIER_FOURIER_H

#include "engine/engine.h"

extern const lf_engine_class lf_engine_fourier;

/* Bytes of a posterior of so many replicates with S frequencies, and of the system of one of them. */
double lf_fourier_posterior_bytes(const lf_model *model, double S, int replicates);

/* Whether the engine applies, negative without memory. */
int lf_fourier_memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                      lf_memory_estimate *memory);

#endif
