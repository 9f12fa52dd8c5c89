/* lf_fit: problem, plan, start, selection, fit, validation, errors, posterior. */
#include "fit/pipeline.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "base/output_file.h"
#include "base/parallel.h"
#include "base/processes.h"
#include "base/workers.h"
#include "data/share.h"
#include "device/device.h"
#include "inference/estimate.h"
#include "select/select.h"
#include "start/start.h"

/* ---- the stages ---- */

static lf_status make_problem(lf_pipeline *f)
{
    lf_status status = lf_problem_create(f->ctx, f->data, f->options, &f->problem);
    if (!status) {
        lf_report_problem(f);
    }
    return status;
}

static lf_status make_plan(lf_pipeline *f)
{
    lf_status status = lf_fit_plan_resolve(f->ctx, f->options, f->problem, &f->plan);
    if (!status) {
        lf_report_plan(f);
    }
    return status;
}

static lf_status make_start(lf_pipeline *f)
{
    lf_status status = lf_start(f->ctx, f->problem, &f->plan, &f->structure);
    if (!status) {
        lf_report_start(f);
    }
    return status;
}

static lf_status choose(lf_pipeline *f)
{
    return lf_select(f->ctx, f->problem, &f->plan, &f->monitor, &f->structure, f->result, f->reports);
}

/* The bytes of a fit, where several may run side by side. */
static lf_status estimate_bytes(lf_pipeline *f, double *bytes)
{
    lf_fit_estimate estimate = {0};
    lf_status status = f->validation.count && !f->problem->local
                           ? lf_estimate_fit(f->ctx, f->problem, &f->plan, &f->structure, &estimate)
                           : LF_OK;
    *bytes = f->problem->local ? lf_memory_limit(f->ctx) : estimate.bytes;
    return status;
}

int lf_fit_is_cut(const lf_pipeline *f) { return f->optimum.cancelled || !f->optimum.x; }

int lf_is_too_long(const lf_pipeline *f, double seconds)
{
    return f->monitor.deadline > 0 && omp_get_wtime() + seconds > f->monitor.deadline;
}

double lf_seconds_of_evaluation(const lf_pipeline *f)
{
    return f->optimum.seconds / (double)(f->optimum.evaluations + 1);
}

/* Before something long. */
static void note_duration(lf_pipeline *f)
{
    lf_fit_estimate e;
    if (f->seconds > 0 || f->problem->local || lf_estimate_fit(f->ctx, f->problem, &f->plan, &f->structure, &e) ||
        isinf(e.bytes)) {
        return;
    }
    double work = e.work > 0 ? e.work : e.choice.cost * lf_threshold.evaluations;
    double seconds = work * (double)f->structure.restarts / lf_threshold.usual_speed / lf_threads(f->ctx);
    if (seconds > lf_threshold.long_seconds) {
        lf_note(f->ctx, "the fit is expected to take about %.0f min; --max-seconds limits it", ceil(seconds / 60));
    }
}

/* A fit that was stopped before it began has the model so far. */
static lf_status end_early(lf_pipeline *f)
{
    int asked = lf_monitor_asked(&f->monitor);
    f->optimum = (lf_optimum){.cancelled = asked,
                              .reason = asked ? "stopped: it was cancelled while shapes of the model were compared"
                                              : "stopped: the time of --max-seconds was up while shapes of the model "
                                                "were compared",
                              .free_count = lf_free_parameters(f->structure.start, NULL)};
    return lf_model_copy(f->ctx, lf_structure_begin(&f->structure), &f->optimum.model);
}

static lf_status optimise(lf_pipeline *f)
{
    note_duration(f);
    lf_status status = lf_prior_create(f->ctx, f->problem, &f->structure, &f->prior);
    status = f->problem->local ? lf_agree(f->ctx, status) : status; /* what follows is done together */
    LF_TRY(status, lf_optimise(f->ctx, f->problem, &f->plan, &f->structure, &f->prior, &f->monitor, &f->optimum));
    return status;
}

static lf_status fit(lf_pipeline *f)
{
    lf_status status = lf_monitor_stopped(&f->monitor) ? end_early(f) : optimise(f);
    LF_TRY(status, lf_fit_result_fill(f->ctx, &f->optimum, &f->prior, f->result));
    f->result->rows = f->problem->count;
    if (!status) {
        lf_report_fit(f);
    }
    return status;
}

static void refit(void *user, lf_context *worker, size_t i) { lf_validation_run(user, worker, i); }

/* They run side by side as far as there are threads, and each of their iterations takes about one evaluation. */
static int is_too_long_for_refits(const lf_pipeline *f)
{
    const lf_validation *v = &f->validation;
    double threads = f->problem->local ? 1 : lf_threads(f->ctx), rounds = ceil((double)v->count / threads);
    return v->count && lf_is_too_long(f, rounds * (double)v->structure.iterations * lf_seconds_of_evaluation(f));
}

/* Refits run side by side. */
static lf_status validate(lf_pipeline *f)
{
    double bytes = 0;
    lf_validation *v = &f->validation;
    lf_status status = lf_fit_is_cut(f) ? LF_OK
                                        : lf_validation_begin(f->ctx, f->problem, &f->plan, &f->structure,
                                                              f->optimum.model, &f->monitor, v);
    if (!status && is_too_long_for_refits(f)) {
        lf_validation_clear(v);
        lf_report_decide(f->report, "refits would end after --max-seconds", "intervals as the model gives them");
        return LF_OK;
    }
    LF_TRY(status, estimate_bytes(f, &bytes));
    LF_TRY(status, lf_workers_run(f->ctx, &f->monitor, bytes, 0, v->count, refit, v));
    for (size_t i = 0; !status && i < v->count; i++) {
        f->report->evaluations += v->refits[i].evaluations;
    }
    lf_report_no_validation(f);
    return !status && v->count ? lf_validation_apply(f->ctx, v, f->report, f->optimum.model, f->result) : status;
}

/* In their order. After a request to stop each does what leaves a model. A stage that has parts reports these alone. */
static const struct {
    const char *name;
    lf_status (*run)(lf_pipeline *f);
    int has_parts;
    double share; /* of the seconds that the options allow, at whose end this stage ends; 0: it has no end */
} stages[] = {{"problem", make_problem, 0, 0},
              {"plan", make_plan, 0, 0},
              {"start", make_start, 0, 0},
              {"selection", choose, 1, 0.4},
              {"fit", fit, 0, 0.8},
              {"validation", validate, 0, 0.9},
              {"errors", lf_fit_errors, 0, 0.95},
              {"posterior", lf_fit_finish, 0, 0}};

/* Several processes choose alone, and must choose the same. */
static void set_deadline(lf_pipeline *f, size_t stage)
{
    int alone = f->monitor.together && stages[stage].has_parts;
    f->monitor.deadline =
        f->seconds > 0 && stages[stage].share > 0 && !alone ? f->began + stages[stage].share * f->seconds : 0;
    f->monitor.late = 0;
}

/* ---- before and after them ---- */

/* A long fit should not end at a file that cannot be written. */
static lf_status check_checkpoint(lf_context *ctx, const char *path)
{
    lf_output_file file;
    lf_status status = path ? lf_file_create(ctx, path, &file) : LF_OK;
    if (path && !status) {
        lf_file_discard(&file);
    }
    return status;
}

/* Nor after a while at a GPU that is not there. */
static lf_status check_device(lf_context *ctx, const char *name)
{
    lf_device *device;
    lf_status status = lf_device_open(ctx, name, &device);
    lf_device_close(device);
    return status;
}

/* What is checked before the first stage. */
static lf_status begin(lf_pipeline *f)
{
    const lf_options *o = f->options;
    f->result = calloc(1, sizeof *f->result);
    f->reports = calloc(1, sizeof *f->reports);
    if (!f->result || !f->reports) {
        free(f->reports);
        return lf_no_memory(f->ctx);
    }
    f->result->stages = f->reports;
    lf_work_begin(f->ctx);
    if (o->seed) {
        lf_context_set_seed(f->ctx, *o->seed);
    }
    if (o->threads) {
        lf_context_set_threads(f->ctx, o->threads);
    }
    lf_status status = lf_options_check(f->ctx, o);
    status = status || !o->memory ? status : lf_context_set_memory(f->ctx, o->memory);
    LF_TRY(status, check_checkpoint(f->ctx, o->checkpoint));
    LF_TRY(status, check_device(f->ctx, o->engine.device));
    return status;
}

lf_status lf_pipeline_begin(lf_context *ctx, const lf_data *data, const lf_options *options, lf_pipeline *f)
{
    static const lf_options defaults = {.engine = {.size = sizeof(lf_engine_options)}};
    *f = (lf_pipeline){.ctx = ctx,
                       .before = {ctx->random, ctx->seed, ctx->threads, ctx->memory},
                       .data = data,
                       .began = omp_get_wtime(),
                       .seconds = options ? options->max_seconds : 0,
                       .options = options ? options : &defaults};
    lf_status status = lf_options_are(ctx, options, "fit");
    LF_TRY(status, lf_monitor_create(ctx, ctx->progress, ctx->progress_user, &f->monitor));
    f->has_monitor = !status;
    LF_TRY(status, begin(f));
    return status;
}

lf_status lf_pipeline_run(lf_pipeline *f, const char *before)
{
    int shared = lf_data_is_shared(f->data);
    lf_status status = LF_OK;
    f->monitor.together = shared;
    for (size_t i = 0; !status && i < sizeof stages / sizeof *stages; i++) {
        if (before && strcmp(stages[i].name, before) == 0) {
            break;
        }
        f->report = stages[i].has_parts ? NULL : lf_report_begin(f->reports, stages[i].name);
        f->reports->part_of = stages[i].name;
        set_deadline(f, i);
        status = stages[i].run(f);
        f->reports->part_of = NULL;
        if (f->report) {
            lf_report_end(f->report);
        }
        status = shared ? lf_agree(f->ctx, status) : status; /* a failure of one process is a failure of all */
        status = shared && !status ? lf_monitor_agree(f->ctx, &f->monitor) : status;
    }
    return status || !f->reports->failed ? status : lf_no_memory(f->ctx);
}

/* Options of a fit hold for that fit. */
static void restore_context(lf_pipeline *f)
{
    if (f->options->seed) {
        f->ctx->seed = f->before.seed;
        f->ctx->random = f->before.random;
    }
    f->ctx->threads = f->before.threads;
    f->ctx->memory = f->options->memory ? f->before.memory : f->ctx->memory;
}

void lf_pipeline_end(lf_pipeline *f)
{
    restore_context(f);
    lf_fit_result_free(f->result);
    lf_diagnosis_free(f->diagnosis);
    lf_optimum_clear(&f->optimum);
    lf_validation_clear(&f->validation);
    lf_prior_clear(&f->prior);
    lf_structure_clear(&f->structure);
    lf_fit_plan_clear(&f->plan);
    lf_problem_free(f->problem);
    if (f->has_monitor) {
        lf_monitor_clear(&f->monitor);
    }
}

lf_status lf_fit(lf_context *ctx, const lf_data *data, const lf_options *options, lf_model **model,
                 lf_fit_result **result)
{
    lf_pipeline f;
    *model = NULL;
    if (result) {
        *result = NULL;
    }
    if (!data) {
        return lf_missing(ctx, "table");
    }
    lf_status status = lf_pipeline_begin(ctx, data, options, &f);
    LF_TRY(status, lf_pipeline_run(&f, NULL));
    if (!status) {
        f.result->total_evaluations = lf_report_evaluations(f.reports);
        *model = f.optimum.model;
        f.optimum.model = NULL;
    }
    if (!status && result) {
        status = lf_model_copy(ctx, *model, &f.result->model);
    }
    if (!status && result) {
        *result = f.result;
        f.result = NULL;
    }
    if (status) {
        lf_model_free(*model);
        *model = NULL;
    }
    lf_pipeline_end(&f);
    return status;
}
