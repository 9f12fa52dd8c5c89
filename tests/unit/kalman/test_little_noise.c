/* Log likelihoods where an output has almost no noise, so that a reading takes nearly all of the variance of a state. Reference: Cholesky's
 * factor of the covariance of all readings in extended precision. With a force of covariance e^{-b |r|}, free starts of variance v and
 * t >= s,
 *
 *   Cov[f_a(t), f_c(s)] = S_a S_c [ (E(a) - e^{-a t} (e^{-b s} - e^{-c s}) / (c - b)) / (a + b) + (E(b) - E(a)) / (a - b) ] + v e^{-a (t + s)} (a = c),
 *   E(x) = e^{-x (t - s)} (1 - e^{-(c + x) s}) / (c + x) */
#include <float.h>

#include "support.h"

#include "model/model.h"

typedef long double number;

enum { TIMES = 20, OUTPUTS = 2, N = OUTPUTS * TIMES };

static const number rate = 0.625L, decay[OUTPUTS] = {1, 2}, sensitivity[OUTPUTS] = {1, 0.5L};

static number covariance(int a, number t, int c, number s, number start)
{
    number x = decay[a], y = decay[c], between = t - s;
    number of_decay = expl(-x * between) * -expm1l(-(x + y) * s) / (x + y);
    number of_rate = expl(-rate * between) * -expm1l(-(rate + y) * s) / (rate + y);
    number before = expl(-x * t) * (expl(-rate * s) - expl(-y * s)) / (y - rate);
    number forced = (of_decay - before) / (x + rate) + (of_rate - of_decay) / (x - rate);
    return sensitivity[a] * sensitivity[c] * forced + (a == c ? start * expl(-x * (t + s)) : 0);
}

/* L becomes the factor of K (lower triangles), y becomes L^-1 y. */
static number log_likelihood(number K[N][N], number y[N])
{
    number sum = 0;
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < j; k++) {
            K[j][j] -= K[j][k] * K[j][k];
            y[j] -= K[j][k] * y[k];
        }
        assert_true(K[j][j] > 0);
        K[j][j] = sqrtl(K[j][j]);
        y[j] /= K[j][j];
        sum -= 0.5L * (y[j] * y[j] + logl(2 * acosl(-1))) + logl(K[j][j]);
        for (int i = j + 1; i < N; i++) {
            for (int k = 0; k < j; k++) {
                K[i][j] -= K[i][k] * K[j][k];
            }
            K[i][j] /= K[j][j];
        }
    }
    return sum;
}

static double time_of(int i) { return (i + 1) * 0.125 + (i % 3) * 0.03125; }
static double value_of(int i, int d) { return (d ? 0.5 : 1) * (i * i % 7 - 3); }

static void check(lf_context *ctx, const double noise[OUTPUTS], double start)
{
    static number K[N][N], y[N];
    lf_data *data;
    char text[1024];
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < N; i++) {
        int a = i % OUTPUTS;
        double x = time_of(i / OUTPUTS), value = value_of(i / OUTPUTS, a);
        for (int j = 0; j <= i; j++) {
            int c = j % OUTPUTS, later = i / OUTPUTS != j / OUTPUTS;
            number s = time_of(j / OUTPUTS);
            K[i][j] = later || a >= c ? covariance(a, x, c, s, start) : covariance(c, s, a, x, start);
            K[i][j] += i == j ? (number)noise[a] : 0;
        }
        y[i] = value;
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row), .output = a ? "b" : "a", .x = &x, .y = value}));
    }
    snprintf(
        text, sizeof text,
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"free\",\"forces\":[{\"kernel\":\"matern12\","
        "\"lengthscale\":1.6}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},"
        "\"sensitivity\":[1],\"initial_variance\":[%.17g],\"noise_variance\":%.17g},{\"name\":\"b\",\"operator\":{"
        "\"type\":\"ode1\",\"decay\":2},\"sensitivity\":[0.5],\"initial_variance\":[%.17g],\"noise_variance\":%.17g}]}",
        start, noise[0], start, noise[1]);
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "kalman"};
    lf_model *model = parse_model(ctx, text);
    lf_engine *engine;
    double found;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &found, NULL));
    double expected = (double)log_likelihood(K, y), error = fabs(found - expected) / fabs(expected);
    if (!(error <= 1e-11)) {
        print_error("noise %g and %g, start %g: %.17g, expected %.17g, error %g\n", noise[0], noise[1], start, found,
                    expected, error);
        fail();
    }
    lf_engine_free(engine);
    lf_model_free(model);
    lf_data_free(data);
}

static void test_little_noise(void **state)
{
    if (LDBL_MANT_DIG < 64) {
        skip(); /* no extended precision here */
    }
    static const double noises[][OUTPUTS] = {{0.01, 0.01}, {0.01, 1e-6}, {1e-8, 0.01}, {1e-6, 1e-6}, {1e-3, 1e-8}};
    static const double starts[] = {1, 100, 1e4};
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
            check(*state, noises[i], starts[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_little_noise, make_context, free_context)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
