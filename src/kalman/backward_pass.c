/* Back along the filter without storing it whole: its state is kept at the start of each segment of steps, and the segment is
 * run once more when its turn comes, now with everything on record. Segments are as long as their number, which needs
 * the least memory, but no longer than fits into the cache. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/widest.h"
#include "kalman/filter.h"

enum { LONGEST = 128 };

/* What one segment leaves behind; entry 0 is the state it starts from. */
typedef struct trail {
    double *mean, *P, *own;  /* (entries, stride), twice (entries, n, stride) */
    double *G, *w, *inverse; /* rows of one step after the other, widest each */
    lf_filter_record record[LONGEST + 1];
} trail;

static void trail_clear(trail *t)
{
    free(t->mean);
    free(t->P);
    free(t->own);
    free(t->G);
    free(t->w);
    free(t->inverse);
}

/* One entry more than a segment has steps. */
static int trail_create(const lf_filter *filter, size_t entries, trail *t)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride;
    size_t widest = filter->widest;
    *t = (trail){.mean = lf_doubles(entries, s),
                 .P = lf_doubles(entries, size),
                 .own = lf_doubles(entries, size),
                 .G = lf_doubles(entries * widest, s),
                 .w = lf_doubles(entries, widest),
                 .inverse = lf_doubles(entries, widest * widest)};
    if (!t->mean || !t->P || !t->own || !t->G || !t->w || !t->inverse) {
        return 0;
    }
    for (size_t i = 0; i < entries; i++) {
        t->record[i] = (lf_filter_record){.mean = t->mean + i * s,
                                          .P = t->P + i * size,
                                          .own = t->own + i * size,
                                          .G = t->G + i * widest * s,
                                          .w = t->w + i * widest,
                                          .inverse = t->inverse + i * widest * widest};
    }
    return 1;
}

/* Runs the segment from its kept state and visits its steps, last first. */
static lf_status visit_segment(lf_filter *filter, size_t first, size_t count, const double *mean, const double *P,
                               trail *t, lf_visit visit, void *user)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride;
    double unused = 0;
    memcpy(filter->mean, mean, s * sizeof *mean);
    memcpy(filter->P, P, size * sizeof *P);
    memcpy(t->mean, mean, s * sizeof *mean);
    memcpy(t->P, P, size * sizeof *P);
    lf_status status = LF_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = lf_filter_step(filter, first + i, &t->record[i + 1], &unused);
    }
    for (size_t i = count; !status && i-- > 0;) {
        status = visit(user, filter, first + i, &t->record[i + 1], first + i ? &t->record[i] : NULL);
    }
    return status;
}

lf_status lf_filter_backward_pass(lf_filter *filter, lf_visit visit, void *user, double *log_likelihood)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride;
    size_t steps = filter->timeline->step_count, length = (size_t)fmin(LONGEST, ceil(sqrt((double)steps)));
    size_t segments = (steps + length - 1) / length;
    double *means = lf_doubles(segments, s), *Ps = lf_doubles(segments, size);
    trail *t = calloc(1, sizeof *t);
    lf_status status = means && Ps && t && trail_create(filter, length + 1, t) ? LF_OK : lf_no_memory(filter->ctx);
    *log_likelihood = 0;
    for (size_t k = 0; !status && k < steps; k++) {
        if (k % length == 0) {
            memcpy(means + k / length * s, filter->mean, s * sizeof *means);
            memcpy(Ps + k / length * size, filter->P, size * sizeof *Ps);
        }
        status = lf_filter_step(filter, k, NULL, log_likelihood);
    }
    status = status ? status : lf_filter_check(filter, *log_likelihood);
    for (size_t g = segments; !status && g-- > 0;) {
        size_t first = g * length, count = steps - first < length ? steps - first : length;
        status = visit_segment(filter, first, count, means + g * s, Ps + g * size, t, visit, user);
    }
    if (t) {
        trail_clear(t);
    }
    free(t);
    free(means);
    free(Ps);
    return status;
}

/* U (m, stride) = G X, X (n, stride). */
WIDEST static void gather(size_t m, size_t n, size_t s, const double *restrict G, const double *restrict X,
                          double *restrict U)
{
    if (m >= LF_MANY_ROWS) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)s, (int)n, 1, G, (int)s, X, (int)s, 0, U,
                    (int)s);
        return;
    }
    memset(U, 0, m * s * sizeof *U);
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < n; k++) {
            for (size_t j = 0; j < s; j++) {
                U[i * s + j] += G[i * s + k] * X[k * s + j];
            }
        }
    }
}

void lf_gain_apply_transposed(const lf_filter *filter, size_t step, const lf_filter_record *record, double *X,
                              double *U)
{
    const lf_timeline *t = filter->timeline;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    gather(m, n, s, record->G, X, U);
    for (size_t i = 0; i < m; i++) {
        double *row = X + (size_t)filter->space->first[t->output[from + i]] * s;
        for (size_t j = 0; j < n; j++) {
            row[j] -= U[i * s + j];
        }
    }
}

void lf_gain_backward(const lf_filter *filter, size_t step, const lf_filter_record *record, double *X, double *U,
                      double *C)
{
    const lf_timeline *t = filter->timeline;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    const int *first = filter->space->first;
    gather(m, n, s, record->G, X, U);
    if (m >= LF_MANY_ROWS) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)m, (int)s, 1, U, (int)s, record->G, (int)s, 0,
                    C, (int)m);
    }
    for (size_t i = 0; m < LF_MANY_ROWS && i < m; i++) {
        for (size_t k = 0; k < m; k++) {
            C[i * m + k] = lf_row_product((int)s, U + i * s, record->G + k * s);
        }
    }
    for (size_t i = 0; i < m; i++) {
        size_t state = (size_t)first[t->output[from + i]];
        for (size_t j = 0; j < n; j++) {
            X[state * s + j] -= U[i * s + j];
            X[j * s + state] -= U[i * s + j];
        }
    }
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < m; k++) {
            X[(size_t)first[t->output[from + i]] * s + (size_t)first[t->output[from + k]]] += C[i * m + k];
        }
    }
}
