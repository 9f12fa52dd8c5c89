/* Measurement updates. Where the noise is small against P, rounding may make P - K S K' indefinite; the Joseph form
 * is a sum of two positive semidefinite matrices. With M = (I - K H) P it is
 *
 *   P = M + Z'K',   Z = R K' - H M'
 *
 * Z is 0 in exact arithmetic: the second term corrects the rounding errors of the first. Where the noise is not small against P, those errors
 * do not matter, and steps with many rows use P = P - V'V, V = L^-1 H P, S = L L', with a quarter of the operations. */
#include "kalman/measurement_update.h"

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/numbers.h"
#include "base/widest.h"

/* Of the variance of a row, from which on P - V'V loses no more than 4 of 16 digits. */
static const double smallest_noise = 1e-4;

/* Of the variance of a row, what rounding may leave of it after an update by the same row. */
static const double repeated_rounding = 1e-14;

/* Replaces the lower triangle of S (m, m) by its Cholesky factor. Returns m or, on failure, the first row whose pivot
 * is not above the rounding error. */
static size_t cholesky(size_t m, size_t ld, double *S)
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

/* X (m, width) = S^-1 X, S = L L'. */
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

/* X (m, width) = L^-1 X or L'^-1 X. */
static void solve_triangle(CBLAS_TRANSPOSE transposed, size_t m, size_t ld, const double *L, size_t width, double *X)
{
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, transposed, CblasNonUnit, (int)m, (int)width, 1, L, (int)ld, X,
                (int)width);
}

/* The same as `solve` with BLAS, for many rows. */
static void solve_blas(size_t m, size_t ld, const double *L, size_t width, double *X)
{
    solve_triangle(CblasNoTrans, m, ld, L, width, X);
    solve_triangle(CblasTrans, m, ld, L, width, X);
}

void lf_filter_solve(size_t m, size_t ld, const double *L, size_t width, double *X)
{
    (m < LF_BLAS_MIN_ROWS ? solve : solve_blas)(m, ld, L, width, X);
}

/* P (n, stride) += Z'K' - K H P, with HP, Kt and Z (m, stride). */
WIDEST static void joseph_update(size_t n, size_t stride, size_t m, const double *restrict HP,
                                 const double *restrict Kt, const double *restrict Z, double *restrict P)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t lane = 0; lane < stride; lane += LF_LANE) {
            double reduction[LF_LANE] = {0}, correction[LF_LANE] = {0};
            for (size_t k = 0; k < m; k++) {
                double g = Kt[k * stride + i], z = Z[k * stride + i];
                const double *hp_row = HP + k * stride + lane, *kt_row = Kt + k * stride + lane;
                for (size_t j = 0; j < LF_LANE; j++) {
                    reduction[j] += g * hp_row[j];
                    correction[j] += z * kt_row[j];
                }
            }
            for (size_t j = 0; j < LF_LANE; j++) {
                P[i * stride + lane + j] = (P[i * stride + lane + j] - reduction[j]) + correction[j];
            }
        }
    }
}

/* The same with BLAS, for many rows. */
static void joseph_update_blas(size_t n, size_t stride, size_t m, const double *HP, const double *Kt, const double *Z,
                               double *P)
{
    int side = (int)n, ld = (int)stride, rows = (int)m;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, side, side, rows, -1, Kt, ld, HP, ld, 1, P, ld);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, side, side, rows, 1, Z, ld, Kt, ld, 1, P, ld);
}

/* K' (m, stride) and P -= V'V, for many rows whose noise is not small. */
static void symmetric_update_blas(const lf_filter *filter, size_t m)
{
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    memcpy(filter->Kt, filter->HP, m * s * sizeof(double));
    solve_triangle(CblasNoTrans, m, filter->max_rows, filter->S, s, filter->Kt);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)m, -1, filter->Kt, (int)s, 1, filter->P, (int)s);
    lf_copy_lower((int)n, (int)s, filter->P);
    solve_triangle(CblasTrans, m, filter->max_rows, filter->S, s, filter->Kt);
}

static lf_status fail_not_positive(const lf_filter *filter, size_t step, size_t row)
{
    const lf_timeline *t = filter->timeline;
    const lf_output *output = &filter->space->model->outputs[t->output[t->first_row[step] + row]];
    return lf_fail(filter->ctx, LF_ERROR_NUMERIC,
                   "the covariance of the data is not positive definite at output '%s', x = %.10g: its noise_variance "
                   "%g is too small for repeated or very close inputs, or a constant is out of range",
                   output->name, t->time[step], output->noise_variance);
}

/* Rows of one output at one time are in steps that follow one another. Without noise the variance of the second is 0, or what rounding
 * leaves of the first. Returns whether S_ii is no more than that, and keeps it. */
static int nothing_left(lf_filter *filter, size_t step, size_t row, double variance)
{
    const lf_timeline *t = filter->timeline;
    int d = t->output[t->first_row[step] + row];
    int repeated = step && filter->read_at[d] == step && t->time[step] == t->time[step - 1];
    double first = repeated ? filter->variance[d] : variance;
    filter->variance[d] = fmax(first, variance);
    filter->read_at[d] = step + 1;
    return repeated && !(variance > repeated_rounding * first);
}

/* y (stride) = h'P, h the measurement row of an output. */
static void measure_rows(const lf_measurements *measurements, int output, size_t stride, const double *P, double *y)
{
    int from = measurements->start[output];
    for (size_t j = 0; j < stride; j++) {
        y[j] = measurements->value[from] * P[(size_t)measurements->state[from] * stride + j];
    }
    for (int e = from + 1; e < measurements->start[output + 1]; e++) {
        for (size_t j = 0; j < stride; j++) {
            y[j] += measurements->value[e] * P[(size_t)measurements->state[e] * stride + j];
        }
    }
}

/* K' and P after the update in the Joseph form. */
WIDEST static void joseph(const lf_filter *filter, size_t step, size_t m)
{
    const lf_timeline *t = filter->timeline;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride, from = t->first_row[step];
    memcpy(filter->Kt, filter->HP, m * s * sizeof(double));
    lf_filter_solve(m, filter->max_rows, filter->S, s, filter->Kt);
    for (size_t i = 0; i < m; i++) { /* Z = R K' - H M', M = P - K H P */
        int d = t->measured[from + i];
        double noise = filter->noise[t->row[from + i]], *Z = filter->Z + i * s;
        for (size_t j = 0; j < s; j++) {
            Z[j] = noise * filter->Kt[i * s + j] - filter->HP[i * s + j];
        }
        for (size_t k = 0; k < m; k++) {
            double hp = lf_measure(&filter->measurements, d, filter->HP + k * s);
            for (size_t j = 0; j < s; j++) {
                Z[j] += hp * filter->Kt[k * s + j];
            }
        }
    }
    (m < LF_BLAS_MIN_ROWS ? joseph_update : joseph_update_blas)(n, s, m, filter->HP, filter->Kt, filter->Z, filter->P);
    lf_symmetrise((int)n, (int)s, filter->P);
}

WIDEST static lf_status update(lf_filter *filter, size_t step, lf_filter_record *record, double *log_likelihood)
{
    const lf_timeline *t = filter->timeline;
    const lf_state_space *space = filter->space;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from, ld = filter->max_rows;
    const lf_measurements *measurements = &filter->measurements;
    size_t n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    int small_noise = 0;
    for (size_t i = 0; i < m; i++) {
        int d = t->measured[from + i];
        measure_rows(measurements, d, s, filter->P, filter->HP + i * s);
        filter->w[i] = filter->e[i] = filter->y[t->row[from + i]] - lf_measure(measurements, d, filter->mean);
        for (size_t k = 0; k <= i; k++) {
            filter->S[i * ld + k] = lf_measure(measurements, t->measured[from + k], filter->HP + i * s);
        }
        double noise = filter->noise[t->row[from + i]];
        filter->S[i * ld + i] += noise;
        if (nothing_left(filter, step, i, filter->S[i * ld + i])) {
            return fail_not_positive(filter, step, i);
        }
        small_noise = small_noise || !(noise >= smallest_noise * filter->S[i * ld + i]);
    }
    size_t factored = cholesky(m, ld, filter->S);
    if (factored < m) {
        return fail_not_positive(filter, step, factored);
    }
    if (m >= LF_BLAS_MIN_ROWS && !small_noise) {
        symmetric_update_blas(filter, m);
    } else {
        joseph(filter, step, m);
    }
    solve(m, ld, filter->S, 1, filter->w);
    for (size_t i = 0; i < m; i++) {
        *log_likelihood -= 0.5 * (filter->e[i] * filter->w[i] + log(2 * LF_PI)) + log(filter->S[i * ld + i]);
        for (size_t j = 0; j < n; j++) {
            filter->mean[j] += filter->HP[i * s + j] * filter->w[i];
        }
    }
    if (record) {
        memcpy(record->Kt, filter->Kt, m * s * sizeof(double));
        memcpy(record->w, filter->w, m * sizeof(double));
        memset(record->S_inverse, 0, m * m * sizeof(double));
        for (size_t i = 0; i < m; i++) {
            record->S_inverse[i * m + i] = 1;
        }
        if (m == 1) {
            double inverse = 1 / filter->S[0];
            record->S_inverse[0] = inverse * inverse;
        } else {
            lf_filter_solve(m, ld, filter->S, m, record->S_inverse);
        }
    }
    return LF_OK;
}

WIDEST static void move_mean(const lf_filter *filter, const lf_stretch *stretch, size_t step, double *log_likelihood)
{
    const lf_timeline *t = filter->timeline;
    const lf_measurements *measurements = &filter->measurements;
    size_t from = t->first_row[step], m = stretch->rows;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    double *mean = filter->mean, *moved = filter->scratch, quadratic = 0;
    memset(moved, 0, s * sizeof *moved);
    for (size_t k = 0; k < n; k++) {
        const double *column = stretch->A_transposed + k * s;
        for (size_t j = 0; j < s; j++) {
            moved[j] += column[j] * mean[k];
        }
    }
    for (size_t i = 0; i < m; i++) {
        filter->w[i] = filter->e[i] =
            filter->y[t->row[from + i]] - lf_measure(measurements, t->measured[from + i], moved);
    }
    if (m == 1) {
        filter->w[0] = filter->e[0] * stretch->S_inverse[0];
    } else {
        solve(m, m, stretch->S, 1, filter->w);
    }
    for (size_t i = 0; i < m; i++) {
        const double *HP = stretch->HP + i * s;
        quadratic += filter->e[i] * filter->w[i];
        for (size_t j = 0; j < s; j++) {
            moved[j] += HP[j] * filter->w[i];
        }
    }
    memcpy(mean, moved, n * sizeof *mean);
    *log_likelihood -= 0.5 * quadratic + stretch->constant;
}

lf_status lf_measurement_update(lf_filter *filter, size_t step, lf_filter_record *record, double *log_likelihood)
{
    return update(filter, step, record, log_likelihood);
}

void lf_move_mean(const lf_filter *filter, const lf_stretch *stretch, size_t step, double *log_likelihood)
{
    move_mean(filter, stretch, step, log_likelihood);
}
