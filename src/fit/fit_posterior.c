/* What follows an optimisation: standard errors, the posterior, and how well the rows agree with it. */
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/processes.h"
#include "engine/engine.h"
#include "fit/fit_work.h"

static int is(const char *text, const char *word) { return text && strcmp(text, word) == 0; }

lf_status lf_fit_find_errors(lf_fit_work *w)
{
    lf_fit_result *result = w->result;
    if (is(w->options.errors, "no") || result->cancelled) {
        return LF_OK;
    }
    if (!is(w->options.errors, "yes") && result->free_count > LF_FEW_FREE) {
        double each = result->seconds / (double)(result->evaluations + 1);
        lf_note(w->ctx, "standard errors of %zu parameters would take about %.0f s more; --errors yes computes them",
                result->free_count, 2 * each * (double)result->free_count);
        return LF_OK;
    }
    lf_training training = lf_fit_training(w);
    training.reference = NULL;
    lf_status status = lf_standard_errors(w->ctx, w->model, &training, &w->options, result);
    return status == LF_ERROR_CANCELLED ? LF_OK : status;
}

/* The engine of the posterior has a tolerance of its own, finer than that of the fit; where that is too much, for memory or otherwise, a
 * long fit should not end without a model. */
static lf_status create_final_engine(const lf_fit_work *w, lf_engine_options options, lf_engine **engine)
{
    const lf_data *rows = w->share ? w->share : w->training;
    lf_status status = lf_engine_create(w->ctx, w->model, rows, &options, engine);
    if (status != LF_ERROR_UNSUPPORTED || options.tolerance > 0) {
        return status;
    }
    char why[sizeof w->ctx->message];
    memcpy(why, w->ctx->message, sizeof why);
    options.tolerance = lf_fit_defaults(w->model, &w->options).engine.tolerance;
    status = lf_engine_create(w->ctx, w->model, rows, &options, engine);
    if (!status) {
        lf_note(w->ctx, "the posterior has the tolerance %g of the fit: %s", options.tolerance, why);
    }
    return status;
}

/* The reported log likelihood is that of the engine of the posterior, which the rows then judge. On one thread, because the model must not depend on their
 * number. */
lf_status lf_fit_store_posterior(lf_fit_work *w)
{
    lf_engine_options options = w->options.engine;
    lf_engine *engine = NULL;
    lf_posterior *posterior = NULL;
    int threads = w->ctx->threads;
    w->ctx->threads = 1;
    w->ctx->engines = 0; /* those of the starts are gone */
    options.ahead = w->ahead;
    options.behind = w->behind;
    lf_give_back_memory();
    lf_status status = create_final_engine(w, options, &engine);
    LF_TRY(status, lf_engine_evaluate(engine, 0, NULL, &w->result->log_likelihood, NULL));
    if (!status) {
        lf_engine_info info = lf_engine_describe(engine);
        w->result->engine = info.engine;
        w->result->nodes = info.nodes;
        w->result->columns = info.columns;
    }
    LF_TRY(status, lf_engine_posterior(engine, &posterior));
    if (!status && !w->options.no_posterior) {
        status = lf_posterior_store(posterior, w->model);
    }
    lf_status judged = status ? status : lf_diagnose(posterior, w->training, &w->diagnosis);
    judged = w->share ? lf_agree(w->ctx, judged) : judged;
    if (!status && judged && judged != LF_ERROR_MEMORY) {
        lf_note(w->ctx, "the fit cannot be judged by its residuals: %s", lf_message(w->ctx));
    } else {
        status = judged;
    }
    lf_posterior_free(posterior);
    lf_engine_free(engine);
    w->ctx->threads = threads;
    return status;
}
