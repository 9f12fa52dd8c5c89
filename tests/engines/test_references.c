/* Covariances, likelihoods and posteriors of small models against reference values; references/README.md says how those
 * were computed. Usage: test_references [FOLDER]; without a folder tests/references is read. A folder with the same files
 * at more points may be given; exit status 77 where it is not there. */
#include "reference_models.h"
#include "support.h"

#include <ctype.h>
#include <unistd.h>

#include "base/matrix.h"
#include "exact/closed_form.h"
#include "exact/exact_covariance.h"
#include "features/grid_spec.h"
#include "lowrank/lowrank.h"

static char folder[4000];

/* ---- files ---- */

typedef struct table {
    size_t rows, columns;
    double *value; /* (rows, columns) row by row */
} table;

/* A CSV of numbers; a first line that begins with a letter is a header. */
static table read_table(const char *name)
{
    char path[4096];
    table t = {0, 0, NULL};
    size_t count = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) {
        print_error("cannot read %s\n", path);
        fail();
    }
    int first = fgetc(file);
    ungetc(first, file);
    if (isalpha(first)) {
        assert_int_equal(fscanf(file, "%*[^\n]"), 0);
    }
    double value;
    char after;
    while (fscanf(file, "%lf%c", &value, &after) == 2) {
        if ((count & (count - 1)) == 0) { /* a power of 2: twice the room */
            t.value = realloc(t.value, (2 * count + 1) * sizeof *t.value);
            assert_non_null(t.value);
        }
        t.value[count++] = value;
        t.rows += after == '\n';
    }
    if (!feof(file) || t.rows == 0 || count % t.rows != 0) {
        print_error("%s: number %zu or what follows it cannot be read\n", path, count + 1);
        fail();
    }
    t.columns = count / t.rows;
    fclose(file);
    return t;
}

static table read_shape(const char *name, size_t rows, size_t columns)
{
    table t = read_table(name);
    assert_int_equal(t.rows, rows);
    assert_int_equal(t.columns, columns);
    return t;
}

/* The inputs of both outputs, then of the force: targets 0, 1 and 2. */
typedef struct inputs {
    size_t n, k, all, p; /* of each output, of the force, in all; dimension */
    int *target;         /* (all) */
    double *x;           /* (all, p) */
} inputs;

static inputs read_inputs(const char *first, const char *second, const char *force)
{
    table t[3] = {read_table(first), read_table(second), read_table(force)};
    inputs in = {t[0].rows, t[2].rows, 2 * t[0].rows + t[2].rows, t[0].columns, NULL, NULL};
    assert_int_equal(t[1].rows, in.n);
    in.target = malloc(in.all * sizeof *in.target);
    in.x = malloc(in.all * in.p * sizeof *in.x);
    for (size_t i = 0, target = 0; target < 3; target++) {
        for (size_t row = 0; row < t[target].rows; row++, i++) {
            in.target[i] = (int)target;
            memcpy(in.x + i * in.p, t[target].value + row * in.p, in.p * sizeof *in.x);
        }
        free(t[target].value);
    }
    return in;
}

static void free_inputs(inputs in)
{
    free(in.target);
    free(in.x);
}

/* ---- covariances: three routes to the matrix (all, all) of all inputs ---- */

static double *by_kernel(lf_context *ctx, const lf_model *model, inputs in, lf_route route)
{
    lf_point_list points = {.n = in.all, .target = in.target, .x = in.x};
    lf_point_set set;
    double *K = malloc(in.all * in.all * sizeof *K);
    assert_ok(ctx, lf_point_set_create(ctx, model, &points, in.all, NULL, &set));
    assert_ok(ctx,
              lf_exact_covariance_matrix(ctx, model, (lf_exact_covariance){.route = route}, &set, &set, K, in.all));
    lf_mirror(in.all, K, in.all);
    lf_point_set_clear(&set);
    return K;
}

static size_t start_of(inputs in, int target) { return (size_t)target * in.n; }
static size_t count_of(inputs in, int target) { return target < 2 ? in.n : in.k; }

static double *by_closed_form(lf_context *ctx, const lf_model *model, inputs in)
{
    double *K = malloc(in.all * in.all * sizeof *K);
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            size_t i = start_of(in, a), j = start_of(in, b);
            assert_ok(ctx, lf_closed_form_block(ctx, model, (lf_point_group){a, count_of(in, a), in.x + i * in.p},
                                                (lf_point_group){b, count_of(in, b), in.x + j * in.p},
                                                K + j * in.all + i, in.all));
        }
    }
    return K;
}

/* Products of feature rows for the base samples Z (S, p): lambda = sqrt(2) Z / lengthscale. */
static double *by_features(lf_context *ctx, const lf_model *model, inputs in, table Z)
{
    lf_features features;
    lf_grid_spec spec = {.rule = LF_RULE_MC, .features = Z.rows};
    assert_ok(ctx, lf_features_create(ctx, model, spec, &features));
    for (size_t i = 0; i < Z.rows * Z.columns; i++) {
        features.grids.grids[0].base[i] = sqrt(2) * Z.value[i];
    }
    lf_grids_update(&features.grids);
    size_t M = features.shared;
    double *K = malloc(in.all * in.all * sizeof *K), *rows = malloc(in.all * M * sizeof *rows);
    for (int target = 0; target < 3; target++) {
        size_t first = start_of(in, target), n = count_of(in, target);
        double *own = malloc(n * M * sizeof *own);
        assert_ok(ctx, lf_features_rows(ctx, &features, target, n, in.x + first * in.p, own, NULL));
        for (size_t i = 0; i < n * M; i++) {
            rows[i / n * in.all + first + i % n] = own[i];
        }
        free(own);
    }
    for (size_t i = 0; i < in.all; i++) {
        for (size_t j = 0; j < in.all; j++) {
            double sum = 0;
            for (size_t m = 0; m < M; m++) {
                sum += rows[m * in.all + i] * rows[m * in.all + j];
            }
            K[j * in.all + i] = sum;
        }
    }
    free(rows);
    lf_features_clear(&features);
    return K;
}

/* Both triangles of K; tolerances relative to the largest entry of K_ff. */
static void check_covariances(double *K, inputs in, const char *kff, const char *kfu, double of_outputs,
                              double of_force)
{
    table ff = read_shape(kff, 2 * in.n, 2 * in.n), fu = read_shape(kfu, 2 * in.n, in.k);
    double largest = 0;
    for (size_t i = 0; i < ff.rows * ff.columns; i++) {
        largest = fmax(largest, fabs(ff.value[i]));
    }
    for (size_t i = 0; i < 2 * in.n; i++) {
        for (size_t j = 0; j < 2 * in.n; j++) {
            assert_near(K[j * in.all + i], ff.value[i * ff.columns + j], of_outputs * largest);
        }
        for (size_t j = 0; j < in.k; j++) {
            assert_near(K[(2 * in.n + j) * in.all + i], fu.value[i * in.k + j], of_force * largest);
            assert_near(K[i * in.all + 2 * in.n + j], fu.value[i * in.k + j], of_force * largest);
        }
    }
    free(ff.value);
    free(fu.value);
}

/* The block of the force itself is its kernel. */
static void check_force(const double *K, inputs in, double lengthscale)
{
    for (size_t i = 2 * in.n; i < in.all; i++) {
        for (size_t j = 2 * in.n; j < in.all; j++) {
            double square = 0;
            for (size_t c = 0; c < in.p; c++) {
                double r = (in.x[i * in.p + c] - in.x[j * in.p + c]) / lengthscale;
                square += r * r;
            }
            assert_near(K[j * in.all + i], exp(-square), 1e-15);
        }
    }
}

static void test_exact_covariances(void **state)
{
    lf_context *ctx = *state;
    static const char *const names[][2] = {
        {"ode1_kff.csv", "ode1_kfu.csv"}, {"ode2_kff.csv", "ode2_kfu.csv"}, {"ode2_kff.csv", "ode2_kfu.csv"}};
    const char *const texts[] = {small_ode1, small_ode2, small_ode2_by_coefficients};
    inputs in = read_inputs("times.csv", "times.csv", "latent_inputs.csv");
    for (int m = 0; m < 3; m++) {
        lf_model *model = parse_model(ctx, texts[m]);
        double *K[3] = {by_kernel(ctx, model, in, LF_ROUTE_QUADRATURE), by_kernel(ctx, model, in, LF_ROUTE_CLOSED_FORM),
                        by_closed_form(ctx, model, in)};
        for (int route = 0; route < 3; route++) {
            check_covariances(K[route], in, names[m][0], names[m][1], 5e-14, 1e-14);
            check_force(K[route], in, 0.5);
            free(K[route]);
        }
        lf_model_free(model);
    }
    free_inputs(in);
    in = read_inputs("gg_X1.csv", "gg_X2.csv", "gg_Zlat.csv");
    lf_model *model = parse_model(ctx, small_gaussian);
    double *K = by_closed_form(ctx, model, in);
    check_covariances(K, in, "gg_kff_rffmean.csv", "gg_kfu_rffmean.csv", 2e-15, 2e-15);
    check_force(K, in, 0.8);
    free(K);
    lf_model_free(model);
    free_inputs(in);
}

/* The random features of the authors for the same samples. */
static void check_features(lf_context *ctx, const char *text, inputs in, const char *samples, const char *kff,
                           const char *kfu, const char *kuu)
{
    lf_model *model = parse_model(ctx, text);
    table Z = read_table(samples);
    double *K = by_features(ctx, model, in, Z);
    check_covariances(K, in, kff, kfu, 1e-14, 5e-15);
    if (kuu) {
        table uu = read_shape(kuu, in.k, in.k);
        for (size_t i = 0; i < in.k; i++) {
            for (size_t j = 0; j < in.k; j++) {
                assert_near(K[(2 * in.n + i) * in.all + 2 * in.n + j], uu.value[i * in.k + j], 5e-15);
            }
        }
        free(uu.value);
    }
    free(K);
    free(Z.value);
    lf_model_free(model);
}

static void test_random_features(void **state)
{
    inputs in = read_inputs("times.csv", "times.csv", "latent_inputs.csv");
    check_features(*state, small_ode1, in, "Z10.csv", "ode1_kff_rff_S10.csv", "ode1_kfu_rff_S10.csv",
                   "kuu_rff_S10.csv");
    check_features(*state, small_ode2, in, "Z10.csv", "ode2_kff_rff_S10.csv", "ode2_kfu_rff_S10.csv",
                   "kuu_rff_S10.csv");
    check_features(*state, small_ode2, in, "Z100.csv", "ode2_kff_rff_S100.csv", "ode2_kfu_rff_S100.csv",
                   "kuu_rff_S100.csv");
    free_inputs(in);
    in = read_inputs("gg_X1.csv", "gg_X2.csv", "gg_Zlat.csv");
    check_features(*state, small_gaussian, in, "Z10_p2.csv", "gg_kff_rff_S10.csv", "gg_kfu_rff_S10.csv", NULL);
    free_inputs(in);
}

/* Twenty uniform nodes are exact to rounding where the paper needs a hundred thousand samples for an error of 5.8. */
static void test_twenty_nodes(void **state)
{
    lf_context *ctx = *state;
    inputs in = read_inputs("times.csv", "times.csv", "latent_inputs.csv");
    size_t n = 2 * in.n;
    table expected = read_shape("ode2_kff.csv", n, n);
    lf_model *model = parse_model(ctx, small_ode2);
    lf_point_list points = {.n = n, .target = in.target, .x = in.x};
    double *K = malloc(n * n * sizeof *K), last = INFINITY;
    for (size_t S = 8; S <= 20; S += 6) {
        lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "lowrank", .features = S};
        double frobenius = 0;
        assert_ok(ctx, lf_covariance_list(ctx, model, &points, &options, K));
        for (size_t i = 0; i < n * n; i++) {
            frobenius += (K[i] - expected.value[i]) * (K[i] - expected.value[i]);
        }
        print_message("S = %zu: Frobenius error %.2e\n", S, sqrt(frobenius));
        assert_true(sqrt(frobenius) < last);
        last = sqrt(frobenius);
    }
    assert_near(last, 0, 5e-11);
    free(K);
    free(expected.value);
    lf_model_free(model);
    free_inputs(in);
}

/* ---- the small Gaussian process: sin(2t + 1) and 3 cos(1.5t) - 1 at 100 times each ---- */

enum { EACH = 100 };

static lf_data *small_data(lf_context *ctx)
{
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 2 * EACH; i++) {
        double t = 3.0 * (i % EACH) / (EACH - 1);
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = i < EACH ? "a" : "b",
                                             .x = &t,
                                             .y = i < EACH ? sin(2 * t + 1) : 3 * cos(1.5 * t) - 1}));
    }
    return data;
}

/* Mean and variance of both outputs; the file stands in the order of the inputs. */
static void check_posterior(const char *name, size_t n, const double *mean, const double *variance, double of_means,
                            double of_variances)
{
    table expected = read_shape(name, n, 2);
    for (size_t i = 0; i < n; i++) {
        assert_near(mean[i], expected.value[2 * i], of_means);
        assert_near(variance[i], expected.value[2 * i + 1], of_variances);
    }
    free(expected.value);
}

static void check_dense(lf_context *ctx, const char *text, const char *nodes, double expected, const char *posterior)
{
    lf_model *model = parse_model(ctx, text);
    lf_data *data = small_data(ctx);
    lf_engine_options options = {.size = sizeof(lf_engine_options), .engine = "dense", .nodes = nodes};
    lf_engine *engine;
    double value;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_engine_evaluate(engine, 0, NULL, &value, NULL));
    assert_near(value, expected, 1e-11 * fabs(expected));
    if (posterior) {
        inputs in = read_inputs("times.csv", "times.csv", "latent_inputs.csv");
        lf_point_list points = {.n = 2 * in.n, .target = in.target, .x = in.x};
        lf_posterior *given;
        double *mean = malloc(4 * in.n * sizeof *mean), *variance = mean + 2 * in.n;
        assert_ok(ctx, lf_engine_posterior(engine, &given));
        assert_ok(ctx, lf_predict_list(given, &points, mean, variance, NULL));
        check_posterior(posterior, 2 * in.n, mean, variance, 5e-11, 2e-12);
        lf_posterior_free(given);
        free(mean);
        free_inputs(in);
    }
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
}

static void check_lowrank(lf_context *ctx, const char *text, const char *samples, double expected,
                          const char *posterior)
{
    lf_model *model = parse_model(ctx, text);
    lf_data *data = small_data(ctx);
    table Z = read_table(samples);
    lf_engine_options options = {
        .size = sizeof(lf_engine_options), .engine = "lowrank", .nodes = "mc", .features = Z.rows};
    lf_engine *engine; /* for its sorted rows; the weights are solved for here, with the samples of the file */
    lf_weights *weights;
    lf_targets targets;
    lf_device *device;
    lf_lowrank_work work;
    double value = 0;
    assert_ok(ctx, lf_engine_create(ctx, model, data, &options, &engine));
    assert_ok(ctx, lf_weights_create(ctx, model, (lf_grid_spec){.rule = LF_RULE_MC, .features = Z.rows}, 1, &weights));
    for (size_t s = 0; s < Z.rows; s++) {
        weights->features.grids.grids[0].base[s] = sqrt(2) * Z.value[s];
    }
    lf_grids_update(&weights->features.grids);
    assert_ok(ctx, lf_engine_set_targets(engine, NULL, &targets));
    assert_ok(ctx, lf_device_open_any(ctx, "cpu", &device));
    assert_ok(ctx, lf_lowrank_work_create(ctx, device, &weights->features, &engine->rows, 0, &work));
    assert_ok(ctx, lf_lowrank_solve(ctx, &work, &engine->rows.replicates[0].points, &targets, &value));
    assert_ok(ctx, lf_lowrank_copy(ctx, &work, 0, &weights->replicates[0]));
    lf_lowrank_work_clear(&work);
    lf_device_close(device);
    assert_near(value, expected, 1e-12 * fabs(expected));
    if (posterior) {
        inputs in = read_inputs("times.csv", "times.csv", "latent_inputs.csv");
        lf_point_list points = {.n = 2 * in.n, .target = in.target, .x = in.x};
        lf_point_set set;
        double *mean = malloc(4 * in.n * sizeof *mean), *variance = mean + 2 * in.n;
        assert_ok(ctx, lf_point_set_create(ctx, model, &points, points.n, NULL, &set));
        assert_ok(ctx, lf_weights_predict(ctx, weights, model, 0, &set, mean, variance, NULL));
        check_posterior(posterior, 2 * in.n, mean, variance, 5e-12, 2e-13);
        lf_point_set_clear(&set);
        free(mean);
        free_inputs(in);
    }
    lf_weights_free(weights);
    lf_engine_free(engine);
    lf_data_free(data);
    lf_model_free(model);
    free(Z.value);
}

static void test_small_process(void **state)
{
    table value = read_shape("gp_small_logmarginal.csv", 1, 5);
    const char *const exact = "gp_small_posterior_ode2_exact.csv";
    check_dense(*state, small_ode2, "uniform", value.value[0], exact);
    check_dense(*state, small_ode2, "closed-form", value.value[0], exact);
    check_lowrank(*state, small_ode2, "Z10.csv", value.value[1], "gp_small_posterior_ode2_rff_S10.csv");
    check_lowrank(*state, small_ode2, "Z100.csv", value.value[2], NULL);
    check_dense(*state, small_ode1, "uniform", value.value[3], NULL);
    check_dense(*state, small_ode1, "closed-form", value.value[3], NULL);
    check_lowrank(*state, small_ode1, "Z10.csv", value.value[4], NULL);
    free(value.value);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_covariances),
        cmocka_unit_test(test_random_features),
        cmocka_unit_test(test_twenty_nodes),
        cmocka_unit_test(test_small_process),
    };
    const char *source = getenv("LF_SOURCE_DIR");
    if (argc > 1) {
        snprintf(folder, sizeof folder, "%s", argv[1]);
        if (access(folder, R_OK) != 0) {
            printf("skipped: the reference values %s are not there\n", folder);
            return 77;
        }
    } else {
        snprintf(folder, sizeof folder, "%s/tests/references", source ? source : ".");
    }
    return cmocka_run_group_tests(tests, make_context, free_context);
}
