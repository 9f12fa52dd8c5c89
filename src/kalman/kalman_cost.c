/* The cost estimate of the kalman engine. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "dynamics/timeline.h"
#include "kalman/kalman.h"

/* Matrix products of this size run at a fraction of the speed of large ones, and on one core per replicate. */
static const double small_product_penalty = 8;

double lf_kalman_cost(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options)
{
    lf_state_space space = {0};
    double cost = INFINITY;
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    lf_status status = LF_ERROR_UNSUPPORTED;
    if (!options->features && (!options->nodes || strcmp(options->nodes, "auto") == 0)) {
        status = lf_state_space_create(ctx, model, options->tolerance, &space);
    }
    if (!status) {
        double n = space.n, entries = space.sparsity.row_start[space.n];
        cost = 0;
        for (int r = 0; !status && r < rows->count; r++) {
            lf_timeline timeline;
            status = lf_timeline_create(ctx, model, NAN, &rows->replicates[r].points, NULL, &timeline);
            if (!status) {
                cost += small_product_penalty * (16 * entries * n * (double)timeline.step_count +
                                                 12 * n * n * (double)rows->replicates[r].points.n +
                                                 300 * entries * n * (double)timeline.gap_count);
            }
            lf_timeline_clear(&timeline);
        }
    }
    memcpy(ctx->message, message, sizeof message); /* an engine that does not apply is not an error */
    lf_state_space_clear(&space);
    return status == LF_ERROR_MEMORY ? -1 : status ? (double)INFINITY : cost;
}
