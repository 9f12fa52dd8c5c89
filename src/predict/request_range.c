/* Inputs that follow from the range of the training inputs: a grid over it, a forecast after it, steps within it; and the range in which a
 * posterior can predict. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/data.h"
#include "model/model.h"
#include "predict/posterior.h"
#include "predict/request.h"

enum { RANGE_COUNT = 200 }; /* inputs, unless a number or a step is given */

/* Inputs that reach the limit of a posterior may be beyond it by rounding. */
static const double rounding = 1e-9;

static lf_status unknown_range(lf_context *ctx, const char *option)
{
    return lf_fail(
        ctx, LF_ERROR_MODEL,
        "%s: the stored posterior does not contain the range of its rows; list the inputs with --at, or give the "
        "data with --data DATA",
        option);
}

/* ---- grids ---- */

void lf_posterior_limits(const lf_posterior *posterior, double *low, double *high)
{
    const lf_model *model = posterior->scaled.model;
    if (model->input_dim == 1) {
        lf_posterior_facts facts = lf_scaled_posterior_describe(&posterior->scaled, 0, 0, 0);
        *low = isfinite(facts.from) ? facts.from : posterior->first;
        *high = isfinite(facts.to) ? facts.to : posterior->last;
        return;
    }
    for (int k = 0; k < model->input_dim; k++) {
        lf_standardisation input = model->inputs ? model->inputs[k] : (lf_standardisation){0, 1};
        int known = input.offset != 0 || input.scale != 1;
        low[k] = known ? input.offset - sqrt(3) * input.scale : (double)NAN;
        high[k] = known ? input.offset + sqrt(3) * input.scale : (double)NAN;
    }
}

static lf_status find_limits(const lf_request *r, double *low, double *high)
{
    if (r->training) {
        return lf_data_limits(r->ctx, r->training, r->model, low, high);
    }
    for (int k = 0; k < r->model->input_dim; k++) {
        low[k] = high[k] = (double)NAN;
    }
    if (r->posterior) {
        lf_posterior_limits(r->posterior, low, high);
    }
    return LF_OK;
}

static lf_status make_grid(const lf_request *r, lf_request_rows *rows)
{
    size_t p = (size_t)r->model->input_dim, n = r->options->grid ? r->options->grid : RANGE_COUNT;
    char option[32];
    double low[2], high[2];
    snprintf(option, sizeof option, "--grid %zu", n);
    if (p > 2) {
        return lf_fail(r->ctx, LF_ERROR_MODEL,
                       "%s: the model has %zu inputs, and grids have 1 or 2; list the inputs with --at", option, p);
    }
    lf_status status = find_limits(r, low, high);
    for (size_t k = 0; !status && k < p; k++) {
        status = isfinite(low[k]) && isfinite(high[k]) ? LF_OK : unknown_range(r->ctx, option);
    }
    size_t count = p == 1 ? n : n * n;
    double *x = status ? NULL : lf_doubles_unset(count, p);
    status = status || x ? status : lf_no_memory(r->ctx);
    for (size_t i = 0; !status && i < count; i++) {
        size_t step[2] = {p == 1 ? i : i / n, i % n};
        for (size_t k = 0; k < p; k++) {
            double share = (double)step[k] / (double)(n - 1);
            x[i * p + k] = (1 - share) * low[k] + share * high[k];
        }
    }
    LF_TRY(status, lf_request_add(r, count, x, -1, rows));
    free(x);
    return status;
}

/* ---- forecasts, and ranges between two ends ---- */

/* What is known of the training inputs; NaN: not known. */
typedef struct span {
    double first, last, step;
    double *ends; /* (labels) the last of each replicate, not finite where it has no rows; to be freed */
} span;

/* Of the rows of outputs. */
static lf_status span_of_data(const lf_request *r, span *s)
{
    lf_data *outputs = NULL;
    size_t count = lf_data_count(r->training, LF_KIND_REPLICATE);
    double *last = lf_doubles(count + 1, 1);
    lf_status status = last ? LF_OK : lf_no_memory(r->ctx);
    LF_TRY(status, lf_data_choose(r->ctx, r->training, r->model, "outputs", &outputs));
    LF_TRY(status, lf_data_limits(r->ctx, outputs, r->model, &s->first, &s->last));
    LF_TRY(status, lf_data_step_of_all(r->ctx, outputs, &s->step));
    LF_TRY(status, lf_data_ends(r->ctx, r->training, r->model, last));
    for (size_t k = 0, found = 0; !status && k < count; k++) { /* the labels are those that have rows */
        if (isfinite(last[k])) {
            s->ends[found++] = last[k];
        }
    }
    if (!status && count == 0) {
        s->ends[0] = s->last;
    }
    lf_data_free(outputs);
    free(last);
    return status;
}

static lf_status find_span(const lf_request *r, span *s)
{
    *s = (span){(double)NAN, (double)NAN, (double)NAN, lf_doubles((size_t)r->labels.count, 1)};
    if (!s->ends) {
        return lf_no_memory(r->ctx);
    }
    if (r->training) {
        return span_of_data(r, s);
    }
    for (int k = 0; r->posterior && k < r->labels.count; k++) {
        s->ends[k] = lf_posterior_last(r->posterior, k);
    }
    if (r->posterior) {
        s->first = r->posterior->first;
        s->last = r->posterior->last;
        s->step = r->posterior->step;
    }
    return LF_OK;
}

/* The inputs after `last`, of one replicate or, with -1, of all. */
static lf_status continue_from(const lf_request *r, double last, double step, int replicate, lf_request_rows *rows)
{
    double *x = NULL;
    size_t count = 0;
    lf_status status =
        lf_forecast_inputs(r->ctx, r->model, last, r->options->ahead, r->options->step, step, &count, &x);
    LF_TRY(status, lf_request_add(r, count, x, replicate, rows));
    free(x);
    return status;
}

/* The inputs after the last training input, which itself is not among them: of each replicate, where they end at different ones. */
static lf_status look_ahead(const lf_request *r, const span *s, lf_request_rows *rows)
{
    double last = (double)NAN;
    int together = 1;
    for (int k = 0; k < r->replicate_count; k++) {
        double end = s->ends[r->replicate[k]];
        together = together && (!isfinite(end) || isnan(last) || end == last);
        last = isfinite(end) ? end : last;
    }
    last = isnan(last) ? s->last : last;
    if (isnan(last)) {
        return unknown_range(r->ctx, "--ahead");
    }
    lf_status status = together ? continue_from(r, last, s->step, -1, rows) : LF_OK;
    for (int k = 0; !together && !status && k < r->replicate_count; k++) {
        double end = s->ends[r->replicate[k]];
        status = isfinite(end) ? continue_from(r, end, s->step, r->replicate[k], rows) : LF_OK;
    }
    return status;
}

static lf_status read_input(const lf_request *r, const char *option, const char *text, double *value)
{
    if (text && lf_model_parse_input(r->ctx, r->model, 0, text, value) != LF_OK) {
        char problem[400];
        snprintf(problem, sizeof problem, "%s", lf_context_message(r->ctx));
        return lf_fail(r->ctx, LF_ERROR_ARGUMENT, "%s: %s", option, problem);
    }
    return LF_OK;
}

/* Inputs that include both ends, unless the step is given. */
static lf_status divide(const lf_request *r, double from, double to, lf_request_rows *rows)
{
    double *stepped = NULL, even[RANGE_COUNT], step = (to - from) / (RANGE_COUNT - 1);
    size_t count = to > from ? RANGE_COUNT : 1;
    lf_status status = LF_OK;
    if (r->options->step) {
        status = lf_step_inputs(r->ctx, r->model, from, to, r->options->step, &count, &stepped);
    }
    for (size_t i = 0; !r->options->step && i < count; i++) {
        even[i] = from + (double)i * step;
    }
    LF_TRY(status, lf_request_add(r, count, stepped ? stepped : even, -1, rows));
    free(stepped);
    return status;
}

static lf_status look_between(const lf_request *r, const span *s, lf_request_rows *rows)
{
    const lf_request_options *o = r->options;
    double from = s->first, to = s->last;
    lf_status status = read_input(r, "--from", o->from, &from);
    LF_TRY(status, read_input(r, "--to", o->to, &to));
    if (!status && (isnan(from) || isnan(to))) {
        return unknown_range(r->ctx, o->from ? "--from" : "--to");
    }
    if (!status && from > to) {
        char first[LF_TIMESTAMP_SIZE], last[LF_TIMESTAMP_SIZE];
        lf_model_format_input(r->model, 0, from, sizeof first, first);
        lf_model_format_input(r->model, 0, to, sizeof last, last);
        return lf_fail(r->ctx, LF_ERROR_DATA, "%s %s lies after %s %s", o->from ? "--from" : "the first training input",
                       first, o->to ? "--to" : "the last training input", last);
    }
    return status ? status : divide(r, from, to, rows);
}

lf_status lf_request_range(const lf_request *r, lf_request_rows *rows)
{
    const lf_request_options *o = r->options;
    if (!o->ahead && !o->from && !o->to) {
        return make_grid(r, rows);
    }
    if (r->model->input_dim != 1) {
        return lf_fail(r->ctx, LF_ERROR_MODEL, "the model has %d inputs, and %s needs one; list the inputs with --at",
                       r->model->input_dim,
                       o->ahead  ? "--ahead"
                       : o->from ? "--from"
                                 : "--to");
    }
    span s;
    lf_status status = find_span(r, &s);
    LF_TRY(status, o->ahead ? look_ahead(r, &s, rows) : look_between(r, &s, rows));
    free(s.ends);
    return status;
}

/* ---- where a posterior can predict ---- */

/* x: the first input that is refused; most: the largest one. */
static lf_status refuse(const lf_request *r, double x, double most, double from, double to)
{
    char name[64], at[LF_TIMESTAMP_SIZE], low[LF_TIMESTAMP_SIZE], high[LF_TIMESTAMP_SIZE], end[LF_TIMESTAMP_SIZE];
    lf_model_input_heading(r->model, 0, sizeof name, name);
    lf_model_format_input(r->model, 0, x, sizeof at, at);
    lf_model_format_input(r->model, 0, from, sizeof low, low);
    lf_model_format_input(r->model, 0, to, sizeof high, high);
    lf_model_format_input(r->model, 0, most, sizeof end, end);
    return lf_fail(
        r->ctx, LF_ERROR_DATA,
        "%s = %s lies outside [%s, %s], where the posterior stored in the model can predict; give the data with "
        "--data DATA%s%s",
        name, at, low, high, most > to ? ", or fit with --horizon " : "", most > to ? end : "");
}

lf_status lf_request_check_range(const lf_request *r, int listed, size_t n, double *x)
{
    const lf_request_options *o = r->options;
    size_t p = (size_t)r->model->input_dim;
    double beyond = (double)NAN, most = -(double)INFINITY;
    if (!r->posterior || r->training || (!listed && !o->ahead && !o->from && !o->to)) {
        return LF_OK;
    }
    lf_posterior_facts facts = lf_scaled_posterior_describe(&r->posterior->scaled, 0, 0, 0);
    double slack = listed ? 0 : rounding * (facts.to - facts.from);
    double limit = facts.to + (isfinite(slack) ? slack : 0);
    for (size_t i = 0; i < n; i++) {
        double *at = &x[i * p];
        *at = *at > facts.to && *at <= limit ? facts.to : *at; /* beyond by rounding */
        beyond = isnan(beyond) && !(*at >= facts.from && *at <= facts.to) ? *at : beyond;
        most = fmax(most, *at);
    }
    return isnan(beyond) ? LF_OK : refuse(r, beyond, most, facts.from, facts.to);
}
