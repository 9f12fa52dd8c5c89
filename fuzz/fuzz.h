/* What the fuzz targets share: files in memory, and a context. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "latentforce.h"

/* Called by libFuzzer with one input after the other. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A file in memory with these bytes; its path goes into `path`. Returns its descriptor, which the caller closes. */
int fuzz_file(const uint8_t *bytes, size_t size, char path[64]);

/* A context with one thread. Ends the run when there is no memory. */
lf_context *fuzz_context(void);

/* Ends the run with an error unless a failure left a sentence in the context. */
void fuzz_check(const lf_context *ctx, lf_status status);

#endif
