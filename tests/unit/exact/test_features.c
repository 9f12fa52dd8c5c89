/* Feature rows: their products are the covariances of the quadrature; their gradients are differences,
 * for every parameter and every kind of frequency. */
#include "support.h"

#include "exact/exact_covariance.h"
#include "features/features.h"

/* Two forces, orders 1 to 3 (triple root), two private forces. %s: how it starts. */
static const char *const mixed =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"%s\",\"origin\":0.5,\"forces\":[{\"kernel\":"
    "\"eq\",\"lengthscale\":0.9},{\"kernel\":\"eq\",\"lengthscale\":0.5}],\"outputs\":[{\"name\":\"a\",\"operator\":"
    "{\"type\":\"ode1\",\"decay\":1.3},\"sensitivity\":[1,-0.5],\"noise_variance\":0.2,\"private\":{\"kernel\":\"eq\","
    "\"lengthscale\":0.8,\"amplitude\":0.4}},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1.2,\"damper\":"
    "0.9,\"spring\":2},\"sensitivity\":[0.7,2],\"noise_variance\":0.1,\"initial_variance\":[0.5,2],\"private\":"
    "{\"kernel\":\"eq\",\"lengthscale\":0.6,\"amplitude\":0.7}},{\"name\":\"c\",\"operator\":{\"type\":\"ode\","
    "\"coefficients\":[1,3,3,1]},\"sensitivity\":[2,0],\"noise_variance\":0.05},{\"name\":\"d\",\"operator\":{\"type\":"
    "\"gaussian\",\"precision\":5},\"sensitivity\":[0.3,1],\"noise_variance\":0.05}]}";

/* Critically damped; undamped with natural frequency 3; a root at 0. */
static const char *const resonant =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],\"outputs\":["
    "{\"name\":\"a\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":2,\"spring\":1},\"sensitivity\":[1],"
    "\"noise_variance\":0.2},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":0,\"spring\":9},"
    "\"sensitivity\":[0.7],\"noise_variance\":0.1},{\"name\":\"c\",\"operator\":{\"type\":\"ode\",\"coefficients\":"
    "[2,1,4,0]},\"sensitivity\":[0.7],\"noise_variance\":0.1}]}";

/* Smoothing much wider than the force. */
static const char *const smooth =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.4}],\"outputs\":["
    "{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\",\"precision\":0.3},\"sensitivity\":[1],\"noise_variance\":0.2}"
    ","
    "{\"name\":\"b\",\"operator\":{\"type\":\"gaussian\",\"precision\":2},\"sensitivity\":[0.7],\"noise_variance\":0.1}"
    "]}";

static const char *const two_inputs =
    "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":2,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":"
    "[0.8,1.1]},{\"kernel\":\"matern32\",\"lengthscale\":0.7}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":"
    "\"gaussian\",\"precision\":[1.5,3]},\"sensitivity\":[1.3,0.4],\"noise_variance\":0.1,\"private\":{\"kernel\":"
    "\"eq\","
    "\"lengthscale\":[0.6,0.9],\"amplitude\":0.7}},{\"name\":\"b\",\"operator\":{\"type\":\"gaussian\",\"precision\":4}"
    ","
    "\"sensitivity\":[-0.7,1],\"noise_variance\":0.2}]}";

static lf_model *mixed_model(lf_context *ctx, const char *initial)
{
    char text[4096];
    snprintf(text, sizeof text, mixed, initial);
    return parse_model(ctx, text);
}

/* ---- products of rows ---- */

/* K (n, n): products of the feature rows of a sorted set. */
static void gram(lf_context *ctx, const lf_features *features, const lf_point_set *set, double *K)
{
    size_t M = features->shared, n = set->n, p = (size_t)set->input_dim;
    double **shared = calloc((size_t)set->group_count, sizeof *shared);
    double **own = calloc((size_t)set->group_count, sizeof *own);
    for (int g = 0; g < set->group_count; g++) {
        size_t rows = set->start[g + 1] - set->start[g], m = lf_features_private(features, set->target[g]);
        shared[g] = malloc((rows * M + 1) * sizeof(double));
        own[g] = malloc((rows * m + 1) * sizeof(double));
        assert_ok(ctx,
                  lf_features_rows(ctx, features, set->target[g], rows, set->x + set->start[g] * p, shared[g], own[g]));
    }
    for (int a = 0; a < set->group_count; a++) {
        for (int b = 0; b < set->group_count; b++) {
            size_t na = set->start[a + 1] - set->start[a], nb = set->start[b + 1] - set->start[b];
            size_t m = a == b ? lf_features_private(features, set->target[a]) : 0;
            for (size_t i = 0; i < na; i++) {
                for (size_t j = 0; j < nb; j++) {
                    double sum = 0;
                    for (size_t k = 0; k < M; k++) {
                        sum += shared[a][k * na + i] * shared[b][k * nb + j];
                    }
                    for (size_t k = 0; k < m; k++) {
                        sum += own[a][k * na + i] * own[a][k * na + j];
                    }
                    K[(set->start[b] + j) * n + set->start[a] + i] = sum;
                }
            }
        }
    }
    for (int g = 0; g < set->group_count; g++) {
        free(shared[g]);
        free(own[g]);
    }
    free(shared);
    free(own);
}

static void check_products(lf_context *ctx, const lf_model *model, lf_sharing sharing, lf_route route)
{
    enum { EACH = 9, MOST = 6 * EACH };
    int targets = model->output_count + model->force_count, target[MOST];
    double x[MOST];
    for (int i = 0; i < targets * EACH; i++) {
        target[i] = i % targets;
        x[i] = 0.5 + 0.055 * i;
    }
    lf_point_list points = {.n = (size_t)(targets * EACH), .target = target, .x = x};
    lf_point_set set;
    lf_features features;
    lf_grid_spec demand = {
        .earliest = 0.5, .latest = 0.5 + 0.055 * MOST, .with_forces = 1, .tolerance = 1e-13, .sharing = sharing};
    assert_ok(ctx, lf_point_set_create(ctx, model, &points, points.n, NULL, &set));
    assert_ok(ctx, lf_features_create(ctx, model, demand, &features));
    double *K = malloc(set.n * set.n * sizeof *K), *expected = malloc(set.n * set.n * sizeof *K), largest = 0;
    gram(ctx, &features, &set, K);
    assert_ok(ctx, lf_exact_covariance_matrix(ctx, model, (lf_exact_covariance){.route = route}, &set, &set, expected,
                                              set.n));
    for (size_t i = 0; i < set.n; i++) {
        largest = fmax(largest, expected[i * set.n + i]);
    }
    for (size_t j = 0; j < set.n; j++) {
        for (size_t i = j; i < set.n; i++) {
            assert_near(K[j * set.n + i], expected[j * set.n + i], 5e-14 * largest);
        }
    }
    free(K);
    free(expected);
    lf_features_clear(&features);
    lf_point_set_clear(&set);
}

static void test_products_are_covariances(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    for (int i = 0; i < 3; i++) {
        lf_model *model = mixed_model(ctx, starts[i]);
        check_products(ctx, model, LF_SHARE_NONE, LF_ROUTE_QUADRATURE);
        check_products(ctx, model, LF_SHARE_ALL, LF_ROUTE_QUADRATURE);
        lf_model_free(model);
    }
    lf_model *model = parse_model(ctx, resonant);
    check_products(ctx, model, LF_SHARE_NONE, LF_ROUTE_QUADRATURE);
    lf_model_free(model);
    model = parse_model(ctx, smooth);
    check_products(ctx, model, LF_SHARE_NONE, LF_ROUTE_CLOSED_FORM);
    lf_model_free(model);
}

/* Features with given base samples: lambda = sqrt(2) Z / lengthscale. */
static void features_with(lf_context *ctx, const lf_model *model, size_t S, const double *Z, lf_features *features)
{
    lf_grid_spec demand = {.rule = LF_RULE_MC, .features = S};
    assert_ok(ctx, lf_features_create(ctx, model, demand, features));
    lf_nodes *nodes = &features->grids.grids[0];
    for (size_t i = 0; i < S * (size_t)model->input_dim; i++) {
        nodes->base[i] = sqrt(2) * Z[i];
    }
    lf_grids_update(&features->grids);
}

/* ---- gradients ---- */

enum { N = 7 };

/* A random linear functional of the rows of all outputs. */
typedef struct functional {
    lf_context *ctx;
    lf_model *model;
    lf_features *features;
    const double *x;
    double *coefficients; /* (D, N, M + widest private) */
    size_t width;
} functional;

static const double *coefficients_of(const functional *f, int output)
{
    return f->coefficients + (size_t)output * N * f->width;
}

static double apply(void *user, const double *values)
{
    functional *f = user;
    double kept[128], *rows = malloc(N * f->width * sizeof *rows), sum = 0;
    for (size_t i = 0; i < f->model->parameter_count; i++) {
        kept[i] = *f->model->parameters[i].value;
        *f->model->parameters[i].value = values[i];
    }
    lf_grids_update(&f->features->grids);
    for (int d = 0; d < f->model->output_count; d++) {
        size_t used = f->features->shared + lf_features_private(f->features, d);
        assert_ok(f->ctx, lf_features_rows(f->ctx, f->features, d, N, f->x, rows, rows + N * f->features->shared));
        for (size_t i = 0; i < N * used; i++) {
            sum += coefficients_of(f, d)[i] * rows[i];
        }
    }
    for (size_t i = 0; i < f->model->parameter_count; i++) {
        *f->model->parameters[i].value = kept[i];
    }
    lf_grids_update(&f->features->grids);
    free(rows);
    return sum;
}

static const char *parameter_name(void *user, size_t i) { return ((functional *)user)->model->parameters[i].name; }

/* gradient (parameters) of the functional by the backward pass. */
static void backward(functional *f, double *gradient)
{
    double *adjoint = malloc(N * f->width * sizeof *adjoint);
    for (int d = 0; d < f->model->output_count; d++) {
        memcpy(adjoint, coefficients_of(f, d), N * f->width * sizeof *adjoint);
        assert_ok(f->ctx, lf_features_backward(f->ctx, f->features, d, N, f->x, adjoint,
                                               adjoint + N * f->features->shared, gradient));
    }
    free(adjoint);
}

static functional functional_of(lf_context *ctx, lf_model *model, lf_features *features, const double *x)
{
    functional f = {ctx, model, features, x, NULL, features->shared};
    lf_random random;
    lf_random_seed(&random, 11);
    for (int d = 0; d < model->output_count; d++) {
        size_t width = features->shared + lf_features_private(features, d);
        f.width = width > f.width ? width : f.width;
    }
    size_t size = (size_t)model->output_count * N * f.width;
    f.coefficients = malloc(size * sizeof(double));
    for (size_t i = 0; i < size; i++) {
        f.coefficients[i] = uniform_between(&random, -1, 1);
    }
    return f;
}

static void check_backward(lf_context *ctx, lf_model *model, lf_features *features, const double *x)
{
    double values[128], gradient[128] = {0};
    functional f = functional_of(ctx, model, features, x);
    for (size_t i = 0; i < model->parameter_count; i++) {
        values[i] = *model->parameters[i].value;
    }
    backward(&f, gradient);
    check_gradient(model->parameter_count, values, gradient, apply, &f, 1e-3, 1e-6, parameter_name);
    free(f.coefficients);
}

static const double times[N] = {0.5, 0.501, 0.55, 1.1, 2.2, 4.5, 9.5};

static void test_backward(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "stationary", "free"};
    for (int i = 0; i < 3; i++) {
        for (int rule = 0; rule < 5; rule++) {
            lf_model *model = mixed_model(ctx, starts[i]);
            lf_grid_spec demand = {.earliest = 0.5, .latest = 9.5, .tolerance = 1e-6, .seed = 5};
            lf_features features;
            demand.rule = rule < 2 ? LF_RULE_UNIFORM : (lf_rule)(rule - 1);
            demand.sharing = rule == 0 ? LF_SHARE_NONE : LF_SHARE_ALL;
            demand.features = rule < 2 ? 0 : 12;
            assert_ok(ctx, lf_features_create(ctx, model, demand, &features));
            check_backward(ctx, model, &features, times);
            lf_features_clear(&features);
            lf_model_free(model);
        }
    }
}

/* Frequencies exactly on, and close to, the undamped resonance and the root at 0; of either sign. */
static void test_backward_at_resonance(void **state)
{
    lf_context *ctx = *state;
    const double Z[] = {3, -3, 3.001, 0, 1e-4, -2.9, 0.7, 6};
    double scaled[8];
    for (int i = 0; i < 8; i++) {
        scaled[i] = Z[i] / sqrt(2);
    }
    lf_model *model = parse_model(ctx, resonant);
    lf_features features;
    features_with(ctx, model, 8, scaled, &features);
    features.grids.grids[0].base[0] = 3;
    features.grids.grids[0].base[1] = -3;
    lf_grids_update(&features.grids);
    check_backward(ctx, model, &features, times);
    lf_features_clear(&features);
    lf_model_free(model);
}

static void test_backward_two_inputs(void **state)
{
    lf_context *ctx = *state;
    double x[2 * N];
    for (int i = 0; i < 2 * N; i++) {
        x[i] = sin(3.0 * i);
    }
    lf_model *model = parse_model(ctx, two_inputs);
    lf_features features;
    for (int rule = LF_RULE_MC; rule < LF_RULE_COUNT; rule++) {
        lf_grid_spec demand = {.rule = (lf_rule)rule, .features = 9, .seed = 2};
        assert_ok(ctx, lf_features_create(ctx, model, demand, &features));
        check_backward(ctx, model, &features, x);
        lf_features_clear(&features);
    }
    assert_int_equal(lf_features_create(ctx, model, (lf_grid_spec){.latest = 1}, &features), LF_ERROR_UNSUPPORTED);
    lf_model_free(model);
}

/* Weights that underflow to 0, a variance and an amplitude of 0. */
static void test_zeros_stay_numbers(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = mixed_model(ctx, "free");
    lf_features features;
    lf_grid_spec demand = {.earliest = 0.5, .latest = 9.5};
    double gradient[128] = {0};
    assert_ok(ctx, lf_features_create(ctx, model, demand, &features));
    *model->parameters[lf_index_kernel(model, 0)].value = 40;
    *model->parameters[lf_index_initial_variance(model, 1)].value = 0;
    *model->parameters[lf_index_private_amplitude(model, 1)].value = 0;
    lf_grids_update(&features.grids);
    const lf_source *source = &features.grids.sources[0];
    assert_near(source->w[features.grids.grids[source->grid].count - 1], 0, 0);
    functional f = functional_of(ctx, model, &features, times);
    backward(&f, gradient);
    for (size_t i = 0; i < model->parameter_count; i++) {
        assert_true(isfinite(gradient[i]));
    }
    double value = 0, values[128];
    for (size_t i = 0; i < model->parameter_count; i++) {
        values[i] = *model->parameters[i].value;
    }
    value = apply(&f, values);
    assert_true(isfinite(value));
    free(f.coefficients);
    lf_features_clear(&features);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_are_covariances), cmocka_unit_test(test_backward),
        cmocka_unit_test(test_backward_at_resonance),    cmocka_unit_test(test_backward_two_inputs),
        cmocka_unit_test(test_zeros_stay_numbers),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
