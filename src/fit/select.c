/* Which shape of model: short fits of each candidate to the training rows, compared by their marginal likelihood less half
 * a log(rows) for every free parameter (Schwarz 1978). */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "fit/draft.h"
#include "fit/objective.h"

enum { SHORT = 80 }; /* iterations of a candidate's fit */

static const char *const operators[] = {"ode1", "ode2"};
static const char *const kernels[] = {"eq", "matern52", "matern32", "matern12"};
static const int force_counts[] = {1, 2, 3, 4, 6, 8};

#define COUNT(list) (sizeof(list) / sizeof *(list))

typedef struct contest {
    lf_context *ctx;
    const lf_data *data;
    const lf_draft_options *draft;
    lf_fit_options options;
    lf_candidate *candidates;
    lf_status failure; /* of the last that failed */
    size_t failures;
} contest;

static lf_status try_candidate(lf_context *own, const contest *c, lf_candidate *candidate)
{
    lf_draft_options draft = *c->draft;
    lf_model *model = NULL;
    lf_fit_result result = {0};
    draft.operator_type = candidate->operator_type;
    draft.force_kernel = candidate->force_kernel;
    draft.forces = candidate->forces;
    lf_status status = lf_model_draft(own, c->data, &draft, &model);
    status = status ? status : lf_fit(own, model, c->data, &c->options, &result);
    if (!status) {
        candidate->forces = model->force_count / (draft.copies > 0 ? draft.copies : 1);
        candidate->parameters = result.free_count;
        candidate->log_likelihood = result.log_likelihood;
        candidate->score =
            result.log_likelihood - 0.5 * (double)result.free_count * log((double)lf_data_count(c->data));
        lf_fit_result_clear(&result);
    }
    lf_model_free(model);
    return status;
}

static void compete(void *user, size_t i)
{
    contest *c = user;
    lf_context *own = lf_context_create();
    lf_candidate *candidate = &c->candidates[i];
    candidate->log_likelihood = candidate->score = -(double)INFINITY;
    lf_status status = LF_ERROR_MEMORY;
    if (own) {
        lf_set_seed(own, c->ctx->seed);
        own->threads = 1;
        status = try_candidate(own, c, candidate);
    }
    if (status) {
#pragma omp critical(lf_select)
        {
            c->failures++;
            c->failure = lf_fail(c->ctx, status, "%s with %s forces: %s", candidate->operator_type,
                                 candidate->force_kernel, own ? lf_message(own) : "out of memory");
        }
    }
    lf_context_free(own);
}

/* Tries the candidates; the best of them goes into the draft. */
static lf_status hold(contest *c, lf_candidate *candidates, size_t count, lf_draft_options *draft)
{
    c->candidates = candidates;
    c->failures = 0;
    lf_side_by_side(lf_threads(c->ctx), count, compete, c);
    if (c->failures == count) {
        return c->failure;
    }
    const lf_candidate *best = candidates;
    for (size_t i = 1; i < count; i++) {
        best = candidates[i].score > best->score ? &candidates[i] : best;
    }
    draft->operator_type = best->operator_type;
    draft->force_kernel = best->force_kernel;
    draft->forces = best->forces;
    return LF_OK;
}

lf_status lf_select(lf_context *ctx, const lf_data *data, int what, lf_draft_options *draft,
                    const lf_fit_options *options, lf_candidate *candidates, size_t *count)
{
    static const lf_fit_options defaults;
    contest c = {.ctx = ctx, .data = data, .draft = draft};
    int several = lf_data_input_dim(data) > 1, outputs = lf_data_output_count(data);
    const char *usual = draft->operator_type ? draft->operator_type : several ? "gaussian" : "ode1";
    c.options = options ? *options : defaults;
    size_t most = c.options.max_iterations;
    lf_status status = LF_OK;
    *count = 0;
    if (several && (what & LF_SELECT_OPERATOR)) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "with %d inputs there is no choice of operators: gaussian is the only one",
                       lf_data_input_dim(data));
    }
    c.options.max_iterations = most && most < SHORT ? most : SHORT;
    c.options.restarts = 1;
    c.options.prior = LF_PRIOR_WEAK; /* likelihoods are compared */
    c.options.progress = NULL;
    c.options.checkpoint = NULL;
    c.options.resume = 0;
    if (!(what & LF_SELECT_KERNEL)) {
        lf_draft_kernels(draft, outputs, lf_data_input_dim(data));
    }
    for (size_t o = 0; o < (what & LF_SELECT_OPERATOR ? COUNT(operators) : 1); o++) {
        for (size_t k = 0; k < (what & LF_SELECT_KERNEL ? COUNT(kernels) : 1); k++) {
            candidates[(*count)++] =
                (lf_candidate){.operator_type = what & LF_SELECT_OPERATOR ? operators[o] : usual,
                               .force_kernel = what & LF_SELECT_KERNEL ? kernels[k] : draft->force_kernel,
                               .forces = draft->forces};
        }
    }
    if (what & (LF_SELECT_OPERATOR | LF_SELECT_KERNEL)) {
        status = hold(&c, candidates, *count, draft);
    } else {
        *count = 0;
    }
    if (!status && (what & LF_SELECT_FORCES)) {
        lf_candidate *first = candidates + *count;
        size_t tried = 0;
        for (size_t i = 0; i < COUNT(force_counts) && force_counts[i] <= (outputs > 1 ? outputs + 2 : 1); i++) {
            first[tried++] = (lf_candidate){.operator_type = draft->operator_type ? draft->operator_type : usual,
                                            .force_kernel = draft->force_kernel,
                                            .forces = force_counts[i]};
        }
        *count += tried;
        status = hold(&c, first, tried, draft);
    }
    return status;
}
