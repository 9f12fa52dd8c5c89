/* Model files: any text is a model or a sentence; the prior covariance of a model and a draw from it are finite or a sentence, and a
 * stored posterior predicts or is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { POINTS = 6, MOST_INPUTS = 4 };

/* Points at a few inputs, over outputs, forces and rates. */
static void fill(const lf_model *model, int *target, double *x)
{
    static const double inputs[POINTS] = {0, 0.5, 1, 2, 5, 10};
    int p = lf_model_input_dim(model), outputs = lf_model_output_count(model);
    int targets = 2 * outputs + lf_model_force_count(model);
    for (int i = 0; i < POINTS; i++) {
        target[i] = (p > 1 ? outputs + lf_model_force_count(model) : targets) > 0 ? i % (p > 1 ? outputs : targets) : 0;
        for (int k = 0; k < p; k++) {
            x[i * p + k] = inputs[i] + 0.1 * k;
        }
    }
}

static void check_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            abort();
        }
    }
}

static void ask_posterior(lf_context *ctx, const lf_model *model, const lf_points *points)
{
    lf_posterior *posterior = NULL;
    double mean[POINTS], variance[POINTS], sample[2 * POINTS];
    lf_status status = lf_posterior_restore(ctx, model, &posterior);
    fuzz_check(ctx, status);
    if (status == LF_OK) {
        fuzz_check(ctx, lf_predict(posterior, points, mean, variance, NULL));
        fuzz_check(ctx, lf_sample(posterior, points, 2, sample));
    }
    lf_posterior_free(posterior);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    lf_context *ctx = fuzz_context();
    lf_model *model = NULL;
    char *text = malloc(size + 1);
    if (!text) {
        abort();
    }
    memcpy(text, bytes, size);
    text[size] = '\0';
    lf_status status = lf_model_parse(ctx, text, "fuzz", &model);
    fuzz_check(ctx, status);
    if (status == LF_OK && lf_model_input_dim(model) <= MOST_INPUTS && lf_model_output_count(model) > 0) {
        int target[POINTS];
        double x[POINTS * MOST_INPUTS], K[POINTS * POINTS], f[POINTS];
        fill(model, target, x);
        lf_points points = {.n = POINTS, .target = target, .x = x};
        status = lf_covariance(ctx, model, &points, NULL, K);
        fuzz_check(ctx, status);
        if (status == LF_OK) {
            check_finite(K, POINTS * POINTS);
        }
        fuzz_check(ctx, lf_simulate(ctx, model, &points, f));
        if (lf_model_has_posterior(model)) {
            ask_posterior(ctx, model, &points);
        }
    }
    lf_model_free(model);
    free(text);
    lf_context_free(ctx);
    return 0;
}
