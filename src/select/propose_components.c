/* Principal components know no dynamics: outputs that follow the same force at different rates have several of them, and over a span of few
 * time scales chance gives them more. Where fewer forces may do, both models are fitted without the same windows, and the density of the
 * rows in these decides. */
#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "base/workers.h"
#include "inference/estimate.h"
#include "inference/first_stage.h"
#include "select/select.h"
#include "start/start.h"
#include "validate/refit.h"
#include "validate/windows.h"

typedef struct comparison {
    const lf_search *search;
    const lf_structure *structures[2];
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
    return lf_monitor_pass_on(of->comparison->search->monitor, &passed);
}

static void refit(void *user, lf_context *worker, size_t i)
{
    comparison *c = user;
    const lf_search *search = c->search;
    candidate of = {c, i};
    const lf_refit_windows windows = {
        /* others than those of the calibration: what was chosen by these would look too good there */
        .length = c->length,
        .number = (size_t)lf_threshold.refits,
        .progress = report,
        .user = &of};
    lf_refit_run(worker, search->problem, search->plan, c->structures[i], &windows, &c->refits[i]);
}

/* The mean log density of the rows in the windows, each model with intervals as wide as they need; -infinite: there is none. */
static lf_status find_density(lf_context *ctx, const lf_refit *r, double *density)
{
    *density = -(double)INFINITY;
    if (r->status || !r->count) {
        return r->status == LF_ERROR_MEMORY ? lf_no_memory(ctx) : LF_OK;
    }
    double factor = lf_variance_factor(r->count, r->rows, 1, lf_threshold.fewer_covered);
    *density = lf_held_out_density(r->count, r->rows, factor);
    return LF_OK;
}

/* The bytes of a refit; *cheap 0: it takes too long. */
static lf_status estimate(lf_search *search, double *bytes, int *cheap)
{
    lf_fit_estimate e;
    double work = INFINITY;
    lf_status status = lf_estimate_fit(search->ctx, search->problem, search->plan, search->best, &e);
    if (!status && isfinite(e.bytes)) {
        status = lf_expected_work(search->ctx, search->problem, search->best, e.choice.cost, &work);
    }
    *bytes = e.bytes;
    *cheap = !status && work <= lf_threshold.fewer_work;
    return status;
}

/* The densities of both in the same windows. */
static lf_status compare(comparison *c, double bytes, double density[2])
{
    lf_context *ctx = c->search->ctx;
    const lf_problem *problem = c->search->problem;
    lf_status status = lf_gap_length(ctx, problem->observed, &c->length);
    c->length = c->length > 0 ? c->length : lf_threshold.window_share * lf_data_summary_span(problem->summary);
    LF_TRY(status, lf_workers_run(ctx, bytes, 0, 2, refit, c));
    for (int i = 0; !status && i < 2; i++) {
        c->search->report->evaluations += c->refits[i].evaluations;
        status = find_density(ctx, &c->refits[i], &density[i]);
    }
    return status;
}

/* Notes and reports which number of forces was chosen. */
static void note_choice(const comparison *c, const double density[2])
{
    int taken = density[1] > density[0], forces[2] = {c->structures[0]->shape.forces, c->structures[1]->shape.forces};
    char reason[200];
    if (taken) {
        snprintf(reason, sizeof reason,
                 "they predict %zu windows of %.4g that were left out better (mean log density %.3f, %.3f)",
                 c->refits[1].windows, c->length, density[1], density[0]);
        lf_note(c->search->ctx, "%d forces instead of %d: %s", forces[1], forces[0], reason);
    } else {
        snprintf(reason, sizeof reason, "mean log density %.3f in windows left out, %.3f with %d", density[0],
                 density[1], forces[1]);
    }
    lf_report_decide(c->search->report, reason, "%d forces", forces[taken]);
}

lf_status lf_propose_components(lf_search *search)
{
    const lf_fit_plan *plan = search->plan;
    lf_structure fewer = lf_structure_like(search->best);
    comparison c = {.search = search, .structures = {search->best, &fewer}};
    double bytes = 0, density[2] = {0};
    int cheap = 0;
    /* fixed parameters may be those of one number of forces, and what was taken because of a limit stays */
    int free = !plan->fixed->count && !plan->freed->count && !search->best->engine.inducing && !*search->best->words;
    if (!plan->fewer_forces || !free) {
        return LF_OK;
    }
    lf_status status = estimate(search, &bytes, &cheap);
    if (status || !cheap) {
        return status;
    }
    fewer.shape.forces = plan->fewer_forces;
    fewer.prior = LF_PRIOR_DEFAULT; /* that of its own number of parameters */
    status = lf_start_shape(search->ctx, search->problem, plan, &fewer);
    LF_TRY(status, compare(&c, bytes, density));
    if (!status) {
        note_choice(&c, density);
    }
    if (!status && density[1] > density[0]) {
        lf_structure_move(&fewer, search->best);
    }
    lf_structure_clear(&fewer);
    lf_refit_clear(&c.refits[0]);
    lf_refit_clear(&c.refits[1]);
    return status;
}
