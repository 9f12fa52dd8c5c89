/* Fewer rows by interpolation. How many Chebyshev points e^{z x}, |x| <= 1, needs: its coefficients are 2 I_k(z), and
 *   log |I_k(z)| ~ Re[ sqrt(k^2 + z^2) - k asinh(k / z) ],
 * for waves (z imaginary: Bessel functions J_k) as for free motions (z a root of the operator). */
#include "inducing/row_compression.h"

#include <cblas.h>
#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"

#define NEGLIGIBLE (-37.5) /* log of the interpolation error, relative to the largest value */
#define MARGIN 1.15        /* frequencies may rise so far before the points are chosen anew */
#define WORTH 0.75         /* of the rows: more points than that save nothing */

enum { LEAST = 8 }; /* points */

/* Whether n points are enough for e^{z x}, which is e^{-behind} at most; z in the first quadrant: the size of the
 * coefficients is the same in all. */
static int enough(double n, double complex z, double behind)
{
    if (cabs(z) < 1e-3) {
        return 1;
    }
    double size = creal(csqrt(n * n + z * z)) - n * fabs(creal(casinh(n / z))) - creal(z);
    return n > cimag(z) && size - behind < NEGLIGIBLE;
}

/* The least number of points from n on that is enough for e^{z x}; no further than most + 1. */
static size_t grow(size_t n, size_t most, double complex z, double behind)
{
    while (n <= most && !enough((double)n, z, behind)) {
        n++;
    }
    return n;
}

/* The same for the waves of one force over a span of 2 half. A frequency of little weight needs to be met no better than
 * that: a few of them tell, because weights fall smoothly; of sampled frequencies, which weigh the same, the highest. */
static size_t grow_waves(const lf_source *source, const lf_nodes *nodes, size_t n, size_t most, double half)
{
    enum { SAMPLES = 8 };
    double highest = 0, largest = 0;
    for (size_t s = 0; s < nodes->count; s++) {
        highest = fmax(highest, fabs(nodes->lambda[s]));
        largest = fmax(largest, source->w[s]);
    }
    if (nodes->base) {
        return grow(n, most, highest * half * I, 0);
    }
    for (size_t k = 1; k <= SAMPLES; k++) {
        size_t s = k * (nodes->count - 1) / SAMPLES;
        if (source->w[s] > 0) {
            n = grow(n, most, nodes->lambda[s] * half * I, log(largest / source->w[s]));
        }
    }
    return n;
}

/* The same for all that an output is made of on [from, to]: waves and free motions or, where there are none of these, the
 * waves it resonates with. Frequencies and roots are taken `margin` times as large as they are. */
static size_t grow_output(const lf_model *model, const lf_features *features, int d, double from, double to,
                          double margin, size_t n, size_t most)
{
    const lf_output *output = &model->outputs[d];
    int stationary = model->initial == LF_INITIAL_STATIONARY;
    double half = 0.5 * margin * (to - from), a[LF_MAX_ORDER + 1];
    double complex roots[LF_MAX_ORDER];
    for (int i = 0; i < features->grids.source_count; i++) {
        const lf_source *source = &features->grids.sources[i];
        if (source->index >= 0 || source->output == d) {
            n = grow_waves(source, &features->grids.grids[source->grid], n, most, half);
        }
    }
    if (!output->op->is_ode) {
        return n;
    }
    lf_ode_coefficients(output->op, output->constants, output->order, a);
    if (lf_ode_roots(a, output->order, roots)) {
        return most + 1;
    }
    for (int k = 0; k < output->order; k++) {
        double decay = stationary ? 0 : creal(roots[k]), gone = fmax(0, -decay * (from - model->origin));
        n = grow(n, most, half * (fabs(decay) + fabs(cimag(roots[k])) * I), gone / margin);
    }
    return n;
}

int lf_row_compression_needs_regrid(const lf_model *model, const lf_features *features, const lf_row_compression *r)
{
    return r->R &&
           grow_output(model, features, r->output, r->middle - r->half, r->middle + r->half, 1, r->n, r->n) > r->n;
}

/* U (rows, n): the barycentric formula at Chebyshev points of the first kind. sum (rows) is overwritten. */
static void interpolate(size_t rows, const double *t, size_t n, const double *tau, double *U, double *sum)
{
    memset(sum, 0, rows * sizeof *sum);
    for (size_t j = 0; j < n; j++) {
        double weight = sin(LF_PI * ((double)j + 0.5) / (double)n) * (j % 2 ? -1 : 1);
        for (size_t i = 0; i < rows; i++) {
            U[j * rows + i] = weight / (t[i] - tau[j]);
            sum[i] += U[j * rows + i];
        }
    }
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < rows; i++) { /* a row that stands on a point has an infinite sum */
            U[j * rows + i] = isfinite(sum[i]) ? U[j * rows + i] / sum[i] : t[i] == tau[j];
        }
    }
}

/* tau, R, Q'y and what is left of y. */
static lf_status reduce(lf_context *ctx, double from, double to, size_t rows, const double *t, const double *y,
                        lf_row_compression *r)
{
    size_t n = r->n;
    double *U = lf_doubles(rows, n), *reflectors = lf_doubles(n, 1), *rotated = lf_doubles(rows, 1);
    r->tau = lf_doubles(n, 1);
    r->R = lf_doubles(n, n);
    lf_status status = U && reflectors && rotated && r->tau && r->R ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        r->middle = 0.5 * (from + to);
        r->half = 0.5 * (to - from);
        for (size_t j = 0; j < n; j++) {
            r->tau[j] = r->middle + r->half * cos(LF_PI * ((double)j + 0.5) / (double)n);
        }
        interpolate(rows, t, n, r->tau, U, rotated);
        memcpy(rotated, y, rows * sizeof *y);
        int info = LAPACKE_dgeqrf(LAPACK_COL_MAJOR, (lapack_int)rows, (lapack_int)n, U, (lapack_int)rows, reflectors);
        info = info ? info
                    : LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', (lapack_int)rows, 1, (lapack_int)n, U,
                                     (lapack_int)rows, reflectors, rotated, (lapack_int)rows);
        status = info ? lf_no_memory(ctx) : LF_OK;
    }
    for (size_t j = 0; !status && j < n; j++) {
        memcpy(r->R + j * n, U + j * rows, (j + 1) * sizeof *U);
        for (size_t i = 0; i <= j; i++) { /* interpolation reproduces constants: Q'1 = R 1 */
            r->ones[i] += U[j * rows + i];
        }
    }
    if (!status) {
        memcpy(r->raw, rotated, n * sizeof *rotated);
        r->rest = cblas_ddot((int)(rows - n), rotated + n, 1, rotated + n, 1);
        r->x = r->tau;
    }
    free(U);
    free(reflectors);
    free(rotated);
    return status;
}

static int has_error_bars(size_t n, const double *variance)
{
    int any = 0;
    for (size_t i = 0; i < n; i++) {
        any = any || variance[i] > 0;
    }
    return any;
}

lf_status lf_row_compression_create(lf_context *ctx, const lf_model *model, const lf_features *features,
                                    const lf_replicate *replicate, int group, lf_row_compression *r)
{
    const lf_point_set *points = &replicate->points;
    size_t first = points->start[group], rows = points->start[group + 1] - first;
    double *x = points->x + first * (size_t)points->input_dim, *y = replicate->y + first;
    int error_bars = has_error_bars(rows, replicate->variance + first);
    *r = (lf_row_compression){.output = points->target[group], .rows = rows, .n = rows, .x = x};
    r->known = error_bars ? replicate->variance + first : NULL;
    double from = INFINITY, to = -INFINITY;
    for (size_t i = 0; features && i < rows; i++) {
        from = fmin(from, x[i]);
        to = fmax(to, x[i]);
    }
    if (features && !error_bars && points->input_dim == 1 && to > from) {
        size_t most = (size_t)(WORTH * (double)rows);
        size_t n = grow_output(model, features, r->output, from, to, MARGIN, LEAST, most);
        r->n = n <= most ? n : rows;
    }
    r->raw = lf_doubles(r->n, 1);
    r->ones = lf_doubles(r->n, 1);
    if (!r->raw || !r->ones) {
        return lf_no_memory(ctx);
    }
    if (r->n < rows) {
        return reduce(ctx, from, to, rows, x, y, r);
    }
    memcpy(r->raw, y, rows * sizeof *y);
    for (size_t i = 0; i < rows; i++) {
        r->ones[i] = 1;
    }
    return LF_OK;
}

void lf_row_compression_clear(lf_row_compression *r)
{
    free(r->tau);
    free(r->R);
    free(r->raw);
    free(r->ones);
    *r = (lf_row_compression){0};
}

void lf_row_compression_apply(const lf_row_compression *rows, int transpose, size_t columns, double *V)
{
    if (rows->R && columns) {
        cblas_dtrmm(CblasColMajor, CblasLeft, CblasUpper, transpose ? CblasTrans : CblasNoTrans, CblasNonUnit,
                    (int)rows->n, (int)columns, 1, rows->R, (int)rows->n, V, (int)rows->n);
    }
}
