/* Judges a posterior by the rows it is conditioned on.
 *
 * With noise variance s and posterior variance v of f at a row, the residual y - mean has the variance s - v, and
 *
 *   z = (y - mean) / sqrt(s - v)
 *
 * is N(0, 1) where the model is right; v is that of the model, without the factor of calibration (variance_inflation), which is for
 * predictions in gaps. Leaving the row out changes the prediction of y to the mean y - (y - mean) s / (s - v) with the
 * variance s^2 / (s - v), so that z is the standardised error of that prediction too: the share of |z| < 1.96 is the coverage of 95 %
 * intervals for rows left out. The parameters are held; they have seen the row.
 *
 * A reading whose likelihood is not Gaussian has as z the standard normal number that is as probable as the reading, predicted without it
 * (lf_reading_left_out). Its sites follow from later readings too, so that errors of predictions from earlier rows are tested only where they are
 * readings themselves.
 *
 * Where s - v is next to nothing beside s, the mean passes through the rows: z would be a quotient of two rounding errors, and is not
 * judged. shares.h has the shares of the parts of the mean. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "report/contributions.h"
#include "report/diagnosis.h"
#include "report/evidence.h"
#include "report/residual_tests.h"
#include "report/scatter.h"
#include "report/shares.h"
#include "report/whiteness.h"

#define LEAST_VARIANCE 1e-3 /* of s - v, relative to s: less is a rounding error or that of an approximate engine */
#define MOST_EXACT 0.1      /* share of the rows without such a variance that leaves the others to be judged */
#define LEAST_SQUARES 0.1   /* average of z^2; less: the noise is too large for these residuals */
#define NO_NOISE 1e-4       /* variance of residuals over that of the rows: next to nothing */
#define IDLE 0.01
enum { IS_IDLE = 1, ACTS = 2 }; /* of a force, while its outputs are looked at; 0: nothing is known */

static int compare_rows(const void *left, const void *right)
{
    const lf_diagnosed_row *a = left, *b = right;
    if (a->series != b->series) {
        return a->series < b->series ? -1 : 1;
    }
    if (a->x != b->x) {
        return a->x < b->x ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The rows of an output, by replicate and then by input; returns their number. rows: room for all. */
static size_t gather_rows(const lf_evidence *e, int d, lf_diagnosed_row *rows)
{
    size_t n = 0;
    int is_gaussian = !e->posterior->scaled.model->outputs[d].likelihood;
    for (int r = 0; r < e->rows.count; r++) {
        const lf_point_set *points = &e->rows.replicates[r].points;
        for (int g = 0; g < points->group_count; g++) {
            for (size_t i = points->start[g]; points->target[g] == d && i < points->start[g + 1]; i++) {
                double s = e->noise[r][i];
                double response = e->rows.replicates[r].mean ? e->rows.replicates[r].mean[i] : 0;
                double left = s - e->variance[r][i];
                double score = is_gaussian ? 0 : e->scores[r][i];
                rows[n++] = (lf_diagnosed_row){.series = r,
                                               .x = points->x[i * (size_t)points->input_dim],
                                               .y = e->y[r][i] + response,
                                               .residual = is_gaussian ? e->y[r][i] - e->mean[r][i]
                                                                       : score * sqrt(fmax(left, LEAST_VARIANCE * s)),
                                               .variance = fmax(left, LEAST_VARIANCE * s),
                                               .exact = !(left > LEAST_VARIANCE * s),
                                               .index = i};
            }
        }
    }
    qsort(rows, n, sizeof *rows, compare_rows);
    return n;
}

static void judge(lf_output_diagnosis *output, size_t n, const double *z)
{
    size_t covered = 0;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += z[i];
        squares += z[i] * z[i];
        covered += fabs(z[i]) <= 1.959963984540054;
    }
    output->residual_mean = sum / (double)n;
    output->residual_rms = sqrt(squares / (double)n);
    output->coverage95 = (double)covered / (double)n;
    if (n < LF_LEAST_ROWS) {
        return;
    }
    output->coverage_p = lf_binomial_tail(n, covered, 0.95);
    output->too_narrow = output->coverage_p < LF_SIGNIFICANT && output->coverage95 < 0.9;
    lf_shape(n, z, &output->skewness, &output->excess_kurtosis);
    output->normality_p = lf_normality_p(n, output->skewness, output->excess_kurtosis);
    output->not_normal =
        output->normality_p < LF_SIGNIFICANT && (fabs(output->skewness) > 1 || fabs(output->excess_kurtosis) > 2);
}

static void find_largest(size_t n, const double *z, const lf_diagnosed_row *rows, lf_output_diagnosis *output)
{
    size_t largest = 0;
    for (size_t i = 1; i < n; i++) {
        largest = fabs(z[i]) > fabs(z[largest]) ? i : largest;
    }
    output->largest_residual = z[largest];
    output->largest_at = rows[largest].x;
}

/* Rows are in units of about their standard deviation. */
static int is_constant(const lf_diagnosed_row *rows, size_t n)
{
    size_t i = 1;
    while (i < n && fabs(rows[i].y - rows[0].y) < 1e-12) {
        i++;
    }
    return n > 1 && i == n;
}

/* Whether the mean passes through the rows, so that residuals have no digits, or so nearly that they are far below a noise that is itself
 * next to nothing, on the least value that a fit allows. */
static int is_interpolated(const lf_diagnosed_row *rows, size_t n)
{
    double exact = 0, average = 0, total = 0, squares = 0, variance = 0, size = (double)n;
    for (size_t i = 0; i < n; i++) {
        exact += rows[i].exact != 0;
        average += rows[i].y / size;
        variance += rows[i].variance / size;
        squares += rows[i].residual * rows[i].residual / rows[i].variance / size;
    }
    for (size_t i = 0; i < n; i++) {
        total += (rows[i].y - average) * (rows[i].y - average) / size;
    }
    return exact > MOST_EXACT * size || (squares < LEAST_SQUARES && variance < NO_NOISE * total);
}

static lf_status judge_residuals(const lf_evidence *e, int d, const lf_diagnosed_row *rows, size_t n, int ordered,
                                 lf_output_diagnosis *output)
{
    lf_status status = LF_OK;
    double *z = output->residuals = lf_doubles(n, 1);
    int *replicate = output->residual_replicates = calloc(n, sizeof *replicate);
    if (!z || !replicate) {
        return lf_no_memory(e->posterior->ctx);
    }
    for (size_t i = 0; i < n; i++) {
        z[i] = rows[i].variance > 0 ? rows[i].residual / sqrt(rows[i].variance) : 0;
        replicate[i] = e->replicate[rows[i].series];
    }
    judge(output, n, z);
    find_largest(n, z, rows, output);
    if (e->scores) { /* outliers are what Student-t noise is for; whether readings are as probable as they should be, the coverage says */
        output->not_normal = output->not_normal && !e->posterior->scaled.model->outputs[d].likelihood;
    }
    if (ordered) {
        output->jump_input = output->not_normal ? lf_find_jumps(e, n, rows, z) : -1;
        status = lf_test_scatter(e->posterior->ctx, n, z, rows, output);
    }
    return status;
}

/* Errors of predictions from earlier rows keep their digits where the engine computes them itself and there is noise. */
static lf_status test_residuals(const lf_evidence *e, int d, const lf_diagnosed_row *rows, size_t n,
                                lf_output_diagnosis *output)
{
    const lf_model *model = e->posterior->scaled.model;
    int ordered = model->input_dim == 1, predicted = lf_likelihood_is_direct(lf_output_likelihood(&model->outputs[d]));
    output->constant = is_constant(rows, n);
    output->interpolated = output->constant || is_interpolated(rows, n);
    for (size_t i = 0; i < n; i++) {
        predicted = predicted && rows[i].variance > 0 && !output->constant &&
                    (!output->interpolated || e->innovations[rows[i].series]);
    }
    lf_status status = output->interpolated ? LF_OK : judge_residuals(e, d, rows, n, ordered, output);
    return !status && ordered && predicted ? lf_test_whiteness(e, d, n, rows, output) : status;
}

/* Marks the forces that act on an output: with a share, or with a part that is larger than the noise. A known input, a cycle or a trend
 * may be most of what an output does, and a force that is found beside it matters all the same. */
static void mark_acting(const lf_evidence *e, const lf_diagnosed_row *rows, const lf_output_diagnosis *output,
                        int forces, int *idle)
{
    double sum = 0, squares = 0, noise = 0, n = (double)output->rows;
    for (size_t i = 0; i < output->rows; i++) {
        sum += rows[i].y;
        squares += rows[i].y * rows[i].y;
        noise += e->noise[rows[i].series][rows[i].index];
    }
    double beside = noise / (squares - sum * sum / n);
    for (int q = 0; q < forces; q++) {
        double variance = output->force_variances[q];
        int acts = output->forces[q] >= IDLE || variance >= IDLE || (variance > 0 && variance >= beside);
        idle[q] = isnan(output->forces[q]) || idle[q] == ACTS ? idle[q] : acts ? ACTS : IS_IDLE;
    }
}

static lf_status diagnose(const lf_evidence *e, lf_diagnosis *diagnosis)
{
    lf_diagnosed_row *rows = calloc(e->rows.n + 1, sizeof *rows);
    lf_status status = rows ? LF_OK : lf_no_memory(e->posterior->ctx);
    diagnosis->from_prior =
        !e->posterior->scaled.model->system && lf_contributions_route(&e->posterior->scaled) == LF_PARTS_PRIOR;
    for (int d = 0; !status && d < diagnosis->output_count; d++) {
        lf_output_diagnosis *output = &diagnosis->outputs[d];
        output->rows = gather_rows(e, d, rows);
        if (output->rows) {
            status = e->with_parts ? lf_find_shares(e, rows, output->rows, diagnosis->from_prior, output) : LF_OK;
            LF_TRY(status, test_residuals(e, d, rows, output->rows, output));
            if (e->with_parts) {
                mark_acting(e, rows, output, diagnosis->force_count, diagnosis->idle);
            }
        }
    }
    free(rows);
    /* The prior variance of a cycle is mostly that of its level, beside which others seem idle. What one output does is no reason to
     * leave a force out of it: the sentence about its shares has them all. */
    int shown =
        diagnosis->output_count > 1 && (!diagnosis->from_prior || !lf_model_composed_force(e->posterior->scaled.model));
    for (int q = 0; q < diagnosis->force_count; q++) {
        diagnosis->idle[q] = shown && diagnosis->idle[q] == IS_IDLE;
    }
    return status;
}

static lf_status diagnose_data(lf_posterior *posterior, const lf_data *data, int with_parts, lf_diagnosis **diagnosis)
{
    lf_context *ctx = posterior->ctx;
    const lf_model *model = posterior->scaled.model;
    lf_evidence e;
    *diagnosis = NULL;
    lf_work_begin(ctx);
    int before = lf_threads_begin(lf_threads(ctx));
    lf_status status = lf_evidence_create(posterior, data, with_parts, &e);
    lf_diagnosis *result =
        status ? NULL : lf_diagnosis_allocate(model->output_count, model->force_count, model->known_count);
    status = status || result ? status : lf_no_memory(ctx);
    LF_TRY(status, diagnose(&e, result));
    lf_threads_end(before);
    lf_evidence_clear(&e);
    if (status) {
        lf_diagnosis_free(result);
        return status;
    }
    *diagnosis = result;
    return LF_OK;
}

lf_status lf_diagnose(lf_posterior *posterior, const lf_data *data, lf_diagnosis **diagnosis)
{
    return diagnose_data(posterior, data, 1, diagnosis);
}

lf_status lf_diagnose_residuals(lf_posterior *posterior, const lf_data *data, lf_diagnosis **diagnosis)
{
    return diagnose_data(posterior, data, 0, diagnosis);
}
