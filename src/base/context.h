/* The context behind a handle, and how failures are reported through it. */
#ifndef LF_BASE_CONTEXT_H
#define LF_BASE_CONTEXT_H

#include "base/random.h"
#include "latentforce.h"

struct lf_context {
    char message[1024];
    lf_log_function log;
    void *log_user;
    lf_random random;
    uint64_t seed; /* of `random`; sampled frequencies start from it too */
    int threads;   /* 0 = as many as the machine has */
};

/* Stores the sentence and returns the status, so that `return lf_fail(ctx, …)` is the way out of any function. */
lf_status lf_fail(lf_context *ctx, lf_status status, const char *format, ...) LF_PRINTF(3, 4);

/* lf_fail for a failed allocation. */
lf_status lf_no_memory(lf_context *ctx);

/* Copies options of the caller, which begin with their size, into `own` (size bytes, zeroed): fields that the caller's version of
 * the struct does not have are left 0. given NULL: all of them. `name` is that of the struct. */
lf_status lf_take_options(lf_context *ctx, const char *name, const void *given, size_t size, void *own);

/* A note for the log function, if there is one. */
void lf_note(lf_context *ctx, const char *format, ...) LF_PRINTF(2, 3);

#endif
