/* The cost of covariances through the state space, as far as they do not hide behind a Cholesky factor of the matrix. */
#include <math.h>

#include "base/context.h"
#include "dynamics/timeline.h"
#include "exact/state_covariance.h"
#include "exact/state_march.h"

/* A block of `rows` points whose state space has `states` states, with its gradient: measured, in units of the time of a
 * floating-point operation of dpotrf. The same transitions as in the cost of the kalman engine, and a pass over the
 * matrix. */
static double block_cost(double states, double rows, double gaps, double fixed)
{
    double stride = LF_LANE * ceil(states / LF_LANE);
    return fixed + gaps * (15000 + 85 * states * states * stride) + rows * rows * (80 + 2 * states * stride);
}

static int has_eq_envelope(const lf_model *model)
{
    int has = 0;
    for (int q = 0; q < model->force_count; q++) {
        has = has || (lf_force_has_states(model, &model->forces[q]) &&
                      lf_force_has_envelope(&model->forces[q], &lf_force_kernel_eq));
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *o = &model->outputs[d];
        has = has || (o->has_private && lf_force_has_states(model, &o->private_force) &&
                      lf_force_has_envelope(&o->private_force, &lf_force_kernel_eq));
    }
    return has;
}

double lf_state_covariance_cost(lf_context *ctx, const lf_model *model, const lf_point_set *points)
{
    lf_timeline timeline;
    double forces = 0, outputs = 0, gaps = INFINITY;
    for (int q = 0; q < model->force_count; q++) {
        forces += lf_force_has_states(model, &model->forces[q]) ? lf_force_states_estimate(&model->forces[q]) : 0;
    }
    for (int d = 0; d < model->output_count; d++) {
        outputs += lf_state_march_states(model, d);
    }
    lf_status status = lf_timeline_create(ctx, model, NAN, points, NULL, &timeline);
    gaps = status ? gaps : (double)timeline.gap_count;
    lf_timeline_clear(&timeline);
    if (status == LF_ERROR_MEMORY) {
        return -1;
    }
    /* the states of EQ envelopes are found anew for each block, for values and for the gradient */
    double fixed = has_eq_envelope(model) ? 1.5e7 : 3e5;
    /* blocks of equal size, each with all others and with itself */
    double blocks = fmax(1, ceil(outputs / LF_CHUNK_STATES)), each = outputs / blocks;
    double rows = (double)points->n / blocks, cost = blocks * block_cost(forces + each, rows, fmin(gaps, rows), fixed);
    return cost + blocks * (blocks - 1) / 2 * block_cost(forces + 2 * each, 2 * rows, fmin(gaps, 2 * rows), fixed);
}
