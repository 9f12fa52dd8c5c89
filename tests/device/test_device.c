/* Operations of a device against plain loops, on the device "host" or, with LF_TEST_DEVICE=gpu, on a GPU; without one the status is 77,
 * "skipped". */
#include "support.h"

#include <complex.h>

#include "device_support.h"

typedef struct fixture {
    lf_context *ctx;
    lf_device *device;
    lf_random random;
} fixture;

static int open_device(void **state)
{
    static fixture f;
    f.ctx = lf_context_create();
    *state = &f;
    lf_random_seed(&f.random, 3);
    return !f.ctx || lf_device_open(f.ctx, device_name(), &f.device) != LF_OK;
}

static int close_device(void **state)
{
    fixture *f = *state;
    lf_device_close(f->device);
    lf_context_free(f->ctx);
    return 0;
}

/* A matrix with ld > rows, here and on the device. */
typedef struct matrix {
    size_t m, n, ld;
    double *here, *there;
} matrix;

static matrix random_matrix(fixture *f, size_t m, size_t n)
{
    matrix X = {.m = m, .n = n, .ld = m + 3};
    X.here = calloc(X.ld * n + 1, sizeof *X.here);
    X.there = f->device->op->allocate(f->device, X.ld * n + 1);
    assert_non_null(X.here);
    assert_non_null(X.there);
    for (size_t i = 0; i < X.ld * n; i++) {
        X.here[i] = uniform_between(&f->random, -1, 1);
    }
    f->device->op->upload(f->device, m, n, X.here, X.ld, X.there, X.ld);
    return X;
}

static double *entry(const matrix *X, size_t i, size_t j) { return &X->here[j * X->ld + i]; }

/* op(X)_ij. */
static double at(const matrix *X, lf_transposition t, size_t i, size_t j)
{
    return t == LF_TRANSPOSED ? *entry(X, j, i) : *entry(X, i, j);
}

/* What is on the device is what is here, to the tolerance for numbers up to 1 and relative to larger ones; lower: in the lower triangle. */
static void assert_same(fixture *f, const matrix *X, int lower, double tolerance)
{
    double *found = malloc((X->m * X->n + 1) * sizeof *found);
    f->device->op->download(f->device, X->m, X->n, X->there, X->ld, found, X->m);
    assert_ok(f->ctx, lf_device_status(f->ctx, f->device));
    for (size_t j = 0; j < X->n; j++) {
        for (size_t i = lower ? j : 0; i < X->m; i++) {
            double expected = *entry(X, i, j);
            assert_near(found[j * X->m + i], expected, tolerance * fmax(1, fabs(expected)));
        }
    }
    free(found);
}

static void forget(fixture *f, matrix *X)
{
    f->device->op->release(f->device, X->there);
    free(X->here);
}

static const size_t sizes[] = {1, 2, 7, 33, 130};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_memory(void **state)
{
    fixture *f = *state;
    const lf_device_class *op = f->device->op;
    double before = op->available(f->device), numbers[6] = {0};
    assert_true(before > 1e6);
    double *large = op->allocate(f->device, 4000000);
    if (strcmp(device_name(), "host") != 0) {
        assert_true(op->available(f->device) < before);
    }
    op->fill(f->device, 4000000, 2.5, large);
    op->download(f->device, 3, 2, large + 3999993, 4, numbers, 3);
    for (int i = 0; i < 6; i++) {
        assert_near(numbers[i], 2.5, 0);
    }
    size_t index[] = {5, 1, 3999999};
    double values[] = {7, 8, 9}, found[3] = {0};
    op->put(f->device, 3, index, values, large);
    op->get(f->device, 3, index, large, found);
    assert_memory_equal(values, found, sizeof values);
    op->put(f->device, 2, index, NULL, large);
    op->get(f->device, 3, index, large, found);
    assert_near(fabs(found[0]) + fabs(found[1]), 0, 0);
    assert_near(found[2], 9, 0);
    op->release(f->device, large);
    assert_ok(f->ctx, lf_device_status(f->ctx, f->device));
}

/* A large matrix goes up and down in pieces. */
static void test_transfers(void **state)
{
    fixture *f = *state;
    enum { ROWS = 301, COLUMNS = 20011 };
    matrix X = random_matrix(f, ROWS, COLUMNS);
    assert_same(f, &X, 0, 0);
    forget(f, &X);
    X = random_matrix(f, 3000001, 1);
    assert_same(f, &X, 0, 0);
    forget(f, &X);
}

static void test_products(void **state)
{
    fixture *f = *state;
    for (int trial = 0; trial < 4 * SIZES; trial++) {
        lf_transposition a = trial & 1 ? LF_TRANSPOSED : LF_PLAIN, b = trial & 2 ? LF_TRANSPOSED : LF_PLAIN;
        size_t m = sizes[(trial + 1) % SIZES], n = trial < 4 ? 1 : sizes[(trial + 2) % SIZES],
               k = sizes[(trial / 2) % SIZES];
        matrix A = random_matrix(f, a ? k : m, a ? m : k), B = random_matrix(f, b ? n : k, b ? k : n);
        matrix C = random_matrix(f, m, n), D = random_matrix(f, m, m);
        for (int add = 0; add < 2; add++) {
            double beta = add ? 0.7 : 0;
            for (size_t i = 0; i < m; i++) {
                for (size_t j = 0; j < n; j++) {
                    double sum = 0;
                    for (size_t l = 0; l < k; l++) {
                        sum += at(&A, a, i, l) * at(&B, b, l, j);
                    }
                    *entry(&C, i, j) = -1.3 * sum + beta * *entry(&C, i, j);
                }
                for (size_t j = 0; j <= i; j++) {
                    double sum = 0;
                    for (size_t l = 0; l < k; l++) {
                        sum += at(&A, a, i, l) * at(&A, a, j, l);
                    }
                    *entry(&D, i, j) = -1.3 * sum + beta * *entry(&D, i, j);
                }
            }
            f->device->op->gemm(f->device, a, b, m, n, k, -1.3, A.there, A.ld, B.there, B.ld, beta, C.there, C.ld);
            f->device->op->syrk(f->device, a, m, k, -1.3, A.there, A.ld, beta, D.there, D.ld);
            assert_same(f, &C, 0, 1e-13);
            assert_same(f, &D, 1, 1e-13);
        }
        forget(f, &A);
        forget(f, &B);
        forget(f, &C);
        forget(f, &D);
    }
}

/* Cholesky factors by their products, inverses and solutions by what they solve. */
static void test_factors(void **state)
{
    fixture *f = *state;
    const lf_device_class *op = f->device->op;
    for (int trial = 0; trial < SIZES; trial++) {
        size_t n = sizes[trial], m = sizes[(trial + 2) % SIZES];
        matrix X = random_matrix(f, n, n), A = random_matrix(f, n, n), L = random_matrix(f, n, n);
        op->syrk(f->device, LF_PLAIN, n, n, 1, X.there, X.ld, 0, A.there, A.ld);
        op->add_diagonal(f->device, n, 1, A.there, A.ld);
        op->download(f->device, n, n, A.there, A.ld, A.here, A.ld);
        assert_int_equal(op->potrf(f->device, n, A.there, A.ld), 1);
        op->download(f->device, n, n, A.there, A.ld, L.here, L.ld);
        for (size_t j = 0; j < n; j++) {
            for (size_t i = j; i < n; i++) {
                double sum = 0;
                for (size_t l = 0; l <= j; l++) {
                    sum += *entry(&L, i, l) * *entry(&L, j, l);
                }
                assert_near(sum, *entry(&A, i, j), 1e-13 * (double)n);
            }
        }
        for (int way = 0; way < 4; way++) {
            lf_side side = way & 1 ? LF_RIGHT : LF_LEFT;
            lf_transposition t = way & 2 ? LF_TRANSPOSED : LF_PLAIN;
            matrix B = random_matrix(f, way & 1 ? m : n, way & 1 ? n : m), B0 = random_matrix(f, B.m, B.n);
            memcpy(B0.here, B.here, B.ld * B.n * sizeof *B.here);
            op->trsm(f->device, side, t, B.m, B.n, A.there, A.ld, B.there, B.ld);
            op->download(f->device, B.m, B.n, B.there, B.ld, B.here, B.ld);
            for (size_t j = 0; j < B.n; j++) {
                for (size_t i = 0; i < B.m; i++) {
                    double sum = 0;
                    for (size_t l = 0; l < n; l++) {
                        size_t row = side == LF_LEFT ? i : l, column = side == LF_LEFT ? l : j;
                        int in_lower = t ? row <= column : row >= column;
                        sum += in_lower ? at(&L, t, row, column) * (way & 1 ? *entry(&B, i, l) : *entry(&B, l, j)) : 0;
                    }
                    assert_near(sum, *entry(&B0, i, j), 1e-13 * (double)n);
                }
            }
            forget(f, &B);
            forget(f, &B0);
        }
        op->potri(f->device, n, A.there, A.ld);
        op->download(f->device, n, n, A.there, A.ld, X.here, X.ld);
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < n; i++) {
                double sum = 0;
                for (size_t l = 0; l < n; l++) { /* A is here in its lower triangle */
                    sum += *entry(&A, i > l ? i : l, i > l ? l : i) * *entry(&X, l, j);
                }
                assert_near(sum, i == j, 1e-12 * (double)n);
            }
        }
        op->fill(f->device, A.ld * n, 1, A.there); /* not positive definite, which is an answer and no failure */
        assert_int_equal(op->potrf(f->device, n, A.there, A.ld), n == 1);
        assert_ok(f->ctx, lf_device_status(f->ctx, f->device));
        forget(f, &X);
        forget(f, &A);
        forget(f, &L);
    }
}

static void test_rows(void **state)
{
    fixture *f = *state;
    const lf_device_class *op = f->device->op;
    for (int trial = 0; trial < SIZES * SIZES; trial++) {
        size_t n = sizes[trial % SIZES] + (trial == 3 ? 3000 : 0), columns = sizes[trial / SIZES];
        matrix X = random_matrix(f, n, columns), Y = random_matrix(f, n, columns), sums = random_matrix(f, n, 1);
        matrix Z = random_matrix(f, n, columns), r = random_matrix(f, n, 1), noise = random_matrix(f, n, 1),
               mean = random_matrix(f, columns, 1);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < columns; j++) {
                *entry(&sums, i, 0) += *entry(&X, i, j) * *entry(&Y, i, j);
                *entry(&Z, i, j) += *entry(&r, i, 0) * *entry(&X, i, j);
                *entry(&Y, i, j) = (*entry(&r, i, 0) * *entry(&mean, j, 0) - *entry(&Y, i, j)) / *entry(&noise, i, 0);
                *entry(&X, i, j) *= *entry(&r, i, 0);
            }
        }
        op->add_products(f->device, n, columns, X.there, Y.there, X.ld, sums.there);
        op->add_scaled_rows(f->device, n, columns, r.there, X.there, X.ld, Z.there, Z.ld);
        op->to_adjoint(f->device, n, columns, r.there, noise.there, mean.there, Y.there, Y.ld);
        op->scale_rows(f->device, n, columns, r.there, X.there, X.ld);
        assert_same(f, &sums, 0, 1e-13);
        assert_same(f, &Z, 0, 1e-15);
        for (size_t j = 0; j < columns; j++) { /* relative: noise may be tiny */
            for (size_t i = 0; i < n; i++) {
                *entry(&Y, i, j) *= *entry(&noise, i, 0);
            }
        }
        op->scale_rows(f->device, n, columns, noise.there, Y.there, Y.ld);
        assert_same(f, &Y, 0, 2e-15);
        assert_same(f, &X, 0, 0);
        forget(f, &X);
        forget(f, &Y);
        forget(f, &Z);
        forget(f, &sums);
        forget(f, &r);
        forget(f, &noise);
        forget(f, &mean);
    }
}

static void test_waves(void **state)
{
    fixture *f = *state;
    const lf_device_class *op = f->device->op;
    for (int trial = 0; trial < 12; trial++) {
        int p = trial % 3 ? 1 : 1 + trial / 3, order = p == 1 ? trial / 2 : 0;
        size_t n = trial == 5 ? 1500 : sizes[trial % SIZES], S = sizes[(trial + 1) % SIZES];
        matrix t = random_matrix(f, n, (size_t)p), h = random_matrix(f, n, (size_t)order);
        matrix lambda = random_matrix(f, (size_t)p, S), G = random_matrix(f, 2, S), scale = random_matrix(f, n, 1);
        matrix V = random_matrix(f, n, 2 * S), a = random_matrix(f, n, 2 * S);
        double *tight = malloc((size_t)(p + 2) * S * sizeof *tight), *there;
        for (size_t s = 0; s < S; s++) { /* frequencies and transfer functions lie without gaps */
            for (size_t k = 0; k < (size_t)p; k++) {
                *entry(&lambda, k, s) *= 10;
                tight[s * (size_t)p + k] = *entry(&lambda, k, s);
            }
            tight[(size_t)p * S + 2 * s] = *entry(&G, 0, s);
            tight[(size_t)p * S + 2 * s + 1] = *entry(&G, 1, s);
        }
        there = op->allocate(f->device, (size_t)(p + 2) * S);
        op->upload(f->device, (size_t)(p + 2) * S, 1, tight, (size_t)(p + 2) * S, there, (size_t)(p + 2) * S);
        for (size_t s = 0; s < S; s++) {
            for (size_t i = 0; i < n; i++) {
                double phase = 0;
                for (size_t k = 0; k < (size_t)p; k++) {
                    phase += *entry(&lambda, k, s) * *entry(&t, i, k);
                }
                double complex v = cexp(phase * I), power = 1;
                for (size_t k = 0; k < (size_t)order; k++) {
                    v -= power * *entry(&h, i, k);
                    power *= *entry(&lambda, 0, s) * I;
                }
                v *= (*entry(&G, 0, s) + *entry(&G, 1, s) * I) * (trial % 2 ? *entry(&scale, i, 0) : 1);
                double complex product = conj(*entry(&a, i, s) + *entry(&a, i, S + s) * I) * v;
                *entry(&V, i, s) = creal(v);
                *entry(&V, i, S + s) = cimag(v);
                *entry(&a, i, s) = creal(product);
                *entry(&a, i, S + s) = cimag(product);
            }
        }
        op->waves(f->device, &(lf_device_waves){.n = n,
                                                .count = S,
                                                .input_dim = p,
                                                .order = order,
                                                .ld = t.ld,
                                                .t = t.there,
                                                .h = h.there,
                                                .lambda = there,
                                                .G = there + (size_t)p * S,
                                                .row_scale = trial % 2 ? scale.there : NULL,
                                                .V = V.there});
        op->conjugate_product(f->device, n, S, V.there, a.there, V.ld);
        double size = pow(10, order > 1 ? order - 1 : 0);
        assert_same(f, &V, 0, 1e-14 * size);
        assert_same(f, &a, 0, 1e-14 * size);
        op->release(f->device, there);
        free(tight);
        forget(f, &t);
        forget(f, &h);
        forget(f, &lambda);
        forget(f, &G);
        forget(f, &scale);
        forget(f, &V);
        forget(f, &a);
    }
}

/* The same operations give the same bits. */
static void test_same_bits(void **state)
{
    fixture *f = *state;
    const lf_device_class *op = f->device->op;
    enum { ROWS = 5000, COLUMNS = 60 };
    matrix X = random_matrix(f, ROWS, COLUMNS), C = random_matrix(f, COLUMNS, COLUMNS),
           sums = random_matrix(f, ROWS, 1);
    double first[COLUMNS * COLUMNS + ROWS], second[COLUMNS * COLUMNS + ROWS];
    for (int k = 0; k < 5; k++) {
        double *to = k ? second : first;
        op->fill(f->device, ROWS, 0, sums.there);
        op->gemm(f->device, LF_TRANSPOSED, LF_PLAIN, COLUMNS, COLUMNS, ROWS, 1, X.there, X.ld, X.there, X.ld, 0,
                 C.there, C.ld);
        op->add_products(f->device, ROWS, COLUMNS, X.there, X.there, X.ld, sums.there);
        op->download(f->device, COLUMNS, COLUMNS, C.there, C.ld, to, COLUMNS);
        op->download(f->device, ROWS, 1, sums.there, sums.ld, to + COLUMNS * COLUMNS, ROWS);
        assert_true(k == 0 || memcmp(first, second, sizeof first) == 0);
    }
    forget(f, &X);
    forget(f, &C);
    forget(f, &sums);
}

/* What does not fit is a failure with a message, and what follows does nothing. */
static void test_too_much(void **state)
{
    fixture *f = *state;
    lf_device *device;
    assert_ok(f->ctx, lf_device_open(f->ctx, strcmp(device_name(), "host") ? device_name() : "host:1e6", &device));
    double *x = device->op->allocate(device, 1000), number = 5;
    assert_non_null(x);
    device->op->fill(device, 1000, 3, x);
    assert_null(device->op->allocate(device, (size_t)1 << 40));
    assert_int_equal(lf_device_status(f->ctx, device), LF_ERROR_MEMORY);
    assert_non_null(strstr(lf_context_message(f->ctx), "memory"));
    device->op->download(device, 1, 1, x, 1, &number, 1);
    assert_near(number, 5, 0);
    device->op->release(device, x);
    lf_device_close(device);
}

static void test_names(void **state)
{
    fixture *f = *state;
    lf_device *device;
    assert_ok(f->ctx, lf_device_open(f->ctx, NULL, &device));
    assert_null(device);
    assert_ok(f->ctx, lf_device_open(f->ctx, "cpu", &device));
    assert_null(device);
    assert_int_equal(lf_device_open(f->ctx, "gpus", &device), LF_ERROR_ARGUMENT);
    assert_string_equal(lf_context_message(f->ctx), "unknown device 'gpus'; the devices are cpu and gpu");
    assert_int_equal(lf_device_open(f->ctx, "host:much", &device), LF_ERROR_ARGUMENT);
}

int main(void)
{
    if (!has_device()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),    cmocka_unit_test(test_transfers), cmocka_unit_test(test_products),
        cmocka_unit_test(test_factors),   cmocka_unit_test(test_rows),      cmocka_unit_test(test_waves),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_too_much),  cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
