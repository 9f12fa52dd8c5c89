/* Log likelihoods: by the engine of a model, and of a covariance matrix. */
#ifndef LF_TESTS_LIKELIHOODS_H
#define LF_TESTS_LIKELIHOODS_H

#include <lapacke.h>

#include "support.h"

static UNUSED double evaluate(lf_context *ctx, const lf_model *model, const lf_data *data)
{
    lf_engine *engine;
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    lf_engine_free(engine);
    return value;
}

/* log N(y; 0, K), K (n, n) overwritten. */
static UNUSED double gaussian(size_t n, const double *y, double *K)
{
    double *a = malloc(n * sizeof *a), value = -0.5 * (double)n * log(2 * acos(-1));
    memcpy(a, y, n * sizeof *a);
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (int)n, 1, K, (int)n, a, 1), 0);
    for (size_t i = 0; i < n; i++) {
        value -= 0.5 * y[i] * a[i] + log(K[i * n + i]);
    }
    free(a);
    return value;
}

#endif
