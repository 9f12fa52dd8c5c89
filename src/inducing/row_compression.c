/* Compression of rows by interpolation. The number of Chebyshev points that e^{z x}, |x| <= 1, needs follows from its
 * Chebyshev coefficients 2 I_k(z),
 *
 *   log |I_k(z)| ~ Re[ sqrt(k^2 + z^2) - k asinh(k / z) ]
 *
 * This holds for waves (z imaginary) and for free motions (z proportional to a root of the operator). */
#include "inducing/row_compression.h"

#include <cblas.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"
#include "base/numbers.h"

#define LOG_TOLERANCE (-37.5) /* log of the interpolation error, relative to the largest value */
#define MARGIN 1.15           /* frequencies and roots may grow by this factor before new points are needed */
#define MAX_FRACTION 0.75     /* of the rows: more points than that save nothing */

enum { MIN_POINTS = 8 };

/* Whether n points resolve c e^{z x}, |x| <= 1, whose largest value is e^{-log_decay}. z is in the first quadrant; the
 * coefficients for the other quadrants have the same magnitudes. */
static int is_resolved(double n, double complex z, double log_decay)
{
    if (cabs(z) < 1e-3) {
        return 1;
    }
    double size = creal(csqrt(n * n + z * z)) - n * fabs(creal(casinh(n / z))) - creal(z);
    return n > cimag(z) && size - log_decay < LOG_TOLERANCE;
}

/* The smallest number of points >= n that resolves e^{z x}, or max_points + 1 where that is smaller. */
static size_t min_points(size_t n, size_t max_points, double complex z, double log_decay)
{
    while (n <= max_points && !is_resolved((double)n, z, log_decay)) {
        n++;
    }
    return n;
}

/* The same for the waves of one force over a span of 2 half_width. Frequencies of small weight need less accuracy.
 * Weights fall smoothly, so it suffices to test a few frequencies; sampled frequencies have equal weights, so it
 * suffices to test the highest. */
static size_t min_points_force(const lf_source *source, const lf_nodes *nodes, size_t n, size_t max_points,
                               double half_width)
{
    enum { SAMPLES = 8 };
    double highest = 0, largest = 0;
    for (size_t s = 0; s < nodes->count; s++) {
        highest = fmax(highest, fabs(nodes->lambda[s]));
        largest = fmax(largest, source->w[s]);
    }
    if (nodes->base) {
        return min_points(n, max_points, highest * half_width * I, 0);
    }
    for (size_t k = 1; k <= SAMPLES; k++) {
        size_t s = k * (nodes->count - 1) / SAMPLES;
        if (source->w[s] > 0) {
            n = min_points(n, max_points, nodes->lambda[s] * half_width * I, log(largest / source->w[s]));
        }
    }
    return n;
}

/* The same for an output on [from, to]: the waves of its forces, and its free motions or, for a stationary start, the
 * waves at its resonances. Frequencies and roots are multiplied by margin. */
static size_t min_points_output(const lf_model *model, const lf_features *features, int d, double from, double to,
                                double margin, size_t n, size_t max_points)
{
    const lf_output *output = &model->outputs[d];
    int stationary = model->initial == LF_INITIAL_STATIONARY;
    double half_width = 0.5 * margin * (to - from), a[LF_MAX_ORDER + 1];
    double complex roots[LF_MAX_ORDER];
    for (int i = 0; i < features->grids.source_count; i++) {
        const lf_source *source = &features->grids.sources[i];
        if (source->index >= 0 || source->output == d) {
            n = min_points_force(source, &features->grids.grids[source->grid], n, max_points, half_width);
        }
    }
    if (!output->op->is_ode) {
        return n;
    }
    lf_ode_coefficients(output->op, output->constants, output->order, a);
    if (lf_ode_roots(a, output->order, roots)) {
        return max_points + 1;
    }
    for (int k = 0; k < output->order; k++) {
        double decay = stationary ? 0 : creal(roots[k]), log_decay = fmax(0, -decay * (from - model->origin));
        n = min_points(n, max_points, half_width * (fabs(decay) + fabs(cimag(roots[k])) * I), log_decay / margin);
    }
    return n;
}

int lf_row_compression_needs_regrid(const lf_model *model, const lf_features *features, const lf_row_compression *r)
{
    return r->R && min_points_output(model, features, r->output, r->midpoint - r->half_width,
                                     r->midpoint + r->half_width, 1, r->n, r->n) > r->n;
}

/* U (rows, n): the barycentric formula at Chebyshev points of the first kind. sum (rows) is overwritten. */
static void interpolation_matrix(size_t rows, const double *t, size_t n, const double *tau, double *U, double *sum)
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
        for (size_t i = 0; i < rows; i++) { /* the sum is infinite where t_i is one of the points */
            U[j * rows + i] = isfinite(sum[i]) ? U[j * rows + i] / sum[i] : t[i] == tau[j];
        }
    }
}

/* Computes tau, R, Q'y, Q'1 and the residual. */
static lf_status compress(lf_context *ctx, double from, double to, size_t rows, const double *t, const double *y,
                          lf_row_compression *r)
{
    size_t n = r->n;
    double *U = lf_doubles(rows, n), *reflectors = lf_doubles(n, 1), *Qt_y = lf_doubles(rows, 1);
    r->tau = lf_doubles(n, 1);
    r->R = lf_doubles(n, n);
    lf_status status = U && reflectors && Qt_y && r->tau && r->R ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        r->midpoint = 0.5 * (from + to);
        r->half_width = 0.5 * (to - from);
        for (size_t j = 0; j < n; j++) {
            r->tau[j] = r->midpoint + r->half_width * cos(LF_PI * ((double)j + 0.5) / (double)n);
        }
        interpolation_matrix(rows, t, n, r->tau, U, Qt_y);
        memcpy(Qt_y, y, rows * sizeof *y);
        int info = lf_qr(rows, n, U, reflectors);
        LF_TRY(info, lf_qr_transposed_times(rows, n, U, reflectors, Qt_y));
        status = info ? lf_no_memory(ctx) : LF_OK;
    }
    for (size_t j = 0; !status && j < n; j++) {
        memcpy(r->R + j * n, U + j * rows, (j + 1) * sizeof *U);
        for (size_t i = 0; i <= j; i++) { /* interpolation reproduces constants: Q'1 = R 1 */
            r->Qt1[i] += U[j * rows + i];
        }
    }
    if (!status) {
        memcpy(r->Qty, Qt_y, n * sizeof *Qt_y);
        r->residual = cblas_ddot((int)(rows - n), Qt_y + n, 1, Qt_y + n, 1);
        r->x = r->tau;
    }
    free(U);
    free(reflectors);
    free(Qt_y);
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

/* The first and the last input of a group. */
static void find_span(const lf_replicate *replicate, int group, double *from, double *to)
{
    const lf_point_set *points = &replicate->points;
    *from = INFINITY;
    *to = -INFINITY;
    for (size_t i = points->start[group]; points->input_dim == 1 && i < points->start[group + 1]; i++) {
        *from = fmin(*from, points->x[i]);
        *to = fmax(*to, points->x[i]);
    }
}

size_t lf_row_compression_size(const lf_model *model, const lf_features *features, const lf_replicate *replicate,
                               int group)
{
    const lf_point_set *points = &replicate->points;
    size_t first = points->start[group], rows = points->start[group + 1] - first;
    double from, to;
    find_span(replicate, group, &from, &to);
    if (!features || !(to > from) || has_error_bars(rows, replicate->variance + first)) {
        return rows;
    }
    size_t max_points = (size_t)(MAX_FRACTION * (double)rows);
    size_t n = min_points_output(model, features, points->target[group], from, to, MARGIN, MIN_POINTS, max_points);
    return n <= max_points ? n : rows;
}

lf_status lf_row_compression_create(lf_context *ctx, const lf_model *model, const lf_features *features,
                                    const lf_replicate *replicate, int group, lf_row_compression *r)
{
    const lf_point_set *points = &replicate->points;
    size_t first = points->start[group], rows = points->start[group + 1] - first;
    double *x = points->x + first * (size_t)points->input_dim, *y = replicate->y + first, from, to;
    *r = (lf_row_compression){.output = points->target[group], .rows = rows, .x = x};
    r->n = lf_row_compression_size(model, features, replicate, group);
    find_span(replicate, group, &from, &to);
    r->Qty = lf_doubles(r->n, 1);
    r->Qt1 = lf_doubles(r->n, 1);
    if (!r->Qty || !r->Qt1) {
        return lf_no_memory(ctx);
    }
    if (r->n < rows) {
        return compress(ctx, from, to, rows, x, y, r);
    }
    memcpy(r->Qty, y, rows * sizeof *y);
    for (size_t i = 0; i < rows; i++) {
        r->Qt1[i] = 1;
    }
    return LF_OK;
}

void lf_row_compression_clear(lf_row_compression *r)
{
    free(r->tau);
    free(r->R);
    free(r->Qty);
    free(r->Qt1);
    *r = (lf_row_compression){0};
}

void lf_row_compression_apply(const lf_row_compression *rows, int transpose, size_t columns, double *V)
{
    if (rows->R && columns) {
        cblas_dtrmm(CblasColMajor, CblasLeft, CblasUpper, transpose ? CblasTrans : CblasNoTrans, CblasNonUnit,
                    (int)rows->n, (int)columns, 1, rows->R, (int)rows->n, V, (int)rows->n);
    }
}
