/* Stored posteriors: a model file, of which every posterior predicts and draws finite numbers or is refused with a sentence. What
 * follows the first 0 byte is the request: points, newer rows, whether a joint covariance is asked for. A posterior that was restored
 * and stored again gives the same numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "report/diagnosis.h"
#include "report/remarks.h"

typedef struct answer {
    lf_status status;
    double mean[FUZZ_MOST_POINTS], variance[FUZZ_MOST_POINTS], covariance[FUZZ_MOST_POINTS * FUZZ_MOST_POINTS];
} answer;

static void ask(lf_context *ctx, lf_posterior *posterior, const lf_point_list *points, int joint, answer *a)
{
    memset(a, 0, sizeof *a);
    a->status = lf_predict_list(posterior, points, a->mean, a->variance, joint ? a->covariance : NULL);
    fuzz_check(ctx, a->status);
    if (a->status == LF_OK) {
        fuzz_check_finite("mean", points->n, a->mean);
        fuzz_check_finite("variance", points->n, a->variance);
        fuzz_check_finite("covariance", points->n * points->n, a->covariance);
        for (size_t i = 0; i < points->n; i++) {
            if (a->variance[i] < 0) {
                fuzz_fail("variance %zu is %g", i, a->variance[i]);
            }
        }
    }
}

/* Newer rows of the replicates; only the kalman engine takes them. */
static void update(lf_context *ctx, fuzz_stream *request, const lf_model *model, lf_posterior *posterior)
{
    lf_data *rows = NULL;
    if (lf_data_create(ctx, (size_t)(int)lf_model_count(model, LF_KIND_INPUT), &rows) != LF_OK) {
        abort();
    }
    for (int i = fuzz_below(request, 4); i >= 0; i--) {
        double x[FUZZ_MOST_INPUTS];
        int output = fuzz_below(request, (int)lf_model_count(model, LF_KIND_OUTPUT)),
            replicate = fuzz_below(request, fuzz_replicates(posterior));
        for (int k = 0; k < (int)lf_model_count(model, LF_KIND_INPUT); k++) {
            x[k] = fuzz_number(request);
        }
        fuzz_check(ctx, lf_data_add(ctx, rows,
                                    &(lf_row){.size = sizeof(lf_row),
                                              .output = lf_model_name(model, LF_KIND_OUTPUT, (size_t)output),
                                              .replicate = lf_posterior_name(posterior, (size_t)replicate),
                                              .x = x,
                                              .y = fuzz_number(request),
                                              .sd = fuzz_below(request, 3) ? 0 : fuzz_number(request)}));
    }
    fuzz_check(ctx, lf_posterior_update(ctx, posterior, rows, "rows"));
    lf_data_free(rows);
}

static void store_again(lf_context *ctx, const lf_model *model, lf_posterior *posterior, const lf_point_list *points,
                        int joint, const answer *before)
{
    lf_model *copy = NULL;
    lf_posterior *again = NULL;
    answer after;
    fuzz_check(ctx, lf_model_copy(ctx, model, &copy));
    fuzz_check(ctx, lf_posterior_store(posterior, copy));
    lf_status status = lf_posterior_restore(ctx, copy, &again);
    fuzz_check(ctx, status);
    if (status != LF_OK) {
        fuzz_fail("stored again, but not restored: %s", lf_context_message(ctx));
    }
    ask(ctx, again, points, joint, &after);
    if (memcmp(before, &after, sizeof after) != 0) {
        fuzz_fail("stored again, it predicts other numbers");
    }
    lf_posterior_free(again);
    lf_model_free(copy);
}

static void use(lf_context *ctx, const lf_model *model, lf_posterior *posterior, fuzz_stream *request)
{
    fuzz_points chosen;
    answer first;
    double samples[3 * FUZZ_MOST_POINTS];
    unsigned kind = request->left ? fuzz_byte(request) : 1 | 2 << 1 | 8;
    size_t draws = kind >> 1 & 3;
    fuzz_choose_points(request, model, fuzz_replicates(posterior), &chosen);
    ask(ctx, posterior, &chosen.points, kind & 1, &first);
    if (draws && lf_draw_list(posterior, &chosen.points, draws, samples) == LF_OK) {
        fuzz_check_finite("sample", draws * chosen.points.n, samples);
    }
    fuzz_check(ctx, lf_posterior_get(ctx, posterior, &(lf_posterior_info){.size = sizeof(lf_posterior_info)}));
    if (kind & 8) {
        store_again(ctx, model, posterior, &chosen.points, kind & 1, &first);
    }
    if (kind & 16) {
        update(ctx, request, model, posterior);
        ask(ctx, posterior, &chosen.points, kind & 1, &first);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    lf_context *ctx = fuzz_context();
    lf_model *model = NULL;
    lf_posterior *posterior = NULL;
    lf_diagnosis *diagnosis = NULL;
    lf_verdict *verdict = NULL;
    char *text = fuzz_text(bytes, size);
    size_t length = strlen(text) + 1;
    fuzz_stream request = {.at = bytes + length, .left = size > length ? size - length : 0};
    lf_status status = lf_model_parse(ctx, text, "fuzz", &model);
    fuzz_check(ctx, status);
    if (status == LF_OK && (int)lf_model_count(model, LF_KIND_INPUT) <= FUZZ_MOST_INPUTS) {
        fuzz_check(ctx, lf_diagnosis_restore(ctx, model, &diagnosis));
        fuzz_check(ctx, lf_verdict_create(ctx, model, &verdict));
        status = lf_posterior_restore(ctx, model, &posterior);
        fuzz_check(ctx, status);
        if (status == LF_OK) {
            use(ctx, model, posterior, &request);
        }
    }
    lf_verdict_free(verdict);
    lf_diagnosis_free(diagnosis);
    lf_posterior_free(posterior);
    lf_model_free(model);
    free(text);
    lf_context_free(ctx);
    fuzz_end(size);
    return 0;
}
