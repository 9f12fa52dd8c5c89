/* What uncertain sensitivities add to the variance of predictions: against the formula with plain matrices and convolutions, and
 * against an integral over the sensitivity. */
#include "support.h"

#include <lapacke.h>
#include <unistd.h>

enum { FORCES = 2, REPLICATES = 2, GRID = 800, ASKED = 5 };
static const double STEP = 0.005; /* of the grid on which forces are convolved; every time is a multiple of it */
static const double TAU = 0.4;

/* `uncertain`: outputs a and b have sensitivity_sd TAU; `sensitive`: they hear the shared forces at all. */
static lf_model *make_model(lf_context *ctx, const char *initial, int uncertain, int sensitive)
{
    char text[2048], sd[40];
    const char *a = sensitive ? "1,-0.5" : "0,0", *b = sensitive ? "0.7,2" : "0,0";
    snprintf(sd, sizeof sd, "\"sensitivity_sd\":%g,", uncertain ? TAU : 0.0);
    snprintf(
        text, sizeof text,
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"matern32\","
        "\"lengthscale\":0.9},{\"kernel\":\"eq\",\"lengthscale\":0.6}],\"outputs\":[{\"name\":\"a\",\"operator\":"
        "{\"type\":\"ode1\",\"decay\":1.3},\"sensitivity\":[%s],%s\"noise_variance\":0.01,\"offset\":0.3,\"scale\":2,"
        "\"private\":{\"kernel\":\"matern12\",\"lengthscale\":0.8,\"amplitude\":0.7}},{\"name\":\"b\",\"operator\":{"
        "\"type\":\"ode2\",\"mass\":1.2,\"damper\":0.8,\"spring\":5},\"sensitivity\":[%s],%s\"noise_variance\":"
        "0.005,\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.5,\"amplitude\":0.5}},{\"name\":\"c\",\"operator\":"
        "{\"type\":\"ode1\",\"decay\":2},\"sensitivity\":[2,1],\"noise_variance\":0.01}]}",
        initial, a, sd, b, sd);
    return parse_model(ctx, text);
}

/* b is not observed in the second replicate, nor is a after 2.4 in the first; some rows have errors of their own. */
static lf_data *make_data(lf_context *ctx)
{
    static const char *const names[] = {"a", "b", "c"}, *const labels[] = {"first", "second"};
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int r = 0; r < REPLICATES; r++) {
        for (int d = 0; d < 3; d++) {
            for (int i = 0; i < 19; i++) {
                double x = STEP * (40 * i + 10 * (i * i % 3)), y = sin(2 * x + d) + 0.3 * cos(3 * x * (r + 1));
                if ((r == 1 && d == 1) || (r == 0 && d == 0 && x > 2.4)) {
                    continue;
                }
                assert_ok(ctx, lf_data_add(ctx, data,
                                           &(lf_row){.size = sizeof(lf_row),
                                                     .output = names[d],
                                                     .replicate = labels[r],
                                                     .x = &x,
                                                     .y = y,
                                                     .sd = i % 7 == 0 ? 0.2 : 0}));
            }
        }
    }
    return data;
}

static lf_posterior *posterior_of(lf_context *ctx, const lf_model *model, const lf_data *data, const char *name)
{
    return make_posterior(ctx, model, data,
                          &(lf_engine_options){.size = sizeof(lf_engine_options), .engine = name, .ahead = 1});
}

/* What an impulse does after a time. */
static double impulse(int output, double t)
{
    double damping = 0.8 / 2.4, frequency = sqrt(5 / 1.2 - damping * damping);
    return output == 0 ? exp(-1.3 * t) : exp(-damping * t) * sin(frequency * t) / (1.2 * frequency);
}

/* The mean forces (FORCES, GRID) of a replicate. */
static void predict_forces(lf_context *ctx, lf_posterior *posterior, int replicate, double *mean)
{
    static int target[FORCES * GRID], of[FORCES * GRID];
    static double x[FORCES * GRID];
    for (int i = 0; i < FORCES * GRID; i++) {
        target[i] = 3 + i / GRID;
        of[i] = replicate;
        x[i] = STEP * (i % GRID);
    }
    lf_point_list points = {.n = FORCES * GRID, .target = target, .replicate = of, .x = x};
    assert_ok(ctx, lf_predict_list(posterior, &points, mean, NULL, NULL));
}

/* The answer of an output, in the units of the data, to a force on the grid: by the trapezoidal rule. */
static double convolve(int output, const double *force, double t)
{
    int n = (int)round(t / STEP);
    double sum = 0;
    for (int i = 0; i <= n; i++) {
        sum += (i == 0 || i == n ? 0.5 : 1) * STEP * impulse(output, t - STEP * i) * force[i];
    }
    return (output == 0 ? 2 : 1) * sum;
}

/* The formula for one output: what is added to the covariance (ASKED, ASKED) at times of replicate 0. */
static void expect_addition(lf_context *ctx, lf_posterior *posterior, const char *initial, const lf_data *data,
                            int output, const double *asked, double *added)
{
    lf_model *alone = make_model(ctx, initial, 0, 0);
    double information[FORCES * FORCES] = {1 / (TAU * TAU), 0, 0, 1 / (TAU * TAU)}, G[ASKED * FORCES] = {0};
    for (int r = 0; r < REPLICATES; r++) {
        static double force[FORCES * GRID];
        double x[40], variance[40], H[40 * FORCES], K[40 * 40], C[20 * 20], solved[20 * (FORCES + ASKED)];
        int n = 0, target[40];
        predict_forces(ctx, posterior, r, force);
        for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) {
            lf_observation row = lf_data_row(data, i);
            if (row.output == output && row.replicate == r) {
                variance[n] = row.sd * row.sd + (output == 0 ? 4 * 0.01 : 0.005);
                x[n++] = row.x[0];
            }
        }
        int all = n + (r == 0 ? ASKED : 0);
        for (int i = 0; i < all; i++) {
            target[i] = output;
            x[i] = i < n ? x[i] : asked[i - n];
            for (int q = 0; q < FORCES; q++) {
                H[i * FORCES + q] = convolve(output, force + q * GRID, x[i]);
            }
        }
        if (n == 0) {
            continue;
        }
        lf_point_list points = {.n = (size_t)all, .target = target, .x = x};
        assert_ok(ctx, lf_covariance_list(ctx, alone, &points, NULL, K));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                C[i * n + j] = K[i * all + j] + (i == j ? variance[i] : 0);
            }
            for (int k = 0; k < FORCES + all - n; k++) { /* right sides: the columns of H, and of k(t) */
                solved[k * n + i] = k < FORCES ? H[i * FORCES + k] : K[i * all + n + k - FORCES];
            }
        }
        assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', n, FORCES + all - n, C, n, solved, n), 0);
        for (int q = 0; q < FORCES; q++) {
            for (int i = 0; i < n; i++) {
                for (int p = 0; p < FORCES; p++) {
                    information[q * FORCES + p] += H[i * FORCES + q] * solved[p * n + i];
                }
            }
            for (int k = 0; k < all - n; k++) {
                G[k * FORCES + q] = H[(n + k) * FORCES + q];
                for (int i = 0; i < n; i++) {
                    G[k * FORCES + q] -= solved[(FORCES + k) * n + i] * H[i * FORCES + q];
                }
            }
        }
    }
    double solved[ASKED * FORCES];
    memcpy(solved, G, sizeof G);
    assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', FORCES, ASKED, information, FORCES, solved, FORCES), 0);
    for (int i = 0; i < ASKED * ASKED; i++) {
        added[i] = 0;
        for (int q = 0; q < FORCES; q++) {
            added[i] += G[i / ASKED * FORCES + q] * solved[i % ASKED * FORCES + q];
        }
    }
    lf_model_free(alone);
}

static void test_formula(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "free"}, *const engines[] = {"dense", "kalman", "fourier"};
    const double asked[ASKED] = {0.45, 1.5, 2.5, 3.2, 3.9}; /* beyond the rows of a from 2.4 on, of b from 3.7 on */
    lf_data *data = make_data(ctx);
    for (int k = 0; k < 3; k++) {
        const char *initial = starts[k % 2], *name = engines[k];
        lf_model *certain = make_model(ctx, initial, 0, 1), *uncertain = make_model(ctx, initial, 1, 1);
        lf_posterior *without = posterior_of(ctx, certain, data, name),
                     *with = posterior_of(ctx, uncertain, data, name);
        for (int output = 0; output < 2; output++) {
            double expected[ASKED * ASKED], before[ASKED * ASKED], after[ASKED * ASKED], m[2][ASKED], v[ASKED];
            int target[ASKED], of[ASKED] = {0};
            for (int i = 0; i < ASKED; i++) {
                target[i] = output;
            }
            lf_point_list points = {.n = ASKED, .target = target, .replicate = of, .x = asked};
            expect_addition(ctx, without, initial, data, output, asked, expected);
            assert_ok(ctx, lf_predict_list(without, &points, m[0], NULL, before));
            assert_ok(ctx, lf_predict_list(with, &points, m[1], v, after));
            for (int i = 0; i < ASKED * ASKED; i++) {
                double size = sqrt(expected[i / ASKED * (ASKED + 1)] * expected[i % ASKED * (ASKED + 1)]);
                assert_near(after[i] - before[i], expected[i], 1e-2 * size);
            }
            for (int i = 0; i < ASKED; i++) {
                assert_near(m[1][i], m[0][i], 1e-15);
                assert_near(v[i], after[i * (ASKED + 1)], 3e-14);
            }
            /* where a is not observed costs more than the midst of its rows */
            assert_true(output == 1 || expected[ASKED * ASKED - 1] > 10 * expected[0]);
        }
        lf_posterior_free(without);
        lf_posterior_free(with);
        lf_model_free(certain);
        lf_model_free(uncertain);
    }
    lf_data_free(data);
}

/* The variance of a rate is the limit of that of difference quotients; forces and certain outputs gain nothing. */
static void test_rates_and_forces(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    lf_data *data = make_data(ctx);
    for (int s = 0; s < 3; s++) {
        lf_model *certain = make_model(ctx, starts[s], 0, 1), *uncertain = make_model(ctx, starts[s], 1, 1);
        lf_posterior *without = posterior_of(ctx, certain, data, "kalman"),
                     *with = posterior_of(ctx, uncertain, data, "kalman");
        double h = 1e-3, x[8] = {3 - h, 3 + h, 3, 3 - h, 3 + h, 3, 3, 3}, m[8], before[64], after[64];
        int target[8] = {0, 0, 5, 1, 1, 6, 2, 4}, of[8] = {0};
        lf_point_list points = {.n = 8, .target = target, .replicate = of, .x = x};
        assert_ok(ctx, lf_predict_list(without, &points, m, NULL, before));
        assert_ok(ctx, lf_predict_list(with, &points, m, NULL, after));
        for (int i = 0; i < 64; i++) {
            after[i] -= before[i];
        }
        for (int k = 0; k < 6; k += 3) {
            const double *c = after + 9 * k;
            double slope = (c[0] - 2 * c[1] + c[9]) / (4 * h * h);
            assert_near(after[9 * (k + 2)], slope, 1e-3 * slope);
            assert_near(after[8 * k + k + 2], (c[1] - c[0]) / (2 * h), 5e-4 * sqrt(c[0] * slope));
        }
        assert_near(after[9 * 6], 0, 1e-15);
        assert_near(after[9 * 7], 0, 1e-15);
        for (int i = 0; s == 1 && i < 8; i++) { /* long before the first row nothing is known, nor can be */
            x[i] = -100;
        }
        if (s == 1) {
            assert_ok(ctx, lf_predict_list(without, &points, m, NULL, before));
            assert_ok(ctx, lf_predict_list(with, &points, m, NULL, after));
            for (int i = 0; i < 64; i++) {
                assert_near(after[i], before[i], 3e-15);
            }
        }
        lf_posterior_free(without);
        lf_posterior_free(with);
        lf_model_free(certain);
        lf_model_free(uncertain);
    }
    lf_data_free(data);
}

/* ---- against an integral over the sensitivity ---- */

static lf_model *two_outputs(lf_context *ctx, double sensitivity, double sd)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"zero\",\"forces\":[{\"kernel\":\"matern32\","
        "\"lengthscale\":1}],\"outputs\":[{\"name\":\"known\",\"operator\":{\"type\":\"ode1\",\"decay\":1},"
        "\"sensitivity\":[1],\"noise_variance\":1e-5},{\"name\":\"unknown\",\"operator\":{\"type\":\"ode1\",\"decay\":"
        "0.5},\"sensitivity\":[%.17g],\"sensitivity_sd\":%g,\"noise_variance\":0.01,\"private\":{\"kernel\":"
        "\"matern12\",\"lengthscale\":0.5,\"amplitude\":0.5}}]}",
        sensitivity, sd);
    return parse_model(ctx, text);
}

/* One output tells the force; the other is observed while that is weak, and asked about while it is strong. */
static void test_integral(void **state)
{
    lf_context *ctx = *state;
    enum { POINTS = 161, TIMES = 3 };
    const double tau = 1, asked[TIMES] = {3.5, 5, 6.5};
    double value[POINTS], mean[POINTS][TIMES], variance[POINTS][TIMES], best = -INFINITY, mode = 0, total = 0;
    int target[TIMES] = {1, 1, 1};
    lf_point_list points = {.n = TIMES, .target = target, .x = asked};
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 1; i <= 140; i++) {
        double x = 0.05 * i, y = x < 3 ? 0.3 * sin(2 * x) : 0.3 * sin(2 * x) + 0.8 * (x - 3);
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "known", .x = &x, .y = y}));
        if (x < 3) {
            y = 0.4 * sin(2 * x + 0.3);
            assert_ok(ctx,
                      lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "unknown", .x = &x, .y = y}));
        }
    }
    for (int k = 0; k < POINTS; k++) {
        double s = -2 + 5.0 * k / (POINTS - 1);
        lf_model *model = two_outputs(ctx, s, 0);
        lf_engine *engine;
        lf_posterior *posterior;
        lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "kalman"};
        assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
        assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value[k], NULL));
        value[k] -= s * s / (2 * tau * tau);
        assert_ok(ctx, lf_engine_posterior(engine, &posterior));
        assert_ok(ctx, lf_predict_list(posterior, &points, mean[k], variance[k], NULL));
        mode = value[k] > best ? s : mode;
        best = fmax(best, value[k]);
        lf_posterior_free(posterior);
        lf_engine_free(engine);
        lf_model_free(model);
    }
    assert_true(mode > -1.5 && mode < 2.5); /* well inside the range that is integrated over */
    lf_model *model = two_outputs(ctx, mode, tau), *known = two_outputs(ctx, mode, 0);
    lf_posterior *posterior = posterior_of(ctx, model, data, "kalman"),
                 *narrow = posterior_of(ctx, known, data, "kalman");
    double m[TIMES], v[TIMES], too_small[TIMES];
    assert_ok(ctx, lf_predict_list(posterior, &points, m, v, NULL));
    assert_ok(ctx, lf_predict_list(narrow, &points, m, too_small, NULL));
    for (int k = 0; k < POINTS; k++) {
        total += value[k] = exp(value[k] - best);
    }
    for (int i = 0; i < TIMES; i++) {
        double first = 0, second = 0;
        for (int k = 0; k < POINTS; k++) {
            first += value[k] / total * mean[k][i];
            second += value[k] / total * (variance[k][i] + mean[k][i] * mean[k][i]);
        }
        double exact = second - first * first;
        assert_near(v[i], exact, 0.01 * exact);
        assert_near(m[i], first, 0.1 * sqrt(exact));
    }
    assert_true(too_small[TIMES - 1] < 0.7 * v[TIMES - 1]);
    lf_posterior_free(posterior);
    lf_posterior_free(narrow);
    lf_model_free(model);
    lf_model_free(known);
    lf_data_free(data);
}

/* ---- files ---- */

static void test_stored(void **state)
{
    lf_context *ctx = *state;
    static const char *const engines[] = {"dense", "kalman", "lowrank"};
    lf_data *data = make_data(ctx), *newer;
    double x[4] = {1, 2.5, 3.5, 3.6}, m[2][4], v[2][4];
    int target[4] = {0, 0, 1, 5}, of[4] = {0, 1, 0, 1};
    lf_point_list points = {.n = 4, .target = target, .replicate = of, .x = x};
    for (int k = 0; k < 3; k++) {
        char path[] = "/tmp/leverage-XXXXXX";
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        lf_model *model = make_model(ctx, "free", 1, 1), *read;
        lf_posterior *posterior = posterior_of(ctx, model, data, engines[k]), *again;
        assert_ok(ctx, lf_posterior_store(posterior, model));
        assert_ok(ctx, lf_model_write(ctx, model, path));
        assert_ok(ctx, lf_model_read(ctx, path, &read));
        assert_ok(ctx, lf_posterior_restore(ctx, read, &again));
        assert_ok(ctx, lf_predict_list(posterior, &points, m[0], v[0], NULL));
        assert_ok(ctx, lf_predict_list(again, &points, m[1], v[1], NULL));
        for (int i = 0; i < 4; i++) {
            assert_near(m[1][i], m[0][i], 1e-13);
            assert_near(v[1][i], v[0][i], 2e-13 * v[0][i]);
        }
        lf_posterior_free(posterior);
        lf_posterior_free(again);
        lf_model_free(model);
        lf_model_free(read);
        remove(path);
    }
    /* Continued with newer rows it knows the old ones no more, and counts sensitivities as known. */
    lf_model *certain = make_model(ctx, "free", 0, 1), *uncertain = make_model(ctx, "free", 1, 1);
    lf_posterior *without = posterior_of(ctx, certain, data, "kalman"),
                 *with = posterior_of(ctx, uncertain, data, "kalman");
    double later = 4, ahead[2] = {4.1, 4.5};
    lf_point_list next = {.n = 2, .target = target, .x = ahead};
    assert_ok(ctx, lf_data_create(ctx, 1, &newer));
    assert_ok(ctx, lf_data_add(
                       ctx, newer,
                       &(lf_row){.size = sizeof(lf_row), .output = "a", .replicate = "first", .x = &later, .y = 0.5}));
    assert_ok(ctx, lf_predict_list(without, &next, m[0], v[0], NULL));
    assert_ok(ctx, lf_predict_list(with, &next, m[1], v[1], NULL));
    assert_true(v[1][0] > 1.01 * v[0][0]);
    assert_ok(ctx, lf_posterior_update(ctx, without, newer, "rows"));
    assert_ok(ctx, lf_posterior_update(ctx, with, newer, "rows"));
    assert_ok(ctx, lf_predict_list(without, &next, m[0], v[0], NULL));
    assert_ok(ctx, lf_predict_list(with, &next, m[1], v[1], NULL));
    assert_near(v[1][1], v[0][1], 1e-15);
    lf_posterior_free(without);
    lf_posterior_free(with);
    lf_model_free(certain);
    lf_model_free(uncertain);
    lf_data_free(newer);
    lf_data_free(data);
}

/* A single row where the motion starts. */
static void test_one_row(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = make_model(ctx, "free", 1, 1);
    lf_data *data;
    double x = 0, m, v;
    int target = 0;
    lf_point_list points = {.n = 1, .target = &target, .x = &x};
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = 1}));
    lf_posterior *posterior = posterior_of(ctx, model, data, "kalman");
    assert_ok(ctx, lf_predict_list(posterior, &points, &m, &v, NULL));
    assert_true(v > 0 && v < 1);
    x = 1;
    assert_ok(ctx, lf_predict_list(posterior, &points, &m, &v, NULL));
    assert_true(isfinite(v));
    lf_posterior_free(posterior);
    lf_model_free(model);
    lf_data_free(data);
}

static void test_bad_models(void **state)
{
    lf_context *ctx = *state;
    static const struct {
        const char *fields, *message;
    } cases[] = {
        {"\"sensitivity_sd\":-1,\"private\":{\"kernel\":\"eq\",\"lengthscale\":1,\"amplitude\":1}", "sensitivity_sd"},
        {"\"sensitivity_sd\":\"much\"", "sensitivity_sd"},
        {"\"sensitivity_sd\":0.3", "sensitivity_sd is 0.3, which needs a differential equation and a private force"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        lf_model *model;
        snprintf(text, sizeof text,
                 "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],"
                 "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1],"
                 "\"noise_variance\":0.1,%s}]}",
                 cases[i].fields);
        assert_int_equal(lf_model_parse(ctx, text, "test", &model), LF_ERROR_MODEL);
        assert_non_null(strstr(lf_context_message(ctx), cases[i].message));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula), cmocka_unit_test(test_rates_and_forces), cmocka_unit_test(test_integral),
        cmocka_unit_test(test_stored),  cmocka_unit_test(test_one_row),          cmocka_unit_test(test_bad_models),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
