/* Random systems x' = F x + noise of intensity W, without a model. */
#ifndef LF_TESTS_RANDOM_SYSTEMS_H
#define LF_TESTS_RANDOM_SYSTEMS_H

#include "support.h"

#include <lapacke.h>

#include "dynamics/transition.h"

enum { MOST = 12, STRIDE = 16, SIZE = MOST * STRIDE };

/* A state space without a model: what transition.h reads of it. */
typedef struct fixture {
    char reads[MOST * MOST];
    lf_state_space space;
    double F[SIZE], W[SIZE];
    size_t n, s;
} fixture;

static UNUSED void multiply(const fixture *f, const double *A, int transpose_B, const double *B, double *C)
{
    memset(C, 0, SIZE * sizeof *C);
    for (size_t i = 0; i < f->n; i++) {
        for (size_t j = 0; j < f->n; j++) {
            for (size_t k = 0; k < f->n; k++) {
                C[i * f->s + j] += A[i * f->s + k] * (transpose_B ? B[j * f->s + k] : B[k * f->s + j]);
            }
        }
    }
}

static UNUSED double largest(const fixture *f, const double *A)
{
    double size = 0;
    for (size_t i = 0; i < f->n * f->s; i++) {
        assert_true(isfinite(A[i]));
        size = fmax(size, fabs(A[i]));
    }
    return size;
}

/* Fails unless |A - B| <= tolerance * unit in every entry. */
static UNUSED void check_equal(const fixture *f, const char *what, const double *A, const double *B, double unit,
                               double tolerance)
{
    for (size_t i = 0; i < f->n * f->s; i++) {
        double error = fabs(A[i] - B[i]) / unit;
        if (!(error <= tolerance)) {
            print_error("%s, order %zu, entry (%zu, %zu): %.17g instead of %.17g\n", what, f->n, i / f->s, i % f->s,
                        A[i], B[i]);
            fail();
        }
    }
}

/* The largest real part of the eigenvalues of F. */
static UNUSED double rightmost(const fixture *f)
{
    double A[MOST * MOST], re[MOST], im[MOST], most = -INFINITY;
    int n = (int)f->n;
    for (size_t i = 0; i < f->n * f->n; i++) {
        A[i] = f->F[i / f->n * f->s + i % f->n];
    }
    assert_int_equal(LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', n, A, n, re, im, NULL, 1, NULL, 1), 0);
    for (int i = 0; i < n; i++) {
        most = fmax(most, re[i]);
    }
    return most;
}

/* A random pattern that is closed under products, F stable with slowest decay `decay`, W of random rank. */
static UNUSED void make_system(lf_context *ctx, lf_random *random, int n, double density, double decay, fixture *f)
{
    *f = (fixture){.n = (size_t)n};
    for (int i = 0; i < n * n; i++) {
        f->reads[i] = lf_random_uniform(random) < density || i % (n + 1) == 0;
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n * n; i++) {
            f->reads[i] |= f->reads[i / n * n + k] && f->reads[k * n + i % n];
        }
    }
    assert_ok(ctx, lf_sparsity_create(ctx, n, f->reads, &f->space.sparsity));
    f->s = (size_t)f->space.sparsity.stride;
    for (size_t i = 0; i < f->n * f->n; i++) {
        f->F[i / f->n * f->s + i % f->n] = f->reads[i] ? lf_random_normal(random) : 0;
    }
    double shift = rightmost(f) + decay;
    for (size_t i = 0; i < f->n; i++) {
        f->F[i * f->s + i] -= shift;
    }
    int rank = 1 + (int)(n * lf_random_uniform(random));
    for (int r = 0; r < rank; r++) {
        double b[MOST];
        for (int i = 0; i < n; i++) {
            b[i] = lf_random_normal(random);
        }
        for (size_t i = 0; i < f->n * f->n; i++) {
            f->W[i / f->n * f->s + i % f->n] += b[i / f->n] * b[i % f->n];
        }
    }
    f->space.n = n;
    f->space.F = f->F;
    f->space.W = f->W;
    f->space.decay_time = 60 / decay; /* as lf_state_space_update sets it */
}

#endif
