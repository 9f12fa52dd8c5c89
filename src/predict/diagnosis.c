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
 * The share of a part c of the mean (contributions.h) is cov(c, y) / var(y) over the rows of the output. Parts may be correlated, so
 * that their variances do not add up to that of y; these shares do, because covariances are linear. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "predict/contributions.h"
#include "predict/diagnosis.h"
#include "predict/evidence.h"
#include "predict/residual_tests.h"
#include "predict/whiteness.h"

#define LEAST_VARIANCE 1e-3 /* of s - v, relative to s: less is a rounding error or that of an approximate engine */
#define LEAST_NOISE -0.1    /* share of the noise; less is an error of the others */
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
    for (int r = 0; r < e->rows.count; r++) {
        const lf_point_set *points = &e->rows.replicates[r].points;
        for (int g = 0; g < points->group_count; g++) {
            for (size_t i = points->start[g]; points->target[g] == d && i < points->start[g + 1]; i++) {
                double s = e->noise[r][i];
                double response = e->rows.replicates[r].mean ? e->rows.replicates[r].mean[i] : 0;
                rows[n++] = (lf_diagnosed_row){.series = r,
                                               .x = points->x[i * (size_t)points->input_dim],
                                               .y = e->y[r][i] + response,
                                               .residual = e->y[r][i] - e->mean[r][i],
                                               .variance = fmax(s - e->variance[r][i], LEAST_VARIANCE * s),
                                               .index = i};
            }
        }
    }
    qsort(rows, n, sizeof *rows, compare_rows);
    return n;
}

/* Shares from the prior: mean variances, where the rest is noise. */
static void share_prior(const lf_evidence *e, const lf_diagnosed_row *rows, size_t n, size_t Q, double *shares)
{
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        const lf_diagnosed_row *row = &rows[i];
        size_t size = e->rows.replicates[row->series].points.n;
        total += e->noise[row->series][row->index];
        for (size_t k = 0; k < Q + 2; k++) {
            double part = e->parts[row->series][k * size + row->index];
            shares[k] += part;
            total += part;
        }
    }
    for (size_t k = 0; k < Q + 2; k++) {
        shares[k] = total > 0 ? shares[k] / total : (double)NAN;
    }
}

/* Part k of a row: the first `inner` are those of the posterior mean, known inputs and their level follow. */
static double part_of(const lf_evidence *e, const lf_diagnosed_row *row, size_t k, size_t inner)
{
    size_t n = e->rows.replicates[row->series].points.n;
    return k < inner ? e->parts[row->series][k * n + row->index] : e->known[row->series][(k - inner) * n + row->index];
}

/* shares (count) of the parts, variances (count) of the parts relative to that of the rows. */
static void share_posterior(const lf_evidence *e, const lf_diagnosed_row *rows, size_t n, size_t inner, size_t count,
                            double *shares, double *variances)
{
    double average = 0, total = 0, size = (double)n;
    for (size_t i = 0; i < n; i++) {
        average += rows[i].y / size;
    }
    for (size_t i = 0; i < n; i++) {
        total += (rows[i].y - average) * (rows[i].y - average);
    }
    for (size_t k = 0; k < count; k++) {
        double mean = 0, with_y = 0, squares = 0;
        for (size_t i = 0; i < n; i++) {
            double part = part_of(e, &rows[i], k, inner);
            mean += part / size;
            with_y += part * (rows[i].y - average);
            squares += part * part;
        }
        shares[k] = total > 0 ? with_y / total : (double)NAN;
        variances[k] = total > 0 ? fmax(squares - size * mean * mean, 0) / total : (double)NAN;
    }
}

static lf_status find_shares(const lf_evidence *e, const lf_diagnosed_row *rows, size_t n, int from_prior,
                             lf_output_diagnosis *output)
{
    const lf_model *model = e->posterior->scaled.model;
    size_t Q = (size_t)model->force_count, K = (size_t)model->known_count,
           count = Q + 2 + (e->posterior->known ? K + 1 : 0);
    double *shares = lf_doubles(count, 1), *variances = lf_doubles(count, 1);
    lf_status status = shares && variances ? LF_OK : lf_no_memory(e->posterior->ctx);
    if (!status && from_prior) {
        share_prior(e, rows, n, Q, shares);
        memcpy(variances, shares, (Q + 2) * sizeof *shares);
    } else if (!status) {
        share_posterior(e, rows, n, Q + 2, count, shares, variances);
    }
    if (!status) {
        output->shared = 0;
        for (size_t q = 0; q < Q; q++) {
            output->forces[q] = shares[q];
            output->force_variances[q] = variances[q];
            output->shared += shares[q];
        }
        output->private_force = model->system ? 0 : shares[Q];
        output->process = model->system ? shares[Q] : (double)NAN;
        output->start = shares[Q + 1];
        output->noise = 1 - output->shared - shares[Q] - shares[Q + 1];
    }
    if (!status && count > Q + 2 && !from_prior) {
        output->known = 0;
        for (size_t k = 0; k < K; k++) {
            output->inputs[k] = shares[Q + 2 + k];
            output->known += shares[Q + 2 + k];
        }
        output->start += shares[Q + 2 + K];
        output->noise -= output->known + shares[Q + 2 + K];
    } else if (!status && count > Q + 2) { /* shares of a variance that the known inputs are no part of */
        output->shared = output->private_force = output->start = output->noise = (double)NAN;
    }
    if (!status && model->system && output->noise < LEAST_NOISE) { /* digits were lost, and parts do not add up */
        output->shared = output->private_force = output->process = output->start = output->noise = output->known =
            (double)NAN;
    }
    free(shares);
    free(variances);
    return status;
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

static lf_status test_residuals(const lf_evidence *e, int d, const lf_diagnosed_row *rows, size_t n,
                                lf_output_diagnosis *output)
{
    double *z = output->residuals = lf_doubles(n, 1);
    int judged = 1, *replicate = output->residual_replicates = calloc(n, sizeof *replicate);
    if (!z || !replicate) {
        return lf_no_memory(e->posterior->ctx);
    }
    for (size_t i = 0; i < n; i++) {
        judged = judged && rows[i].variance > 0; /* without noise there are no residuals */
        z[i] = rows[i].variance > 0 ? rows[i].residual / sqrt(rows[i].variance) : 0;
        replicate[i] = e->replicate[rows[i].series];
    }
    int ordered = e->posterior->scaled.model->input_dim == 1;
    if (judged) {
        judge(output, n, z);
        find_largest(n, z, rows, output);
    }
    if (output->not_normal && ordered) {
        output->jump_input = lf_find_jumps(e, n, rows, z);
    }
    if (!judged) {
        free(output->residuals);
        free(output->residual_replicates);
        output->residuals = NULL;
        output->residual_replicates = NULL;
    }
    return judged && ordered ? lf_test_whiteness(e, d, n, rows, output) : LF_OK;
}

/* Marks the forces that act on an output: with a share, or with a part that is larger than the noise. A known input may be most of what an
 * output does, and a force that is found beside it matters all the same. */
static void mark_acting(const lf_evidence *e, const lf_diagnosed_row *rows, const lf_output_diagnosis *output,
                        int forces, int *idle)
{
    double sum = 0, squares = 0, noise = 0, n = (double)output->rows;
    for (size_t i = 0; i < output->rows; i++) {
        sum += rows[i].y;
        squares += rows[i].y * rows[i].y;
        noise += e->noise[rows[i].series][rows[i].index];
    }
    double beside = e->posterior->scaled.model->known_count ? noise / (squares - sum * sum / n) : INFINITY;
    for (int q = 0; q < forces; q++) {
        double variance = output->force_variances[q];
        int acts = fabs(output->forces[q]) >= IDLE || variance >= IDLE || variance >= beside;
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
            status = e->with_parts ? find_shares(e, rows, output->rows, diagnosis->from_prior, output) : LF_OK;
            status = status ? status : test_residuals(e, d, rows, output->rows, output);
            if (e->with_parts) {
                mark_acting(e, rows, output, diagnosis->force_count, diagnosis->idle);
            }
        }
    }
    free(rows);
    /* The prior variance of a cycle is mostly that of its level, beside which others seem idle. */
    int told = !diagnosis->from_prior || !lf_model_composed_force(e->posterior->scaled.model);
    for (int q = 0; q < diagnosis->force_count; q++) {
        diagnosis->idle[q] = told && diagnosis->idle[q] == IS_IDLE;
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
    status = status ? status : diagnose(&e, result);
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
