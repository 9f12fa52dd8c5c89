/* Diagnosis of a posterior: shares against dense matrices of parts of the model, residuals against rows that really are left out,
 * innovations against Cholesky factors, p-values against known ones, right and wrong models, and the verdict in words. */
#include "model/model.h"
#include "predict/posterior.h"
#include "random_models.h"
#include "report/innovations.h"
#include "report/remarks.h"
#include "report/residual_tests.h"
#include "report/scatter.h"
#include "report/shares.h"
#include "report/whiteness.h"

enum { PARTS = 4 }; /* two forces, private, initial state */

/* ---- shares of variance ---- */

enum { SIDE = 5 };

/* The inverse of a symmetric positive definite matrix, by Gauss and Jordan. */
static void invert(const double *A, double *inverse)
{
    double work[SIDE * SIDE];
    memcpy(work, A, sizeof work);
    for (int i = 0; i < SIDE * SIDE; i++) {
        inverse[i] = i % (SIDE + 1) == 0;
    }
    for (int k = 0; k < SIDE; k++) {
        double pivot = work[k * SIDE + k];
        for (int j = 0; j < SIDE; j++) {
            work[k * SIDE + j] /= pivot;
            inverse[k * SIDE + j] /= pivot;
        }
        for (int i = 0; i < SIDE; i++) {
            double factor = work[i * SIDE + k];
            for (int j = 0; i != k && j < SIDE; j++) {
                work[i * SIDE + j] -= factor * work[k * SIDE + j];
                inverse[i * SIDE + j] -= factor * inverse[k * SIDE + j];
            }
        }
    }
}

/* The shares of C (SIDE, SIDE), with its root by the iteration of Denman and Beavers. */
static void iterated_shares(const double *C, double *shares)
{
    double Y[SIDE * SIDE], Z[SIDE * SIDE], of_y[SIDE * SIDE], of_z[SIDE * SIDE], total = 0;
    memcpy(Y, C, sizeof Y);
    for (int i = 0; i < SIDE * SIDE; i++) {
        Z[i] = i % (SIDE + 1) == 0;
    }
    for (int step = 0; step < 40; step++) {
        invert(Y, of_y);
        invert(Z, of_z);
        for (int i = 0; i < SIDE * SIDE; i++) {
            Y[i] = 0.5 * (Y[i] + of_z[i]);
            Z[i] = 0.5 * (Z[i] + of_y[i]);
        }
    }
    for (int k = 0; k < SIDE; k++) {
        double sum = 0;
        for (int j = 0; j < SIDE; j++) {
            sum += Y[k * SIDE + j];
        }
        shares[k] = sum * sum;
        total += shares[k];
    }
    for (int k = 0; k < SIDE; k++) {
        shares[k] /= total;
    }
}

static void test_variance_shares(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 4);
    for (int run = 0; run < 50; run++) {
        double A[SIDE * SIDE], C[SIDE * SIDE] = {0}, shares[SIDE], expected[SIDE], sum = 0;
        for (int i = 0; i < SIDE * SIDE; i++) {
            A[i] = lf_random_normal(&random);
        }
        for (int i = 0; i < SIDE; i++) {
            for (int j = 0; j < SIDE; j++) {
                for (int k = 0; k < SIDE; k++) {
                    C[i * SIDE + j] += A[i * SIDE + k] * A[j * SIDE + k] + (i == j && k == 0 ? 0.1 : 0);
                }
            }
        }
        iterated_shares(C, expected);
        assert_int_equal(lf_variance_shares(SIDE, C, shares), 0);
        for (int k = 0; k < SIDE; k++) {
            assert_true(shares[k] >= 0);
            assert_near(shares[k], expected[k], 1e-9);
            sum += shares[k];
        }
        assert_near(sum, 1, 1e-14);
    }
    double alone[] = {3, 0, 0, 1}, cancelling[] = {100, -100, -100, 101}, nothing[] = {1, -1, -1, 1}, shares[2];
    lf_variance_shares(2, alone, shares); /* uncorrelated: their variances */
    assert_near(shares[0], 0.75, 1e-14);
    lf_variance_shares(2, cancelling, shares); /* they cancel but for a hundredth: about half of it each */
    assert_near(shares[0], 0.5, 0.06);
    lf_variance_shares(2, nothing, shares);
    assert_true(isnan(shares[0]) && isnan(shares[1]));
}

static void test_p_values(void **state)
{
    (void)state;
    assert_near(lf_chi_squared_tail(1, 3.841458820694124), 0.05, 1e-14);
    assert_near(lf_chi_squared_tail(10, 18.307038053275146), 0.05, 1e-14);
    assert_near(lf_chi_squared_tail(2, 30), exp(-15), 1e-20);
    assert_near(lf_chi_squared_tail(4, 0.5), 1.25 * exp(-0.25), 1e-14);
    assert_near(lf_chi_squared_tail(3, 0), 1, 0);
    /* 1 - 0.95^20 - 20 0.05 0.95^19 - 190 0.05^2 0.95^18: at most 17 of 20 */
    assert_near(lf_binomial_tail(20, 17, 0.95), 1 - pow(0.95, 20) - pow(0.95, 19) - 190 * 0.0025 * pow(0.95, 18),
                1e-14);
    assert_near(lf_binomial_tail(20, 20, 0.95), 1, 0);
    assert_near(lf_binomial_tail(3, 0, 0.95), 0.05 * 0.05 * 0.05, 1e-17);
    assert_near(lf_binomial_tail(100000, 95000, 0.95), 0.5, 0.01);
    /* Published values of the two transformations: -1.7058104152122062 for the kurtosis of 0 … 19, whose skewness is 0. */
    double even[20], skewness, kurtosis;
    for (int i = 0; i < 20; i++) {
        even[i] = i;
    }
    lf_shape(20, even, &skewness, &kurtosis);
    assert_near(skewness, 0, 1e-15);
    assert_near(lf_normality_p(20, skewness, kurtosis), exp(-0.5 * pow(1.7058104152122062, 2)), 1e-14);
    /* 0.44626385374196975 for the skewness of these eight; the kurtosis is that of the same numbers without their skewness. */
    const double few[] = {2, 8, 0, 4, 1, 9, 9, 0};
    lf_shape(8, few, &skewness, &kurtosis);
    assert_near(-2 * log(lf_normality_p(8, skewness, kurtosis) / lf_normality_p(8, 0, kurtosis)),
                pow(0.44626385374196975, 2), 1e-13);
}

/* Tests at the level 0.05 reject about 5 % of independent normal numbers. */
static void test_levels(void **state)
{
    (void)state;
    enum { RUNS = 2000, N = 60, LAGS = 5 };
    lf_random random;
    lf_random_seed(&random, 11);
    int normality = 0, correlation = 0, series[N] = {0};
    for (int run = 0; run < RUNS; run++) {
        double z[N], r[LAGS], skewness, kurtosis;
        for (int i = 0; i < N; i++) {
            z[i] = lf_random_normal(&random);
        }
        lf_shape(N, z, &skewness, &kurtosis);
        normality += lf_normality_p(N, skewness, kurtosis) < 0.05;
        lf_autocorrelations(N, z, series, LAGS, r);
        correlation += lf_ljung_box_p(N, LAGS, r) < 0.05;
    }
    assert_near(normality / (double)RUNS, 0.05, 0.02);
    assert_near(correlation / (double)RUNS, 0.05, 0.02);
}

static void test_autocorrelations(void **state)
{
    (void)state;
    const double z[] = {1, 3, 2, 6, 3}; /* average 3 */
    const int one[5] = {0}, two[] = {0, 0, 1, 1, 1};
    double r[2];
    lf_autocorrelations(5, z, one, 2, r);
    assert_near(r[0], (0 + 0 - 3 + 0) / 14.0, 1e-15);
    assert_near(r[1], (2 + 0 + 0) / 14.0, 1e-15);
    lf_autocorrelations(5, z, two, 1, r);
    assert_near(r[0], (0 - 3 + 0) / 14.0, 1e-15);
}

/* ---- dense matrices ---- */

/* The lower Cholesky factor of K (n, n), in place. */
static void factor(size_t n, double *K)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double sum = K[i * n + j];
            for (size_t k = 0; k < j; k++) {
                sum -= K[i * n + k] * K[j * n + k];
            }
            K[i * n + j] = i == j ? sqrt(sum) : sum / K[j * n + j];
        }
    }
}

/* y <- L^-1 y, and then y <- L^-T y. */
static void solve(size_t n, const double *L, double *y, int both)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            y[i] -= L[i * n + k] * y[k];
        }
        y[i] /= L[i * n + i];
    }
    for (size_t i = n; both && i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) {
            y[i] -= L[k * n + i] * y[k];
        }
        y[i] /= L[i * n + i];
    }
}

/* The prior covariance of the rows of one replicate under part k of the model (-1: all of it). */
static void part_covariance(lf_context *ctx, const lf_model *model, int k, const lf_point_list *points, double *K)
{
    lf_model *part;
    assert_ok(ctx, lf_model_copy(ctx, model, &part));
    for (int d = 0; k >= 0 && d < part->output_count; d++) {
        lf_output *output = &part->outputs[d];
        for (int q = 0; q < part->force_count; q++) {
            output->sensitivity[q] *= q == k;
        }
        output->private_amplitude *= k == part->force_count;
        for (int i = 0; output->initial_variance && i < output->order; i++) {
            output->initial_variance[i] *= k == part->force_count + 1;
        }
    }
    assert_ok(ctx, lf_covariance_list(ctx, part, points, NULL, K));
    lf_model_free(part);
}

/* shares (D, PARTS + 1) of the parts K_k alpha and of the residual in the rows of each output; data of one replicate. */
static void dense_shares(lf_context *ctx, const lf_model *model, const lf_data *data, double *shares)
{
    size_t n = lf_data_count(data, LF_KIND_ROW);
    double *K = malloc(n * n * sizeof *K), *x = malloc(3 * n * sizeof *x), *y = x + n, *alpha = y + n;
    int *target = malloc(n * sizeof *target);
    for (size_t i = 0; i < n; i++) {
        lf_observation row = lf_data_row(data, i);
        target[i] = lf_model_find_output(model, lf_data_name(data, LF_KIND_OUTPUT, (size_t)row.output));
        x[i] = row.x[0];
        y[i] = alpha[i] = row.y - lf_model_output(model, target[i]).offset;
    }
    lf_point_list points = {.n = n, .target = target, .x = x};
    part_covariance(ctx, model, -1, &points, K);
    for (size_t i = 0; i < n; i++) {
        double sd = lf_data_row(data, i).sd;
        K[i * n + i] += lf_model_noise_variance(model, target[i]) + sd * sd;
    }
    factor(n, K);
    solve(n, K, alpha, 1);
    double *parts = malloc((PARTS + 1) * n * sizeof *parts);
    memcpy(parts + PARTS * n, y, n * sizeof *parts);
    for (int k = 0; k < PARTS; k++) {
        part_covariance(ctx, model, k, &points, K);
        for (size_t i = 0; i < n; i++) {
            double *part = &parts[(size_t)k * n + i];
            *part = 0;
            for (size_t j = 0; j < n; j++) {
                *part += K[i * n + j] * alpha[j];
            }
            parts[PARTS * n + i] -= *part;
        }
    }
    for (int d = 0; d < (int)lf_model_count(model, LF_KIND_OUTPUT); d++) {
        double C[(PARTS + 1) * (PARTS + 1)] = {0}, mean[PARTS + 1] = {0}, count = 0;
        for (size_t i = 0; i < n; i++) {
            count += target[i] == d;
            for (int k = 0; k <= PARTS; k++) {
                mean[k] += target[i] == d ? parts[(size_t)k * n + i] : 0;
            }
        }
        for (size_t i = 0; i < n; i++) {
            for (int k = 0; target[i] == d && k < (PARTS + 1) * (PARTS + 1); k++) {
                int a = k / (PARTS + 1), b = k % (PARTS + 1);
                C[k] += (parts[(size_t)a * n + i] - mean[a] / count) * (parts[(size_t)b * n + i] - mean[b] / count);
            }
        }
        for (int k = 0; k <= PARTS; k++) {
            C[k * (PARTS + 2)] += 1e-12; /* the iteration needs an inverse; a part may be 0 */
        }
        iterated_shares(C, shares + d * (PARTS + 1));
    }
    free(parts);
    free(K);
    free(x);
    free(target);
}

static lf_diagnosis *diagnose(lf_context *ctx, const lf_model *model, const lf_data *data, const char *engine)
{
    const lf_engine_options options = {.size = sizeof options, .engine = engine};
    lf_posterior *posterior = make_posterior(ctx, model, data, &options);
    lf_diagnosis *diagnosis;
    assert_ok(ctx, lf_diagnose(posterior, data, &diagnosis));
    lf_posterior_free(posterior);
    return diagnosis;
}

static void check_shares(const lf_diagnosis *diagnosis, const double *expected, double tolerance)
{
    assert_int_equal(diagnosis->from_prior, 0);
    for (int d = 0; d < 2; d++) {
        const lf_output_diagnosis *output = &diagnosis->outputs[d];
        const double *shares = expected + d * (PARTS + 1);
        assert_near(output->forces[0], shares[0], tolerance);
        assert_near(output->forces[1], shares[1], tolerance);
        assert_near(output->shared, shares[0] + shares[1], tolerance);
        assert_near(output->private_force, shares[2], tolerance);
        assert_near(output->start, shares[3], tolerance);
        assert_near(output->noise, shares[4], tolerance);
        assert_near(output->shared + output->private_force + output->start + output->noise, 1, 1e-12);
    }
}

static void test_shares(void **state)
{
    lf_context *ctx = *state;
    static const char *const starts[] = {"zero", "free"};
    for (int i = 0; i < 8; i++) {
        lf_random random;
        lf_random_seed(&random, (uint64_t)(100 + i));
        lf_model *model = random_model(ctx, &random, starts[i % 2], i < 4 ? 3 : 4, 1);
        lf_data *data = random_rows(ctx, &random, 80, NULL, NULL);
        double expected[2 * (PARTS + 1)];
        dense_shares(ctx, model, data, expected);
        lf_diagnosis *dense = diagnose(ctx, model, data, "dense");
        check_shares(dense, expected, 1e-5);
        lf_diagnosis_free(dense);
        if (i < 4 &&
            (model->outputs[0].order <= 2 || i % 2 == 0)) { /* beyond order 2 private and start are not separated */
            lf_diagnosis *filter = diagnose(ctx, model, data, "kalman");
            check_shares(filter, expected, 0.005); /* mean forces are linear between nodes */
            lf_diagnosis_free(filter);
        }
        lf_data_free(data);
        lf_model_free(model);
    }
}

/* ---- residuals ---- */

/* The standardised error of a row that is left out. */
static double left_out(lf_context *ctx, const lf_model *model, const lf_data *data, size_t row, int *output)
{
    const lf_engine_options options = {.size = sizeof options, .engine = "dense"};
    lf_data *rest;
    assert_ok(ctx, lf_data_create(ctx, 1, &rest));
    for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) {
        lf_observation r = lf_data_row(data, i);
        if (i != row) {
            assert_ok(ctx, lf_data_add(ctx, rest,
                                       &(lf_row){.size = sizeof(lf_row),
                                                 .output = lf_data_name(data, LF_KIND_OUTPUT, (size_t)r.output),
                                                 .x = r.x,
                                                 .y = r.y,
                                                 .sd = r.sd}));
        }
    }
    lf_posterior *posterior = make_posterior(ctx, model, rest, &options);
    lf_observation r = lf_data_row(data, row);
    double mean, variance;
    *output = lf_model_find_output(model, lf_data_name(data, LF_KIND_OUTPUT, (size_t)r.output));
    lf_point_list point = {.n = 1, .target = output, .x = r.x};
    assert_ok(ctx, lf_predict_list(posterior, &point, &mean, &variance, NULL));
    lf_posterior_free(posterior);
    lf_data_free(rest);
    return (r.y - mean) / sqrt(variance + lf_model_noise_variance(model, *output) + r.sd * r.sd);
}

static void test_left_out(void **state)
{
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 3);
    lf_model *model = random_model(ctx, &random, "free", 3, 1);
    lf_data *data = random_rows(ctx, &random, 40, NULL, NULL);
    double n[2] = {0}, sum[2] = {0}, squares[2] = {0}, covered[2] = {0};
    for (size_t i = 0; i < lf_data_count(data, LF_KIND_ROW); i++) {
        int d;
        double z = left_out(ctx, model, data, i, &d);
        n[d]++;
        sum[d] += z;
        squares[d] += z * z;
        covered[d] += fabs(z) < 1.959963984540054;
    }
    static const char *const engines[] = {"dense", "kalman"};
    for (int e = 0; e < 2; e++) {
        lf_diagnosis *diagnosis = diagnose(ctx, model, data, engines[e]);
        for (int d = 0; d < 2; d++) {
            const lf_output_diagnosis *output = &diagnosis->outputs[d];
            assert_int_equal(output->rows, (int)n[d]);
            double rms = sqrt(squares[d] / n[d]), tolerance = (e ? 1e-4 : 3e-5) * fmax(rms, 1);
            assert_near(output->residual_mean, sum[d] / n[d], tolerance);
            assert_near(output->residual_rms, rms, tolerance);
            assert_near(output->coverage95, covered[d] / n[d], 0);
        }
        lf_diagnosis_free(diagnosis);
    }
    lf_data_free(data);
    lf_model_free(model);
}

/* One output at 50 times: errors of predictions from earlier rows (kalman) and from later ones (dense). */
static void test_innovations(void **state)
{
    lf_context *ctx = *state;
    enum { N = 50 };
    lf_model *model = parse_model(
        ctx,
        "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"free\",\"forces\":[{\"kernel\":\"matern32\","
        "\"lengthscale\":1}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},"
        "\"sensitivity\":[2],\"noise_variance\":0.1}]}");
    lf_random random;
    lf_random_seed(&random, 5);
    lf_data *data;
    int target[N] = {0};
    double x[N], back[N], *K = malloc(sizeof *K * N * N), *y = malloc(sizeof *y * N), forward[N], backward[N];
    size_t which[N];
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (size_t i = 0; i < N; i++) {
        x[i] = 0.1 * (double)i + 0.05 * lf_random_uniform(&random);
        which[i] = i;
        forward[i] = lf_random_normal(&random);
        assert_ok(
            ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x[i], .y = forward[i]}));
    }
    for (size_t i = 0; i < N; i++) {
        back[i] = x[N - 1 - i];
        backward[i] = forward[N - 1 - i];
    }
    double *values[] = {forward, backward}, *inputs[] = {x, back};
    for (int way = 0; way < 2; way++) {
        lf_point_list points = {.n = N, .target = target, .x = inputs[way]};
        assert_ok(ctx, lf_covariance_list(ctx, model, &points, NULL, K));
        for (size_t i = 0; i < N; i++) {
            K[i * N + i] += 0.1;
        }
        factor(N, K);
        solve(N, K, values[way], 0);
    }
    static const char *const engines[] = {"kalman", "dense"};
    for (int way = 0; way < 2; way++) {
        const lf_engine_options options = {.size = sizeof options, .engine = engines[way]};
        lf_posterior *p = make_posterior(ctx, model, data, &options);
        lf_rows rows;
        double z[N], all[N], mean[N], noise[N];
        size_t count;
        assert_ok(ctx, lf_rows_create(ctx, model, data, &rows));
        lf_rows_scaled(model, &rows.replicates[0], y, noise);
        assert_ok(ctx, p->scaled.class->posterior->predict(ctx, p->scaled.state, model, 0, &rows.replicates[0].points,
                                                           mean, NULL, NULL));
        if (way == 0) {
            assert_ok(ctx, p->scaled.class->posterior->innovations(ctx, p->scaled.state, 0, &rows.replicates[0], all));
        }
        const lf_innovations_rows given = {.rows = &rows.replicates[0],
                                           .all = way ? NULL : all,
                                           .y = y,
                                           .mean = mean,
                                           .noise = noise,
                                           .n = N,
                                           .which = which};
        assert_ok(ctx, lf_innovations(ctx, &p->scaled, &given, N, z, &count));
        assert_int_equal(count, N);
        for (size_t i = 0; i < N; i++) {
            assert_near(z[i], way ? backward[N - 1 - i] : forward[i], 1e-4);
        }
        lf_rows_clear(&rows);
        lf_posterior_free(p);
    }
    free(K);
    free(y);
    lf_data_free(data);
    lf_model_free(model);
}

/* ---- right and wrong models ---- */

static const char *const truth_text =
    "{\"format\":\"latentforce-model\",\"version\":1,\"initial\":\"free\",\"forces\":[{\"kernel\":\"matern32\","
    "\"lengthscale\":1},{\"kernel\":\"matern32\",\"lengthscale\":2}],\"outputs\":[{\"name\":\"a\",\"operator\":{"
    "\"type\":"
    "\"ode1\",\"decay\":1},\"sensitivity\":[2,0],\"noise_variance\":0.05},{\"name\":\"b\",\"operator\":{\"type\":"
    "\"ode1\","
    "\"decay\":0.5},\"sensitivity\":[1,0],\"noise_variance\":0.05}]}";

/* Rows of the model; the noise of `a` is an autoregression with this coefficient. */
static lf_data *simulate(lf_context *ctx, const lf_model *model, uint64_t seed, double coefficient)
{
    enum { EACH = 200 };
    int target[2 * EACH];
    double x[2 * EACH], f[2 * EACH], e[2 * EACH], before = 0;
    lf_data *data;
    lf_context_set_seed(ctx, seed);
    for (int i = 0; i < 2 * EACH; i++) {
        target[i] = i % 2;
        x[i] = 0.1 * (i / 2);
    }
    lf_point_list points = {.n = 2 * EACH, .target = target, .x = x};
    assert_ok(ctx, lf_simulate_list(ctx, model, &points, NULL, f));
    lf_normals(ctx, 2 * EACH, e);
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 2 * EACH; i++) {
        if (target[i] == 0) {
            e[i] = before = coefficient * before + sqrt(1 - coefficient * coefficient) * e[i];
        }
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = target[i] ? "b" : "a",
                                             .x = &x[i],
                                             .y = f[i] + sqrt(0.05) * e[i]}));
    }
    return data;
}

static void test_right_model(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, truth_text);
    int flagged = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        lf_data *data = simulate(ctx, model, seed, 0);
        lf_diagnosis *diagnosis = diagnose(ctx, model, data, "kalman");
        for (int d = 0; d < 2; d++) {
            const lf_output_diagnosis *output = &diagnosis->outputs[d];
            flagged += output->autocorrelated || output->not_normal || output->too_narrow;
        }
        assert_int_equal(diagnosis->idle[0], 0);
        assert_int_equal(diagnosis->idle[1], 1); /* no output is sensitive to it */
        lf_diagnosis_free(diagnosis);
        lf_data_free(data);
    }
    assert_true(flagged <= 1);
    lf_model_free(model);
}

static void test_wrong_models(void **state)
{
    lf_context *ctx = *state;
    static const char *const engines[] = {"kalman", "dense", "fourier"};
    lf_model *model = parse_model(ctx, truth_text);
    for (int e = 0; e < 3; e++) {
        lf_data *data = simulate(ctx, model, 7, 0.9);
        lf_diagnosis *diagnosis = diagnose(ctx, model, data, engines[e]);
        assert_int_equal(diagnosis->outputs[0].autocorrelated, 1);
        assert_int_equal(diagnosis->outputs[1].autocorrelated, 0);
        lf_diagnosis_free(diagnosis);
        lf_data_free(data);

        data = simulate(ctx, model, 8, 0);
        model->outputs[1].noise_variance = 0.005;
        diagnosis = diagnose(ctx, model, data, engines[e]);
        assert_int_equal(diagnosis->outputs[0].too_narrow, 0);
        assert_int_equal(diagnosis->outputs[1].too_narrow, 1);
        model->outputs[1].noise_variance = 0.05;
        lf_diagnosis_free(diagnosis);
        lf_data_free(data);
    }
    lf_model_free(model);
}

/* ---- several inputs ---- */

/* With two inputs there is no autocorrelation; the shares of features are those of the prior. */
static void test_inputs(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(
        ctx,
        "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":2,\"forces\":[{\"kernel\":\"eq\","
        "\"lengthscale\":1},{\"kernel\":\"eq\",\"lengthscale\":2}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":"
        "\"gaussian\",\"precision\":4},\"sensitivity\":[1,0],\"noise_variance\":0.1}]}");
    lf_data *data;
    lf_random random;
    lf_random_seed(&random, 6);
    assert_ok(ctx, lf_data_create(ctx, 2, &data));
    for (int i = 0; i < 60; i++) {
        double x[] = {4 * lf_random_uniform(&random), 4 * lf_random_uniform(&random)};
        assert_ok(ctx, lf_data_add(ctx, data,
                                   &(lf_row){.size = sizeof(lf_row),
                                             .output = "a",
                                             .x = x,
                                             .y = sin(x[0]) * cos(x[1]) + 0.3 * lf_random_normal(&random)}));
    }
    lf_diagnosis *dense = diagnose(ctx, model, data, "dense");
    assert_int_equal(dense->from_prior, 0);
    assert_int_equal(dense->outputs[0].lag_count, 0);
    assert_true(isnan(dense->outputs[0].autocorrelation_p) && dense->outputs[0].normality_p > 0);
    assert_near(dense->outputs[0].shared + dense->outputs[0].noise, 1, 1e-12);
    assert_int_equal(dense->idle[1], 0); /* what it does to one output is in the shares */
    lf_diagnosis_free(dense);
    const lf_engine_options options = {.size = sizeof options, .engine = "lowrank", .features = 200};
    lf_posterior *posterior = make_posterior(ctx, model, data, &options);
    lf_diagnosis *features;
    assert_ok(ctx, lf_diagnose(posterior, data, &features));
    lf_posterior_free(posterior);
    double K;
    const double origin[2] = {0};
    const int target = 0;
    const lf_point_list point = {.n = 1, .target = &target, .x = origin};
    assert_ok(ctx, lf_covariance_list(ctx, model, &point, NULL, &K));
    assert_int_equal(features->from_prior, 1);
    assert_near(features->outputs[0].shared, K / (K + 0.1), 1e-9);
    assert_near(features->outputs[0].noise, 0.1 / (K + 0.1), 1e-9);
    lf_diagnosis_free(features);
    lf_data_free(data);
    lf_model_free(model);
}

/* ---- stored diagnoses and the verdict ---- */

static int has_sentence(const lf_verdict *verdict, const char *severity, const char *part)
{
    for (size_t i = 0; i < verdict->count; i++) {
        if (strcmp(verdict->remarks[i].severity, severity) == 0 && strstr(verdict->remarks[i].sentence, part)) {
            return 1;
        }
    }
    return 0;
}

/* Of many remarks the most important are shown, in the order of what they change. */
static void test_verdict_length(void **state)
{
    lf_context *ctx = *state;
    lf_verdict *verdict;
    lf_remarks remarks = {0};
    static const struct {
        lf_remark_kind kind;
        const char *severity, *sentence;
    } given[] = {{LF_REMARK_HARMLESS, "note", "j"},       {LF_REMARK_FINE, "good", "i"},
                 {LF_REMARK_CONSTANTS, "note", "h"},      {LF_REMARK_CONSTANTS, "warning", "g"},
                 {LF_REMARK_PREDICTIONS, "note", "f"},    {LF_REMARK_PREDICTIONS, "warning", "d"},
                 {LF_REMARK_PREDICTIONS, "warning", "e"}, {LF_REMARK_SHARES, "good", "c"},
                 {LF_REMARK_CONVERGENCE, "good", "b"},    {LF_REMARK_NOTHING, "warning", "a"}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        lf_remark_add(&remarks, given[i].kind, given[i].severity, NULL, "%s", given[i].sentence);
    }
    assert_ok(ctx, lf_remarks_finish(ctx, LF_OK, &remarks, &verdict));
    assert_int_equal(verdict->count, LF_MOST_REMARKS);
    for (size_t i = 0; i < verdict->count; i++) {
        assert_int_equal(verdict->remarks[i].sentence[0], "abcdef"[i]); /* g would be the fourth warning */
    }
    lf_verdict_free(verdict);
}

/* Scatter that grows is seen, equal scatter and single outliers are not; at the level 0.001 chance is rare. */
static void test_scatter(void **state)
{
    lf_context *ctx = *state;
    enum { N = 150, RUNS = 400 };
    lf_random random;
    lf_random_seed(&random, 21);
    int equal = 0, outliers = 0, growing = 0, short_rows = 0;
    double z[N];
    lf_diagnosed_row rows[N] = {{0}};
    for (int run = 0; run < RUNS; run++) {
        for (int kind = 0; kind < 3; kind++) {
            lf_output_diagnosis output = {0};
            for (int i = 0; i < N; i++) {
                rows[i].x = 0.1 * ((7 * i) % N); /* in no order */
                double size = kind == 2 ? exp(rows[i].x / 5) : 1;
                z[i] = size * lf_random_normal(&random) + (kind == 1 && i % 50 == 0 ? 12 : 0);
            }
            assert_ok(ctx, lf_test_scatter(ctx, N, z, rows, &output));
            equal += kind == 0 && output.uneven_scatter;
            outliers += kind == 1 && output.uneven_scatter;
            growing += kind == 2 && output.uneven_scatter && output.scatter_most_at > output.scatter_least_at + 5;
        }
    }
    assert_true(equal <= 2 && outliers <= 2);
    assert_int_equal(growing, RUNS);
    lf_output_diagnosis output = {.scatter_p = (double)NAN};
    assert_ok(ctx, lf_test_scatter(ctx, 39, z, rows, &output));
    short_rows = output.uneven_scatter || !isnan(output.scatter_p);
    assert_int_equal(short_rows, 0);
}

/* A mean that passes through the readings leaves no residuals to judge; a constant output has nothing to explain. */
static void test_exact_readings(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, truth_text);
    model->outputs[0].noise_variance = 1e-8;
    lf_data *data;
    assert_ok(ctx, lf_data_create(ctx, 1, &data));
    for (int i = 0; i < 100; i++) {
        double x = 0.2 * i;
        assert_ok(ctx,
                  lf_data_add(
                      ctx, data,
                      &(lf_row){.size = sizeof(lf_row), .output = "a", .x = &x, .y = sin(x) + (i % 9 == 0 ? 0.5 : 0)}));
        assert_ok(ctx, lf_data_add(ctx, data, &(lf_row){.size = sizeof(lf_row), .output = "b", .x = &x, .y = 7}));
    }
    lf_diagnosis *diagnosis = diagnose(ctx, model, data, "kalman");
    const lf_output_diagnosis *a = &diagnosis->outputs[0], *b = &diagnosis->outputs[1];
    assert_int_equal(a->interpolated, 1);
    assert_int_equal(a->constant, 0);
    assert_int_equal(a->not_normal || a->too_narrow || a->uneven_scatter, 0);
    assert_true(isnan(a->normality_p) && isnan(a->residual_rms) && isnan(a->largest_residual));
    assert_int_equal(b->constant, 1);
    assert_true(isnan(b->shared) && isnan(b->normality_p));
    lf_verdict *verdict;
    assert_ok(ctx, lf_model_set_provenance(ctx, model, "{\"converged\":true,\"iterations\":3}"));
    assert_ok(ctx, lf_diagnosis_store(ctx, diagnosis, model));
    assert_ok(ctx, lf_verdict_create(ctx, model, &verdict));
    assert_true(has_sentence(verdict, "note", "The noise of a is next to 0"));
    assert_true(has_sentence(verdict, "note", "b is constant: there is nothing to explain"));
    assert_false(has_sentence(verdict, "warning", "outliers"));
    assert_false(has_sentence(verdict, "good", "look like noise"));
    lf_verdict_free(verdict);
    lf_diagnosis_free(diagnosis);
    lf_data_free(data);
    lf_model_free(model);
}

static void test_verdict(void **state)
{
    lf_context *ctx = *state;
    lf_model *model = parse_model(ctx, truth_text);
    lf_verdict *verdict;
    assert_ok(ctx, lf_verdict_create(ctx, model, &verdict));
    assert_int_equal(verdict->count, 0); /* nothing is known about a model written by hand */
    lf_verdict_free(verdict);

    lf_data *data = simulate(ctx, model, 7, 0.9);
    lf_diagnosis *diagnosis = diagnose(ctx, model, data, "kalman"), *restored;
    assert_ok(ctx, lf_diagnosis_restore(ctx, model, &restored));
    assert_null(restored);
    assert_ok(ctx,
              lf_model_set_provenance(ctx, model,
                                      "{\"converged\":false,\"iterations\":12,\"reason\":\"stopped: it was cancelled\","
                                      "\"operator_given\":true,\"on_bounds\":[\"a.decay\"],"
                                      "\"searched\":{\"a.decay\":[0.1,1],\"a.noise_variance\":[1e-6,null]}}"));
    assert_ok(ctx, lf_diagnosis_store(ctx, diagnosis, model));
    assert_ok(ctx, lf_diagnosis_restore(ctx, model, &restored));
    for (int d = 0; d < 2; d++) {
        const lf_output_diagnosis *a = &diagnosis->outputs[d], *b = &restored->outputs[d];
        assert_int_equal(a->rows, b->rows);
        assert_int_equal(a->innovations, b->innovations);
        assert_int_equal(a->lag_count, b->lag_count);
        assert_int_equal(a->autocorrelated, b->autocorrelated);
        assert_near(a->shared, b->shared, 5e-4 * fabs(a->shared));
        assert_near(a->forces[0], b->forces[0], 5e-4 * fabs(a->forces[0]));
        assert_near(a->residual_rms, b->residual_rms, 1e-3);
        assert_near(a->autocorrelation[0], b->autocorrelation[0], 1e-4);
    }
    assert_int_equal(lf_model_force_is_idle(model, 0), 0);
    assert_int_equal(lf_model_force_is_idle(model, 1), 1);
    assert_int_equal(lf_model_force_is_idle(model, 2), 0);

    assert_ok(ctx, lf_verdict_create(ctx, model, &verdict));
    assert_true(has_sentence(verdict, "warning", "stopped on request"));
    assert_true(has_sentence(verdict, "warning", "Run it again to the end"));
    assert_false(has_sentence(verdict, "warning", "--max-iterations"));
    assert_true(has_sentence(verdict, "note", "a.decay ended on a bound"));
    assert_true(has_sentence(verdict, "note", "Force 2 is idle"));
    assert_true(has_sentence(verdict, "good", "Shared forces explain "));
    assert_true(has_sentence(verdict, "warning", "One-step-ahead errors of a are autocorrelated"));
    assert_true(has_sentence(verdict, "warning", "the constants may be wrong"));
    lf_verdict_free(verdict);

    double low, high; /* the range that the fit searched is not the limit that the model has */
    size_t decay, noise, other;
    assert_ok(ctx, lf_parameter_find(ctx, model, "a.decay", &decay));
    assert_ok(ctx, lf_parameter_find(ctx, model, "a.noise_variance", &noise));
    assert_ok(ctx, lf_parameter_find(ctx, model, "b.decay", &other));
    assert_int_equal(lf_parameter_searched(model, decay, &low, &high), 1);
    assert_true(low == 0.1 && high == 1 && lf_parameter_get(model, decay).lower == 0);
    assert_int_equal(lf_parameter_searched(model, noise, &low, &high), 1);
    assert_true(low == 1e-6 && high == INFINITY);
    assert_int_equal(lf_parameter_searched(model, other, &low, &high), 0);
    assert_int_equal(lf_parameter_searched(model, 999, &low, &high), 0);
    assert_true(isnan(low) && isnan(high));

    /* Where nobody asked for constants, errors that depend little on each other are no reason for a warning. */
    for (size_t k = 0; k < diagnosis->outputs[0].lag_count; k++) {
        diagnosis->outputs[0].autocorrelation[k] *= 0.4;
    }
    assert_ok(ctx,
              lf_model_set_provenance(ctx, model, "{\"converged\":true,\"iterations\":0,\"rows\":5,\"parameters\":7}"));
    assert_ok(ctx, lf_diagnosis_store(ctx, diagnosis, model));
    assert_ok(ctx, lf_verdict_create(ctx, model, &verdict));
    assert_true(has_sentence(verdict, "good", "The fit converged."));
    assert_true(has_sentence(verdict, "warning", "5 rows do not determine 7 parameters"));
    assert_true(has_sentence(verdict, "note", "One-step-ahead errors of a are autocorrelated"));
    assert_false(has_sentence(verdict, "warning", "autocorrelated"));
    lf_verdict_free(verdict);

    lf_model *damaged = parse_model(ctx, truth_text);
    assert_ok(ctx, lf_model_set_provenance(
                       ctx, damaged, "{\"diagnosis\":{\"idle\":3,\"outputs\":[1,{\"rows\":-4,\"forces\":\"x\"}]}}"));
    assert_ok(ctx, lf_verdict_create(ctx, damaged, &verdict));
    lf_verdict_free(verdict);
    assert_int_equal(lf_model_force_is_idle(damaged, 0), 0);
    lf_model_free(damaged);
    lf_diagnosis_free(restored);
    lf_diagnosis_free(diagnosis);
    lf_data_free(data);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variance_shares),  cmocka_unit_test(test_verdict_length),
        cmocka_unit_test(test_scatter),          cmocka_unit_test(test_exact_readings),
        cmocka_unit_test(test_p_values),         cmocka_unit_test(test_levels),
        cmocka_unit_test(test_autocorrelations), cmocka_unit_test(test_shares),
        cmocka_unit_test(test_left_out),         cmocka_unit_test(test_innovations),
        cmocka_unit_test(test_right_model),      cmocka_unit_test(test_wrong_models),
        cmocka_unit_test(test_inputs),           cmocka_unit_test(test_verdict),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
