/* lf_fit: from data and options to a model with its posterior. Every decision of a fit is made here or below, so that all
 * callers get the same model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/output_file.h"
#include "base/parallel.h"
#include "base/processes.h"
#include "data/share.h"
#include "device/device.h"
#include "engine/engine.h"
#include "fit/calibration.h"
#include "fit/fewer_forces.h"
#include "fit/fit_model.h"
#include "fit/fit_plan.h"
#include "fit/force_shapes.h"
#include "fit/initial_model.h"
#include "fit/known_inputs.h"
#include "fit/redundancy.h"
#include "fit/system_model.h"

enum { RESTARTS = 2, RESTARTS_OF_EQUATIONS = 4 }; /* starts where no number is given */
/* Free parameters up to which standard errors are computed by default. A limit of time would make the model depend on the machine. */
enum { FEW_FREE = 100 };
enum { MANY_ROWS = 3000, FEATURES = 200 };

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

/* What one call of lf_fit holds. */
typedef struct work {
    lf_context *ctx;
    lf_fit_options options; /* a copy, with the decisions made here; its texts belong to those of the caller */
    lf_data *training;      /* rows of outputs that are not marked test, and all readings of known inputs */
    lf_data *observed;      /* the former alone */
    /* Several processes that share the rows: choices are made from a sample that all have, likelihoods from the share of each. */
    lf_data *sample, *share; /* NULL: there is one process */
    size_t rows;             /* of `observed`, or of all processes */
    lf_data_summary summary;
    lf_starts starts;
    lf_monitor monitor;
    lf_model *model;
    lf_model *reference; /* the model at its starting values, where a comparison has fitted it already; else NULL */
    lf_fit_result *result;
    lf_diagnosis *diagnosis;
    double *periods;      /* of the shape */
    double ahead, behind; /* how far predictions reach beyond the training rows */
    lf_fallback taken;    /* because of a limit */
} work;

/* With several inputs the only exact engine costs the cube of the rows: many rows are approximated by features. */
static void choose_features(work *w)
{
    lf_engine_options *engine = &w->options.engine;
    if (w->training->input_dim > 1 && w->training->n > MANY_ROWS && !engine->engine && !engine->nodes &&
        !engine->features) {
        engine->features = FEATURES;
        lf_note(
            w->ctx,
            "%zu rows with %d inputs: each force is approximated by %d frequencies; --features S takes more or fewer, "
            "--engine dense none",
            w->training->n, w->training->input_dim, FEATURES);
    }
}

static void find_limits(const lf_data *data, double *first, double *last)
{
    *first = INFINITY;
    *last = -(double)INFINITY;
    for (size_t i = 0; i < data->n; i++) {
        *first = fmin(*first, data->x[i]);
        *last = fmax(*last, data->x[i]);
    }
}

/* Predictions reach every input of the data, test rows included (their inputs, not their values), and the horizon. */
static lf_status find_reach(work *w, const lf_data *data)
{
    if (data->input_dim > 1) {
        return LF_OK;
    }
    double first, last, low, high;
    find_limits(w->observed, &first, &last);
    find_limits(data, &low, &high);
    if (w->options.horizon) {
        double horizon;
        char shown[LF_TIMESTAMP_SIZE];
        lf_status status = lf_axis_parse_text(w->ctx, &data->axes[0], w->options.horizon, &horizon);
        if (status) {
            return status;
        }
        if (horizon < last) {
            lf_axis_format(&data->axes[0], last, shown);
            return lf_fail(w->ctx, LF_ERROR_ARGUMENT, "--horizon %s lies before the last training input %s",
                           w->options.horizon, shown);
        }
        high = fmax(high, horizon);
    }
    w->ahead = high - last;
    w->behind = first - low;
    return LF_OK;
}

/* ---- the model before the fit ---- */

/* The model to start from, where there is one. */
static lf_status read_model(work *w)
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
static lf_status select_model(work *w, const lf_training *training, int *selected)
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
static lf_status compare_outputs(work *w, int *fewer)
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

/* The model to start from, or one made for the data. */
static lf_status make_model(work *w, int *selected)
{
    lf_fit_options *o = &w->options;
    int fewer = 0;
    if (w->model) {
        lf_status status = lf_take_labels(w->ctx, w->training, w->model);
        status = status ? status : lf_data_summary_create(w->ctx, w->observed, w->model, &w->summary);
        return status || !lf_system_is_open(w->model)
                   ? status
                   : lf_system_starting_values(w->ctx, w->training, &w->summary, o->shape.origin, w->model, &w->starts);
    }
    lf_training training = {
        .data = w->training, .summary = &w->summary, .monitor = &w->monitor, .observed = w->observed, .in_stages = 1};
    lf_status status = lf_check_training_rows(w->ctx, w->observed);
    status = status ? status : lf_data_summary_create(w->ctx, w->observed, NULL, &w->summary);
    if (!status) {
        lf_note_training_rows(w->ctx, w->observed, &w->summary);
    }
    status = status ? status : compare_outputs(w, &fewer);
    status = status ? status : lf_shaped_model(w->ctx, &training, o, &o->shape, &w->model);
    status = status ? status : lf_known_sizes(w->ctx, w->training, w->model, &w->summary);
    if (!status && !o->restarts && lf_fit_defaults(w->model, o).prior == LF_PRIOR_FIRM) {
        w->ctx->engines = 1; /* there will be one start */
    }
    status = status ? status : lf_fit_within_limits(w->ctx, &training, 1, o, &w->model, &w->taken);
    if (!status && fewer && !*w->taken.words) {
        status = lf_try_fewer_forces(w->ctx, &training, fewer, o, &w->model);
    }
    return status ? status : select_model(w, &training, selected);
}

/* Inducing inputs become part of the model. */
static lf_status place_inducing(work *w)
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

/* ---- after the fit ---- */

/* What lf_fit_model and what follows it work with. */
static lf_training training_of(work *w)
{
    return (lf_training){.data = w->training,
                         .summary = &w->summary,
                         .monitor = &w->monitor,
                         .starts = &w->starts,
                         .reference = w->reference,
                         .observed = w->observed,
                         .share = w->share};
}

static lf_status find_errors(work *w)
{
    lf_fit_result *result = w->result;
    if (is(w->options.errors, "no") || result->cancelled) {
        return LF_OK;
    }
    if (!is(w->options.errors, "yes") && result->free_count > FEW_FREE) {
        double each = result->seconds / (double)(result->evaluations + 1);
        lf_note(w->ctx, "standard errors of %zu parameters would take about %.0f s more; --errors yes computes them",
                result->free_count, 2 * each * (double)result->free_count);
        return LF_OK;
    }
    lf_training training = training_of(w);
    training.reference = NULL;
    lf_status status = lf_standard_errors(w->ctx, w->model, &training, &w->options, result);
    return status == LF_ERROR_CANCELLED ? LF_OK : status;
}

/* The engine of the posterior has a tolerance of its own, finer than that of the fit; where that is too much, for memory or otherwise, a
 * long fit should not end without a model. */
static lf_status create_final_engine(const work *w, lf_engine_options options, lf_engine **engine)
{
    const lf_data *rows = w->share ? w->share : w->training;
    lf_status status = lf_engine_create(w->ctx, w->model, rows, &options, engine);
    if (status != LF_ERROR_UNSUPPORTED || options.tolerance > 0) {
        return status;
    }
    char why[sizeof w->ctx->message];
    memcpy(why, w->ctx->message, sizeof why);
    options.tolerance = lf_fit_defaults(w->model, &w->options).engine.tolerance;
    status = lf_engine_create(w->ctx, w->model, rows, &options, engine);
    if (!status) {
        lf_note(w->ctx, "the posterior has the tolerance %g of the fit: %s", options.tolerance, why);
    }
    return status;
}

/* The reported log likelihood is that of the engine of the posterior, which the rows then judge. On one thread, because the model must not depend on their
 * number. */
static lf_status store_posterior(work *w)
{
    lf_engine_options options = w->options.engine;
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    int threads = w->ctx->threads;
    w->ctx->threads = 1;
    w->ctx->engines = 0; /* those of the starts are gone */
    options.ahead = w->ahead;
    options.behind = w->behind;
    lf_give_back_memory();
    lf_status status = create_final_engine(w, options, &engine);
    status = status ? status : lf_engine_evaluate(engine, 0, NULL, &w->result->log_likelihood, NULL);
    if (!status) {
        lf_engine_info info = lf_engine_describe(engine);
        w->result->engine = info.engine;
        w->result->nodes = info.nodes;
        w->result->columns = info.columns;
    }
    status = status ? status : lf_engine_posterior(engine, &posterior);
    if (!status && !w->options.no_posterior) {
        status = lf_posterior_store(posterior, w->model);
    }
    lf_status judged = status ? status : lf_diagnose(posterior, w->training, &w->diagnosis);
    judged = w->share ? lf_agree(w->ctx, judged) : judged;
    if (!status && judged && judged != LF_ERROR_MEMORY) {
        lf_note(w->ctx, "the fit cannot be judged by its residuals: %s", lf_message(w->ctx));
    } else {
        status = judged;
    }
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    w->ctx->threads = threads;
    return status;
}

/* A long fit should not end at a file that cannot be written. */
static lf_status check_checkpoint(work *w)
{
    lf_output_file file;
    lf_status status = w->options.checkpoint ? lf_file_create(w->ctx, w->options.checkpoint, &file) : LF_OK;
    if (w->options.checkpoint && !status) {
        lf_file_discard(&file);
    }
    return status;
}

/* Nor after a while at a GPU that is not there. */
static lf_status check_device(work *w)
{
    lf_device *device;
    lf_status status = lf_device_open(w->ctx, w->options.engine.device, &device);
    lf_device_close(device);
    return status;
}

static int looks_for_cycles(const work *w)
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

/* The rows of a shared table, on every process, and those that are the share of this one. More rows than a sample has are too many for
 * windows left out. */
static lf_status gather_rows(work *w, const lf_data *data)
{
    size_t total = 0;
    lf_status status = lf_data_sample(w->ctx, data, LF_MOST_GATHERED, &w->sample);
    status = status ? status : lf_select_share(w->ctx, data, w->model, &w->options.inputs, &w->share);
    status = status ? status : lf_data_total(w->ctx, data, &total);
    status = status ? status : lf_data_total(w->ctx, w->share, &w->rows);
    w->monitor.together = 1;
    if (!status && w->sample->n < total) {
        lf_note(w->ctx,
                "%zu rows: starting values and shapes are those of %zu of them, in even windows; intervals are not "
                "calibrated",
                total, w->sample->n);
        w->options.calibrate = "no";
    }
    return status;
}

static lf_status fit(work *w, const lf_data *given)
{
    int selected = 0;
    lf_status status = check_checkpoint(w);
    status = status ? status : check_device(w);
    status = status ? status : read_model(w);
    status = lf_data_is_shared(given) ? lf_agree(w->ctx, status) : status;
    status = status || !lf_data_is_shared(given) ? status : gather_rows(w, given);
    const lf_data *data = w->sample ? w->sample : given;
    status =
        status ? status : lf_select_training(w->ctx, data, w->model, &w->options.inputs, &w->training, &w->observed);
    if (!status && (!w->share || w->rows <= w->sample->n)) {
        w->rows = w->observed->n;
    }
    if (!status) {
        choose_features(w);
    }
    if (!status && w->options.origin) {
        status = lf_axis_parse_text(w->ctx, &data->axes[0], w->options.origin, &w->options.origin_value);
        w->options.shape.origin = &w->options.origin_value;
    }
    if (!status) {
        status = lf_parse_periods(w->ctx, &w->options.periods, data, &w->periods);
        w->options.shape.periods = w->periods;
        w->options.shape.period_count = (int)w->options.periods.count;
    }
    if (!status && w->options.shape.period_count) {
        double first, last;
        find_limits(w->observed, &first, &last);
        lf_note_periods(w->ctx, &w->options.shape, w->observed, first, last);
    }
    if (!status && !w->options.shape.origin &&
        data->input_dim == 1) { /* test rows before all others are predicted too */
        double first = lf_first_input(data, w->model, &w->options.inputs), seen, last;
        find_limits(w->observed, &seen, &last);
        w->options.origin_value = first;
        w->options.shape.origin = first < seen ? &w->options.origin_value : NULL;
    }
    status = status ? status : find_reach(w, data); /* a wrong horizon is reported before the fit */
    int by_shape = !w->model;                       /* not by a file or by equations */
    status = status ? status : make_model(w, &selected);
    status = status ? status : lf_known_sizes(w->ctx, w->training, w->model, &w->summary);
    status = status ? status : place_inducing(w);
    status = status ? status : lf_fix_parameters(w->ctx, &w->options, w->model);
    if (!status && w->options.shape.private_kernel && !w->model->outputs[0].has_private) {
        lf_note(w->ctx, "--private-kernel %s has no effect: there are no private forces (--private gives them)",
                w->options.shape.private_kernel);
    }
    if (!status && !selected && by_shape && looks_for_cycles(w)) {
        lf_training training = training_of(w);
        training.starts = NULL;
        training.share = NULL;
        w->options.prior = w->options.prior ? w->options.prior : lf_fit_defaults(w->model, &w->options).prior;
        status = lf_choose_cycles(w->ctx, &training, &w->options, &w->model, &w->reference);
        selected = !status && lf_monitor_stopped(&w->monitor);
    }
    if (!w->options.restarts) { /* a comparison has compared starts already */
        int firm = !status && lf_fit_defaults(w->model, &w->options).prior == LF_PRIOR_FIRM;
        w->options.restarts = w->reference || firm ? 1 : !status && w->model->system ? RESTARTS_OF_EQUATIONS : RESTARTS;
    }
    status = w->share ? lf_agree(w->ctx, status) : status;
    if (!status && selected) {
        w->result->cancelled = 1;
        w->result->reason = "stopped: it was cancelled while shapes of the model were compared";
        w->result->rows = w->rows;
        w->result->free_count = lf_free_parameters(w->model, NULL);
    } else if (!status) {
        lf_training training = training_of(w);
        training.in_stages = by_shape && !w->reference;
        w->result->rows = w->rows;
        status = lf_fit_calibrated(w->ctx, w->model, &training, &w->options, w->result);
        status = status ? status : find_errors(w);
    }
    status = status ? status : store_posterior(w);
    status = status ? status : lf_fit_add_provenance(w->ctx, &w->options, w->result, &w->taken, w->model);
    return status || !w->diagnosis ? status : lf_diagnosis_store(w->ctx, w->diagnosis, w->model);
}

lf_status lf_fit(lf_context *ctx, const lf_data *data, const lf_fit_options *options, lf_model **model,
                 lf_fit_result **result)
{
    static const lf_fit_options defaults = {.engine = {.size = sizeof(lf_engine_options)}};
    work w = {.ctx = ctx, .options = options ? *options : defaults, .result = calloc(1, sizeof *w.result)};
    *model = NULL;
    if (result) {
        *result = NULL;
    }
    if (!w.result) {
        return lf_no_memory(ctx);
    }
    lf_work_begin(ctx);
    if (w.options.seed) {
        lf_set_seed(ctx, *w.options.seed);
    }
    if (w.options.threads) {
        lf_set_threads(ctx, (int)w.options.threads);
    }
    lf_status status = lf_fit_options_check(ctx, &w.options);
    status = status || !w.options.memory ? status : lf_set_memory(ctx, w.options.memory);
    size_t engines = ctx->engines;
    ctx->engines = w.options.restarts ? w.options.restarts : RESTARTS;
    if (!status) {
        status = lf_monitor_create(ctx, w.options.progress, w.options.user, &w.monitor);
        status = status ? status : fit(&w, data);
        lf_monitor_clear(&w.monitor);
    }
    ctx->engines = engines;
    lf_data_summary_clear(&w.summary);
    free(w.starts.theta);
    free(w.periods);
    lf_model_free(w.reference);
    lf_diagnosis_free(w.diagnosis);
    lf_data_free(w.training);
    lf_data_free(w.observed);
    lf_data_free(w.sample);
    lf_data_free(w.share);
    if (!status) {
        *model = w.model;
    } else {
        lf_model_free(w.model);
    }
    if (!status && result) {
        *result = w.result;
    } else {
        lf_fit_result_free(w.result);
    }
    return status;
}
