/* lf_model_matrices: a plain filter and a plain simulation with the matrices give what the library gives. */
#include <math.h>

#include "support.h"

static lf_model *from_equations(lf_context *ctx, const char *text)
{
    lf_model *model;
    assert_ok(ctx, lf_model_from_equations(ctx, text, "test.eq", &model));
    return model;
}

static void add(lf_context *ctx, lf_data *data, const char *name, double t, double y)
{
    assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = name, .x = &t, .y = y}));
}

enum { STEPS = 40, MOST = 24 };
static const double step = 0.25;

/* The log likelihood of readings y (STEPS, outputs) under inputs v (STEPS, inputs), by scalar updates; mean (STEPS, outputs): the
 * response to the inputs alone. */
static double filter(const lf_matrices *m, const double *v, const double *y, double *mean)
{
    int n = (int)m->states, inputs = (int)m->inputs, outputs = (int)m->outputs;
    double x[MOST] = {0}, moved[MOST], r[MOST], P[MOST * MOST], T[MOST * MOST], value = 0;
    memcpy(x, m->start_mean, (size_t)n * sizeof *x);
    memcpy(r, m->start_mean, (size_t)n * sizeof *x);
    memcpy(P, m->start_covariance, (size_t)(n * n) * sizeof *P);
    for (int k = 0; k < STEPS; k++) {
        for (int d = 0; d < outputs; d++) {
            double Ph[MOST] = {0}, e = y[k * outputs + d] - m->d[d], S = m->R[d], *response = &mean[k * outputs + d];
            const double *C = m->C + d * n;
            *response = m->d[d];
            for (int i = 0; i < inputs; i++) {
                e -= m->D[d * inputs + i] * v[k * inputs + i];
                *response += m->D[d * inputs + i] * v[k * inputs + i];
            }
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    Ph[i] += P[i * n + j] * C[j];
                }
                e -= C[i] * x[i];
                S += C[i] * Ph[i];
                *response += C[i] * r[i];
            }
            value -= 0.5 * (e * e / S + log(2 * acos(-1) * S));
            for (int i = 0; i < n; i++) {
                x[i] += Ph[i] * e / S;
                for (int j = 0; j < n; j++) {
                    P[i * n + j] -= Ph[i] * Ph[j] / S;
                }
            }
        }
        double *both[] = {x, r};
        for (int b = 0; k + 1 < STEPS && b < 2; b++) {
            for (int i = 0; i < n; i++) {
                moved[i] = m->c[i];
                for (int j = 0; j < n; j++) {
                    moved[i] += m->A[i * n + j] * both[b][j];
                }
                for (int j = 0; j < inputs; j++) {
                    moved[i] += m->B[i * inputs + j] * v[k * inputs + j] +
                                m->B_slope[i * inputs + j] * (v[(k + 1) * inputs + j] - v[k * inputs + j]);
                }
            }
            memcpy(both[b], moved, (size_t)n * sizeof *moved);
        }
        memset(T, 0, sizeof T);
        for (int i = 0; i < n * n * n; i++) {
            T[i / n] += m->A[i / n / n * n + i % n] * P[i % n * n + i / n % n]; /* A P */
        }
        memcpy(P, m->Q, (size_t)(n * n) * sizeof *P);
        for (int i = 0; i < n * n * n; i++) {
            P[i / n] += T[i / n / n * n + i % n] * m->A[i / n % n * n + i % n];
        }
    }
    return value;
}

/* The largest difference of A and Q of a step from those of n short steps, relative to the largest entry. */
static void check_step(lf_context *ctx, const lf_model *model, const lf_matrices *m)
{
    lf_matrices *flow;
    int n = (int)m->states;
    double h = ldexp(step, -30), E[MOST * MOST], Q[MOST * MOST], T[MOST * MOST];
    assert_ok(ctx, lf_model_matrices(ctx, model, 0, &flow));
    assert_near(flow->step, 0, 0);
    for (int i = 0; i < n * n; i++) { /* E = A h + (A h)^2 / 2, Q = W h to first order; then 30 doublings */
        E[i] = flow->A[i] * h;
        Q[i] = flow->Q[i] * h;
        for (int k = 0; k < n; k++) {
            E[i] += 0.5 * h * h * flow->A[i / n * n + k] * flow->A[k * n + i % n];
        }
    }
    for (int doubling = 0; doubling < 30; doubling++) {
        for (int i = 0; i < n * n; i++) {
            T[i] = Q[i];
            for (int k = 0; k < n; k++) {
                T[i] += E[i / n * n + k] * Q[k * n + i % n];
            }
        }
        for (int i = 0; i < n * n; i++) {
            Q[i] += T[i];
            for (int k = 0; k < n; k++) {
                Q[i] += T[i / n * n + k] * E[i % n * n + k];
            }
        }
        for (int i = 0; i < n * n; i++) {
            T[i] = 2 * E[i];
            for (int k = 0; k < n; k++) {
                T[i] += E[i / n * n + k] * E[k * n + i % n];
            }
        }
        memcpy(E, T, (size_t)(n * n) * sizeof *E);
    }
    double largest = 0;
    for (int i = 0; i < n * n; i++) {
        largest = fmax(largest, fabs(m->Q[i]));
    }
    for (int i = 0; i < n * n; i++) {
        assert_near(m->A[i], E[i] + (i / n == i % n), 1e-9 * (1 + fabs(E[i])));
        assert_near(m->Q[i], Q[i], 1e-8 * largest);
    }
    lf_matrices_free(flow);
}

static void check(lf_context *ctx, const lf_model *model)
{
    lf_matrices *m;
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 5);
    assert_ok(ctx, lf_model_matrices(ctx, model, step, &m));
    assert_true(m->states <= MOST);
    check_step(ctx, model, m);
    double *v = calloc(STEPS * (m->inputs + 1), sizeof *v), *y = calloc(STEPS * m->outputs, sizeof *y),
           *mean = calloc(STEPS * m->outputs, sizeof *mean);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (size_t k = 0; k < STEPS; k++) {
        for (size_t i = 0; i < m->inputs; i++) {
            v[k * m->inputs + i] = lf_random_normal(&random);
            add(ctx, data, lf_model_name(model, LF_KIND_KNOWN, i), step * (double)k, v[k * m->inputs + i]);
        }
        for (size_t d = 0; d < m->outputs; d++) {
            const lf_output_info output = lf_model_output(model, (int)d);
            y[k * m->outputs + d] = output.offset + output.scale * lf_random_normal(&random);
            add(ctx, data, lf_model_name(model, LF_KIND_OUTPUT, d), step * (double)k, y[k * m->outputs + d]);
        }
    }
    lf_engine *engine;
    double value;
    lf_engine_options kalman = {.size = sizeof kalman, .engine = "kalman"};
    assert_ok(ctx, lf_engine_create(ctx, model, data, &kalman, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    value += lf_engine_log_jacobian(engine);
    double found = filter(m, v, y, mean);
    assert_near(found, value, 1e-12 * fabs(value));
    lf_engine_free(engine);
    lf_matrices_free(m);
    lf_data_free(data);
    free(v);
    free(y);
    free(mean);
}

static void test_equations(void **state)
{
    lf_model *model = from_equations(
        *state,
        "input v\ninput w constant\ninput dose impulse\nforce u ~ matern52(lengthscale = 0.8, amplitude = 1.1)\n"
        "force q ~ white(sd = 0.4)\na*x' + b*z' = -x + u + q + w + h\nz'' = -k*z - 0.5*z' + x/a + 0.3*v + dose*f\n"
        "output y1 = x + 0.5*z + e*v noise = 0.2\noutput y2 = z' - 0.7*u + h noise = 0.1\n"
        "parameter a = 1.4\nparameter b = 0.3 real\nparameter h = -0.2 real\nparameter k = 0.9\n"
        "parameter f = 0.6\nparameter e = 0.5 real\nstart x ~ normal(0.4, 0.7)\nstart z ~ normal(0, 1)\n"
        "start z' ~ normal(-0.3, 0.2)\n");
    lf_matrices *m;
    check(*state, model);
    assert_ok(*state, lf_model_matrices(*state, model, 0, &m));
    assert_int_equal(m->states, 6);
    assert_string_equal(m->state_names[0], "u.1");
    assert_string_equal(m->state_names[3], "x");
    assert_string_equal(m->state_names[5], "z'");
    lf_matrices_free(m);
    assert_int_equal(lf_model_matrices(*state, model, -1, &m), LF_ERROR_ARGUMENT);
    lf_model_free(model);
}

/* Outputs with operators, private forces, a scale, an offset and a known input. */
static void test_operators(void **state)
{
    lf_model *model = parse_model(
        *state,
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"free\",\"origin\":0,\"known_inputs\":["
        "{\"name\":\"v\",\"between\":\"linear\"}],\"forces\":["
        "{\"kernel\":\"matern32\",\"lengthscale\":0.7}],\"outputs\":["
        "{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":0.9},\"sensitivity\":[1.3],\"noise_variance\":"
        "0.01,\"initial_variance\":[0.5],\"offset\":3,\"scale\":2,\"gain\":[0.4],"
        "\"private\":{\"kernel\":\"matern12\",\"lengthscale\":0.4,\"amplitude\":0.5}},"
        "{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1.5,\"damper\":0.4,\"spring\":2},"
        "\"sensitivity\":[-0.8],\"noise_variance\":0.04,\"initial_variance\":[0.5,0.2],\"gain\":[-0.3]}]}");
    lf_matrices *m;
    check(*state, model);
    assert_ok(*state, lf_model_matrices(*state, model, 0, &m));
    assert_string_equal(m->state_names[2], "a.private.1");
    assert_string_equal(m->state_names[5], "b'");
    assert_near(m->A[4 * 6 + 5], 1, 1e-14); /* b' is the derivative of b */
    lf_matrices_free(m);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equations), cmocka_unit_test(test_operators)};
    return cmocka_run_group_tests(tests, make_context, free_context);
}
