/* Equations in several threads at once, each with a context of its own: fits with known inputs and averages, and copies of one model,
 * which hold its equations together, whichever is released last. The bits are those of one thread alone. Built a second time under
 * ThreadSanitizer. */
#include "support.h"

#include <pthread.h>

enum { JOBS = 4, ROWS = 40, MOST = 16 };

static const char *const text = "input v constant\nforce u ~ matern32\nforce g ~ white\n"
                                "Cw*w' = (v - w)/Ro + (x - w)/Ri\nCi*x' = (w - x)/Ri + u + g\noutput a = x\n"
                                "output b = average(x, 0.5)\nquantity H = 1/(Ro + Ri)\nparameter Ci = 1 fixed\n"
                                "start w ~ normal(0, 1)\nstart x ~ normal(0, 1)\n";

typedef struct job {
    const lf_model *shared;
    double theta[MOST], value, gradient[MOST], mean[4], variance[4], draw[4], quantity;
    size_t count;
} job;

static lf_data *make_readings(lf_context *ctx)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < ROWS; i++) {
        double t = 0.5 * i, after = t + 0.5;
        assert_ok(ctx,
                  lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "v", .x = &t, .y = i % 9 < 4}));
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = i % 3 ? "a" : "b",
                                             .x = &after,
                                             .y = sin(0.7 * t) + 0.1 * (i % 4)}));
    }
    double end = 0.5 * ROWS;
    assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "v", .x = &end, .y = 1}));
    return data;
}

static lf_model *fit(lf_context *ctx, const lf_data *data)
{
    lf_options *options;
    lf_model *model;
    assert_ok(ctx, lf_options_create(ctx, "fit", &options));
    assert_ok(ctx, lf_fit_options_set_equations(ctx, options, text, "test.eq"));
    assert_ok(ctx, lf_options_set(ctx, options, "restarts", "1"));
    assert_ok(ctx, lf_options_set(ctx, options, "max-iterations", "2"));
    assert_ok(ctx, lf_fit(ctx, data, options, &model, NULL));
    lf_options_free(options);
    return model;
}

/* A model with all values. It has no record of a fit: the counters of such a record are atomic, but jansson also reads them plainly, which
 * ThreadSanitizer reports. */
static lf_model *make_shared(lf_context *ctx, const lf_data *data)
{
    lf_model *fitted = fit(ctx, data), *model;
    double theta[MOST];
    size_t count = lf_parameter_count(fitted);
    lf_model_theta(fitted, theta);
    assert_ok(ctx, lf_model_from_equations(ctx, text, "test.eq", &model));
    assert_int_equal(lf_parameter_count(model), count);
    assert_ok(ctx, lf_model_set_theta(ctx, model, count, theta));
    lf_model_free(fitted);
    return model;
}

/* Copies the shared model several times, evaluates, predicts and draws with a copy, and fits the equations again. */
static void *work(void *user)
{
    job *j = user;
    lf_context *ctx = lf_context_create();
    lf_context_set_threads(ctx, 1); /* OpenMP's own synchronisation is invisible to ThreadSanitizer */
    lf_data *data = make_readings(ctx);
    lf_model *copy = NULL, *other = NULL;
    for (int i = 0; i < 20; i++) {
        lf_model_free(i % 2 ? copy : other);
        assert_ok(ctx, lf_model_copy(ctx, j->shared, i % 2 ? &copy : &other));
    }
    lf_engine *engine;
    lf_posterior *posterior;
    j->count = lf_parameter_count(copy);
    assert_true(j->count <= MOST);
    assert_ok(ctx, lf_engine_create(ctx, copy, data, NULL, &engine));
    lf_model_theta(copy, j->theta);
    assert_ok(ctx, lf_engine_evaluate(engine, j->count, j->theta, &j->value, j->gradient));
    assert_ok(ctx, lf_engine_posterior(engine, &posterior));
    lf_engine_free(engine);
    const int target[4] = {0, 1, 2, 0};
    const double x[4] = {3, 9.5, 4, 12};
    lf_point_list points = {.n = 4, .target = target, .x = x};
    assert_ok(ctx, lf_predict_list(posterior, &points, j->mean, j->variance, NULL));
    lf_context_set_seed(ctx, 5);
    assert_ok(ctx, lf_simulate_list(ctx, copy, &points, data, j->draw));
    lf_posterior_free(posterior);
    lf_model_free(copy);
    assert_ok(ctx, lf_model_quantity_value(ctx, other, 0, &j->quantity));
    lf_model_free(other);
    lf_model *model = fit(ctx, data);
    lf_model_theta(model, j->theta);
    lf_model_free(model);
    lf_data_free(data);
    lf_context_free(ctx);
    return NULL;
}

static void test_equations_at_once(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    lf_context_set_threads(ctx, 1);
    lf_data *data = make_readings(ctx);
    lf_model *shared = make_shared(ctx, data);
    job alone = {.shared = shared}, together[JOBS];
    pthread_t thread[JOBS];
    work(&alone);
    for (size_t i = 0; i < JOBS; i++) {
        together[i] = (job){.shared = shared};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &together[i]), 0);
    }
    for (size_t i = 0; i < JOBS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_memory_equal(&alone, &together[i], sizeof alone);
    }
    assert_true(isfinite(alone.value) && isfinite(alone.quantity) && alone.variance[0] > 0);
    lf_model_free(shared);
    lf_data_free(data);
    lf_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equations_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
