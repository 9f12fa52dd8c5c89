/* Products of matrices with a sparsity pattern, against plain loops over all entries. */
#include "support.h"

#include "dynamics/sparsity.h"

enum { MOST = 27, STRIDE = 32, SIZE = MOST * STRIDE };

typedef struct fixture {
    lf_random random;
    char reads[MOST * MOST]; /* (n, n) */
    lf_sparsity sparsity;
    size_t n, stride;
} fixture;

/* A random relation of a given density, closed under products by Warshall's algorithm. */
static void make_pattern(lf_context *ctx, int n, double density, int reflexive, fixture *f)
{
    char *reads = f->reads;
    for (int i = 0; i < n * n; i++) {
        reads[i] = lf_random_uniform(&f->random) < density || (reflexive && i % (n + 1) == 0);
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                reads[i * n + j] |= reads[i * n + k] && reads[k * n + j];
            }
        }
    }
    assert_ok(ctx, lf_sparsity_create(ctx, n, reads, &f->sparsity));
    f->n = (size_t)n;
    f->stride = (size_t)f->sparsity.stride;
}

/* (n, stride) with zeros in the padding; with `pattern` zeros outside the pattern too. */
static void draw(fixture *f, int pattern, double *A)
{
    memset(A, 0, SIZE * sizeof *A);
    for (size_t i = 0; i < f->n; i++) {
        for (size_t j = 0; j < f->n; j++) {
            double z = lf_random_normal(&f->random);
            A[i * f->stride + j] = pattern && !f->reads[i * f->n + j] ? 0 : z;
        }
    }
}

static void draw_symmetric(fixture *f, double *P)
{
    draw(f, 0, P);
    for (size_t i = 0; i < f->n; i++) {
        for (size_t j = 0; j < i; j++) {
            P[i * f->stride + j] = P[j * f->stride + i];
        }
    }
}

/* C = op(A) op(B) by definition. */
static void product(const fixture *f, int transpose_A, const double *A, int transpose_B, const double *B, double *C)
{
    size_t n = f->n, s = f->stride;
    memset(C, 0, SIZE * sizeof *C);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t k = 0; k < n; k++) {
                C[i * s + j] +=
                    (transpose_A ? A[k * s + i] : A[i * s + k]) * (transpose_B ? B[j * s + k] : B[k * s + j]);
            }
        }
    }
}

static void check_equal(const fixture *f, const char *what, const double *A, const double *B, double tolerance)
{
    for (size_t i = 0; i < f->n * f->stride; i++) {
        double error = fabs(A[i] - B[i]);
        if (!(error <= tolerance)) {
            print_error("%s, order %zu, entry (%zu, %zu): %.17g instead of %.17g\n", what, f->n, i / f->stride,
                        i % f->stride, A[i], B[i]);
            fail();
        }
    }
}

/* Calls `test` for patterns of every order and several densities, empty and full ones among them. */
static void for_all_patterns(lf_context *ctx, void (*test)(fixture *f))
{
    static const double densities[] = {0, 0.02, 0.06, 0.2, 1};
    static fixture f;
    lf_random_seed(&f.random, 12);
    for (int n = 1; n <= MOST; n++) {
        for (int k = 0; k < 5; k++) {
            make_pattern(ctx, n, densities[k], k % 2 == n % 2, &f);
            test(&f);
            lf_sparsity_clear(&f.sparsity);
            assert_null(f.sparsity.columns);
        }
    }
}

/* ---- the lists ---- */

static void check_lists(fixture *f)
{
    const lf_sparsity *p = &f->sparsity;
    int n = p->n, entries = 0;
    assert_int_equal(n, f->n);
    assert_true(p->stride >= n && p->stride < n + LF_LANE && p->stride % LF_LANE == 0);
    assert_int_equal(lf_sparsity_size(p), n * p->stride);
    char seen[2][MOST * MOST] = {{0}};
    for (int i = 0; i < n; i++) {
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++, entries++) {
            assert_true(e == p->row_start[i] || p->columns[e] > p->columns[e - 1]);
            seen[0][i * n + p->columns[e]] = 1;
        }
        for (int e = p->column_start[i]; e < p->column_start[i + 1]; e++) {
            assert_true(e == p->column_start[i] || p->rows[e] > p->rows[e - 1]);
            seen[1][p->rows[e] * n + i] = 1;
        }
    }
    assert_int_equal(p->row_start[n], entries);
    assert_int_equal(p->column_start[n], entries);
    assert_memory_equal(seen[0], f->reads, (size_t)(n * n));
    assert_memory_equal(seen[1], f->reads, (size_t)(n * n));
}

static void test_lists(void **state)
{
    for_all_patterns(*state, check_lists);
    lf_sparsity empty;
    assert_ok(*state, lf_sparsity_create(*state, 0, "", &empty));
    assert_int_equal(lf_sparsity_size(&empty), 0);
    lf_sparsity_clear(&empty);
}

/* ---- products ---- */

static void check_products(fixture *f)
{
    static double A[SIZE], B[SIZE], C[SIZE], expected[SIZE];
    draw(f, 1, A);
    draw(f, 0, B);
    draw(f, 0, C); /* is overwritten */
    lf_sparse_multiply(&f->sparsity, A, B, C);
    product(f, 0, A, 0, B, expected);
    check_equal(f, "A B", C, expected, 1e-14);
    lf_sparse_multiply_transposed(&f->sparsity, A, B, C);
    product(f, 1, A, 0, B, expected);
    check_equal(f, "A' B", C, expected, 1e-14);

    draw(f, 1, B); /* both of the pattern: the product has it too */
    lf_sparse_multiply(&f->sparsity, A, B, C);
    for (size_t i = 0; i < f->n; i++) {
        for (size_t j = 0; j < f->n; j++) {
            assert_true(f->reads[i * f->n + j] || C[i * f->stride + j] == 0);
        }
    }
}

static void test_products(void **state) { for_all_patterns(*state, check_products); }

static void check_vectors(fixture *f)
{
    static double A[SIZE];
    double x[STRIDE] = {0}, y[STRIDE], z[STRIDE];
    draw(f, 1, A);
    for (size_t i = 0; i < f->n; i++) {
        x[i] = lf_random_normal(&f->random);
    }
    lf_sparse_multiply_vector(&f->sparsity, A, x, y);
    lf_sparse_multiply_transposed_vector(&f->sparsity, A, x, z);
    for (size_t i = 0; i < f->n; i++) {
        double row = 0, column = 0;
        for (size_t k = 0; k < f->n; k++) {
            row += A[i * f->stride + k] * x[k];
            column += A[k * f->stride + i] * x[k];
        }
        assert_near(y[i], row, 1e-14);
        assert_near(z[i], column, 1e-14);
        assert_near(lf_row_product((int)f->stride, A + i * f->stride, x), row, 2e-14);
    }
}

static void test_vectors(void **state) { for_all_patterns(*state, check_vectors); }

/* G_ij += factor (X Y')_ij inside the pattern; the rest of G stays. */
static void check_add_products(fixture *f)
{
    static double X[SIZE], Y[SIZE], G[SIZE], expected[SIZE], before[SIZE];
    const double factor = -1.7;
    draw(f, 0, X);
    draw(f, 0, Y);
    draw(f, 0, G);
    memcpy(before, G, sizeof G);
    lf_sparse_add_products(&f->sparsity, factor, X, Y, G);
    product(f, 0, X, 1, Y, expected);
    for (size_t i = 0; i < f->n * f->stride; i++) {
        size_t row = i / f->stride, column = i % f->stride;
        int inside = column < f->n && f->reads[row * f->n + column];
        expected[i] = inside ? before[i] + factor * expected[i] : before[i];
        assert_true(inside || G[i] == before[i]);
    }
    check_equal(f, "G + factor X Y'", G, expected, 5e-14);
}

static void test_add_products(void **state) { for_all_patterns(*state, check_add_products); }

/* ---- A P A' and its derivative ---- */

static void check_symmetric(const fixture *f, const double *C)
{
    for (size_t i = 0; i < f->n; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_true(C[i * f->stride + j] == C[j * f->stride + i]);
        }
    }
}

static void check_sandwich(fixture *f)
{
    static double A[SIZE], P[SIZE], C[SIZE], D[SIZE], spare[2 * SIZE], half[SIZE], expected[SIZE];
    draw(f, 1, A);
    draw_symmetric(f, P);
    draw(f, 0, C);
    for (size_t i = 0; i < 2 * SIZE; i++) {
        spare[i] = 1e3; /* what was there before does not matter */
    }
    lf_sparse_sandwich(&f->sparsity, A, P, NULL, spare, C);
    product(f, 0, A, 0, P, half);
    product(f, 0, half, 1, A, expected);
    check_equal(f, "A P A'", C, expected, 2e-13);
    check_symmetric(f, C);

    draw_symmetric(f, D);
    for (size_t i = 0; i < f->n * f->stride; i++) {
        expected[i] += D[i];
    }
    lf_sparse_sandwich(&f->sparsity, A, P, D, spare, C);
    check_equal(f, "A P A' + D", C, expected, 2e-13);
    check_symmetric(f, C);
    lf_sparse_sandwich(&f->sparsity, A, P, D, spare, P);
    check_equal(f, "in place", P, C, 0);
}

static void test_sandwich(void **state) { for_all_patterns(*state, check_sandwich); }

/* by_P = A' by_C A and by_A += 2 by_C A P inside the pattern. */
static void check_sandwich_backward(fixture *f)
{
    static double A[SIZE], P[SIZE], by_C[SIZE], by_P[SIZE], by_A[SIZE], spare[2 * SIZE], half[SIZE], expected[SIZE],
        before[SIZE];
    draw(f, 1, A);
    draw_symmetric(f, P);
    draw_symmetric(f, by_C);
    draw(f, 1, by_A);
    draw(f, 0, by_P);
    memcpy(before, by_A, sizeof by_A);
    lf_sparse_sandwich_backward(&f->sparsity, A, P, by_C, spare, by_P, by_A);
    product(f, 0, by_C, 0, A, half);
    product(f, 1, A, 0, half, expected);
    check_equal(f, "A' by_C A", by_P, expected, 2e-13);
    check_symmetric(f, by_P);
    product(f, 0, half, 0, P, expected);
    for (size_t i = 0; i < f->n * f->stride; i++) {
        int inside = i % f->stride < f->n && f->reads[i / f->stride * f->n + i % f->stride];
        expected[i] = inside ? before[i] + 2 * expected[i] : before[i];
    }
    check_equal(f, "2 by_C A P", by_A, expected, 4e-13);

    lf_sparse_sandwich_backward(&f->sparsity, A, P, by_C, spare, by_C, NULL); /* in place */
    check_equal(f, "in place", by_C, by_P, 0);
}

static void test_sandwich_backward(void **state) { for_all_patterns(*state, check_sandwich_backward); }

static double inner(const fixture *f, const double *X, const double *Y)
{
    double sum = 0;
    for (size_t i = 0; i < f->n * f->stride; i++) {
        sum += X[i] * Y[i];
    }
    return sum;
}

/* L(h) = <weight, A(h) P(h) A(h)'> along random directions: a cubic, whose slope four values give exactly. */
static void check_sandwich_slope(fixture *f)
{
    static double A[SIZE], P[SIZE], dA[SIZE], dP[SIZE], weight[SIZE], by_P[SIZE], by_A[SIZE], spare[2 * SIZE], C[SIZE],
        moved_A[SIZE], moved_P[SIZE];
    static const double steps[] = {-1, 1, -0.5, 0.5}, factors[] = {1.0 / 6, -1.0 / 6, -8.0 / 6, 8.0 / 6};
    draw(f, 1, A);
    draw(f, 1, dA);
    draw_symmetric(f, P);
    draw_symmetric(f, dP);
    draw_symmetric(f, weight);
    memset(by_A, 0, sizeof by_A);
    lf_sparse_sandwich_backward(&f->sparsity, A, P, weight, spare, by_P, by_A);
    double numeric = 0, unit = 1;
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < SIZE; i++) {
            moved_A[i] = A[i] + steps[k] * dA[i];
            moved_P[i] = P[i] + steps[k] * dP[i];
        }
        lf_sparse_sandwich(&f->sparsity, moved_A, moved_P, NULL, spare, C);
        numeric += factors[k] * inner(f, weight, C);
        unit = fmax(unit, fabs(inner(f, weight, C)));
    }
    assert_near(inner(f, by_A, dA) + inner(f, by_P, dP), numeric, 1e-14 * unit);
}

static void test_sandwich_slope(void **state) { for_all_patterns(*state, check_sandwich_slope); }

/* ---- small helpers ---- */

static void check_helpers(fixture *f)
{
    static double X[SIZE], Y[SIZE], expected[SIZE];
    int n = (int)f->n, stride = (int)f->stride;
    draw(f, 0, X);
    memset(Y, 0, sizeof Y);
    lf_transpose(n, stride, X, Y);
    for (size_t i = 0; i < f->n * f->stride; i++) {
        size_t row = i / f->stride, column = i % f->stride;
        expected[i] = column < f->n ? X[column * f->stride + row] : 0;
    }
    check_equal(f, "X'", Y, expected, 0);
    for (size_t i = 0; i < f->n * f->stride; i++) {
        expected[i] = 0.5 * (X[i] + Y[i]);
    }
    lf_symmetrise(n, stride, X);
    check_equal(f, "(X + X') / 2", X, expected, 0);
    check_symmetric(f, X);
}

static void test_helpers(void **state) { for_all_patterns(*state, check_helpers); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),          cmocka_unit_test(test_products),
        cmocka_unit_test(test_vectors),        cmocka_unit_test(test_add_products),
        cmocka_unit_test(test_sandwich),       cmocka_unit_test(test_sandwich_backward),
        cmocka_unit_test(test_sandwich_slope), cmocka_unit_test(test_helpers),
    };
    return cmocka_run_group_tests(tests, make_context, free_context);
}
