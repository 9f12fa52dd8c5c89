/* lf_fit: from data and options to a model with its posterior. Every decision of a fit is made here or below, so that all
 * callers get the same model. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/output_file.h"
#include "base/processes.h"
#include "data/data.h"
#include "data/share.h"
#include "device/device.h"
#include "fit/calibration.h"
#include "fit/fit_work.h"
#include "fit/force_shapes.h"
#include "fit/input_facts.h"
#include "fit/known_inputs.h"

enum { RESTARTS = 2, RESTARTS_OF_EQUATIONS = 4 }; /* starts where no number is given */
enum { MANY_ROWS = 3000, FEATURES = 200 };

/* With several inputs the only exact engine costs the cube of the rows: many rows are approximated by features. */
static void choose_features(lf_fit_work *w)
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
static lf_status find_reach(lf_fit_work *w, const lf_data *data)
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

lf_training lf_fit_training(lf_fit_work *w)
{
    return (lf_training){.data = w->training,
                         .summary = &w->summary,
                         .monitor = &w->monitor,
                         .starts = &w->starts,
                         .reference = w->reference,
                         .observed = w->observed,
                         .share = w->share};
}

/* A long fit should not end at a file that cannot be written. */
static lf_status check_checkpoint(lf_fit_work *w)
{
    lf_output_file file;
    lf_status status = w->options.checkpoint ? lf_file_create(w->ctx, w->options.checkpoint, &file) : LF_OK;
    if (w->options.checkpoint && !status) {
        lf_file_discard(&file);
    }
    return status;
}

/* Nor after a while at a GPU that is not there. */
static lf_status check_device(lf_fit_work *w)
{
    lf_device *device;
    lf_status status = lf_device_open(w->ctx, w->options.engine.device, &device);
    lf_device_close(device);
    return status;
}

/* The rows of a shared table, on every process, and those that are the share of this one. More rows than a sample has are too many for
 * windows left out. */
static lf_status gather_rows(lf_fit_work *w, const lf_data *data)
{
    size_t total = 0;
    lf_status status = lf_data_sample(w->ctx, data, LF_MOST_GATHERED, &w->sample);
    LF_TRY(status, lf_select_share(w->ctx, data, w->model, &w->options.inputs, &w->share));
    LF_TRY(status, lf_data_total(w->ctx, data, &total));
    LF_TRY(status, lf_data_total(w->ctx, w->share, &w->rows));
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

/* The model starts with the training rows, so that test rows before them have no value. */
static void note_early_rows(const lf_fit_work *w, const lf_data *data)
{
    size_t count = 0;
    for (size_t i = 0; i < data->n && data->input_dim == 1; i++) {
        int output = data->output[i] < 0 ? -1 : lf_model_find_output(w->model, data->outputs.name[data->output[i]]);
        count += output >= 0 && data->split[i] == LF_SPLIT_TEST && !lf_data_has_started(data, w->model, i);
    }
    if (count) {
        lf_note(w->ctx,
                "%zu test rows lie before the first training row, where the model starts, and cannot be predicted; "
                "--origin TIME lets it start earlier",
                count);
    }
}

static lf_status fit(lf_fit_work *w, const lf_data *given)
{
    int selected = 0;
    lf_status status = check_checkpoint(w);
    LF_TRY(status, check_device(w));
    LF_TRY(status, lf_fit_read_model(w));
    status = lf_data_is_shared(given) ? lf_agree(w->ctx, status) : status;
    status = status || !lf_data_is_shared(given) ? status : gather_rows(w, given);
    const lf_data *data = w->sample ? w->sample : given;
    LF_TRY(status, lf_select_training(w->ctx, data, w->model, &w->options.inputs, &w->training, &w->observed));
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
    if (!status && !w->options.shape.origin && data->input_dim == 1) {
        status = lf_first_input(w->ctx, w->training, w->model, &w->options.inputs, &w->options.origin_value);
        w->options.shape.origin = &w->options.origin_value;
    }
    LF_TRY(status, find_reach(w, data)); /* a wrong horizon is reported before the fit */
    int by_shape = !w->model;            /* not by a file or by equations */
    LF_TRY(status, lf_fit_make_model(w, &selected));
    if (!status) {
        note_early_rows(w, data);
    }
    LF_TRY(status, lf_known_sizes(w->ctx, w->training, w->model, &w->summary));
    LF_TRY(status, lf_fit_place_inducing(w));
    LF_TRY(status, lf_fix_parameters(w->ctx, &w->options, w->model));
    if (!status && w->options.shape.private_kernel && !w->model->outputs[0].has_private) {
        lf_note(w->ctx, "--private-kernel %s has no effect: there are no private forces (--private gives them)",
                w->options.shape.private_kernel);
    }
    if (!status && !selected && by_shape) {
        status = lf_fit_add_cycles(w, &selected);
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
        lf_training training = lf_fit_training(w);
        training.in_stages = by_shape && !w->reference;
        w->result->rows = w->rows;
        status = lf_fit_calibrated(w->ctx, w->model, &training, &w->options, w->result);
        LF_TRY(status, lf_fit_find_errors(w));
    }
    LF_TRY(status, lf_fit_store_posterior(w));
    LF_TRY(status, lf_fit_add_provenance(w->ctx, &w->options, w->result, &w->taken, w->model));
    return status || !w->diagnosis ? status : lf_diagnosis_store(w->ctx, w->diagnosis, w->model);
}

lf_status lf_fit(lf_context *ctx, const lf_data *data, const lf_fit_options *options, lf_model **model,
                 lf_fit_result **result)
{
    static const lf_fit_options defaults = {.engine = {.size = sizeof(lf_engine_options)}};
    lf_fit_work w = {.ctx = ctx, .options = options ? *options : defaults, .result = calloc(1, sizeof *w.result)};
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
        LF_TRY(status, fit(&w, data));
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
