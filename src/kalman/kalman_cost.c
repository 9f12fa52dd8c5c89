/* The cost estimate of the kalman engine. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "dynamics/timeline.h"
#include "dynamics/transition_table.h"
#include "kalman/kalman.h"

/* Plain EQ forces, whose states are an approximation, have engines that are exact: a filter must be clearly cheaper than these. A composed EQ
 * envelope has the same states in the dense engine. */
static const double approximation_penalty = 2;

/* Of the transitions of all gaps. A gap by itself takes a series with doublings, a cell of gaps about two of these. */
static double gap_cost(const lf_state_space *space, const lf_timeline *timeline)
{
    double n = space->n, series = 15000 + 85 * n * n * space->sparsity.stride;
    lf_transition_table_size shared = lf_transition_table_measure(space, timeline->gap_count, timeline->gap_length);
    return series * ((double)timeline->gap_count - shared.gaps + 2 * shared.slots) +
           (1000 + 5 * shared.numbers) * shared.gaps;
}

/* Evaluations with gradient, measured for 2 to 35 states, in units of the time of a floating-point operation of dpotrf. */
static double timeline_cost(const lf_state_space *space, const lf_timeline *timeline, double rows)
{
    double n = space->n, stride = space->sparsity.stride, entries = space->sparsity.row_start[space->n];
    return 5e4 + (600 + 16 * entries * stride) * (double)timeline->step_count + 6 * n * stride * rows +
           gap_cost(space, timeline);
}

static double eq_cost(const lf_state_space *space, const lf_timeline *timeline, double rows)
{
    double n = space->n, entries = space->sparsity.row_start[space->n];
    double penalty = lf_model_composed_force(space->model) ? 1 : approximation_penalty;
    return penalty * (16 * entries * n * (double)timeline->step_count + 12 * n * n * rows +
                      300 * entries * n * (double)timeline->gap_count);
}

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
    if (!status && lf_state_space_move(ctx, &space)) { /* parameters out of range: gaps share nothing */
        memset(space.F, 0, lf_sparsity_size(&space.sparsity) * sizeof *space.F);
    }
    if (!status) {
        int exact = 1;
        for (int f = 0; f < space.force_count; f++) {
            exact = exact && space.forces[f].value.envelope != &lf_force_kernel_eq;
        }
        cost = 0;
        for (int r = 0; !status && r < rows->count; r++) {
            lf_timeline timeline;
            status = lf_timeline_create(ctx, model, NAN, &rows->replicates[r].points, NULL, &timeline);
            if (!status) {
                cost += (exact ? timeline_cost : eq_cost)(&space, &timeline, (double)rows->replicates[r].points.n);
            }
            lf_timeline_clear(&timeline);
        }
    }
    memcpy(ctx->message, message, sizeof message); /* an engine that does not apply is not an error */
    lf_state_space_clear(&space);
    return status == LF_ERROR_MEMORY ? -1 : status ? (double)INFINITY : cost;
}
