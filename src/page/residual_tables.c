/* Tables of the residuals of an output: the errors of predictions from earlier rows where they are known, which are independent if the model is
 * right, and the residuals of rows that are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/normal_quantile.h"
#include "base/table.h"
#include "page/report.h"

/* What was found of the output of a panel. */
static lf_status find(lf_context *ctx, lf_report *report, const lf_report_panel *panel,
                      const lf_output_diagnosis **output)
{
    lf_status status = lf_report_diagnose(ctx, report);
    *output = status || !report->diagnosis ? NULL : &report->diagnosis->outputs[panel->index];
    return status;
}

/* In standard deviations, over the input, with the limits of 95 % of them. */
lf_status lf_errors_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table)
{
    static const lf_table_heading headings[] = {{"replicate", LF_NUMBERS},
                                                {"x", LF_NUMBERS},
                                                {"error", LF_NUMBERS},
                                                {"lower", LF_NUMBERS},
                                                {"upper", LF_NUMBERS}};
    const lf_output_diagnosis *o;
    double limit = lf_normal_quantile(0.975);
    lf_status status = find(ctx, report, panel, &o);
    LF_TRY(status, lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table));
    for (size_t i = 0; !status && o && o->errors && i < o->innovations; i++) {
        lf_table_add_number(*table, o->error_replicates[i]);
        lf_table_add_number(*table, o->error_inputs[i]);
        lf_table_add_number(*table, o->errors[i]);
        lf_table_add_number(*table, -limit);
        lf_table_add_number(*table, limit);
    }
    return status;
}

/* Of the one-step errors where there are any, else of the residuals. */
lf_status lf_autocorrelation_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table)
{
    static const lf_table_heading headings[] = {
        {"lag", LF_NUMBERS}, {"autocorrelation", LF_NUMBERS}, {"lower", LF_NUMBERS}, {"upper", LF_NUMBERS}};
    const lf_output_diagnosis *o;
    double r[LF_REPORT_LAGS];
    size_t n = 0, count = 0;
    lf_status status = find(ctx, report, panel, &o);
    LF_TRY(status, lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table));
    if (!status && o && o->innovations > 0 && o->errors) {
        n = o->innovations;
        count = lf_report_autocorrelation(n, o->errors, o->error_replicates, r);
    } else if (!status && o && o->residuals) {
        n = o->rows;
        count = lf_report_autocorrelation(n, o->residuals, o->residual_replicates, r);
    }
    for (size_t i = 0; i < count; i++) {
        lf_table_add_number(*table, (double)(i + 1));
        lf_table_add_number(*table, r[i]);
        lf_table_add_number(*table, -lf_report_lag_limit(n));
        lf_table_add_number(*table, lf_report_lag_limit(n));
    }
    return status;
}

/* The share of the power up to each frequency, from 0 on. Frequencies are in cycles per unit of the input where rows are evenly spaced, else per
 * row. */
lf_status lf_periodogram_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table)
{
    static const lf_table_heading headings[] = {{"frequency", LF_NUMBERS},
                                                {"share", LF_NUMBERS},
                                                {"expected", LF_NUMBERS},
                                                {"lower", LF_NUMBERS},
                                                {"upper", LF_NUMBERS}};
    const lf_output_diagnosis *o;
    lf_status status = find(ctx, report, panel, &o);
    LF_TRY(status, lf_table_create(ctx, sizeof headings / sizeof *headings, headings, table));
    if (status || !o || o->frequency_count == 0) {
        return status;
    }
    size_t m = o->frequency_count, farthest = lf_report_farthest_frequency(o);
    double unit = isfinite(o->spacing) ? o->spacing : 1;
    for (size_t j = 0; j <= m; j++) {
        double expected = (double)j / (double)m;
        if (j == 0 || lf_report_draws_frequency(o, j - 1, farthest)) {
            lf_table_add_number(*table, (double)j * o->frequency_step / unit);
            lf_table_add_number(*table, j == 0 ? 0 : o->cumulative[j - 1]);
            lf_table_add_number(*table, expected);
            lf_table_add_number(*table, expected - o->periodogram_bound);
            lf_table_add_number(*table, expected + o->periodogram_bound);
        }
    }
    return status;
}

lf_status lf_quantiles_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table)
{
    static const lf_table_heading headings[] = {{"expected", LF_NUMBERS}, {"found", LF_NUMBERS}};
    double expected[LF_REPORT_QUANTILES], found[LF_REPORT_QUANTILES], *z = NULL;
    const lf_output_diagnosis *o;
    size_t count = 0;
    lf_status status = find(ctx, report, panel, &o);
    LF_TRY(status, lf_table_create(ctx, 2, headings, table));
    if (!status && o && o->residuals) {
        z = lf_doubles(o->rows + 1, 1);
        status = z ? LF_OK : lf_no_memory(ctx);
    }
    if (z) {
        memcpy(z, o->residuals, o->rows * sizeof *z);
        count = lf_report_quantiles(o->rows, z, expected, found);
    }
    for (size_t k = 0; !status && k < count; k++) {
        lf_table_add_number(*table, expected[k]);
        lf_table_add_number(*table, found[k]);
    }
    free(z);
    return status;
}

/* One row for each number, and its name. */
lf_status lf_diagnosis_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table)
{
    static const lf_table_heading headings[] = {{"name", LF_WORDS}, {"value", LF_NUMBERS}};
    const lf_output_diagnosis *o;
    lf_status status = find(ctx, report, panel, &o);
    LF_TRY(status, lf_table_create(ctx, 2, headings, table));
    if (status || !o) {
        return status;
    }
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"rows", (double)o->rows},
                   {"residual_mean", o->residual_mean},
                   {"residual_rms", o->residual_rms},
                   {"skewness", o->skewness},
                   {"excess_kurtosis", o->excess_kurtosis},
                   {"normality_p", o->normality_p},
                   {"coverage95", o->coverage95},
                   {"coverage_p", o->coverage_p},
                   {"largest_residual", o->largest_residual},
                   {"largest_at", o->largest_at},
                   {"jump_input", o->jump_input},
                   {"not_normal", o->not_normal},
                   {"too_narrow", o->too_narrow},
                   {"uneven_scatter", o->uneven_scatter},
                   {"scatter_ratio", o->scatter_ratio},
                   {"scatter_p", o->scatter_p},
                   {"errors", (double)o->innovations},
                   {"autocorrelation_p", o->autocorrelation_p},
                   {"autocorrelated", o->autocorrelated},
                   {"frequencies", (double)o->frequency_count},
                   {"periodogram", o->periodogram},
                   {"periodogram_bound", o->periodogram_bound},
                   {"periodogram_p", o->periodogram_p},
                   {"not_white", o->not_white},
                   {"peak_side", o->peak_side},
                   {"peak_period", o->peak_period},
                   {"peak_share", o->peak_share},
                   {"peak_expected", o->peak_expected},
                   {"spacing", o->spacing}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        lf_table_add_word(*table, numbers[i].name);
        lf_table_add_number(*table, numbers[i].value);
    }
    return status;
}
