/* Closed-form covariances: against double integrals computed here by brute force, their symmetry
 * and positivity, and their gradients. */
#include "exact/closed_form.h"

#include <cblas.h>
#include <complex.h>
#include <lapacke.h>
#include <omp.h>

#include "exact/exponential_sum.h"
#include "exact/memory_integral.h"
#include "model/model.h"
#include "support.h"

/* ---- models from a few numbers ---- */

typedef struct output_text {
    const char *operator_text; /* "\"type\":\"ode1\",\"decay\":1" */
    double sensitivity[2];
    const char *private_text; /* the fields of a private force, or NULL */
} output_text;

static lf_model *make_model(lf_context *ctx, int input_dim, const char *initial, const char *lengthscales[2],
                            const output_text *outputs, int count)
{
    char text[4096];
    int at =
        snprintf(text, sizeof text,
                 "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":%d,\"origin\":0.5,\"initial\":\"%s\","
                 "\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":%s},{\"kernel\":\"eq\",\"lengthscale\":%s}],"
                 "\"outputs\":[",
                 input_dim, initial, lengthscales[0], lengthscales[1]);
    for (int d = 0; d < count; d++) {
        at +=
            snprintf(text + at, sizeof text - (size_t)at,
                     "%s{\"name\":\"%c\",\"operator\":{%s},\"sensitivity\":[%.17g,%.17g],\"noise_variance\":0.1%s%s%s}",
                     d ? "," : "", 'a' + d, outputs[d].operator_text, outputs[d].sensitivity[0],
                     outputs[d].sensitivity[1], outputs[d].private_text ? ",\"private\":{" : "",
                     outputs[d].private_text ? outputs[d].private_text : "", outputs[d].private_text ? "}" : "");
    }
    snprintf(text + at, sizeof text - (size_t)at, "]}");
    return parse_model(ctx, text);
}

static double *block(lf_context *ctx, const lf_model *model, int a, size_t na, const double *xa, int b, size_t nb,
                     const double *xb)
{
    double *K = malloc(na * nb * sizeof *K);
    assert_ok(ctx, lf_closed_form_block(ctx, model, (lf_point_group){a, na, xa}, (lf_point_group){b, nb, xb}, K, na));
    return K;
}

static double *times(lf_random *random, size_t n, double low, double high)
{
    double *x = malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = uniform_between(random, low, high);
    }
    x[0] = high;
    return x;
}

/* ---- brute force: panels of Gauss-Legendre nodes over both times ---- */

enum { POINTS = 16 };

/* Nodes and weights on [-1, 1] by Newton's method. */
static void gauss_legendre(double *x, double *w)
{
    for (int i = 0; i < POINTS; i++) {
        double z = cos(3.14159265358979323846 * (i + 0.75) / (POINTS + 0.5)), slope = 1;
        for (int step = 0; step < 20; step++) {
            double last = 1, here = z;
            for (int k = 2; k <= POINTS; k++) {
                double next = ((2 * k - 1) * z * here - (k - 1) * last) / k;
                last = here;
                here = next;
            }
            slope = POINTS * (z * here - last) / (z * z - 1);
            z -= here / slope;
        }
        x[i] = z;
        w[i] = 2 / ((1 - z * z) * slope * slope);
    }
}

/* Nodes and weights times G(t - node) over [0, t], panels of equal width; returns their number. */
static size_t weigh_past(const lf_output *output, double t, double width, double **nodes, double **weights)
{
    double x[POINTS], w[POINTS], a[LF_MAX_ORDER + 1];
    gauss_legendre(x, w);
    lf_ode_coefficients(output->op, output->constants, output->order, a);
    size_t panels = (size_t)ceil(t / width), count = panels * POINTS;
    *nodes = malloc((count + 1) * sizeof **nodes);
    *weights = malloc((count + 1) * sizeof **weights);
    double half = panels ? 0.5 * t / (double)panels : 0;
    for (size_t i = 0; i < count; i++) {
        double h[LF_MAX_ORDER];
        (*nodes)[i] = half * (2 * (double)(i / POINTS) + 1 + x[i % POINTS]);
        output->op->motion(output->constants, output->order, t - (*nodes)[i], h, NULL);
        (*weights)[i] = half * w[i % POINTS] * h[output->order - 1] / a[0];
    }
    return count;
}

/* Cov of target a at t with target b at s, both since the origin, for lengthscale l and sensitivities 1. */
static double brute_force(const lf_model *model, int a, double t, int b, double s, double l, double width)
{
    double *x[2], *w[2], sum = 0, at[2] = {t, s};
    int target[2] = {a, b};
    size_t n[2];
    for (int k = 0; k < 2; k++) {
        if (target[k] < model->output_count) {
            n[k] = weigh_past(&model->outputs[target[k]], at[k], width, &x[k], &w[k]);
        } else {
            n[k] = 1;
            x[k] = malloc(sizeof(double));
            w[k] = malloc(sizeof(double));
            *x[k] = at[k];
            *w[k] = 1;
        }
    }
    for (size_t i = 0; i < n[0]; i++) {
        for (size_t j = 0; j < n[1]; j++) {
            double r = (x[0][i] - x[1][j]) / l;
            sum += w[0][i] * w[1][j] * exp(-r * r);
        }
    }
    for (int k = 0; k < 2; k++) {
        free(x[k]);
        free(w[k]);
    }
    return sum;
}

static const char *const odes[] = {
    "\"type\":\"ode1\",\"decay\":1.7",
    "\"type\":\"ode1\",\"decay\":0",
    "\"type\":\"ode2\",\"mass\":0.8,\"damper\":4,\"spring\":1",
    "\"type\":\"ode2\",\"mass\":1,\"damper\":0.3,\"spring\":9",
    "\"type\":\"ode2\",\"mass\":2,\"damper\":8,\"spring\":8",
    "\"type\":\"ode2\",\"mass\":1,\"damper\":0,\"spring\":4",
    "\"type\":\"ode2\",\"mass\":1,\"damper\":0.0001,\"spring\":4",
    "\"type\":\"ode\",\"coefficients\":[-1,-0.01,-0.0001]",
    "\"type\":\"ode\",\"coefficients\":[1,0,0]",
    "\"type\":\"ode2\",\"mass\":1,\"damper\":100,\"spring\":5",
    "\"type\":\"ode2\",\"mass\":1,\"damper\":0.02,\"spring\":0.0001000001",
};
enum { ODES = sizeof odes / sizeof *odes };

/* Both the blocks with few entries and those with many, which interpolate. */
static void brute_force_values(void **state)
{
    (void)state;
    enum { N = 45 };
    lf_context *ctx = lf_context_create();
    lf_random random;
    lf_random_seed(&random, 3);
    static const char *const lengthscales[] = {"0.1", "0.7", "3.1", "30", "2000"};
    for (int trial = 0; trial < 40; trial++) {
        const char *l[2] = {lengthscales[trial % 5], "1"};
        output_text outputs[2] = {{odes[trial % ODES], {1, 0}, NULL}, {odes[trial * 7 / 5 % ODES], {1, 0}, NULL}};
        lf_model *model = make_model(ctx, 1, "zero", l, outputs, 2);
        double *t = times(&random, N, 0.5, 3.5), *z = times(&random, N, -0.4, 4);
        for (int pair = 0; pair < 4; pair++) {
            int a = pair % 2, b = pair < 2 ? 1 : 2;
            const double *s = b == 2 ? z : t;
            double *K = block(ctx, model, a, N, t, b, N, s), largest = 0;
            for (size_t i = 0; i < N * N; i++) {
                assert_true(isfinite(K[i]));
                largest = fmax(largest, fabs(K[i]));
            }
            for (size_t k = 0; k < 3; k++) {
                size_t i = (size_t)(N * lf_random_uniform(&random)), j = (size_t)(N * lf_random_uniform(&random));
                double expected = brute_force(model, a, t[i] - 0.5, b, s[j] - 0.5, atof(l[0]), 0.05), alone;
                assert_ok(ctx, lf_closed_form_block(ctx, model, (lf_point_group){a, 1, t + i},
                                                    (lf_point_group){b, 1, s + j}, &alone, 1));
                assert_near(K[j * N + i], expected, 2e-13 * largest);
                assert_near(alone, expected, 2e-13 * largest);
            }
            free(K);
        }
        free(t);
        free(z);
        lf_model_free(model);
    }
    lf_context_free(ctx);
}

/* A stationary start is a zero start long ago. */
static void stationary_is_the_limit(void **state)
{
    (void)state;
    enum { N = 30 };
    static const int stable[] = {0, 2, 3, 4};
    lf_context *ctx = lf_context_create();
    lf_random random;
    lf_random_seed(&random, 4);
    for (int trial = 0; trial < 4; trial++) {
        const char *l[2] = {trial % 2 ? "0.4" : "5", "1"};
        output_text outputs[2] = {{odes[stable[trial]], {1.5, 0}, NULL},
                                  {odes[stable[(trial + 1) % 4]], {-1, 0}, NULL}};
        lf_model *now = make_model(ctx, 1, "stationary", l, outputs, 2),
                 *ago = make_model(ctx, 1, "zero", l, outputs, 2);
        double *x = times(&random, N, -2, 4);
        ago->origin = -260;
        for (int b = 0; b < 3; b++) {
            double *K = block(ctx, now, 0, N, x, b, N, x), *L = block(ctx, ago, 0, N, x, b, N, x);
            for (size_t i = 0; i < N * N; i++) {
                assert_near(K[i], L[i], 1e-13);
            }
            free(K);
            free(L);
        }
        free(x);
        lf_model_free(now);
        lf_model_free(ago);
    }
    lf_context_free(ctx);
}

/* Far beyond what brute force resolves: finite, bounded by the variances, symmetric, positive to rounding. */
static void extremes(void **state)
{
    (void)state;
    enum { N = 60 };
    lf_context *ctx = lf_context_create();
    lf_random random;
    lf_random_seed(&random, 5);
    for (int trial = 0; trial < 150; trial++) {
        char text[2][160], length[32];
        for (int d = 0; d < 2; d++) {
            double rate = log_between(&random, 1e-4, 1e4);
            double ratio = trial % 5 == 0 ? 1 : trial % 7 == 0 ? 0 : log_between(&random, 1e-4, 1e4);
            snprintf(text[d], sizeof text[d],
                     d && trial % 3 ? "\"type\":\"ode1\",\"decay\":%.17g"
                                    : "\"type\":\"ode2\",\"mass\":1,\"damper\":%.17g,\"spring\":%.17g",
                     d && trial % 3 ? rate : 2 * ratio * rate, rate * rate);
        }
        snprintf(length, sizeof length, "%.17g", log_between(&random, 1e-3, 1e3));
        const char *l[2] = {length, "1"};
        output_text outputs[2] = {{text[0], {1, 0}, NULL}, {text[1], {1, 0}, NULL}};
        int stationary = trial % 4 == 1 && trial % 7;
        lf_model *model = make_model(ctx, 1, stationary ? "stationary" : "zero", l, outputs, 2);
        double *t = times(&random, N, 0.5, 1.5), K[4][N * N], joint[4 * N * N], values[2 * N];
        for (int k = 0; k < 4; k++) {
            assert_ok(ctx, lf_closed_form_block(ctx, model, (lf_point_group){k / 2, N, t},
                                                (lf_point_group){k % 2, N, t}, K[k], N));
        }
        double scale[2] = {0, 0};
        for (size_t i = 0; i < N; i++) {
            scale[0] = fmax(scale[0], K[0][i * N + i]);
            scale[1] = fmax(scale[1], K[3][i * N + i]);
        }
        for (size_t j = 0; j < N; j++) {
            for (size_t i = 0; i < N; i++) {
                double cross = sqrt(scale[0] * scale[1]);
                assert_true(K[0][j * N + i] == K[0][i * N + j] && K[3][j * N + i] == K[3][i * N + j]);
                assert_near(K[1][j * N + i], K[2][i * N + j], 1e-13 * cross);
                joint[j * 2 * N + i] = K[0][j * N + i] / scale[0];
                joint[(j + N) * 2 * N + i + N] = K[3][j * N + i] / scale[1];
                joint[(j + N) * 2 * N + i] = joint[i * 2 * N + j + N] = K[1][j * N + i] / cross;
            }
        }
        assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', 2 * N, joint, 2 * N, values), 0);
        assert_true(values[0] > -1e-10 && values[2 * N - 1] < 2 * N);
        free(t);
        lf_model_free(model);
    }
    lf_context_free(ctx);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    enum { N = 120 };
    lf_context *ctx = lf_context_create();
    lf_random random;
    lf_random_seed(&random, 6);
    const char *l[2] = {"0.2", "0.5"};
    output_text outputs[2] = {{odes[3], {1, 2}, NULL}, {odes[4], {1, -1}, NULL}};
    lf_model *model = make_model(ctx, 1, "zero", l, outputs, 2);
    double *t = times(&random, N, 0.5, 4), *K[2], *gradient[2];
    int before = omp_get_max_threads();
    for (int k = 0; k < 2; k++) {
        omp_set_num_threads(k ? 3 : 1);
        K[k] = block(ctx, model, 0, N, t, 1, N, t);
        gradient[k] = calloc(model->parameter_count, sizeof(double));
        assert_ok(ctx, lf_closed_form_gradient(ctx, model, (lf_point_group){0, N, t}, (lf_point_group){1, N, t}, K[0],
                                               N, gradient[k]));
    }
    omp_set_num_threads(before);
    assert_memory_equal(K[0], K[1], N * N * sizeof(double));
    for (size_t i = 0; i < model->parameter_count; i++) { /* BLAS is at liberty */
        assert_near(gradient[0][i], gradient[1][i], 3e-14 * fabs(gradient[0][i]));
    }
    for (int k = 0; k < 2; k++) {
        free(K[k]);
        free(gradient[k]);
    }
    free(t);
    lf_model_free(model);
    lf_context_free(ctx);
}

/* ---- gradients ---- */

typedef struct gradient_case {
    lf_context *ctx;
    lf_model *model;
    int a, b;
    size_t na, nb;
    const double *xa, *xb;
    double *G, *K;
} gradient_case;

static double weighted_sum(void *user, const double *values)
{
    gradient_case *c = user;
    double sum = 0;
    for (size_t i = 0; i < c->model->parameter_count; i++) {
        *c->model->parameters[i].value = values[i];
    }
    assert_ok(c->ctx, lf_closed_form_block(c->ctx, c->model, (lf_point_group){c->a, c->na, c->xa},
                                           (lf_point_group){c->b, c->nb, c->xb}, c->K, c->na));
    for (size_t i = 0; i < c->na * c->nb; i++) {
        sum += c->G[i] * c->K[i];
    }
    return sum;
}

static const char *parameter_name(void *user, size_t i) { return ((gradient_case *)user)->model->parameters[i].name; }

static void check_gradients(lf_context *ctx, lf_model *model, lf_random *random, size_t n, double low, double high)
{
    size_t p = (size_t)model->input_dim, count = model->parameter_count;
    int targets = model->output_count + model->force_count;
    double *x = times(random, n * p, low, high), *z = times(random, n * p, low, high),
           *values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = *model->parameters[i].value;
    }
    for (int a = 0; a < targets; a++) {
        for (int b = 0; b < targets; b++) {
            gradient_case c = {ctx,
                               model,
                               a,
                               b,
                               n,
                               n,
                               x,
                               a == b ? x : z,
                               malloc(n * n * sizeof(double)),
                               malloc(n * n * sizeof(double))};
            double *gradient = calloc(count, sizeof *gradient);
            for (size_t i = 0; i < n * n; i++) {
                c.G[i] = lf_random_normal(random);
            }
            assert_ok(ctx, lf_closed_form_gradient(ctx, model, (lf_point_group){a, n, c.xa},
                                                   (lf_point_group){b, n, c.xb}, c.G, n, gradient));
            check_gradient(count, values, gradient, weighted_sum, &c, 2e-4, 1e-7, parameter_name);
            weighted_sum(&c, values);
            free(c.G);
            free(c.K);
            free(gradient);
        }
    }
    free(x);
    free(z);
    free(values);
}

/* Every ODE above as coefficients, where neither 0 nor a sign is a bound to differences across it. */
static void ode_gradients(void **state)
{
    (void)state;
    static const char *const coefficients[] = {
        "[1,1.7]",     "[0.8,4,1]",  "[1,0.9,9]",      "[2,8,8]",  "[-1,-3,-2]", "[1,2,1.0001]", /* from here on slow */
        "[0.5,0.002]", "[1,0.01,4]", "[1,0.03,0.002]", "[1,60,5]",
    };
    enum { COUNT = sizeof coefficients / sizeof *coefficients };
    static const char *const lengthscales[] = {"0.3", "0.9", "4", "20"};
    lf_context *ctx = lf_context_create();
    lf_random random;
    lf_random_seed(&random, 7);
    for (int trial = 0; trial < 3 * COUNT; trial++) {
        int stationary = trial % 3 == 2, choice = stationary ? 6 : COUNT;
        char text[2][80];
        const char *l[2] = {lengthscales[trial % 4], lengthscales[trial / 4 % 4]};
        snprintf(text[0], sizeof text[0], "\"type\":\"ode\",\"coefficients\":%s", coefficients[trial % choice]);
        snprintf(text[1], sizeof text[1], "\"type\":\"ode\",\"coefficients\":%s", coefficients[trial * 3 / 2 % choice]);
        output_text outputs[2] = {{text[0], {1.3, -0.4}, "\"kernel\":\"eq\",\"lengthscale\":0.8,\"amplitude\":0.6"},
                                  {text[1], {0.7, 0}, NULL}};
        lf_model *model = make_model(ctx, 1, stationary ? "stationary" : "zero", l, outputs, 2);
        check_gradients(ctx, model, &random, trial % 2 ? 6 : 25, 0.5, 3);
        lf_model_free(model);
    }
    output_text named[2] = {{odes[0], {1.3, -0.4}, NULL}, {odes[3], {0.7, 1}, NULL}};
    lf_model *model = make_model(ctx, 1, "free", (const char *[]){"0.4", "1"}, named, 2);
    check_gradients(ctx, model, &random, 8, 0.5, 3);
    lf_model_free(model);
    lf_context_free(ctx);
}

/* At zero damping differences would need an unstable operator: the gradient there is that of hardly any damping. */
static void undamped_gradients(void **state)
{
    (void)state;
    enum { N = 30 };
    lf_context *ctx = lf_context_create();
    lf_random random;
    lf_random_seed(&random, 9);
    static const char *const damped[][2] = {
        {"[1,0,4]", "[1,1e-10,4]"}, {"[1,0,0]", "[1,1e-10,1e-11]"}, {"[2,0]", "[2,1e-10]"}};
    for (int k = 0; k < 9; k++) {
        double *t = times(&random, N, 0.5, 3), G[N * N], gradient[2][32] = {{0}};
        for (size_t i = 0; i < N * N; i++) {
            G[i] = lf_random_normal(&random);
        }
        for (int side = 0; side < 2; side++) {
            char text[2][80];
            for (int d = 0; d < 2; d++) {
                snprintf(text[d], sizeof text[d], "\"type\":\"ode\",\"coefficients\":%s",
                         damped[d ? k / 3 : k % 3][side]);
            }
            output_text outputs[2] = {{text[0], {1, 0.3}, NULL}, {text[1], {2, 0.1}, NULL}};
            lf_model *model = make_model(ctx, 1, "zero", (const char *[]){"0.4", "9"}, outputs, 2);
            assert_ok(ctx, lf_closed_form_gradient(ctx, model, (lf_point_group){0, N, t}, (lf_point_group){1, N, t}, G,
                                                   N, gradient[side]));
            lf_model_free(model);
        }
        for (int i = 0; i < 32; i++) {
            assert_near(gradient[0][i], gradient[1][i], 5e-9 * (1 + fabs(gradient[0][i])));
        }
        free(t);
    }
    lf_context_free(ctx);
}

static void gaussian_gradients(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    lf_random random;
    lf_random_seed(&random, 8);
    const char *mixed[2] = {"[0.5,1.2]", "0.9"};
    output_text outputs[2] = {{"\"type\":\"gaussian\",\"precision\":[1.5,4]",
                               {1.3, -0.4},
                               "\"kernel\":\"eq\",\"lengthscale\":[0.8,0.7],\"amplitude\":0.6"},
                              {"\"type\":\"gaussian\",\"precision\":2.5", {0.7, 0}, NULL}};
    for (int p = 2; p > 0; p--) {
        const char *single[2] = {"0.5", "0.9"};
        output_text one[2] = {{"\"type\":\"gaussian\",\"precision\":1.5",
                               {1.3, -0.4},
                               "\"kernel\":\"eq\",\"lengthscale\":0.8,\"amplitude\":0.6"},
                              outputs[1]};
        lf_model *model = make_model(ctx, p, "zero", p == 2 ? mixed : single, p == 2 ? outputs : one, 2);
        check_gradients(ctx, model, &random, 7, -1, 1);
        lf_model_free(model);
    }
    lf_context_free(ctx);
}

/* Derivatives of the Green's function's weights reproduce d G / d a_k = -(t convolved …): differences of G itself. */
static void exponential_sums(void **state)
{
    (void)state;
    const double coefficients[][3] = {{1, 0.3, 9}, {2, 8, 8}, {1, 0, 4}, {1, 60, 5}, {1, 1e-3, 1e-7}};
    for (size_t k = 0; k < sizeof coefficients / sizeof *coefficients; k++) {
        for (int gradient = 0; gradient < 2; gradient++) {
            const double *a = coefficients[k];
            lf_exponentials sum;
            lf_exponentials_single(a, 2, (lf_exponential_use){.span = 3, .gradient = gradient}, &sum);
            for (double t = 0; t <= 3; t += 0.125) {
                double h[2], da[6], G = 0, slope[3] = {0};
                lf_ode_motion(a, 2, t, h, da);
                for (int i = 0; i < sum.distinct; i++) {
                    double complex e = sum.weight * cexp(-sum.alpha[i] * t);
                    G += creal(sum.c[i] * e);
                    for (int j = 0; j < 3 && gradient; j++) {
                        slope[j] += creal(lf_exponentials_slope(&sum, i, j) * e);
                    }
                }
                assert_near(G, h[1] / a[0], 2e-14);
                for (int j = 0; j < 3 && gradient; j++) {
                    double expected = da[2 * j + 1] / a[0] - (j == 0 ? h[1] / (a[0] * a[0]) : 0);
                    assert_near(slope[j], expected, 2e-14);
                }
            }
        }
    }
}

/* The derivative of a memory integral by the lengthscale, by differences of two steps. */
static double complex difference(int since, double complex alpha, double l, double t, double s)
{
    double complex slope[2];
    for (int k = 0; k < 2; k++) {
        double h = 3e-4 * l / (k + 1);
        double complex E[2];
        for (int side = 0; side < 2; side++) {
            double moved = side ? l - h : l + h;
            if (since) {
                lf_memory_since(alpha, moved, t, 1, &s, &E[side], NULL);
            } else {
                E[side] = lf_memory_past(alpha, moved, t - s, NULL);
            }
        }
        slope[k] = (E[0] - E[1]) / (2 * h);
    }
    return (4 * slope[1] - slope[0]) / 3;
}

/* The memory integrals against Gauss-Legendre panels, and their derivatives by the lengthscale against differences. */
static void memory_integrals(void **state)
{
    (void)state;
    const double complex rates[] = {0, 1e-3, 2.5, 40, 0.2 + 3 * I, 2 + 60 * I, -0.3 + 0.4 * I, 3 * I, 900};
    const double t = 1;
    const int panels = 400;
    double x[POINTS], w[POINTS];
    gauss_legendre(x, w);
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        for (double l = 0.05; l < 20; l *= 2.3) {
            for (double s = -0.9; s <= 1; s += 0.31) {
                double complex alpha = rates[k], expected = 0, slope;
                double largest = 0.9 * fmin(l, t) / fmax(1, cabs(alpha) * fmin(l, t)); /* about max |E| */
                for (int i = 0; i < panels * POINTS; i++) {
                    double tau = (i / POINTS + 0.5 * (1 + x[i % POINTS])) / panels, r = (tau - s) / l;
                    expected += 0.5 / panels * w[i % POINTS] * cexp(-alpha * (t - tau)) * exp(-r * r);
                }
                double complex past = lf_memory_past(alpha, l, t - s, &slope);
                double complex before = cexp(-alpha * t) * lf_memory_past(alpha, l, -s, NULL);
                double scale = fmax(largest, cabs(before));
                assert_near(cabs(past - before - expected), 0, 3e-14 * scale);
                assert_near(cabs(difference(0, alpha, l, t, s) - slope), 0, 1e-9 * fmax(scale, cabs(past)) / l);
                if (l >= 2) {
                    double complex E;
                    lf_memory_since(alpha, l, t, 1, &s, &E, &slope);
                    assert_near(cabs(E - expected), 0, 3e-14 * largest);
                    assert_near(cabs(difference(1, alpha, l, t, s) - slope), 0, 5e-11 * largest / l);
                }
            }
        }
    }
}

static void obstacles(void **state)
{
    (void)state;
    lf_context *ctx = lf_context_create();
    const char *l[2] = {"1", "1"};
    static const struct {
        const char *operators[2], *private_text;
        int covered;
    } cases[] = {
        {{"\"type\":\"ode1\",\"decay\":1", "\"type\":\"ode\",\"coefficients\":[2,0,3]"}, NULL, 1},
        {{"\"type\":\"ode1\",\"decay\":1", "\"type\":\"ode\",\"coefficients\":[1,3,3,1]"}, NULL, 0},
        {{"\"type\":\"ode1\",\"decay\":1", "\"type\":\"ode\",\"coefficients\":[1,-0.1,3]"}, NULL, 0},
        {{"\"type\":\"ode1\",\"decay\":1", "\"type\":\"gaussian\",\"precision\":1"}, NULL, 0},
        {{"\"type\":\"gaussian\",\"precision\":3", "\"type\":\"gaussian\",\"precision\":1"}, NULL, 1},
        {{"\"type\":\"ode1\",\"decay\":1", "\"type\":\"ode1\",\"decay\":1"},
         "\"kernel\":\"matern32\",\"lengthscale\":1,\"amplitude\":1",
         0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        output_text outputs[2] = {{cases[k].operators[0], {1, 1}, NULL},
                                  {cases[k].operators[1], {1, 1}, cases[k].private_text}};
        lf_model *model = make_model(ctx, 1, "zero", l, outputs, 2);
        double x = 1, K;
        assert_int_equal(lf_closed_form_obstacle(model) == NULL, cases[k].covered);
        assert_int_equal(
            lf_closed_form_block(ctx, model, (lf_point_group){0, 1, &x}, (lf_point_group){1, 1, &x}, &K, 1) == LF_OK,
            cases[k].covered);
        lf_model_free(model);
    }
    lf_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_integrals),
        cmocka_unit_test(exponential_sums),
        cmocka_unit_test(obstacles),
        cmocka_unit_test(brute_force_values),
        cmocka_unit_test(stationary_is_the_limit),
        cmocka_unit_test(extremes),
        cmocka_unit_test(ode_gradients),
        cmocka_unit_test(gaussian_gradients),
        cmocka_unit_test(undamped_gradients),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
