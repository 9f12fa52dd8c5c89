/* The model that a fit starts from: given by a file or by equations, or made for the data. */
#include "start/start.h"

#include "base/context.h"
#include "data/data.h"
#include "engine/engine.h"
#include "plan/known_inputs.h"
#include "plan/likelihoods.h"
#include "start/equations_start.h"
#include "start/initial_model.h"

/* Inducing inputs become part of the model. */
static lf_status place_inducing(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_structure *s)
{
    lf_model *model = s->start;
    if (!s->engine.inducing) {
        return LF_OK;
    }
    lf_status status =
        lf_model_place_inducing(ctx, model, problem->training, s->engine.inducing, s->engine.inducing_inputs);
    for (int q = 0; !status && q < model->force_count; q++) {
        int noise = lf_index_inducing_noise(model, q), first = lf_index_inducing(model, q);
        status = lf_parameter_set(ctx, model, (size_t)noise, plan->inducing_noise);
        for (int i = 0; i < model->forces[q].inducing_count * model->input_dim; i++) {
            lf_parameter_fix(model, (size_t)(first + i), !plan->learns_inducing);
        }
    }
    return status;
}

/* What the plan says about a model that was made or given. */
static lf_status complete(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_structure *s)
{
    lf_status status = place_inducing(ctx, problem, plan, s);
    LF_TRY(status, lf_fix_parameters(ctx, plan, s->start));
    if (!status) {
        lf_structure_settle(plan, s);
    }
    return status;
}

lf_status lf_start_shape(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_structure *s)
{
    lf_status status = lf_initial_model(ctx, problem->observed, problem->summary, &s->shape, &s->start);
    LF_TRY(status, lf_take_likelihoods(ctx, plan->likelihoods, s->start));
    if (!status && plan->inputs->count > 0) {
        status = lf_add_known_inputs(ctx, plan->inputs, s->start);
        LF_TRY(status, lf_take_labels(ctx, problem->training, s->start));
    }
    s->in_stages = 1;
    return status ? status : complete(ctx, problem, plan, s);
}

static lf_status take_given(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_structure *s)
{
    lf_status status = lf_model_copy(ctx, problem->given, &s->start);
    LF_TRY(status, lf_take_likelihoods(ctx, plan->likelihoods, s->start));
    LF_TRY(status, lf_take_labels(ctx, problem->training, s->start));
    if (!status && lf_system_is_open(s->start)) {
        status = lf_system_starting_values(ctx, problem->training, problem->summary, &s->engine, plan->shape.origin,
                                           s->start, &s->others);
    }
    return status ? status : complete(ctx, problem, plan, s);
}

/* The model starts with the training rows, so that test rows before them have no value. */
static void note_early_rows(lf_context *ctx, const lf_data *data, const lf_model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < data->n && data->input_dim == 1; i++) {
        int output = data->output[i] < 0 ? -1 : lf_model_find_output(model, data->outputs.name[data->output[i]]);
        count += output >= 0 && data->split[i] == LF_SPLIT_TEST && !lf_data_has_started(data, model, i);
    }
    if (count) {
        lf_note(ctx,
                "%zu test rows lie before the first training row, where the model starts, and cannot be predicted; "
                "--origin TIME lets it start earlier",
                count);
    }
}

lf_status lf_start(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, lf_structure *s)
{
    const char *private = plan->shape.private_kernel;
    *s = (lf_structure){.shape = plan->shape, .engine = plan->engine};
    lf_status status = problem->given ? take_given(ctx, problem, plan, s) : lf_start_shape(ctx, problem, plan, s);
    if (!status && problem->asked) {
        note_early_rows(ctx, problem->asked, s->start);
    }
    if (!status && private && !s->start->outputs[0].has_private) {
        lf_note(ctx, "--private-kernel %s has no effect: there are no private forces (--private gives them)", private);
    }
    return status;
}
