/* Response columns: against numerical convolution with the Green's function, against the robust form near resonance, and
 * their gradients against differences; nodes against integrals that are known. */
#include "support.h"

#include "base/numbers.h"
#include "features/nodes.h"
#include "features/response.h"
#include "features/wave_response.h"

/* v(t, lambda) = integral of G(t - tau) e^{j lambda tau} over [0, t], by composite 4-point Gauss-Legendre. */
static double complex convolve(const lf_operator *op, const double *constants, int P, double lambda, double t)
{
    static const double x[4] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526};
    static const double w[4] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538};
    enum { PANELS = 400 };
    double a[LF_MAX_ORDER + 1], h[LF_MAX_ORDER];
    double complex sum = 0;
    lf_ode_coefficients(op, constants, P, a);
    for (int i = 0; i < PANELS; i++) {
        for (int k = 0; k < 4; k++) {
            double tau = (i + 0.5 * (1 + x[k])) * t / PANELS;
            op->motion(constants, P, t - tau, h, NULL);
            sum += w[k] * 0.5 * t / PANELS * h[P - 1] / a[0] * cexp(lambda * tau * I);
        }
    }
    return sum;
}

static const char *const operators[] = {
    "\"ode1\",\"decay\":0.7",
    "\"ode1\",\"decay\":0",
    "\"ode2\",\"mass\":1,\"damper\":3,\"spring\":1",
    "\"ode2\",\"mass\":2,\"damper\":0.2,\"spring\":3",
    "\"ode2\",\"mass\":1,\"damper\":2,\"spring\":1",
    "\"ode2\",\"mass\":1,\"damper\":0,\"spring\":9",
    "\"ode\",\"coefficients\":[1,3,3,1]",
    "\"ode\",\"coefficients\":[2,1,4,0.5]",
    "\"ode\",\"coefficients\":[1,0.5,6,1,4]",
    "\"ode\",\"coefficients\":[1,-0.3]",
    "\"gaussian\",\"precision\":2.5",
};
enum { OPERATORS = sizeof operators / sizeof *operators };

static lf_model *model_with(lf_context *ctx, const char *operator, const char * initial)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"eq\","
             "\"lengthscale\":1}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":%s},\"sensitivity\":[1],"
             "\"noise_variance\":1}]}",
             initial, operator);
    return parse_model(ctx, text);
}

static void test_columns_are_convolutions(void **state)
{
    lf_context *ctx = *state;
    const double x[] = {0, 1e-3, 0.05, 0.6, 1.7, 4, 9};
    enum { N = sizeof x / sizeof *x };
    for (int i = 0; i < OPERATORS - 1; i += ONE_OF(2)) {
        lf_model *model = model_with(ctx, operators[i], "zero");
        const lf_output *output = &model->outputs[0];
        lf_response response;
        lf_nodes nodes;
        /* step 1 puts a node exactly on the undamped oscillator's frequency 3 */
        assert_ok(ctx, lf_nodes_uniform(ctx, (lf_band){.limit = 12, .period = 2 * LF_PI}, &nodes));
        double *V = malloc(N * 2 * nodes.count * sizeof *V);
        assert_ok(ctx, lf_response_create(ctx, model, 0, N, x, 0, &response));
        assert_ok(ctx, lf_response_columns(ctx, &response, lf_all_nodes(&nodes), V));
        for (size_t s = 0; s < nodes.count; s++) {
            for (size_t n = 0; n < N; n++) {
                double complex v = convolve(output->op, output->constants, output->order, nodes.lambda[s], x[n]);
                double complex got = V[s * N + n] + V[(nodes.count + s) * N + n] * I;
                assert_near(cabs(v - got), 0, 3e-13 * cabs(v) + 5e-14);
            }
        }
        free(V);
        lf_nodes_clear(&nodes);
        lf_response_clear(&response);
        lf_model_free(model);
    }
}

/* Small t: v ~ t^P / P! a_0 to full relative accuracy, where the transfer-function form has lost everything. */
static void test_small_times_keep_their_digits(void **state)
{
    (void)state;
    const double a[4] = {2, 1, 4, 0.5};
    for (double t = 1e-6; t < 1e-2; t *= 10) {
        double complex v = lf_wave_response(a, 3, 5, t, NULL);
        double leading = t * t * t / 12;
        assert_near(creal(v) / leading, 1, t);
        assert_near(creal(v) / creal(convolve(&lf_operator_ode, a, 3, 5, t)), 1, 2e-14);
    }
}

/* The two halves of lf_wave_response and the transfer form agree where all are good. */
static void test_wave_forms_agree(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 3);
    for (int trial = 0; trial < 400; trial++) {
        int P = 1 + trial % 4;
        double a[5];
        for (int k = 0; k <= P; k++) {
            a[k] = uniform_between(&random, 0.3, 3);
        }
        double lambda = uniform_between(&random, 3, 9), t = uniform_between(&random, 1, 4), h[4];
        lf_ode_motion(a, P, t, h, NULL);
        double complex bracket = cexp(lambda * t * I), power = 1;
        for (int k = 0; k < P; k++) {
            bracket -= power * h[k];
            power *= lambda * I;
        }
        double complex v = bracket / lf_ode_polynomial(a, P, lambda * I);
        assert_near(cabs(lf_wave_response(a, P, lambda, t, NULL) - v), 0, 3e-14);
    }
}

/* Many times at once are what each is alone, whatever their order and scale, and the derivatives are theirs. */
static void test_wave_at_many_times(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 4);
    for (int trial = 0; trial < 60; trial++) {
        enum { TIMES = 9 };
        int P = 1 + trial % 5;
        double a[6], lambda = uniform_between(&random, 0, 4), t[TIMES], step = 1e-5;
        double complex v[TIMES], da[TIMES * 6], slope[TIMES];
        for (int k = 0; k <= P; k++) {
            a[k] = uniform_between(&random, 0.3, 3);
        }
        for (int i = 0; i < TIMES; i++) {
            t[i] = log_between(&random, 1e-3, 2);
        }
        lf_wave_responses(a, P, lambda, TIMES, t, v, da, slope);
        for (int i = 0; i < TIMES; i++) {
            double complex alone = lf_wave_response(a, P, lambda, t[i], NULL);
            double complex rise =
                lf_wave_response(a, P, lambda + step, t[i], NULL) - lf_wave_response(a, P, lambda - step, t[i], NULL);
            assert_near(cabs(v[i] - alone), 0, 1e-15 * cabs(alone));
            assert_near(cabs(slope[i] - rise / (2 * step)), 0, 1e-9);
            for (int k = 0; k <= P; k++) {
                double kept = a[k];
                a[k] = kept + step;
                rise = lf_wave_response(a, P, lambda, t[i], NULL);
                a[k] = kept - step;
                rise -= lf_wave_response(a, P, lambda, t[i], NULL);
                a[k] = kept;
                assert_near(cabs(da[i * (P + 1) + k] - rise / (2 * step)), 0, 3e-9);
            }
        }
    }
}

typedef struct objective {
    lf_context *ctx;
    lf_model *model;
    const lf_nodes *nodes;
    size_t n;
    const double *x, *coefficient; /* value = sum of coefficient o V */
} objective;

static double weighted_sum(void *user, const double *constants)
{
    objective *o = user;
    lf_output *output = &o->model->outputs[0];
    lf_response response;
    size_t size = o->n * 2 * o->nodes->count;
    double *V = malloc(size * sizeof *V), sum = 0, kept[LF_MAX_ORDER + 1];
    memcpy(kept, output->constants, (size_t)output->constant_count * sizeof *kept);
    memcpy(output->constants, constants, (size_t)output->constant_count * sizeof *kept);
    assert_ok(o->ctx, lf_response_create(o->ctx, o->model, 0, o->n, o->x, 0, &response));
    assert_ok(o->ctx, lf_response_columns(o->ctx, &response, lf_all_nodes(o->nodes), V));
    for (size_t i = 0; i < size; i++) {
        sum += o->coefficient[i] * V[i];
    }
    memcpy(output->constants, kept, (size_t)output->constant_count * sizeof *kept);
    lf_response_clear(&response);
    free(V);
    return sum;
}

static void test_gradient(void **state)
{
    lf_context *ctx = *state;
    const double x[] = {0, 1e-3, 0.05, 0.6, 1.7, 4, 9};
    enum { N = sizeof x / sizeof *x };
    lf_random random;
    lf_random_seed(&random, 7);
    for (int i = 0; i < OPERATORS; i++) {
        int stable = i != 1 && i != 5 && i != 9;
        for (int stationary = 0; stationary <= stable; stationary++) {
            lf_model *model = model_with(ctx, operators[i], stationary ? "stationary" : "zero");
            const lf_output *output = &model->outputs[0];
            lf_nodes nodes;
            lf_response response;
            assert_ok(ctx, lf_nodes_uniform(ctx, (lf_band){.limit = 9, .period = 2 * LF_PI}, &nodes));
            size_t size = N * 2 * nodes.count;
            double *V = malloc(size * sizeof *V), *coefficient = malloc(size * sizeof *V);
            double *adjoint = malloc(size * sizeof *V), gradient[LF_MAX_ORDER + 1] = {0};
            for (size_t k = 0; k < size; k++) {
                adjoint[k] = coefficient[k] = uniform_between(&random, -1, 1);
            }
            assert_ok(ctx, lf_response_create(ctx, model, 0, N, x, 1, &response));
            assert_ok(ctx, lf_response_columns(ctx, &response, lf_all_nodes(&nodes), V));
            assert_ok(ctx, lf_response_backward(ctx, &response, lf_all_nodes(&nodes), V, adjoint, gradient, NULL));
            objective o = {ctx, model, &nodes, N, x, coefficient};
            double constants[LF_MAX_ORDER + 1];
            memcpy(constants, output->constants, (size_t)output->constant_count * sizeof *constants);
            check_gradient((size_t)output->constant_count, constants, gradient, weighted_sum, &o, 1e-3, 2e-9, NULL);
            free(V);
            free(coefficient);
            free(adjoint);
            lf_response_clear(&response);
            lf_nodes_clear(&nodes);
            lf_model_free(model);
        }
    }
}

/* Strips of nodes give the same columns as all at once. */
static void test_strips(void **state)
{
    lf_context *ctx = *state;
    enum { N = 600 };
    double x[N];
    for (int i = 0; i < N; i++) {
        x[i] = 0.01 * i;
    }
    lf_model *model = model_with(ctx, operators[3], "zero");
    lf_nodes nodes;
    lf_response response;
    assert_ok(ctx, lf_nodes_uniform(ctx, (lf_band){.limit = 80, .period = 9}, &nodes));
    double *whole = malloc(N * 2 * nodes.count * sizeof *whole), *part = malloc(N * 2 * 7 * sizeof *part);
    assert_ok(ctx, lf_response_create(ctx, model, 0, N, x, 0, &response));
    assert_ok(ctx, lf_response_columns(ctx, &response, lf_all_nodes(&nodes), whole));
    assert_ok(ctx, lf_response_columns(ctx, &response, (lf_node_range){&nodes, 50, 7}, part));
    for (size_t s = 0; s < 7; s++) {
        for (size_t i = 0; i < N; i++) {
            assert_near(part[s * N + i], whole[(50 + s) * N + i], 2e-16);
            assert_near(part[(7 + s) * N + i], whole[(nodes.count + 50 + s) * N + i], 2e-16);
        }
    }
    free(whole);
    free(part);
    lf_response_clear(&response);
    lf_nodes_clear(&nodes);
    lf_model_free(model);
}

static void test_uniform_nodes_integrate_a_gaussian(void **state)
{
    lf_context *ctx = *state;
    lf_nodes nodes;
    assert_ok(ctx, lf_nodes_uniform(ctx, (lf_band){.limit = 13, .period = 12}, &nodes));
    double sum = 0;
    for (size_t s = 0; s < nodes.count; s++) {
        sum += nodes.weight[s] * lf_force_kernel_eq.density(nodes.lambda[s]) * cos(2 * nodes.lambda[s]);
    }
    assert_near(sum, exp(-4), 3e-16);
    lf_nodes_clear(&nodes);
}

/* Panels resolve a peak a million times narrower than the range. Integral of (e / pi) / (e^2 + (lambda - c)^2). */
static void test_panels_resolve_a_narrow_peak(void **state)
{
    lf_context *ctx = *state;
    double e = 1e-5, centre = 3;
    const double complex pole = centre + e * I;
    lf_nodes nodes;
    assert_ok(ctx, lf_nodes_panels(ctx, 10, 2, 1, &pole, &nodes));
    double sum = 0;
    for (size_t s = 0; s < nodes.count; s++) {
        double away = nodes.lambda[s] - centre;
        sum += 0.5 * nodes.weight[s] * e / LF_PI / (e * e + away * away);
    }
    assert_near(sum, (atan(7 / e) + atan(3 / e)) / LF_PI, 5e-12); /* lambda itself is rounded */
    assert_true(nodes.count < 2000);
    lf_nodes_clear(&nodes);
}

static void test_too_many_nodes_is_an_error(void **state)
{
    lf_context *ctx = *state;
    lf_nodes nodes;
    assert_int_equal(lf_nodes_uniform(ctx, (lf_band){.limit = 1e9, .period = 1e3}, &nodes), LF_ERROR_NUMERIC);
    assert_non_null(strstr(lf_context_message(ctx), "1.59e+11"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_are_convolutions),
        cmocka_unit_test(test_small_times_keep_their_digits),
        cmocka_unit_test(test_wave_forms_agree),
        cmocka_unit_test(test_wave_at_many_times),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_strips),
        cmocka_unit_test(test_uniform_nodes_integrate_a_gaussian),
        cmocka_unit_test(test_panels_resolve_a_narrow_peak),
        cmocka_unit_test(test_too_many_nodes_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
