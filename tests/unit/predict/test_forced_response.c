/* Responses of operators to mean forces: closed forms for constant, linear and sinusoidal forces, and numerical integration. */
#include "support.h"

#include "predict/forced_response.h"

enum { FORCES = 2, MOST_NODES = 4000 };

/* Operators of order 1 to 4, with the coefficients a_0 … a_P of each. */
static const struct {
    const lf_operator *op;
    int order;
    double constants[5];
} cases[] = {
    {&lf_operator_ode1, 1, {0.7}},         {&lf_operator_ode1, 1, {0}},
    {&lf_operator_ode2, 2, {2, 0.6, 3}},                                           /* underdamped */
    {&lf_operator_ode2, 2, {1, 3, 1}},                                             /* overdamped */
    {&lf_operator_ode2, 2, {1, 2, 1}},                                             /* critical */
    {&lf_operator_ode2, 2, {1, 0, 3}},                                             /* undamped */
    {&lf_operator_ode, 3, {1, 6, 11, 6}},                                          /* roots -1, -2, -3 */
    {&lf_operator_ode, 3, {2, 1, 4, 0.5}}, {&lf_operator_ode, 4, {1, 4, 6, 4, 1}}, /* root -1 four times */
    {&lf_operator_ode, 1, {1.5, -0.3}},                                            /* unstable */
};
enum { CASES = sizeof cases / sizeof *cases };

/* One path of nodes for all tests. */
static double times[MOST_NODES], values[MOST_NODES * FORCES], states[MOST_NODES * LF_MAX_ORDER * FORCES];

static lf_output output_of(int i)
{
    return (lf_output){.op = cases[i].op, .order = cases[i].order, .constants = (double *)cases[i].constants};
}

/* Uneven nodes from `start` to `end`. */
static lf_force_path make_path(lf_random *random, double start, double end, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += i ? log_between(random, 0.1, 1) : 0;
        times[i] = sum;
    }
    for (size_t i = 0; i < count; i++) {
        times[i] = i + 1 < count ? start + (end - start) * times[i] / sum : end;
    }
    return (lf_force_path){.force_count = FORCES, .count = count, .time = times, .value = values};
}

/* Response of rest at time 0 to Re c e^{s t}, s no root, and its rate: the particular solution Re c G(s) e^{s t} less the free
 * motions from its values at 0. The forces 1, t and cos(w t) follow from it. */
static double response_to_wave(int i, double complex c, double complex s, double t, int rate)
{
    int P = cases[i].order;
    double a[LF_MAX_ORDER + 1], h[LF_MAX_ORDER], slope[LF_MAX_ORDER];
    lf_ode_coefficients(cases[i].op, cases[i].constants, P, a);
    double complex gain = c / lf_ode_polynomial(a, P, s), power = 1;
    double sum = creal(gain * cexp(s * t) * (rate ? s : 1));
    cases[i].op->motion(cases[i].constants, P, t, h, NULL);
    lf_ode_motion_rate(a, P, h, slope);
    for (int k = 0; k < P; k++, power *= s) {
        sum -= creal(gain * power) * (rate ? slope[k] : h[k]);
    }
    return sum;
}

/* ---- forces that are linear between nodes: exact ---- */

/* Constant forces of 1 and -2.5: (1 - h_0(t)) / a_P, closed forms spelt out. */
static void test_constant_force(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 3);
    for (int i = 0; i < CASES; i++) {
        lf_output output = output_of(i);
        lf_force_path path = make_path(&random, 0, 6, 17);
        double response[FORCES], slope[FORCES];
        for (size_t n = 0; n < path.count; n++) {
            values[n * FORCES] = 1;
            values[n * FORCES + 1] = -2.5;
        }
        lf_forced_response_states(&output, &path, states);
        for (double t = 0; t <= 6; t += 0.37) {
            double y = 0, rate = 0;
            const double *k = cases[i].constants;
            lf_forced_response_at(&output, &path, states, t, 0, response);
            lf_forced_response_at(&output, &path, states, t, 1, slope);
            switch (i) {
            case 0:
                y = -expm1(-k[0] * t) / k[0];
                rate = exp(-k[0] * t);
                break;
            case 1:
                y = t;
                rate = 1;
                break;
            case 2: {
                double decay = k[1] / (2 * k[0]), w = sqrt(k[2] / k[0] - decay * decay);
                y = (1 - exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t))) / k[2];
                rate = exp(-decay * t) * sin(w * t) / (k[0] * w);
                break;
            }
            case 4:
                y = 1 - (1 + t) * exp(-t);
                rate = t * exp(-t);
                break;
            case 6: /* partial fractions of 1 / (s (s + 1) (s + 2) (s + 3)) */
                y = 1.0 / 6 - exp(-t) / 2 + exp(-2 * t) / 2 - exp(-3 * t) / 6;
                rate = exp(-t) / 2 - exp(-2 * t) + exp(-3 * t) / 2;
                break;
            case 8:
                y = 1 - exp(-t) * (1 + t + t * t / 2 + t * t * t / 6);
                rate = exp(-t) * t * t * t / 6;
                break;
            default:
                y = response_to_wave(i, 1, 0, t, 0);
                rate = response_to_wave(i, 1, 0, t, 1);
            }
            assert_near(response[0], y, 1e-13);
            assert_near(slope[0], rate, 2e-14);
            assert_near(response[1], -2.5 * y, 2e-13);
            assert_near(slope[1], -2.5 * rate, 4e-14);
        }
    }
}

/* Forces t and 1 - t / 2: (e^{s t} - 1) / s in the limit s -> 0, so y(t) is the integral of the response to the force 1. */
static void test_linear_force(void **state)
{
    (void)state;
    static const double node[] = {0.069431844202973712, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629},
                        weight[] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693};
    lf_random random;
    lf_random_seed(&random, 4);
    for (int i = 0; i < CASES; i++) {
        lf_output output = output_of(i);
        lf_force_path path = make_path(&random, 0, 5, 9);
        for (size_t n = 0; n < path.count; n++) {
            values[n * FORCES] = times[n];
            values[n * FORCES + 1] = 1 - times[n] / 2;
        }
        lf_forced_response_states(&output, &path, states);
        double ramp = 0, before = 0;
        for (double t = 0.25; t <= 5; t += 0.25) {
            double response[FORCES], slope[FORCES], step = 0, last = 0;
            for (int panel = 0; panel < 8; panel++) { /* Gauss-Legendre */
                for (int k = 0; k < 4; k++) {
                    double at = before + (t - before) * (panel + node[k]) / 8;
                    double y = i == 1 ? at : response_to_wave(i, 1, 0, at, 0); /* ode1 without decay: 0 is its root */
                    ramp += (t - before) / 8 * weight[k] * y;
                }
            }
            before = t;
            step = i == 1 ? t : response_to_wave(i, 1, 0, t, 0);
            last = i == 1 ? 1 : response_to_wave(i, 1, 0, t, 1);
            lf_forced_response_at(&output, &path, states, t, 0, response);
            lf_forced_response_at(&output, &path, states, t, 1, slope);
            assert_near(response[0], ramp, 5e-14);
            assert_near(slope[0], step, 1e-13);
            assert_near(response[1], step - ramp / 2, 1e-13);
            assert_near(slope[1], last - step / 2, 1e-13);
        }
    }
}

/* A triple integrator under a force with a kink: polynomials. The states hold the derivatives. */
static void test_kinked_force(void **state)
{
    (void)state;
    lf_output output = {.op = &lf_operator_ode, .order = 3, .constants = (double[]){1, 0, 0, 0}};
    lf_force_path path = {.force_count = 1, .count = 3, .time = times, .value = values};
    memcpy(times, (double[]){-1, 1, 4}, 3 * sizeof *times);
    memcpy(values, (double[]){0, 2, 2}, 3 * sizeof *values); /* t + 1 up to 1, then 2 */
    lf_forced_response_states(&output, &path, states);
    for (int k = 0; k < 3; k++) {
        double first[] = {pow(2, 4) / 24, pow(2, 3) / 6, 2}; /* u = 2 at the kink: u^4 / 24 and its derivatives */
        double last[] = {first[0] + 3 * first[1] + 4.5 * first[2] + 2 * 27.0 / 6, first[1] + 3 * first[2] + 2 * 4.5,
                         first[2] + 2 * 3};
        assert_near(states[k], 0, 0);
        assert_near(states[3 + k], first[k], 1e-15);
        assert_near(states[6 + k], last[k], 2e-14);
    }
    double response;
    lf_forced_response_at(&output, &path, states, 0.5, 0, &response);
    assert_near(response, pow(1.5, 4) / 24, 1e-15);
    lf_forced_response_at(&output, &path, states, 0.5, 1, &response);
    assert_near(response, pow(1.5, 3) / 6, 1e-15);
    lf_forced_response_at(&output, &path, states, -1.5, 0, &response); /* before the motion starts */
    assert_true(response == 0);
    path.count = 1; /* nothing has moved yet */
    lf_forced_response_at(&output, &path, states, 3, 0, &response);
    assert_true(response == 0);
}

/* ---- sinusoidal forces ---- */

/* cos(w t) and sin(w t) between nodes h apart: the error is at most w^2 h^2 / 8 int |impulse response|, and falls like h^2. */
static void test_sinusoidal_force(void **state)
{
    (void)state;
    const double end = 6, w = 1.9;
    for (int i = 0; i < CASES; i++) {
        lf_output output = output_of(i);
        double error[2][2] = {{0}};
        for (int fine = 0; fine < 2; fine++) {
            size_t count = fine ? 2001 : 1001;
            for (size_t n = 0; n < count; n++) {
                times[n] = end * (double)n / (double)(count - 1);
                values[n * FORCES] = cos(w * times[n]);
                values[n * FORCES + 1] = sin(w * times[n]);
            }
            lf_force_path path = {.force_count = FORCES, .count = count, .time = times, .value = values};
            lf_forced_response_states(&output, &path, states);
            for (double t = 0.3; t <= end; t += 0.3) {
                for (int rate = 0; rate < 2; rate++) {
                    double response[FORCES];
                    lf_forced_response_at(&output, &path, states, t, rate, response);
                    for (int q = 0; q < FORCES; q++) {
                        double exact = response_to_wave(i, q ? -I : 1, w * I, t, rate);
                        error[fine][rate] = fmax(error[fine][rate], fabs(response[q] - exact));
                    }
                }
            }
        }
        double a[LF_MAX_ORDER + 1], motion[LF_MAX_ORDER], impulse = 0, h = end / 2000;
        lf_ode_coefficients(cases[i].op, cases[i].constants, cases[i].order, a);
        for (double t = 0.005; t < end; t += 0.01) {
            cases[i].op->motion(cases[i].constants, cases[i].order, t, motion, NULL);
            impulse += 0.01 * fabs(motion[cases[i].order - 1] / a[0]);
        }
        double bound = w * w * h * h / 8 * impulse;
        assert_true(error[1][0] <= bound && error[1][0] > 0.1 * bound);
        for (int rate = 0; rate < (cases[i].order > 1 ? 2 : 1); rate++) { /* order 1: the force itself is in the rate */
            assert_near(error[0][rate] / error[1][rate], 4, 1e-4);
        }
    }
}

/* ---- the mean forces of a posterior ---- */

static const char text[] =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"origin\":-0.5,\"forces\":[{\"kernel\":\"eq\","
    "\"lengthscale\":0.8},{\"kernel\":\"eq\",\"lengthscale\":1.7}],\"outputs\":[{\"name\":\"a\",\"operator\":{"
    "\"type\":\"ode1\",\"decay\":0.9},\"sensitivity\":[1,0.4],\"noise_variance\":0.01},{\"name\":\"b\",\"operator\":{"
    "\"type\":\"ode2\",\"mass\":1,\"damper\":0.8,\"spring\":2},\"sensitivity\":[-0.6,1.2],\"noise_variance\":0.02}]}";

/* Nodes at the rows, the start and the end, ascending, close enough for the shortest lengthscale; values as predicted. The
 * responses of both outputs against an integration of ten times as many values. */
static void check_path(lf_context *ctx, const char *initial)
{
    char model_text[1024];
    lf_data *data;
    lf_engine *engine;
    lf_rows rows;
    lf_scaled_posterior posterior;
    lf_force_path path;
    const double reach = 9;
    snprintf(model_text, sizeof model_text, text, initial);
    lf_model *model = parse_model(ctx, model_text);
    int stationary = model->initial == LF_INITIAL_STATIONARY;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 24; i++) { /* a gap from 3 to 5, and of replicate two only late rows */
        double x = i < 12 ? 0.25 * i : 5 + 0.25 * (i - 12);
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = i % 2 ? "b" : "a",
                                             .replicate = "one",
                                             .x = &x,
                                             .y = sin(2 * x)}));
        if (i > 12) {
            assert_ok(ctx, lf_data_add(ctx, data,
                                       &(lf_row){.size = sizeof(lf_row),
                                                 .output = i % 2 ? "a" : "b",
                                                 .replicate = "two",
                                                 .x = &x,
                                                 .y = cos(x)}));
        }
    }
    lf_engine_options options = {.size = sizeof options, .engine = "dense"};
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_scaled_posterior_create(engine, NULL, &posterior));
    assert_ok(ctx, lf_rows_create(ctx, model, data, &rows));
    for (int r = 0; r < 2; r++) {
        const lf_point_set *points = &rows.replicates[r].points;
        double first = INFINITY, last = -INFINITY;
        assert_ok(ctx, lf_force_path_create(ctx, &posterior, r, points, reach, &path));
        for (size_t i = 0; i < points->n; i++) {
            size_t node = 0;
            while (node < path.count && path.time[node] != points->x[i]) {
                node++;
            }
            assert_true(node < path.count);
            first = fmin(first, points->x[i]);
            last = fmax(last, points->x[i]);
        }
        assert_int_equal(path.force_count, 2);
        assert_true(path.time[0] == (stationary ? first - (last - first) : -0.5));
        assert_true(path.time[path.count - 1] == reach);
        for (size_t n = 1; n < path.count; n++) {
            double gap = path.time[n] - path.time[n - 1];
            /* an eighth of the shortest lengthscale; at most 64 pieces before the first row */
            assert_true(gap > 0 &&
                        gap <= (path.time[n] <= first ? fmax(0.1, (first - path.time[0]) / 64) : 0.1) + 1e-12);
        }
        for (size_t n = 0; n < path.count; n += 7) {
            double mean[2];
            assert_ok(ctx, lf_scaled_posterior_mean(ctx, &posterior, r, 2, (int[]){2, 3},
                                                    (double[]){path.time[n], path.time[n]}, mean));
            assert_near(path.value[2 * n], mean[0], 1.5e-13);
            assert_near(path.value[2 * n + 1], mean[1], 2e-13);
        }
        for (int d = 0; d < 2; d++) {
            enum { STEPS = 1000 }; /* Simpson's rule of int G(t - r) u(r) dr, G the last free motion over a_0 */
            static double mean[2 * STEPS + 2], x[2 * STEPS + 2];
            static int target[2 * STEPS + 2];
            const lf_output *output = &model->outputs[d];
            double response[2], integral[2] = {0}, t = 7.3, from = path.time[0], h = (t - from) / STEPS, motion[2];
            for (int i = 0; i < 2 * (STEPS + 1); i++) {
                target[i] = 2 + i % 2;
                x[i] = from + h * (i / 2);
            }
            assert_ok(ctx, lf_scaled_posterior_mean(ctx, &posterior, r, 2 * (STEPS + 1), target, x, mean));
            for (int i = 0; i < 2 * (STEPS + 1); i++) {
                output->op->motion(output->constants, output->order, t - x[i], motion, NULL);
                double part = i / 2 == 0 || i / 2 == STEPS ? 1 : i / 2 % 2 ? 4 : 2;
                integral[i % 2] += h / 3 * part * mean[i] * motion[output->order - 1]; /* both have a_0 = 1 */
            }
            lf_forced_response_states(output, &path, states);
            lf_forced_response_at(output, &path, states, t, 0, response);
            assert_near(response[0], integral[0], 4e-3);
            assert_near(response[1], integral[1], 4e-3);
        }
        lf_force_path_clear(&path);
        assert_null(path.time);
    }
    lf_rows_clear(&rows);
    lf_scaled_posterior_clear(&posterior);
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
}

static void test_paths(void **state)
{
    check_path(*state, "zero");
    check_path(*state, "free");
    check_path(*state, "stationary");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_force), cmocka_unit_test(test_linear_force),
        cmocka_unit_test(test_kinked_force),   cmocka_unit_test(test_sinusoidal_force),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
