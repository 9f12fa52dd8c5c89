/* Counts frequencies and columns: without making them, or by making them and nothing of what belongs to rows. */
#include "features/feature_cost.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "features/grids.h"

int lf_feature_count_estimate(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                              const lf_engine_options *options, lf_feature_count *count)
{
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    int closed = options->nodes && strcmp(options->nodes, "closed-form") == 0;
    lf_status status = closed ? LF_ERROR_UNSUPPORTED : lf_check_noise(ctx, model, rows, NULL);
    LF_TRY(status, lf_grid_spec_create(ctx, model, rows, options, &count->spec));
    memcpy(ctx->message, message, sizeof message);
    if (status) {
        return status == LF_ERROR_MEMORY ? -1 : 0;
    }
    count->each = count->all = (double)options->features;
    count->order = 1;
    count->private = 0;
    if (!lf_rule_is_sampled(options->nodes) && !options->features) {
        count->spec.sharing = LF_SHARE_NONE;
        double sources = model->force_count;
        for (int d = 0; d < model->output_count; d++) {
            sources += model->outputs[d].has_private;
        }
        count->each = lf_grids_count(model, count->spec) / fmax(1, sources);
        count->spec.sharing = LF_SHARE_ALL;
        count->all = lf_grids_count(model, count->spec);
        if (count->each < 0 || count->all < 0) {
            return -1;
        }
    }
    for (int d = 0; d < model->output_count; d++) {
        count->order = fmax(count->order, model->outputs[d].order);
        count->private += model->outputs[d].has_private;
    }
    return 1;
}

int lf_features_trial(lf_context *ctx, const lf_model *model, const lf_rows *rows, const lf_engine_options *options,
                      int all, lf_features *features)
{
    lf_grid_spec spec = {0};
    lf_log_function log = ctx->log;
    char message[sizeof ctx->message];
    memcpy(message, ctx->message, sizeof message);
    *features = (lf_features){0};
    ctx->log = NULL;
    lf_status status = lf_grid_spec_create(ctx, model, rows, options, &spec);
    if (!status && all) {
        spec.sharing = LF_SHARE_ALL;
    }
    LF_TRY(status, lf_features_create_bounded(ctx, model, rows->n, &spec, features));
    ctx->log = log;
    memcpy(ctx->message, message, sizeof message);
    lf_grid_spec_clear(&spec);
    return status == LF_ERROR_MEMORY ? -1 : !status;
}

double lf_features_numbers(const lf_features *features)
{
    double numbers = 0;
    for (int g = 0; g < features->grids.grid_count; g++) {
        numbers += 3 * (double)features->grids.grids[g].count * features->model->input_dim;
    }
    for (int i = 0; i < features->grids.source_count; i++) {
        numbers += 2 * (double)features->grids.grids[features->grids.sources[i].grid].count;
    }
    return numbers;
}
