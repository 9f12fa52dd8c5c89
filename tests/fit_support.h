/* The stages of a fit, one by one, with the summary of the rows and the monitor that lf_fit would give them. */
#ifndef LF_TESTS_FIT_SUPPORT_H
#define LF_TESTS_FIT_SUPPORT_H

#include "fit/fit_model.h"
#include "fit/initial_model.h"
#include "support.h"

/* options NULL: defaults. */
static UNUSED lf_status make_initial_model(lf_context *ctx, const lf_data *data, const lf_shape_options *options,
                                           lf_model **model)
{
    static const lf_shape_options defaults;
    lf_data_summary summary;
    *model = NULL;
    lf_status status = lf_data_summary_create(ctx, data, NULL, &summary);
    if (!status) {
        status = lf_initial_model(ctx, data, &summary, options ? options : &defaults, model);
        lf_data_summary_clear(&summary);
    }
    return status;
}

typedef enum fit_stage { STAGE_FIT, STAGE_ERRORS } fit_stage;

static UNUSED lf_status run_stage(lf_context *ctx, fit_stage stage, lf_model *model, const lf_data *data,
                                  const lf_fit_options *options, lf_fit_result *result)
{
    lf_data_summary summary;
    lf_monitor monitor;
    lf_status status = lf_data_summary_create(ctx, data, model, &summary);
    if (status) {
        return status;
    }
    assert_ok(ctx,
              lf_monitor_create(ctx, options ? options->progress : NULL, options ? options->user : NULL, &monitor));
    lf_training training = {.data = data, .summary = &summary, .monitor = &monitor};
    status = stage == STAGE_FIT ? lf_fit_model(ctx, model, &training, options, result)
                                : lf_standard_errors(ctx, model, &training, options, NULL);
    lf_monitor_clear(&monitor);
    lf_data_summary_clear(&summary);
    return status;
}

/* The optimisation alone; the result is to be cleared. */
static UNUSED lf_status fit_model(lf_context *ctx, lf_model *model, const lf_data *data, const lf_fit_options *options,
                                  lf_fit_result *result)
{
    *result = (lf_fit_result){0};
    return run_stage(ctx, STAGE_FIT, model, data, options, result);
}

static UNUSED lf_status find_standard_errors(lf_context *ctx, lf_model *model, const lf_data *data,
                                             const lf_fit_options *options)
{
    return run_stage(ctx, STAGE_ERRORS, model, data, options, NULL);
}

#endif
