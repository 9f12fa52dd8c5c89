/* What the kalman engine would cost, and how exact it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "engine/feature_covariance.h"
#include "exact/kernel.h"
#include "kalman/kalman.h"
#include "kalman/smoother.h"

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
        double n = space.n, entries = space.pattern.row_start[space.n];
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

/* The prior covariance K (n, n) of the state space at the points. */
static lf_status prior(lf_context *ctx, const lf_model *model, double tolerance, const lf_point_set *set, double *K)
{
    lf_state_space space;
    lf_timeline timeline = {0};
    double *mean = lf_doubles(set->n, 1);
    lf_status status = lf_state_space_create(ctx, model, tolerance, &space);
    status = status ? status : lf_state_space_update(ctx, &space);
    status = status ? status : lf_timeline_create(ctx, model, NAN, NULL, set, &timeline);
    status = status || mean ? status : lf_no_memory(ctx);
    if (!status) {
        status = lf_kalman_answer(ctx, &space, &timeline, NULL, NULL, NULL, NULL, mean, NULL, K);
    }
    free(mean);
    lf_timeline_clear(&timeline);
    lf_state_space_clear(&space);
    return status;
}

/* Takes all forces out that the state space has exactly; how many are left. */
static int leave_approximate(lf_model *model)
{
    int left = 0;
    for (int q = 0; q < model->force_count; q++) {
        int exact = model->forces[q].kernel->tail_power > 0;
        left += !exact;
        for (int d = 0; exact && d < model->output_count; d++) {
            model->outputs[d].sensitivity[q] = 0;
        }
    }
    for (int d = 0; d < model->output_count; d++) {
        int exact = model->outputs[d].has_private && model->outputs[d].private_force.kernel->tail_power > 0;
        left += model->outputs[d].has_private && !exact;
        model->outputs[d].private_amplitude = exact ? 0 : model->outputs[d].private_amplitude;
    }
    return left;
}

lf_status lf_kalman_error(lf_context *ctx, const lf_model *model, double tolerance, double earliest, double latest,
                          double *bound)
{
    lf_model *part = NULL;
    lf_point_set set = {0};
    *bound = 0;
    lf_status status = lf_model_copy(ctx, model, &part);
    if (status || !leave_approximate(part)) {
        lf_model_free(part);
        return status;
    }
    status = lf_probe_points(ctx, model, earliest, latest, &set);
    size_t n = set.n;
    double *whole = lf_doubles(n, n), *K = lf_doubles(n, n), *exact = lf_doubles(n, n), difference = 0, largest = 0;
    lf_kernel kernel = {.route = LF_ROUTE_QUADRATURE, .tolerance = 1e-13};
    status = status || (whole && K && exact) ? status : lf_no_memory(ctx);
    status = status ? status : prior(ctx, model, tolerance, &set, whole);
    status = status ? status : prior(ctx, part, tolerance, &set, K);
    status = status ? status : lf_kernel_matrix(ctx, part, kernel, &set, &set, exact, n);
    for (size_t j = 0; !status && j < n; j++) {
        for (size_t i = j; i < n; i++) {
            difference = fmax(difference, fabs(K[j * n + i] - exact[j * n + i]));
            largest = fmax(largest, fabs(whole[j * n + i]));
        }
    }
    *bound = largest > 0 ? 2 * difference / largest : 0;
    free(whole);
    free(K);
    free(exact);
    lf_point_set_clear(&set);
    lf_model_free(part);
    return status;
}
