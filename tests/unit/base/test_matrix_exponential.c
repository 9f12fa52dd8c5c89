/* The matrix exponential: known exponentials, its functional equations, blocks that hold integrals and derivatives. */
#include "support.h"

#include <lapacke.h>

#include "base/matrix_exponential.h"

enum { N = LF_EXPONENTIAL_MAX, SIZE = N * N };

/* Row sum norm. */
static double norm(int n, const double complex *A)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            sum += cabs(A[i * n + j]);
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

static void multiply(int n, const double complex *A, const double complex *B, double complex *C)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            C[i * n + j] = 0;
            for (int k = 0; k < n; k++) {
                C[i * n + j] += A[i * n + k] * B[k * n + j];
            }
        }
    }
}

static void scale(int n, double complex factor, const double complex *A, double complex *B)
{
    for (int i = 0; i < n * n; i++) {
        B[i] = factor * A[i];
    }
}

/* A random complex matrix of a given norm. */
static void draw(lf_random *random, int n, double size, double complex *A)
{
    for (int i = 0; i < n * n; i++) {
        A[i] = lf_random_normal(random) + I * lf_random_normal(random);
    }
    scale(n, size / norm(n, A), A, A);
}

/* |A - B| <= tolerance * unit in the row sum norm. */
static void check_matrix(const char *what, int n, const double complex *A, const double complex *B, double unit,
                         double tolerance)
{
    double complex difference[SIZE];
    for (int i = 0; i < n * n; i++) {
        difference[i] = A[i] - B[i];
    }
    double error = norm(n, difference) / unit;
    if (!(error <= tolerance)) {
        print_error("%s, order %d: relative error %g, tolerance %g\n", what, n, error, tolerance);
        fail();
    }
}

/* ---- known exponentials ---- */

/* exp(t (a I + N))_ij = e^{a t} t^{j-i} / (j-i)!, N the shift: nilpotent for a = 0, one eigenvalue of multiplicity n. */
static void test_jordan_blocks(void **state)
{
    (void)state;
    static const double complex eigenvalues[] = {0, -1.3, 0.4, 0.2 + 2.5 * I, -0.7 - 3 * I};
    double complex A[SIZE], result[SIZE], expected[SIZE];
    for (size_t e = 0; e < sizeof eigenvalues / sizeof *eigenvalues; e++) {
        for (int n = 1; n <= N; n += n < 6 ? 1 : 5) {
            for (double t = 0.01; t < 11; t *= 10) {
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < n; j++) {
                        A[i * n + j] = t * (i == j ? eigenvalues[e] : j == i + 1);
                        expected[i * n + j] = j < i ? 0 : cexp(t * eigenvalues[e]) * pow(t, j - i) / tgamma(j - i + 1);
                    }
                }
                lf_matrix_exponential(n, A, result);
                check_matrix("Jordan block", n, result, expected, norm(n, expected), 5e-14);
            }
        }
    }
}

static void test_diagonal_matrices(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 3);
    double complex A[SIZE], result[SIZE];
    for (int trial = 0; trial < 200; trial++) {
        int n = 1 + trial % N;
        memset(A, 0, sizeof A);
        for (int i = 0; i < n; i++) {
            A[i * n + i] = uniform_between(&random, -30, 5) + I * uniform_between(&random, -20, 20);
        }
        lf_matrix_exponential(n, A, result);
        for (int i = 0; i < n * n; i++) {
            double complex expected = i % (n + 1) ? 0 : cexp(A[i]);
            assert_near(cabs(result[i] - expected), 0, 1e-13 * cabs(expected));
        }
    }
    lf_matrix_exponential(0, A, result); /* nothing to do */
    double complex zero[4] = {0}, one[4] = {1, 0, 0, 1};
    lf_matrix_exponential(2, zero, result);
    assert_memory_equal(result, one, sizeof one);
    zero[1] = NAN;
    lf_matrix_exponential(2, zero, result);
    assert_true(isnan(creal(result[1])));
}

/* Angles from 1e-6 to 1e6. Rounding grows with the number of squarings, in proportion to the angle. */
static void test_rotations(void **state)
{
    (void)state;
    for (double angle = 1e-6; angle < 2e6; angle *= 7) {
        double complex A[4] = {0, -angle, angle, 0}, result[4];
        double complex expected[4] = {cos(angle), -sin(angle), sin(angle), cos(angle)};
        lf_matrix_exponential(2, A, result);
        check_matrix("rotation", 2, result, expected, fmax(1, angle), 2e-15);
        for (int i = 0; i < 4; i++) {
            assert_true(cimag(result[i]) == 0);
        }
    }
}

/* exp of [[-a, b], [0, -c]] is [[e^-a, b (e^-c - e^-a) / (a - c)], [0, e^-c]]: fast and slow decay together. */
static void test_stiff_matrices(void **state)
{
    (void)state;
    for (double a = 1; a < 2e8; a *= 10) {
        double b = 3, c = 0.5;
        double complex A[4] = {-a, b, 0, -c}, result[4];
        double complex expected[4] = {exp(-a), b * (exp(-c) - exp(-a)) / (a - c), 0, exp(-c)};
        lf_matrix_exponential(2, A, result);
        check_matrix("stiff", 2, result, expected, a, 8e-15);
    }
    for (double a = 800; a < 1e12; a *= 100) { /* underflow to 0 */
        double complex A[1] = {-a}, result[1];
        lf_matrix_exponential(1, A, result);
        assert_true(result[0] == 0);
    }
}

/* exp(Q D Q) = Q exp(D) Q with a Householder reflection Q and D diagonal. */
static void test_similar_matrices(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 9);
    double complex Q[SIZE], D[SIZE], half[SIZE], A[SIZE], result[SIZE], expected[SIZE];
    for (int trial = 0; trial < 100; trial++) {
        int n = 1 + trial % N;
        double v[N], square = 0;
        memset(D, 0, sizeof D);
        for (int i = 0; i < n; i++) {
            v[i] = lf_random_normal(&random);
            square += v[i] * v[i];
            D[i * n + i] = uniform_between(&random, -8, 1) + I * uniform_between(&random, -9, 9);
            D[i * n + i] = i % 3 ? D[i * n + i] : D[0]; /* some eigenvalues several times */
        }
        for (int i = 0; i < n * n; i++) {
            Q[i] = (i / n == i % n) - 2 * v[i / n] * v[i % n] / square;
        }
        multiply(n, Q, D, half);
        multiply(n, half, Q, A);
        for (int i = 0; i < n; i++) {
            D[i * n + i] = cexp(D[i * n + i]);
        }
        multiply(n, Q, D, half);
        multiply(n, half, Q, expected);
        lf_matrix_exponential(n, A, result);
        check_matrix("similar", n, result, expected, norm(n, expected), 1e-13);
    }
}

/* ---- functional equations ---- */

/* exp(A) exp(-A) = I, exp((s + t) A) = exp(s A) exp(t A), det exp(A) = e^{tr A}. */
static void test_functional_equations(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 4);
    double complex A[SIZE], B[SIZE], one[SIZE], other[SIZE], product[SIZE], whole[SIZE], unit[SIZE];
    for (int trial = 0; trial < 200; trial++) {
        int n = 1 + trial % N;
        double size = log_between(&random, 1e-3, 30), t = lf_random_uniform(&random);
        draw(&random, n, size, A);
        lf_matrix_exponential(n, A, whole);

        scale(n, -1, A, B);
        lf_matrix_exponential(n, B, other);
        multiply(n, whole, other, product);
        for (int i = 0; i < n * n; i++) {
            unit[i] = i / n == i % n;
        }
        check_matrix("exp(A) exp(-A)", n, product, unit, norm(n, whole) * norm(n, other), 1e-14);

        scale(n, t, A, B);
        lf_matrix_exponential(n, B, one);
        scale(n, 1 - t, A, B);
        lf_matrix_exponential(n, B, other);
        multiply(n, one, other, product);
        check_matrix("exp(t A) exp((1 - t) A)", n, product, whole, norm(n, one) * norm(n, other), 4e-14);

        double complex trace = 0, determinant = 1;
        lapack_int pivot[N];
        assert_int_equal(LAPACKE_zgetrf(LAPACK_ROW_MAJOR, n, n, whole, n, pivot), 0);
        for (int i = 0; i < n; i++) {
            trace += A[i * n + i];
            determinant *= whole[i * n + i] * (pivot[i] == i + 1 ? 1 : -1);
        }
        if (size < 3) { /* well conditioned */
            assert_near(cabs(determinant / cexp(trace) - 1), 0, 5e-14);
        }
    }
}

/* exp(A) of A = -A^* is unitary, for norms up to 1e5. */
static void test_large_norms(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 6);
    double complex A[SIZE], B[SIZE], result[SIZE], adjoint[SIZE], product[SIZE], unit[SIZE];
    for (int trial = 0; trial < 60; trial++) {
        int n = 1 + trial % N;
        double size = log_between(&random, 1, 1e5);
        draw(&random, n, 1, A);
        for (int i = 0; i < n * n; i++) {
            B[i] = A[i] - conj(A[i % n * n + i / n]);
            unit[i] = i / n == i % n;
        }
        scale(n, size / norm(n, B), B, B);
        lf_matrix_exponential(n, B, result);
        for (int i = 0; i < n * n; i++) {
            adjoint[i] = conj(result[i % n * n + i / n]);
        }
        multiply(n, result, adjoint, product);
        check_matrix("skew", n, product, unit, size, 1e-14);
    }
}

/* ---- blocks ---- */

enum { HALF = 5 };

/* The upper right block of exp [[A, B], [0, C]], of order HALF each. */
static void find_corner(const double complex *A, const double complex *B, const double complex *C,
                        double complex *corner)
{
    double complex block[4 * HALF * HALF], result[4 * HALF * HALF];
    for (int i = 0; i < HALF * HALF; i++) {
        double complex *upper = block + i / HALF * 2 * HALF, *lower = upper + 2 * HALF * HALF;
        upper[i % HALF] = A[i];
        upper[HALF + i % HALF] = B[i];
        lower[i % HALF] = 0;
        lower[HALF + i % HALF] = C[i];
    }
    lf_matrix_exponential(2 * HALF, block, result);
    for (int i = 0; i < HALF * HALF; i++) {
        corner[i] = result[i / HALF * 2 * HALF + HALF + i % HALF];
    }
}

/* X = int_0^1 e^{A s} B ds, the corner for C = 0, solves A X = (e^A - I) B. */
static void test_integral_block(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 2);
    for (int trial = 0; trial < 40; trial++) {
        double complex A[HALF * HALF], B[HALF * HALF], zero[HALF * HALF] = {0}, X[HALF * HALF], whole[HALF * HALF],
                                                                   left[HALF * HALF], right[HALF * HALF];
        draw(&random, HALF, log_between(&random, 0.1, 5), A);
        draw(&random, HALF, 1, B);
        find_corner(A, B, zero, X);
        multiply(HALF, A, X, left);
        lf_matrix_exponential(HALF, A, whole);
        double unit = norm(HALF, A) * norm(HALF, X) + norm(HALF, whole);
        for (int i = 0; i < HALF; i++) {
            whole[i * HALF + i] -= 1;
        }
        multiply(HALF, whole, B, right);
        check_matrix("integral", HALF, left, right, unit, 2e-15);
    }
}

/* The corner for C = A is the derivative of exp(A + h B) by h at 0, here by central differences. */
static void test_derivative_block(void **state)
{
    (void)state;
    lf_random random;
    lf_random_seed(&random, 7);
    for (int trial = 0; trial < 40; trial++) {
        double complex A[HALF * HALF], B[HALF * HALF], L[HALF * HALF], at[HALF * HALF], moved[HALF * HALF],
            slope[HALF * HALF] = {0};
        draw(&random, HALF, log_between(&random, 0.1, 5), A);
        draw(&random, HALF, 1, B);
        find_corner(A, B, A, L);
        static const double steps[] = {-1e-3, 1e-3, -5e-4, 5e-4}, weights[] = {1, -1, -8, 8}; /* over 6e-3 */
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < HALF * HALF; i++) {
                at[i] = A[i] + steps[k] * B[i];
            }
            lf_matrix_exponential(HALF, at, moved);
            for (int i = 0; i < HALF * HALF; i++) {
                slope[i] += weights[k] / 6e-3 * moved[i];
            }
        }
        check_matrix("derivative", HALF, L, slope, norm(HALF, L), 8e-11);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jordan_blocks),    cmocka_unit_test(test_diagonal_matrices),
        cmocka_unit_test(test_rotations),        cmocka_unit_test(test_stiff_matrices),
        cmocka_unit_test(test_similar_matrices), cmocka_unit_test(test_functional_equations),
        cmocka_unit_test(test_large_norms),      cmocka_unit_test(test_integral_block),
        cmocka_unit_test(test_derivative_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
