/** @file
 * Names of 0.1 that 0.2 no longer has, as inline functions; the next minor version does not have them. docs/migration.md says what each has become,
 * and which have no such function here, because their arguments are others. */
#ifndef LATENTFORCE_COMPAT_H
#define LATENTFORCE_COMPAT_H

#include "latentforce_processes.h"

#ifdef __cplusplus
extern "C" {
#endif

/** lf_context_message(). */
static inline const char *lf_message(const lf_context *ctx) { return lf_context_message(ctx); }
/** lf_context_set_seed(). */
static inline void lf_set_seed(lf_context *ctx, uint64_t seed) { lf_context_set_seed(ctx, seed); }
/** lf_context_set_threads(). */
static inline void lf_set_threads(lf_context *ctx, int threads)
{
    lf_context_set_threads(ctx, threads > 0 ? (size_t)threads : 0);
}
/** lf_context_set_memory(). */
static inline lf_status lf_set_memory(lf_context *ctx, const char *size) { return lf_context_set_memory(ctx, size); }
/** lf_context_set_processes(). */
static inline lf_status lf_set_processes(lf_context *ctx, const lf_processes *processes)
{
    return lf_context_set_processes(ctx, processes);
}
/** lf_context_fail(). */
static inline lf_status lf_set_message(lf_context *ctx, lf_status status, const char *message)
{
    return lf_context_fail(ctx, status, message);
}

#ifdef __cplusplus
}
#endif

#endif
