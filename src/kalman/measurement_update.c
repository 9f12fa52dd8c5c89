/* Measurement updates. With V = L^-1 H P, S = L L',
 *
 *   P = P - V'V,   K' = L'^-1 V
 *
 * Where the noise R of a row h is small against h'P h, rounding errors D of that difference may make P indefinite: h'P must be
 * R k', with k the gain of the row, and z = R k - P h shows the error of it. Such rows are corrected by
 *
 *   P = P + u k' + k u',   u = z - 1/2 (h'z) k
 *
 * so that (I - k h') D (I - h k') is left of D, as in the Joseph form, at the cost of two products of vectors. Where the noise is not small, those
 * errors do not matter. */
#include "kalman/measurement_update.h"

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/numbers.h"
#include "base/widest.h"

typedef double vector __attribute__((vector_size(LF_LANE * sizeof(double)), aligned(sizeof(double)), may_alias));

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

/* X (m, width) = L^-1 X. */
WIDEST static void solve_lower(size_t m, size_t ld, const double *L, size_t width, double *restrict X)
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
}

/* X (m, width) = L'^-1 X. */
WIDEST static void solve_upper(size_t m, size_t ld, const double *L, size_t width, double *restrict X)
{
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

/* X (m, width) = L^-1 X or L'^-1 X, with BLAS for many rows. */
static void solve_triangle(CBLAS_TRANSPOSE transposed, size_t m, size_t ld, const double *L, size_t width, double *X)
{
    if (m < LF_BLAS_MIN_ROWS) {
        (transposed == CblasTrans ? solve_upper : solve_lower)(m, ld, L, width, X);
    } else {
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, transposed, CblasNonUnit, (int)m, (int)width, 1, L, (int)ld,
                    X, (int)width);
    }
}

void lf_filter_solve(size_t m, size_t ld, const double *L, size_t width, double *X)
{
    solve_triangle(CblasNoTrans, m, ld, L, width, X);
    solve_triangle(CblasTrans, m, ld, L, width, X);
}

/* P (n, stride) -= V'V, V (m, stride), few. All of P, which stays symmetric to the last bit: that costs less than to copy a triangle. */
WIDEST static void subtract_square(size_t n, size_t stride, size_t m, const double *restrict V, double *restrict P)
{
    for (size_t lane = 0; lane < n; lane += LF_LANE) {
        size_t k = 0;
        for (; k + 4 <= m; k += 4) {
            const double *v = V + k * stride;
            vector v0 = *(const vector *)(v + lane), v1 = *(const vector *)(v + stride + lane),
                   v2 = *(const vector *)(v + 2 * stride + lane), v3 = *(const vector *)(v + 3 * stride + lane);
            for (size_t i = 0; i < n; i++) {
                vector *p = (vector *)(P + i * stride + lane);
                *p = *p - v[i] * v0 - v[stride + i] * v1 - v[2 * stride + i] * v2 - v[3 * stride + i] * v3;
            }
        }
        for (; k < m; k++) {
            const double *v = V + k * stride;
            vector v0 = *(const vector *)(v + lane);
            for (size_t i = 0; i < n; i++) {
                vector *p = (vector *)(P + i * stride + lane);
                *p = *p - v[i] * v0;
            }
        }
    }
}

/* Kt = V / root and P -= V'V for a single row, V = HP / root, root^2 = S. */
WIDEST static void subtract_row(size_t n, size_t stride, double root, const double *HP, double *restrict Kt,
                                double *restrict P)
{
    double inverse = 1 / root;
    for (size_t j = 0; j < stride; j++) {
        Kt[j] = inverse * HP[j];
    }
    for (size_t i = 0; i < n; i++) {
        double v = Kt[i];
        for (size_t j = 0; j < stride; j++) {
            P[i * stride + j] -= v * Kt[j];
        }
    }
    for (size_t j = 0; j < stride; j++) {
        Kt[j] *= inverse;
    }
}

/* The same with BLAS, for many rows. */
static void subtract_square_blas(size_t n, size_t stride, size_t m, const double *V, double *P)
{
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)m, -1, V, (int)stride, 1, P, (int)stride);
    lf_copy_lower((int)n, (int)stride, P);
}

/* P += u k' + k u'. */
WIDEST static void add_symmetric(size_t n, size_t stride, const double *restrict u, const double *restrict k,
                                 double *restrict P)
{
    for (size_t lane = 0; lane < n; lane += LF_LANE) {
        vector u_lane = *(const vector *)(u + lane), k_lane = *(const vector *)(k + lane);
        for (size_t i = lane; i < n; i++) {
            vector *p = (vector *)(P + i * stride + lane);
            *p = *p + (u[i] * k_lane + k[i] * u_lane);
        }
    }
    lf_copy_lower((int)n, (int)stride, P);
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

/* Corrects P for a row with little noise; u (stride), with zeros in the padding. */
static void correct(const lf_filter *filter, int d, double noise, const double *k, double *u)
{
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride;
    measure_rows(&filter->measurements, d, s, filter->P, u);
    for (size_t j = 0; j < n; j++) {
        u[j] = noise * k[j] - u[j];
    }
    double half = 0.5 * lf_measure(&filter->measurements, d, u);
    for (size_t j = 0; j < n; j++) {
        u[j] -= half * k[j];
    }
    add_symmetric(n, s, u, k, filter->P);
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

/* K' and P after the update. */
static void update_covariance(const lf_filter *filter, size_t step, size_t m)
{
    const lf_timeline *t = filter->timeline;
    size_t n = (size_t)filter->space->n, s = (size_t)filter->space->sparsity.stride, from = t->first_row[step];
    double *V = filter->Kt;
    if (m == 1) {
        subtract_row(n, s, filter->S[0], filter->HP, filter->Kt, filter->P);
    } else {
        memcpy(V, filter->HP, m * s * sizeof *V);
        solve_triangle(CblasNoTrans, m, filter->max_rows, filter->S, s, V);
        (m < LF_BLAS_MIN_ROWS ? subtract_square : subtract_square_blas)(n, s, m, V, filter->P);
        solve_triangle(CblasTrans, m, filter->max_rows, filter->S, s, V);
    }
    for (size_t i = 0; i < m; i++) {
        double noise = filter->noise[t->row[from + i]];
        if (!(noise >= smallest_noise * filter->S_diagonal[i])) {
            correct(filter, t->measured[from + i], noise, filter->Kt + i * s, filter->scratch);
        }
    }
}

WIDEST static lf_status update(lf_filter *filter, size_t step, lf_filter_record *record, double *log_likelihood)
{
    const lf_timeline *t = filter->timeline;
    const lf_state_space *space = filter->space;
    size_t from = t->first_row[step], m = t->first_row[step + 1] - from, ld = filter->max_rows;
    const lf_measurements *measurements = &filter->measurements;
    size_t n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    for (size_t i = 0; i < m; i++) {
        int d = t->measured[from + i];
        measure_rows(measurements, d, s, filter->P, filter->HP + i * s);
        filter->w[i] = filter->e[i] = filter->y[t->row[from + i]] - lf_measure(measurements, d, filter->mean);
        for (size_t k = 0; k <= i; k++) {
            filter->S[i * ld + k] = lf_measure(measurements, t->measured[from + k], filter->HP + i * s);
        }
        filter->S_diagonal[i] = filter->S[i * ld + i] += filter->noise[t->row[from + i]];
        if (nothing_left(filter, step, i, filter->S[i * ld + i])) {
            return fail_not_positive(filter, step, i);
        }
    }
    size_t factored = cholesky(m, ld, filter->S);
    if (factored < m) {
        return fail_not_positive(filter, step, factored);
    }
    update_covariance(filter, step, m);
    if (m == 1) {
        filter->w[0] /= filter->S_diagonal[0];
    } else {
        lf_filter_solve(m, ld, filter->S, 1, filter->w);
    }
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
            record->S_inverse[0] = 1 / filter->S_diagonal[0];
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
        lf_filter_solve(m, m, stretch->S, 1, filter->w);
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
