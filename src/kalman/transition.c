/* Taylor series on a short step h0, then doubling: with E = A - I,
 *
 *   E(2h) = 2 E + E E,   Q(2h) = Q + A Q A'
 * Sums of positive matrices: nothing cancels, whatever the operators (undamped, unstable) and however short the gap, and
 * E keeps its relative accuracy where A is near I. The derivative runs the same steps backwards. The long-run covariance of a
 * stable system is Q of a gap after which all is forgotten. */
#include "kalman/transition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

/* |F| h0 <= 1/2: remainders 2^-15 / 15! of E and, with (F . + . F')^k of norm 1, 1 / 21! of Q. */
enum { E_TERMS = 14, Q_TERMS = 20, MOST_DOUBLINGS = 200, SPARE = 8 };

static double norm(const lf_sparsity *sparsity, const double *F)
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

/* How often h0 is doubled. */
static int doublings(const lf_sparsity *sparsity, const double *F, double gap)
{
    double size = 2 * norm(sparsity, F) * gap;
    return !(size > 1) ? 0 : size < ldexp(1, MOST_DOUBLINGS) ? (int)ceil(log2(size)) : MOST_DOUBLINGS + 1;
}

lf_status lf_transition_work_create(lf_context *ctx, const lf_state_space *space, double longest,
                                    lf_transition_work *work)
{
    size_t size = lf_sparsity_size(&space->sparsity);
    *work = (lf_transition_work){.doublings = doublings(&space->sparsity, space->F, longest)};
    if (work->doublings > MOST_DOUBLINGS) {
        return lf_fail(ctx, LF_ERROR_NUMERIC,
                       "a gap of %g is more than the kalman engine can cross: a lengthscale or a constant is out of "
                       "range",
                       longest);
    }
    work->terms = lf_doubles(E_TERMS + Q_TERMS + 2, size);
    work->halves = lf_doubles(2 * (size_t)work->doublings + 2, size);
    work->spare = lf_doubles(SPARE, size);
    return work->terms && work->halves && work->spare ? LF_OK : lf_no_memory(ctx);
}

void lf_transition_work_clear(lf_transition_work *work)
{
    free(work->terms);
    free(work->halves);
    free(work->spare);
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
static void add_transposed(const lf_sparsity *sparsity, const double *X, double *Y)
{
    memset(Y, 0, lf_sparsity_size(sparsity) * sizeof *Y);
    lf_transpose(sparsity->n, sparsity->stride, X, Y);
    add_scaled(lf_sparsity_size(sparsity), 1, X, Y);
}

/* T_k = (h F)^k / k! and C_k, C_{k+1} = F C_k + C_k F', of W; their sums into the first pair of `halves`. */
static void series(const lf_state_space *space, const double *F, double h, lf_transition_work *work)
{
    const lf_sparsity *sparsity = &space->sparsity;
    size_t size = lf_sparsity_size(sparsity);
    double *T = work->terms, *C = work->terms + (E_TERMS + 1) * size, *E = work->halves, *Q = work->halves + size;
    memset(E, 0, size * sizeof *E);
    memset(T, 0, size * sizeof *T);
    add_identity(sparsity, T, T);
    for (int k = 1; k <= E_TERMS; k++, T += size) {
        lf_sparse_multiply(sparsity, F, T, T + size);
        for (size_t i = 0; i < size; i++) {
            T[size + i] *= h / k;
        }
    }
    for (int k = E_TERMS; k >= 1; k--, T -= size) { /* small ones first */
        add_scaled(size, 1, T, E);
    }
    double factor = h;
    memcpy(C, space->W, size * sizeof *C);
    memset(Q, 0, size * sizeof *Q);
    for (int k = 0; k <= Q_TERMS; k++, C += size) {
        add_scaled(size, factor, C, Q);
        factor *= h / (k + 2);
        if (k < Q_TERMS) {
            lf_sparse_multiply(sparsity, F, C, work->spare);
            add_transposed(sparsity, work->spare, C + size);
        }
    }
}

/* From one pair E, Q to the next. */
static void twice(const lf_sparsity *sparsity, const double *pair, double *next, double *spare)
{
    size_t size = lf_sparsity_size(sparsity);
    const double *E = pair, *Q = pair + size;
    double *A = spare;
    lf_sparse_multiply(sparsity, E, E, next);
    add_scaled(size, 2, E, next);
    add_identity(sparsity, E, A);
    lf_sparse_sandwich(sparsity, A, Q, spare + size, next + size);
    add_scaled(size, 1, Q, next + size);
}

/* All pairs from the short step to the gap; the last one. */
static double *pairs(const lf_state_space *space, const double *F, double gap, lf_transition_work *work, int *count)
{
    size_t size = lf_sparsity_size(&space->sparsity);
    *count = doublings(&space->sparsity, F, gap);
    series(space, F, ldexp(gap, -*count), work);
    for (int k = 0; k < *count; k++) {
        double *pair = work->halves + 2 * (size_t)k * size;
        twice(&space->sparsity, pair, pair + 2 * size, work->spare);
    }
    return work->halves + 2 * (size_t)*count * size;
}

void lf_transition(const lf_state_space *space, const double *F, double gap, lf_transition_work *work, double *A,
                   double *Q)
{
    int count;
    const double *pair = pairs(space, F, gap, work, &count);
    add_identity(&space->sparsity, pair, A);
    memcpy(Q, pair + lf_sparsity_size(&space->sparsity), lf_sparsity_size(&space->sparsity) * sizeof *Q);
}

/* by_E and by_Q of a doubled pair become those of the pair. */
static void twice_backward(const lf_sparsity *sparsity, const double *pair, double *by_E, double *by_Q, double *spare)
{
    size_t size = lf_sparsity_size(sparsity);
    double *A = spare, *next = spare + size, *half = spare + 2 * size;
    add_identity(sparsity, pair, A);
    lf_sparse_multiply_transposed(sparsity, A, by_E, next);
    lf_sparse_add_products(sparsity, 1, by_E, A, next);
    memcpy(by_E, next, size * sizeof *by_E);
    lf_sparse_sandwich_backward(sparsity, A, pair + size, by_Q, half, next, by_E);
    add_scaled(size, 1, next, by_Q);
}

/* From the sums of the two series to F and W. */
static void series_backward(const lf_sparsity *sparsity, const double *F, double h, const double *by_E,
                            const double *by_Q, lf_transition_work *work, double *by_F, double *by_W)
{
    size_t size = lf_sparsity_size(sparsity);
    const double *T = work->terms + E_TERMS * size, *C = T + (Q_TERMS + 1) * size;
    double *by_term = work->spare, *next = work->spare + size, *whole = work->spare + 2 * size;
    memcpy(by_term, by_E, size * sizeof *by_term);
    for (int k = E_TERMS; k >= 1; k--) {
        T -= size;
        lf_sparse_add_products(sparsity, h / k, by_term, T, by_F);
        lf_sparse_multiply_transposed(sparsity, F, by_term, next);
        memcpy(by_term, by_E, size * sizeof *by_term);
        add_scaled(size, h / k, next, by_term);
    }
    double factor[Q_TERMS + 1] = {h};
    for (int k = 1; k <= Q_TERMS; k++) {
        factor[k] = factor[k - 1] * h / (k + 1);
    }
    memset(by_term, 0, size * sizeof *by_term);
    for (int k = Q_TERMS; k >= 0; k--) {
        if (k < Q_TERMS) {
            C -= size;
            lf_sparse_add_products(sparsity, 2, by_term, C, by_F);
            lf_sparse_multiply_transposed(sparsity, F, by_term, next);
            add_transposed(sparsity, next, whole);
            memcpy(by_term, whole, size * sizeof *by_term);
        }
        add_scaled(size, factor[k], by_Q, by_term);
    }
    add_scaled(size, 1, by_term, by_W);
}

void lf_transition_backward(const lf_state_space *space, double gap, const double *by_A, const double *by_Q,
                            lf_transition_work *work, double *by_F, double *by_W)
{
    const lf_sparsity *sparsity = &space->sparsity;
    size_t size = lf_sparsity_size(sparsity);
    double *by_E = work->spare + 6 * size, *by_pair_Q = work->spare + 7 * size;
    int count;
    double *pair = pairs(space, space->F, gap, work, &count);
    memcpy(by_E, by_A, size * sizeof *by_E);
    memcpy(by_pair_Q, by_Q, size * sizeof *by_pair_Q);
    for (int k = 0; k < count; k++) {
        pair -= 2 * size;
        twice_backward(sparsity, pair, by_E, by_pair_Q, work->spare);
    }
    series_backward(sparsity, space->F, ldexp(gap, -count), by_E, by_pair_Q, work, by_F, by_W);
}

lf_status lf_stationary_covariance(lf_context *ctx, const lf_state_space *space, double *P)
{
    lf_transition_work work;
    double *A = lf_doubles(1, lf_sparsity_size(&space->sparsity));
    lf_status status = lf_transition_work_create(ctx, space, space->settled, &work);
    status = status || A ? status : lf_no_memory(ctx);
    if (!status) {
        lf_transition(space, space->F, space->settled, &work, A, P);
    }
    lf_transition_work_clear(&work);
    free(A);
    return status;
}

lf_status lf_stationary_backward(lf_context *ctx, const lf_state_space *space, const double *by_P, double *by_F,
                                 double *by_W)
{
    lf_transition_work work;
    double *by_A = lf_doubles(1, lf_sparsity_size(&space->sparsity));
    lf_status status = lf_transition_work_create(ctx, space, space->settled, &work);
    status = status || by_A ? status : lf_no_memory(ctx);
    if (!status) {
        lf_transition_backward(space, space->settled, by_A, by_P, &work, by_F, by_W);
    }
    lf_transition_work_clear(&work);
    free(by_A);
    return status;
}
