/* The fourier engine: uniform frequencies, for one input. */
#ifndef LF_FOURIER_FOURIER_H
#define LF_FOURIER_FOURIER_H

#include "engine/engine.h"

extern const lf_engine_class lf_engine_fourier;

#endif
