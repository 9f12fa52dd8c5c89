/* Counts frequencies and columns without making them. */
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
    lf_status status = closed ? LF_ERROR_UNSUPPORTED : lf_check_noise(ctx, model, rows);
    status = status ? status : lf_grid_spec_create(ctx, model, rows, options, &count->spec);
    memcpy(ctx->message, message, sizeof message);
    if (status) {
        return status == LF_ERROR_MEMORY ? -1 : 0;
    }
    count->each = count->all = (double)options->features;
    count->order = 1;
    count->private = 0;
    if (!lf_rule_is_sampled(options->nodes) && !options->features) {
        count->spec.sharing = LF_SHARE_NONE;
        /* an overestimate if there are private forces */
        count->each = lf_grids_count(model, count->spec) / fmax(1, model->force_count);
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
