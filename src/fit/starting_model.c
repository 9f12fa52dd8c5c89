/* The model that a fit starts from: given by a file or by equations, or made for the data, where its shape may be chosen by comparing several. */
#include "base/context.h"
#include "data/data.h"
#include "fit/fewer_forces.h"
#include "fit/fit_work.h"
#include "fit/force_shapes.h"
#include "fit/input_facts.h"
#include "fit/known_inputs.h"
#include "fit/redundancy.h"

lf_status lf_fit_read_model(lf_fit_work *w)
{
    const lf_fit_options *o = &w->options;
    return o->init_model        ? lf_model_copy(w->ctx, o->init_model, &w->model)
           : o->init            ? lf_model_read(w->ctx, o->init, &w->model)
           : o->equations_model ? lf_model_copy(w->ctx, o->equations_model, &w->model)
           : o->equations       ? lf_model_read_equations(w->ctx, o->equations, &w->model)
                                : LF_OK;
}

/* The shape is the best of several candidates: those of the options and, for few outputs, numbers of forces. The model, which has the
 * default shape, is replaced, and the fit goes on where the comparison ended. *selected: the comparison was cancelled, and the model is the best so
 * far. */
static lf_status select_model(lf_fit_work *w, const lf_training *training, int *selected)
{
    lf_fit_options *o = &w->options, compared = *o;
    lf_shape_options shape = o->shape;
    lf_chosen chosen;
    double operations;
    const char *engine;
    int by_default = lf_forces_may_be_compared(training, o);
    w->result->candidates_asked = o->select_operator || o->select_kernel || o->select_forces;
    if (!w->result->candidates_asked && !by_default) {
        return LF_OK;
    }
    lf_status status = lf_count_operations(w->ctx, w->model, training, o, &operations, &engine);
    by_default = !status && by_default && lf_forces_are_affordable(w->ctx, training, operations);
    if (status || !(w->result->candidates_asked || by_default)) {
        return status;
    }
    compared.engine.engine = w->result->candidates_asked ? o->engine.engine : engine;
    compared.select_forces = o->select_forces || by_default;
    compared.prior = o->prior ? o->prior : lf_fit_defaults(w->model, o).prior; /* one for all, or scores mean nothing */
    status = lf_select_shape(w->ctx, training, &compared, lf_affordable_share(operations), &shape, w->result, &chosen);
    if (status) {
        w->result->candidate_count = w->result->candidates_asked ? w->result->candidate_count : 0;
        int refused = status != LF_ERROR_CANCELLED && status != LF_ERROR_MEMORY;
        return refused && !w->result->candidates_asked ? LF_OK : status; /* the fit itself will say why */
    }
    lf_note_choice(w->ctx, w->result);
    lf_model_free(w->model);
    w->model = NULL;
    *selected = lf_monitor_stopped(&w->monitor);
    o->prior = compared.prior;
    if (o->engine.inducing && !*selected) { /* inducing inputs are placed in a model that has not been fitted */
        status = lf_shaped_model(w->ctx, training, o, &shape, &w->model);
    } else {
        w->model = chosen.best;
        w->reference = chosen.start;
        chosen = (lf_chosen){0};
    }
    lf_chosen_clear(&chosen);
    return status;
}

/* What many outputs tell about each other: how little noise they can have and, where no number is given, how many forces they need.
 * *fewer: a number of forces that may do as well; 0: none. */
static lf_status compare_outputs(lf_fit_work *w, int *fewer)
{
    lf_redundancy redundancy;
    lf_shape_options *shape = &w->options.shape;
    int outputs = w->summary.output_count;
    if (outputs <= LF_ENOUGH_FORCES) {
        return LF_OK;
    }
    lf_status status = lf_redundancy_find(w->ctx, &w->summary, &redundancy);
    if (!status && !shape->forces && !shape->kernels) {
        shape->forces =
            lf_redundancy_forces(w->ctx, &redundancy, lf_default_forces(outputs, w->summary.input_dim), fewer);
    }
    return status;
}

lf_status lf_fit_make_model(lf_fit_work *w, int *selected)
{
    lf_fit_options *o = &w->options;
    int fewer = 0;
    if (w->model) {
        lf_status status = lf_take_labels(w->ctx, w->training, w->model);
        LF_TRY(status, lf_data_summary_create(w->ctx, w->observed, w->model, &w->summary));
        return status || !lf_system_is_open(w->model)
                   ? status
                   : lf_system_starting_values(w->ctx, w->training, &w->summary, o->shape.origin, w->model, &w->starts);
    }
    lf_training training = {
        .data = w->training, .summary = &w->summary, .monitor = &w->monitor, .observed = w->observed, .in_stages = 1};
    lf_status status = lf_check_training_rows(w->ctx, w->observed);
    LF_TRY(status, lf_data_summary_create(w->ctx, w->observed, NULL, &w->summary));
    if (!status) {
        lf_note_training_rows(w->ctx, w->observed, &w->summary);
    }
    LF_TRY(status, compare_outputs(w, &fewer));
    LF_TRY(status, lf_shaped_model(w->ctx, &training, o, &o->shape, &w->model));
    LF_TRY(status, lf_known_sizes(w->ctx, w->training, w->model, &w->summary));
    if (!status && !o->restarts && lf_fit_defaults(w->model, o).prior == LF_PRIOR_FIRM) {
        w->ctx->engines = 1; /* there will be one start */
    }
    LF_TRY(status, lf_fit_within_limits(w->ctx, &training, 1, o, &w->model, &w->taken));
    if (!status && fewer && !*w->taken.words) {
        status = lf_try_fewer_forces(w->ctx, &training, fewer, o, &w->model);
    }
    return status ? status : select_model(w, &training, selected);
}

lf_status lf_fit_place_inducing(lf_fit_work *w)
{
    const lf_fit_options *o = &w->options;
    lf_model *model = w->model;
    if (!o->engine.inducing) {
        return LF_OK;
    }
    lf_status status =
        lf_model_place_inducing(w->ctx, model, w->training, o->engine.inducing, o->engine.inducing_inputs);
    for (int q = 0; !status && q < model->force_count; q++) {
        int noise = lf_index_inducing_noise(model, q), first = lf_index_inducing(model, q);
        status = lf_parameter_set(w->ctx, model, (size_t)noise, o->inducing_noise);
        for (int i = 0; i < model->forces[q].inducing_count * model->input_dim; i++) {
            lf_parameter_fix(model, (size_t)(first + i), !o->learn_inducing);
        }
    }
    return status;
}

static int looks_for_cycles(const lf_fit_work *w)
{
    const lf_fit_options *o = &w->options;
    int repeats = 0;
    for (int q = 0; q < w->model->force_count; q++) {
        for (int i = 0; i < w->model->forces[q].term_count; i++) {
            repeats = repeats || w->model->forces[q].terms[i].modulation;
        }
    }
    return !o->no_periods && !o->periods.count && w->training->input_dim == 1 && !o->engine.inducing && !repeats;
}

lf_status lf_fit_add_cycles(lf_fit_work *w, int *selected)
{
    if (!looks_for_cycles(w)) {
        return LF_OK;
    }
    lf_training training = lf_fit_training(w);
    training.starts = NULL;
    training.share = NULL;
    w->options.prior = w->options.prior ? w->options.prior : lf_fit_defaults(w->model, &w->options).prior;
    lf_status status = lf_choose_cycles(w->ctx, &training, &w->options, &w->model, &w->reference);
    *selected = !status && lf_monitor_stopped(&w->monitor);
    return status;
}
