/* Finds stretches of constant covariance. Steps alike are followed until the covariance changes by rounding alone; the powers of Phi then give
 * the number of steps after which it is constant. */
#include "kalman/stretch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/widest.h"
#include "kalman/filter.h"

enum { LOOKING, WAITING, DONE }; /* phases of a run of steps alike */
enum { EVERY = 4 };              /* steps from one comparison to the next */
enum { SHORTEST = 24 };          /* steps of a stretch that is worth its setup */

static const double close_to = 1e-13, forgotten = 1e-8;

/* Whether the same integrators are set to 0 after a step, which is not the first, and after the step before. */
static int same_resets(const lf_timeline *t, size_t step)
{
    if (!t->first_reset) {
        return 1;
    }
    size_t from = t->first_reset[step], count = t->first_reset[step + 1] - from, before = t->first_reset[step - 1];
    if (from - before != count) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (t->resets[from + i].output != t->resets[before + i].output ||
            t->resets[from + i].slot != t->resets[before + i].slot) {
            return 0;
        }
    }
    return 1;
}

/* Whether a step has the transition and the rows of the step before. */
static int is_alike(const lf_filter *filter, size_t step)
{
    const lf_timeline *t = filter->timeline;
    if (step < 2 || t->gap_index[step] < 0 || t->gap_index[step] != t->gap_index[step - 1] ||
        (size_t)t->gap_index[step] >= filter->cached) {
        return 0;
    }
    size_t from = t->first_row[step], before = t->first_row[step - 1], m = t->first_row[step + 1] - from;
    int alike = m == from - before && same_resets(t, step - 1);
    for (size_t i = 0; alike && i < m; i++) {
        alike = t->measured[from + i] == t->measured[before + i] &&
                filter->noise[t->row[from + i]] == filter->noise[t->row[before + i]];
    }
    return alike;
}

/* The last of the steps alike to this one. */
static size_t find_end(const lf_filter *filter, size_t step)
{
    while (step + 1 < filter->timeline->step_count && is_alike(filter, step + 1)) {
        step++;
    }
    return step;
}

/* Whether P has changed by rounding alone, relative to its variances. */
static int is_close(size_t n, size_t s, const double *P, const double *before)
{
    for (size_t i = 0; i < n; i++) {
        double deviation = close_to * sqrt(P[i * s + i]);
        for (size_t j = 0; j <= i; j++) {
            if (!(fabs(P[i * s + j] - before[i * s + j]) <= deviation * sqrt(P[j * s + j]))) {
                return 0;
            }
        }
    }
    return 1;
}

WIDEST static void multiply_full(size_t n, size_t s, const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t lane = 0; lane < s; lane += LF_LANE) {
            double sum[LF_LANE] = {0};
            for (size_t k = 0; k < n; k++) {
                const double *b = B + k * s + lane;
                for (size_t j = 0; j < LF_LANE; j++) {
                    sum[j] += A[i * s + k] * b[j];
                }
            }
            memcpy(C + i * s + lane, sum, sizeof sum);
        }
    }
}

void lf_full_multiply(size_t n, size_t stride, const double *A, const double *B, double *C)
{
    multiply_full(n, stride, A, B, C);
}

void lf_stretch_transition(const lf_filter *filter, size_t step, size_t slot, const double *Kt, double *Phi)
{
    const lf_timeline *t = filter->timeline;
    const lf_measurements *measurements = &filter->measurements;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from;
    const double *A = filter->A + slot * n * s;
    memcpy(Phi, A, n * s * sizeof *Phi);
    for (size_t i = 0; i < m; i++) {
        int d = t->measured[from + i];
        for (int e = measurements->start[d]; e < measurements->start[d + 1]; e++) {
            const double *row = A + (size_t)measurements->state[e] * s;
            for (size_t k = 0; k < n; k++) {
                double factor = Kt[i * s + k] * measurements->value[e];
                for (size_t j = 0; j < n; j++) {
                    Phi[k * s + j] -= factor * row[j];
                }
            }
        }
    }
    for (size_t k = 0; k < n && lf_filter_resets(filter, step - 1); k++) { /* columns: R comes first */
        lf_filter_reset(filter, step - 1, Phi + k * s, NULL, 0);
    }
}

/* The smallest power of 2 for which |Phi^memory|^2 is small, with states in units of their deviations; 0: none up to `most`. */
static size_t find_memory(const lf_filter *filter, size_t step, size_t most)
{
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride, memory = 1;
    size_t slot = (size_t)filter->timeline->gap_index[step];
    double *Phi = filter->scratch, *square = filter->scratch + n * s;
    const double *P = filter->search.predicted;
    lf_stretch_transition(filter, step, slot, filter->Kt, Phi);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            Phi[i * s + j] *= sqrt(P[j * s + j]) / sqrt(P[i * s + i]);
        }
    }
    for (;; memory *= 2) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            sum += lf_row_product((int)s, Phi + i * s, Phi + i * s);
        }
        if (!isfinite(sum) || memory > most) { /* a state without variance is infinite */
            return 0;
        }
        if (sum <= forgotten) {
            return memory;
        }
        multiply_full(n, s, Phi, Phi, square);
        double *swap = Phi;
        Phi = square;
        square = swap;
    }
}

void lf_stretch_before_update(lf_filter *filter, size_t step)
{
    lf_stretch_search *search = &filter->search;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride, size = n * s;
    if (!is_alike(filter, step)) {
        search->alike = 0;
        search->phase = LOOKING;
        return;
    }
    search->alike++;
    if (search->phase != LOOKING) {
        return;
    }
    if (search->alike % EVERY == EVERY - 1) {
        memcpy(search->predicted, filter->P, size * sizeof(double));
    } else if (search->alike % EVERY == 0 && is_close(n, s, filter->P, search->predicted)) {
        search->phase = WAITING;
        search->wait_until = 0; /* to be found when the gain is known */
    }
}

/* Keeps the covariances of a step for the steps after it, up to `last`. */
static lf_status add_stretch(lf_filter *filter, size_t step, size_t last)
{
    lf_stretch_search *search = &filter->search;
    const lf_timeline *t = filter->timeline;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride, size = n * s;
    size_t m = t->first_row[step + 1] - t->first_row[step], ld = filter->max_rows;
    if (search->count == search->room) {
        size_t room = 2 * search->room + 4;
        lf_stretch **grown = realloc(search->stretches, room * sizeof *grown);
        if (!grown) {
            return lf_no_memory(filter->ctx);
        }
        search->stretches = grown;
        search->room = room;
    }
    double *block = lf_doubles(2 * size + 2 * m * s + 2 * m * m, 1);
    lf_stretch *stretch = malloc(sizeof *stretch);
    if (!block || !stretch) {
        free(block);
        free(stretch);
        return lf_no_memory(filter->ctx);
    }
    search->stretches[search->count++] = stretch;
    *stretch = (lf_stretch){.first = step + 1,
                            .last = last,
                            .slot = (size_t)t->gap_index[step],
                            .memory = search->memory,
                            .rows = m,
                            .P = block,
                            .A_transposed = block + size,
                            .HP = block + 2 * size,
                            .Kt = block + 2 * size + m * s,
                            .S = block + 2 * size + 2 * m * s,
                            .S_inverse = block + 2 * size + 2 * m * s + m * m};
    memcpy(stretch->P, filter->P, size * sizeof(double));
    lf_transpose((int)n, (int)s, filter->A + stretch->slot * size, stretch->A_transposed);
    memcpy(stretch->HP, filter->HP, m * s * sizeof(double));
    memcpy(stretch->Kt, filter->Kt, m * s * sizeof(double));
    for (size_t i = 0; i < m; i++) {
        memcpy(stretch->S + i * m, filter->S + i * ld, m * sizeof(double));
        stretch->S_inverse[i * m + i] = 1;
        stretch->constant += 0.5 * log(2 * LF_PI) + log(filter->S[i * ld + i]);
    }
    lf_filter_solve(m, m, stretch->S, m, stretch->S_inverse);
    return LF_OK;
}

lf_status lf_stretch_after_update(lf_filter *filter, size_t step)
{
    lf_stretch_search *search = &filter->search;
    if (search->phase != WAITING) {
        return LF_OK;
    }
    if (search->wait_until == 0) {
        size_t left = find_end(filter, step) - step;
        search->memory = left >= SHORTEST ? find_memory(filter, step, left / 4) : 0;
        search->phase = search->memory ? WAITING : DONE;
        search->wait_until = step + search->memory;
        return LF_OK;
    }
    if (step < search->wait_until) {
        return LF_OK;
    }
    search->phase = DONE;
    size_t last = find_end(filter, step);
    return last - step >= SHORTEST ? add_stretch(filter, step, last) : LF_OK;
}

const lf_stretch *lf_stretch_find(lf_filter *filter, size_t step)
{
    lf_stretch_search *search = &filter->search;
    while (search->at < search->count && search->stretches[search->at]->last < step) {
        search->at++;
    }
    return search->at < search->count && search->stretches[search->at]->first <= step ? search->stretches[search->at]
                                                                                      : NULL;
}

void lf_stretch_seek(lf_filter *filter, size_t step)
{
    const lf_stretch_search *search = &filter->search;
    size_t low = 0, high = search->count; /* the first stretch that does not end before the step */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (search->stretches[middle]->last < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    filter->search.at = low;
}

void lf_stretch_search_clear(lf_stretch_search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        free(search->stretches[i]->P);
        free(search->stretches[i]);
    }
    free(search->stretches);
    free(search->predicted);
    *search = (lf_stretch_search){0};
}
