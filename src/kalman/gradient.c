/* Reverse-mode differentiation of the filter. With g = d/dm and X = d/dP (symmetric) after a step, and L = I - K H,
 *
 *   measurement update:  d/dR_i = (K'X K)_ii - (K'g)_i w_i + 1/2 (w_i^2 - S^-1_ii),     d/dy = K'g - w
 *                        d/dH = (w - K'g) m' + w (P g)' - K' - 2 K'X P,   m and P after the update
 *                        X <- L'X L + 1/2 [ L'g (H'w)' + H'w (L'g)' + H'(w w' - S^-1) H ],     g <- L'g + H'w
 *   time update:         d/dA = 2 X A P + g m',   d/dQ = X,   X <- A'X A,   g <- A'g
 *
 * Where P is constant, the sum of X is enough (stretch_gradient.c). The derivative of P through K is 0, because K minimises P. d/dA and d/dQ
 * are summed over all steps with the same gap and propagated to F and W once for each gap. */
#include "kalman/gradient.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/widest.h"
#include "dynamics/start_covariance.h"
#include "kalman/adjoint.h"

static void adjoint_clear(lf_adjoint *a)
{
    free(a->g);
    free(a->X);
    free(a->by_A);
    free(a->by_Q);
    free(a->by_F);
    free(a->by_W);
    free(a->U);
    free(a->C);
    free(a->Kt_g);
    free(a->scratch);
    free(a->by_H);
    free(a->reset_mean);
    free(a->reset_P);
    free(a->sums.work);
}

static int adjoint_create(const lf_filter *filter, const lf_targets *targets, double *gradient, lf_adjoint *a)
{
    const lf_measurements *measurements = &filter->measurements;
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride;
    size_t measured = (size_t)filter->space->model->output_count + filter->timeline->average_count;
    *a = (lf_adjoint){.g = lf_doubles(s, 1),
                      .X = lf_doubles(size, 1),
                      .by_A = lf_doubles(filter->cached + 1, size),
                      .by_Q = lf_doubles(filter->cached + 1, size),
                      .by_F = lf_doubles(size, 1),
                      .by_W = lf_doubles(size, 1),
                      .U = lf_doubles(filter->max_rows, s),
                      .C = lf_doubles(filter->max_rows, filter->max_rows),
                      .Kt_g = lf_doubles(filter->max_rows, 1),
                      .scratch = lf_doubles(2, size),
                      .by_H = lf_doubles((size_t)measurements->start[measured], 1),
                      .reset_mean = lf_doubles(s, 1),
                      .reset_P = lf_doubles(filter->timeline->averages ? size : 1, 1),
                      .by_y = targets->by_y,
                      .by_noise = targets->by_noise,
                      .gradient = gradient};
    return a->g && a->X && a->by_A && a->by_Q && a->by_F && a->by_W && a->U && a->C && a->Kt_g && a->scratch &&
           a->by_H && a->reset_mean && a->reset_P;
}

/* Adds to by_H, before g changes. a->U holds K'X. */
static void measurements_backward(lf_adjoint *a, const lf_filter *filter, size_t step, const lf_filter_record *record)
{
    const lf_timeline *t = filter->timeline;
    const lf_measurements *measurements = &filter->measurements;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from, s = (size_t)filter->space->sparsity.stride;
    for (size_t i = 0; i < m; i++) {
        const double *Kt = record->Kt + i * s, *Kt_X = a->U + i * s;
        double w = record->w[i], factor = w - lf_row_product((int)s, Kt, a->g);
        for (int e = measurements->start[t->measured[from + i]]; e < measurements->start[t->measured[from + i] + 1];
             e++) {
            int state = measurements->state[e];
            const double *P = record->P + (size_t)state * s;
            a->by_H[e] += factor * record->mean[state] + w * lf_row_product((int)s, P, a->g) - Kt[state] -
                          2 * lf_row_product((int)s, Kt_X, P);
        }
    }
}

void lf_adjoint_update(const lf_filter *filter, size_t step, const lf_filter_record *record, lf_adjoint *a)
{
    const lf_timeline *t = filter->timeline;
    size_t m = t->first_row[step + 1] - t->first_row[step], s = (size_t)filter->space->sparsity.stride;
    for (size_t i = 0; i < m; i++) {
        double half = 0.5 * record->w[i], *U = a->U + i * s;
        for (size_t j = 0; j < s; j++) {
            U[j] = half * a->g[j] - U[j];
        }
        for (size_t k = 0; k < m; k++) {
            a->C[i * m + k] += half * record->w[k] - 0.5 * record->S_inverse[i * m + k];
        }
    }
    lf_update_add(filter, step, 1, a->U, a->C, a->X);
}

/* y (stride) += factor x. */
static inline void add(size_t s, double factor, const double *restrict x, double *restrict y)
{
    for (size_t j = 0; j < s; j++) {
        y[j] += factor * x[j];
    }
}

WIDEST static void move_mean(size_t n, size_t s, const double *A, const double *mean, const double *g, double *by_A,
                             double *next)
{
    memset(next, 0, s * sizeof *next);
    for (size_t i = 0; i < n; i++) {
        add(s, g[i], mean, by_A + i * s);
        add(s, g[i], A + i * s, next);
    }
}

void lf_adjoint_move_mean(const lf_filter *filter, const double *A, const double *mean, lf_adjoint *a, double *by_A)
{
    size_t n = (size_t)filter->space->n;
    move_mean(n, (size_t)filter->space->sparsity.stride, A, mean, a->g, by_A, a->scratch);
    memcpy(a->g, a->scratch, n * sizeof *a->g);
}

static void measurement_update_backward(lf_adjoint *a, const lf_filter *filter, size_t step,
                                        const lf_filter_record *record)
{
    const lf_timeline *t = filter->timeline;
    const lf_model *model = filter->space->model;
    const lf_measurements *measurements = &filter->measurements;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from;
    size_t s = (size_t)filter->space->sparsity.stride;
    if (m == 0) {
        return;
    }
    lf_update_products(filter, step, record, a->X, a->U, a->C);
    if (filter->space->measurements.vary) {
        measurements_backward(a, filter, step, record);
    }
    double *Kt_g = a->Kt_g;
    for (size_t i = 0; i < m; i++) {
        Kt_g[i] = lf_row_product((int)s, record->Kt + i * s, a->g);
    }
    for (size_t i = 0; i < m; i++) {
        int d = t->output[from + i];
        double w = record->w[i];
        lf_measure_backward(measurements, t->measured[from + i], -Kt_g[i], a->g); /* L'g */
        double by_noise = a->C[i * m + i] - Kt_g[i] * w + 0.5 * (w * w - record->S_inverse[i * m + i]);
        a->gradient[lf_index_noise(model, d)] += by_noise;
        if (a->by_noise) {
            a->by_noise[t->row[from + i]] = by_noise;
        }
        a->by_y[t->row[from + i]] = Kt_g[i] - w;
    }
    lf_adjoint_update(filter, step, record, a);
    for (size_t i = 0; i < m; i++) {
        lf_measure_backward(measurements, t->measured[from + i], record->w[i], a->g);
    }
}

/* What the derivatives by the transition of a gap after the start, given by its number, add to those by F and W. */
static void transition_backward(lf_adjoint *a, lf_filter *filter, size_t gap, const double *by_A, const double *by_Q)
{
    const lf_state_space *space = filter->space;
    double length = filter->timeline->gap_length[gap];
    if (!lf_transition_table_add(&filter->table, length, by_A, by_Q)) {
        lf_transition_backward(space, space->F, length, by_A, by_Q, &filter->transition_work, a->by_F, a->by_W);
    }
}

static void time_update_backward(lf_adjoint *a, lf_filter *filter, size_t step, const double *A, const double *mean,
                                 const double *P)
{
    const lf_state_space *space = filter->space;
    const lf_sparsity *sparsity = &space->sparsity;
    size_t size = lf_sparsity_size(sparsity), gap = (size_t)filter->timeline->gap_index[step];
    size_t slot = gap < filter->cached ? gap : filter->cached;
    double *by_A = a->by_A + slot * size, *by_Q = a->by_Q + slot * size;
    int cached = slot < filter->cached;
    if (!cached) {
        memset(by_A, 0, size * sizeof *by_A);
        memcpy(by_Q, a->X, size * sizeof *by_Q);
    }
    for (size_t i = 0; cached && i < size; i++) {
        by_Q[i] += a->X[i];
    }
    lf_sparse_sandwich_backward(sparsity, A, P, a->X, a->scratch, a->X, by_A);
    lf_adjoint_move_mean(filter, A, mean, a, by_A);
    if (!cached) {
        transition_backward(a, filter, gap, by_A, by_Q);
    }
}

static lf_status backward_step(void *user, lf_filter *filter, size_t step, const lf_filter_record *record,
                               const lf_filter_record *previous)
{
    lf_adjoint *a = user;
    if (record->stretch) {
        return lf_stretch_backward(a, filter, step, record, previous);
    }
    measurement_update_backward(a, filter, step, record);
    int resets = step && lf_filter_resets(filter, step - 1);
    const double *mean = previous ? previous->mean : NULL, *P = previous ? previous->P : NULL;
    if (resets && record->A) { /* the time update begins with integrators at 0 */
        size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride;
        mean = memcpy(a->reset_mean, mean, s * sizeof *mean);
        P = memcpy(a->reset_P, P, size * sizeof *P);
        lf_filter_reset(filter, step - 1, a->reset_mean, a->reset_P, 0);
    }
    if (record->A) {
        time_update_backward(a, filter, step, record->A, mean, P);
    }
    if (resets) {
        lf_filter_reset(filter, step - 1, a->g, a->X, 0);
    }
    return LF_OK;
}

lf_status lf_kalman_gradient(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline,
                             const lf_targets *targets, lf_record_storage *storage, double *log_likelihood,
                             double *gradient)
{
    size_t size = lf_sparsity_size(&space->sparsity);
    lf_filter filter;
    lf_adjoint a = {0};
    lf_status status = lf_filter_create(ctx, space, timeline, targets->y, targets->noise, NULL, NULL, &filter);
    filter.search.on =
        filter.search.on && !targets->by_noise; /* stretches have the derivatives by noise in their sum alone */
    filter.storage = storage;
    LF_TRY(status, adjoint_create(&filter, targets, gradient, &a) ? LF_OK : lf_no_memory(ctx));
    LF_TRY(status, lf_transition_table_begin_backward(ctx, &filter.table));
    LF_TRY(status, lf_filter_backward_pass(&filter, backward_step, &a, log_likelihood));
    for (size_t g = 0; !status && g < filter.cached; g++) {
        transition_backward(&a, &filter, g, a.by_A + g * size, a.by_Q + g * size);
    }
    LF_TRY(status, lf_transition_table_end_backward(ctx, &filter.table, &filter.transition_work, a.by_F, a.by_W));
    if (!status && timeline->step_count) {
        lf_start_covariance_backward(space, timeline->time[0], a.X, a.by_F);
    }
    LF_TRY(status, lf_state_space_backward(ctx, space, a.by_F, a.by_W, a.X, a.by_H, gradient));
    adjoint_clear(&a);
    lf_filter_clear(&filter);
    return status;
}
