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
#include "exact/state_covariance.h"
#include "exact/state_march.h"

#define STRIP_DOUBLES 4e6 /* of the columns of one strip at all steps */

typedef struct weights {
    const double *G;
    size_t ld;
    double *gradient;
} weights;

typedef struct adjoint {
    lf_state_march *march;
    const weights *in;
    size_t size;         /* of a matrix */
    double *P;           /* (steps, n, stride) covariance of the states; stationary: (1, n, stride) */
    double *by_A, *by_Q; /* (gaps + 1, n, stride) the last: gaps before the origin, cleared after use */
    double *by_F, *by_W; /* (n, stride) */
    double *by_P;        /* (n, stride) */
    double *by_F_before; /* (n, stride) of F before the origin */
    double *start;       /* (points, stride) Y_kj of each column at its start */
    double *X, *Y;       /* strips: (steps of the strip, n, width), (n, width) */
} adjoint;

static void adjoint_clear(adjoint *a)
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

static int is_stationary(const lf_state_march *march) { return march->space.model->initial == LF_INITIAL_STATIONARY; }

/* The weight of the covariance that point i reads from column j <= i (positions in the timeline). */
static double weight_of(const adjoint *a, size_t i, size_t j)
{
    const lf_state_march *march = a->march;
    const lf_timeline *t = &march->timeline;
    size_t p = t->query[i], q = t->query[j], row = march->points.order[p], column = march->points.order[q];
    int p_in_a = p < march->side_a, q_in_a = q < march->side_a;
    const lf_model *model = march->space.model;
    if ((!march->symmetric && p_in_a == q_in_a) ||
        (lf_target_is_force(model, t->target[i]) && lf_target_is_force(model, t->target[j]))) {
        return 0;
    }
    const double *G = a->in->G;
    size_t ld = a->in->ld;
    if (march->lower) { /* both triangles */
        return i == j ? G[column * ld + row] : G[column * ld + row] + G[row * ld + column];
    }
    return p_in_a ? G[column * ld + row] : G[row * ld + column];
}

/* dL/dc of a point: only the row of a rate depends on the parameters, it is a row of F. */
static void add_row(const adjoint *a, size_t i, size_t state, double value)
{
    const lf_state_space *space = &a->march->space;
    int target = a->march->timeline.target[i];
    if (lf_target_is_rate(space->model, target)) {
        size_t first = (size_t)space->first[lf_target_output(space->model, target)];
        a->by_F[first * (size_t)space->sparsity.stride + state] += value;
    }
}

static const double *covariance_at(const adjoint *a, size_t step)
{
    return a->P + (is_stationary(a->march) ? 0 : step * a->size);
}

/* The columns `from` … `from + width - 1` at all steps from k0 on: a->X. */
static void strip_forward(const adjoint *a, size_t from, size_t width, size_t k0)
{
    lf_state_march *march = a->march;
    const lf_timeline *t = &march->timeline;
    size_t n = (size_t)march->space.n, s = (size_t)march->space.sparsity.stride;
    for (size_t k = k0; k < t->step_count; k++) {
        double *X = a->X + (k - k0) * n * width;
        const double *Q, *A = k > k0 ? lf_state_march_transition(march, k, &Q) : NULL;
        if (k > k0) {
            memcpy(X, X - n * width, n * width * sizeof *X);
        } else {
            memset(X, 0, n * width * sizeof *X);
        }
        if (A) {
            lf_state_march_columns(&march->space.sparsity, A, 0, width, width, X);
        }
        for (size_t j = t->first_query[k]; j < t->first_query[k + 1]; j++) {
            for (size_t i = 0; j >= from && j < from + width && i < n; i++) {
                X[i * width + j - from] = lf_row_product((int)s, covariance_at(a, k) + i * s, march->rows + j * s);
            }
        }
    }
}

/* The points of step k read the columns of the strip. */
static void read_backward(const adjoint *a, size_t from, size_t width, size_t k, const double *X)
{
    const lf_state_march *march = a->march;
    const lf_timeline *t = &march->timeline;
    size_t n = (size_t)march->space.n, s = (size_t)march->space.sparsity.stride;
    for (size_t i = t->first_query[k]; i < t->first_query[k + 1]; i++) {
        const double *row = march->rows + i * s;
        int rate = lf_target_is_rate(march->space.model, t->target[i]);
        for (size_t j = from; j <= i && j < from + width; j++) {
            double g = weight_of(a, i, j);
            for (size_t e = 0; g != 0 && e < n; e++) {
                a->Y[e * width + j - from] += g * row[e];
                if (rate) {
                    add_row(a, i, e, g * X[e * width + j - from]);
                }
            }
        }
    }
}

/* by_A += Y X', then Y = A'Y, over the columns of the strip. */
static void gap_backward(const lf_sparsity *sparsity, const double *A, size_t width, const double *X, double *by_A,
                         double *Y, double *next)
{
    size_t n = (size_t)sparsity->n, s = (size_t)sparsity->stride;
    memset(next, 0, n * width * sizeof *next);
    for (size_t i = 0; i < n; i++) {
        for (int e = sparsity->row_start[i]; e < sparsity->row_start[i + 1]; e++) {
            size_t k = (size_t)sparsity->columns[e];
            const double *x = X + k * width, *y = Y + i * width;
            double factor = A[i * s + k], sum = 0, *z = next + k * width;
            for (size_t j = 0; j < width; j++) {
                sum += y[j] * x[j];
                z[j] += factor * y[j];
            }
            by_A[i * s + k] += sum;
        }
    }
    memcpy(Y, next, n * width * sizeof *Y);
}

/* Adds by_A of a gap before the origin to the derivative by F before the origin. */
static void before_origin_backward(const adjoint *a, size_t step, double *by_A, double *by_Q)
{
    const lf_timeline *t = &a->march->timeline;
    lf_transition_backward(&a->march->space, a->march->space.F_before_origin, t->time[step] - t->time[step - 1], by_A,
                           by_Q, &a->march->work, a->by_F_before, a->by_W);
    memset(by_A, 0, a->size * sizeof *by_A);
    memset(by_Q, 0, a->size * sizeof *by_Q);
}

static void strip_backward(const adjoint *a, size_t from, size_t width, size_t k0)
{
    lf_state_march *march = a->march;
    const lf_timeline *t = &march->timeline;
    size_t n = (size_t)march->space.n, s = (size_t)march->space.sparsity.stride;
    double *next = a->Y + n * width;
    memset(a->Y, 0, n * width * sizeof *a->Y);
    for (size_t k = t->step_count; k-- > k0;) {
        const double *X = a->X + (k - k0) * n * width;
        read_backward(a, from, width, k, X);
        for (size_t j = t->first_query[k]; j < t->first_query[k + 1]; j++) {
            for (size_t i = 0; j >= from && j < from + width && i < n; i++) {
                a->start[j * s + i] = a->Y[i * width + j - from];
                a->Y[i * width + j - from] = 0;
            }
        }
        const double *Q, *A = k > k0 ? lf_state_march_transition(march, k, &Q) : NULL;
        if (A) {
            size_t gap = t->gap_index[k] < 0 ? t->gap_count : (size_t)t->gap_index[k];
            gap_backward(&march->space.sparsity, A, width, X - n * width, a->by_A + gap * a->size, a->Y, next);
            if (gap == t->gap_count) {
                before_origin_backward(a, k, a->by_A + gap * a->size, a->by_Q + gap * a->size);
            }
        }
    }
}

/* dL/dP_k of the columns that start at step k, added to by_P. */
static void starts_backward(const adjoint *a, size_t k)
{
    const lf_state_march *march = a->march;
    const lf_timeline *t = &march->timeline;
    size_t n = (size_t)march->space.n, s = (size_t)march->space.sparsity.stride;
    const double *P = covariance_at(a, k);
    for (size_t q = t->first_query[k]; q < t->first_query[k + 1]; q++) {
        const double *y = a->start + q * s, *c = march->rows + q * s;
        for (size_t i = 0; i < n; i++) {
            add_row(a, q, i, lf_row_product((int)s, P + i * s, y));
            for (size_t j = 0; j < n; j++) {
                a->by_P[i * s + j] += 0.5 * (y[i] * c[j] + c[i] * y[j]);
            }
        }
    }
}

static void covariances_backward(const adjoint *a)
{
    lf_state_march *march = a->march;
    const lf_timeline *t = &march->timeline;
    for (size_t k = t->step_count; k-- > 0;) {
        starts_backward(a, k);
        const double *Q, *A = is_stationary(march) ? NULL : lf_state_march_transition(march, k, &Q);
        if (A) {
            size_t gap = t->gap_index[k] < 0 ? t->gap_count : (size_t)t->gap_index[k];
            double *by_Q = a->by_Q + gap * a->size;
            for (size_t i = 0; i < a->size; i++) {
                by_Q[i] += a->by_P[i];
            }
            lf_sparse_sandwich_backward(&march->space.sparsity, A, covariance_at(a, k - 1), a->by_P, march->scratch,
                                        a->by_P, a->by_A + gap * a->size);
            if (gap == t->gap_count) {
                before_origin_backward(a, k, a->by_A + gap * a->size, by_Q);
            }
        }
    }
}

/* The covariance of the states at every step. */
static void covariances_forward(const adjoint *a)
{
    lf_state_march *march = a->march;
    memcpy(a->P, march->P, a->size * sizeof *a->P);
    for (size_t k = 1; k < march->timeline.step_count && !is_stationary(march); k++) {
        const double *Q, *A = lf_state_march_transition(march, k, &Q);
        if (A) {
            lf_state_march_advance(march, A, Q);
        }
        memcpy(a->P + k * a->size, march->P, a->size * sizeof *a->P);
    }
}

/* From the transitions to the parameters. */
static lf_status parameters_backward(lf_context *ctx, const adjoint *a)
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
    return lf_state_space_backward(ctx, &march->space, a->by_F, a->by_W, a->by_P, NULL, a->in->gradient);
}

static lf_status gradient_block(lf_context *ctx, lf_state_march *march, void *user)
{
    const lf_timeline *t = &march->timeline;
    size_t n = (size_t)march->space.n, size = lf_sparsity_size(&march->space.sparsity), steps = t->step_count;
    double room = STRIP_DOUBLES / ((double)steps * (double)n + 1);
    size_t width = room < 8 ? 8 : room < (double)march->n ? (size_t)room : march->n;
    adjoint a = {.march = march,
                 .in = user,
                 .size = size,
                 .P = lf_doubles(is_stationary(march) ? 1 : steps, size),
                 .by_A = lf_doubles(t->gap_count + 1, size),
                 .by_Q = lf_doubles(t->gap_count + 1, size),
                 .by_F = lf_doubles(1, size),
                 .by_W = lf_doubles(1, size),
                 .by_P = lf_doubles(1, size),
                 .by_F_before = lf_doubles(1, size),
                 .start = lf_doubles(march->n, (size_t)march->space.sparsity.stride),
                 .X = lf_doubles(steps * width, n),
                 .Y = lf_doubles(2 * width, n)};
    lf_status status = a.P && a.by_A && a.by_Q && a.by_F && a.by_W && a.by_P && a.by_F_before && a.start && a.X && a.Y
                           ? LF_OK
                           : lf_no_memory(ctx);
    if (!status) {
        covariances_forward(&a);
        for (size_t from = 0; from < march->n; from += width) {
            size_t columns = from + width < march->n ? width : march->n - from;
            strip_forward(&a, from, columns, march->step[from]);
            strip_backward(&a, from, columns, march->step[from]);
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
    return lf_state_blocks(ctx, model, A, B, KEEP, gradient_block, &(weights){G, ld, gradient});
}
