/* The shares of the parts of an output in the variance of its rows.
 *
 * A row is the sum of its parts: of each force, of the private or the white forces, of the start, of each known input, and of the
 * residual. Parts are correlated, so that their variances do not add up to that of the rows; lf_variance_shares divides what they have in
 * common. */
#include "report/shares.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"

#define MOST_MISSED 0.01 /* variance of what the parts miss of a mean, over that of the rows; more: digits were lost */

int lf_variance_shares(size_t p, double *C, double *shares)
{
    double total = 0, trace = 0, *values = lf_doubles(p, 1);
    int info = values ? 0 : LF_LAPACK_NO_MEMORY;
    for (size_t i = 0; i < p; i++) {
        trace += C[i * p + i];
        for (size_t j = 0; j < p; j++) {
            total += C[i * p + j];
        }
        shares[i] = 0;
    }
    int varies = total > 1e-14 * trace; /* less is a rounding error */
    info = info || !varies ? info : lf_symmetric_eigen(p, C, values);
    for (size_t v = 0; !info && varies && v < p; v++) {
        const double *vector = C + v * p;
        double sum = 0;
        for (size_t i = 0; i < p; i++) {
            sum += vector[i];
        }
        for (size_t i = 0; i < p; i++) {
            shares[i] += sqrt(fmax(values[v], 0)) * sum * vector[i];
        }
    }
    double squares = 0;
    for (size_t i = 0; i < p; i++) {
        shares[i] *= shares[i];
        squares += shares[i];
    }
    for (size_t i = 0; i < p; i++) {
        shares[i] = squares > 0 ? shares[i] / squares : (double)NAN;
    }
    free(values);
    return info;
}

/* The parts of a row, in the order of `parts`: forces (Q), private or white forces, start, residual, known inputs (K). */
static void find_parts(const lf_evidence *e, const lf_diagnosed_row *row, size_t Q, size_t K, double *parts)
{
    int r = row->series;
    size_t n = e->rows.replicates[r].points.n, i = row->index;
    for (size_t k = 0; k < Q + 2; k++) {
        parts[k] = e->parts[r][k * n + i];
    }
    parts[Q + 2] = row->residual;
    for (size_t k = 0; k < K; k++) {
        parts[Q + 3 + k] = e->known[r][k * n + i];
    }
    parts[Q + 1] += e->known[r] ? e->known[r][K * n + i] : 0; /* the level of the inputs counts with the start */
}

/* The parts of an output over its rows. */
typedef struct moments {
    size_t Q, K, p;       /* forces, known inputs, parts */
    double *parts, *mean; /* (p) of one row, and over the rows */
    double *C;            /* (p, p) covariance */
    double missed, total; /* variance of what the parts miss of the rows, and of the rows */
} moments;

static void find_moments(const lf_evidence *e, const lf_diagnosed_row *rows, size_t n, moments *m)
{
    size_t p = m->p;
    double lost = 0, squares = 0, average = 0, size = (double)n, *parts = m->parts;
    for (size_t i = 0; i < n; i++) {
        find_parts(e, &rows[i], m->Q, m->K, parts);
        double rest = rows[i].y;
        for (size_t k = 0; k < p; k++) {
            m->mean[k] += parts[k] / size;
            rest -= parts[k];
        }
        lost += rest / size;
        squares += rest * rest / size;
        average += rows[i].y / size;
    }
    m->missed = squares - lost * lost;
    for (size_t i = 0; i < n; i++) {
        find_parts(e, &rows[i], m->Q, m->K, parts);
        for (size_t k = 0; k < p; k++) {
            parts[k] -= m->mean[k];
        }
        for (size_t k = 0; k < p; k++) {
            for (size_t j = 0; j < p; j++) {
                m->C[k * p + j] += parts[k] * parts[j] / size;
            }
        }
        m->total += (rows[i].y - average) * (rows[i].y - average) / size;
    }
}

/* What the parts say; unknown where they lost their digits. */
static void set_shares(const lf_model *model, size_t Q, size_t K, const double *shares, lf_output_diagnosis *output)
{
    output->shared = 0;
    for (size_t q = 0; q < Q; q++) {
        output->forces[q] = shares[q];
        output->shared += shares[q];
    }
    output->private_force = model->system ? 0 : shares[Q];
    output->process = model->system ? shares[Q] : (double)NAN;
    output->start = shares[Q + 1];
    output->noise = shares[Q + 2];
    output->known = K ? 0 : output->known;
    for (size_t k = 0; k < K; k++) {
        output->inputs[k] = shares[Q + 3 + k];
        output->known += shares[Q + 3 + k];
    }
}

static lf_status share_posterior(const lf_evidence *e, const lf_diagnosed_row *rows, size_t n,
                                 lf_output_diagnosis *output)
{
    const lf_model *model = e->posterior->scaled.model;
    size_t Q = (size_t)model->force_count, K = e->posterior->known ? (size_t)model->known_count : 0, p = Q + K + 3;
    double trace = 0, *shares = lf_doubles(p, 1);
    moments m = {.Q = Q, .K = K, .p = p, .parts = lf_doubles(p, 1), .mean = lf_doubles(p, 1), .C = lf_doubles(p, p)};
    lf_status status = m.C && m.parts && m.mean && shares ? LF_OK : lf_no_memory(e->posterior->ctx);
    if (!status) {
        find_moments(e, rows, n, &m);
        for (size_t k = 0; k < p; k++) {
            trace += m.C[k * p + k];
        }
        for (size_t q = 0; q < Q; q++) {
            output->force_variances[q] = m.total > 0 ? m.C[q * p + q] / m.total : (double)NAN;
        }
    }
    int known = isfinite(trace) && m.total > 0 && !(model->system && m.missed > MOST_MISSED * m.total);
    if (!status && known) {
        output->cancellation = trace / m.total;
        int info = lf_variance_shares(p, m.C, shares);
        status = info == LF_LAPACK_NO_MEMORY ? lf_no_memory(e->posterior->ctx) : LF_OK;
        if (!info) {
            set_shares(model, Q, K, shares, output);
        }
    }
    free(m.C);
    free(m.parts);
    free(m.mean);
    free(shares);
    return status;
}

/* Shares from the prior: mean variances, where the rest is noise. */
static lf_status share_prior(const lf_evidence *e, const lf_diagnosed_row *rows, size_t n, lf_output_diagnosis *output)
{
    const lf_model *model = e->posterior->scaled.model;
    size_t Q = (size_t)model->force_count;
    double total = 0, *shares = lf_doubles(Q + 3, 1);
    if (!shares) {
        return lf_no_memory(e->posterior->ctx);
    }
    for (size_t i = 0; i < n; i++) {
        const lf_diagnosed_row *row = &rows[i];
        size_t size = e->rows.replicates[row->series].points.n;
        shares[Q + 2] += e->noise[row->series][row->index];
        for (size_t k = 0; k < Q + 2; k++) {
            shares[k] += e->parts[row->series][k * size + row->index];
        }
    }
    for (size_t k = 0; k < Q + 3; k++) {
        total += shares[k];
    }
    for (size_t k = 0; k < Q + 3; k++) {
        shares[k] = total > 0 ? shares[k] / total : (double)NAN;
    }
    for (size_t q = 0; q < Q; q++) {
        output->force_variances[q] = output->forces[q] = shares[q];
    }
    if (!e->posterior->known) { /* otherwise shares of a variance that the known inputs are no part of */
        set_shares(model, Q, 0, shares, output);
    }
    free(shares);
    return LF_OK;
}

lf_status lf_find_shares(const lf_evidence *e, const lf_diagnosed_row *rows, size_t n, int from_prior,
                         lf_output_diagnosis *output)
{
    return (from_prior ? share_prior : share_posterior)(e, rows, n, output);
}
