/* Smoothing without inverting a covariance (Bryson and Frazier): walking back along the filter, with L = I - K H,
 *
 *   absorb:  r <- L'r + H'w,   N <- L'N L + H'S^-1 H         move:  r <- A'r,   N <- A'N A
 * carry what the rows after a step say of its state, which given all rows has mean m + P r and covariance P - P N P. The
 * covariance of h'x at a step with g'x at a later one is h'P v, where v = (I - N P) g there and v <- A'L'v on the way back;
 * the products of A'L' between two steps with questions are taken first, and applied to all v at once. */
#include "kalman/smoother.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

typedef struct smoother {
    double *r, *N;       /* (stride), (n, stride) */
    double *U, *C;       /* (widest, stride), (widest, widest) */
    double *spare;       /* 2 matrices */
    double *rows, *seen; /* (most questions of a step, stride): h and P h */
    double *told;        /* (stride) N P h */
    double *later;       /* (questions, stride) v of the questions met so far; NULL: no covariances */
    double *way;         /* (n, stride) the product of A'L' since they were brought up to date */
    size_t *later_query; /* (questions) which they are */
    size_t later_count;
    double *mean, *variance, *covariance; /* the answers */
    size_t queries;
} smoother;

static void smoother_clear(smoother *z)
{
    free(z->r);
    free(z->N);
    free(z->U);
    free(z->C);
    free(z->spare);
    free(z->rows);
    free(z->seen);
    free(z->told);
    free(z->later);
    free(z->way);
    free(z->later_query);
}

static int smoother_create(const lf_filter *filter, int joint, smoother *z)
{
    const lf_timeline *t = filter->timeline;
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride, most = 1;
    for (size_t k = 0; k < t->step_count; k++) {
        size_t count = t->first_query[k + 1] - t->first_query[k];
        most = count > most ? count : most;
    }
    z->queries = t->first_query[t->step_count];
    z->r = lf_doubles(s, 1);
    z->N = lf_doubles(size, 1);
    z->U = lf_doubles(filter->widest, s);
    z->C = lf_doubles(filter->widest, filter->widest);
    z->spare = lf_doubles(2, size);
    z->rows = lf_doubles(most, s);
    z->seen = lf_doubles(most, s);
    z->told = lf_doubles(s, 1);
    z->later = joint ? lf_doubles(z->queries, s) : NULL;
    z->way = lf_doubles(size, 1);
    z->later_query = calloc(z->queries + 1, sizeof *z->later_query);
    return z->r && z->N && z->U && z->C && z->spare && z->rows && z->seen && z->told && (z->later || !joint) &&
           z->way && z->later_query;
}

/* y (stride) = X x, X (n, stride). */
static void multiply(const lf_state_space *space, const double *X, const double *x, double *y)
{
    for (int i = 0; i < space->n; i++) {
        y[i] = lf_row_product(space->sparsity.stride, X + (size_t)i * (size_t)space->sparsity.stride, x);
    }
}

/* Brings the v of all later questions to the step where the walk stands. */
static void bring_up_to_date(smoother *z, const lf_state_space *space)
{
    size_t s = (size_t)space->sparsity.stride, n = (size_t)space->n;
    for (size_t j = 0; j < z->later_count; j++) {
        multiply(space, z->way, z->later + j * s, z->told);
        memcpy(z->later + j * s, z->told, n * sizeof *z->told);
    }
    memset(z->way, 0, n * s * sizeof *z->way);
    for (size_t i = 0; i < n; i++) {
        z->way[i * s + i] = 1;
    }
}

/* Covariances of the questions of a step with those at later steps and among each other. */
static void answer_jointly(smoother *z, const lf_filter *filter, size_t step)
{
    const lf_timeline *t = filter->timeline;
    int s = filter->space->sparsity.stride;
    size_t stride = (size_t)s, from = t->first_query[step], count = t->first_query[step + 1] - from;
    bring_up_to_date(z, filter->space);
    for (size_t i = 0; i < count; i++) {
        const double *seen = z->seen + i * stride;
        size_t one = t->query[from + i];
        for (size_t j = 0; j < z->later_count; j++) {
            size_t other = z->later_query[j];
            z->covariance[one * z->queries + other] = z->covariance[other * z->queries + one] =
                lf_row_product(s, seen, z->later + j * stride);
        }
        multiply(filter->space, z->N, seen, z->told);
        for (size_t j = 0; j <= i; j++) {
            size_t other = t->query[from + j];
            double value =
                lf_row_product(s, seen, z->rows + j * stride) - lf_row_product(s, z->told, z->seen + j * stride);
            z->covariance[one * z->queries + other] = z->covariance[other * z->queries + one] = value;
        }
    }
    for (size_t i = 0; i < count; i++) {
        double *v = z->later + z->later_count * stride;
        multiply(filter->space, z->N, z->seen + i * stride, z->told);
        for (size_t j = 0; j < stride; j++) {
            v[j] = z->rows[i * stride + j] - z->told[j];
        }
        z->later_query[z->later_count++] = t->query[from + i];
    }
}

static void answer(smoother *z, const lf_filter *filter, size_t step, const lf_filter_record *record)
{
    const lf_timeline *t = filter->timeline;
    int s = filter->space->sparsity.stride;
    size_t from = t->first_query[step], count = t->first_query[step + 1] - from;
    for (size_t i = 0; i < count; i++) {
        double *h = z->rows + i * (size_t)s, *seen = z->seen + i * (size_t)s;
        size_t query = t->query[from + i];
        lf_state_space_row(filter->space, t->target[from + i], h);
        multiply(filter->space, record->P, h, seen);
        z->mean[query] = lf_row_product(s, h, record->mean) + lf_row_product(s, seen, z->r);
        if (z->variance) {
            multiply(filter->space, z->N, seen, z->told);
            double value = lf_row_product(s, h, seen) - lf_row_product(s, seen, z->told);
            z->variance[query] = fmax(value, 0);
        }
    }
    if (z->later && count) {
        answer_jointly(z, filter, step);
    }
}

/* v <- L'v: only the entries of the states that were observed change. */
static void absorb_vector(const lf_filter *filter, size_t step, const lf_filter_record *record, double *gains,
                          double *v)
{
    const lf_timeline *t = filter->timeline;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from, s = (size_t)filter->space->sparsity.stride;
    for (size_t i = 0; i < m; i++) {
        gains[i] = lf_row_product((int)s, record->G + i * s, v);
    }
    for (size_t i = 0; i < m; i++) {
        v[filter->space->first[t->output[from + i]]] -= gains[i];
    }
}

static void absorb_backward(smoother *z, const lf_filter *filter, size_t step, const lf_filter_record *record)
{
    const lf_timeline *t = filter->timeline;
    const int *first = filter->space->first;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from, s = (size_t)filter->space->sparsity.stride;
    lf_gain_backward(filter, step, record, z->N, z->U, z->C);
    absorb_vector(filter, step, record, z->U, z->r);
    for (size_t i = 0; i < m; i++) {
        size_t row = (size_t)first[t->output[from + i]];
        z->r[row] += record->w[i];
        for (size_t k = 0; k < m; k++) {
            z->N[row * s + (size_t)first[t->output[from + k]]] += record->inverse[i * m + k];
        }
    }
    if (z->later) {
        lf_gain_apply_transposed(filter, step, record, z->way, z->U);
    }
}

static void move_backward(smoother *z, const lf_sparsity *sparsity, const double *A)
{
    lf_sparse_sandwich_backward(sparsity, A, NULL, z->N, z->spare, z->N, NULL);
    lf_sparse_multiply_transposed_vector(sparsity, A, z->r, z->spare);
    memcpy(z->r, z->spare, (size_t)sparsity->n * sizeof *z->r);
    if (z->later) {
        lf_sparse_multiply_transposed(sparsity, A, z->way, z->spare);
        memcpy(z->way, z->spare, lf_sparsity_size(sparsity) * sizeof *z->way);
    }
}

static lf_status visit(void *user, lf_filter *filter, size_t step, const lf_filter_record *record,
                       const lf_filter_record *before)
{
    smoother *z = user;
    (void)before;
    answer(z, filter, step, record);
    absorb_backward(z, filter, step, record);
    if (record->A) {
        move_backward(z, &filter->space->sparsity, record->A);
    }
    return LF_OK;
}

lf_status lf_kalman_smooth(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline, const double *y,
                           const double *noise, const double *start_mean, const double *start_P, double *mean,
                           double *variance, double *covariance)
{
    lf_filter filter;
    smoother z = {.mean = mean, .variance = variance, .covariance = covariance};
    double unused;
    lf_status status = lf_filter_create(ctx, space, timeline, y, noise, start_mean, start_P, &filter);
    status = status ? status : smoother_create(&filter, covariance != NULL, &z) ? LF_OK : lf_no_memory(ctx);
    status = status ? status : lf_filter_backward_pass(&filter, visit, &z, &unused);
    smoother_clear(&z);
    lf_filter_clear(&filter);
    return status;
}
