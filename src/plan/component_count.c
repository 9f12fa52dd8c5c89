/* Cross-validated probabilistic principal components (Tipping and Bishop 1999).
 *
 * The standardised, interpolated outputs are cut into blocks of time. For each block, V (outputs, m) are the leading principal
 * components of the rows outside it, l their variances, and s2 the mean variance of the others. At a time in the block, z are the
 * outputs that were read then, and V their rows: what is interpolated across a gap is no evidence. Each of them is predicted from the
 * others. With all of them the expected scores are A^-1 V' z, A = V' V + s2 / l; without output d, whose row is v, the error is
 *     (v' A^-1 V' z - z_d) / (1 - v' A^-1 v).
 *
 * Each block has one mean squared error for each output. A geometric mean over outputs and blocks compares numbers of components, so
 * that nearly exact outputs count as much as noisy ones. */
#include "plan/component_count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "plan/thresholds.h"

#define LEAST_ERROR 1e-6 /* smaller ones make no difference: no noise is a smaller share of the variance */
#define ROUNDING 1e-10   /* of the largest; below it components are rounding */
enum { BLOCKS = 8, MOST_TIMES = 400 };

static const int numbers[LF_COMPONENT_NUMBERS] = {4, 8, 12, 16, 24, LF_MOST_COMPONENTS};

typedef struct work {
    const lf_component_count *compared;
    size_t outputs, times;
    double *values;                           /* (times, outputs), as are all matrices here column by column */
    char *seen;                               /* likewise: whether the output was read about then */
    double *outside;                          /* (times, outputs) rows outside a block, less their means */
    double *inside;                           /* (times, outputs) rows of a block, less the same means */
    double *gram, *eigenvalues;               /* (side, side), (side) */
    size_t side;                              /* the lesser of outputs and rows outside a block */
    double *components;                       /* (outputs, most) V */
    double *rows;                             /* (most, outputs) those of outputs that were read */
    double *matrix;                           /* (most, most) A */
    double *sums, *counts;                    /* (numbers, outputs) of squared errors in a block */
    double *totals, *all;                     /* (numbers, outputs) of squared errors in all blocks */
    double logs[LF_COMPONENT_NUMBERS], terms; /* sums of logarithms of errors, of so many blocks of outputs */
} work;

static void clear(work *w)
{
    double *all[] = {w->values, w->outside, w->inside, w->gram,   w->eigenvalues, w->components,
                     w->rows,   w->matrix,  w->sums,   w->counts, w->totals,      w->all};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    free(w->seen);
}

/* The points of the grid in each replicate that are taken: not more than readings, not more than are affordable. */
static size_t count_times(const lf_data_summary *summary)
{
    double readings = floor(lf_data_summary_span(summary) / summary->gap * (1 + 1e-6)) + 1,
           affordable = fmax((double)MOST_TIMES / (double)summary->replicate_count, 2);
    return (size_t)fmin(fmin(readings, affordable), (double)summary->grid_count);
}

static lf_status create(lf_context *ctx, const lf_data_summary *summary, const lf_component_count *compared, work *w)
{
    size_t grid = summary->grid_count, each = count_times(summary), most = LF_MOST_COMPONENTS;
    size_t D = (size_t)summary->output_count, n = summary->replicate_count * each;
    *w = (work){.compared = compared,
                .outputs = D,
                .times = n,
                .values = lf_doubles(n, D),
                .seen = calloc(n * D + 1, 1),
                .outside = lf_doubles(n, D),
                .inside = lf_doubles(n, D),
                .gram = lf_doubles(n, n),
                .eigenvalues = lf_doubles(n, 1),
                .components = lf_doubles(D, most),
                .rows = lf_doubles(most, D),
                .matrix = lf_doubles(most, most),
                .sums = lf_doubles(LF_COMPONENT_NUMBERS, D),
                .counts = lf_doubles(LF_COMPONENT_NUMBERS, D),
                .totals = lf_doubles(LF_COMPONENT_NUMBERS, D),
                .all = lf_doubles(LF_COMPONENT_NUMBERS, D)};
    if (!w->values || !w->seen || !w->outside || !w->inside || !w->gram || !w->eigenvalues || !w->components ||
        !w->rows || !w->matrix || !w->sums || !w->counts || !w->totals || !w->all) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < n; i++) {
        double place = each > 1 ? (double)(i % each) * (double)(grid - 1) / (double)(each - 1) : 0;
        size_t point = i / each * grid + (size_t)floor(place + 0.5);
        for (size_t d = 0; d < D; d++) {
            w->values[d * n + i] = summary->series[d * summary->replicate_count * grid + point];
            w->seen[d * n + i] = summary->seen[d * summary->replicate_count * grid + point];
        }
    }
    return LF_OK;
}

/* The rows outside first … end - 1 and inside, less the means of the former. */
static void split(work *w, size_t first, size_t end)
{
    size_t n = w->times, inner = end - first, outer = n - inner;
    for (size_t d = 0; d < w->outputs; d++) {
        const double *values = w->values + d * n;
        double *outside = w->outside + d * outer, *inside = w->inside + d * inner, mean = 0;
        memcpy(outside, values, first * sizeof *values);
        memcpy(outside + first, values + end, (n - end) * sizeof *values);
        for (size_t i = 0; i < outer; i++) {
            mean += outside[i] / (double)outer;
        }
        for (size_t i = 0; i < outer; i++) {
            outside[i] -= mean;
        }
        for (size_t i = 0; i < inner; i++) {
            inside[i] = values[first + i] - mean;
        }
    }
}

/* Of component c, up to a factor. */
static double variance(const work *w, size_t c) { return fmax(w->eigenvalues[w->side - 1 - c], 0); }

static lf_status failed(lf_context *ctx)
{
    return lf_fail(ctx, LF_ERROR_NUMERIC, "the principal components of the outputs could not be computed");
}

/* The leading components V of the rows X outside, and how many there are: the eigenvectors of X' X or, where outputs are more than
 * rows, X' U / sqrt(eigenvalue) with U those of X X'. */
static lf_status decompose(lf_context *ctx, work *w, size_t inner, size_t *count)
{
    size_t D = w->outputs, outer = w->times - inner, side = D < outer ? D : outer;
    int rows = (int)outer, columns = (int)D;
    w->side = side;
    cblas_dsyrk(CblasColMajor, CblasLower, side == D ? CblasTrans : CblasNoTrans, (int)side, side == D ? rows : columns,
                1, w->outside, rows, 0, w->gram, (int)side);
    int info = lf_symmetric_eigen(side, w->gram, w->eigenvalues);
    if (info) {
        return info == LF_LAPACK_NO_MEMORY ? lf_no_memory(ctx) : failed(ctx);
    }
    size_t most = (size_t)w->compared->numbers[w->compared->count - 1];
    for (*count = 0; *count < most && *count < side && variance(w, *count) > ROUNDING * variance(w, 0); ++*count) {
        const double *vector = w->gram + (side - 1 - *count) * side;
        double *component = w->components + *count * D;
        if (side == D) {
            memcpy(component, vector, D * sizeof *component);
        } else {
            cblas_dgemv(CblasColMajor, CblasTrans, rows, columns, 1 / sqrt(variance(w, *count)), w->outside, rows,
                        vector, 1, 0, component, 1);
        }
    }
    return LF_OK;
}

/* Adds the squared errors of the outputs read at one time, row i of the block that begins at `first`, with the first m components. */
static lf_status predict(lf_context *ctx, work *w, size_t first, size_t inner, size_t i, size_t m, size_t k)
{
    size_t D = w->outputs, read = 0;
    double rest = 0, scores[LF_MOST_COMPONENTS] = {0};
    for (size_t c = m; c < w->side; c++) {
        rest += variance(w, c) / (double)(D - m);
    }
    memset(w->matrix, 0, m * m * sizeof *w->matrix);
    for (size_t c = 0; c < m; c++) {
        w->matrix[c + c * m] = fmax(rest / variance(w, c), ROUNDING);
    }
    for (size_t d = 0; d < D; d++) {
        for (size_t c = 0; w->seen[d * w->times + first + i] && c < m; c++) {
            w->rows[read * m + c] = w->components[c * D + d];
        }
        read += w->seen[d * w->times + first + i] != 0;
    }
    /* with A = L L': the rows times L'^-1 */
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)m, (int)read, 1, w->rows, (int)m, 1, w->matrix, (int)m);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)m, w->matrix, (int)m)) {
        return failed(ctx);
    }
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)m, (int)read, 1, w->matrix,
                (int)m, w->rows, (int)m);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t d = 0, r = 0; d < D; d++) {
            const double *row = w->rows + r * m;
            double z = w->inside[d * inner + i];
            if (!w->seen[d * w->times + first + i]) {
                continue;
            }
            if (pass == 0) {
                cblas_daxpy((int)m, z, row, 1, scores, 1);
            } else {
                double error = (cblas_ddot((int)m, row, 1, scores, 1) - z) / (1 - cblas_ddot((int)m, row, 1, row, 1));
                w->sums[k * D + d] += error * error;
                w->counts[k * D + d]++;
            }
            r++;
        }
    }
    return LF_OK;
}

static lf_status judge_block(lf_context *ctx, work *w, size_t first, size_t end)
{
    size_t D = w->outputs, inner = end - first, count = 0, numbers_count = (size_t)w->compared->count;
    split(w, first, end);
    memset(w->sums, 0, numbers_count * D * sizeof *w->sums);
    memset(w->counts, 0, numbers_count * D * sizeof *w->counts);
    lf_status status = decompose(ctx, w, inner, &count);
    for (size_t k = 0; !status && k < numbers_count; k++) {
        size_t number = (size_t)w->compared->numbers[k];
        for (size_t i = 0; !status && i < inner; i++) {
            status = predict(ctx, w, first, inner, i, number < count ? number : count, k);
        }
        for (size_t d = 0; d < D; d++) {
            double read = w->counts[k * D + d];
            w->logs[k] += read > 0 ? log(fmax(w->sums[k * D + d] / read, LEAST_ERROR)) : 0;
            w->terms += k == 0 && read > 0;
            w->totals[k * D + d] += w->sums[k * D + d];
            w->all[k * D + d] += read;
        }
    }
    return status;
}

static void conclude(const work *w, lf_component_count *found, lf_data_summary *summary)
{
    double least = INFINITY;
    for (int k = 0; k < found->count; k++) {
        found->errors[k] = exp(w->logs[k] / w->terms);
        least = fmin(least, found->errors[k]);
    }
    while (found->errors[found->chosen] > lf_threshold.near_least_error * least) {
        found->chosen++;
    }
    for (size_t d = 0; d < w->outputs; d++) {
        size_t i = (size_t)found->chosen * w->outputs + d;
        summary->outputs[d].unexplained = w->all[i] > 0 ? fmax(w->totals[i] / w->all[i], LEAST_ERROR) : 0;
    }
}

lf_status lf_component_count_find(lf_context *ctx, lf_data_summary *summary, lf_component_count *found)
{
    *found = (lf_component_count){0};
    if (!summary->series) {
        return LF_OK;
    }
    while (found->count < LF_COMPONENT_NUMBERS && numbers[found->count] < summary->output_count) {
        found->numbers[found->count] = numbers[found->count];
        found->count++;
    }
    work w;
    int before = lf_threads_begin(1); /* nothing may depend on their number */
    lf_status status = create(ctx, summary, found, &w);
    if (!status && (found->count == 0 || w.times < BLOCKS)) {
        found->count = 0;
    } else {
        for (size_t b = 0; !status && b < BLOCKS; b++) {
            status = judge_block(ctx, &w, b * w.times / BLOCKS, (b + 1) * w.times / BLOCKS);
        }
        if (!status && w.terms > 0) {
            conclude(&w, found, summary);
        } else {
            found->count = 0;
        }
    }
    clear(&w);
    lf_threads_end(before);
    return status;
}
