/* What the dense engine allocates: n^2 numbers for the largest replicate, and what its covariances need (exact_memory.h); a posterior has
 * n^2 for every replicate. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "dense/dense.h"
#include "exact/exact_memory.h"

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
        largest = fmax(largest, n * n + 4 * n + lf_exact_covariance_numbers(model, kernel, points, times));
        factors += n * n;
    }
    memory->state = memory->thread = 0;
    memory->work = bytes * largest;
    memory->posterior = bytes * fmax(factors, largest);
    memory->diagnosis = memory->work;
    return status == LF_ERROR_MEMORY ? -1 : !status;
}
