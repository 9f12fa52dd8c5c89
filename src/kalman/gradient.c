/* Reverse-mode differentiation of the filter. With g = d/dm and X = d/dP (symmetric) after a step, and L = I - K H,
 *
 *   measurement update:  d/dR_i = (K'X K)_ii - (K'g)_i w_i + 1/2 (w_i^2 - S^-1_ii),     d/dy = K'g - w
 *                        X <- L'X L + 1/2 [ L'g (H'w)' + H'w (L'g)' + H'(w w' - S^-1) H ],     g <- L'g + H'w
 *   time update:         d/dA = 2 X A P + g m',   d/dQ = X,   X <- A'X A,   g <- A'g
 *
 * The derivative of P through K is 0, because K minimises P. d/dA and d/dQ are summed over all steps with the same gap
 * and propagated to F and W once for each gap. */
#include "kalman/gradient.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

typedef struct adjoint {
    double *g, *X;       /* (stride), (n, stride) */
    double *by_A, *by_Q; /* (cached + 1, n, stride); the last slot is for gaps that are not cached */
    double *by_F, *by_W; /* (n, stride) */
    double *U, *C;       /* (max_rows, stride), (max_rows, max_rows) */
    double *scratch;     /* (2, n, stride) */
    double *gradient;    /* (parameters) */
} adjoint;

static void adjoint_clear(adjoint *a)
{
    free(a->g);
    free(a->X);
    free(a->by_A);
    free(a->by_Q);
    free(a->by_F);
    free(a->by_W);
    free(a->U);
    free(a->C);
    free(a->scratch);
}

static int adjoint_create(const lf_filter *filter, double *gradient, adjoint *a)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride;
    *a = (adjoint){.g = lf_doubles(s, 1),
                   .X = lf_doubles(size, 1),
                   .by_A = lf_doubles(filter->cached + 1, size),
                   .by_Q = lf_doubles(filter->cached + 1, size),
                   .by_F = lf_doubles(size, 1),
                   .by_W = lf_doubles(size, 1),
                   .U = lf_doubles(filter->max_rows, s),
                   .C = lf_doubles(filter->max_rows, filter->max_rows),
                   .scratch = lf_doubles(2, size),
                   .gradient = gradient};
    return a->g && a->X && a->by_A && a->by_Q && a->by_F && a->by_W && a->U && a->C && a->scratch;
}

static void measurement_update_backward(adjoint *a, const lf_filter *filter, size_t step,
                                        const lf_filter_record *record)
{
    const lf_timeline *t = filter->timeline;
    const lf_model *model = filter->space->model;
    const int *first = filter->space->first;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    if (m == 0) {
        return;
    }
    lf_update_sandwich_transposed(filter, step, record, a->X, a->U, a->C);
    double *Kt_g = a->U; /* (m) K'g; U is no longer needed */
    for (size_t i = 0; i < m; i++) {
        Kt_g[i] = lf_row_product((int)s, record->Kt + i * s, a->g);
    }
    for (size_t i = 0; i < m; i++) {
        int d = t->output[from + i];
        double w = record->w[i];
        a->g[first[d]] -= Kt_g[i]; /* L'g */
        a->gradient[lf_index_noise(model, d)] +=
            a->C[i * m + i] - Kt_g[i] * w + 0.5 * (w * w - record->S_inverse[i * m + i]);
        a->gradient[lf_index_offset(model, d)] -= (Kt_g[i] - w) / model->outputs[d].scale;
    }
    for (size_t i = 0; i < m; i++) {
        size_t row = (size_t)first[t->output[from + i]];
        double half = 0.5 * record->w[i];
        for (size_t j = 0; j < n; j++) {
            a->X[row * s + j] += half * a->g[j];
            a->X[j * s + row] += half * a->g[j];
        }
        for (size_t k = 0; k < m; k++) {
            a->X[row * s + (size_t)first[t->output[from + k]]] +=
                half * record->w[k] - 0.5 * record->S_inverse[i * m + k];
        }
    }
    for (size_t i = 0; i < m; i++) {
        a->g[first[t->output[from + i]]] += record->w[i];
    }
}

static void time_update_backward(adjoint *a, lf_filter *filter, size_t step, const double *A,
                                 const lf_filter_record *previous)
{
    const lf_state_space *space = filter->space;
    const lf_sparsity *sparsity = &space->sparsity;
    size_t size = lf_sparsity_size(sparsity), s = (size_t)sparsity->stride,
           gap = (size_t)filter->timeline->gap_index[step];
    int cached = gap < filter->cached;
    double *by_A = a->by_A + (cached ? gap : filter->cached) * size,
           *by_Q = a->by_Q + (cached ? gap : filter->cached) * size;
    if (!cached) {
        memset(by_A, 0, size * sizeof *by_A);
        memset(by_Q, 0, size * sizeof *by_Q);
    }
    for (size_t i = 0; i < size; i++) {
        by_Q[i] += a->X[i];
    }
    for (size_t i = 0; i < (size_t)sparsity->n; i++) {
        for (int e = sparsity->row_start[i]; e < sparsity->row_start[i + 1]; e++) {
            by_A[i * s + (size_t)sparsity->columns[e]] += a->g[i] * previous->mean[sparsity->columns[e]];
        }
    }
    lf_sparse_sandwich_backward(sparsity, A, previous->P, a->X, a->scratch, a->X, by_A);
    lf_sparse_multiply_transposed_vector(sparsity, A, a->g, a->scratch);
    memcpy(a->g, a->scratch, (size_t)sparsity->n * sizeof *a->g);
    if (!cached) {
        lf_transition_backward(space, space->F, filter->timeline->gap_length[gap], by_A, by_Q, &filter->transition_work,
                               a->by_F, a->by_W);
    }
}

static lf_status backward_step(void *user, lf_filter *filter, size_t step, const lf_filter_record *record,
                               const lf_filter_record *previous)
{
    adjoint *a = user;
    measurement_update_backward(a, filter, step, record);
    if (record->A) {
        time_update_backward(a, filter, step, record->A, previous);
    }
    return LF_OK;
}

lf_status lf_kalman_gradient(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline, const double *y,
                             const double *noise, double *log_likelihood, double *gradient)
{
    size_t size = lf_sparsity_size(&space->sparsity);
    lf_filter filter;
    adjoint a = {0};
    lf_status status = lf_filter_create(ctx, space, timeline, y, noise, NULL, NULL, &filter);
    status = status ? status : adjoint_create(&filter, gradient, &a) ? LF_OK : lf_no_memory(ctx);
    status = status ? status : lf_filter_backward_pass(&filter, backward_step, &a, log_likelihood);
    for (size_t g = 0; !status && g < filter.cached; g++) {
        lf_transition_backward(space, space->F, timeline->gap_length[g], a.by_A + g * size, a.by_Q + g * size,
                               &filter.transition_work, a.by_F, a.by_W);
    }
    status = status ? status : lf_state_space_backward(ctx, space, a.by_F, a.by_W, a.X, gradient);
    adjoint_clear(&a);
    lf_filter_clear(&filter);
    return status;
}
