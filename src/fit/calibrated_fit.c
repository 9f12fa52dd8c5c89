/* The fit and the refits of its calibration, side by side where the fit has one start. */
#include "base/context.h"
#include "base/parallel.h"
#include "fit/calibration.h"
#include "fit/first_stage.h"
#include "fit/fit_plan.h"

typedef struct stage {
    lf_context *ctx;
    lf_model *model;
    const lf_training *training;
    const lf_fit_options *options;
    lf_fit_result *result;
    lf_calibration calibration;
    lf_status status; /* of the fit */
} stage;

/* Task 0 is the fit, the others are refits for its calibration. */
static void fit_or_refit(void *user, size_t i)
{
    stage *s = user;
    if (i == 0) {
        s->status = lf_fit_in_stages(s->ctx, s->model, s->training, s->options, s->result);
    } else {
        lf_calibration_refit(&s->calibration, i - 1);
    }
}

static void refit(void *user, size_t i) { lf_calibration_refit(&((stage *)user)->calibration, i); }

/* Threads that memory suffices for, with a fit on each. */
static lf_status find_threads(const stage *s, int *threads)
{
    lf_engine_choice choice;
    double bytes;
    lf_status status = lf_fit_bytes(s->ctx, s->model, s->training, s->options, &choice, &bytes);
    *threads = status || s->training->share ? 1 : lf_fits_within_memory(s->ctx, bytes, lf_threads(s->ctx));
    return status;
}

/* A model to start from (--init) may have been calibrated for other rows. */
static void forget_factor(lf_model *model)
{
    for (int d = 0; d < model->output_count; d++) {
        model->outputs[d].variance_inflation = 0;
    }
}

lf_status lf_fit_calibrated(lf_context *ctx, lf_model *model, const lf_training *training,
                            const lf_fit_options *options, lf_fit_result *result)
{
    stage s = {.ctx = ctx, .model = model, .training = training, .options = options, .result = result};
    lf_model *start = NULL;
    int threads = 1, beside = options->restarts == 1;
    lf_status status = lf_model_copy(ctx, training->reference ? training->reference : model, &start);
    LF_TRY(status, lf_calibration_create(ctx, start, training, options, &s.calibration));
    size_t refits = status ? 0 : s.calibration.count;
    if (refits) {
        forget_factor(start);
        forget_factor(model);
    }
    status = status || !refits ? status : find_threads(&s, &threads);
    if (!status) {
        lf_parallel_tasks(threads, beside ? 1 + refits : 1, fit_or_refit, &s);
    }
    LF_TRY(status, s.status);
    if (!status && !beside && !result->cancelled) {
        lf_parallel_tasks(threads, refits, refit, &s);
    }
    if (!status && refits && !result->cancelled) {
        status = lf_calibration_apply(&s.calibration, model, result);
    }
    lf_calibration_clear(&s.calibration);
    lf_model_free(start);
    return status;
}
