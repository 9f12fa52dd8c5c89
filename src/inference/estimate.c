/* The memory of a fit, as estimated: that of its starts, and that of its posterior on its own. */
#include "inference/estimate.h"

#include <math.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "engine/engine.h"
#include "inference/first_stage.h"
#include "inference/prior.h"

/* The Hessian of standard errors, its eigenvectors and work. */
static double error_bytes(const lf_fit_plan *plan, const lf_structure *s)
{
    double count = (double)lf_free_parameters(s->start, NULL);
    return lf_finds_errors(plan, (size_t)count) ? 4 * sizeof(double) * count * count : 0;
}

/* The model as a fit by this engine starts: within the limits of its prior, which may ask for fewer frequencies. */
static lf_status clamped_copy(lf_context *ctx, const lf_problem *problem, const lf_structure *s, lf_model **copy)
{
    lf_prior prior = {0};
    lf_status status = lf_model_copy(ctx, s->start, copy);
    LF_TRY(status, lf_prior_of_model(ctx, problem, s->start,
                                     (lf_prior_options){.kind = s->prior, .resolves_lengthscales = 1}, &prior));
    LF_TRY(status, lf_clamp_to_bounds(ctx, &prior, *copy));
    lf_prior_clear(&prior);
    return status;
}

/* The estimate for the starts, and for the posterior on its own. */
static double sum_up(const lf_rows *rows, const lf_engine_choice *choice, double starts)
{
    static const lf_context alone;
    const lf_memory_estimate *m = &choice->memory;
    double one = lf_engine_bytes(&alone, rows, m) - m->work, posterior = m->posterior + m->diagnosis;
    /* an engine whose frequencies move is made anew beside the old one */
    double moving = choice->class->needs_regrid ? fmax(m->state - m->work, 0) : 0;
    return fmax(starts + moving, one + fmax(posterior, m->work));
}

/* The posterior has a finer tolerance than the fit, unless that is beyond the limit. */
static double posterior_bytes(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                              const lf_engine_options *options)
{
    lf_engine_choice final;
    double bytes = 0;
    size_t engines = ctx->engines;
    ctx->engines = 0;
    lf_status status = lf_engine_estimate(ctx, model, rows, options, &final, &bytes);
    ctx->engines = engines;
    bytes += status ? 0 : fmax(final.memory.posterior + final.memory.diagnosis - final.memory.work, 0);
    return status || bytes > lf_memory_limit(ctx) ? 0 : bytes;
}

/* Bytes of a fit, whose starts have an engine each. */
static lf_status estimate_bytes(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan,
                                const lf_structure *s, lf_fit_estimate *e)
{
    const lf_engine_options *options = &s->fitting;
    lf_rows rows;
    lf_model *start = NULL;
    double starts;
    lf_status status = lf_rows_create(ctx, s->start, problem->training, &rows);
    if (status) {
        return status;
    }
    status = lf_engine_estimate(ctx, s->start, &rows, options, &e->choice, &starts);
    int resolves = !status && e->choice.resolves_lengthscales;
    if (resolves) {
        status = clamped_copy(ctx, problem, s, &start);
        LF_TRY(status, lf_engine_estimate(ctx, start, &rows, options, &e->choice, &starts));
    }
    if (!status && isfinite(e->choice.cost)) {
        e->bytes = sum_up(&rows, &e->choice, starts) + error_bytes(plan, s);
    }
    if (!status && resolves && !(s->engine.tolerance > 0)) {
        e->bytes = fmax(e->bytes, posterior_bytes(ctx, start, &rows, &s->engine));
    }
    lf_model_free(start);
    lf_rows_clear(&rows);
    return status;
}

lf_status lf_estimate_fit(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                          lf_fit_estimate *e)
{
    int limited = s->prior == LF_PRIOR_FIRM && problem->training->input_dim == 1;
    size_t engines = ctx->engines;
    *e = (lf_fit_estimate){.bytes = INFINITY, .work = INFINITY};
    ctx->engines = s->restarts;
    lf_status status = estimate_bytes(ctx, problem, plan, s, e);
    if (!status && isfinite(e->choice.cost)) {
        e->work = 0;
        status = limited ? lf_expected_work(ctx, problem, s, e->choice.cost, &e->work) : LF_OK;
    }
    ctx->engines = engines;
    return status;
}
