/* The memory of a fit, as estimated: that of its starts, and that of its posterior on its own. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "engine/engine.h"
#include "fit/fit_plan.h"

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

/* The Hessian of standard errors, its eigenvectors and work. */
static double error_bytes(const lf_model *model, const lf_fit_options *options)
{
    double count = (double)lf_free_parameters(model, NULL);
    int wanted = is(options->errors, "yes") || (!is(options->errors, "no") && count <= LF_FEW_FREE);
    return wanted ? 4 * sizeof(double) * count * count : 0;
}

/* The model as a fit by this engine starts: within the limits of its prior, which may ask for fewer frequencies. */
static lf_status clamped_copy(lf_context *ctx, const lf_model *model, const lf_training *training,
                              const lf_fit_options *options, lf_model **copy)
{
    lf_prior prior = {0};
    lf_status status = lf_model_copy(ctx, model, copy);
    LF_TRY(status, lf_prior_create(ctx, model, training->summary,
                                   (lf_prior_options){.kind = options->prior, .resolves_lengthscales = 1}, &prior));
    LF_TRY(status, lf_clamp_to_bounds(ctx, &prior, *copy));
    lf_prior_clear(&prior);
    return status;
}

/* The estimate for the starts, and for the posterior on its own. */
static double sum_up(const lf_rows *rows, const lf_engine_choice *choice, const lf_model *model,
                     const lf_fit_options *options, double starts)
{
    static const lf_context alone;
    const lf_memory_estimate *m = &choice->memory;
    double one = lf_engine_bytes(&alone, rows, m) - m->work, posterior = m->posterior + m->diagnosis;
    /* an engine whose frequencies move is made anew beside the old one */
    double moving = choice->class->needs_regrid ? fmax(m->state - m->work, 0) : 0;
    return fmax(starts + moving, one + fmax(posterior, m->work)) + error_bytes(model, options);
}

/* The posterior has a finer tolerance than the fit, unless that is beyond the limit. */
static double posterior_bytes(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                              const lf_fit_options *options)
{
    lf_engine_choice final;
    double bytes = 0;
    size_t engines = ctx->engines;
    ctx->engines = 0;
    lf_status status = lf_engine_estimate(ctx, model, rows, &options->engine, &final, &bytes);
    ctx->engines = engines;
    bytes += status ? 0 : fmax(final.memory.posterior + final.memory.diagnosis - final.memory.work, 0);
    return status || bytes > lf_memory_limit(ctx) ? 0 : bytes;
}

lf_status lf_fit_bytes(lf_context *ctx, const lf_model *model, const lf_training *training,
                       const lf_fit_options *options, lf_engine_choice *choice, double *bytes)
{
    lf_fit_options filled = lf_fit_defaults(model, options);
    lf_rows rows;
    lf_model *start = NULL;
    double starts;
    *bytes = INFINITY;
    lf_status status = lf_rows_create(ctx, model, training->data, &rows);
    if (status) {
        return status;
    }
    status = lf_engine_estimate(ctx, model, &rows, &filled.engine, choice, &starts);
    int resolves =
        !status && choice->class->resolves_lengthscales && choice->class->resolves_lengthscales(model, &filled.engine);
    if (resolves) {
        status = clamped_copy(ctx, model, training, &filled, &start);
        LF_TRY(status, lf_engine_estimate(ctx, start, &rows, &filled.engine, choice, &starts));
    }
    if (!status && isfinite(choice->cost)) {
        *bytes = sum_up(&rows, choice, model, options, starts);
    }
    if (!status && resolves && !(options->engine.tolerance > 0)) {
        *bytes = fmax(*bytes, posterior_bytes(ctx, start, &rows, options));
    }
    lf_model_free(start);
    lf_rows_clear(&rows);
    return status;
}
