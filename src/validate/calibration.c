/* Refits without windows, and the factor of the variance that follows from them. */
#include "validate/calibration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/plural.h"
#include "base/random.h"
#include "validate/windows.h"

/* Whether gaps of a fit are worth refits: several series, and a model made for the data. */
static int applies(const lf_problem *problem, const lf_fit_plan *plan)
{
    int outputs = problem->summary->output_count, asked = plan->calibrate == LF_CHOICE_YES;
    return plan->calibrate != LF_CHOICE_NO && problem->training->input_dim == 1 &&
           (asked || (outputs > 1 && !problem->given)) && problem->summary->series;
}

/* Few outputs have as many refits as there may be, many as few as have windows enough. */
static lf_status count_refits(lf_context *ctx, const lf_validation *v, size_t *count)
{
    size_t windows = 0, most = (size_t)lf_threshold.refits, enough = (size_t)lf_threshold.windows;
    *count = most;
    if (lf_few_outputs(v->problem->summary->output_count)) {
        return LF_OK;
    }
    lf_window *drawn;
    lf_status status = lf_draw_windows(ctx, v->problem->observed, v->length,
                                       lf_stream_seed(ctx->seed, LF_STREAM_WINDOWS, 0), &windows, &drawn);
    free(drawn);
    size_t needed = windows ? (enough + windows - 1) / windows : 1;
    *count = needed < most ? needed : most;
    return status;
}

/* A model to start from (--init) may have been calibrated for other rows. */
static void forget_factor(lf_model *model)
{
    for (int d = 0; d < model->output_count; d++) {
        model->outputs[d].variance_inflation = 0;
    }
}

lf_status lf_validation_begin(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan,
                              const lf_structure *s, const lf_model *fitted, lf_monitor *monitor, lf_validation *v)
{
    int asked = plan->calibrate == LF_CHOICE_YES, inputs = problem->training->input_dim;
    *v = (lf_validation){.problem = problem, .plan = plan, .monitor = monitor};
    if (asked && inputs > 1) {
        lf_note(ctx, "--calibrate yes has no effect with %d inputs: windows are stretches of time", inputs);
    }
    if (!applies(problem, plan)) {
        return LF_OK;
    }
    lf_status status = lf_gap_length(ctx, problem->observed, &v->length);
    if (!status && !(v->length > 0) && asked) {
        v->length = lf_threshold.window_share * lf_data_summary_span(problem->summary);
    }
    if (status || !(v->length > 0)) {
        return status;
    }
    v->structure = lf_structure_like(s);
    v->structure.iterations = (size_t)fmin((double)s->iterations, lf_threshold.refit_iterations);
    status = lf_model_copy(ctx, s->start, &v->structure.start);
    LF_TRY(status, lf_model_copy(ctx, fitted, &v->structure.warm));
    LF_TRY(status, count_refits(ctx, v, &v->count));
    if (status) {
        return status;
    }
    forget_factor(v->structure.start);
    forget_factor(v->structure.warm);
    v->refits = calloc(v->count + 1, sizeof *v->refits);
    return v->refits ? LF_OK : lf_no_memory(ctx);
}

void lf_validation_clear(lf_validation *v)
{
    for (size_t i = 0; v->refits && i < v->count; i++) {
        lf_refit_clear(&v->refits[i]);
    }
    free(v->refits);
    lf_structure_clear(&v->structure);
    *v = (lf_validation){0};
}

void lf_validation_run(lf_validation *v, lf_context *worker, size_t i)
{
    const lf_refit_windows windows = {.length = v->length, .number = i, .user = v->monitor};
    lf_refit_run(worker, v->problem, v->plan, &v->structure, &windows, &v->refits[i]);
}

/* ---- what follows ---- */

/* The factor of the variance. One that covers the wanted share of the rows left out covers somewhat less of others, because the windows are
 * few: several refits are asked for a little more. A single refit lacks more rows than the fit and is a poorer model, and its factor depends
 * on where its windows lie: it is joined by windows that are as the model says. */
static double find_factor(const lf_validation *v, size_t n, const lf_held_row *rows, size_t windows)
{
    double others = fmin((double)windows, lf_threshold.model_windows),
           weight = (double)windows / ((double)windows + others);
    return v->count > 1 ? lf_variance_factor(n, rows, 1, lf_threshold.covered_by_several)
                        : lf_variance_factor(n, rows, weight, lf_threshold.covered);
}

/* The rows of all windows, to be freed; NULL with LF_OK: there are too few, or a refit failed, which is no reason to give up the fit. */
static lf_status gather(lf_context *ctx, const lf_validation *v, size_t *n, size_t *windows, lf_held_row **rows)
{
    *n = *windows = 0;
    *rows = NULL;
    for (size_t i = 0; i < v->count; i++) {
        const lf_refit *refit = &v->refits[i];
        if (refit->status) {
            lf_note(ctx, "predictions in gaps could not be checked by windows left out: %s", refit->message);
            return refit->status == LF_ERROR_MEMORY ? lf_no_memory(ctx) : LF_OK;
        }
        *n += refit->count;
        *windows += refit->windows;
    }
    if ((double)*n < lf_threshold.least_rows) {
        return LF_OK;
    }
    *rows = calloc(*n, sizeof **rows);
    size_t used = 0;
    for (size_t i = 0; *rows && i < v->count; i++) {
        memcpy(*rows + used, v->refits[i].rows, v->refits[i].count * sizeof **rows);
        used += v->refits[i].count;
    }
    return *rows ? LF_OK : lf_no_memory(ctx);
}

lf_status lf_validation_apply(lf_context *ctx, const lf_validation *v, lf_stage_report *report, lf_model *model,
                              lf_fit_result *result)
{
    size_t n, windows;
    lf_held_row *rows;
    lf_status status = gather(ctx, v, &n, &windows, &rows);
    forget_factor(model);
    if (status || !rows) {
        return status;
    }
    double factor = find_factor(v, n, rows, windows), covered = lf_held_out_coverage(n, rows, 1);
    double reached = lf_held_out_coverage(n, rows, factor);
    free(rows);
    for (int d = 0; d < model->output_count; d++) {
        model->outputs[d].variance_inflation = factor > 1 ? factor : 0;
    }
    result->held_out_windows = windows;
    result->held_out_rows = n;
    result->held_out_coverage = covered;
    lf_note(ctx,
            "%zu windows of %.4g were left out of %zu refit%s: 95 %% intervals covered %.0f %% of their %zu rows%s",
            windows, v->length, v->count, lf_plural((size_t)v->count), 100 * covered, n,
            factor > 1 ? "" : "; intervals stay as they are");
    if (factor > 1) {
        lf_note(
            ctx,
            "intervals are %.2f times as wide as the model says, which covers %.0f %% (--calibrate no leaves this out)",
            sqrt(factor), 100 * reached);
    }
    char reason[160];
    snprintf(reason, sizeof reason, "95 %% intervals covered %.0f %% of %zu rows in %zu windows left out",
             100 * covered, n, windows);
    lf_report_decide(report, reason, "intervals %.2f times as wide", sqrt(fmax(factor, 1)));
    return LF_OK;
}
