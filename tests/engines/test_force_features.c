/* Forces of every kernel that has a spectrum in the engines of features: gradients by their atoms, the weights of harmonics, the
 * covariances of outputs against brute force, gradients, likelihoods, error bounds, stored posteriors; and the sentences about what has no
 * features. */
#include <unistd.h>

#include "base/numbers.h"
#include "engine/engine.h"
#include "kernel_table.h"

/* One force of the case, shared and private, and one eq force; outputs of orders 1 and 2 and a gaussian one. */
static lf_model *model_with(lf_context *ctx, const char *force, const char *initial)
{
    char text[4096];
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{%s},{\"kernel\":\"eq\","
             "\"lengthscale\":0.8}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1.3},"
             "\"sensitivity\":[1,0],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":"
             "1.2,\"damper\":0.9,\"spring\":2},\"sensitivity\":[0.7,0.5],\"noise_variance\":0.1,\"private\":{%s,"
             "\"amplitude\":0.7}},{\"name\":\"c\",\"operator\":{\"type\":\"gaussian\",\"precision\":6},"
             "\"sensitivity\":[0.8,-0.4],\"noise_variance\":0.05}]}",
             initial, force, force);
    return parse_model(ctx, text);
}

static lf_model *model_of(lf_context *ctx, const kernel_case *kernel, const char *initial)
{
    char fields[1024];
    force_fields(kernel, sizeof fields, fields);
    return model_with(ctx, fields, initial);
}

static lf_data *some_data(lf_context *ctx)
{
    lf_data *data;
    static const char *const names[] = {"a", "b", "c"};
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 36; i++) {
        double x = 0.05 + 0.08 * i + 0.01 * sin(5.0 * i);
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = names[i % 3],
                                             .x = &x,
                                             .y = sin(7 * x + i % 3),
                                             .sd = i % 7 == 0 ? 0.2 : 0}));
    }
    return data;
}

/* ---- atoms ---- */

static double weighted_sum(const lf_force *force, const double *by, size_t atoms)
{
    lf_atom list[LF_MAX_ATOMS];
    double sum = 0;
    lf_force_atoms(force, list);
    for (size_t i = 0; i < atoms; i++) {
        sum += by[i] * list[i].lengthscale + by[atoms + i] * list[i].frequency + by[2 * atoms + i] * list[i].variance;
    }
    return sum;
}

static void test_atoms(void **state)
{
    for (int c = 0; c < KERNEL_CASES; c += ONE_OF(4)) {
        if (!has_spectrum(&kernel_cases[c])) {
            continue;
        }
        lf_model *model = model_of(*state, &kernel_cases[c], "zero");
        lf_force *force = &model->forces[0];
        size_t atoms = (size_t)lf_force_atom_count(force);
        double by[3 * 64], gradient[64] = {0}, total = 0;
        lf_atom list[LF_MAX_ATOMS];
        lf_force_atoms(force, list);
        for (size_t i = 0; i < atoms; i++) {
            total += list[i].variance;
        }
        assert_near(total, 1, 1e-14);
        for (size_t i = 0; i < 3 * atoms; i++) { /* a lengthscale that is none does not move */
            by[i] = i < atoms && !list[i].envelope ? 0 : sin(1 + 2.7 * (double)i);
        }
        lf_force_atoms_backward(force, by, by + atoms, by + 2 * atoms, gradient);
        for (int k = 0; k < lf_force_parameter_count(force); k++) {
            double *value = lf_force_parameter_at(force, k).value, at = *value, h = 1e-4 * at, slope = 0;
            static const double weight[] = {1, -8, 8, -1}, place[] = {-2, -1, 1, 2};
            for (int i = 0; i < 4; i++) {
                *value = at + place[i] * h;
                slope += weight[i] * weighted_sum(force, by, atoms) / (12 * h);
            }
            *value = at;
            assert_near(gradient[k], slope, 1e-9 * (1 + fabs(slope)));
        }
        lf_model_free(model);
    }
}

/* The weights of harmonics are the Fourier series of exp(-2 sin^2(pi r / T) / p^2), cut off and scaled. */
static void test_harmonics(void **state)
{
    static const double lengthscales[] = {0.15, 0.4, 1, 3, 30};
    enum { POINTS = 512 };
    for (size_t l = 0; l < sizeof lengthscales / sizeof *lengthscales; l++) {
        double p = lengthscales[l], series[LF_MAX_HARMONICS + 1], sum = 0;
        char text[128];
        snprintf(text, sizeof text, "\"kernel\":\"periodic(harmonics=40)\",\"period\":2,\"period_lengthscale\":%g", p);
        lf_model *model = model_with(*state, text, "zero");
        lf_atom atoms[LF_MAX_ATOMS];
        assert_int_equal(lf_force_atom_count(&model->forces[0]), LF_MAX_HARMONICS + 1);
        lf_force_atoms(&model->forces[0], atoms);
        for (int h = 0; h <= LF_MAX_HARMONICS; h++) {
            series[h] = 0;
            for (int i = 0; i < POINTS; i++) {
                double s = sin(LF_PI * i / POINTS);
                series[h] += exp(-2 * s * s / (p * p)) * cos(2 * LF_PI * h * i / POINTS) * (h ? 2 : 1) / POINTS;
            }
            sum += series[h];
        }
        for (int h = 0; h <= LF_MAX_HARMONICS; h++) {
            assert_near(atoms[h].variance, series[h] / sum, 1e-13);
            assert_near(atoms[h].frequency, LF_PI * h, 1e-13 * (1 + h));
        }
        double r = 0.37, s = sin(LF_PI * r / 2); /* with so many harmonics the kernel itself */
        assert_near(lf_force_covariance(&model->forces[0], 1 + r, 1), exp(-2 * s * s / (p * p)),
                    p < 0.3 ? 3e-9 : 1e-12);
        lf_model_free(model);
    }
}

/* ---- covariances of outputs ---- */

static void test_outputs(void **state)
{
    static const struct {
        int a, b;
        double t, s;
    } pairs[] = {{0, 0, 2.7, 1.9}, {0, 1, 0.4, 3.1}, {1, 0, 3.3, 0.7}, {1, 1, 2.2, 2.2}};
    for (int c = 0; c < KERNEL_CASES; c += ONE_OF(4)) {
        int rough = is_rough(&kernel_cases[c]);
        lf_model *model = composed_model(*state, &kernel_cases[c], "zero");
        for (size_t i = 0; has_spectrum(&kernel_cases[c]) && i < sizeof pairs / sizeof *pairs; i++) {
            int target[] = {pairs[i].a, pairs[i].b};
            double x[] = {pairs[i].t, pairs[i].s}, K[4];
            lf_point_list points = {.n = 2, .target = target, .x = x};
            lf_engine_options options = {
                .size = sizeof options, .engine = "features", .tolerance = rough ? 1e-8 : 1e-11};
            assert_ok(*state, lf_covariance_list(*state, model, &points, &options, K));
            assert_near(K[1], brute_covariance(model, 0, target[0], x[0], target[1], x[1]), rough ? 1e-7 : 1e-9);
        }
        lf_model_free(model);
    }
}

/* ---- engines ---- */

static void test_gradients(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    lf_data *data = some_data(ctx);
    for (int c = 0; c < KERNEL_CASES; c += ONE_OF(4)) {
        if (!has_spectrum(&kernel_cases[c])) {
            continue;
        }
        lf_model *model = model_of(ctx, &kernel_cases[c], starts[c % 3]);
        lf_engine_options options = {.size = sizeof options, .engine = "lowrank", .tolerance = 1e-4};
        options.features = is_rough(&kernel_cases[c]) ? 30 : 0; /* by number where a tolerance needs hundreds */
        check_theta_gradient(ctx, model, data, options, 2e-6);
        options.engine = "fourier";
        if (line_count(&kernel_cases[c])) {
            lf_engine *engine;
            assert_int_equal(lf_engine_create(ctx, model, data, &options, &engine), LF_ERROR_UNSUPPORTED);
            assert_non_null(strstr(lf_context_message(ctx), "lines"));
        } else if (!kernel_cases[c].gaps) {
            check_theta_gradient(ctx, model, data, options, 2e-6);
        }
        lf_model_free(model);
    }
    lf_data_free(data);
}

/* Both engines have the same likelihood, whether nodes have gaps or not, and nodes follow the parameters. */
static void test_likelihoods(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = some_data(ctx);
    for (int c = 0; c < KERNEL_CASES; c += ONE_OF(4)) {
        if (!has_spectrum(&kernel_cases[c])) {
            continue;
        }
        lf_model *model = model_of(ctx, &kernel_cases[c], "zero");
        size_t n = lf_parameter_count(model);
        double *theta = malloc(n * sizeof *theta), values[3];
        lf_engine_options options = {
            .size = sizeof options, .engine = "lowrank", .tolerance = is_rough(&kernel_cases[c]) ? 1e-5 : 1e-9};
        lf_engine *engine;
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        lf_model_theta(model, theta);
        for (int k = 0; k < lf_force_parameter_count(&model->forces[0]); k++) {
            theta[lf_index_kernel(model, 0) + k] += 0.4 * cos(k);
        }
        assert_ok(ctx, lf_engine_evaluate(engine, n, theta, &values[0], NULL));
        lf_engine_free(engine);
        assert_ok(ctx, lf_model_set_theta(ctx, model, n, theta));
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_evaluate(engine, n, NULL, &values[1], NULL));
        lf_engine_free(engine);
        assert_near(values[0], values[1], is_rough(&kernel_cases[c]) ? 2e-3 : 1e-7);
        options.engine = "fourier";
        if (!line_count(&kernel_cases[c])) {
            assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
            assert_ok(ctx, lf_engine_evaluate(engine, n, NULL, &values[2], NULL));
            lf_engine_free(engine);
            assert_near(values[2], values[1], is_rough(&kernel_cases[c]) ? 2e-3 : 1e-7);
        }
        free(theta);
        lf_model_free(model);
    }
    lf_data_free(data);
}

static void test_error_bounds(void **state)
{
    lf_context *ctx = *state;
    lf_data *data = some_data(ctx);
    for (int c = 0; c < KERNEL_CASES; c += ONE_OF(4)) {
        if (!has_spectrum(&kernel_cases[c])) {
            continue;
        }
        lf_model *model = model_of(ctx, &kernel_cases[c], "zero");
        lf_engine_options options = {
            .size = sizeof options, .engine = "lowrank", .tolerance = is_rough(&kernel_cases[c]) ? 1e-3 : 0};
        lf_engine *engine;
        lf_error_bounds bounds;
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, engine->class->error_bound(ctx, engine->state, model, &bounds));
        assert_true(bounds.outputs >= 0 && bounds.outputs < (is_rough(&kernel_cases[c]) ? 3e-3 : 1e-9));
        lf_engine_free(engine);
        lf_model_free(model);
    }
    lf_data_free(data);
}

/* Posteriors predict outputs, forces and rates, and predict the same from the model file. */
static void test_posteriors(void **state)
{
    lf_context *ctx = *state;
    enum { N = 8 };
    static const int target[N] = {0, 1, 2, 3, 4, 5, 6, 3};
    static const double x[N] = {0.3, 1.1, 2.2, 1.7, 0.9, 1.3, 2.5, 0.2};
    lf_data *data = some_data(ctx);
    for (int c = 0; c < KERNEL_CASES; c += ONE_OF(4)) {
        if (!has_spectrum(&kernel_cases[c])) {
            continue;
        }
        for (int e = 0; e < (line_count(&kernel_cases[c]) ? 1 : 2); e++) {
            lf_model *model = model_of(ctx, &kernel_cases[c], "free");
            lf_engine_options options = {.size = sizeof options, .engine = e ? "fourier" : "lowrank"};
            options.features = is_rough(&kernel_cases[c]) ? 60 : 0; /* by number where a tolerance needs hundreds */
            lf_posterior *posterior = make_posterior(ctx, model, data, &options), *restored;
            lf_point_list points = {.n = N, .target = target, .x = x};
            double mean[2][N], variance[2][N];
            assert_ok(ctx, lf_predict_list(posterior, &points, mean[0], variance[0], NULL));
            assert_ok(ctx, lf_posterior_store(posterior, model));
            char path[] = "/tmp/lf-force-features-XXXXXX";
            int file = mkstemp(path);
            lf_model *read;
            assert_true(file >= 0);
            close(file);
            assert_ok(ctx, lf_model_write(ctx, model, path));
            assert_ok(ctx, lf_model_read(ctx, path, &read));
            unlink(path);
            assert_ok(ctx, lf_posterior_restore(ctx, read, &restored));
            assert_ok(ctx, lf_predict_list(restored, &points, mean[1], variance[1], NULL));
            for (int i = 0; i < N; i++) {
                assert_near(mean[1][i], mean[0][i], 1e-9);
                assert_near(variance[1][i], variance[0][i], 1e-9);
                assert_true(variance[0][i] > 0);
            }
            assert_true(variance[0][3] <= 1 + 1e-9); /* of a force */
            lf_posterior_free(posterior);
            lf_posterior_free(restored);
            lf_model_free(read);
            lf_model_free(model);
        }
    }
    lf_data_free(data);
}

/* ---- what has no features ---- */

static void refuse(lf_context *ctx, const char *force, const char *nodes, const char *words)
{
    lf_model *model = model_with(ctx, force, "zero");
    double x[] = {0.3, 0.9}, K[4];
    int target[] = {0, 1};
    lf_point_list points = {.n = 2, .target = target, .x = x};
    lf_engine_options options = {.size = sizeof options, .engine = "features", .nodes = nodes, .features = 20};
    assert_int_equal(lf_covariance_list(ctx, model, &points, &options, K), LF_ERROR_UNSUPPORTED);
    if (!strstr(lf_context_message(ctx), words)) {
        fail_msg("%s", lf_context_message(ctx));
    }
    lf_model_free(model);
}

static void test_refused(void **state)
{
    refuse(*state, "\"kernel\":\"white\"", NULL, "kernel white has no features");
    refuse(*state, "\"kernel\":\"linear\",\"lengthscale\":1", NULL, "kernel linear has no features");
    refuse(*state, "\"kernel\":\"cosine*eq\",\"lengthscale\":1,\"period\":2", "qmc", "use uniform nodes");
}

/* The systems are small: threads would wait for each other. */
static int make_serial_context(void **state)
{
    int failed = make_context(state);
    if (!failed) {
        lf_context_set_threads(*state, 1);
    }
    return failed;
}

/* ---- the dense engine, where a gaussian output prevents states: the quadrature ---- */

static double value_of(lf_context *ctx, const lf_model *model, const lf_data *data, lf_engine_options options)
{
    lf_engine *engine;
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    lf_engine_free(engine);
    return value;
}

static void test_dense(void **state)
{
    static const char *const starts[] = {"zero", "stationary", "free"};
    lf_context *ctx = *state;
    lf_data *data = some_data(ctx);
    for (int c = 0; c < KERNEL_CASES; c += ONE_OF(4)) {
        if (!has_spectrum(&kernel_cases[c])) {
            continue;
        }
        lf_model *model = model_of(ctx, &kernel_cases[c], starts[c % 3]);
        int rough = is_rough(&kernel_cases[c]); /* whose tail is cut, elsewhere for each lengthscale */
        lf_engine_options dense = {.size = sizeof dense, .engine = "dense", .tolerance = rough ? 1e-5 : 1e-10},
                          features = {.size = sizeof features, .engine = "lowrank", .tolerance = rough ? 1e-4 : 1e-7};
        if (!rough) {
            check_theta_gradient(ctx, model, data, dense, 2e-6);
        }
        double value = value_of(ctx, model, data, dense);
        assert_near(value, value_of(ctx, model, data, features), (rough ? 1e-2 : 1e-4) * (1 + fabs(value)));
        lf_model_free(model);
    }
    lf_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atoms),      cmocka_unit_test(test_harmonics),   cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_gradients),  cmocka_unit_test(test_likelihoods), cmocka_unit_test(test_error_bounds),
        cmocka_unit_test(test_posteriors), cmocka_unit_test(test_refused),     cmocka_unit_test(test_dense),
    };
    return cmocka_run_group_tests(tests, make_serial_context, free_context);
}
