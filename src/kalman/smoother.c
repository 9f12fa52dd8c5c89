/* The modified Bryson-Frazier smoother, which inverts no covariance. In the backward pass, with L = I - K H,
 *
 *   measurement update:  r <- L'r + H'w,   N <- L'N L + H'S^-1 H
 *   time update:         r <- A'r,         N <- A'N A
 *
 * Given all rows, the state at a step has mean m + P r and covariance P - P N P, where m and P are those of the filter.
 * The covariance of h'x at a step with g'x at a later step is h'P v, where v = (I - N P) g at the later step, and then
 * v <- A'L'v in the backward pass. The products of A'L' between two steps with queries are accumulated first and then
 * applied to all v. */
#include "kalman/smoother.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

typedef struct smoother {
    double *r, *N;      /* (stride), (n, stride) */
    double *U, *C;      /* (max_rows, stride), (max_rows, max_rows) */
    double *scratch;    /* (2, n, stride) */
    double *h, *Ph;     /* (queries of a step, stride) */
    double *NPh;        /* (stride) */
    double *v;          /* (v_count, stride) of the queries at later steps, room for all; NULL: no covariances */
    double *propagator; /* (n, stride) product of A'L' since it was last applied to v */
    size_t *v_query;    /* (v_count) their queries */
    size_t v_count;     /* queries at later steps */
    double *mean, *variance, *covariance; /* results */
    size_t query_count;
} smoother;

static void smoother_clear(smoother *sm)
{
    free(sm->r);
    free(sm->N);
    free(sm->U);
    free(sm->C);
    free(sm->scratch);
    free(sm->h);
    free(sm->Ph);
    free(sm->NPh);
    free(sm->v);
    free(sm->propagator);
    free(sm->v_query);
}

static int smoother_create(const lf_filter *filter, int joint, smoother *sm)
{
    const lf_timeline *t = filter->timeline;
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride,
           max_queries = 1;
    for (size_t k = 0; k < t->step_count; k++) {
        size_t count = t->first_query[k + 1] - t->first_query[k];
        max_queries = count > max_queries ? count : max_queries;
    }
    sm->query_count = t->first_query[t->step_count];
    sm->r = lf_doubles(s, 1);
    sm->N = lf_doubles(size, 1);
    sm->U = lf_doubles(filter->max_rows, s);
    sm->C = lf_doubles(filter->max_rows, filter->max_rows);
    sm->scratch = lf_doubles(2, size);
    sm->h = lf_doubles(max_queries, s);
    sm->Ph = lf_doubles(max_queries, s);
    sm->NPh = lf_doubles(s, 1);
    sm->v = joint ? lf_doubles(sm->query_count, s) : NULL;
    sm->propagator = lf_doubles(size, 1);
    sm->v_query = calloc(sm->query_count + 1, sizeof *sm->v_query);
    return sm->r && sm->N && sm->U && sm->C && sm->scratch && sm->h && sm->Ph && sm->NPh && (sm->v || !joint) &&
           sm->propagator && sm->v_query;
}

/* y (stride) = X x, X (n, stride). */
static void multiply(const lf_state_space *space, const double *X, const double *x, double *y)
{
    for (int i = 0; i < space->n; i++) {
        y[i] = lf_row_product(space->sparsity.stride, X + (size_t)i * (size_t)space->sparsity.stride, x);
    }
}

/* y (stride) = X h, X (n, stride) symmetric, h with few entries. */
static void multiply_few(const lf_state_space *space, const double *X, const double *h, double *y)
{
    size_t s = (size_t)space->sparsity.stride;
    memset(y, 0, s * sizeof *y);
    for (size_t j = 0; j < (size_t)space->n; j++) {
        for (size_t i = 0; h[j] != 0 && i < s; i++) {
            y[i] += h[j] * X[j * s + i];
        }
    }
}

/* Applies the propagator to all v and resets it to I. */
static void propagate_v(smoother *sm, const lf_state_space *space)
{
    size_t s = (size_t)space->sparsity.stride, n = (size_t)space->n;
    for (size_t j = 0; j < sm->v_count; j++) {
        multiply(space, sm->propagator, sm->v + j * s, sm->NPh);
        memcpy(sm->v + j * s, sm->NPh, n * sizeof *sm->NPh);
    }
    memset(sm->propagator, 0, n * s * sizeof *sm->propagator);
    for (size_t i = 0; i < n; i++) {
        sm->propagator[i * s + i] = 1;
    }
}

/* Covariances of the queries of a step with those at later steps and with each other. */
static void smooth_covariances(smoother *sm, const lf_filter *filter, size_t step)
{
    const lf_timeline *t = filter->timeline;
    int s = filter->space->sparsity.stride;
    size_t stride = (size_t)s, from = t->first_query[step], count = t->first_query[step + 1] - from;
    propagate_v(sm, filter->space);
    for (size_t i = 0; i < count; i++) {
        const double *Ph = sm->Ph + i * stride;
        size_t one = t->query[from + i];
        for (size_t j = 0; j < sm->v_count; j++) {
            size_t other = sm->v_query[j];
            sm->covariance[one * sm->query_count + other] = sm->covariance[other * sm->query_count + one] =
                lf_row_product(s, Ph, sm->v + j * stride);
        }
        multiply(filter->space, sm->N, Ph, sm->NPh);
        for (size_t j = 0; j <= i; j++) {
            size_t other = t->query[from + j];
            double value = lf_row_product(s, Ph, sm->h + j * stride) - lf_row_product(s, sm->NPh, sm->Ph + j * stride);
            sm->covariance[one * sm->query_count + other] = sm->covariance[other * sm->query_count + one] = value;
        }
    }
    for (size_t i = 0; i < count; i++) {
        double *v = sm->v + sm->v_count * stride;
        multiply(filter->space, sm->N, sm->Ph + i * stride, sm->NPh);
        for (size_t j = 0; j < stride; j++) {
            v[j] = sm->h[i * stride + j] - sm->NPh[j];
        }
        sm->v_query[sm->v_count++] = t->query[from + i];
    }
}

/* The row (stride) of a query: of a target, or of an average. */
static void query_row(const lf_filter *filter, size_t query, double *h)
{
    const lf_timeline *t = filter->timeline;
    if (!t->asked || t->asked[query] < 0) {
        lf_state_space_row(filter->space, t->target[query], h);
        return;
    }
    memset(h, 0, (size_t)filter->space->sparsity.stride * sizeof *h);
    lf_measure_backward(&filter->measurements, filter->space->model->output_count + t->asked[query], 1, h);
}

static void smooth_queries(smoother *sm, const lf_filter *filter, size_t step, const lf_filter_record *record)
{
    const lf_timeline *t = filter->timeline;
    int s = filter->space->sparsity.stride;
    size_t from = t->first_query[step], count = t->first_query[step + 1] - from;
    for (size_t i = 0; i < count; i++) {
        double *h = sm->h + i * (size_t)s, *Ph = sm->Ph + i * (size_t)s;
        size_t query = t->query[from + i];
        query_row(filter, from + i, h);
        multiply_few(filter->space, record->P, h, Ph);
        sm->mean[query] = lf_row_product(s, h, record->mean) + lf_row_product(s, Ph, sm->r);
        if (sm->variance) {
            multiply(filter->space, sm->N, Ph, sm->NPh);
            double value = lf_row_product(s, h, Ph) - lf_row_product(s, Ph, sm->NPh);
            sm->variance[query] = value < 0 ? 0 : value; /* NaN stays NaN */
        }
    }
    if (sm->v && count) {
        smooth_covariances(sm, filter, step);
    }
}

/* v <- L'v, which changes only the observed states. */
static void multiply_update_transposed(const lf_filter *filter, size_t step, const lf_filter_record *record,
                                       double *Kt_v, double *v)
{
    const lf_timeline *t = filter->timeline;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from, s = (size_t)filter->space->sparsity.stride;
    for (size_t i = 0; i < m; i++) {
        Kt_v[i] = lf_row_product((int)s, record->Kt + i * s, v);
    }
    for (size_t i = 0; i < m; i++) {
        lf_measure_backward(&filter->measurements, t->measured[from + i], -Kt_v[i], v);
    }
}

/* Whether N need not be computed: means do without it, and it no longer changes once it has forgotten what comes after the stretch of the
 * step. */
static int is_settled(const smoother *sm, const lf_filter_record *record, size_t step)
{
    int wanted = sm->variance || sm->covariance;
    return !wanted || (record->stretch && record->stretch->last - step >= 2 * record->stretch->memory);
}

static void measurement_update_backward(smoother *sm, const lf_filter *filter, size_t step,
                                        const lf_filter_record *record)
{
    const lf_timeline *t = filter->timeline;
    const lf_measurements *measurements = &filter->measurements;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from;
    int settled = is_settled(sm, record, step);
    if (!settled) {
        lf_update_products(filter, step, record, sm->N, sm->U, sm->C);
        for (size_t i = 0; i < m * m; i++) {
            sm->C[i] += record->S_inverse[i];
        }
        lf_update_add(filter, step, -1, sm->U, sm->C, sm->N);
    }
    multiply_update_transposed(filter, step, record, sm->U, sm->r);
    for (size_t i = 0; i < m; i++) {
        lf_measure_backward(measurements, t->measured[from + i], record->w[i], sm->r);
    }
    if (sm->v) {
        lf_update_multiply_transposed(filter, step, record, sm->propagator, sm->U);
    }
}

static void time_update_backward(smoother *sm, const lf_sparsity *sparsity, const double *A, int settled)
{
    if (!settled) {
        lf_sparse_sandwich_backward(sparsity, A, NULL, sm->N, sm->scratch, sm->N, NULL);
    }
    lf_sparse_multiply_transposed_vector(sparsity, A, sm->r, sm->scratch);
    memcpy(sm->r, sm->scratch, (size_t)sparsity->n * sizeof *sm->r);
    if (sm->v) {
        lf_sparse_multiply_transposed(sparsity, A, sm->propagator, sm->scratch);
        memcpy(sm->propagator, sm->scratch, lf_sparsity_size(sparsity) * sizeof *sm->propagator);
    }
}

static lf_status backward_step(void *user, lf_filter *filter, size_t step, const lf_filter_record *record,
                               const lf_filter_record *previous)
{
    smoother *sm = user;
    (void)previous;
    smooth_queries(sm, filter, step, record);
    measurement_update_backward(sm, filter, step, record);
    if (record->A) {
        time_update_backward(sm, &filter->space->sparsity, record->A, is_settled(sm, record, step));
    }
    if (step && lf_filter_resets(filter, step - 1)) {
        lf_filter_reset(filter, step - 1, sm->r, sm->N, 0);
        lf_filter_reset(filter, step - 1, NULL, sm->propagator, 1);
    }
    return LF_OK;
}

lf_status lf_kalman_smooth(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline, const double *y,
                           const double *noise, const double *start_mean, const double *start_P, double *mean,
                           double *variance, double *covariance)
{
    lf_filter filter;
    smoother sm = {.mean = mean, .variance = variance, .covariance = covariance};
    double unused;
    lf_status status = lf_filter_create(ctx, space, timeline, y, noise, start_mean, start_P, &filter);
    LF_TRY(status, smoother_create(&filter, covariance != NULL, &sm) ? LF_OK : lf_no_memory(ctx));
    LF_TRY(status, lf_filter_backward_pass(&filter, backward_step, &sm, &unused));
    smoother_clear(&sm);
    lf_filter_clear(&filter);
    return status;
}
