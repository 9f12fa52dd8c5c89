/* The gradient over a stretch of constant covariance. There gradient.c needs the matrices X of the steps only in their sum: with
 * Phi = L A R and M the terms of g and w in the measurement update, X before a step is
 *
 *   X <- R A'(L'X L + M) A R = Phi'X Phi + R A'M A R
 *
 * and the sum S of X over the steps obeys S = Phi'S Phi + R A' (sum of M) A R + X_end - X_begin, which is solved by doubling. X_begin, from
 * where the pass goes on, depends on the steps that the filter remembers: it is computed by the recursion over the first of them. All
 * that remains to be done for each step are products of A with vectors. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/widest.h"
#include "kalman/adjoint.h"

static lf_status create_sums(const lf_filter *filter, lf_stretch_sums *sums)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity), s = (size_t)filter->space->sparsity.stride,
           rows = filter->max_rows;
    sums->work = lf_doubles(7 * size + 3 * rows * s + rows * rows, 1);
    if (!sums->work) {
        return lf_no_memory(filter->ctx);
    }
    double **matrices[] = {&sums->X_end, &sums->M, &sums->S, &sums->Phi, &sums->square, &sums->product, &sums->scaled};
    double *next = sums->work;
    for (size_t i = 0; i < 7; i++, next += size) {
        *matrices[i] = next;
    }
    sums->w_Lg = next;
    sums->of_mean = sums->w_Lg + rows * s;
    sums->w_g = sums->of_mean + rows * s;
    sums->w_w = sums->w_g + rows * s;
    return LF_OK;
}

static void begin(const lf_adjoint *a, const lf_filter *filter, size_t rows)
{
    const lf_stretch_sums *sums = &a->sums;
    size_t s = (size_t)filter->space->sparsity.stride;
    memcpy(sums->X_end, a->X, lf_sparsity_size(&filter->space->sparsity) * sizeof(double));
    memset(sums->w_Lg, 0, rows * s * sizeof(double));
    memset(sums->of_mean, 0, rows * s * sizeof(double));
    memset(sums->w_g, 0, rows * s * sizeof(double));
    memset(sums->w_w, 0, rows * rows * sizeof(double));
}

/* y (stride) += factor x. */
static inline void add(size_t s, double factor, const double *restrict x, double *restrict y)
{
    for (size_t j = 0; j < s; j++) {
        y[j] += factor * x[j];
    }
}

/* The measurement update of a step: sums, derivatives by noise and rows, g <- L'g. */
WIDEST static void take_rows(lf_adjoint *a, const lf_filter *filter, size_t step, const lf_filter_record *record)
{
    const lf_timeline *t = filter->timeline;
    const lf_stretch_sums *sums = &a->sums;
    const lf_measurements *measurements = &filter->measurements;
    size_t from = t->first_row[step], m = record->stretch->rows, s = (size_t)filter->space->sparsity.stride;
    double *Kt_g = a->Kt_g;
    for (size_t i = 0; i < m; i++) {
        Kt_g[i] = lf_row_product((int)s, record->Kt + i * s, a->g);
    }
    for (size_t i = 0; measurements->vary && i < m; i++) {
        add(s, record->w[i] - Kt_g[i], record->mean, sums->of_mean + i * s);
        add(s, record->w[i], a->g, sums->w_g + i * s);
    }
    for (size_t i = 0; i < m; i++) {
        double w = record->w[i];
        a->gradient[lf_index_noise(filter->space->model, t->output[from + i])] += 0.5 * w * w - Kt_g[i] * w;
        a->by_y[t->row[from + i]] = Kt_g[i] - w;
        lf_measure_backward(measurements, t->measured[from + i], -Kt_g[i], a->g);
    }
    for (size_t i = 0; i < m; i++) {
        add(s, record->w[i], a->g, sums->w_Lg + i * s);
        for (size_t k = 0; k < m; k++) {
            sums->w_w[i * m + k] += record->w[i] * record->w[k];
        }
    }
}

/* Solves S = Phi'S Phi + S0 in place; powers of Phi beyond `reach` vanish. */
static void sum_powers(const lf_filter *filter, lf_stretch_sums *sums, size_t reach)
{
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride, size = n * s;
    double *Phi = sums->Phi, *square = sums->square;
    for (size_t terms = 1; terms < reach; terms *= 2) {
        lf_full_multiply(n, s, sums->S, Phi, sums->product);
        memset(sums->scaled, 0, size * sizeof(double));
        lf_transpose((int)n, (int)s, sums->product, sums->scaled); /* (S Phi)' = Phi'S */
        lf_full_multiply(n, s, sums->scaled, Phi, sums->product);
        add(size, 1, sums->product, sums->S);
        lf_full_multiply(n, s, Phi, Phi, square);
        double *swap = Phi;
        Phi = square;
        square = swap;
    }
    lf_symmetrise((int)n, (int)s, sums->S);
}

/* Sum of M over the steps. */
static void sum_updates(const lf_filter *filter, size_t step, const lf_filter_record *record, lf_stretch_sums *sums)
{
    const lf_timeline *t = filter->timeline;
    const lf_measurements *measurements = &filter->measurements;
    const lf_stretch *stretch = record->stretch;
    size_t from = t->first_row[step], m = stretch->rows, n = (size_t)filter->space->n,
           s = (size_t)filter->space->sparsity.stride;
    double count = (double)(stretch->last - stretch->first + 1);
    memset(sums->M, 0, n * s * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        int d = t->measured[from + i];
        for (int e = measurements->start[d]; e < measurements->start[d + 1]; e++) {
            size_t row = (size_t)measurements->state[e];
            double factor = 0.5 * measurements->value[e];
            for (size_t j = 0; j < n; j++) {
                sums->M[row * s + j] += factor * sums->w_Lg[i * s + j];
                sums->M[j * s + row] += factor * sums->w_Lg[i * s + j];
            }
        }
        for (size_t k = 0; k < m; k++) {
            double factor = 0.5 * (sums->w_w[i * m + k] - count * stretch->S_inverse[i * m + k]);
            lf_measure_pair_backward(measurements, d, t->measured[from + k], factor, s, sums->M);
        }
    }
}

/* Adds to the derivatives what depends on the sum of X. */
static void finish(lf_adjoint *a, lf_filter *filter, size_t step, const lf_filter_record *record)
{
    const lf_timeline *t = filter->timeline;
    const lf_sparsity *sparsity = &filter->space->sparsity;
    const lf_measurements *measurements = &filter->measurements;
    const lf_stretch *stretch = record->stretch;
    lf_stretch_sums *sums = &a->sums;
    size_t size = lf_sparsity_size(sparsity), s = (size_t)sparsity->stride, from = t->first_row[step],
           m = stretch->rows;
    double count = (double)(stretch->last - stretch->first + 1);
    const double *P = stretch->P;
    int resets = lf_filter_resets(filter, step - 1);
    sum_updates(filter, step, record, sums);
    lf_sparse_sandwich_backward(sparsity, record->A, NULL, sums->M, a->scratch, sums->S, NULL);
    if (resets) {
        lf_filter_reset(filter, step - 1, NULL, sums->S, 0);
    }
    for (size_t i = 0; i < size; i++) {
        sums->S[i] += sums->X_end[i] - a->X[i];
    }
    lf_stretch_transition(filter, step, stretch->slot, stretch->Kt, sums->Phi);
    sum_powers(filter, sums, 4 * stretch->memory);
    lf_update_products(filter, step, record, sums->S, a->U, a->C);
    lf_update_add(filter, step, -1, a->U, a->C, sums->S); /* L'S L */
    for (size_t i = 0; i < m; i++) {
        int d = t->measured[from + i];
        a->gradient[lf_index_noise(filter->space->model, t->output[from + i])] +=
            a->C[i * m + i] - 0.5 * count * stretch->S_inverse[i * m + i];
        for (int e = measurements->start[d]; measurements->vary && e < measurements->start[d + 1]; e++) {
            size_t state = (size_t)measurements->state[e];
            a->by_H[e] += sums->of_mean[i * s + state] + lf_row_product((int)s, P + state * s, sums->w_g + i * s) -
                          count * stretch->Kt[i * s + state] - 2 * lf_row_product((int)s, P + state * s, a->U + i * s);
        }
    }
    add(size, 1, sums->M, sums->S);
    add(size, 1, sums->S, a->by_Q + stretch->slot * size);
    if (resets) {
        P = memcpy(a->reset_P, P, size * sizeof *P);
        lf_filter_reset(filter, step - 1, NULL, a->reset_P, 0);
    }
    lf_sparse_sandwich_backward(sparsity, record->A, P, sums->S, a->scratch, sums->S, a->by_A + stretch->slot * size);
}

lf_status lf_stretch_backward(lf_adjoint *a, lf_filter *filter, size_t step, const lf_filter_record *record,
                              const lf_filter_record *previous)
{
    const lf_stretch *stretch = record->stretch;
    const lf_timeline *t = filter->timeline;
    const lf_sparsity *sparsity = &filter->space->sparsity;
    size_t size = lf_sparsity_size(sparsity), s = (size_t)sparsity->stride, place = step - stretch->first,
           remembered = 2 * stretch->memory; /* to 1e-16 */
    int near = place < remembered, resets = lf_filter_resets(filter, step - 1);
    lf_status status = a->sums.work ? LF_OK : create_sums(filter, &a->sums);
    if (status) {
        return status;
    }
    if (step == stretch->last) {
        begin(a, filter, stretch->rows);
    }
    if (place + 1 == remembered) {
        memset(a->X, 0, size * sizeof *a->X);
    }
    if (near) {
        lf_update_products(filter, step, record, a->X, a->U, a->C);
    }
    take_rows(a, filter, step, record);
    if (near) {
        lf_adjoint_update(filter, step, record, a);
        lf_sparse_sandwich_backward(sparsity, record->A, NULL, a->X, a->scratch, a->X, NULL);
    }
    for (size_t i = 0; i < stretch->rows; i++) {
        lf_measure_backward(&filter->measurements, t->measured[t->first_row[step] + i], record->w[i], a->g);
    }
    const double *mean = previous->mean;
    if (resets) {
        mean = memcpy(a->reset_mean, mean, s * sizeof *mean);
        lf_filter_reset(filter, step - 1, a->reset_mean, NULL, 0);
    }
    lf_adjoint_move_mean(filter, record->A, mean, a, a->by_A + stretch->slot * size);
    if (resets) {
        lf_filter_reset(filter, step - 1, a->g, near ? a->X : NULL, 0);
    }
    if (place == 0) {
        finish(a, filter, step, record);
    }
    return LF_OK;
}
