/* The filter, step by step. The noise may be so small against P that P - K S K' would lose its sign; Joseph's form is the
 * sum of two positive matrices. With M = (I - K H) P it reads P = M + (R K' - M_.J)' K', a correction of M by rounding. */
#include "kalman/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/widest.h"

static const double kept_bytes = 256e6; /* for transitions and their derivatives */

/* The gaps that occur more than once, as far as they fit: they stand first. */
static size_t gaps_to_keep(const lf_timeline *timeline, size_t size)
{
    double most = kept_bytes / (4 * (double)(size * sizeof(double)));
    size_t kept = 0;
    while (kept < timeline->gap_count && timeline->uses[kept] > 1 && (double)kept < most) {
        kept++;
    }
    return kept;
}

lf_status lf_filter_create(lf_context *ctx, const lf_state_space *space, const lf_timeline *timeline, const double *y,
                           const double *noise, const double *mean, const double *P, lf_filter *filter)
{
    size_t size = lf_sparsity_size(&space->sparsity), s = (size_t)space->sparsity.stride, widest = 1;
    for (size_t k = 0; k < timeline->step_count; k++) {
        size_t rows = timeline->first_row[k + 1] - timeline->first_row[k];
        widest = rows > widest ? rows : widest;
    }
    *filter = (lf_filter){.ctx = ctx, .space = space, .timeline = timeline, .y = y, .noise = noise, .widest = widest};
    filter->kept = gaps_to_keep(timeline, size);
    filter->A = lf_doubles(filter->kept + 1, size);
    filter->Q = lf_doubles(filter->kept + 1, size);
    filter->mean = lf_doubles(s, 1);
    filter->P = lf_doubles(size, 1);
    filter->V = lf_doubles(widest, s);
    filter->G = lf_doubles(widest, s);
    filter->Z = lf_doubles(widest, s);
    filter->S = lf_doubles(widest, widest);
    filter->e = lf_doubles(widest, 1);
    filter->w = lf_doubles(widest, 1);
    filter->spare = lf_doubles(3, size);
    if (!filter->A || !filter->Q || !filter->mean || !filter->P || !filter->V || !filter->G || !filter->Z ||
        !filter->S || !filter->e || !filter->w || !filter->spare) {
        return lf_no_memory(ctx);
    }
    lf_status status = lf_transition_work_create(ctx, space, timeline->longest, &filter->work);
    for (size_t g = 0; !status && g < filter->kept; g++) {
        lf_transition(space, space->F, timeline->gaps[g], &filter->work, filter->A + g * size, filter->Q + g * size);
    }
    if (mean) {
        memcpy(filter->mean, mean, s * sizeof *mean);
    }
    memcpy(filter->P, P ? P : space->P, size * sizeof *P);
    return status;
}

void lf_filter_clear(lf_filter *filter)
{
    lf_transition_work_clear(&filter->work);
    free(filter->A);
    free(filter->Q);
    free(filter->mean);
    free(filter->P);
    free(filter->V);
    free(filter->G);
    free(filter->Z);
    free(filter->S);
    free(filter->e);
    free(filter->w);
    free(filter->spare);
    *filter = (lf_filter){0};
}

/* The place of the step's transition among A and Q, made now unless it is kept; -1 where the step stands at the time of
 * the one before. */
static ptrdiff_t find_transition(lf_filter *filter, size_t step)
{
    const lf_timeline *t = filter->timeline;
    size_t size = lf_sparsity_size(&filter->space->sparsity), place = filter->kept;
    double gap = step ? t->time[step] - t->time[step - 1] : 0;
    if (!(gap > 0)) {
        return -1;
    }
    int resting = t->gap[step] < 0;
    if (!resting && (size_t)t->gap[step] < filter->kept) {
        place = (size_t)t->gap[step];
    } else {
        lf_transition(filter->space, resting ? filter->space->rest : filter->space->F, gap, &filter->work,
                      filter->A + place * size, filter->Q + place * size);
    }
    return (ptrdiff_t)place;
}

static void move(lf_filter *filter, size_t place)
{
    const lf_sparsity *sparsity = &filter->space->sparsity;
    size_t size = lf_sparsity_size(sparsity);
    const double *A = filter->A + place * size, *Q = filter->Q + place * size;
    double *P = filter->spare + 2 * size;
    lf_sparse_sandwich(sparsity, A, filter->P, filter->spare, P);
    for (size_t i = 0; i < size; i++) {
        filter->P[i] = P[i] + Q[i];
    }
    lf_sparse_multiply_vector(sparsity, A, filter->mean, P);
    memcpy(filter->mean, P, (size_t)sparsity->n * sizeof *P);
}

/* The factor L of S (m, m), in place, lower triangle; the first row whose pivot is rounding, or m. */
static size_t factor(size_t m, size_t ld, double *S)
{
    for (size_t j = 0; j < m; j++) {
        double diagonal = S[j * ld + j], pivot = diagonal;
        for (size_t k = 0; k < j; k++) {
            pivot -= S[j * ld + k] * S[j * ld + k];
        }
        if (!(pivot > 1e-15 * diagonal)) {
            return j;
        }
        double root = sqrt(pivot);
        S[j * ld + j] = root;
        for (size_t i = j + 1; i < m; i++) {
            double sum = S[i * ld + j];
            for (size_t k = 0; k < j; k++) {
                sum -= S[i * ld + k] * S[j * ld + k];
            }
            S[i * ld + j] = sum / root;
        }
    }
    return m;
}

/* X (m, width) = S^-1 X from the factor. */
WIDEST static void solve(size_t m, size_t ld, const double *L, size_t width, double *restrict X)
{
    for (size_t i = 0; i < m; i++) {
        double inverse = 1 / L[i * ld + i];
        for (size_t k = 0; k < i; k++) {
            for (size_t j = 0; j < width; j++) {
                X[i * width + j] -= L[i * ld + k] * X[k * width + j];
            }
        }
        for (size_t j = 0; j < width; j++) {
            X[i * width + j] *= inverse;
        }
    }
    for (size_t i = m; i-- > 0;) {
        double inverse = 1 / L[i * ld + i];
        for (size_t k = i + 1; k < m; k++) {
            for (size_t j = 0; j < width; j++) {
                X[i * width + j] -= L[k * ld + i] * X[k * width + j];
            }
        }
        for (size_t j = 0; j < width; j++) {
            X[i * width + j] *= inverse;
        }
    }
}

/* The same where a call of BLAS is worth its while. */
static void solve_many(size_t m, size_t ld, const double *L, size_t width, double *X)
{
    for (int transposed = 0; transposed < 2; transposed++) {
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, (int)m,
                    (int)width, 1, L, (int)ld, X, (int)width);
    }
}

/* P (n, stride) += Z'G - G'V, all of them (m, stride). */
WIDEST static void correct(size_t n, size_t stride, size_t m, const double *restrict V, const double *restrict G,
                           const double *restrict Z, double *restrict P)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t lane = 0; lane < stride; lane += LF_LANE) {
            double gain[LF_LANE] = {0}, residue[LF_LANE] = {0};
            for (size_t k = 0; k < m; k++) {
                double g = G[k * stride + i], z = Z[k * stride + i];
                const double *v_row = V + k * stride + lane, *g_row = G + k * stride + lane;
                for (size_t j = 0; j < LF_LANE; j++) {
                    gain[j] += g * v_row[j];
                    residue[j] += z * g_row[j];
                }
            }
            for (size_t j = 0; j < LF_LANE; j++) {
                P[i * stride + lane + j] = (P[i * stride + lane + j] - gain[j]) + residue[j];
            }
        }
    }
}

/* The same where a call of BLAS is worth its while. */
static void correct_many(size_t n, size_t stride, size_t m, const double *V, const double *G, const double *Z,
                         double *P)
{
    int side = (int)n, ld = (int)stride, rows = (int)m;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, side, side, rows, -1, G, ld, V, ld, 1, P, ld);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, side, side, rows, 1, Z, ld, G, ld, 1, P, ld);
}

static lf_status refuse(const lf_filter *filter, size_t step, size_t row)
{
    const lf_timeline *t = filter->timeline;
    const lf_output *output = &filter->space->model->outputs[t->output[t->first_row[step] + row]];
    return lf_fail(filter->ctx, LF_ERROR_NUMERIC,
                   "the covariance of the data is not positive definite at output '%s', x = %.10g: its noise_variance "
                   "%g is too small for repeated or very close inputs, or a constant is out of range",
                   output->name, t->time[step], output->noise_variance);
}

WIDEST static lf_status absorb(lf_filter *filter, size_t step, lf_filter_record *record, double *log_likelihood)
{
    const lf_timeline *t = filter->timeline;
    const lf_state_space *space = filter->space;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from, ld = filter->widest;
    size_t n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    for (size_t i = 0; i < m; i++) {
        size_t state = (size_t)space->first[t->output[from + i]];
        memcpy(filter->V + i * s, filter->P + state * s, s * sizeof(double));
        filter->w[i] = filter->e[i] = filter->y[t->row[from + i]] - filter->mean[state];
        for (size_t k = 0; k <= i; k++) {
            filter->S[i * ld + k] = filter->V[i * s + (size_t)space->first[t->output[from + k]]];
        }
        filter->S[i * ld + i] += filter->noise[t->row[from + i]];
    }
    size_t whole = factor(m, ld, filter->S);
    if (whole < m) {
        return refuse(filter, step, whole);
    }
    memcpy(filter->G, filter->V, m * s * sizeof(double));
    (m < LF_MANY_ROWS ? solve : solve_many)(m, ld, filter->S, s, filter->G);
    solve(m, ld, filter->S, 1, filter->w);
    for (size_t i = 0; i < m; i++) {
        *log_likelihood -= 0.5 * (filter->e[i] * filter->w[i] + log(2 * LF_PI)) + log(filter->S[i * ld + i]);
        for (size_t j = 0; j < n; j++) {
            filter->mean[j] += filter->V[i * s + j] * filter->w[i];
        }
    }
    for (size_t i = 0; i < m; i++) { /* Z = R K' - (M_.J)', M = P - K V */
        size_t state = (size_t)space->first[t->output[from + i]];
        double noise = filter->noise[t->row[from + i]], *Z = filter->Z + i * s;
        for (size_t j = 0; j < s; j++) {
            Z[j] = noise * filter->G[i * s + j] - filter->V[i * s + j];
        }
        for (size_t k = 0; k < m; k++) {
            double known = filter->V[k * s + state];
            for (size_t j = 0; j < s; j++) {
                Z[j] += known * filter->G[k * s + j];
            }
        }
    }
    (m < LF_MANY_ROWS ? correct : correct_many)(n, s, m, filter->V, filter->G, filter->Z, filter->P);
    if (record) {
        memcpy(record->G, filter->G, m * s * sizeof(double));
        memcpy(record->w, filter->w, m * sizeof(double));
        memset(record->inverse, 0, m * m * sizeof(double));
        for (size_t i = 0; i < m; i++) {
            record->inverse[i * m + i] = 1;
        }
        (m < LF_MANY_ROWS ? solve : solve_many)(m, ld, filter->S, m, record->inverse);
    }
    return LF_OK;
}

lf_status lf_filter_step(lf_filter *filter, size_t step, lf_filter_record *record, double *log_likelihood)
{
    size_t size = lf_sparsity_size(&filter->space->sparsity);
    ptrdiff_t place = find_transition(filter, step);
    if (place >= 0) {
        move(filter, (size_t)place);
    }
    lf_status status = absorb(filter, step, record, log_likelihood);
    if (record) {
        memcpy(record->mean, filter->mean, (size_t)filter->space->sparsity.stride * sizeof(double));
        memcpy(record->P, filter->P, size * sizeof(double));
        record->A = place < 0 ? NULL : filter->A + (size_t)place * size;
        if (place == (ptrdiff_t)filter->kept) {
            record->A = memcpy(record->own, record->A, size * sizeof(double));
        }
    }
    return status;
}

lf_status lf_filter_check(const lf_filter *filter, double log_likelihood)
{
    return isfinite(log_likelihood)
               ? LF_OK
               : lf_fail(filter->ctx, LF_ERROR_NUMERIC, "the log likelihood is not a finite number");
}

lf_status lf_filter_run(lf_filter *filter, double *log_likelihood)
{
    lf_status status = LF_OK;
    *log_likelihood = 0;
    for (size_t k = 0; !status && k < filter->timeline->step_count; k++) {
        status = lf_filter_step(filter, k, NULL, log_likelihood);
    }
    return status ? status : lf_filter_check(filter, *log_likelihood);
}
