/* The prior mean of the rows, replicate by replicate. */
#include "engine/prior_mean.h"

#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"

lf_status lf_prior_mean_create(lf_context *ctx, const lf_model *model, lf_rows *rows, lf_prior_mean *mean)
{
    *mean = (lf_prior_mean){0};
    if (!lf_has_known_response(model)) {
        return LF_OK;
    }
    size_t n = 0;
    for (int r = 0; r < rows->count; r++) {
        n += rows->replicates[r].points.n;
    }
    mean->responses = calloc((size_t)rows->count + 1, sizeof *mean->responses);
    mean->by_y = lf_doubles(n, 1);
    mean->by_mean = lf_doubles(n, 1);
    lf_status status = mean->responses && mean->by_y && mean->by_mean ? LF_OK : lf_no_memory(ctx);
    for (int r = 0; !status && r < rows->count; r++) {
        lf_replicate *replicate = &rows->replicates[r];
        replicate->mean = lf_doubles(replicate->points.n, 1);
        status = replicate->mean ? LF_OK : lf_no_memory(ctx);
        LF_TRY(status, lf_known_response_create(ctx, model, &replicate->known, &replicate->points,
                                                &mean->responses[mean->count++]));
    }
    return status;
}

void lf_prior_mean_clear(lf_prior_mean *mean)
{
    for (int r = 0; r < mean->count; r++) {
        lf_known_response_clear(&mean->responses[r]);
    }
    free(mean->responses);
    free(mean->by_y);
    free(mean->by_mean);
    *mean = (lf_prior_mean){0};
}

lf_status lf_prior_mean_update(lf_context *ctx, lf_prior_mean *mean, lf_rows *rows)
{
    lf_status status = LF_OK;
    for (int r = 0; !status && r < mean->count; r++) {
        status = lf_known_response_evaluate(ctx, &mean->responses[r], rows->replicates[r].mean);
    }
    return status;
}

lf_status lf_prior_mean_backward(lf_context *ctx, lf_prior_mean *mean, const lf_rows *rows, const double *by_y,
                                 double *gradient)
{
    lf_status status = LF_OK;
    for (int r = 0; !status && r < mean->count; by_y += rows->replicates[r++].points.n) {
        for (size_t i = 0; i < rows->replicates[r].points.n; i++) {
            mean->by_mean[i] = -by_y[i]; /* the mean is subtracted from y */
        }
        status = lf_known_response_backward(ctx, &mean->responses[r], mean->by_mean, gradient);
    }
    return status;
}
