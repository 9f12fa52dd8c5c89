/* The gradient over a strip of columns: forward through all steps, and back (state_gradient.c has the equations). */
#include <string.h>

#include "exact/state_adjoint.h"

/* The weight of the covariance that point i reads from column j <= i (positions in the timeline). */
static double weight_of(const lf_state_adjoint *a, size_t i, size_t j)
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

void lf_state_strip_forward(const lf_state_adjoint *a, size_t from, size_t width, size_t k0)
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
                X[i * width + j - from] =
                    lf_row_product((int)s, lf_state_adjoint_covariance(a, k) + i * s, march->rows + j * s);
            }
        }
    }
}

/* The points of step k read the columns of the strip. */
static void read_backward(const lf_state_adjoint *a, size_t from, size_t width, size_t k, const double *X)
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
                    lf_state_adjoint_row(a, i, e, g * X[e * width + j - from]);
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

void lf_state_strip_backward(const lf_state_adjoint *a, size_t from, size_t width, size_t k0)
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
                lf_state_adjoint_before_origin(a, k, a->by_A + gap * a->size, a->by_Q + gap * a->size);
            }
        }
    }
}
