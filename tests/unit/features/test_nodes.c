/* Sampled frequencies: Sobol points fill every box they should, before and after scrambling; draws have the
 * covariance of their force; and the features they make come to the exact covariance faster than independent draws. */
#include "support.h"

#include "features/grids.h"
#include "features/nodes.h"
#include "features/sobol.h"

/* ---- Sobol points ---- */

enum { MOST_POINTS = 1 << 14 };

/* Degrees of the polynomials of the dimensions; 0 stands for van der Corput's sequence, which behaves like degree 1. */
static int degree_of(int dimension)
{
    static const int last[] = {1, 2, 4, 6, 12, 18, 36}; /* dimension with a degree of at most 1 … 7 */
    int degree = 1;
    while (dimension > last[degree - 1]) {
        degree++;
    }
    return degree;
}

/* Whether each box of 2^-k[0] x 2^-k[1] x … holds the same number of the first 2^m points. */
static int equal_shares(const double *points, int dimensions, int m, int count, const int *axis, const int *k)
{
    static int boxes[MOST_POINTS];
    int total = 0;
    for (int i = 0; i < count; i++) {
        total += k[i];
    }
    memset(boxes, 0, sizeof *boxes << total);
    for (size_t s = 0; s < (size_t)1 << m; s++) {
        size_t box = 0;
        for (int i = 0; i < count; i++) {
            box = (box << k[i]) + (size_t)ldexp(points[s * (size_t)dimensions + (size_t)axis[i]], k[i]);
        }
        boxes[box]++;
    }
    for (size_t box = 0; box < (size_t)1 << total; box++) {
        if (boxes[box] != 1 << (m - total)) {
            return 0;
        }
    }
    return 1;
}

/* All boxes of volume 2^(t - m), of every shape. */
static int is_net(const double *points, int dimensions, int t, int m, int count, const int *axis)
{
    int k[3] = {0};
    for (k[0] = 0; k[0] <= m - t; k[0]++) {
        for (k[1] = 0; k[1] <= (count > 1 ? m - t - k[0] : 0); k[1]++) {
            k[2] = count > 2 ? m - t - k[0] - k[1] : 0;
            if (k[0] + k[1] + k[2] == m - t && !equal_shares(points, dimensions, m, count, axis, k)) {
                return 0;
            }
        }
    }
    return 1;
}

static double *sobol_points(int dimensions, int scrambled, uint64_t seed, size_t count)
{
    lf_sobol sobol;
    lf_random random;
    lf_random_seed(&random, seed);
    lf_sobol_create(&sobol, dimensions, scrambled ? &random : NULL);
    double *points = malloc(count * (size_t)dimensions * sizeof *points);
    for (size_t s = 0; s < count; s++) {
        lf_sobol_point(&sobol, (uint32_t)s, points + s * (size_t)dimensions);
    }
    return points;
}

/* Dimension by dimension one point in each of 2^m intervals; any two dimensions with polynomials of degrees d and e are a
 * (d + e - 2, m, 2)-net; the first three a (1, m, 3)-net. */
static void test_sobol_fills_boxes(void **state)
{
    (void)state;
    for (int scrambled = 0; scrambled < 2; scrambled++) {
        double *points = sobol_points(LF_SOBOL_DIMENSIONS, scrambled, 7, MOST_POINTS);
        for (int i = 0; i < LF_SOBOL_DIMENSIONS; i++) {
            for (int m = 1; m <= 14; m++) {
                assert_true(equal_shares(points, LF_SOBOL_DIMENSIONS, m, 1, &i, &m));
            }
            for (int j = 0; j < i; j++) {
                int t = degree_of(i) + degree_of(j) - 2, axis[] = {i, j};
                assert_true(is_net(points, LF_SOBOL_DIMENSIONS, t, t < 10 ? t + 4 : 14, 2, axis));
            }
        }
        const int first[] = {0, 1, 2};
        assert_true(is_net(points, LF_SOBOL_DIMENSIONS, 1, 10, 3, first));
        free(points);
    }
}

/* The plain sequence begins as published; in the order of the index, not of Gray's code. */
static void test_sobol_values(void **state)
{
    (void)state;
    const double expected[4][5] = {{0.0, 0.0, 0.0, 0.0, 0.0},
                                   {0.5, 0.5, 0.5, 0.5, 0.5},
                                   {0.25, 0.75, 0.75, 0.75, 0.25},
                                   {0.75, 0.25, 0.25, 0.25, 0.75}};
    double *points = sobol_points(5, 0, 0, 4);
    for (int s = 0; s < 4; s++) {
        for (int k = 0; k < 5; k++) {
            assert_near(points[5 * s + k], expected[s][k], 1e-15);
        }
    }
    free(points);
}

static void test_scrambling_follows_the_seed(void **state)
{
    (void)state;
    double *a = sobol_points(4, 1, 3, 64), *b = sobol_points(4, 1, 3, 64), *c = sobol_points(4, 1, 4, 64);
    assert_memory_equal(a, b, 256 * sizeof *a);
    int same = 0;
    for (int i = 0; i < 256; i++) {
        assert_true(a[i] > 0 && a[i] < 1);
        same += a[i] == c[i];
    }
    assert_int_equal(same, 0);
    free(a);
    free(b);
    free(c);
}

/* ---- draws ---- */

/* E cos(lambda'r) is the covariance of the force at lag r, for all rules and kernels. */
static void test_characteristic_function(void **state)
{
    lf_context *ctx = *state;
    enum { P = 3, COUNT = 20000 };
    const double lag[4][P] = {{0.3, 0, 0}, {0, -0.5, 0.5}, {0.6, 0.6, 0.6}, {1.5, 0, 0.2}};
    static const char *const kernels[] = {"eq", "matern12", "matern32", "matern52"};
    for (int i = 0; i < 4; i++) {
        const lf_force_kernel *kernel = lf_force_kernel_find(kernels[i]);
        for (int rule = LF_RULE_MC; rule < LF_RULE_COUNT; rule++) {
            lf_nodes nodes;
            assert_ok(ctx, lf_nodes_sampled(ctx, kernel, P, COUNT, (lf_rule)rule, 11, &nodes));
            for (int l = 0; l < 4; l++) {
                double sum = 0;
                for (size_t s = 0; s < COUNT; s++) {
                    const double *z = nodes.base + s * P;
                    sum += nodes.weight[s] * cos(z[0] * lag[l][0] + z[1] * lag[l][1] + z[2] * lag[l][2]);
                }
                double r = sqrt(lag[l][0] * lag[l][0] + lag[l][1] * lag[l][1] + lag[l][2] * lag[l][2]);
                /* five standard errors of a mean of cosines; far less where the points are even */
                assert_near(sum, kernel->covariance(r), rule == LF_RULE_QMC ? 3e-3 : 5 / sqrt(2.0 * COUNT));
            }
            lf_nodes_clear(&nodes);
        }
    }
}

static void test_directions_are_orthogonal(void **state)
{
    lf_context *ctx = *state;
    enum { P = 5, COUNT = 13 }; /* two blocks and a part of a third */
    lf_nodes nodes;
    assert_ok(ctx, lf_nodes_sampled(ctx, &lf_force_kernel_eq, P, COUNT, LF_RULE_ORTHOGONAL, 2, &nodes));
    for (int a = 0; a < COUNT; a++) {
        for (int b = 0; b < a; b++) {
            double product = 0;
            for (int k = 0; k < P; k++) {
                product += nodes.base[a * P + k] * nodes.base[b * P + k];
            }
            assert_true((fabs(product) < 1e-12) == (a / P == b / P));
        }
    }
    lf_nodes_clear(&nodes);
}

static void test_too_many_inputs(void **state)
{
    lf_context *ctx = *state;
    lf_nodes nodes;
    assert_ok(ctx, lf_nodes_sampled(ctx, &lf_force_kernel_eq, 37, 10, LF_RULE_QMC, 1, &nodes));
    lf_nodes_clear(&nodes);
    assert_int_equal(lf_nodes_sampled(ctx, &lf_force_kernel_eq, 38, 10, LF_RULE_QMC, 1, &nodes), LF_ERROR_UNSUPPORTED);
    assert_non_null(strstr(lf_context_message(ctx), "37"));
    assert_int_equal(lf_nodes_sampled(ctx, &lf_force_kernel_matern32, 37, 10, LF_RULE_QMC, 1, &nodes),
                     LF_ERROR_UNSUPPORTED);
    assert_ok(ctx, lf_nodes_sampled(ctx, &lf_force_kernel_eq, 60, 10, LF_RULE_ORTHOGONAL, 1, &nodes));
    lf_nodes_clear(&nodes);
}

/* ---- covariances ---- */

/* Root mean square error of the feature covariance of p inputs, relative to the largest entry, over `seeds` draws. */
static double covariance_error(lf_context *ctx, int p, const char *nodes, size_t S, int seeds)
{
    enum { ROWS = 40 };
    char text[512];
    snprintf(text, sizeof text,
             "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":%d,\"forces\":[{\"kernel\":\"eq\","
             "\"lengthscale\":%g}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\",\"precision\":8},"
             "\"sensitivity\":[1],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"gaussian\","
             "\"precision\":3},\"sensitivity\":[-2],\"noise_variance\":0.1}]}",
             p, sqrt(p));
    lf_model *model = parse_model(ctx, text);
    lf_random random;
    lf_random_seed(&random, 99);
    double *x = malloc(ROWS * (size_t)p * sizeof *x), *K = malloc(ROWS * ROWS * sizeof *K);
    double *exact = malloc(ROWS * ROWS * sizeof *exact), sum = 0, largest = 0;
    int target[ROWS];
    for (int i = 0; i < ROWS * p; i++) {
        x[i] = uniform_between(&random, -1, 1);
    }
    for (int i = 0; i < ROWS; i++) {
        target[i] = i % 2;
    }
    lf_point_list points = {.n = ROWS, .target = target, .x = x};
    assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, exact));
    for (int seed = 1; seed <= seeds; seed++) {
        lf_engine_options options = {
            .size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = nodes, .features = S};
        lf_context_set_seed(ctx, (uint64_t)seed);
        assert_ok(ctx, lf_covariance_list(ctx, model, &points, &options, K));
        for (int i = 0; i < ROWS * ROWS; i++) {
            sum += (K[i] - exact[i]) * (K[i] - exact[i]);
            largest = fmax(largest, fabs(exact[i]));
        }
    }
    lf_context_set_seed(ctx, 1);
    free(x);
    free(K);
    free(exact);
    lf_model_free(model);
    return sqrt(sum / (ROWS * ROWS * seeds)) / largest;
}

static void test_better_rules_are_better(void **state)
{
    lf_context *ctx = *state;
    static const int inputs[] = {2, 7, 21};
    for (int i = 0; i < 3; i++) {
        for (size_t S = 64; S <= 1024; S *= 4) {
            double mc = covariance_error(ctx, inputs[i], "mc", S, 20);
            double qmc = covariance_error(ctx, inputs[i], "qmc", S, 20);
            double orthogonal = covariance_error(ctx, inputs[i], "orthogonal", S, 20);
            print_message("p = %2d, S = %4zu: mc %.2e, qmc %.2e, orthogonal %.2e\n", inputs[i], S, mc, qmc, orthogonal);
            assert_true(qmc < 0.9 * mc);
            assert_true(orthogonal < 0.9 * mc);
        }
    }
    /* with few inputs the error falls like 1 / S, not like its root */
    assert_true(covariance_error(ctx, 2, "qmc", 4096, 4) < covariance_error(ctx, 2, "qmc", 256, 4) / 8);
}

/* More nodes than are allowed: a message, and nothing that has not been allocated is freed. */
static void test_too_many_nodes(void **state)
{
    lf_context *ctx = *state;
    static const double lengthscales[] = {1e-3, 1e-6, 1e-9, 1e-12};
    size_t refused = 0;
    for (size_t i = 0; i < sizeof lengthscales / sizeof *lengthscales; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"stationary\",\"forces\":[{\"kernel\":"
            "\"eq\",\"lengthscale\":%g}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},"
            "\"sensitivity\":[1],\"noise_variance\":0.1}]}",
            lengthscales[i]);
        lf_model *model = parse_model(ctx, text);
        lf_grid_spec spec = {.earliest = 0, .latest = 10, .graded = 1};
        lf_grids grids;
        if (lf_grids_create(ctx, model, spec, &grids)) {
            assert_non_null(strstr(lf_context_message(ctx), "frequencies would be needed"));
            assert_null(grids.grids);
            refused++;
        }
        lf_grids_clear(&grids);
        lf_model_free(model);
    }
    assert_true(refused >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sobol_fills_boxes),           cmocka_unit_test(test_sobol_values),
        cmocka_unit_test(test_scrambling_follows_the_seed), cmocka_unit_test(test_characteristic_function),
        cmocka_unit_test(test_directions_are_orthogonal),   cmocka_unit_test(test_too_many_inputs),
        cmocka_unit_test(test_better_rules_are_better),     cmocka_unit_test(test_too_many_nodes),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
