/* Status texts, the context, and error reporting. */
#include "base/context.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/processes.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *lf_status_text(lf_status status)
{
    switch (status) {
#define LF_STATUS_CASE(name, text)                                                                                     \
    case name:                                                                                                         \
        return text;
        LF_STATUS_LIST(LF_STATUS_CASE)
#undef LF_STATUS_CASE
    }
    return "unknown status";
}

const char *lf_version(void) { return LF_VERSION; }

lf_context *lf_context_create(void)
{
    lf_context *ctx = calloc(1, sizeof *ctx);
    if (ctx) {
        lf_context_set_seed(ctx, 1);
        lf_reserve_for_blas();
    }
    return ctx;
}

void lf_context_free(lf_context *ctx)
{
    if (ctx) {
        lf_release_processes(ctx);
    }
    free(ctx);
}

void lf_free(void *memory) { free(memory); }

const char *lf_context_message(const lf_context *ctx) { return ctx ? ctx->message : ""; }

void lf_context_set_log(lf_context *ctx, lf_log_function log, void *user)
{
    ctx->log = log;
    ctx->log_user = user;
}

void lf_context_set_progress(lf_context *ctx, lf_progress_function progress, void *user)
{
    ctx->progress = progress;
    ctx->progress_user = user;
}

void lf_context_set_seed(lf_context *ctx, uint64_t seed)
{
    ctx->seed = seed;
    lf_random_seed(&ctx->random, seed);
}

void lf_context_set_threads(lf_context *ctx, size_t threads)
{
    ctx->threads = threads < INT_MAX ? (int)threads : INT_MAX;
}

void lf_work_begin(lf_context *ctx) { ctx->work = 0; }

int lf_work_is_too_much(lf_context *ctx, double seconds, size_t points)
{
    static const double few_points = 2, each_point = 0.001; /* seconds */
    ctx->work += seconds;
    return !(ctx->work < (ctx->work_limit > 0 ? ctx->work_limit : few_points) + each_point * (double)points);
}

static void print(const lf_context *ctx, char text[LF_MESSAGE_SIZE], const char *format, va_list arguments)
    LF_PRINTF(3, 0);

static void print(const lf_context *ctx, char text[LF_MESSAGE_SIZE], const char *format, va_list arguments)
{
    char written[LF_MESSAGE_SIZE];
    lf_print_list(ctx->spell ? written : text, LF_MESSAGE_SIZE, format, arguments);
    if (ctx->spell) {
        ctx->spell(written, LF_MESSAGE_SIZE, text);
    }
}

char *lf_spelt(lf_spell_function spell, const char *text)
{
    size_t size = 2 * strlen(text) + 1; /* "--x" and "--no-private" become longer by less than that */
    char *spelt = spell ? malloc(size) : lf_copy_string(text);
    if (spell && spelt) {
        spell(text, size, spelt);
    }
    return spelt;
}

lf_status lf_fail(lf_context *ctx, lf_status status, const char *format, ...)
{
    if (ctx) {
        va_list arguments;
        va_start(arguments, format);
        print(ctx, ctx->message, format, arguments);
        va_end(arguments);
        ctx->agreed = 0;
    }
    return status;
}

lf_status lf_context_fail(lf_context *ctx, lf_status status, const char *message)
{
    return lf_fail(ctx, status, "%s", message);
}

lf_status lf_missing(lf_context *ctx, const char *what)
{
    return lf_fail(ctx, LF_ERROR_ARGUMENT, "no %s is given", what);
}

lf_status lf_no_memory(lf_context *ctx) { return lf_fail(ctx, LF_ERROR_MEMORY, "out of memory"); }

/* The size that the caller of a struct has set. */
static lf_status read_size(lf_context *ctx, const char *name, const void *given, size_t *size)
{
    memcpy(size, given, sizeof *size);
    return *size >= sizeof *size
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_ARGUMENT, "%s.size is %zu; set it to sizeof(%s)", name, *size, name);
}

lf_status lf_take_options(lf_context *ctx, const char *name, const void *given, size_t size, void *copy)
{
    size_t given_size = size;
    lf_status status = given ? read_size(ctx, name, given, &given_size) : LF_OK;
    memset(copy, 0, size);
    if (given && !status) {
        memcpy(copy, given, given_size < size ? given_size : size);
    }
    memcpy(copy, &size, sizeof size);
    for (size_t i = size; given && i < given_size && !status; i++) {
        if (((const unsigned char *)given)[i]) {
            status = lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                             "%s has %zu bytes and a value at byte %zu; version " LF_VERSION
                             " of the library knows the first %zu: leave that field at 0, or use a newer library",
                             name, given_size, i, size);
        }
    }
    return status;
}

lf_status lf_give_struct(lf_context *ctx, const char *name, const void *from, size_t size, void *to)
{
    size_t given_size = 0;
    lf_status status = to ? read_size(ctx, name, to, &given_size)
                          : lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no %s to be filled", name);
    if (!status) {
        memset(to, 0, given_size);
        memcpy(to, from, given_size < size ? given_size : size);
        memcpy(to, &given_size, sizeof given_size);
    }
    return status;
}

static void note(lf_context *ctx, lf_level level, const char *format, va_list arguments) LF_PRINTF(3, 0);

static void note(lf_context *ctx, lf_level level, const char *format, va_list arguments)
{
    char text[LF_MESSAGE_SIZE];
    if (!ctx->log) {
        return;
    }
    print(ctx, text, format, arguments);
    ctx->log(ctx->log_user, level, text);
}

void lf_note(lf_context *ctx, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(ctx, LF_LEVEL_NOTE, format, arguments);
    va_end(arguments);
}

void lf_warn(lf_context *ctx, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(ctx, LF_LEVEL_WARNING, format, arguments);
    va_end(arguments);
}

void lf_normals(lf_context *ctx, size_t n, double *z)
{
    for (size_t i = 0; i < n; i++) {
        z[i] = lf_random_normal(&ctx->random);
    }
}
