/* A posterior of training rows, which reaches as far as predictions will be asked for. */
#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "data/data.h"
#include "engine/engine.h"
#include "model/model.h"
#include "options/options.h"
#include "points/asked_points.h"
#include "predict/posterior.h"

lf_status lf_set_reach(lf_context *ctx, const lf_model *model, const lf_data *rows, const char *horizon, size_t n,
                       const double *x, lf_engine_options *engine)
{
    double first, last, at;
    if (lf_data_count(rows, LF_KIND_INPUT) > 1) {
        return LF_OK;
    }
    lf_status status = lf_data_limits(ctx, rows, model, &first, &last);
    double low = first, high = last;
    if (!status && horizon) {
        if (lf_model_parse_input(ctx, model, 0, horizon, &at) != LF_OK) {
            char problem[400];
            snprintf(problem, sizeof problem, "%s", lf_context_message(ctx));
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "--horizon %s", problem);
        }
        if (at < last) {
            char shown[LF_TIMESTAMP_SIZE];
            lf_model_format_input(model, 0, last, sizeof shown, shown);
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "--horizon %s lies before the last training input %s", horizon,
                           shown);
        }
        high = at;
    }
    for (size_t i = 0; !status && i < n; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    engine->ahead = high - last;
    engine->behind = first - low;
    return status;
}

lf_status lf_posterior_create(lf_context *ctx, const lf_model *model, const lf_data *rows, const lf_options *options,
                              const lf_points *reach, lf_posterior **posterior)
{
    lf_engine_options chosen = options ? options->engine : (lf_engine_options){0};
    lf_engine *engine = NULL;
    uint64_t seed = ctx->seed;
    *posterior = NULL;
    if (!model || !rows) {
        return lf_missing(ctx, model ? "table" : "model");
    }
    chosen.size = sizeof chosen;
    lf_status status = lf_options_are(ctx, options, "engine");
    LF_TRY(status, lf_set_reach(ctx, model, rows, options ? options->horizon : NULL, reach ? reach->n : 0,
                                reach ? reach->x : NULL, &chosen));
    ctx->seed = options && options->seed ? *options->seed : seed; /* of sampled frequencies */
    LF_TRY(status, lf_engine_create(ctx, model, rows, &chosen, &engine));
    LF_TRY(status, lf_engine_posterior(engine, posterior));
    ctx->seed = seed;
    lf_engine_free(engine);
    return status;
}
