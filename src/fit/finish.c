/* What follows an optimisation: standard errors, the posterior, and how well the rows agree with it. */
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/processes.h"
#include "data/data.h"
#include "engine/engine.h"
#include "fit/pipeline.h"
#include "inference/standard_errors.h"

lf_status lf_fit_errors(lf_pipeline *f)
{
    const lf_optimum *found = &f->optimum;
    lf_report_errors(f);
    if (f->plan.errors == LF_CHOICE_NO || lf_fit_is_cut(f)) {
        return LF_OK;
    }
    if (!lf_finds_errors(&f->plan, found->free_count)) {
        double each = lf_seconds_of_evaluation(f);
        lf_note(f->ctx, "standard errors of %zu parameters would take about %.0f s more; --errors yes computes them",
                found->free_count, 2 * each * (double)found->free_count);
        return LF_OK;
    }
    if (lf_is_too_long(f, 2 * (double)found->free_count * lf_seconds_of_evaluation(f) / lf_threads(f->ctx))) {
        lf_report_decide(f->report, "their time would end after --max-seconds", "no standard errors");
        lf_note(f->ctx, "no standard errors: their computation would end after --max-seconds %g", f->seconds);
        return LF_OK;
    }
    lf_status status = lf_standard_errors(f->ctx, f->problem, &f->structure, &f->prior, &f->monitor, f->optimum.model,
                                          f->result, &f->report->evaluations);
    return status == LF_ERROR_CANCELLED ? LF_OK : status;
}

/* The engine of the posterior has a tolerance of its own, finer than that of the fit; where that is too much, for memory or otherwise, a
 * long fit should not end without a model. */
static lf_status create_engine(lf_pipeline *f, lf_engine **engine)
{
    lf_engine_options options = f->structure.engine;
    options.ahead = f->problem->ahead;
    options.behind = f->problem->behind;
    lf_status status = lf_engine_create(f->ctx, f->optimum.model, lf_problem_rows(f->problem), &options, engine);
    if (status != LF_ERROR_UNSUPPORTED || options.tolerance > 0) {
        return status;
    }
    char why[sizeof f->ctx->message];
    memcpy(why, f->ctx->message, sizeof why);
    options.tolerance = f->structure.fitting.tolerance;
    status = lf_engine_create(f->ctx, f->optimum.model, lf_problem_rows(f->problem), &options, engine);
    if (!status) {
        lf_note(f->ctx, "the posterior has the tolerance %g of the fit: %s", options.tolerance, why);
    }
    return status;
}

/* The reported log likelihood is that of this engine. */
static lf_status evaluate(lf_pipeline *f, lf_engine *engine)
{
    lf_status status = lf_engine_evaluate(engine, 0, NULL, &f->result->log_likelihood, NULL);
    if (!status) {
        lf_engine_info info = lf_engine_describe(engine);
        f->result->engine = info.engine;
        f->result->nodes = info.nodes;
        f->result->columns = info.columns;
        f->report->evaluations++;
        lf_report_decide(f->report,
                         f->plan.engine.engine        ? "as given"
                         : f->structure.engine.engine ? "as selected"
                                                      : "fewest operations of those within memory",
                         "%s engine", info.engine);
    }
    return status;
}

/* Rows that cannot be judged are no reason to give up the fit. */
static lf_status judge(lf_pipeline *f, lf_posterior *posterior)
{
    lf_status status = lf_diagnose(posterior, f->problem->training, &f->diagnosis);
    status = f->problem->local ? lf_agree(f->ctx, status) : status;
    if (status && status != LF_ERROR_MEMORY) {
        lf_note(f->ctx, "the fit cannot be judged by its residuals: %s", lf_context_message(f->ctx));
        status = LF_OK;
    }
    return status;
}

static lf_status store_posterior(lf_pipeline *f)
{
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    lf_give_back_memory();
    lf_status status = create_engine(f, &engine);
    LF_TRY(status, evaluate(f, engine));
    LF_TRY(status, lf_engine_posterior(engine, &posterior));
    if (!status && f->plan.stores_posterior) {
        status = lf_posterior_store(posterior, f->optimum.model);
    }
    status = f->problem->local ? lf_agree(f->ctx, status) : status;
    LF_TRY(status, judge(f, posterior));
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    return status;
}

lf_status lf_fit_finish(lf_pipeline *f)
{
    int threads = f->ctx->threads;
    f->ctx->threads = 1; /* the model must not depend on their number */
    lf_status status = store_posterior(f);
    f->ctx->threads = threads;
    LF_TRY(status, lf_fit_add_provenance(f));
    return status || !f->diagnosis ? status : lf_diagnosis_store(f->ctx, f->diagnosis, f->optimum.model);
}
