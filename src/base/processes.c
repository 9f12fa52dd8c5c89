/* Agreement, sums and copies over the processes of a context. */
#include "base/processes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/memory_limit.h"

void lf_release_processes(lf_context *ctx)
{
    if (ctx->processes.release) {
        ctx->processes.release(ctx->processes.user);
    }
    ctx->processes = (lf_processes){0};
}

lf_status lf_context_set_processes(lf_context *ctx, const lf_processes *processes)
{
    lf_processes taken = {0};
    lf_status status = processes ? lf_take_options(ctx, "lf_processes", processes, sizeof taken, &taken) : LF_OK;
    if (!status && processes &&
        (taken.count < 1 || taken.rank < 0 || taken.rank >= taken.count || !taken.sum || !taken.broadcast)) {
        status = lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "lf_processes: process %d of %d; ranks go from 0 to count - 1, and both functions are needed",
                         taken.rank, taken.count);
    }
    const lf_block_cyclic *m = taken.matrices;
    if (!status && m &&
        (m->size < sizeof *m || m->rows < 1 || m->columns < 1 || m->rows * m->columns != taken.count || m->row < 0 ||
         m->row >= m->rows || m->column < 0 || m->column >= m->columns || m->block < 1 || !m->cholesky || !m->inverse ||
         !m->solve)) {
        status = lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "lf_block_cyclic: process (%d, %d) of a %d x %d grid of %d processes, blocks of %d; the grid "
                         "has all processes, and all functions are needed",
                         m->row, m->column, m->rows, m->columns, taken.count, m->block);
    }
    lf_release_processes(ctx);
    if (status) {
        return status;
    }
    ctx->processes = taken;
    /* Choices by memory must be the same on all. */
    double parts = ctx->memory > 0 || taken.on_machine < 1 ? 1 : taken.on_machine,
           least = -lf_memory_limit(ctx) / parts;
    status = lf_largest(ctx, LF_OK, 1, &least);
    ctx->memory = -least;
    if (status) {
        ctx->processes = (lf_processes){0};
    }
    return status;
}

void lf_lend_processes(const lf_context *ctx, lf_context *other)
{
    other->processes = ctx->processes;
    other->processes.release = NULL;
}

int lf_process_count(const lf_context *ctx) { return ctx->processes.count > 1 ? ctx->processes.count : 1; }

int lf_process_rank(const lf_context *ctx) { return ctx->processes.rank; }

static lf_status lost(lf_context *ctx)
{
    lf_status status = lf_fail(ctx, LF_ERROR_IO, "process %d of %d lost its connection to the others",
                               ctx->processes.rank, ctx->processes.count);
    ctx->agreed = 1; /* there is nobody left to tell */
    return status;
}

lf_status lf_broadcast(lf_context *ctx, int root, size_t bytes, void *x)
{
    if (lf_process_count(ctx) == 1 || bytes == 0) {
        return LF_OK;
    }
    return ctx->processes.broadcast(ctx->processes.user, root, bytes, x) ? lost(ctx) : LF_OK;
}

lf_status lf_gather(lf_context *ctx, size_t bytes, const void *mine, void *all)
{
    lf_status status = LF_OK;
    for (int r = 0; !status && r < lf_process_count(ctx); r++) {
        char *at = (char *)all + (size_t)r * bytes;
        if (r == lf_process_rank(ctx)) {
            memcpy(at, mine, bytes);
        }
        status = lf_broadcast(ctx, r, bytes, at);
    }
    return status;
}

lf_status lf_agree(lf_context *ctx, lf_status status)
{
    int count = lf_process_count(ctx);
    double failed = status != LF_OK;
    if (count == 1 || (status && ctx->agreed)) {
        return status;
    }
    if (ctx->processes.sum(ctx->processes.user, 1, &failed)) {
        return lost(ctx);
    }
    for (int r = 0; failed > 0 && r < count; r++) {
        lf_status theirs = status;
        lf_status sent = lf_broadcast(ctx, r, sizeof theirs, &theirs);
        if (sent || theirs) {
            LF_TRY(sent, lf_broadcast(ctx, r, sizeof ctx->message, ctx->message));
            ctx->agreed = 1;
            return sent ? sent : theirs;
        }
    }
    return LF_OK;
}

lf_status lf_take_failure(lf_context *ctx, const lf_context *from, lf_status status)
{
    lf_fail(ctx, status, "%s", from->message);
    ctx->agreed = from->agreed;
    return status;
}

lf_status lf_sum(lf_context *ctx, lf_status status, size_t n, double *x)
{
    status = lf_agree(ctx, status);
    if (status || lf_process_count(ctx) == 1 || n == 0) {
        return status;
    }
    return ctx->processes.sum(ctx->processes.user, n, x) ? lost(ctx) : LF_OK;
}

lf_status lf_largest(lf_context *ctx, lf_status status, size_t n, double *x)
{
    size_t count = (size_t)lf_process_count(ctx);
    double *all = count > 1 ? lf_doubles(count, n) : NULL;
    status = status || all || count == 1 ? status : lf_no_memory(ctx);
    status = lf_agree(ctx, status);
    if (!status && count > 1) {
        status = lf_gather(ctx, n * sizeof *x, x, all);
    }
    for (size_t i = 0; !status && all && i < count * n; i++) {
        x[i % n] = fmax(x[i % n], all[i]);
    }
    free(all);
    return status;
}
