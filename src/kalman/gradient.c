/* Reverse mode through the filter. With the derivatives g = d/dm and X = d/dP (symmetric) after a step, and L = I - K H,
 *
 *   absorb:  d/dR_i = (K'X K)_ii - (K'g)_i w_i + 1/2 (w_i^2 - S^-1_ii),     d/dy = K'g - w
 *            X <- L'X L + 1/2 [ L'g (H'w)' + H'w (L'g)' + H'(w w' - S^-1) H ],     g <- L'g + H'w
 *   move:    d/dA = 2 X A P + g m',   d/dQ = X,   X <- A'X A,   g <- A'g
 * (d K may be left out of d P: K minimises it.) The derivatives by A and Q are summed for each distinct gap and taken back
 * to F and W once for each. */
#include "kalman/gradient.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

typedef struct adjoint {
    double *g, *X;       /* (stride), (n, stride) */
    double *by_A, *by_Q; /* (kept + 1, n, stride); the last is for gaps that are not kept */
    double *by_F, *by_W; /* (n, stride) */
    double *U, *C;       /* (widest, stride), (widest, widest) */
    double *spare;       /* 2 matrices */
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
    free(a->spare);
}

static int adjoint_create(const lf_filter *filter, double *gradient, adjoint *a)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride;
    *a = (adjoint){.g = lf_doubles(s, 1),
                   .X = lf_doubles(size, 1),
                   .by_A = lf_doubles(filter->kept + 1, size),
                   .by_Q = lf_doubles(filter->kept + 1, size),
                   .by_F = lf_doubles(size, 1),
                   .by_W = lf_doubles(size, 1),
                   .U = lf_doubles(filter->widest, s),
                   .C = lf_doubles(filter->widest, filter->widest),
                   .spare = lf_doubles(2, size),
                   .gradient = gradient};
    return a->g && a->X && a->by_A && a->by_Q && a->by_F && a->by_W && a->U && a->C && a->spare;
}

static void absorb_backward(adjoint *a, const lf_filter *filter, size_t step, const lf_filter_record *record)
{
    const lf_timeline *t = filter->timeline;
    const lf_model *model = filter->space->model;
    const int *first = filter->space->first;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    if (m == 0) {
        return;
    }
    lf_gain_backward(filter, step, record, a->X, a->U, a->C);
    double *gain = a->U; /* (m) K'g: U has done its work */
    for (size_t i = 0; i < m; i++) {
        gain[i] = lf_row_product((int)s, record->G + i * s, a->g);
    }
    for (size_t i = 0; i < m; i++) {
        int d = t->output[from + i];
        double w = record->w[i];
        a->g[first[d]] -= gain[i]; /* L'g */
        a->gradient[lf_index_noise(model, d)] +=
            a->C[i * m + i] - gain[i] * w + 0.5 * (w * w - record->inverse[i * m + i]);
        a->gradient[lf_index_offset(model, d)] -= (gain[i] - w) / model->outputs[d].scale;
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
                half * record->w[k] - 0.5 * record->inverse[i * m + k];
        }
    }
    for (size_t i = 0; i < m; i++) {
        a->g[first[t->output[from + i]]] += record->w[i];
    }
}

static void move_backward(adjoint *a, lf_filter *filter, size_t step, const double *A, const lf_filter_record *before)
{
    const lf_state_space *space = filter->space;
    const lf_sparsity *sparsity = &space->sparsity;
    size_t size = lf_sparsity_size(sparsity), s = (size_t)sparsity->stride, gap = (size_t)filter->timeline->gap[step];
    int kept = gap < filter->kept;
    double *by_A = a->by_A + (kept ? gap : filter->kept) * size, *by_Q = a->by_Q + (kept ? gap : filter->kept) * size;
    if (!kept) {
        memset(by_A, 0, size * sizeof *by_A);
        memset(by_Q, 0, size * sizeof *by_Q);
    }
    for (size_t i = 0; i < size; i++) {
        by_Q[i] += a->X[i];
    }
    for (size_t i = 0; i < (size_t)sparsity->n; i++) {
        for (int e = sparsity->row_start[i]; e < sparsity->row_start[i + 1]; e++) {
            by_A[i * s + (size_t)sparsity->columns[e]] += a->g[i] * before->mean[sparsity->columns[e]];
        }
    }
    lf_sparse_sandwich_backward(sparsity, A, before->P, a->X, a->spare, a->X, by_A);
    lf_sparse_multiply_transposed_vector(sparsity, A, a->g, a->spare);
    memcpy(a->g, a->spare, (size_t)sparsity->n * sizeof *a->g);
    if (!kept) {
        lf_transition_backward(space, filter->timeline->gaps[gap], by_A, by_Q, &filter->work, a->by_F, a->by_W);
    }
}

static lf_status visit(void *user, lf_filter *filter, size_t step, const lf_filter_record *record,
                       const lf_filter_record *before)
{
    adjoint *a = user;
    absorb_backward(a, filter, step, record);
    if (record->A) {
        move_backward(a, filter, step, record->A, before);
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
    status = status ? status : lf_filter_backward_pass(&filter, visit, &a, log_likelihood);
    for (size_t g = 0; !status && g < filter.kept; g++) {
        lf_transition_backward(space, timeline->gaps[g], a.by_A + g * size, a.by_Q + g * size, &filter.work, a.by_F,
                               a.by_W);
    }
    status = status ? status : lf_state_space_backward(ctx, space, a.by_F, a.by_W, a.X, gradient);
    adjoint_clear(&a);
    lf_filter_clear(&filter);
    return status;
}
