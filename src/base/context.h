/* The library context: the last error message, the log function, the random numbers, the number of threads and the other
 * processes. */
#ifndef LF_BASE_CONTEXT_H
#define LF_BASE_CONTEXT_H

#include "base/random.h"
#include "latentforce_processes.h"

/* Copies a text and names its options otherwise (spelling.c); `spelt` has `size` bytes, and what does not fit is cut. */
typedef void (*lf_spell_function)(const char *text, size_t size, char *spelt);

enum { LF_MESSAGE_SIZE = 1024 };

struct lf_context {
    char message[LF_MESSAGE_SIZE]; /* of the last failure */
    lf_log_function log;
    void *log_user;
    lf_progress_function progress; /* NULL: none */
    void *progress_user;
    lf_spell_function spell; /* NULL: options are named as on the command line, as everywhere in the source */
    lf_random random;
    uint64_t seed;          /* of `random`; sampled frequencies are drawn from it too */
    int threads;            /* 0: as many as the machine has */
    double work;            /* seconds of the present call that come from the number of frequencies, as estimated */
    double work_limit;      /* of these; 0: the default */
    double memory;          /* the limit of lf_memory_limit in bytes; 0: not asked for yet */
    size_t engines;         /* that exist side by side, of which one evaluates at a time; 0: one */
    lf_processes processes; /* count 0: there is only this one */
    int agreed;             /* the last failure is that of all processes (processes.h) */
};

/* Stores the message in the context and returns the status: `return lf_fail(ctx, …)` ends a function that failed. */
lf_status lf_fail(lf_context *ctx, lf_status status, const char *format, ...) LF_PRINTF(3, 4);

/* Steps that follow each other: `call` is made only where nothing failed before, and its status is kept in `status`. */
#define LF_TRY(status, call) ((status) = (status) ? (status) : (call))

/* A copy of a text with its options named so; spell NULL: as they are. NULL without memory. */
char *lf_spelt(lf_spell_function spell, const char *text);

/* lf_fail for a handle or a text that the caller has not given: "model". */
lf_status lf_missing(lf_context *ctx, const char *what);

/* lf_fail for a failed allocation. */
lf_status lf_no_memory(lf_context *ctx);

/* Copies the options of a caller into `copy` (size bytes). The first field of an options struct is its size in the
 * version of the library that the caller was compiled with; fields that the caller does not have are 0 in the copy, and those that this
 * version does not have must be 0. given NULL: all fields are 0. `name` is the name of the struct, for messages. */
lf_status lf_take_options(lf_context *ctx, const char *name, const void *given, size_t size, void *copy);

/* The reverse for structs that the library fills: copies `from` (size bytes) into the struct of a caller, whose first field is the size that the
 * caller knows. Fields that this version does not have become 0. */
lf_status lf_give_struct(lf_context *ctx, const char *name, const void *from, size_t size, void *to);

/* A call of the public interface begins, whose work is to be counted. */
void lf_work_begin(lf_context *ctx);
/* Adds to the work of the call. Whether it is now too much for `points` points: small problems must not take minutes, whatever their
 * numbers are, and large ones may take as long as points do. */
int lf_work_is_too_much(lf_context *ctx, double seconds, size_t points);

/* Passes a note, or a warning, to the log function, if one is set. */
void lf_note(lf_context *ctx, const char *format, ...) LF_PRINTF(2, 3);
void lf_warn(lf_context *ctx, const char *format, ...) LF_PRINTF(2, 3);

#endif
