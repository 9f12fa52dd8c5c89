/* Gaussian operators with Matern forces: covariances of outputs, forces and rates against numerical integration, also
 * between gaussian operators and ODEs; gradients; what the engines report. */
#include "contraction.h"

#include "base/gauss_legendre.h"
#include "exact/smoothed_matern.h"

/* Nodes and weights of Gauss-Legendre panels that do not cross the breaks (sorted). Returns the number of nodes. */
enum { PANELS = 10, MAX_NODES = 4 * PANELS * LF_GAUSS_POINTS };
static size_t panels(int count, const double *breaks, double *node, double *weight)
{
    size_t n = 0;
    for (int b = 0; b + 1 < count; b++) {
        for (int p = 0; p < PANELS; p++) {
            double half = 0.5 * (breaks[b + 1] - breaks[b]) / PANELS, middle = breaks[b] + (2 * p + 1) * half;
            for (int i = 0; half > 0 && i < LF_GAUSS_POINTS; i++, n++) {
                int k = i / 2;
                node[n] = middle + (i % 2 ? half : -half) * lf_gauss_x[k];
                weight[n] = half * lf_gauss_w[k];
            }
        }
    }
    return n;
}

static double density(double x, double V) { return exp(-0.5 * x * x / V) / sqrt(2 * 3.14159265358979323846 * V); }

/* K, K', K'' and dK/dl by integration over the kernel times (derivatives of) the Gaussian. */
static void integrate(const lf_force_kernel *kernel, double l, double V, double r, double *out)
{
    static double node[MAX_NODES], weight[MAX_NODES];
    double s = sqrt(V), from = r - 9 * s, to = r + 9 * s, reach = 40 * l;
    from = fmax(from, -reach);
    to = fmin(to, reach);
    double breaks[3] = {from, fmin(fmax(0, from), to), to};
    size_t n = panels(3, breaks, node, weight);
    for (int i = 0; i < 4; i++) {
        out[i] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        double z = fabs(node[i]) / l, d = node[i] - r, w = weight[i] * density(d, V), k = kernel->covariance(z);
        out[0] += w * k;
        out[1] += w * k * d / V;
        out[2] += w * k * (d * d / V - 1) / V;
        out[3] -= w * kernel->covariance_slope(z) * z / l;
    }
}

static const lf_force_kernel *const matern[] = {&lf_force_kernel_matern12, &lf_force_kernel_matern32,
                                                &lf_force_kernel_matern52};

/* Widths of the Gaussian from 0.003 to 300 lengthscales. */
static void test_function(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        for (double width = 0.003; width < 400; width *= 3.3) {
            double l = 0.7, V = width * width * l * l, at_0[4];
            integrate(matern[k], l, V, 0, at_0);
            double scale = fmax(sqrt(V), l);
            for (double r = 0; r < 7 * scale; r += 0.31 * scale) {
                double expected[4];
                integrate(matern[k], l, V, r, expected);
                lf_smoothed K = lf_smoothed_matern(matern[k], l, V, r);
                /* the reference cancels where the Gaussian is narrow */
                double lost = fmax(1, l * l / V), digits = 3e-15 * sqrt(lost);
                assert_near(K.value, expected[0], digits * at_0[0]);
                assert_near(K.by_lengthscale, expected[3], digits * fmax(at_0[0], at_0[3]) / l);
                assert_near(K.slope, expected[1], digits * sqrt(fabs(at_0[0] * at_0[2])));
                assert_near(K.curvature, expected[2], 2e-14 * lost * fabs(at_0[2]));
            }
        }
    }
    lf_smoothed limit = lf_smoothed_matern(matern[1], 0.5, 1e-300, 0.3);
    assert_near(limit.value, matern[1]->covariance(0.6), 1e-15);
    lf_smoothed wide = lf_smoothed_matern(matern[0], 1e-6, 1, 0.5);
    assert_near(wide.value, 2e-6 * density(0.5, 1), 1e-17);
}

static lf_model *smoothing_model(lf_context *ctx, const char *second, const char *initial)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"matern12\","
             "\"lengthscale\":0.8},{\"kernel\":\"matern32\",\"lengthscale\":0.3},{\"kernel\":\"matern52\","
             "\"lengthscale\":2}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\",\"precision\":3},"
             "\"sensitivity\":[1,-0.6,0.4],\"noise_variance\":0.1,\"private\":{\"kernel\":\"matern32\","
             "\"lengthscale\":0.5,\"amplitude\":0.7}},{\"name\":\"b\",\"operator\":%s,\"sensitivity\":[0.5,1.2,-1],"
             "\"noise_variance\":0.1}]}",
             initial, second);
    return parse_model(ctx, text);
}

/* Covariances of a model with the outputs a and b, forces and rates against the convolution of a process known without
 * smoothing: Cov[f_a(s), g(t)] = int N(v - s; 0, 1/P) Cov[u(v), g(t)] dv for every shared force u and g an ODE. */
static void test_ode_with_gaussian(void **state)
{
    static const char *const starts[] = {"stationary", "zero"};
    static const char *const odes[] = {"{\"type\":\"ode1\",\"decay\":1.5}",
                                       "{\"type\":\"ode2\",\"mass\":1,\"damper\":0.7,\"spring\":4}"};
    enum { N = 4 };
    lf_context *ctx = *state;
    for (int trial = 0; trial < 4; trial++) {
        lf_model *model = smoothing_model(ctx, odes[trial / 2], starts[trial % 2]);
        const lf_output *a = &model->outputs[0];
        double node[MAX_NODES], weight[MAX_NODES], V = 1 / a->constants[0];
        for (int i = 0; i < N; i++) {
            double s = 0.7 * i, t = 2.6 - 0.75 * i, expected[2] = {0, 0};
            double low = s - 9 * sqrt(V), high = s + 9 * sqrt(V);
            double breaks[4] = {low, fmin(fmax(0, low), high), fmin(fmax(t, low), high), high};
            size_t n = panels(4, breaks, node, weight), size = n + 2;
            for (int q = 0; q < 3; q++) {
                int *target = calloc(size, sizeof *target);
                double *x = malloc(size * sizeof *x), *K = malloc(2 * n * sizeof *K);
                for (size_t k = 0; k < n; k++) {
                    target[k] = 2 + q;
                    x[k] = node[k];
                }
                int pair[2] = {1, 6}; /* output b and its rate */
                double times[2] = {t, t};
                lf_point_list forces = {.n = n, .target = target, .x = x}, ode = {.n = 2, .target = pair, .x = times};
                lf_point_set A, B;
                assert_ok(ctx, lf_point_set_create(ctx, model, &forces, n, NULL, &A));
                assert_ok(ctx, lf_point_set_create(ctx, model, &ode, 2, NULL, &B));
                assert_ok(ctx, lf_exact_covariance_matrix(ctx, model, exact_matern, &A, &B, K, n));
                for (size_t k = 0; k < n; k++) {
                    double w = a->sensitivity[q] * weight[k] * density(A.x[k] - s, V);
                    expected[0] += w * K[k];
                    expected[1] += w * K[n + k];
                }
                lf_point_set_clear(&A);
                lf_point_set_clear(&B);
                free(target);
                free(x);
                free(K);
            }
            int target[3] = {0, 1, 6};
            double x[3] = {s, t, t}, K[9];
            lf_point_list points = {.n = 3, .target = target, .x = x};
            assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, K));
            assert_near(K[1], expected[0], 1e-13 * sqrt(K[0] * K[4]) + 1e-13);
            assert_near(K[2], expected[1], 1e-13 * sqrt(K[0] * K[8]) + 1e-13);
        }
        lf_model_free(model);
    }
}

/* A model of gaussian operators: every pair of outputs, forces and rates. */
static void test_model(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = smoothing_model(ctx, "{\"type\":\"gaussian\",\"precision\":400}", "stationary");
    enum { TARGETS = 7, N = 3 * TARGETS };
    int target[N];
    double x[N], K[N * N], largest = 0;
    for (int i = 0; i < N; i++) {
        target[i] = i % TARGETS;
        x[i] = 0.13 * i + (i / TARGETS ? 0 : 1.5);
    }
    lf_point_list points = {.n = N, .target = target, .x = x};
    lf_engine_options closed = {.size = sizeof closed, .nodes = "closed-form"};
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, &closed, K));
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            int a = lf_target_output(model, target[i]), b = lf_target_output(model, target[j]);
            int rate_a = lf_target_is_rate(model, target[i]), rate_b = lf_target_is_rate(model, target[j]);
            double r = x[i] - x[j], expected = 0;
            double V =
                (a < 0 ? 0 : 1 / model->outputs[a].constants[0]) + (b < 0 ? 0 : 1 / model->outputs[b].constants[0]);
            for (int q = 0; q < 4; q++) {
                int private = q == 3;
                double Sa = private ? (a == 0) * 0.7 : a < 0 ? target[i] == 2 + q : model->outputs[a].sensitivity[q];
                double Sb = private ? (b == 0) * 0.7 : b < 0 ? target[j] == 2 + q : model->outputs[b].sensitivity[q];
                const lf_force *force = private ? &model->outputs[0].private_force : &model->forces[q];
                double out[4] = {0};
                if (Sa * Sb != 0 && V > 0) {
                    integrate(force->kernel, force->lengthscale[0], V, fabs(r), out);
                } else if (Sa * Sb != 0) {
                    out[0] = force->kernel->covariance(fabs(r) / force->lengthscale[0]);
                }
                int order = rate_a + rate_b;
                double value = order == 1 && r < 0 ? -out[1] : out[order];
                expected += Sa * Sb * (rate_b ? -value : value);
            }
            double unit = sqrt(K[i * N + i] * K[j * N + j]);
            largest = fmax(largest, fabs(K[i * N + j] - expected) / unit);
        }
    }
    assert_near(largest, 0, 2e-13);

    /* what the engines say */
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 12; i++) {
        double t = 0.25 * i;
        assert_ok(ctx,
                  lf_data_add(ctx, data,
                              &(lf_row){.size = sizeof(lf_row), .output = i % 2 ? "a" : "b", .x = &t, .y = sin(t)}));
    }
    static const char *const nodes[] = {"auto", "uniform"};
    double value[2];
    lf_error_bounds bounds;
    for (int i = 0; i < 2; i++) {
        lf_engine_options options = {.size = sizeof options, .engine = "dense", .nodes = nodes[i]};
        lf_engine *engine;
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value[i], NULL));
        assert_ok(ctx, lf_engine_error_bounds(engine, &bounds));
        assert_string_equal(lf_engine_describe(engine).nodes, i ? "uniform" : "closed-form");
        double bound = fmax(bounds.outputs, fmax(bounds.forces, bounds.rates));
        assert_true(i ? bound > 1e-12 && bound < 1e-4 : bound == 0);
        lf_engine_free(engine);
    }
    assert_near(value[0], value[1], 1e-4);
    lf_data_free(data);
    lf_model_free(model);
}

/* Outputs and forces, gaussian operators alone and with an ODE. */
static void test_gradients(void **state)
{
    static const char *const second[] = {"{\"type\":\"gaussian\",\"precision\":40}",
                                         "{\"type\":\"ode1\",\"decay\":1.5}"};
    static const char *const starts[] = {"stationary", "zero"};
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 5);
    for (int trial = 0; trial < 4; trial++) {
        lf_model *model = smoothing_model(ctx, second[trial % 2], starts[trial / 2]);
        enum { N = 20, M = 15 };
        int target[N], other[M];
        double x[N], z[M], G[N * N], R[N * M];
        for (int i = 0; i < N; i++) {
            target[i] = i % 5;
            x[i] = uniform_between(&random, 0, 2);
            for (int j = 0; j <= i; j++) {
                G[i * N + j] = G[j * N + i] = lf_random_normal(&random);
            }
        }
        for (int i = 0; i < M; i++) {
            other[i] = i % 5;
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
        cmocka_unit_test(test_function),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_ode_with_gaussian),
        cmocka_unit_test(test_gradients),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
