/* Refits without windows, and the factor of the variance that follows from them. */
#include "fit/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/plural.h"
#include "fit/held_out.h"
#include "fit/initial_model.h"

#define COVERED 0.95 /* of the rows left out */
#define COVERED_BY_SEVERAL 0.96
enum { WINDOWS_OF_THE_MODEL = 15 }; /* that are as the model says, at most as many as a single refit has */
enum { LEAST_HELD = 20 };           /* rows in windows from which something can be learnt */
enum { ENOUGH_WINDOWS = 12 };       /* of many outputs, in all refits together */

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

/* Whether gaps of a fit are worth refits: several series, and a model made for the data. */
static int applies(const lf_model *start, const lf_training *training, const lf_fit_options *options)
{
    const char *asked = options->calibrate;
    int made = !start->system && !options->init && !options->init_model;
    return !is(asked, "no") && start->input_dim == 1 && (is(asked, "yes") || (start->output_count > 1 && made)) &&
           training->summary->series;
}

/* Few outputs have as many refits as there may be, many as few as have windows enough. */
static lf_status count_refits(lf_context *ctx, const lf_calibration *c, size_t *count)
{
    size_t windows = 0;
    *count = LF_MOST_REFITS;
    if (c->start->output_count <= LF_ENOUGH_FORCES) {
        return LF_OK;
    }
    lf_window *drawn;
    lf_status status = lf_draw_windows(ctx, c->training->observed, c->length, ctx->seed, &windows, &drawn);
    free(drawn);
    size_t needed = windows ? (ENOUGH_WINDOWS + windows - 1) / windows : 1;
    *count = needed < LF_MOST_REFITS ? needed : LF_MOST_REFITS;
    return status;
}

lf_status lf_calibration_create(lf_context *ctx, const lf_model *start, const lf_training *training,
                                const lf_fit_options *options, lf_calibration *calibration)
{
    *calibration = (lf_calibration){.ctx = ctx, .training = training, .options = options, .start = start};
    if (is(options->calibrate, "yes") && start->input_dim > 1) {
        lf_note(ctx, "--calibrate yes has no effect with %d inputs: windows are stretches of time", start->input_dim);
    }
    if (!applies(start, training, options)) {
        return LF_OK;
    }
    lf_status status = lf_gap_length(ctx, training->observed, &calibration->length);
    if (!status && !(calibration->length > 0) && is(options->calibrate, "yes")) {
        calibration->length = LF_WINDOW_SHARE * lf_data_summary_span(training->summary);
    }
    if (status || !(calibration->length > 0)) {
        return status;
    }
    status = count_refits(ctx, calibration, &calibration->count);
    if (status) {
        return status;
    }
    calibration->refits = calloc(calibration->count, sizeof *calibration->refits);
    return calibration->refits ? LF_OK : lf_no_memory(ctx);
}

void lf_calibration_clear(lf_calibration *calibration)
{
    for (size_t i = 0; calibration->refits && i < calibration->count; i++) {
        lf_refit_clear(&calibration->refits[i]);
    }
    free(calibration->refits);
    *calibration = (lf_calibration){0};
}

void lf_calibration_refit(lf_calibration *c, size_t i)
{
    lf_refit_run(c->ctx, c->start, c->training, c->options, c->length, i, NULL, NULL, &c->refits[i]);
}

/* ---- what follows ---- */

/* The factor of the variance. One that covers the wanted share of the rows left out covers somewhat less of others, because the windows are
 * few: several refits are asked for a little more. A single refit lacks more rows than the fit and is a poorer model, and its factor depends
 * on where its windows lie: it is joined by windows that are as the model says. */
static double find_factor(const lf_calibration *c, size_t n, const lf_held_row *rows, size_t windows)
{
    size_t others = windows < WINDOWS_OF_THE_MODEL ? windows : WINDOWS_OF_THE_MODEL;
    double weight = (double)windows / (double)(windows + others);
    return c->count > 1 ? lf_variance_factor(n, rows, 1, COVERED_BY_SEVERAL)
                        : lf_variance_factor(n, rows, weight, COVERED);
}

/* A refit that failed is no reason to give up the fit. */
static void note_failure(const lf_calibration *c, const lf_refit *refit)
{
    lf_note(c->ctx, "predictions in gaps could not be checked by windows left out: %s", refit->message);
}

lf_status lf_calibration_apply(lf_calibration *c, lf_model *model, lf_fit_result *result)
{
    size_t n = 0, windows = 0;
    for (size_t i = 0; i < c->count; i++) {
        const lf_refit *refit = &c->refits[i];
        if (refit->status) {
            note_failure(c, refit);
            return refit->status == LF_ERROR_MEMORY ? lf_no_memory(c->ctx) : LF_OK;
        }
        n += refit->count;
        windows += refit->windows;
    }
    if (n < LEAST_HELD) {
        return LF_OK;
    }
    lf_held_row *rows = calloc(n, sizeof *rows);
    if (!rows) {
        return lf_no_memory(c->ctx);
    }
    size_t used = 0;
    for (size_t i = 0; i < c->count; i++) {
        memcpy(rows + used, c->refits[i].rows, c->refits[i].count * sizeof *rows);
        used += c->refits[i].count;
    }
    double factor = find_factor(c, n, rows, windows), covered = lf_held_out_coverage(n, rows, 1);
    double reached = lf_held_out_coverage(n, rows, factor);
    free(rows);
    for (int d = 0; d < model->output_count; d++) {
        model->outputs[d].variance_inflation = factor > 1 ? factor : 0;
    }
    result->held_out_windows = windows;
    result->held_out_rows = n;
    result->held_out_coverage = covered;
    lf_note(c->ctx,
            "%zu windows of %.4g were left out of %zu refit%s: 95 %% intervals covered %.0f %% of their %zu rows%s",
            windows, c->length, c->count, lf_plural((size_t)c->count), 100 * result->held_out_coverage, n,
            factor > 1 ? "" : "; intervals stay as they are");
    if (factor > 1) {
        lf_note(
            c->ctx,
            "intervals are %.2f times as wide as the model says, which covers %.0f %% (--calibrate no leaves this out)",
            sqrt(factor), 100 * reached);
    }
    return LF_OK;
}
