/* What the kalman engine would cost. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "kalman/kalman.h"
#include "kalman/timeline.h"

/* Products of this size run at a fraction of the speed of large ones, on one core where there is one replicate. */
static const double slowness = 8;

double lf_kalman_cost(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options)
{
    lf_state_space space = {0};
    double cost = INFINITY;
    char kept[sizeof ctx->message];
    memcpy(kept, ctx->message, sizeof kept);
    if (!options->features && (!options->nodes || strcmp(options->nodes, "auto") == 0) &&
        lf_state_space_create(ctx, model, options->tolerance, &space) == LF_OK) {
        double n = space.n, entries = space.sparsity.row_start[space.n];
        cost = 0;
        for (int r = 0; r < rows->count; r++) {
            lf_timeline timeline;
            if (lf_timeline_create(ctx, model, NAN, &rows->replicates[r].points, NULL, &timeline)) {
                cost = INFINITY;
            } else {
                cost += slowness * (16 * entries * n * (double)timeline.step_count +
                                    12 * n * n * (double)rows->replicates[r].points.n +
                                    300 * entries * n * (double)timeline.gap_count);
            }
            lf_timeline_clear(&timeline);
        }
    }
    memcpy(ctx->message, kept, sizeof kept); /* an engine that does not apply is no failure */
    lf_state_space_clear(&space);
    return cost;
}
