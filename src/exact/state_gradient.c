/* The gradient of the covariances through the state space, in reverse mode, for L with dL/dK = G. With X_k the columns at
 * step k, Y_k = dL/dX_k and A_k the transition of the gap before step k:
 *
 *   a point i of step k that reads column j with weight g:   Y_kj += g c_i,   dL/dc_i += g X_kj
 *   the gap:       dL/dA_k += Y_k X_{k-1}',   Y_{k-1} = A_k' Y_k
 *   a column j that starts at step k, X_kj = P_k c_j:   dL/dP_k += (Y_kj c_j' + c_j Y_kj') / 2,   dL/dc_j += P_k Y_kj
 *   the covariance of the states, P_k = A P_{k-1} A' + Q:   sparsity.h
 *
 * from there through the transitions (transition.h) and the state space (state_space.h) to the parameters. Columns are
 * processed in strips, so that the X_k of all steps need little memory. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/start_covariance.h"
#include "exact/state_adjoint.h"
#include "exact/state_covariance.h"

#define STRIP_DOUBLES 4e6 /* of the columns of one strip at all steps */

static void adjoint_clear(lf_state_adjoint *a)
{
    free(a->P);
    free(a->by_A);
    free(a->by_Q);
    free(a->by_F);
    free(a->by_W);
    free(a->by_P);
    free(a->by_F_before);
    free(a->start);
    free(a->X);
    free(a->Y);
}

const double *lf_state_adjoint_covariance(const lf_state_adjoint *a, size_t step)
{
    return a->P + (a->march->constant ? 0 : step * a->size);
}

void lf_state_adjoint_row(const lf_state_adjoint *a, size_t i, size_t state, double value)
{
    const lf_state_space *space = &a->march->space;
    int target = a->march->timeline.target[i];
    if (lf_target_is_rate(space->model, target)) {
        size_t first = (size_t)space->first[lf_target_output(space->model, target)];
        a->by_F[first * (size_t)space->sparsity.stride + state] += value;
    }
}

void lf_state_adjoint_before_origin(const lf_state_adjoint *a, size_t step, double *by_A, double *by_Q)
{
    const lf_timeline *t = &a->march->timeline;
    size_t forces = (size_t)a->march->space.force_states * (size_t)a->march->space.sparsity.stride;
    memset(by_Q + forces, 0, (a->size - forces) * sizeof *by_Q); /* white forces do not act yet */
    lf_transition_backward(&a->march->space, a->march->space.F_before_origin, t->time[step] - t->time[step - 1], by_A,
                           by_Q, &a->march->work, a->by_F_before, a->by_W);
    memset(by_A, 0, a->size * sizeof *by_A);
    memset(by_Q, 0, a->size * sizeof *by_Q);
}

/* dL/dP_k of the columns that start at step k, added to by_P. */
static void starts_backward(const lf_state_adjoint *a, size_t k)
{
    const lf_state_march *march = a->march;
    const lf_timeline *t = &march->timeline;
    size_t n = (size_t)march->space.n, s = (size_t)march->space.sparsity.stride;
    const double *P = lf_state_adjoint_covariance(a, k);
    for (size_t q = t->first_query[k]; q < t->first_query[k + 1]; q++) {
        const double *y = a->start + q * s, *c = march->rows + q * s;
        for (size_t i = 0; i < n; i++) {
            lf_state_adjoint_row(a, q, i, lf_row_product((int)s, P + i * s, y));
            for (size_t j = 0; j < n; j++) {
                a->by_P[i * s + j] += 0.5 * (y[i] * c[j] + c[i] * y[j]);
            }
        }
    }
}

static void covariances_backward(const lf_state_adjoint *a)
{
    lf_state_march *march = a->march;
    const lf_timeline *t = &march->timeline;
    for (size_t k = t->step_count; k-- > 0;) {
        starts_backward(a, k);
        const double *Q, *A = march->constant ? NULL : lf_state_march_transition(march, k, &Q);
        if (A) {
            size_t gap = t->gap_index[k] < 0 ? t->gap_count : (size_t)t->gap_index[k];
            double *by_Q = a->by_Q + gap * a->size;
            for (size_t i = 0; i < a->size; i++) {
                by_Q[i] += a->by_P[i];
            }
            lf_sparse_sandwich_backward(&march->space.sparsity, A, lf_state_adjoint_covariance(a, k - 1), a->by_P,
                                        march->scratch, a->by_P, a->by_A + gap * a->size);
            if (gap == t->gap_count) {
                lf_state_adjoint_before_origin(a, k, a->by_A + gap * a->size, by_Q);
            }
        }
    }
}

/* The covariance of the states at every step. */
static void covariances_forward(const lf_state_adjoint *a)
{
    lf_state_march *march = a->march;
    memcpy(a->P, march->P, a->size * sizeof *a->P);
    for (size_t k = 1; k < march->timeline.step_count && !march->constant; k++) {
        const double *Q, *A = lf_state_march_transition(march, k, &Q);
        if (A) {
            lf_state_march_advance(march, A, Q);
        }
        memcpy(a->P + k * a->size, march->P, a->size * sizeof *a->P);
    }
}

/* From the transitions to the parameters. */
static lf_status parameters_backward(lf_context *ctx, const lf_state_adjoint *a)
{
    lf_state_march *march = a->march;
    const lf_timeline *t = &march->timeline;
    size_t s = (size_t)march->space.sparsity.stride, forces = (size_t)march->space.force_states;
    for (size_t g = 0; g < t->gap_count; g++) {
        lf_transition_backward(&march->space, march->space.F, t->gap_length[g], a->by_A + g * a->size,
                               a->by_Q + g * a->size, &march->work, a->by_F, a->by_W);
    }
    for (size_t i = 0; i < forces; i++) { /* before the origin only the forces move */
        for (size_t j = 0; j < forces; j++) {
            a->by_F[i * s + j] += a->by_F_before[i * s + j];
        }
    }
    if (t->step_count) {
        lf_start_covariance_backward(&march->space, t->time[0], a->by_P, a->by_F);
    }
    return lf_state_space_backward(ctx, &march->space, a->by_F, a->by_W, a->by_P, NULL, a->in->gradient);
}

static lf_status gradient_block(lf_context *ctx, lf_state_march *march, void *user)
{
    const lf_timeline *t = &march->timeline;
    size_t n = (size_t)march->space.n, size = lf_sparsity_size(&march->space.sparsity), steps = t->step_count;
    lf_status status =
        lf_state_march_check(ctx, march, (march->constant ? 1 : (double)steps) + 4 * (double)t->gap_count);
    if (status) {
        return status;
    }
    double room = STRIP_DOUBLES / ((double)steps * (double)n + 1);
    size_t width = room < 8 ? 8 : room < (double)march->n ? (size_t)room : march->n;
    lf_state_adjoint a = {.march = march,
                          .in = user,
                          .size = size,
                          .P = lf_doubles(march->constant ? 1 : steps, size),
                          .by_A = lf_doubles(t->gap_count + 1, size),
                          .by_Q = lf_doubles(t->gap_count + 1, size),
                          .by_F = lf_doubles(1, size),
                          .by_W = lf_doubles(1, size),
                          .by_P = lf_doubles(1, size),
                          .by_F_before = lf_doubles(1, size),
                          .start = lf_doubles(march->n, (size_t)march->space.sparsity.stride),
                          .X = lf_doubles(steps * width, n),
                          .Y = lf_doubles(2 * width, n)};
    status = a.P && a.by_A && a.by_Q && a.by_F && a.by_W && a.by_P && a.by_F_before && a.start && a.X && a.Y
                 ? LF_OK
                 : lf_no_memory(ctx);
    if (!status) {
        covariances_forward(&a);
        for (size_t from = 0; from < march->n; from += width) {
            size_t columns = from + width < march->n ? width : march->n - from;
            lf_state_strip_forward(&a, from, columns, march->step[from]);
            lf_state_strip_backward(&a, from, columns, march->step[from]);
        }
        covariances_backward(&a);
        status = parameters_backward(ctx, &a);
    }
    adjoint_clear(&a);
    return status;
}

lf_status lf_state_covariance_gradient(lf_context *ctx, const lf_model *model, const lf_point_set *A,
                                       const lf_point_set *B, const double *G, size_t ld, double *gradient)
{
    enum { KEEP = 4096 }; /* the derivatives by all transitions are kept too */
    return lf_state_blocks(ctx, model, A, B, KEEP, gradient_block, &(lf_state_weights){G, ld, gradient});
}
