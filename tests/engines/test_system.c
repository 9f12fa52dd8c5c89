/* Models given by equations: against operators, closed forms, quadrature over frequencies and finite differences. */
#include <complex.h>

#include "engine/engine.h"
#include "likelihoods.h"

static lf_model *from_equations(lf_context *ctx, const char *text)
{
    lf_model *model;
    assert_ok(ctx, lf_model_from_equations(ctx, text, "test.eq", &model));
    return model;
}

static void set_value(lf_context *ctx, lf_model *model, const char *name, double value)
{
    size_t index;
    assert_ok(ctx, lf_parameter_find(ctx, model, name, &index));
    assert_ok(ctx, lf_parameter_set(ctx, model, index, value));
}

static void add(lf_context *ctx, lf_data *data, const char *name, const char *replicate, double t, double y)
{
    assert_ok(ctx,
              lf_data_add(ctx, data,
                          &(lf_row){.size = sizeof(lf_row), .output = name, .replicate = replicate, .x = &t, .y = y}));
}

/* Two ODEs driven by one force, as operators and as equations. */
static void test_operators_as_equations(void **state)
{
    static const char *const text = "force u ~ matern32(lengthscale = 0.7, amplitude = 1 fixed)\n"
                                    "f' = S1*u - b*f\n"
                                    "m*g'' + c*g' = S2*u - k*g\n"
                                    "parameter S2 = -0.8 real\n parameter S1 = 1.3\n parameter b = 0.9\n"
                                    "parameter m = 1.5\n parameter c = 0.4\n parameter k = 2\n"
                                    "output a = f noise = 0.1\noutput b_ = g noise = 0.2\nstart rest\n";
    static const char *const same =
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"zero\",\"origin\":0,\"forces\":["
        "{\"kernel\":\"matern32\",\"lengthscale\":0.7}],\"outputs\":["
        "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.9},\"sensitivity\":[1.3],\"noise_variance\":0.01},"
        "{\"name\":\"b_\",\"operator\":{\"type\":\"ode2\",\"mass\":1.5,\"damper\":0.4,\"spring\":2},\"sensitivity\":[-"
        "0.8],"
        "\"noise_variance\":0.04}]}";
    lf_model *equations = from_equations(*state, text), *operators = parse_model(*state, same);
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 4);
    assert_ok(*state, lf_data_create(*state, 1, &data));
    for (int i = 0; i < 60; i++) {
        double t = 0.1 + 6 * lf_random_uniform(&random);
        add(*state, data, i % 2 ? "a" : "b_", NULL, i % 5 ? t : 2, lf_random_normal(&random));
    }
    double expected = evaluate(*state, operators, data);
    assert_near(evaluate(*state, equations, data), expected, 1e-10 * fabs(expected));
    lf_engine_options kalman = {.size = sizeof kalman, .engine = "kalman"};
    lf_posterior *p = make_posterior(*state, equations, data, NULL),
                 *q = make_posterior(*state, operators, data, &kalman);
    static const int target[] = {0, 1, 2, 3, 4, 0, 1, 2};
    static const double x[] = {0.3, 1.2, 2, 3.4, 5, 7.5, 0, 9};
    lf_point_list points = {.n = 8, .target = target, .x = x};
    double mean[2][8], variance[2][8], covariance[2][64];
    assert_ok(*state, lf_predict_list(p, &points, mean[0], variance[0], covariance[0]));
    assert_ok(*state, lf_predict_list(q, &points, mean[1], variance[1], covariance[1]));
    for (int i = 0; i < 8; i++) {
        assert_near(mean[0][i], mean[1][i], 1e-10);
        assert_near(variance[0][i], variance[1][i], 1e-10);
        for (int j = 0; j < 8; j++) {
            assert_near(covariance[0][i * 8 + j], covariance[1][i * 8 + j], 1e-10);
        }
    }
    lf_posterior_free(p);
    lf_posterior_free(q);
    lf_data_free(data);
    lf_model_free(equations);
    lf_model_free(operators);
}

/* x' = w - a x with white w of deviation s, in its steady state: covariance s^2 / 2a exp(-a |r|). */
static void test_white_force(void **state)
{
    enum { N = 25 };
    lf_model *model = from_equations(*state, "force w ~ white(sd = 0.8)\nx' = w - a*x + a*m\nparameter a = 1.7\n"
                                             "parameter m = -3 real\noutput y = x noise = 0.3\nstart steady\n");
    lf_data *data;
    lf_random random;
    double t[N], y[N], K[N * N];
    lf_random_seed(&random, 8);
    assert_ok(*state, lf_data_create(*state, 1, &data));
    for (int i = 0; i < N; i++) {
        t[i] = 10 * lf_random_uniform(&random) - 5;
        y[i] = lf_random_normal(&random);
        add(*state, data, "y", NULL, t[i], y[i] - 3); /* the steady state is m */
    }
    for (int i = 0; i < N * N; i++) {
        K[i] = 0.64 / 3.4 * exp(-1.7 * fabs(t[i / N] - t[i % N])) + (i / N == i % N) * 0.09;
    }
    double expected = gaussian(N, y, K);
    assert_near(evaluate(*state, model, data), expected, 1e-11 * fabs(expected));
    lf_data_free(data);
    lf_model_free(model);
}

/* ---- a chain of masses, by quadrature over frequencies ---- */

enum { MASSES = 10, SENSORS = 3, TIMES = 14 };
static const int sensors[SENSORS] = {1, 4, 9};

static void chain_text(char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size,
                                   "force load ~ eq(lengthscale = 0.6, amplitude = 2)\nstart steady\n"
                                   "parameter m = 1.2\nparameter c = 0.35\nparameter k = 30\nparameter g = 0.6\n");
    for (int i = 0; i < MASSES; i++) {
        used += (size_t)snprintf(text + used, size - used, "m*x%d'' = -g*x%d'", i, i);
        if (i > 0) {
            used +=
                (size_t)snprintf(text + used, size - used, " - k*(x%d - x%d) - c*(x%d' - x%d')", i, i - 1, i, i - 1);
        } else {
            used += (size_t)snprintf(text + used, size - used, " - k*x0 - c*x0'");
        }
        if (i + 1 < MASSES) {
            used +=
                (size_t)snprintf(text + used, size - used, " - k*(x%d - x%d) - c*(x%d' - x%d')", i, i + 1, i, i + 1);
        }
        used += (size_t)snprintf(text + used, size - used, i == 6 ? " + load\n" : "\n");
    }
    for (int s = 0; s < SENSORS; s++) {
        used += (size_t)snprintf(text + used, size - used, "output acc%d = x%d'' noise = 0.05\n", s, sensors[s]);
    }
}

/* Accelerations of the sensors per unit of load at a frequency: -lambda^2 (K + j lambda C - lambda^2 M)^-1 e_6. */
static void chain_response(double lambda, double complex *acceleration)
{
    lapack_complex_double A[MASSES * MASSES] = {0}, b[MASSES] = {0};
    lapack_int pivot[MASSES];
    double complex link = 30 + I * lambda * 0.35;
    for (int i = 0; i < MASSES; i++) {
        A[i * MASSES + i] = -lambda * lambda * 1.2 + I * lambda * 0.6 + link * (i + 1 < MASSES ? 2 : 1);
        if (i + 1 < MASSES) {
            A[i * MASSES + i + 1] = A[(i + 1) * MASSES + i] = -link;
        }
    }
    b[6] = 1;
    assert_int_equal(LAPACKE_zgesv(LAPACK_ROW_MAJOR, MASSES, 1, A, MASSES, pivot, b, 1), 0);
    for (int s = 0; s < SENSORS; s++) {
        acceleration[s] = -lambda * lambda * b[sensors[s]];
    }
}

static void test_chain_by_frequencies(void **state)
{
    enum { N = SENSORS * TIMES };
    static char text[8192];
    static double K[N * N];
    double t[TIMES], y[N], h = 0.01;
    lf_data *data;
    lf_random random;
    chain_text(text, sizeof text);
    lf_model *model = from_equations(*state, text);
    lf_random_seed(&random, 3);
    assert_ok(*state, lf_data_create(*state, 1, &data));
    for (int i = 0; i < TIMES; i++) {
        t[i] = 0.21 * i + 0.1 * lf_random_uniform(&random);
    }
    for (int i = 0; i < N; i++) {
        char name[8];
        snprintf(name, sizeof name, "acc%d", i % SENSORS);
        y[i] = lf_random_normal(&random);
        add(*state, data, name, NULL, t[i / SENSORS], y[i]);
    }
    for (int k = -3000; k <= 3000; k++) { /* the density has fallen to exp(-80) at 30 */
        double lambda = h * k, density = 4 * 0.6 * lf_force_kernel_eq.density(0.6 * lambda) * h;
        double complex a[SENSORS];
        if (density < 1e-30) {
            continue;
        }
        chain_response(lambda, a);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                K[i * N + j] += density * creal(a[i % SENSORS] * conj(a[j % SENSORS]) *
                                                cexp(I * lambda * (t[i / SENSORS] - t[j / SENSORS])));
            }
        }
    }
    for (int i = 0; i < N; i++) {
        K[i * N + i] += 0.0025;
    }
    double expected = gaussian(N, y, K);
    lf_engine_options fine = {.size = sizeof fine, .tolerance = 1e-11};
    lf_engine *engine;
    double value;
    assert_ok(*state, lf_engine_create(*state, model, data, &fine, &engine));
    assert_ok(*state, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    assert_near(value, expected, 1e-9 * fabs(expected));
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
}

/* ---- gradients ---- */

static double value_at(void *user, const double *theta)
{
    lf_engine *engine = user;
    double value;
    assert_ok(engine->ctx, lf_engine_evaluate(engine, engine->model->parameter_count, theta, &value, NULL));
    return value;
}

static const char *name_of(void *user, size_t i) { return ((lf_engine *)user)->model->parameters[i].name; }

static void check_model(lf_context *ctx, const lf_model *model, const lf_data *data)
{
    lf_engine *engine;
    double theta[40], gradient[40], value;
    size_t n = lf_parameter_count(model);
    assert_true(n <= 40);
    assert_ok(ctx, lf_engine_create(ctx, model, data, NULL, &engine));
    lf_model_theta(model, theta);
    assert_ok(ctx, lf_engine_evaluate(engine, n, theta, &value, gradient));
    check_gradient(n, theta, gradient, value_at, engine, 1e-3, 1e-7, name_of);
    lf_engine_free(engine);
}

/* Every kind of input, forces in equations and outputs, starts with parameters, constants, coupled masses. */
static const char *const rich =
    "input v\ninput w constant\ninput dose impulse\nforce u ~ matern52(lengthscale = 0.8, amplitude = 1.1)\n"
    "force q ~ white(sd = 0.4)\n"
    "a*x' + b*z' = -x + u + q + w + h\n"
    "z' = -k*z + x/a + 0.3*v + dose*f\n"
    "output y1 = x + 0.5*z + e*v noise = 0.2\noutput y2 = z - 0.7*u + h noise = 0.1\n"
    "parameter a = 1.4\nparameter b = 0.3 real\nparameter h = -0.2 real\nparameter k = 0.9\nparameter f = 0.6\n"
    "parameter e = 0.5 real\nparameter x0 = 0.4 real\nparameter s0 = 0.7\nstart x ~ normal(x0, s0)\nstart z ~ "
    "normal(0, 1)\n";

static lf_data *rich_rows(lf_context *ctx, lf_random *random, const char *replicate, lf_data *data)
{
    if (!data) {
        assert_ok(ctx, lf_data_create(ctx, 1, &data));
    }
    for (int i = 0; i < 12; i++) {
        add(ctx, data, "v", replicate, 0.5 * i, lf_random_normal(random));
        add(ctx, data, "w", replicate, i ? 0.45 * i + 0.1 * lf_random_uniform(random) : 0, lf_random_normal(random));
    }
    add(ctx, data, "w", replicate, 5.5, 0.3);
    add(ctx, data, "dose", replicate, 0, 2);
    add(ctx, data, "dose", replicate, 2.5, 1);
    for (int i = 0; i < 30; i++) {
        double t = i % 3 ? 0.25 * (i / 2) : 5 * lf_random_uniform(random);
        add(ctx, data, i % 2 ? "y1" : "y2", replicate, t, lf_random_normal(random));
    }
    return data;
}

static void test_gradients(void **state)
{
    lf_random random;
    lf_random_seed(&random, 21);
    lf_model *model = from_equations(*state, rich);
    lf_data *data = rich_rows(*state, &random, "one", NULL);
    rich_rows(*state, &random, "two", data);
    check_model(*state, model, data);
    lf_model_free(model);
    lf_data_free(data);
    /* steady, with an equilibrium that depends on the constants and not on doses */
    model =
        from_equations(*state, "input v\ninput dose impulse\nforce u ~ matern32(lengthscale = 1, amplitude = 0.8)\n"
                               "force n ~ white(sd = 0 fixed)\n"
                               "c*x' = (z - x)/r + g*v + n\nd*z' = (x - z)/r + (1 + s*v - z)/q + u + dose\n"
                               "parameter c = 1.1\nparameter r = 0.7\nparameter g = 0.4 real\nparameter d = 2\n"
                               "parameter s = 0.3 real\nparameter q = 1.9\noutput y = x noise = 0.1\nstart steady\n");
    assert_ok(*state, lf_data_create(*state, 1, &data));
    add(*state, data, "dose", NULL, 0, 1.5);
    add(*state, data, "dose", NULL, 7.5, 0.8);
    for (int i = 0; i < 20; i++) {
        add(*state, data, "v", NULL, i, lf_random_normal(&random));
        add(*state, data, "y", NULL, i % 5 ? 19 * lf_random_uniform(&random) : i / 5 * 7.5 / 2,
            lf_random_normal(&random));
    }
    check_model(*state, model, data);
    lf_model_free(model);
    lf_data_free(data);
}

/* Stored, restored and continued posteriors predict the same; known inputs are taken from where they come. */
static void test_posteriors(void **state)
{
    enum { N = 6 };
    static const int target[N] = {0, 1, 2, 4, 5, 6};
    static const double x[N] = {5.2, 5.3, 5.4, 5.45, 5.1, 5.45};
    lf_point_list points = {.n = N, .target = target, .x = x};
    lf_random random;
    lf_random_seed(&random, 22);
    lf_model *model = from_equations(*state, rich), *stored;
    lf_data *data = rich_rows(*state, &random, NULL, NULL), *early, *late;
    lf_posterior *all = make_posterior(*state, model, data, NULL), *other;
    double mean[2][N], variance[2][N];
    assert_int_equal(lf_model_state_count(model), 2);
    assert_ok(*state, lf_predict_list(all, &points, mean[0], variance[0], NULL));
    assert_ok(*state, lf_model_copy(*state, model, &stored));
    assert_ok(*state, lf_posterior_store(all, stored));
    assert_ok(*state, lf_posterior_restore(*state, stored, &other));
    assert_ok(*state, lf_predict_list(other, &points, mean[1], variance[1], NULL));
    for (int i = 0; i < N; i++) {
        assert_near(mean[1][i], mean[0][i], 1e-13);
        assert_near(variance[1][i], variance[0][i], 1e-13);
    }
    lf_posterior_free(other);
    assert_ok(*state, lf_data_create(*state, 1, &early));
    assert_ok(*state, lf_data_create(*state, 1, &late));
    for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) {
        lf_observation row = lf_data_row(data, i);
        add(*state, row.x[0] <= 3.1 ? early : late, lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output), NULL,
            row.x[0], row.y);
    }
    add(*state, early, "v", NULL, 3.3, 0); /* so that it reaches the last early row; replaced later by nothing else */
    lf_data_free(early);
    assert_ok(*state, lf_data_create(*state, 1, &early));
    for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) { /* inputs are known beforehand, rows come later */
        lf_observation row = lf_data_row(data, i);
        const char *name = lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output);
        if (name[0] != 'y' || row.x[0] <= 3.1) {
            add(*state, early, name, NULL, row.x[0], row.y);
        }
    }
    other = make_posterior(*state, model, early, NULL);
    assert_ok(*state, lf_posterior_update(*state, other, late, "rows"));
    assert_ok(*state, lf_predict_list(other, &points, mean[1], variance[1], NULL));
    for (int i = 0; i < N; i++) {
        assert_near(mean[1][i], mean[0][i], 1e-11);
        assert_near(variance[1][i], variance[0][i], 1e-11);
    }
    double beyond[N] = {6, 6, 6, 6, 6, 6};
    lf_point_list further = {.n = N, .target = target, .x = beyond};
    assert_int_equal(lf_predict_list(other, &further, mean[1], NULL, NULL), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(*state), "input 'v' ends at 5.5, and is needed until 6"));
    lf_data *more;
    assert_ok(*state, lf_data_create(*state, 1, &more));
    add(*state, more, "v", NULL, 7, 1);
    add(*state, more, "w", NULL, 7, 1);
    assert_ok(*state, lf_posterior_update(*state, other, more, "inputs"));
    assert_ok(*state, lf_predict_list(other, &further, mean[1], NULL, NULL));
    lf_data_free(more);
    lf_data_free(early);
    lf_data_free(late);
    lf_data_free(data);
    lf_posterior_free(all);
    lf_posterior_free(other);
    lf_model_free(model);
    lf_model_free(stored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operators_as_equations),
                                       cmocka_unit_test(test_white_force), cmocka_unit_test(test_chain_by_frequencies),
                                       cmocka_unit_test(test_gradients), cmocka_unit_test(test_posteriors)};
    (void)set_value;
    return cmocka_run_group_tests(tests, make_context, free_context);
}
