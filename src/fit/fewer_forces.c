/* Principal components know no dynamics: outputs that follow the same force at different rates have several of them, and over a span of few
 * time scales chance gives them more. Where fewer forces may do, both models are fitted without the same windows. */
#include "fit/fewer_forces.h"

#include <math.h>

#include "base/context.h"
#include "base/parallel.h"
#include "data/data.h"
#include "engine/engine.h"
#include "fit/calibration.h"
#include "fit/first_stage.h"
#include "fit/fit_plan.h"
#include "fit/held_out.h"

#define COVERED 0.95                 /* of the rows of windows by 95 % intervals, of both models */
#define MOST_WORK (LF_MOST_WORK / 2) /* of one refit; the fit that follows takes as long */

typedef struct comparison {
    const lf_context *ctx;
    const lf_training *training;
    const lf_fit_options *options;
    const lf_model *models[2];
    double length; /* of the windows */
    lf_refit refits[2];
} comparison;

/* A model of a comparison. */
typedef struct candidate {
    const comparison *comparison;
    size_t index;
} candidate;

static int report(void *user, const lf_progress *progress)
{
    const candidate *of = user;
    lf_progress passed = *progress;
    passed.stage = "selection";
    passed.item = of->index;
    passed.items = 2;
    return lf_monitor_pass_on(of->comparison->training->monitor, &passed);
}

static void refit(void *user, size_t i)
{
    comparison *c = user;
    candidate of = {c, i};
    /* other windows than those of the calibration: what was chosen by its windows would look too good there */
    lf_refit_run(c->ctx, c->models[i], c->training, c->options, c->length, LF_MOST_REFITS, report, &of, &c->refits[i]);
}

/* The mean log density of the rows in the windows, each model with intervals as wide as they need; -infinite: there is none. */
static lf_status find_density(lf_context *ctx, const lf_refit *r, double *density)
{
    *density = -(double)INFINITY;
    if (r->status || !r->count) {
        return r->status == LF_ERROR_MEMORY ? lf_no_memory(ctx) : LF_OK;
    }
    *density = lf_held_out_density(r->count, r->rows, lf_variance_factor(r->count, r->rows, 1, COVERED));
    return LF_OK;
}

/* The threads on which refits of the model fit into memory; 0: one takes too long. */
static lf_status find_threads(lf_context *ctx, const lf_model *model, const lf_training *training,
                              const lf_fit_options *options, int *threads)
{
    lf_engine_choice choice;
    double bytes, work = INFINITY;
    lf_status status = lf_fit_bytes(ctx, model, training, options, &choice, &bytes);
    if (!status && isfinite(bytes)) {
        status = lf_expected_work(ctx, model, training, options, choice.cost, &work);
    }
    *threads = work > MOST_WORK ? 0 : lf_fits_within_memory(ctx, bytes, lf_threads(ctx));
    return status;
}

lf_status lf_try_fewer_forces(lf_context *ctx, const lf_training *training, int fewer, lf_fit_options *options,
                              lf_model **model)
{
    lf_fit_options changed = *options;
    lf_model *other = NULL;
    int threads = 0;
    double density[2] = {0};
    comparison c = {.ctx = ctx, .training = training, .options = options};
    changed.shape.forces = fewer;
    /* what follows gives the model fixed parameters and inducing inputs, which may be those of one number of forces */
    int made = !options->fixed.count && !options->freed.count && !options->engine.inducing;
    lf_status status = made ? find_threads(ctx, *model, training, options, &threads) : LF_OK;
    if (status || !threads) {
        return status;
    }
    status = lf_gap_length(ctx, training->observed, &c.length);
    c.length = c.length > 0 ? c.length : LF_WINDOW_SHARE * lf_data_summary_span(training->summary);
    LF_TRY(status, lf_shaped_model(ctx, training, &changed, &changed.shape, &other));
    if (!status) {
        c.models[0] = *model;
        c.models[1] = other;
        lf_parallel_tasks(threads, 2, refit, &c);
    }
    for (int i = 0; !status && i < 2; i++) {
        status = find_density(ctx, &c.refits[i], &density[i]);
    }
    if (!status && density[1] > density[0]) {
        lf_note(ctx,
                "%d forces instead of %d: they predict %zu windows of %.4g that were left out better (mean "
                "log density %.3f, %.3f)",
                fewer, options->shape.forces, c.refits[1].windows, c.length, density[1], density[0]);
        options->shape.forces = fewer;
        lf_model_free(*model);
        *model = other;
        other = NULL;
    }
    lf_model_free(other);
    lf_refit_clear(&c.refits[0]);
    lf_refit_clear(&c.refits[1]);
    return status;
}
