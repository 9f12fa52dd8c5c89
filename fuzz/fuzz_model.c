/* Model files: any text is a model or a sentence; the prior covariance of a model and a draw from it are finite or a sentence. A model
 * that was read is written and read again. What follows the first 0 byte chooses the points. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void use(lf_context *ctx, const lf_model *model, fuzz_stream *request)
{
    static const char *const engines[] = {NULL, NULL, "dense", "lowrank"}, *const nodes[] = {
                                                                               NULL,  NULL,          "uniform",
                                                                               "qmc", "closed-form", "state-space",
                                                                               "mc",  "orthogonal"};
    double K[FUZZ_MOST_POINTS * FUZZ_MOST_POINTS], f[FUZZ_MOST_POINTS];
    fuzz_points chosen;
    unsigned kind = fuzz_byte(request);
    lf_engine_options options = {.size = sizeof options,
                                 .engine = engines[kind & 3],
                                 .nodes = nodes[kind >> 2 & 7],
                                 .features = kind >> 5 & 3 ? 8 * (kind >> 5 & 3) : 0};
    fuzz_choose_points(request, model, 2, &chosen);
    lf_status status = lf_covariance_list(ctx, model, &chosen.points, kind >> 7 ? NULL : &options, K);
    fuzz_check(ctx, status);
    if (status == LF_OK) {
        fuzz_check_finite("covariance", chosen.points.n * chosen.points.n, K);
    }
    status = lf_simulate_list(ctx, model, &chosen.points, NULL, f);
    fuzz_check(ctx, status);
    if (status == LF_OK) {
        fuzz_check_finite("draw", chosen.points.n, f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    lf_context *ctx = fuzz_context();
    lf_model *model = NULL;
    char *text = fuzz_text(bytes, size);
    size_t length = strlen(text) + 1;
    fuzz_stream request = {.at = bytes + length, .left = size > length ? size - length : 0};
    lf_status status = lf_model_parse(ctx, text, "fuzz", &model);
    fuzz_check(ctx, status);
    if (status == LF_OK) {
        fuzz_describe(model);
    }
    if (status == LF_OK && (int)lf_model_count(model, LF_KIND_INPUT) <= FUZZ_MOST_INPUTS &&
        (int)lf_model_count(model, LF_KIND_OUTPUT) > 0) {
        use(ctx, model, &request);
    }
    lf_model_free(model);
    free(text);
    lf_context_free(ctx);
    fuzz_end(size);
    return 0;
}
