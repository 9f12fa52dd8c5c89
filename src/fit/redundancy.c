/* Cross-validated probabilistic principal components (Tipping and Bishop 1999).
 *
 * The standardised, interpolated outputs are cut into blocks of time. For each block, V (outputs, m) are the leading principal
 * components of the rows outside it, l their variances, and s2 the mean variance of the others. Output d in the block is predicted
 * from the others: the expected scores are the solution of (V_o' V_o + s2 / l) s = V_o' z_o, where V_o is V without the row v of
 * output d, and the prediction is v' s. As V_o' V_o = 1 - v v', the error follows without solving, from G = 1 / (1 + s2 / l):
 *     v' s - z_d = ((V G V' z)_d - z_d) / (1 - v' G v).
 *
 * Each block has one mean squared error for each output, over the times at which the output was read: what is interpolated across
 * its own gaps is no evidence. A geometric mean over outputs and blocks compares numbers of components, so that nearly exact
 * outputs count as much as noisy ones. */
#include "fit/redundancy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"
#include "base/parallel.h"

#define LEAST_ERROR 1e-6 /* smaller ones make no difference: noise is at least this share of the variance */
#define NEAR 1.05        /* errors up to this many times the least are near it */
#define ROUNDING 1e-10   /* of the largest; below it components are rounding */
enum { BLOCKS = 8, MOST_TIMES = 200 };

static const int numbers[LF_COMPONENT_NUMBERS] = {4, 8, 12, 16, 24, LF_MOST_COMPONENTS};

typedef struct work {
    const lf_redundancy *compared;
    size_t outputs, times;
    double *values;             /* (times, outputs), as are all matrices here column by column */
    char *seen;                 /* likewise: whether the output was read about then */
    double *outside;            /* (times, outputs) rows outside a block, less their means */
    double *inside;             /* (times, outputs) rows of a block, less the same means */
    double *predicted;          /* (times, outputs) V G V' z */
    double *gram, *eigenvalues; /* (times, times), (times) */
    double *components;         /* (outputs, most) V */
    double *scores, *kept;      /* (times, most) V' z and G V' z */
    double *leverage;           /* (outputs) v' G v */
    double *sums;               /* (numbers, outputs) of mean squared errors over blocks */
    double *blocks;             /* (outputs) in which an output was read */
    double logs[LF_COMPONENT_NUMBERS], terms;
} work;

static void clear(work *w)
{
    double *all[] = {w->values,     w->outside, w->inside, w->predicted, w->gram, w->eigenvalues,
                     w->components, w->scores,  w->kept,   w->leverage,  w->sums, w->blocks};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    free(w->seen);
}

/* Every so many points of the grid: not more than readings, not more than are affordable. */
static size_t stride_of(const lf_data_summary *summary)
{
    size_t length = summary->replicate_count * summary->grid_count;
    double step = lf_data_summary_span(summary) / fmax((double)summary->grid_count - 1, 1);
    size_t readings = (size_t)fmax(floor(summary->gap / step * (1 + 1e-6)), 1),
           affordable = (length + MOST_TIMES - 1) / MOST_TIMES;
    return readings > affordable ? readings : affordable;
}

static lf_status create(lf_context *ctx, const lf_data_summary *summary, const lf_redundancy *compared, work *w)
{
    size_t length = summary->replicate_count * summary->grid_count, stride = stride_of(summary);
    size_t D = (size_t)summary->output_count, n = (length + stride - 1) / stride, most = LF_MOST_COMPONENTS;
    *w = (work){.compared = compared,
                .outputs = D,
                .times = n,
                .values = lf_doubles(n, D),
                .seen = calloc(n * D + 1, 1),
                .outside = lf_doubles(n, D),
                .inside = lf_doubles(n, D),
                .predicted = lf_doubles(n, D),
                .gram = lf_doubles(n, n),
                .eigenvalues = lf_doubles(n, 1),
                .components = lf_doubles(D, most),
                .scores = lf_doubles(n, most),
                .kept = lf_doubles(n, most),
                .leverage = lf_doubles(D, 1),
                .sums = lf_doubles(LF_COMPONENT_NUMBERS, D),
                .blocks = lf_doubles(D, 1)};
    if (!w->values || !w->seen || !w->outside || !w->inside || !w->predicted || !w->gram || !w->eigenvalues ||
        !w->components || !w->scores || !w->kept || !w->leverage || !w->sums || !w->blocks) {
        return lf_no_memory(ctx);
    }
    for (size_t d = 0; d < D; d++) {
        for (size_t i = 0; i < n; i++) {
            w->values[d * n + i] = summary->series[d * length + i * stride];
            w->seen[d * n + i] = summary->seen[d * length + i * stride];
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

/* The leading components V = X' U / sqrt(eigenvalue) of the rows X outside, U the eigenvectors of X X', and the scores of the rows inside.
 * Sets how many there are. */
static lf_status decompose(lf_context *ctx, work *w, size_t inner, size_t *count)
{
    size_t D = w->outputs, outer = w->times - inner;
    int rows = (int)outer, columns = (int)D;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, rows, columns, 1, w->outside, rows, 0, w->gram, rows);
    int info = lf_symmetric_eigen(outer, w->gram, w->eigenvalues);
    if (info) {
        return info == LF_LAPACK_NO_MEMORY
                   ? lf_no_memory(ctx)
                   : lf_fail(ctx, LF_ERROR_NUMERIC, "the principal components of the outputs could not be computed");
    }
    size_t most = (size_t)w->compared->numbers[w->compared->count - 1];
    const double *largest = w->eigenvalues + outer - 1;
    for (*count = 0; *count < most && *count < outer && largest[-(ptrdiff_t)*count] > ROUNDING * *largest; ++*count) {
        const double *vector = w->gram + (outer - 1 - *count) * outer;
        cblas_dgemv(CblasColMajor, CblasTrans, rows, columns, 1 / sqrt(largest[-(ptrdiff_t)*count]), w->outside, rows,
                    vector, 1, 0, w->components + *count * D, 1);
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)inner, (int)*count, columns, 1, w->inside, (int)inner,
                w->components, columns, 0, w->scores, (int)inner);
    return LF_OK;
}

/* V G V' z of the rows inside and v' G v, with the first m components. */
static void predict(work *w, size_t inner, size_t m)
{
    size_t D = w->outputs, outer = w->times - inner;
    const double *largest = w->eigenvalues + outer - 1;
    double rest = 0;
    for (size_t c = m; c < outer; c++) {
        rest += fmax(largest[-(ptrdiff_t)c], 0) / (double)(D - m);
    }
    memset(w->leverage, 0, D * sizeof *w->leverage);
    for (size_t c = 0; c < m; c++) {
        double kept = 1 / (1 + fmax(rest / largest[-(ptrdiff_t)c], ROUNDING));
        const double *component = w->components + c * D;
        for (size_t d = 0; d < D; d++) {
            w->leverage[d] += kept * component[d] * component[d];
        }
        for (size_t i = 0; i < inner; i++) {
            w->kept[c * inner + i] = kept * w->scores[c * inner + i];
        }
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)inner, (int)D, (int)m, 1, w->kept, (int)inner,
                w->components, (int)D, 0, w->predicted, (int)inner);
}

/* The mean squared error of one output in a block, over the times at which it was read; negative: there are none. */
static double squared_error(const work *w, size_t d, size_t first, size_t inner)
{
    const double *predicted = w->predicted + d * inner, *inside = w->inside + d * inner;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < inner; i++) {
        if (w->seen[d * w->times + first + i]) {
            double error = (predicted[i] - inside[i]) / (1 - w->leverage[d]);
            sum += error * error;
            count++;
        }
    }
    return count ? sum / (double)count : -1;
}

/* Adds the errors of the k-th number of components. */
static void add_errors(work *w, int k, size_t first, size_t inner)
{
    for (size_t d = 0; d < w->outputs; d++) {
        double error = squared_error(w, d, first, inner);
        if (error >= 0) {
            w->sums[(size_t)k * w->outputs + d] += error;
            w->logs[k] += log(fmax(error, LEAST_ERROR));
            w->blocks[d] += k == 0;
            w->terms += k == 0;
        }
    }
}

static lf_status judge_block(lf_context *ctx, work *w, size_t first, size_t end)
{
    size_t inner = end - first, count = 0;
    split(w, first, end);
    lf_status status = decompose(ctx, w, inner, &count);
    for (int k = 0; !status && k < w->compared->count; k++) {
        size_t number = (size_t)w->compared->numbers[k];
        predict(w, inner, number < count ? number : count);
        add_errors(w, k, first, inner);
    }
    return status;
}

static void conclude(const work *w, lf_data_summary *summary, lf_redundancy *redundancy)
{
    double least = INFINITY;
    for (int k = 0; k < redundancy->count; k++) {
        redundancy->errors[k] = exp(w->logs[k] / w->terms);
        least = fmin(least, redundancy->errors[k]);
    }
    while (redundancy->errors[redundancy->chosen] > NEAR * least) {
        redundancy->chosen++;
    }
    for (size_t d = 0; d < w->outputs; d++) {
        double sum = w->sums[(size_t)redundancy->chosen * w->outputs + d];
        summary->outputs[d].unexplained = w->blocks[d] > 0 ? fmax(sum / w->blocks[d], LEAST_ERROR) : 0;
    }
}

lf_status lf_redundancy_find(lf_context *ctx, lf_data_summary *summary, lf_redundancy *redundancy)
{
    *redundancy = (lf_redundancy){0};
    if (!summary->series) {
        return LF_OK;
    }
    while (redundancy->count < LF_COMPONENT_NUMBERS && numbers[redundancy->count] < summary->output_count) {
        redundancy->numbers[redundancy->count] = numbers[redundancy->count];
        redundancy->count++;
    }
    work w;
    int before = lf_threads_begin(1); /* nothing may depend on their number */
    lf_status status = create(ctx, summary, redundancy, &w);
    if (!status && (redundancy->count == 0 || w.times < BLOCKS)) {
        redundancy->count = 0;
    } else {
        for (size_t b = 0; !status && b < BLOCKS; b++) {
            status = judge_block(ctx, &w, b * w.times / BLOCKS, (b + 1) * w.times / BLOCKS);
        }
        if (!status && w.terms > 0) {
            conclude(&w, summary, redundancy);
        } else {
            redundancy->count = 0;
        }
    }
    clear(&w);
    lf_threads_end(before);
    return status;
}

int lf_redundancy_forces(lf_context *ctx, const lf_redundancy *redundancy, int most)
{
    char compared[160] = "";
    if (redundancy->count == 0) {
        return most;
    }
    for (int k = 0; k < redundancy->count; k++) {
        size_t used = strlen(compared);
        snprintf(compared + used, sizeof compared - used, "%s%d (%.3g)", used ? ", " : "", redundancy->numbers[k],
                 redundancy->errors[k]);
    }
    /* where the largest number compared is best, more may be better still */
    int enough = redundancy->chosen < redundancy->count - 1, forces = redundancy->numbers[redundancy->chosen];
    forces = enough && forces < most ? forces : most;
    lf_note(ctx,
            "%d forces: chosen by the squared error of outputs predicted from the others in blocks of time left out, "
            "with %s "
            "components (--forces Q sets the number)",
            forces, compared);
    return forces;
}
