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
    size_t *later_ask;   /* (questions) which they are */
    size_t later_count;
    double *mean, *variance, *covariance; /* the answers */
    size_t asked;
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
    free(z->later_ask);
}

static int smoother_create(const lf_filter *filter, int joint, smoother *z)
{
    const lf_timeline *t = filter->timeline;
    size_t size = lf_pattern_size(&filter->space->pattern), s = (size_t)filter->space->pattern.stride, most = 1;
    for (size_t k = 0; k < t->step_count; k++) {
        size_t count = t->first_ask[k + 1] - t->first_ask[k];
        most = count > most ? count : most;
    }
    z->asked = t->first_ask[t->step_count];
    z->r = lf_doubles(s, 1);
    z->N = lf_doubles(size, 1);
    z->U = lf_doubles(filter->widest, s);
    z->C = lf_doubles(filter->widest, filter->widest);
    z->spare = lf_doubles(2, size);
    z->rows = lf_doubles(most, s);
    z->seen = lf_doubles(most, s);
    z->told = lf_doubles(s, 1);
    z->later = joint ? lf_doubles(z->asked, s) : NULL;
    z->way = lf_doubles(size, 1);
    z->later_ask = calloc(z->asked + 1, sizeof *z->later_ask);
    return z->r && z->N && z->U && z->C && z->spare && z->rows && z->seen && z->told && (z->later || !joint) &&
           z->way && z->later_ask;
}

/* y (stride) = X x, X (n, stride). */
static void multiply(const lf_state_space *space, const double *X, const double *x, double *y)
{
    for (int i = 0; i < space->n; i++) {
        y[i] = lf_row_product(space->pattern.stride, X + (size_t)i * (size_t)space->pattern.stride, x);
    }
}

/* Brings the v of all later questions to the step where the walk stands. */
static void bring_up_to_date(smoother *z, const lf_state_space *space)
{
    size_t s = (size_t)space->pattern.stride, n = (size_t)space->n;
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
    int s = filter->space->pattern.stride;
    size_t stride = (size_t)s, from = t->first_ask[step], count = t->first_ask[step + 1] - from;
    bring_up_to_date(z, filter->space);
    for (size_t i = 0; i < count; i++) {
        const double *seen = z->seen + i * stride;
        size_t one = t->ask[from + i];
        for (size_t j = 0; j < z->later_count; j++) {
            size_t other = z->later_ask[j];
            z->covariance[one * z->asked + other] = z->covariance[other * z->asked + one] =
                lf_row_product(s, seen, z->later + j * stride);
        }
        multiply(filter->space, z->N, seen, z->told);
        for (size_t j = 0; j <= i; j++) {
            size_t other = t->ask[from + j];
            double value =
                lf_row_product(s, seen, z->rows + j * stride) - lf_row_product(s, z->told, z->seen + j * stride);
            z->covariance[one * z->asked + other] = z->covariance[other * z->asked + one] = value;
        }
    }
    for (size_t i = 0; i < count; i++) {
        double *v = z->later + z->later_count * stride;
        multiply(filter->space, z->N, z->seen + i * stride, z->told);
        for (size_t j = 0; j < stride; j++) {
            v[j] = z->rows[i * stride + j] - z->told[j];
        }
        z->later_ask[z->later_count++] = t->ask[from + i];
    }
}

static void answer(smoother *z, const lf_filter *filter, size_t step, const lf_moment *moment)
{
    const lf_timeline *t = filter->timeline;
    int s = filter->space->pattern.stride;
    size_t from = t->first_ask[step], count = t->first_ask[step + 1] - from;
    for (size_t i = 0; i < count; i++) {
        double *h = z->rows + i * (size_t)s, *seen = z->seen + i * (size_t)s;
        size_t ask = t->ask[from + i];
        lf_state_space_row(filter->space, t->target[from + i], h);
        multiply(filter->space, moment->P, h, seen);
        z->mean[ask] = lf_row_product(s, h, moment->mean) + lf_row_product(s, seen, z->r);
        if (z->variance) {
            multiply(filter->space, z->N, seen, z->told);
            double value = lf_row_product(s, h, seen) - lf_row_product(s, seen, z->told);
            z->variance[ask] = fmax(value, 0);
        }
    }
    if (z->later && count) {
        answer_jointly(z, filter, step);
    }
}

/* v <- L'v: only the entries of the states that were observed change. */
static void absorb_vector(const lf_filter *filter, size_t step, const lf_moment *moment, double *gains, double *v)
{
    const lf_timeline *t = filter->timeline;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from, s = (size_t)filter->space->pattern.stride;
    for (size_t i = 0; i < m; i++) {
        gains[i] = lf_row_product((int)s, moment->G + i * s, v);
    }
    for (size_t i = 0; i < m; i++) {
        v[filter->space->first[t->output[from + i]]] -= gains[i];
    }
}

static void absorb_backward(smoother *z, const lf_filter *filter, size_t step, const lf_moment *moment)
{
    const lf_timeline *t = filter->timeline;
    const int *first = filter->space->first;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from, s = (size_t)filter->space->pattern.stride;
    lf_gain_backward(filter, step, moment, z->N, z->U, z->C);
    absorb_vector(filter, step, moment, z->U, z->r);
    for (size_t i = 0; i < m; i++) {
        size_t row = (size_t)first[t->output[from + i]];
        z->r[row] += moment->w[i];
        for (size_t k = 0; k < m; k++) {
            z->N[row * s + (size_t)first[t->output[from + k]]] += moment->inverse[i * m + k];
        }
    }
    if (z->later) {
        lf_gain_apply_transposed(filter, step, moment, z->way, z->U);
    }
}

static void move_backward(smoother *z, const lf_pattern *pattern, const double *A)
{
    lf_pattern_sandwich_backward(pattern, A, NULL, z->N, z->spare, z->N, NULL);
    lf_pattern_apply_transposed_vector(pattern, A, z->r, z->spare);
    memcpy(z->r, z->spare, (size_t)pattern->n * sizeof *z->r);
    if (z->later) {
        lf_pattern_apply_transposed(pattern, A, z->way, z->spare);
        memcpy(z->way, z->spare, lf_pattern_size(pattern) * sizeof *z->way);
    }
}

static lf_status visit(void *user, lf_filter *filter, size_t step, const lf_moment *moment, const lf_moment *before)
{
    smoother *z = user;
    (void)before;
    answer(z, filter, step, moment);
    absorb_backward(z, filter, step, moment);
    if (moment->A) {
        move_backward(z, &filter->space->pattern, moment->A);
    }
    return LF_OK;
}

lf_status lf_kalman_answer(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline, const double *y,
                           const double *noise, const double *start_mean, const double *start_P, double *mean,
                           double *variance, double *covariance)
{
    lf_filter filter;
    smoother z = {.mean = mean, .variance = variance, .covariance = covariance};
    double unused;
    lf_status status = lf_filter_create(ctx, space, timeline, y, noise, start_mean, start_P, &filter);
    status = status ? status : smoother_create(&filter, covariance != NULL, &z) ? LF_OK : lf_no_memory(ctx);
    status = status ? status : lf_filter_walk_back(&filter, visit, &z, &unused);
    smoother_clear(&z);
    lf_filter_clear(&filter);
    return status;
}
