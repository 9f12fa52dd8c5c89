/* Options of the feature engines. */
#include "engine/demand.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

/* With more inputs than this orthogonal frequencies do better than Sobol points (docs/performance.md). */
enum { MOST_EVEN_INPUTS = 6 };

int lf_rule_find(const char *name, lf_rule *rule)
{
    *rule = LF_RULE_UNIFORM;
    if (!name || strcmp(name, "auto") == 0) {
        return 1;
    }
    for (int i = 0; i < LF_RULE_COUNT; i++) {
        if (strcmp(name, lf_rule_names[i]) == 0) {
            *rule = (lf_rule)i;
            return 1;
        }
    }
    return 0;
}

lf_status lf_feature_demand(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                            const lf_engine_options *options, lf_demand *demand)
{
    *demand = (lf_demand){.earliest = rows->earliest,
                          .latest = rows->latest,
                          .with_forces = 1,
                          .tolerance = options->tolerance,
                          .sharing = LF_SHARE_NONE,
                          .features = options->features,
                          .slack = options->slack,
                          .seed = ctx->seed};
    if (!lf_rule_find(options->nodes, &demand->rule)) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "unknown nodes '%s'; the feature engines know auto, uniform, mc, qmc, orthogonal",
                       options->nodes);
    }
    if (model->input_dim > 1 && (!options->nodes || strcmp(options->nodes, "auto") == 0)) {
        demand->rule = model->input_dim > MOST_EVEN_INPUTS ? LF_RULE_ORTHOGONAL : LF_RULE_QMC;
    }
    if (demand->rule != LF_RULE_UNIFORM && demand->features == 0) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s nodes need their number: give features (--features S)",
                       lf_rule_names[demand->rule]);
    }
    if (demand->rule == LF_RULE_UNIFORM && model->input_dim > 1) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "uniform nodes are for one input; use qmc or orthogonal nodes for %d inputs", model->input_dim);
    }
    if (!(demand->tolerance >= 0 && demand->tolerance < 1)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "tolerance must be between 0 and 1, found %g", demand->tolerance);
    }
    if (!(options->ahead >= 0 && options->behind >= 0 && isfinite(options->ahead + options->behind))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "ahead and behind must be at least 0, found %g and %g", options->ahead,
                       options->behind);
    }
    if (!(options->slack == 0 || (options->slack >= 1 && isfinite(options->slack)))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "slack must be at least 1, found %g", options->slack);
    }
    demand->earliest -= options->behind;
    demand->latest += options->ahead;
    int smooth = 1;
    for (int q = 0; q < model->force_count; q++) {
        smooth = smooth && model->forces[q].kernel->tail_power == 0;
    }
    for (int d = 0; d < model->output_count; d++) {
        smooth = smooth && (!model->outputs[d].has_private || model->outputs[d].private_force.kernel->tail_power == 0);
    }
    if (demand->tolerance == 0) { /* EQ forces: a few more columns buy many digits; Matern: what the tail allows */
        demand->tolerance = smooth ? 1e-10 : 1e-5;
    }
    return LF_OK;
}

#define MOST_COLUMNS 30000 /* 7 GiB a matrix */

lf_status lf_engine_features(lf_context *ctx, const lf_model *model, lf_demand *demand, lf_features *features)
{
    lf_status status = lf_features_create(ctx, model, *demand, features);
    if (!status && features->shared > MOST_COLUMNS) {
        status =
            lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                    "%zu columns would be needed (at most %d): a lengthscale is short for the span of the inputs, or a "
                    "stationary start decays slowly; raise the tolerance, fix the number of features, or use dense",
                    features->shared, MOST_COLUMNS);
    }
    return status ? status : lf_demand_pin(ctx, demand, &features->grids);
}

lf_status lf_check_noise(lf_context *ctx, const lf_model *model, const lf_rows *rows)
{
    for (int r = 0; r < rows->count; r++) {
        const lf_replicate *replicate = &rows->replicates[r];
        for (int g = 0; g < replicate->points.group_count; g++) {
            const lf_output *output = &model->outputs[replicate->points.target[g]];
            for (size_t i = replicate->points.start[g];
                 output->noise_variance <= 0 && i < replicate->points.start[g + 1]; i++) {
                if (replicate->variance[i] <= 0) {
                    return lf_fail(ctx, LF_ERROR_MODEL,
                                   "output '%s': its noise_variance is 0; the feature engines need noise on every row",
                                   output->name);
                }
            }
        }
    }
    return LF_OK;
}
