/* Covariances: quadrature against direct double integration, against the closed forms over
 * random models and extreme regimes; positive semi-definiteness; gradients; starts; private forces. */
#include "base/context.h"
#include "reference_models.h"
#include "support.h"

#include <lapacke.h>

#include "base/matrix.h"
#include "exact/closed_form.h"
#include "exact/exact_covariance.h"
#include "model/model.h"

static lf_exact_covariance by(lf_route route) { return (lf_exact_covariance){.route = route}; }

/* The whole covariance matrix of the points by one route, in the order of the points: targets must be ascending. */
static double *matrix(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel, size_t n, const int *target,
                      const double *x)
{
    lf_point_list points = {.n = n, .target = target, .x = x};
    lf_point_set set;
    double *K = malloc(n * n * sizeof *K);
    assert_ok(ctx, lf_point_set_create(ctx, model, &points, n, NULL, &set));
    assert_ok(ctx, lf_exact_covariance_matrix(ctx, model, kernel, &set, &set, K, n));
    lf_mirror(n, K, n);
    lf_point_set_clear(&set);
    return K;
}

static double largest(size_t n, const double *a)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i]));
    }
    return most;
}

static double distance(size_t n, const double *a, const double *b)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs(a[i] - b[i]);
        most = d > most || isnan(d) ? d : most;
    }
    return most;
}

/* Smallest eigenvalue over largest entry. */
static double least_eigenvalue(size_t n, const double *K)
{
    double *copy = malloc(n * n * sizeof *copy), *w = malloc(n * sizeof *w);
    memcpy(copy, K, n * n * sizeof *copy);
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', (int)n, copy, (int)n, w), 0);
    double least = w[0] / largest(n * n, K);
    free(copy);
    free(w);
    return least;
}

/* k(t, t') = double integral of G G' k by tensor Gauss-Legendre panels, halves split at tau = tau' for rough kernels. */
static double integrate_inner(const lf_output *output, const lf_force *force, double t, double tau)
{
    static const double node[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
    static const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                     0.2369268850561891};
    double a[LF_MAX_ORDER + 1], h[LF_MAX_ORDER], sum = 0, cut = fmin(fmax(tau, 0), t);
    lf_ode_coefficients(output->op, output->constants, output->order, a);
    for (int side = 0; side < 2; side++) {
        double from = side ? cut : 0, to = side ? t : cut;
        int panels = 24;
        for (int i = 0; to > from && i < panels; i++) {
            for (int k = 0; k < 5; k++) {
                double s = from + (i + 0.5 * (1 + node[k])) * (to - from) / panels;
                output->op->motion(output->constants, output->order, t - s, h, NULL);
                sum += 0.5 * weight[k] * (to - from) / panels * h[output->order - 1] / a[0] *
                       force->kernel->covariance(fabs(s - tau) / force->lengthscale[0]);
            }
        }
    }
    return sum;
}

static double integrate_both(const lf_output *left, const lf_output *right, const lf_force *force, double t, double u)
{
    enum { PANELS = 60 };
    static const double node[3] = {-0.7745966692414834, 0, 0.7745966692414834};
    static const double weight[3] = {0.5555555555555556, 0.8888888888888888, 0.5555555555555556};
    double a[LF_MAX_ORDER + 1], h[LF_MAX_ORDER], sum = 0;
    lf_ode_coefficients(right->op, right->constants, right->order, a);
    for (int i = 0; i < PANELS; i++) {
        for (int k = 0; k < 3; k++) {
            double s = (i + 0.5 * (1 + node[k])) * u / PANELS;
            right->op->motion(right->constants, right->order, u - s, h, NULL);
            sum += 0.5 * weight[k] * u / PANELS * h[right->order - 1] / a[0] * integrate_inner(left, force, t, s);
        }
    }
    return sum;
}

static void test_direct_integration(void **state)
{
    lf_context *ctx = *state;
    static const char *const kernels[] = {"eq", "matern12", "matern32", "matern52"};
    for (int k = 0; k < 4; k += ONE_OF(3)) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"%s\",\"lengthscale\":0.7}],"
                 "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode\",\"coefficients\":[1,3,3,1]},"
                 "\"sensitivity\":[1],\"noise_variance\":1},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1,"
                 "\"damper\":2,\"spring\":1},\"sensitivity\":[1],\"noise_variance\":1},{\"name\":\"c\",\"operator\":"
                 "{\"type\":\"ode1\",\"decay\":0.4},\"sensitivity\":[1],\"noise_variance\":1}]}",
                 kernels[k]);
        lf_model *model = parse_model(ctx, text);
        const int target[] = {0, 0, 1, 1, 2, 2, 3};
        const double x[] = {1.3, 2.9, 0.8, 2.4, 0.5, 3, 1.1};
        double *K = matrix(ctx, model, by(LF_ROUTE_QUADRATURE), 7, target, x), scale = largest(49, K);
        static const double tolerances[] = {2e-12, 3e-7, 2e-7, 2e-8}; /* of the panels, where the force is rough */
        for (int i = 0; i < 6; i++) {
            const lf_output *left = &model->outputs[target[i]];
            for (int j = 0; j <= i; j += ONE_OF(2)) {
                double direct = integrate_both(left, &model->outputs[target[j]], &model->forces[0], x[i], x[j]);
                assert_near(K[j * 7 + i], direct, tolerances[k] * scale);
            }
            assert_near(K[i * 7 + 6], integrate_inner(left, &model->forces[0], x[i], x[6]), tolerances[k] * scale);
        }
        free(K);
        lf_model_free(model);
    }
}

/* ---- random models, for agreement of the routes ---- */

typedef struct regime {
    double lengthscale[2], rate[2], damping[2];
} regime;

/* Two outputs, ode1 or ode2, over the span [0, 1]; initial: zero, stationary or free. */
static lf_model *random_model(lf_context *ctx, lf_random *random, regime range, const char *initial, int private)
{
    char operators[2][160], text[2048];
    for (int d = 0; d < 2; d++) {
        double rate = log_between(random, range.rate[0], range.rate[1]);
        double damping = log_between(random, range.damping[0], range.damping[1]);
        double mass = log_between(random, 0.1, 10);
        if (lf_random_uniform(random) < 0.4) {
            snprintf(operators[d], sizeof operators[d], "\"ode1\",\"decay\":%.17g", rate);
        } else {
            snprintf(operators[d], sizeof operators[d], "\"ode2\",\"mass\":%.17g,\"damper\":%.17g,\"spring\":%.17g",
                     mass, 2 * mass * damping * rate, mass * rate * rate);
        }
    }
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"eq\","
             "\"lengthscale\":%.17g},{\"kernel\":\"eq\",\"lengthscale\":%.17g}],\"outputs\":[{\"name\":\"a\","
             "\"operator\":{\"type\":%s},\"sensitivity\":[%.17g,%.17g],\"noise_variance\":0.3%s},{\"name\":\"b\","
             "\"operator\":{\"type\":%s},\"sensitivity\":[%.17g,%.17g],\"noise_variance\":0.2}]}",
             initial, log_between(random, range.lengthscale[0], range.lengthscale[1]),
             log_between(random, range.lengthscale[0], range.lengthscale[1]), operators[0],
             uniform_between(random, -2, 2), uniform_between(random, -2, 2),
             private ? ",\"private\":{\"kernel\":\"eq\",\"lengthscale\":0.31,\"amplitude\":0.8}" : "", operators[1],
             uniform_between(random, -2, 2), uniform_between(random, -2, 2));
    return parse_model(ctx, text);
}

enum { POINTS = 34 };

/* 12 irregular times for each output, 5 for each force. */
static void random_points(lf_random *random, int *target, double *x)
{
    for (int i = 0; i < POINTS; i++) {
        target[i] = i < 12 ? 0 : i < 24 ? 1 : i < 29 ? 2 : 3;
        x[i] = i == 0 ? 0 : i == 12 ? 1 : lf_random_uniform(random);
    }
}

static void test_routes_agree(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    static const regime regimes[] = {
        {{0.05, 2}, {0.3, 30}, {0.05, 5}},   {{1e-3, 1e-2}, {0.3, 30}, {0.05, 5}},  {{100, 1000}, {0.3, 30}, {0.05, 5}},
        {{0.05, 2}, {1e-4, 1e-3}, {0.3, 3}}, {{0.05, 2}, {1e3, 1e4}, {0.05, 5}},    {{0.05, 2}, {1, 200}, {1e-4, 1e-3}},
        {{0.05, 2}, {0.3, 30}, {1, 1}},      {{1e-3, 1e3}, {1e-4, 1e4}, {1e-4, 3}},
    };
    lf_random random;
    lf_random_seed(&random, 2026);
    for (size_t r = 0; r < sizeof regimes / sizeof *regimes; r++) {
        for (int trial = 0; trial < 12; trial += ONE_OF(12)) {
            int target[POINTS];
            double x[POINTS];
            lf_model *model = random_model(ctx, &random, regimes[r], starts[trial % 3], trial % 4 == 0);
            random_points(&random, target, x);
            double *quadrature = matrix(ctx, model, by(LF_ROUTE_QUADRATURE), POINTS, target, x);
            double *closed = matrix(ctx, model, by(LF_ROUTE_CLOSED_FORM), POINTS, target, x);
            for (int block = 0; block < 2;
                 block++) { /* outputs; outputs with forces are judged against sqrt(kff kuu) */
                double worst = 0;
                for (int i = 0; i < POINTS; i++) {
                    for (int j = 0; j <= i; j++) {
                        int with_force = (target[i] > 1) + (target[j] > 1);
                        double kff = 0;
                        for (int m = 0; m < 24; m++) {
                            kff = fmax(kff, quadrature[m * POINTS + m]);
                        }
                        double unit = with_force == 0 ? kff : with_force == 1 ? sqrt(kff) : 1;
                        double d = fabs(quadrature[j * POINTS + i] - closed[j * POINTS + i]) / unit;
                        worst = d > worst || isnan(d) ? d : worst;
                    }
                }
                if (!(worst <= 5e-13)) {
                    print_error("regime %zu trial %d (%s): routes differ by %g\n", r, trial, starts[trial % 3], worst);
                    for (size_t p = 0; p < lf_parameter_count(model); p++) {
                        print_error("  %s = %.10g\n", lf_parameter_get(model, p).name,
                                    lf_parameter_get(model, p).value);
                    }
                    fail();
                }
            }
            assert_true(least_eigenvalue(POINTS, quadrature) > -3e-14);
            assert_true(least_eigenvalue(POINTS, closed) > -5e-14);
            free(quadrature);
            free(closed);
            lf_model_free(model);
        }
    }
}

/* Higher orders, every force kernel, every start, exactly undamped and repeated roots: finite and semi-definite. */
static void test_positive_semidefinite(void **state)
{
    lf_context *ctx = *state;
    static const char *const kernels[] = {"eq", "matern12", "matern32", "matern52"};
    static const char *const starts[] = {"zero", "stationary", "free"};
    static const char *const operators[] = {"\"ode\",\"coefficients\":[1,4,6,4,1]",
                                            "\"ode\",\"coefficients\":[1,1.002,1.002,1]",
                                            "\"ode\",\"coefficients\":[1e-4,1,1e-4]",
                                            "\"ode2\",\"mass\":1,\"damper\":0.002,\"spring\":100",
                                            "\"ode1\",\"decay\":1e-4",
                                            "\"gaussian\",\"precision\":50"};
    lf_random random;
    lf_random_seed(&random, 12);
    for (int trial = 0; trial < 60; trial += ONE_OF(7)) {
        const char *start = starts[trial % 3];
        const char *first = operators[(trial / 3) % 6], *second = operators[(trial / 5) % 6];
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"%s\","
                 "\"lengthscale\":%.17g}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":%s},\"sensitivity\":[1],"
                 "\"noise_variance\":1},{\"name\":\"b\",\"operator\":{\"type\":%s},\"sensitivity\":[-0.7],"
                 "\"noise_variance\":1,\"private\":{\"kernel\":\"matern32\",\"lengthscale\":0.2,\"amplitude\":1}}]}",
                 start, kernels[trial % 4], log_between(&random, 0.05, 20), first, second);
        lf_model *model = parse_model(ctx, text);
        int target[POINTS];
        double x[POINTS];
        random_points(&random, target, x);
        for (int i = 0; i < POINTS; i++) {
            target[i] = target[i] == 3 ? 2 : target[i];
        }
        double *K = matrix(ctx, model, by(LF_ROUTE_QUADRATURE), POINTS, target, x);
        for (int i = 0; i < POINTS * POINTS; i++) {
            assert_true(isfinite(K[i]));
        }
        if (!(least_eigenvalue(POINTS, K) > -3e-14)) {
            print_error("trial %d: %s: eigenvalue %g\n", trial, text, least_eigenvalue(POINTS, K));
            fail();
        }
        free(K);
        lf_model_free(model);
    }
}

/* The stationary covariance depends on the lag alone; a zero start forgets its start. */
static void test_zero_start_forgets(void **state)
{
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 4);
    regime quick = {{0.05, 0.3}, {40, 80}, {0.5, 2}};
    for (int trial = 0; trial < 6; trial++) {
        lf_model *model = random_model(ctx, &random, quick, "zero", 1);
        const int target[] = {0, 0, 1, 1};
        const double x[] = {1, 1.3, 1.1, 1.4}, later[] = {2, 2.3, 2.1, 2.4};
        double *from_rest = matrix(ctx, model, by(LF_ROUTE_QUADRATURE), 4, target, later);
        model->initial = LF_INITIAL_STATIONARY;
        double *stationary = matrix(ctx, model, by(LF_ROUTE_QUADRATURE), 4, target, x);
        assert_near(distance(16, from_rest, stationary), 0, 2e-14 * largest(16, stationary));
        free(from_rest);
        free(stationary);
        lf_model_free(model);
    }
}

/* ---- gradients ---- */

typedef struct contraction {
    lf_context *ctx;
    lf_model *model;
    lf_exact_covariance kernel;
    const lf_point_set *a, *b;
    const double *G;
} contraction;

/* sum G o K at other natural parameter values. */
static double contracted(void *user, const double *values)
{
    contraction *c = user;
    size_t n = c->a->n, m = c->b->n;
    double *kept = malloc(c->model->parameter_count * sizeof *kept), *K = malloc(n * m * sizeof *K), sum = 0;
    for (size_t i = 0; i < c->model->parameter_count; i++) {
        kept[i] = *c->model->parameters[i].value;
        *c->model->parameters[i].value = values[i];
    }
    assert_ok(c->ctx, lf_exact_covariance_matrix(c->ctx, c->model, c->kernel, c->a, c->b, K, n));
    if (c->a == c->b) {
        lf_mirror(n, K, n);
    }
    for (size_t i = 0; i < n * m; i++) {
        sum += c->G[i] * K[i];
    }
    for (size_t i = 0; i < c->model->parameter_count; i++) {
        *c->model->parameters[i].value = kept[i];
    }
    free(kept);
    free(K);
    return sum;
}

static const char *parameter_name(void *user, size_t i) { return ((contraction *)user)->model->parameters[i].name; }

static void check_kernel_gradient(lf_context *ctx, lf_model *model, lf_exact_covariance kernel, lf_random *random,
                                  int outputs, int forces, double tolerance)
{
    size_t n = (size_t)(5 * (outputs + forces)), m = 7, parameters = lf_parameter_count(model);
    int target[64], other[7];
    double x[64], z[7], *G = malloc(n * n * sizeof *G), *R = malloc(n * m * sizeof *R);
    double *gradient = calloc(parameters, sizeof *gradient), *values = calloc(parameters, sizeof *values);
    for (size_t i = 0; i < n; i++) {
        target[i] = (int)(i / 5);
        x[i] = uniform_between(random, 0, 2);
        for (size_t j = 0; j <= i; j++) {
            G[i * n + j] = G[j * n + i] = uniform_between(random, -1, 1);
        }
    }
    for (size_t i = 0; i < m; i++) {
        other[i] = (int)i % (outputs + forces);
        z[i] = uniform_between(random, 0, 2);
    }
    for (size_t i = 0; i < n * m; i++) {
        R[i] = uniform_between(random, -1, 1);
    }
    for (size_t i = 0; i < parameters; i++) {
        values[i] = *model->parameters[i].value;
    }
    lf_point_list points = {.n = n, .target = target, .x = x}, others = {.n = m, .target = other, .x = z};
    lf_point_set a, b;
    assert_ok(ctx, lf_point_set_create(ctx, model, &points, n, NULL, &a));
    assert_ok(ctx, lf_point_set_create(ctx, model, &others, m, NULL, &b));
    contraction symmetric = {ctx, model, kernel, &a, &a, G}, rectangular = {ctx, model, kernel, &a, &b, R};
    assert_ok(ctx, lf_exact_covariance_gradient(ctx, model, kernel, &a, &a, G, n, gradient));
    check_gradient(parameters, values, gradient, contracted, &symmetric, 1e-3, tolerance, parameter_name);
    memset(gradient, 0, parameters * sizeof *gradient);
    assert_ok(ctx, lf_exact_covariance_gradient(ctx, model, kernel, &a, &b, R, n, gradient));
    check_gradient(parameters, values, gradient, contracted, &rectangular, 1e-3, tolerance, parameter_name);
    lf_point_set_clear(&a);
    lf_point_set_clear(&b);
    free(G);
    free(R);
    free(gradient);
    free(values);
}

static void test_gradients(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    static const char *const kernels[] = {"eq", "matern32", "matern52", "matern12"};
    lf_random random;
    lf_random_seed(&random, 77);
    for (int trial = 0; trial < 6; trial += ONE_OF(3)) {
        char text[2048];
        snprintf(text, sizeof text,
                 "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"forces\":[{\"kernel\":\"%s\","
                 "\"lengthscale\":0.9},{\"kernel\":\"eq\",\"lengthscale\":0.5}],\"outputs\":[{\"name\":\"a\","
                 "\"operator\":{\"type\":\"ode1\",\"decay\":1.3},\"sensitivity\":[1,-0.5],\"noise_variance\":1},"
                 "{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1.2,\"damper\":%.17g,\"spring\":2},"
                 "\"sensitivity\":[0.7,2],\"noise_variance\":1,\"initial_variance\":[0.5,2],\"private\":{\"kernel\":"
                 "\"%s\",\"lengthscale\":0.7,\"amplitude\":0.6}},{\"name\":\"c\",\"operator\":{\"type\":\"ode\","
                 "\"coefficients\":[1,3,3,1]},\"sensitivity\":[1,1],\"noise_variance\":1},{\"name\":\"d\","
                 "\"operator\":{\"type\":\"gaussian\",\"precision\":3},\"sensitivity\":[1,-1],\"noise_variance\":1}]}",
                 starts[trial % 3], kernels[trial % 4], trial % 2 ? 2 * sqrt(2.4) : 0.3 + trial,
                 kernels[(trial + 1) % 4]);
        lf_model *model = parse_model(ctx, text);
        /* the frequencies of Matern forces move with the parameters, and their tail is cut: differences see that */
        lf_exact_covariance fine = {.route = LF_ROUTE_QUADRATURE, .tolerance = 1e-10};
        check_kernel_gradient(ctx, model, fine, &random, 4, 0, 3e-8);
        check_kernel_gradient(ctx, model, by(LF_ROUTE_QUADRATURE), &random, 4, 2, 5e-4);
        lf_model_free(model);
    }
}

static void test_eq_gradients(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    regime usual = {{0.1, 2}, {0.3, 10}, {0.1, 4}};
    lf_random random;
    lf_random_seed(&random, 78);
    for (int trial = 0; trial < 9; trial += ONE_OF(4)) {
        lf_model *model = random_model(ctx, &random, usual, starts[trial % 3], 1);
        check_kernel_gradient(ctx, model, by(LF_ROUTE_CLOSED_FORM), &random, 2, 2, 3e-7);
        check_kernel_gradient(ctx, model, by(LF_ROUTE_QUADRATURE), &random, 2, 2, 3e-7);
        lf_model_free(model);
    }
}

/* Points come back in the order they were given, in the units of the data. */
static void test_public_covariance(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, small_ode2_by_coefficients);
    const int target[] = {1, 0, 2, 0};
    const double x[] = {1.5, 0.7, 1, 2};
    const int sorted_target[] = {0, 0, 1, 2};
    const double sorted_x[] = {0.7, 2, 1.5, 1};
    const int order[] = {2, 0, 3, 1};
    lf_point_list points = {.n = 4, .target = target, .x = x};
    double K[16], *plain = matrix(ctx, model, by(LF_ROUTE_QUADRATURE), 4, sorted_target, sorted_x);
    model->outputs[1].scale = 3;
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, K));
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double unit = (target[i] == 1 ? 3 : 1) * (target[j] == 1 ? 3 : 1);
            assert_near(K[i * 4 + j], unit * plain[order[i] * 4 + order[j]], 3e-13);
        }
    }
    const int wrong[] = {0, 5, 0, 0};
    points.target = wrong;
    assert_int_equal(lf_covariance_list(ctx, model, &points, NULL, K), LF_ERROR_ARGUMENT);
    const double early[] = {1, 1, 1, -0.5};
    points.target = target;
    points.x = early;
    assert_int_equal(lf_covariance_list(ctx, model, &points, NULL, K), LF_ERROR_DATA);
    assert_non_null(strstr(lf_context_message(ctx), "'a': x = -0.5 lies before the origin 0"));
    lf_engine_options unknown = {.size = sizeof(lf_engine_options), .nodes = "hermite"};
    points.x = x;
    assert_int_equal(lf_covariance_list(ctx, model, &points, &unknown, K), LF_ERROR_UNSUPPORTED);
    free(plain);
    lf_model_free(model);
}

/* A stationary covariance does not depend on which other times are asked about, nor on whether there are any. */
static void test_single_time(void **state)
{
    lf_context *ctx = *state;
    static const char *const kernels[] = {"eq", "matern12", "matern32", "matern52"};
    for (size_t k = 0; k < 4; k++) {
        char text[512];
        int target[3] = {0, 0, 0};
        double x[3] = {5, 5, 9}, one[4], three[9];
        snprintf(
            text, sizeof text,
            "{\"format\": \"latentforce-model\", \"version\": 1, \"initial\": \"stationary\","
            " \"forces\": [{\"kernel\": \"%s\", \"lengthscale\": 0.7}], \"outputs\": [{\"name\": \"a\","
            " \"operator\": {\"type\": \"ode2\", \"mass\": 1, \"damper\": 0.5, \"spring\": 2}, \"sensitivity\": [1],"
            " \"noise_variance\": 0.1}]}",
            kernels[k]);
        lf_model *model = parse_model(ctx, text);
        lf_point_list few = {.n = 2, .target = target, .x = x}, more = {.n = 3, .target = target, .x = x};
        assert_ok(ctx, lf_covariance_list(ctx, model, &few, NULL, one));
        assert_ok(ctx, lf_covariance_list(ctx, model, &more, NULL, three));
        assert_near(one[0], three[0], 1e-11 * three[0]);
        assert_near(one[1], three[0], 1e-11 * three[0]);
        lf_model_free(model);
    }
}

/* The routines are called below the public interface, which begins the count of work for each call: no limit. */
static int make_patient_context(void **state)
{
    int failed = make_context(state);
    if (!failed) {
        ((lf_context *)*state)->work_limit = INFINITY;
    }
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct_integration),
        cmocka_unit_test(test_routes_agree),
        cmocka_unit_test(test_positive_semidefinite),
        cmocka_unit_test(test_zero_start_forgets),
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_eq_gradients),
        cmocka_unit_test(test_public_covariance),
        cmocka_unit_test(test_single_time),
    };
    return cmocka_run_group_tests(tests, make_patient_context, free_context);
}
