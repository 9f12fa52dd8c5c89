/* What the dense engine allocates: n^2 numbers for the largest replicate, and what its covariances need (exact_memory.h); a posterior has
 * n^2 for every replicate. Where the matrix is spread, a process has its share of n^2. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "dense/dense.h"
#include "exact/exact_memory.h"

/* What the covariances need, of whose matrix each process computes a part: some numbers are for pairs of points, the others for the points of
 * the rows and those of the columns. */
static double covariance_numbers(const lf_context *ctx, const lf_model *model, lf_exact_covariance kernel,
                                 const lf_point_set *points, lf_time_count times)
{
    double numbers = lf_exact_covariance_numbers(model, kernel, points, times);
    const lf_block_cyclic *m = ctx->processes.matrices;
    return !lf_dense_is_spread(ctx, model, points->n) ? numbers
           : kernel.route == LF_ROUTE_CLOSED_FORM     ? numbers / ctx->processes.count
                                                      : numbers * (1.0 / m->rows + 1.0 / m->columns);
}

int lf_dense_memory(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                    lf_memory_estimate *memory)
{
    lf_exact_covariance kernel;
    double bytes = sizeof(double), largest = 0, factors = 0;
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    lf_status status = lf_exact_covariance_choose(ctx, model, options, rows->earliest, rows->latest, &kernel);
    memcpy(ctx->message, message, sizeof message);
    lf_time_count times = {(double)rows->steps, (double)rows->gaps};
    for (int r = 0; !status && r < rows->count; r++) {
        const lf_point_set *points = &rows->replicates[r].points;
        double n = (double)points->n;
        double share = lf_dense_is_spread(ctx, model, points->n) ? n * n / ctx->processes.count : n * n;
        largest = fmax(largest, share + 8 * n + covariance_numbers(ctx, model, kernel, points, times));
        factors += share;
    }
    memory->state = memory->thread = 0;
    memory->work = bytes * largest;
    memory->posterior = bytes * fmax(factors, largest);
    memory->diagnosis = memory->work;
    return status == LF_ERROR_MEMORY ? -1 : !status;
}
