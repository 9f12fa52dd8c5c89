/* What rounding does to the log likelihood of a filter. Each step rounds the covariance P of the state by about eps sqrt(P_ii P_jj),
 * and its mean by eps |m_i|. Later steps carry these errors on: to first order an error E of P becomes (I - K H) A E A' (I - K H)',
 * an error of the mean (I - K H) (A error + E H' w). A large variance that the rows have made small leaves errors behind that are
 * large against what is left. They are followed as probes: vectors d with E = eps d d' and random signs, so that the mean of d d'
 * over signs is the sum of the errors of all steps. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/rounding.h"
#include "kalman/filter.h"

lf_status lf_filter_estimate_rounding(lf_filter *filter)
{
    filter->probes = lf_doubles(2 * LF_PROBES + 2, (size_t)filter->space->sparsity.stride);
    filter->magnitude = lf_doubles(3, filter->max_rows);
    return filter->probes && filter->magnitude ? LF_OK : lf_no_memory(filter->ctx);
}

static double random_sign(lf_filter *filter)
{
    filter->signs = filter->signs * 1664525u + 1013904223u; /* the same in every run */
    return filter->signs >> 31 ? 1 : -1;
}

static double *probe(lf_filter *filter, int index)
{
    return filter->probes + (size_t)index * (size_t)filter->space->sparsity.stride;
}

void lf_filter_begin_rounding(lf_filter *filter, size_t step, const double *A)
{
    const lf_timeline *t = filter->timeline;
    const lf_sparsity *sparsity = &filter->space->sparsity;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from, s = (size_t)sparsity->stride;
    const lf_measurements *measurements = &filter->measurements;
    double *v = filter->magnitude, *g = v + filter->max_rows;
    for (size_t i = 0; i < m; i++) {
        int d = t->measured[from + i];
        v[i] = filter->noise[t->row[from + i]];
        for (int e = measurements->start[d]; e < measurements->start[d + 1]; e++) {
            const double *row = filter->P + (size_t)measurements->state[e] * s;
            v[i] += measurements->value[e] * lf_measure(measurements, d, row);
        }
        g[i] = 0;
    }
    for (int k = 0; k < LF_PROBES; k++) {
        double *d = probe(filter, 2 * k), *shift = probe(filter, 2 * k + 1), *next = probe(filter, 2 * LF_PROBES);
        if (step && lf_filter_resets(filter, step - 1)) {
            lf_filter_reset(filter, step - 1, d, NULL, 0);
            lf_filter_reset(filter, step - 1, shift, NULL, 0);
        }
        if (A) {
            lf_sparse_multiply_vector(sparsity, A, d, next);
            memcpy(d, next, (size_t)sparsity->n * sizeof *d);
            lf_sparse_multiply_vector(sparsity, A, shift, next);
            memcpy(shift, next, (size_t)sparsity->n * sizeof *shift);
        }
        for (size_t i = 0; i < m; i++) {
            double of_d = lf_measure(measurements, t->measured[from + i], d),
                   of_shift = lf_measure(measurements, t->measured[from + i], shift);
            v[i] += of_d * of_d / LF_PROBES;
            g[i] += of_shift * of_shift / LF_PROBES;
        }
    }
    double *deviation = probe(filter, 2 * LF_PROBES), *mean = probe(filter, 2 * LF_PROBES + 1);
    for (size_t j = 0; j < (size_t)sparsity->n; j++) {
        deviation[j] = sqrt(fmax(0, filter->P[j * s + j]));
        mean[j] = fabs(filter->mean[j]);
    }
    for (size_t i = 0; i < m; i++) {
        g[i] = sqrt(g[i]) + fabs(filter->y[t->row[from + i]]);
    }
}

/* d = (I - K H) d. Returns w'H d of the old d. */
static double take_rows(lf_filter *filter, size_t step, double *d)
{
    const lf_timeline *t = filter->timeline;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    double *Hd = filter->magnitude + 2 * filter->max_rows, sum = 0;
    for (size_t i = 0; i < m; i++) {
        Hd[i] = lf_measure(&filter->measurements, t->measured[from + i], d);
        sum += filter->w[i] * Hd[i];
    }
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            d[j] -= filter->Kt[i * s + j] * Hd[i];
        }
    }
    return sum;
}

void lf_filter_end_rounding(lf_filter *filter, size_t step)
{
    size_t rows = filter->timeline->first_row[step + 1] - filter->timeline->first_row[step];
    const double *deviation = probe(filter, 2 * LF_PROBES), *mean = probe(filter, 2 * LF_PROBES + 1);
    for (int k = 0; k < LF_PROBES; k++) {
        double *d = probe(filter, 2 * k), *shift = probe(filter, 2 * k + 1);
        double moved = take_rows(filter, step, d);
        take_rows(filter, step, shift);
        for (size_t j = 0; j < (size_t)filter->space->n; j++) {
            shift[j] += moved * d[j] + random_sign(filter) * fmax(mean[j], fabs(filter->mean[j]));
            d[j] += random_sign(filter) * deviation[j];
        }
    }
    filter->rounding += lf_rounding_error(rows, filter->magnitude, filter->S, filter->max_rows + 1, filter->w,
                                          filter->magnitude + filter->max_rows);
}
