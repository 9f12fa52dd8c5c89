/* Blocks are dealt one by one: local block b of place `at` is block b * count + at of the whole. */
#include "base/block_cyclic.h"

#include <limits.h>

#include "base/context.h"
#include "base/processes.h"

int lf_is_spread(const lf_context *ctx, size_t n)
{
    const lf_block_cyclic *m = ctx->processes.matrices;
    return lf_process_count(ctx) > 1 && m && n > (size_t)m->block;
}

lf_dealt lf_dealt_rows(const lf_context *ctx, size_t n)
{
    const lf_block_cyclic *m = ctx->processes.matrices;
    return (lf_dealt){n, (size_t)m->block, (size_t)m->rows, (size_t)m->row};
}

lf_dealt lf_dealt_columns(const lf_context *ctx, size_t n)
{
    const lf_block_cyclic *m = ctx->processes.matrices;
    return (lf_dealt){n, (size_t)m->block, (size_t)m->columns, (size_t)m->column};
}

size_t lf_dealt_count(lf_dealt d)
{
    size_t whole = d.n / d.block, left = d.n % d.block; /* blocks, and what remains */
    size_t mine = whole / d.count + (d.at < whole % d.count);
    return mine * d.block + (d.at == whole % d.count ? left : 0);
}

size_t lf_dealt_index(lf_dealt d, size_t i) { return (i / d.block * d.count + d.at) * d.block + i % d.block; }

lf_status lf_check_spread(lf_context *ctx, size_t n, size_t m)
{
    const lf_block_cyclic *grid = ctx->processes.matrices;
    lf_dealt rows = lf_dealt_rows(ctx, n), columns = lf_dealt_columns(ctx, m);
    rows.at = columns.at = 0; /* the process that has most */
    double most = (double)lf_dealt_count(rows) * (double)lf_dealt_count(columns);
    return most > INT_MAX ? lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                                    "a part of a %zu x %zu matrix has %.3g numbers, ScaLAPACK counts to %.3g: start "
                                    "more than %d x %d processes",
                                    n, m, most, (double)INT_MAX, grid->rows, grid->columns)
                          : LF_OK;
}

static lf_status finish(lf_context *ctx, int failed, const char *what)
{
    return lf_agree(ctx, failed ? lf_fail(ctx, LF_ERROR_NUMERIC,
                                          "process %d of %d: a matrix that is spread over them could not be %s",
                                          lf_process_rank(ctx), lf_process_count(ctx), what)
                                : LF_OK);
}

lf_status lf_spread_cholesky(lf_context *ctx, lf_status status, size_t n, double *A, size_t *minor)
{
    const lf_block_cyclic *m = ctx->processes.matrices;
    *minor = 0;
    status = lf_agree(ctx, status);
    return status ? status : finish(ctx, m->cholesky(m->user, n, A, minor), "factorised");
}

lf_status lf_spread_inverse(lf_context *ctx, lf_status status, size_t n, double *L)
{
    const lf_block_cyclic *m = ctx->processes.matrices;
    status = lf_agree(ctx, status);
    return status ? status : finish(ctx, m->inverse(m->user, n, L), "inverted");
}

lf_status lf_spread_solve(lf_context *ctx, lf_status status, size_t n, const double *L, int transposed, size_t columns,
                          double *B)
{
    const lf_block_cyclic *m = ctx->processes.matrices;
    status = lf_agree(ctx, status);
    return status ? status : finish(ctx, m->solve(m->user, n, L, transposed, columns, B), "divided by its factor");
}
