/* Points, predictions and draws, as a client of the shared library sees them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "latentforce.h"

enum { ROWS = 20 };

static const char model_text[] =
    "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"stationary\","
    " \"forces\": [{\"kernel\": \"matern32\", \"lengthscale\": 2}, {\"kernel\": \"eq\", \"lengthscale\": 1}],"
    " \"outputs\": [{\"name\": \"a\", \"operator\": {\"type\": \"ode1\", \"decay\": 1}, \"sensitivity\": [1, 0.5],"
    " \"noise_variance\": 0.01, \"offset\": 5, \"scale\": 2},"
    " {\"name\": \"b\", \"operator\": {\"type\": \"ode1\", \"decay\": 0.5}, \"sensitivity\": [0.3, 1],"
    " \"noise_variance\": 0.04}]}";

typedef struct fixture {
    lf_context *ctx;
    lf_model *model;
    lf_posterior *posterior;
} fixture;

static fixture shared;

static int create(void **state)
{
    lf_data *data = NULL;
    lf_engine *engine = NULL;
    fixture *f = *state = &shared;
    f->ctx = lf_context_create();
    lf_status status = lf_model_parse(f->ctx, model_text, "test", &f->model);
    status = status ? status : lf_data_create(f->ctx, 1, &data);
    for (int i = 0; !status && i < ROWS; i++) {
        double x = 0.5 * i;
        status = lf_data_add(f->ctx, data,
                             &(lf_row){.size = sizeof(lf_row),
                                       .output = i % 2 ? "b" : "a",
                                       .replicate = i < ROWS / 2 ? "r1" : "r2",
                                       .x = &x,
                                       .y = 5 + sin(x)});
    }
    status = status ? status : lf_engine_create(f->ctx, f->model, data, NULL, &engine);
    status = status ? status : lf_engine_posterior(engine, &f->posterior);
    lf_engine_free(engine);
    lf_data_free(data);
    return status != LF_OK;
}

static int release(void **state)
{
    fixture *f = *state;
    lf_posterior_free(f->posterior);
    lf_model_free(f->model);
    lf_context_free(f->ctx);
    return 0;
}

static uint32_t target(const fixture *f, lf_kind kind, size_t index)
{
    uint32_t code;
    assert_int_equal(lf_model_target(f->ctx, f->model, kind, index, &code), LF_OK);
    return code;
}

static lf_points *make_points(const fixture *f)
{
    lf_points *points;
    assert_int_equal(lf_points_create(f->ctx, f->model, &points), LF_OK);
    return points;
}

static void targets_are_of_kinds_that_have_them(void **state)
{
    static const struct {
        lf_kind kind;
        size_t count;
    } kinds[] = {{LF_KIND_OUTPUT, 2}, {LF_KIND_RATE, 2}, {LF_KIND_FORCE, 2}, {LF_KIND_STATE, 0}};
    const fixture *f = *state;
    uint32_t seen[8], code;
    size_t n = 0;
    for (size_t k = 0; k < 4; k++) {
        for (size_t i = 0; i < kinds[k].count; i++) {
            seen[n++] = target(f, kinds[k].kind, i);
        }
        for (size_t beyond = kinds[k].count; beyond != 0; beyond = beyond == SIZE_MAX ? 0 : SIZE_MAX) {
            assert_int_equal(lf_model_target(f->ctx, f->model, kinds[k].kind, beyond, &code), LF_ERROR_ARGUMENT);
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_true(seen[i] != seen[j]);
        }
    }
    assert_int_equal(lf_model_target(f->ctx, f->model, LF_KIND_INPUT, 0, &code), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_model_target(f->ctx, f->model, (lf_kind)1000, 0, &code), LF_ERROR_ARGUMENT);
}

static void points_are_added_whole_or_not(void **state)
{
    const fixture *f = *state;
    lf_points *points = make_points(f);
    const uint32_t codes[] = {target(f, LF_KIND_OUTPUT, 1), UINT32_MAX};
    const size_t beyond[] = {SIZE_MAX, 0};
    const double x[] = {1, 2};
    assert_int_equal(lf_points_add(f->ctx, points, 2, codes, NULL, x, NULL), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_points_add(f->ctx, points, 1, codes, beyond, x, NULL), LF_ERROR_ARGUMENT);
    assert_int_equal(lf_points_count(points, LF_KIND_ROW), 0);
    assert_int_equal(lf_points_add(f->ctx, points, 0, NULL, NULL, NULL, NULL), LF_OK);
    assert_int_equal(lf_points_add(f->ctx, points, 1, codes, NULL, x, NULL), LF_OK);
    assert_int_equal(lf_points_count(points, LF_KIND_ROW), 1);
    assert_int_equal(lf_points_count(points, LF_KIND_TARGET), 0);
    assert_int_equal(lf_points_count(points, LF_KIND_STATE), 0);
    lf_points_free(points);
    lf_points_free(NULL);
}

static void noise_and_quantiles_are_those_of_the_library(void **state)
{
    enum { N = 4 };
    const fixture *f = *state;
    lf_points *points = make_points(f);
    const uint32_t codes[N] = {target(f, LF_KIND_OUTPUT, 0), target(f, LF_KIND_OUTPUT, 1), target(f, LF_KIND_RATE, 1),
                               target(f, LF_KIND_FORCE, 0)};
    const double noise[N] = {0.04, 0.04, 0, 0};
    const size_t replicate[N] = {0, 1, 1, 0};
    const double x[N] = {1.25, 2, 7, 3};
    double mean[N], variance[N], fresh[N], lower[N], upper[N], covariance[N * N];
    lf_prediction wanted = {.size = sizeof wanted,
                            .mean = mean,
                            .variance = variance,
                            .variance_new = fresh,
                            .lower = lower,
                            .upper = upper,
                            .covariance = covariance};
    assert_int_equal(lf_points_add(f->ctx, points, N, codes, replicate, x, NULL), LF_OK);
    assert_int_equal(lf_predict(f->ctx, f->posterior, points, &wanted), LF_OK);
    for (int i = 0; i < N; i++) {
        assert_true(variance[i] > 0 && fabs(covariance[i * N + i] - variance[i]) < 1e-9);
        assert_true(fabs(fresh[i] - variance[i] - noise[i]) < 1e-12);
        assert_true(fabs((upper[i] - lower[i]) / 2 - 1.959963984540054 * sqrt(fresh[i])) < 1e-12);
        assert_true(fabs((upper[i] + lower[i]) / 2 - mean[i]) < 1e-12);
        for (int j = 0; j < N; j++) {
            assert_true(replicate[i] == replicate[j] || covariance[i * N + j] == 0);
        }
    }
    double same[N];
    wanted = (lf_prediction){.size = sizeof wanted, .level = 0.5, .noise_free = 1, .upper = same};
    assert_int_equal(lf_predict(f->ctx, f->posterior, points, &wanted), LF_OK);
    for (int i = 0; i < N; i++) {
        assert_true(fabs(same[i] - mean[i] - 0.6744897501960817 * sqrt(variance[i])) < 1e-12);
    }
    lf_points_free(points);
}

static void what_cannot_be_predicted_is_refused(void **state)
{
    const fixture *f = *state;
    lf_points *points = make_points(f);
    const uint32_t code = target(f, LF_KIND_OUTPUT, 0);
    const size_t replicate = 2;
    const double x = 1;
    double mean;
    struct {
        lf_prediction known;
        double later;
    } wanted = {.known = {.size = sizeof wanted, .mean = &mean}};
    assert_int_equal(lf_points_add(f->ctx, points, 1, &code, NULL, &x, NULL), LF_OK);
    assert_int_equal(lf_predict(f->ctx, f->posterior, points, &wanted.known), LF_OK);
    wanted.later = 1;
    assert_int_equal(lf_predict(f->ctx, f->posterior, points, &wanted.known), LF_ERROR_UNSUPPORTED);
    wanted.known.size = offsetof(lf_prediction, covariance);
    assert_int_equal(lf_predict(f->ctx, f->posterior, points, &wanted.known), LF_OK);
    wanted.known.size = 0;
    assert_int_equal(lf_predict(f->ctx, f->posterior, points, &wanted.known), LF_ERROR_ARGUMENT);
    for (int i = 0; i < 3; i++) {
        lf_prediction level = {.size = sizeof level, .level = (double[]){1, -0.5, (double)NAN}[i], .mean = &mean};
        assert_int_equal(lf_predict(f->ctx, f->posterior, points, &level), LF_ERROR_ARGUMENT);
    }
    assert_int_equal(lf_points_add(f->ctx, points, 1, &code, &replicate, &x, NULL), LF_OK);
    assert_int_equal(lf_draw(f->ctx, f->posterior, points, 1, (double[2]){0}), LF_ERROR_ARGUMENT);
    assert_non_null(strstr(lf_context_message(f->ctx), "replicate 2"));
    lf_points_free(points);
}

/* Another context than that of the posterior gives the seed and takes the message. */
static void draws_follow_the_seed_of_the_call(void **state)
{
    const fixture *f = *state;
    lf_points *points = make_points(f);
    lf_context *other = lf_context_create();
    const uint32_t codes[] = {target(f, LF_KIND_OUTPUT, 0), target(f, LF_KIND_FORCE, 1)};
    const double x[] = {1, (double)INFINITY};
    double first[4], second[4];
    assert_non_null(other);
    assert_int_equal(lf_points_add(f->ctx, points, 2, codes, NULL, (double[]){1, 2}, NULL), LF_OK);
    lf_context_set_seed(f->ctx, 3);
    assert_int_equal(lf_draw(f->ctx, f->posterior, points, 2, first), LF_OK);
    lf_context_set_seed(other, 3);
    assert_int_equal(lf_draw(other, f->posterior, points, 2, second), LF_OK);
    assert_memory_equal(first, second, sizeof first);
    assert_true(first[0] != first[2]);
    assert_int_equal(lf_points_add(f->ctx, points, 1, codes, NULL, x + 1, NULL), LF_OK);
    assert_string_equal(lf_context_message(other), "");
    assert_int_equal(lf_draw(other, f->posterior, points, 1, second), LF_ERROR_ARGUMENT);
    assert_string_not_equal(lf_context_message(other), "");
    lf_context_free(other);
    lf_points_free(points);
}

static void points_of_another_model_are_refused(void **state)
{
    const fixture *f = *state;
    lf_model *other;
    lf_points *points;
    double K;
    assert_int_equal(
        lf_model_parse(f->ctx,
                       "{\"format\": \"latentforce-model\", \"version\": 1, \"forces\": [{\"kernel\": "
                       "\"eq\", \"lengthscale\": 1}], \"outputs\": [{\"name\": \"a\", \"operator\": "
                       "{\"type\": \"ode1\", \"decay\": 1}, \"sensitivity\": [1], \"noise_variance\": 1}]}",
                       "other", &other),
        LF_OK);
    assert_int_equal(lf_points_create(f->ctx, other, &points), LF_OK);
    lf_model_free(other);
    assert_int_equal(lf_predict(f->ctx, f->posterior, points, &(lf_prediction){.size = sizeof(lf_prediction)}),
                     LF_ERROR_ARGUMENT);
    assert_int_equal(lf_covariance(f->ctx, f->model, points, NULL, &K), LF_ERROR_ARGUMENT);
    lf_points_free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_of_kinds_that_have_them),
        cmocka_unit_test(points_are_added_whole_or_not),
        cmocka_unit_test(noise_and_quantiles_are_those_of_the_library),
        cmocka_unit_test(what_cannot_be_predicted_is_refused),
        cmocka_unit_test(draws_follow_the_seed_of_the_call),
        cmocka_unit_test(points_of_another_model_are_refused),
    };
    return cmocka_run_group_tests(tests, create, release);
}
