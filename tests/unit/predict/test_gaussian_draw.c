/* Draws from a Gaussian: the matrix that makes them, found from the draws themselves, is a root of the covariance; rounding in the
 * covariance moves a draw by little, however singular it is; moments within statistical bounds. */
#include "support.h"

#include <lapacke.h>

#include "predict/gaussian_draw.h"

enum { MOST = 40 };

/* C (n, n) = B B' with random B (n, rank). */
static void make_covariance(lf_random *random, size_t n, size_t rank, double *B, double *C)
{
    for (size_t i = 0; i < n * rank; i++) {
        B[i] = lf_random_normal(random);
    }
    for (size_t i = 0; i < n * n; i++) {
        C[i] = 0;
        for (size_t k = 0; k < rank; k++) {
            C[i] += B[i / n * rank + k] * B[i % n * rank + k];
        }
    }
}

/* `count` draws from a seed; the covariance is kept. */
static void draw(lf_context *ctx, uint64_t seed, size_t n, const double *mean, const double *covariance, size_t count,
                 double *samples)
{
    static double copy[MOST * MOST];
    memcpy(copy, covariance, n * n * sizeof *copy);
    lf_context_set_seed(ctx, seed);
    assert_ok(ctx, lf_gaussian_draw(ctx, n, mean, copy, count, samples));
}

/* A draw is M z, z the next n normal numbers: n draws X and n vectors Z give M = X Z^-1, and M M' = C must hold. */
static void check_root(lf_context *ctx, const char *what, size_t n, const double *C, double tolerance)
{
    static double X[MOST * MOST], Z[MOST * MOST];
    lapack_int pivot[MOST], order = (lapack_int)n;
    double most = 0;
    draw(ctx, 77, n, NULL, C, n, X);
    lf_context_set_seed(ctx, 77);
    lf_normals(ctx, n * n, Z);
    /* Draws and vectors are rows here: X' = Z' M', and the solution is M'. */
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, order, order, Z, order, pivot, X, order), 0);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0, size = sqrt(C[i * n + i]) * sqrt(C[j * n + j]);
            for (size_t k = 0; k < n; k++) {
                sum += X[k * n + i] * X[k * n + j];
            }
            double error = size > 0 ? fabs(sum - C[i * n + j]) / size : fabs(sum);
            most = fmax(most, error);
            if (!(error <= tolerance)) {
                print_error("%s, order %zu: covariance (%zu, %zu) is %.17g instead of %.17g\n", what, n, i, j, sum,
                            C[i * n + j]);
                fail();
            }
        }
    }
    record_error(most, tolerance, 1, __FILE__, __LINE__);
}

static void test_root_of_covariance(void **state)
{
    static double B[MOST * MOST], C[MOST * MOST];
    lf_random random;
    lf_random_seed(&random, 3);
    for (size_t n = 1; n <= 13; n++) {
        make_covariance(&random, n, n + 2, B, C);
        check_root(*state, "full rank", n, C, 3e-14);
        for (size_t rank = 1; rank < n; rank += 2) {
            make_covariance(&random, n, rank, B, C);
            check_root(*state, "singular", n, C, 3e-14);
        }
    }
}

/* The covariance of a smooth stationary process at evenly spaced points: all variances are equal. */
static void make_smooth(size_t n, double *C)
{
    for (size_t i = 0; i < n * n; i++) {
        double r = ((double)(i / n) - (double)(i % n)) / (double)n;
        C[i] = 4 * exp(-r * r / 2);
    }
}

/* A smooth kernel: the numerical rank is far below n. */
static void test_smooth_process(void **state)
{
    static double C[MOST * MOST], samples[20 * MOST];
    for (size_t n = 5; n <= MOST; n += 5) {
        make_smooth(n, C);
        check_root(*state, "smooth", n, C, 1e-11);
        draw(*state, 5, n, NULL, C, 20, samples);
        for (size_t i = 0; i < 20; i++) { /* neighbours differ by less than 8 standard deviations of their difference */
            for (size_t k = 1; k < n; k++) {
                double sd = sqrt(8 * -expm1(-0.5 / (double)(n * n)));
                assert_true(fabs(samples[i * n + k] - samples[i * n + k - 1]) < 8 * sd);
            }
        }
    }
}

/* Processors and BLAS libraries round covariances differently. Draws from the covariance and from one with other last digits differ
 * by little, where variances are equal, points repeated, the rank is low and variances differ by many orders. */
static void test_other_rounding(void **state)
{
    enum { N = MOST, DRAWS = 5, ULPS = 4 };
    static const char *const kinds[] = {"smooth", "repeated points", "low rank", "rough", "unlike variances"};
    static double B[N * N], C[N * N], other[N * N], first[DRAWS * N], second[DRAWS * N];
    lf_random random;
    lf_random_seed(&random, 12);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        make_smooth(N, C);
        for (size_t i = 0; i < N * N; i++) {
            double r = (double)(i / N) - (double)(i % N),
                   half = floor((double)(i / N) / 2) - floor((double)(i % N) / 2);
            C[i] = kind == 1 ? exp(-half * half / 8) : kind == 3 ? exp(-fabs(r) / 10) : C[i];
            C[i] *= kind == 4 ? pow(10, (double)(i / N % 5) * 3 - 6 + (double)(i % N % 5) * 3 - 6) : 1;
        }
        if (kind == 2) {
            make_covariance(&random, N, 3, B, C);
        }
        check_root(*state, kinds[kind], N, C, 3e-11);
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j <= i; j++) {
                double change = ULPS * DBL_EPSILON * (2 * lf_random_uniform(&random) - 1);
                other[i * N + j] = other[j * N + i] = C[i * N + j] * (1 + change);
            }
        }
        draw(*state, 3, N, NULL, C, DRAWS, first);
        draw(*state, 3, N, NULL, other, DRAWS, second);
        for (size_t i = 0; i < N * DRAWS; i++) {
            double sd = sqrt(C[i % N * N + i % N]);
            assert_near(first[i] / sd, second[i] / sd, 4e-9);
        }
    }
}

/* Draws of C = B B' lie in the space of the columns of B; equal rows and columns draw equal numbers; C = 0 the mean itself. */
static void test_singular_covariance(void **state)
{
    enum { N = 7, DRAWS = 50 };
    lf_random random;
    lf_random_seed(&random, 19);
    double B[N * N], C[N * N], samples[N * DRAWS];
    const double mean[N] = {1, -2, 3, 0, 1e6, -1e-6, 0.5};
    make_covariance(&random, N, 2, B, C);
    draw(*state, 2, N, NULL, C, DRAWS, samples);
    double G[3] = {0}; /* of B'B */
    for (int i = 0; i < N; i++) {
        G[0] += B[2 * i] * B[2 * i];
        G[1] += B[2 * i] * B[2 * i + 1];
        G[2] += B[2 * i + 1] * B[2 * i + 1];
    }
    for (int s = 0; s < DRAWS; s++) {
        double p[2] = {0}, determinant = G[0] * G[2] - G[1] * G[1];
        for (int i = 0; i < N; i++) {
            p[0] += B[2 * i] * samples[s * N + i];
            p[1] += B[2 * i + 1] * samples[s * N + i];
        }
        double c0 = (G[2] * p[0] - G[1] * p[1]) / determinant, c1 = (G[0] * p[1] - G[1] * p[0]) / determinant;
        for (int i = 0; i < N; i++) {
            assert_near(samples[s * N + i], c0 * B[2 * i] + c1 * B[2 * i + 1], 1e-10);
        }
    }
    for (int i = 0; i < N; i++) { /* entry 5 is a copy of entry 1 */
        C[5 * N + i] = C[1 * N + i];
    }
    for (int i = 0; i < N; i++) {
        C[i * N + 5] = C[i * N + 1];
    }
    draw(*state, 3, N, NULL, C, DRAWS, samples);
    for (int s = 0; s < DRAWS; s++) {
        assert_near(samples[s * N + 5], samples[s * N + 1], 1e-10);
    }
    memset(C, 0, sizeof C);
    draw(*state, 4, N, mean, C, DRAWS, samples);
    for (int s = 0; s < DRAWS; s++) {
        assert_memory_equal(samples + s * N, mean, sizeof mean);
    }
}

/* Means, variances and covariances of many draws, in units of their standard errors. */
static void test_moments(void **state)
{
    enum { N = 5, DRAWS = 100000 };
    static double samples[N * DRAWS];
    lf_random random;
    lf_random_seed(&random, 23);
    for (size_t rank = 2; rank <= N + 1; rank += 2) {
        double B[N * (N + 1)], C[N * N], centre[N] = {0};
        const double mean[N] = {3, -1, 0, 100, 0.01};
        make_covariance(&random, N, rank, B, C);
        draw(*state, 9, N, mean, C, DRAWS, samples);
        for (int s = 0; s < DRAWS; s++) {
            for (int i = 0; i < N; i++) {
                centre[i] += samples[s * N + i] / DRAWS;
            }
        }
        for (int i = 0; i < N; i++) {
            assert_near((centre[i] - mean[i]) / sqrt(C[i * N + i] / DRAWS), 0, 4);
            for (int j = 0; j <= i; j++) {
                double sum = 0;
                for (int s = 0; s < DRAWS; s++) {
                    sum += (samples[s * N + i] - mean[i]) * (samples[s * N + j] - mean[j]) / DRAWS;
                }
                double spread = C[i * N + i] * C[j * N + j] + C[i * N + j] * C[i * N + j];
                assert_near((sum - C[i * N + j]) / sqrt(spread / DRAWS), 0, 4);
            }
        }
    }
}

static void test_seeds(void **state)
{
    enum { N = 6, DRAWS = 8 };
    lf_context *ctx = *state;
    lf_random random;
    lf_random_seed(&random, 41);
    double B[N * N], C[N * N], copy[N * N], first[N * DRAWS], second[N * DRAWS], zero[N] = {0}, mean[N];
    make_covariance(&random, N, 4, B, C);
    draw(ctx, 6, N, NULL, C, DRAWS, first);
    draw(ctx, 6, N, zero, C, DRAWS, second);
    assert_memory_equal(first, second, sizeof first); /* no mean is mean 0 */
    draw(ctx, 7, N, NULL, C, DRAWS, second);
    for (int i = 0; i < N * DRAWS; i++) {
        assert_true(first[i] != second[i]);
    }
    lf_context_set_seed(ctx, 6);
    for (size_t s = 0; s < DRAWS; s++) { /* one after the other */
        memcpy(copy, C, sizeof C);
        assert_ok(ctx, lf_gaussian_draw(ctx, N, NULL, copy, 1, second + s * N));
    }
    assert_memory_equal(first, second, sizeof first);
    for (int i = 0; i < N; i++) {
        mean[i] = i - 2.5;
    }
    draw(ctx, 6, N, mean, C, DRAWS, second);
    for (int i = 0; i < N * DRAWS; i++) {
        assert_near(second[i], first[i] + mean[i % N], 1e-15);
    }
    /* The stream after a draw does not depend on the rank. */
    double after[2];
    for (int k = 0; k < 2; k++) {
        make_covariance(&random, N, k ? 1 : N, B, C);
        draw(ctx, 8, N, NULL, C, 3, second);
        lf_normals(ctx, 1, &after[k]);
    }
    assert_true(after[0] == after[1]);
}

static void test_nothing_to_draw(void **state)
{
    lf_context *ctx = *state;
    double C[1] = {4}, sample[1] = {7}, next, expected;
    lf_context_set_seed(ctx, 1);
    lf_normals(ctx, 1, &expected);
    lf_context_set_seed(ctx, 1);
    assert_ok(ctx, lf_gaussian_draw(ctx, 0, NULL, NULL, 3, NULL));
    assert_ok(ctx, lf_gaussian_draw(ctx, 1, NULL, C, 0, sample));
    assert_true(sample[0] == 7);
    lf_normals(ctx, 1, &next);
    assert_true(next == expected);
}

/* A covariance that is not finite is refused, and so is a simulation where an unstable output overflows. */
static void test_not_a_number(void **state)
{
    for (int place = 0; place < 9; place++) {
        double C[9] = {2, 0.5, 0.1, 0.5, 3, 0.2, 0.1, 0.2, 1}, samples[6];
        C[place] = C[place % 3 * 3 + place / 3] = NAN;
        assert_int_equal(lf_gaussian_draw(*state, 3, NULL, C, 2, samples), LF_ERROR_NUMERIC);
        assert_non_null(strstr(lf_context_message(*state), "covariance"));
    }
    lf_model *model = parse_model(
        *state, "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":1}],"
                "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode\",\"coefficients\":[1,-1]},\"sensitivity\":"
                "[1],\"noise_variance\":0.1}]}");
    double x[] = {1, 300, 1000, 2000}, f[4];
    lf_point_list points = {.n = 4, .target = (int[4]){0}, .x = x};
    assert_int_equal(lf_simulate_list(*state, model, &points, NULL, f), LF_ERROR_NUMERIC);
    lf_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_of_covariance),
        cmocka_unit_test(test_smooth_process),
        cmocka_unit_test(test_other_rounding),
        cmocka_unit_test(test_singular_covariance),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_nothing_to_draw),
        cmocka_unit_test(test_not_a_number),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
