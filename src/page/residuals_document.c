/* The residuals of a report, and the errors of predictions from earlier rows. They are those of the posterior that the page shows. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "page/document.h"

enum { DIGITS = 5 };

static void describe_autocorrelation(lf_document *d, size_t n, const double *z, const int *replicate)
{
    double r[LF_REPORT_LAGS];
    size_t count = lf_report_autocorrelation(n, z, replicate, r);
    lf_document_open(d, "autocorrelation", '[');
    for (size_t i = 0; i < count; i++) {
        lf_document_rounded(d, NULL, r[i], DIGITS);
    }
    lf_document_close(d);
    lf_document_rounded(d, "limit", lf_report_lag_limit(n), DIGITS);
}

/* A list of pairs. */
static void describe_point(lf_document *d, double x, int digits, double y)
{
    lf_document_open(d, NULL, '[');
    lf_document_rounded(d, NULL, x, digits);
    lf_document_rounded(d, NULL, y, DIGITS);
    lf_document_close(d);
}

static lf_status describe_residuals(lf_context *ctx, lf_document *d, const lf_output_diagnosis *o)
{
    double expected[LF_REPORT_QUANTILES], found[LF_REPORT_QUANTILES];
    double *z = lf_doubles(o->rows + 1, 1);
    if (!z) {
        return lf_no_memory(ctx);
    }
    memcpy(z, o->residuals, o->rows * sizeof *z);
    lf_document_open(d, "residuals", '{');
    lf_document_count(d, "n", o->rows);
    lf_document_rounded(d, "mean", o->residual_mean, DIGITS);
    lf_document_rounded(d, "rms", o->residual_rms, DIGITS);
    describe_autocorrelation(d, o->rows, o->residuals, o->residual_replicates);
    size_t count = lf_report_quantiles(o->rows, z, expected, found);
    lf_document_open(d, "quantiles", '[');
    for (size_t k = 0; k < count; k++) {
        describe_point(d, expected[k], DIGITS, found[k]);
    }
    lf_document_close(d);
    lf_document_close(d);
    free(z);
    return LF_OK;
}

static void describe_innovations(lf_document *d, const lf_output_diagnosis *o)
{
    enum { MORE = 6 };
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"autocorrelation_p", o->autocorrelation_p},
                   {"periodogram", o->periodogram},
                   {"periodogram_p", o->periodogram_p},
                   {"bound", o->periodogram_bound},
                   {"peak_period", o->peak_period},
                   {"peak_share", o->peak_share},
                   {"peak_expected", o->peak_expected},
                   {"spacing", o->spacing}};
    lf_document_open(d, "innovations", '{');
    lf_document_count(d, "n", o->innovations);
    lf_document_integer(d, "peak_side", o->peak_side);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        lf_document_rounded(d, numbers[i].key, numbers[i].value, MORE);
    }
    describe_autocorrelation(d, o->innovations, o->errors, o->error_replicates);
    size_t farthest = lf_report_farthest_frequency(o); /* frequencies are in cycles per row */
    lf_document_open(d, "cumulative", '[');
    for (size_t j = 0; j < o->frequency_count; j++) {
        if (lf_report_draws_frequency(o, j, farthest)) {
            describe_point(d, (double)(j + 1) * o->frequency_step, MORE, o->cumulative[j]);
        }
    }
    lf_document_close(d);
    lf_document_close(d);
}

lf_status lf_report_describe_residuals(lf_context *ctx, lf_document *d, const lf_output_diagnosis *o)
{
    lf_status status = LF_OK;
    if (o && o->residuals) {
        status = describe_residuals(ctx, d, o);
    } else {
        lf_document_text(d, "residuals", NULL);
    }
    if (o && o->innovations > 0 && o->errors) {
        describe_innovations(d, o);
    } else {
        lf_document_text(d, "innovations", NULL);
    }
    return status;
}
