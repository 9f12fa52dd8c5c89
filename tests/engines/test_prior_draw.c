/* Draws along time: what they make of every single normal gives their covariance, which is that of the prior. */
#include <stdint.h>

#include "engine/engine.h"
#include "kalman/kalman.h"
#include "support.h"

/* A source in which one normal is 1 and all others are 0. */
typedef struct single {
    size_t next, at;
} single;

static void one(void *data, size_t n, double *z)
{
    single *s = data;
    for (size_t i = 0; i < n; i++) {
        z[i] = s->next++ == s->at;
    }
}

static void compare(lf_context *ctx, const char *text, size_t n, const int *target, const double *x,
                    const double *width, double tolerance)
{
    lf_model *model;
    assert_ok(ctx, lf_model_from_equations(ctx, text, "test.eq", &model));
    lf_point_list points = {.n = n, .target = target, .x = x, .width = width};
    lf_point_set set;
    assert_ok(ctx, lf_point_set_create(ctx, model, &points, n, NULL, &set));
    double *K = calloc(n * n, sizeof *K), *expected = calloc(n * n, sizeof *K), *values = calloc(n, sizeof *K);
    single source = {0, SIZE_MAX};
    assert_ok(ctx, lf_kalman_prior_draw(ctx, model, &set, one, &source, values));
    size_t normals = source.next;
    for (size_t k = 0; k < normals; k++) {
        source = (single){0, k};
        assert_ok(ctx, lf_kalman_prior_draw(ctx, model, &set, one, &source, values));
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++) {
                K[j * n + i] += values[i] * values[j];
            }
        }
    }
    assert_ok(ctx, lf_engine_find("kalman")->prior_covariance(ctx, model, &(lf_engine_options){0}, &set, expected));
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double unit = sqrt(expected[i * n + i] * expected[j * n + j]);
            if (!(fabs(K[j * n + i] - expected[j * n + i]) <= tolerance * unit)) {
                fail_msg("%zu, %zu: %.15g, expected %.15g", i, j, K[j * n + i], expected[j * n + i]);
            }
        }
    }
    free(K);
    free(expected);
    free(values);
    lf_point_set_clear(&set);
    lf_model_free(model);
}

enum { TIMES = 9 };
/* Two steps at one time, equal gaps, a gap that is long. */
static const double times[TIMES] = {0, 0.5, 1, 1.5, 1.5, 1.7, 2.9, 30, 30.5};

/* All given targets at all times after the first `skip`. */
static void compare_all(lf_context *ctx, const char *text, size_t count, const int *targets, size_t skip, double width,
                        double tolerance)
{
    int target[8 * TIMES];
    double x[8 * TIMES], w[8 * TIMES];
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
        for (size_t i = skip; i < TIMES; i++) {
            target[n] = targets[k];
            w[n] = targets[k] == 0 ? width : 0;
            x[n++] = times[i];
        }
    }
    compare(ctx, text, n, target, x, width > 0 ? w : NULL, tolerance);
}

/* Masses and a spring, coupled accelerations, a force that is white; outputs, one of them an acceleration, a force, a rate, states. */
static void test_targets(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    static const int targets[] = {0, 1, 2, 3, 5, 6, 8};
    compare_all(ctx,
                "force u ~ matern52(lengthscale = 0.7, amplitude = 2)\nforce g ~ white(sd = 0.3)\n"
                "2*x'' + 0.5*(x'' - y'') + 0.3*x' + 5*x = u\n3*y'' - 0.5*(x'' - y'') + 0.2*y' + 4*(y - x) = g\n"
                "output a = x\noutput b = x' + 0.5*u\nstart x ~ normal(1, 2)\nstart x' ~ normal(0, 0.1)\n"
                "start y ~ normal(0, 1)\nstart y' ~ normal(0, 0)\n",
                7, targets, 0, 0, 1e-10);
    lf_context_free(ctx);
}

/* A start at rest: variances of 0; an integrator; a mode that is fast; and a system that has run forever. */
static void test_starts(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    static const int targets[] = {0, 1, 3, 4};
    static const char equations[] = "force u ~ matern12(lengthscale = 0.7, amplitude = 2)\nforce g ~ white(sd = 0.3)\n"
                                    "x' = -1e5*(x - y)\ny' = -0.1*y + u + g\noutput a = x\nstart %s\n";
    char text[512];
    snprintf(text, sizeof text, equations, "rest");
    compare_all(ctx, text, 4, targets, 1, 0, 1e-9);
    snprintf(text, sizeof text, equations, "steady");
    compare_all(ctx, text, 4, targets, 0, 0, 1e-9);
    lf_context_free(ctx);
}

/* Averages that overlap, beside values. */
static void test_averages(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    static const int targets[] = {0, 1, 2};
    compare_all(ctx,
                "force u ~ matern32(lengthscale = 2, amplitude = 0.5)\nforce g ~ white(sd = 0.1)\nx' = -x + u + g\n"
                "output a = x\noutput b = 2*x\nstart x ~ normal(1, 1)\n",
                3, targets, 3, 1.4, 1e-10);
    lf_context_free(ctx);
}

/* Smooth forces: 22 states whose correlations are nearly singular. */
static void test_smooth_force(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    static const int targets[] = {0, 1, 2};
    compare_all(ctx, "force u ~ eq(lengthscale = 1.3, amplitude = 2)\nx'' = -x + u\noutput a = x\nstart rest\n", 3,
                targets, 7, 0, 1e-6);
    lf_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_targets), cmocka_unit_test(test_starts),
                                       cmocka_unit_test(test_averages), cmocka_unit_test(test_smooth_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
