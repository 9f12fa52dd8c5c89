/* The range of the panels: from the first to the last row or, without rows, training input; over time as far as the posterior was made for, or as
 * the options ask. */
#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "page/report.h"
#include "predict/request.h"

enum { TEXT = 64 };

static void limits_of_rows(lf_report *report, int inputs)
{
    for (int k = 0; k < inputs; k++) {
        report->low[k] = INFINITY;
        report->high[k] = -INFINITY;
        for (size_t i = 0; i < report->n; i++) {
            report->low[k] = fmin(report->low[k], report->rows[i].x[k]);
            report->high[k] = fmax(report->high[k], report->rows[i].x[k]);
        }
    }
}

/* Rows that a posterior of the caller does not reach are not shown. */
static void clip(lf_context *ctx, lf_report *report, double from, double to)
{
    double *low = report->low, *high = report->high;
    if (from <= low[0] && to >= high[0]) {
        return;
    }
    char first[TEXT], last[TEXT], begin[TEXT], end[TEXT];
    lf_model_format_input(report->model, 0, low[0], TEXT, first);
    lf_model_format_input(report->model, 0, high[0], TEXT, last);
    lf_model_format_input(report->model, 0, from, TEXT, begin);
    lf_model_format_input(report->model, 0, to, TEXT, end);
    lf_note(ctx, "%s: the data cover %s to %s, but the posterior stored in %s covers only %s to %s, which is drawn",
            lf_report_data_name(report), first, last, lf_report_model_name(report), begin, end);
    low[0] = fmax(low[0], from);
    high[0] = fmin(high[0], to);
    lf_report_drop_outside(report);
}

/* The last training input; NaN: not known. */
static double last_training_input(const lf_report *report)
{
    double first, last = NAN, of_rows = NAN;
    if (lf_posterior_span(report->posterior, &first, &last)) {
        return last;
    }
    for (size_t i = 0; i < report->n; i++) {
        of_rows = report->rows[i].test ? of_rows : fmax(of_rows, report->rows[i].x[0]);
    }
    return of_rows;
}

static lf_status look_ahead(lf_context *ctx, lf_report *report, const char *ahead, double to)
{
    double *x = NULL, last = last_training_input(report), end;
    size_t count = 0;
    if (isnan(last)) {
        return lf_fail(ctx, LF_ERROR_MODEL,
                       "--ahead %s: %s does not contain the range of its training inputs; give the data with --data",
                       ahead, lf_report_model_name(report));
    }
    lf_status status =
        lf_forecast_inputs(ctx, report->model, last, ahead, NULL, lf_posterior_step(report->posterior), &count, &x);
    if (status) {
        return status;
    }
    end = count ? x[count - 1] : last;
    lf_free(x);
    if (end > to + 1e-9 * fabs(to)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--ahead %s: %s cannot predict so far; fit with --horizon for that",
                       ahead, lf_report_model_name(report));
    }
    report->high[0] = fmax(report->high[0], fmin(end, to));
    return LF_OK;
}

static lf_status extend(lf_context *ctx, lf_report *report, const lf_options *options, double to)
{
    const char *horizon = options ? lf_options_text(options, "horizon") : NULL,
               *ahead = options ? lf_options_text(options, "ahead") : NULL;
    double end = to;
    if (horizon && lf_model_parse_input(ctx, report->model, 0, horizon, &end)) {
        char message[LF_MESSAGE_SIZE];
        snprintf(message, sizeof message, "%s", lf_context_message(ctx));
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--horizon %s", message);
    }
    end = isfinite(to) ? to : end; /* as far as the posterior was made for */
    report->high[0] = isfinite(end) ? fmax(report->high[0], end) : report->high[0];
    return ahead ? look_ahead(ctx, report, ahead, to) : LF_OK;
}

lf_status lf_report_find_range(lf_context *ctx, lf_report *report, const lf_options *options)
{
    double from, to, *low = report->low, *high = report->high;
    int p = report->model->input_dim, known = report->n > 0;
    limits_of_rows(report, !known ? 0 : p < 2 ? p : 2);
    if (p > 1) {
        if (p == 2 && !known) {
            lf_posterior_limits(report->posterior, low, high); /* NaN: not known */
        }
        report->has_range = p == 2 && low[0] < high[0] && low[1] < high[1];
        return LF_OK;
    }
    lf_posterior_range(report->posterior, &from, &to);
    if (known) {
        clip(ctx, report, from, to);
    } else if (lf_posterior_span(report->posterior, low, high)) {
        low[0] = fmax(low[0], from);
        high[0] = fmin(high[0], to);
    } else {
        low[0] = from;
        high[0] = to;
    }
    report->has_range = isfinite(low[0]) && isfinite(high[0]);
    return report->has_range ? extend(ctx, report, options, to)
                             : lf_fail(ctx, LF_ERROR_MODEL,
                                       "%s: the stored posterior does not contain the range of its training inputs; "
                                       "give the data with --data",
                                       lf_report_model_name(report));
}
