/* The prior covariance of a model given by equations: that of its state space, at query points without rows. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "kalman/kalman.h"
#include "kalman/run_space.h"
#include "kalman/smoother.h"

lf_status lf_kalman_prior_covariance(lf_context *ctx, const lf_model *model, const lf_engine_options *options,
                                     const lf_point_set *points, double *covariance)
{
    (void)options; /* it is exact */
    lf_state_space space = {0};
    lf_timeline timeline = {0};
    lf_run_space run = {0};
    const lf_filter_state prior = {0};
    double *mean = lf_doubles(points->n, 1), *variance = lf_doubles(points->n, 1);
    lf_status status = mean && variance ? lf_state_space_create(ctx, model, 0, &space) : lf_no_memory(ctx);
    LF_TRY(status, lf_state_space_update(ctx, &space));
    LF_TRY(status, lf_timeline_create(ctx, model, (double)NAN, NULL, points, &timeline));
    LF_TRY(status, lf_run_space_create(ctx, &space, 0, &timeline, &prior, &run));
    if (!status) {
        status = lf_kalman_smooth(ctx, run.space, &timeline, NULL, NULL, NULL, NULL, mean, variance, covariance);
    }
    lf_run_space_clear(&run);
    lf_timeline_clear(&timeline);
    lf_state_space_clear(&space);
    free(mean);
    free(variance);
    return status;
}
