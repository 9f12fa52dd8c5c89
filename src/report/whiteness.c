/* Tests of the errors of predictions from earlier rows. They are taken in the order of replicates and then of time, whatever the time
 * between two rows; of an even spacing periods follow in units of time. */
#include "report/whiteness.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "report/diagnosis.h"
#include "report/innovations.h"
#include "report/periodogram.h"
#include "report/residual_tests.h"

/* Appends the errors of the rows i … end - 1, which are those of one replicate, to those of the output. */
static lf_status add_errors(const lf_evidence *e, int d, const lf_diagnosed_row *rows, size_t i, size_t end,
                            size_t capacity, lf_output_diagnosis *output)
{
    int r = rows[i].series;
    size_t *which = calloc(end - i, sizeof *which), added = 0, before = output->innovations;
    if (!which) {
        return lf_no_memory(e->posterior->ctx);
    }
    for (size_t k = i; k < end; k++) {
        which[k - i] = rows[k].index;
    }
    const lf_innovations_rows given = {.target = d,
                                       .replicate = e->replicate[r],
                                       .rows = &e->rows.replicates[r],
                                       .all = e->innovations[r],
                                       .y = e->y[r],
                                       .mean = e->mean[r],
                                       .noise = e->noise[r],
                                       .n = end - i,
                                       .which = which};
    lf_status status = lf_innovations(e->posterior->ctx, &e->posterior->scaled, &given, capacity - before,
                                      output->errors + before, &added);
    size_t first = i + (end - i - added) / 2; /* the stretch that lf_innovations takes */
    for (size_t k = 0; k < added; k++) {
        output->error_inputs[before + k] = rows[first + k].x;
        output->error_replicates[before + k] = e->replicate[r];
    }
    output->innovations += added;
    free(which);
    return status;
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* The step between rows, where at least nine of ten are equal to 5 %; else NaN. */
static lf_status find_spacing(lf_context *ctx, lf_output_diagnosis *output)
{
    size_t steps = 0, equal = 0;
    double *step = lf_doubles(output->innovations, 1);
    if (!step) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 1; i < output->innovations; i++) {
        if (output->error_replicates[i] == output->error_replicates[i - 1]) {
            step[steps++] = output->error_inputs[i] - output->error_inputs[i - 1];
        }
    }
    qsort(step, steps, sizeof *step, compare_doubles);
    double middle = steps ? step[steps / 2] : 0;
    for (size_t i = 0; i < steps; i++) {
        equal += fabs(step[i] - middle) <= 0.05 * middle;
    }
    output->spacing = middle > 0 && 10 * equal >= 9 * steps ? middle : (double)NAN;
    free(step);
    return LF_OK;
}

static lf_status test_periodogram(lf_context *ctx, lf_output_diagnosis *output)
{
    lf_periodogram p;
    if (!lf_periodogram_create(output->innovations, output->errors, &p)) {
        return lf_no_memory(ctx);
    }
    if (!p.count) {
        return LF_OK;
    }
    lf_periodogram_peak peak = lf_periodogram_find_peak(&p);
    output->frequency_count = p.count;
    output->frequency_step = 1 / (double)p.rows;
    output->cumulative = p.share; /* the diagnosis frees it */
    output->periodogram = lf_bartlett_distance(&p);
    output->periodogram_p = lf_bartlett_p(p.count, output->periodogram);
    output->periodogram_bound = lf_bartlett_bound(p.count, 0.05);
    output->not_white = output->periodogram_p < LF_SIGNIFICANT && output->periodogram >= LF_PERIODOGRAM_FAR;
    output->peak_side = peak.side;
    output->peak_period = peak.period;
    output->peak_share = peak.share;
    output->peak_expected = peak.expected;
    return LF_OK;
}

lf_status lf_test_whiteness(const lf_evidence *e, int d, size_t n, const lf_diagnosed_row *rows,
                            lf_output_diagnosis *output)
{
    lf_context *ctx = e->posterior->ctx;
    size_t capacity = lf_innovations_capacity(&e->posterior->scaled, n);
    double largest = 0;
    output->errors = lf_doubles(capacity, 1);
    output->error_inputs = lf_doubles(capacity, 1);
    output->error_replicates = calloc(capacity + 1, sizeof *output->error_replicates);
    lf_status status = output->errors && output->error_inputs && output->error_replicates ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0, end; !status && i < n; i = end) {
        for (end = i; end < n && rows[end].series == rows[i].series;) {
            end++;
        }
        status = add_errors(e, d, rows, i, end, capacity, output);
    }
    if (status || output->innovations < LF_LEAST_ROWS) {
        output->innovations = 0;
        return status;
    }
    size_t count = output->innovations;
    output->lag_count = count / 5 < LF_MOST_LAGS ? count / 5 : LF_MOST_LAGS;
    lf_autocorrelations(count, output->errors, output->error_replicates, output->lag_count, output->autocorrelation);
    for (size_t k = 0; k < output->lag_count; k++) {
        largest = fmax(largest, fabs(output->autocorrelation[k]));
    }
    output->autocorrelation_p = lf_ljung_box_p(count, output->lag_count, output->autocorrelation);
    output->autocorrelated = output->autocorrelation_p < LF_SIGNIFICANT && largest >= 0.2;
    status = find_spacing(ctx, output);
    return status ? status : test_periodogram(ctx, output);
}

/* ---- jumps of known inputs ---- */

/* Whether the readings from i - 1 to i are a jump: a third of the range of the input. */
static int jumps_at(const lf_known_series *series, size_t i, double range)
{
    return fabs(series->v[i] - series->v[i - 1]) > range / 3;
}

/* Whether the input jumps between two times. */
static int jumps_between(const lf_known_series *series, double from, double to, double range)
{
    for (size_t i = 1; i < series->n && series->t[i - 1] <= to; i++) {
        if (series->t[i] >= from && jumps_at(series, i, range)) {
            return 1;
        }
    }
    return 0;
}

/* The range of the readings; 0 where jumps are not rare, so that a coincidence would mean nothing. */
static double range_with_rare_jumps(const lf_known_series *series)
{
    double low = INFINITY, high = -INFINITY;
    size_t jumps = 0;
    for (size_t i = 0; i < series->n; i++) {
        low = fmin(low, series->v[i]);
        high = fmax(high, series->v[i]);
    }
    for (size_t i = 1; i < series->n; i++) {
        jumps += jumps_at(series, i, high - low) != 0;
    }
    return jumps > 0 && 10 * jumps <= series->n ? high - low : 0;
}

int lf_find_jumps(const lf_evidence *e, size_t n, const lf_diagnosed_row *rows, const double *z)
{
    enum { MOST = 100 }; /* outliers that are looked at */
    const lf_model *model = e->posterior->scaled.model;
    for (int k = 0; e->posterior->known && k < model->known_count; k++) {
        size_t outliers = 0, explained = 0, last = n; /* the last outlier that is explained */
        for (size_t i = 0; model->known[k].hold == LF_HOLD_LINEAR && i < n && outliers < MOST; i++) {
            if (fabs(z[i]) > 4) {
                const lf_known_series *series = &e->posterior->known[e->replicate[rows[i].series]].series[k];
                int begins = i == 0 || rows[i - 1].series != rows[i].series;
                int ends = i + 1 == n || rows[i + 1].series != rows[i].series;
                double range = range_with_rare_jumps(series);
                int found =
                    range > 0 && jumps_between(series, rows[begins ? i : i - 1].x, rows[ends ? i : i + 1].x, range);
                outliers++;
                if (found || (!begins && last + 1 == i)) { /* the effect of a jump may last */
                    explained++;
                    last = i;
                }
            }
        }
        if (outliers && 3 * explained >= 2 * outliers) {
            return k;
        }
    }
    return -1;
}
