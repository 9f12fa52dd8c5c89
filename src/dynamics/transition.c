/* Taylor series on a short step h0, then doubling: with E = A - I,
 *
 *   E(2h) = 2 E + E E,   Q(2h) = Q + A Q A'
 *
 * Q is a sum of positive semidefinite matrices, so nothing cancels for any operator (also undamped or unstable) and any
 * gap. E keeps its relative accuracy where A is near I. The derivative runs through the same steps in reverse. */
#include "dynamics/transition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

enum { MAX_DOUBLINGS = 200, SCRATCH = 8 };

double lf_infinity_norm(const lf_sparsity *sparsity, const double *F)
{
    double largest = 0;
    for (int i = 0; i < sparsity->n; i++) {
        double sum = 0;
        for (int j = 0; j < sparsity->n; j++) {
            sum += fabs(F[(size_t)i * (size_t)sparsity->stride + (size_t)j]);
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

/* The number of doublings from a step h0 with |F| h0 <= 1/2 to the gap. */
static int count_doublings(const lf_sparsity *sparsity, const double *F, double gap)
{
    double size = 2 * lf_infinity_norm(sparsity, F) * gap;
    return !(size > 1) ? 0 : size < ldexp(1, MAX_DOUBLINGS) ? (int)ceil(log2(size)) : MAX_DOUBLINGS + 1;
}

lf_status lf_transition_work_create(lf_context *ctx, const lf_state_space *space, double longest_gap,
                                    lf_transition_work *work)
{
    size_t size = lf_sparsity_size(&space->sparsity);
    *work = (lf_transition_work){.doublings = count_doublings(&space->sparsity, space->F, longest_gap)};
    if (work->doublings > MAX_DOUBLINGS) {
        return lf_fail(ctx, LF_ERROR_NUMERIC,
                       "a gap of %g is too long for the transitions of the state space: a lengthscale or a constant is "
                       "out of range",
                       longest_gap);
    }
    work->terms = lf_doubles(LF_A_TERMS + LF_Q_TERMS + 2, size);
    work->pairs = lf_doubles(2 * (size_t)work->doublings + 2, size);
    work->scratch = lf_doubles(SCRATCH, size);
    return work->terms && work->pairs && work->scratch ? LF_OK : lf_no_memory(ctx);
}

void lf_transition_work_clear(lf_transition_work *work)
{
    free(work->terms);
    free(work->pairs);
    free(work->scratch);
    *work = (lf_transition_work){0};
}

static void add_scaled(size_t size, double factor, const double *X, double *Y)
{
    for (size_t i = 0; i < size; i++) {
        Y[i] += factor * X[i];
    }
}

/* A = E + I. */
static void add_identity(const lf_sparsity *sparsity, const double *E, double *A)
{
    memcpy(A, E, lf_sparsity_size(sparsity) * sizeof *A);
    for (size_t i = 0; i < (size_t)sparsity->n; i++) {
        A[i * (size_t)sparsity->stride + i] += 1;
    }
}

/* Y = X + X'. */
static void add_transpose(const lf_sparsity *sparsity, const double *X, double *Y)
{
    memset(Y, 0, lf_sparsity_size(sparsity) * sizeof *Y);
    lf_transpose(sparsity->n, sparsity->stride, X, Y);
    add_scaled(lf_sparsity_size(sparsity), 1, X, Y);
}

void lf_taylor_terms(const lf_state_space *space, const double *F, double h, lf_transition_work *work)
{
    const lf_sparsity *sparsity = &space->sparsity;
    size_t size = lf_sparsity_size(sparsity);
    double *T = work->terms, *C = work->terms + (LF_A_TERMS + 1) * size;
    memset(T, 0, size * sizeof *T);
    add_identity(sparsity, T, T);
    for (int k = 1; k <= LF_A_TERMS; k++, T += size) {
        lf_sparse_multiply(sparsity, F, T, T + size);
        for (size_t i = 0; i < size; i++) {
            T[size + i] *= h / k;
        }
    }
    if (!space->W) {
        return;
    }
    memcpy(C, space->W, size * sizeof *C);
    for (int k = 0; k < LF_Q_TERMS; k++, C += size) {
        lf_sparse_multiply(sparsity, F, C, work->scratch);
        add_transpose(sparsity, work->scratch, C + size);
    }
}

/* The sums of the series go into the first of work->pairs. */
static void taylor_series(const lf_state_space *space, const double *F, double h, lf_transition_work *work)
{
    size_t size = lf_sparsity_size(&space->sparsity);
    double *T = work->terms + LF_A_TERMS * size, *C = T + size, *E = work->pairs, *Q = work->pairs + size;
    lf_taylor_terms(space, F, h, work);
    memset(E, 0, size * sizeof *E);
    for (int k = LF_A_TERMS; k >= 1; k--, T -= size) { /* smallest terms first */
        add_scaled(size, 1, T, E);
    }
    double factor = h;
    memset(Q, 0, size * sizeof *Q);
    for (int k = 0; space->W && k <= LF_Q_TERMS; k++, C += size) {
        add_scaled(size, factor, C, Q);
        factor *= h / (k + 2);
    }
}

/* The pair E, Q of twice the gap. */
static void double_step(const lf_sparsity *sparsity, const double *pair, int has_noise, double *next, double *scratch)
{
    size_t size = lf_sparsity_size(sparsity);
    const double *E = pair, *Q = pair + size;
    double *A = scratch;
    lf_sparse_multiply(sparsity, E, E, next);
    add_scaled(size, 2, E, next);
    if (!has_noise) {
        return;
    }
    add_identity(sparsity, E, A);
    lf_sparse_sandwich(sparsity, A, Q, Q, scratch + size, next + size);
}

/* Computes all pairs E, Q from the short step to the gap. Returns the last one; *count: the number of doublings. */
static double *compute_pairs(const lf_state_space *space, const double *F, double gap, lf_transition_work *work,
                             int *count)
{
    size_t size = lf_sparsity_size(&space->sparsity);
    *count = count_doublings(&space->sparsity, F, gap);
    taylor_series(space, F, ldexp(gap, -*count), work);
    for (int k = 0; k < *count; k++) {
        double *pair = work->pairs + 2 * (size_t)k * size;
        double_step(&space->sparsity, pair, space->W != NULL, pair + 2 * size, work->scratch);
    }
    return work->pairs + 2 * (size_t)*count * size;
}

void lf_transition(const lf_state_space *space, const double *F, double gap, lf_transition_work *work, double *A,
                   double *Q)
{
    int count;
    const double *pair = compute_pairs(space, F, gap, work, &count);
    add_identity(&space->sparsity, pair, A);
    if (Q) {
        memcpy(Q, pair + lf_sparsity_size(&space->sparsity), lf_sparsity_size(&space->sparsity) * sizeof *Q);
    }
}

/* Turns by_E and by_Q of the doubled gap into those of the gap. */
static void double_step_backward(const lf_sparsity *sparsity, const double *pair, int has_noise, double *by_E,
                                 double *by_Q, double *scratch)
{
    size_t size = lf_sparsity_size(sparsity);
    double *A = scratch, *next = scratch + size, *product = scratch + 2 * size;
    add_identity(sparsity, pair, A);
    lf_sparse_multiply_transposed(sparsity, A, by_E, next);
    lf_sparse_add_products(sparsity, 1, by_E, A, next);
    memcpy(by_E, next, size * sizeof *by_E);
    if (!has_noise) {
        return;
    }
    lf_sparse_sandwich_backward(sparsity, A, pair + size, by_Q, product, next, by_E);
    add_scaled(size, 1, next, by_Q);
}

void lf_taylor_backward(const lf_sparsity *sparsity, const double *F, double h, lf_taylor_adjoint by,
                        lf_transition_work *work, double *by_F, double *by_W)
{
    size_t size = lf_sparsity_size(sparsity);
    const double *T = work->terms + LF_A_TERMS * size, *C = T + (LF_Q_TERMS + 1) * size;
    double *by_term = work->scratch, *next = work->scratch + size, *symmetric = work->scratch + 2 * size;
    memcpy(by_term, by.by_A + LF_A_TERMS * by.A_step, size * sizeof *by_term);
    for (size_t k = LF_A_TERMS; k >= 1; k--) {
        T -= size;
        lf_sparse_add_products(sparsity, h / (double)k, by_term, T, by_F);
        lf_sparse_multiply_transposed(sparsity, F, by_term, next);
        memcpy(by_term, by.by_A + (k - 1) * by.A_step, size * sizeof *by_term);
        add_scaled(size, h / (double)k, next, by_term);
    }
    if (!by_W) {
        return;
    }
    double factor[LF_Q_TERMS + 1] = {h};
    for (int k = 1; k <= LF_Q_TERMS; k++) {
        factor[k] = factor[k - 1] * h / (k + 1);
    }
    memset(by_term, 0, size * sizeof *by_term);
    for (size_t k = LF_Q_TERMS + 1; k-- > 0;) {
        if (k < LF_Q_TERMS) {
            C -= size;
            lf_sparse_add_products(sparsity, 2, by_term, C, by_F);
            lf_sparse_multiply_transposed(sparsity, F, by_term, next);
            add_transpose(sparsity, next, symmetric);
            memcpy(by_term, symmetric, size * sizeof *by_term);
        }
        add_scaled(size, factor[k], by.by_Q + k * by.Q_step, by_term);
    }
    add_scaled(size, 1, by_term, by_W);
}

void lf_transition_backward(const lf_state_space *space, const double *F, double gap, const double *by_A,
                            const double *by_Q, lf_transition_work *work, double *by_F, double *by_W)
{
    const lf_sparsity *sparsity = &space->sparsity;
    size_t size = lf_sparsity_size(sparsity);
    double *by_E = work->scratch + 6 * size, *by_pair_Q = work->scratch + 7 * size;
    int count;
    double *pair = compute_pairs(space, F, gap, work, &count);
    memcpy(by_E, by_A, size * sizeof *by_E);
    if (by_Q) {
        memcpy(by_pair_Q, by_Q, size * sizeof *by_pair_Q);
    }
    for (int k = 0; k < count; k++) {
        pair -= 2 * size;
        double_step_backward(sparsity, pair, space->W != NULL, by_E, by_pair_Q, work->scratch);
    }
    lf_taylor_adjoint by = {.by_A = by_E, .by_Q = by_pair_Q};
    lf_taylor_backward(sparsity, F, ldexp(gap, -count), by, work, by_F, by_W);
}
