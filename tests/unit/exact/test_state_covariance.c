/* Covariances of Matern forces through the state space: against closed forms, against direct integration, against the
 * likelihood of the kalman engine; wild rates; gradients of outputs, forces and rates. */
#include "contraction.h"
#include "integrated_process.h"
#include "random_models.h"

static const lf_engine_options dense = {.size = sizeof(lf_engine_options), .engine = "dense"};

static double *matrix(lf_context *ctx, const lf_model *model, size_t n, const int *target, const double *x)
{
    lf_point_list points = {.n = n, .target = target, .x = x};
    double *K = malloc(n * n * sizeof *K);
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, K));
    return K;
}

static lf_model *first_order(lf_context *ctx, const char *kernel, double lengthscale, double decay, double sensitivity,
                             double noise, const char *initial)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"%s\","
             "\"lengthscale\":%.17g}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":%.17g},"
             "\"sensitivity\":[%.17g],\"noise_variance\":%.17g}]}",
             initial, kernel, lengthscale, decay, sensitivity, noise);
    return parse_model(ctx, text);
}

/* int_0^t e^{-a (t - r)} e^{-b |r - s|} dr for a != b. */
static double memory(double a, double b, double t, double s)
{
    double split = fmin(t, s);
    double early = (exp(-a * (t - split) - b * (s - split)) - exp(-a * t - b * s)) / (a + b);
    return t <= s ? early : early + (exp(-b * (t - s)) - exp(-a * (t - s))) / (a - b);
}

/* f' = -a f + u from 0, Cov u = e^{-b r}: Cov[f(t), f(s)], t >= s, = e^{-a (t - s)} v(s) + c(s) (…), with the moments
 * c(s) = Cov[f(s), u(s)] and v(s) = Var f(s). */
static double zero_start(double a, double b, double t, double s)
{
    double c = memory(a, b, s, s), fresh = (exp(-b * (t - s)) - exp(-a * (t - s))) / (a - b);
    double v = (1 - exp(-2 * a * s)) / (a * (a + b)) - 2 * (exp(-(a + b) * s) - exp(-2 * a * s)) / ((a + b) * (a - b));
    return exp(-a * (t - s)) * v + c * fresh;
}

/* Outputs, forces and rates of a first-order ODE with a Matern-1/2 force, every pair, both starts. */
static void test_first_order(void **state)
{
    lf_context *ctx = *state;
    enum { TIMES = 9, N = 3 * TIMES };
    static const double rates[][2] = {{1.3, 0.8}, {0.02, 3}, {40, 0.5}, {1e3, 2}};
    static const double times[TIMES] = {0, 0.01, 0.5, 0.5, 1, 1.5, 2.25, 4, 10};
    for (int stationary = 0; stationary < 2; stationary++) {
        for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
            double a = rates[r][0], l = rates[r][1], b = 1 / l, S = 1.7, x[N];
            int target[N];
            lf_model *model = first_order(ctx, "matern12", l, a, S, 0.1, stationary ? "stationary" : "zero");
            for (int i = 0; i < N; i++) {
                target[i] = i / TIMES; /* output, force, rate */
                x[i] = times[i % TIMES];
            }
            double *K = matrix(ctx, model, N, target, x);
            for (int i = 0; i < N; i++) {
                for (int j = 0; j < N; j++) {
                    double t = fmax(x[i], x[j]), s = fmin(x[i], x[j]), lag = t - s, k = exp(-b * lag);
                    int later = x[i] >= x[j] ? i : j, earlier = later == i ? j : i;
                    /* f with f, f later with u, u later with f */
                    double ff =
                        stationary ? (exp(-b * lag) - b / a * exp(-a * lag)) / (a * a - b * b) : zero_start(a, b, t, s);
                    double fu =
                        stationary ? exp(-a * lag) / (a + b) + (k - exp(-a * lag)) / (a - b) : memory(a, b, t, s);
                    double uf = stationary ? k / (a + b) : memory(a, b, s, t);
                    /* each target is p f + q u */
                    double p[2], q[2];
                    for (int side = 0; side < 2; side++) {
                        int which = target[side ? earlier : later];
                        p[side] = which == 0 ? 1 : which == 1 ? 0 : -a;
                        q[side] = which == 0 ? 0 : which == 1 ? 1 : S;
                    }
                    double expected =
                        p[0] * p[1] * S * S * ff + p[0] * q[1] * S * fu + q[0] * p[1] * S * uf + q[0] * q[1] * k;
                    double unit = fabs(p[0] * p[1] * S * S * ff) + fabs(p[0] * q[1] * S * fu) +
                                  fabs(q[0] * p[1] * S * uf) + fabs(q[0] * q[1] * k);
                    assert_near(K[i * N + j], expected, 1e-13 * (unit + S * S / (a * (a + b))));
                }
            }
            free(K);
            lf_model_free(model);
        }
    }
}

static double log_likelihood(lf_context *ctx, const lf_model *model, const lf_data *data,
                             const lf_engine_options *options)
{
    lf_engine *engine;
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, options, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    lf_engine_free(engine);
    return value;
}

/* 200 rows on [0, 10] and decay up to 1e7: dense is what kalman is, and in the limit the force itself. */
static void test_fast_operators(void **state)
{
    lf_context *ctx = *state;
    static const char *const rough[] = {"matern12", "matern32", "matern52"};
    static const char *const starts[] = {"stationary", "zero"};
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 200; i++) {
        double x = 10.0 * i / 199, y = sin(x) + 0.3 * sin(7 * x);
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = y}));
    }
    for (int k = 0; k < 3; k += ONE_OF(3)) {
        for (int s = 0; s < 2; s++) {
            static const double decays[] = {1, 100, 1e7};
            for (int i = 0; i < 3; i++) {
                lf_model *model = first_order(ctx, rough[k], 0.8, decays[i], decays[i], 0.01, starts[s]);
                double exact = log_likelihood(ctx, model, data, &kalman);
                assert_near(log_likelihood(ctx, model, data, &dense), exact, 2e-12 * fmax(1, fabs(exact)));
                lf_model_free(model);
            }
        }
        /* the plain Matern process, by a Cholesky factor of its own */
        enum { N = 200 };
        double *L = calloc((size_t)N * N, sizeof *L), z[N], plain = -0.5 * N * log(2 * 3.14159265358979323846);
        const lf_force_kernel *kernel = lf_force_kernel_find(rough[k]);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j <= i; j++) {
                L[i * N + j] = kernel->covariance(10.0 * (i - j) / 199 / 0.8) + (i == j ? 0.01 : 0);
            }
        }
        cholesky(N, L);
        for (int i = 0; i < N; i++) {
            z[i] = lf_data_row(data, (size_t)i).y;
            for (int j = 0; j < i; j++) {
                z[i] -= L[i * N + j] * z[j];
            }
            z[i] /= L[i * N + i];
            plain -= 0.5 * z[i] * z[i] + log(L[i * N + i]);
        }
        lf_model *fast = first_order(ctx, rough[k], 0.8, 1e7, 1e7, 0.01, "stationary");
        assert_near(log_likelihood(ctx, fast, data, &dense), plain, 1e-3);
        assert_near(log_likelihood(ctx, fast, data, NULL), plain, 1e-3);
        lf_model_free(fast);
        free(L);
    }
    lf_data_free(data);
}

/* Likelihoods, means and joint covariances of outputs, forces and rates, against direct integration. */
static void test_integration(void **state)
{
    static const char *const starts[] = {"zero", "free", "stationary"};
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 613);
    for (int trial = 0; trial < 6; trial += ONE_OF(3)) {
        lf_model *model = random_model(ctx, &random, starts[trial % 3], 3, trial % 3 == 2 || trial % 2);
        lf_data *data = random_rows(ctx, &random, 12, NULL, NULL);
        enum { M = 12 };
        int target[M];
        double x[M], mean[M], covariance[M * M];
        for (int i = 0; i < M; i++) {
            target[i] = i % 6;
            x[i] = 0.1 + 0.3 * (i / 2);
        }
        lf_point_list points = {.n = M, .target = target, .x = x};
        process gp;
        condition_process(model, data, &points, &gp);
        assert_near(log_likelihood(ctx, model, data, &dense), gp.value, 2e-12 * fmax(1, fabs(gp.value)));
        lf_posterior *posterior = make_posterior(ctx, model, data, &dense);
        assert_ok(ctx, lf_predict_list(posterior, &points, mean, NULL, covariance));
        for (int i = 0; i < M; i++) {
            assert_near(mean[i], gp.mean[i], 1e-11 * fmax(1, fabs(gp.mean[i])));
            for (int j = 0; j < M; j++) {
                double unit = sqrt(gp.covariance[i * M + i] * gp.covariance[j * M + j]);
                assert_near(covariance[i * M + j], gp.covariance[i * M + j], 3e-13 * fmax(1, unit));
            }
        }
        lf_posterior_free(posterior);
        free(gp.mean);
        free(gp.covariance);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* Rates from 1e-3 to 1e7, equal, nearly equal and repeated roots, many outputs: the two exact engines agree. */
static void test_wild_rates(void **state)
{
    static const char *const operators[] = {
        "{\"type\":\"ode1\",\"decay\":1e7}",
        "{\"type\":\"ode1\",\"decay\":1.25}", /* the rate of the Matern-1/2 force */
        "{\"type\":\"ode1\",\"decay\":1.2500000001}",
        "{\"type\":\"ode2\",\"mass\":1,\"damper\":2,\"spring\":1}",
        "{\"type\":\"ode2\",\"mass\":1,\"damper\":1e-3,\"spring\":400}",
        "{\"type\":\"ode2\",\"mass\":1e-6,\"damper\":1,\"spring\":1e-3}",
        "{\"type\":\"ode\",\"coefficients\":[1,5,10,10,5,1]}",
        "{\"type\":\"ode\",\"coefficients\":[1,12,66,220,495,792,924,792,495,220,66,12,1]}",
        "{\"type\":\"ode1\",\"decay\":1e-3}",
    };
    enum { OUTPUTS = sizeof operators / sizeof *operators };
    static const char *const starts[] = {"zero", "free", "stationary"};
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 1);
    for (int trial = 0; trial < 3; trial += ONE_OF(2)) {
        char text[8192];
        int at = snprintf(text, sizeof text,
                          "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":"
                          "\"matern12\",\"lengthscale\":0.8},{\"kernel\":\"matern32\",\"lengthscale\":3},{\"kernel\":"
                          "\"matern52\",\"lengthscale\":0.05}],\"outputs\":[",
                          starts[trial]);
        for (int d = 0; d < OUTPUTS; d++) {
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "%s{\"name\":\"o%d\",\"operator\":%s,\"sensitivity\":[%g,%g,%g],\"noise_variance\":0.1,"
                           "\"private\":{\"kernel\":\"matern32\",\"lengthscale\":%g,\"amplitude\":0.3}}",
                           d ? "," : "", d, operators[d], d ? 1.0 : 1e7, d ? 0.5 : 1e6, -0.7, 0.3 + d);
        }
        snprintf(text + at, sizeof text - (size_t)at, "]}");
        lf_model *model = parse_model(ctx, text);
        lf_data *data;
        assert_ok(ctx, lf_data_create(ctx, 1, &data));
        for (int i = 0; i < 15 / ONE_OF(3) * OUTPUTS; i++) {
            char name[16];
            double x = i % 2 ? 0.7 * (i / OUTPUTS) : 10 * lf_random_uniform(&random);
            snprintf(name, sizeof name, "o%d", i % OUTPUTS);
            assert_ok(ctx,
                      lf_data_add(
                          ctx, data,
                          &(lf_row){.size = sizeof(lf_row), .output = name, .x = &x, .y = lf_random_normal(&random)}));
        }
        size_t n = model->parameter_count;
        double value[2], *gradient = calloc(2 * n, sizeof *gradient), largest = 0;
        for (int k = 0; k < 2; k++) {
            lf_engine *engine;
            assert_ok(ctx, lf_engine_create(ctx, model, data, k ? &kalman : &dense, &engine));
            assert_ok(ctx, lf_engine_evaluate(engine, n, NULL, &value[k], gradient + (size_t)k * n));
            lf_engine_free(engine);
        }
        assert_near(value[0], value[1], 1e-11 * fabs(value[1]));
        for (size_t i = 0; i < n; i++) {
            largest = fmax(largest, fabs(gradient[n + i]));
        }
        for (size_t i = 0; i < n; i++) {
            assert_near(gradient[i], gradient[n + i], 5e-9 * (fabs(gradient[n + i]) + 1e-3 * largest));
        }
        free(gradient);
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* ---- gradients of covariances ---- */

/* Outputs, forces (also before the origin) and rates; one set with itself and two different sets; the last model has
 * EQ forces too. */
static void test_gradients(void **state)
{
    static const char *const starts[] = {"zero", "stationary"};
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 99);
    for (int trial = 0; trial < 4; trial += ONE_OF(3)) {
        lf_model *model = random_model(ctx, &random, starts[trial % 2], trial < 3 ? 3 : 4, 1);
        enum { N = 24, M = 18 };
        int target[N], other[M], targets = trial < 3 ? 6 : 4; /* no rates with EQ forces */
        double x[N], z[M], G[N * N], R[N * M];
        for (int i = 0; i < N; i++) {
            target[i] = i % targets;
            x[i] = uniform_between(&random, target[i] == 2 ? -2 : 0, 2);
            for (int j = 0; j <= i; j++) {
                G[i * N + j] = G[j * N + i] = lf_random_normal(&random);
            }
        }
        for (int i = 0; i < M; i++) {
            other[i] = i % targets;
            z[i] = i % 3 ? x[i] : uniform_between(&random, 0, 2);
        }
        for (int i = 0; i < N * M; i++) {
            R[i] = lf_random_normal(&random);
        }
        lf_point_list points = {.n = N, .target = target, .x = x}, others = {.n = M, .target = other, .x = z};
        lf_point_set a, b;
        size_t count = model->parameter_count;
        double *gradient = calloc(2 * count, sizeof *gradient), *values = gradient + count;
        assert_ok(ctx, lf_point_set_create(ctx, model, &points, N, NULL, &a));
        assert_ok(ctx, lf_point_set_create(ctx, model, &others, M, NULL, &b));
        for (size_t i = 0; i < count; i++) {
            values[i] = *model->parameters[i].value;
        }
        contraction symmetric = {ctx, model, &a, &a, G}, rectangular = {ctx, model, &a, &b, R};
        assert_ok(ctx, lf_exact_covariance_gradient(ctx, model, exact_matern, &a, &a, G, N, gradient));
        check_gradient(count, values, gradient, contracted, &symmetric, 1e-3, 5e-9, parameter_name);
        memset(gradient, 0, count * sizeof *gradient);
        assert_ok(ctx, lf_exact_covariance_gradient(ctx, model, exact_matern, &a, &b, R, N, gradient));
        check_gradient(count, values, gradient, contracted, &rectangular, 1e-3, 5e-9, parameter_name);
        lf_point_set_clear(&a);
        lf_point_set_clear(&b);
        free(gradient);
        lf_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_order), cmocka_unit_test(test_fast_operators), cmocka_unit_test(test_integration),
        cmocka_unit_test(test_wild_rates),  cmocka_unit_test(test_gradients),
    };
    return cmocka_run_group_tests(tests, make_rule, free_context);
}
