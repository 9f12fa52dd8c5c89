/* The stages of a fit, one by one, with the summary of the rows and the monitor that lf_fit would give them. */
#ifndef LF_TESTS_FIT_SUPPORT_H
#define LF_TESTS_FIT_SUPPORT_H

#include "base/context.h"
#include "fit/pipeline.h"
#include "inference/standard_errors.h"
#include "start/initial_model.h"
#include "start/start.h"
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

/* Rows with all that the stages of a fit read. */
typedef struct fit_inputs {
    lf_data_summary summary;
    lf_problem problem;
    lf_fit_plan plan;
    lf_monitor monitor;
} fit_inputs;

/* The outputs are numbered as in the model, if there is one; options NULL: defaults. */
static UNUSED lf_status make_inputs(lf_context *ctx, const lf_data *data, const lf_model *model,
                                    const lf_options *options, fit_inputs *f)
{
    static const lf_options defaults = {.engine = {.size = sizeof(lf_engine_options)}};
    options = options ? options : &defaults;
    *f = (fit_inputs){.problem = {.training = data, .observed = data, .summary = &f->summary}};
    lf_status status = lf_data_summary_create(ctx, data, model, &f->summary);
    if (status) {
        return status;
    }
    f->problem.count = lf_data_count(data, LF_KIND_ROW);
    f->problem.origin = f->summary.begin;
    assert_ok(ctx, lf_monitor_create(ctx, ctx->progress, ctx->progress_user, &f->monitor));
    assert_ok(ctx, lf_fit_plan_resolve(ctx, options, &f->problem, &f->plan));
    return LF_OK;
}

static UNUSED void clear_inputs(fit_inputs *f)
{
    lf_fit_plan_clear(&f->plan);
    lf_monitor_clear(&f->monitor);
    lf_data_summary_clear(&f->summary);
}

/* The model as a structure, with one restart unless more are asked for; the model stays its owner's. */
static UNUSED lf_structure structure_of(lf_model *model, const fit_inputs *f)
{
    lf_structure s = {.start = model, .engine = f->plan.engine};
    lf_structure_settle(&f->plan, &s);
    s.restarts = f->plan.restarts ? f->plan.restarts : 1;
    return s;
}

/* The optimisation alone; the model gets the values of the optimum, and the result is to be cleared. */
static UNUSED lf_status fit_model(lf_context *ctx, lf_model *model, const lf_data *data, const lf_options *options,
                                  lf_fit_result *result)
{
    fit_inputs f;
    lf_prior prior = {0};
    lf_optimum found = {0};
    *result = (lf_fit_result){0};
    lf_status status = make_inputs(ctx, data, model, options, &f);
    if (status) {
        return status;
    }
    lf_structure s = structure_of(model, &f);
    status = lf_prior_create(ctx, &f.problem, &s, &prior);
    LF_TRY(status, lf_optimise(ctx, &f.problem, &f.plan, &s, &prior, &f.monitor, &found));
    LF_TRY(status, lf_fit_result_fill(ctx, &found, &prior, result));
    if (!status) {
        lf_model before = *model;
        *model = *found.model;
        *found.model = before;
    }
    lf_optimum_clear(&found);
    lf_prior_clear(&prior);
    clear_inputs(&f);
    return status;
}

static UNUSED lf_status find_standard_errors(lf_context *ctx, lf_model *model, const lf_data *data,
                                             const lf_options *options)
{
    fit_inputs f;
    lf_prior prior = {0};
    size_t evaluations = 0;
    lf_status status = make_inputs(ctx, data, model, options, &f);
    if (status) {
        return status;
    }
    lf_structure s = structure_of(model, &f);
    status = lf_prior_create(ctx, &f.problem, &s, &prior);
    LF_TRY(status, lf_standard_errors(ctx, &f.problem, &s, &prior, &f.monitor, model, NULL, &evaluations));
    lf_prior_clear(&prior);
    clear_inputs(&f);
    return status;
}

#endif
