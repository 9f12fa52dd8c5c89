/* The inputs of a forecast: predict --ahead, and --from, --to, --step. */
#include "forecast.h"

#include <math.h>
#include <stdio.h>

#include "message.h"
#include "session.h"

enum { AHEAD_COUNT = 100, RANGE_COUNT = 200, MOST = 1000000 };

/* The last step may miss the end by rounding. */
static const double rounding = 1e-9;

/* What is known of the training inputs; NaN: not known. */
typedef struct span {
    double first, last, step;
} span;

/* Inputs start + i step, i = 0 … count - 1. */
typedef struct sequence {
    double start, step;
    size_t count;
} sequence;

static int training_span(lf_context *ctx, const lf_model *model, const char *path, const lf_data *training,
                         const lf_posterior *posterior, span *found)
{
    span s = {NAN, NAN, NAN};
    if (training) {
        lf_data *outputs = NULL;
        int status = cli_select(ctx, model, path, training, "outputs", &outputs);
        if (status != CLI_DONE) {
            return status;
        }
        status = cli_check(ctx, lf_data_limits(ctx, outputs, model, &s.first, &s.last));
        status = status ? status : cli_check(ctx, lf_data_step_of_all(ctx, outputs, &s.step));
        lf_data_free(outputs);
        if (status != CLI_DONE) {
            return status;
        }
    } else {
        lf_posterior_span(posterior, &s.first, &s.last);
        s.step = lf_posterior_step(posterior);
    }
    *found = s;
    return CLI_DONE;
}

/* A span of inputs that must be positive; NaN for text NULL. */
static int read_span(lf_context *ctx, const lf_model *model, const char *option, const char *text, double *value)
{
    *value = (double)NAN;
    if (!text) {
        return CLI_DONE;
    }
    if (lf_model_parse_span(ctx, model, text, value) != LF_OK) {
        return cli_usage_error("predict", "%s %s: %s", option, text, lf_message(ctx));
    }
    return *value > 0 ? CLI_DONE : cli_usage_error("predict", "%s %s: SPAN must be greater than 0", option, text);
}

static int read_input(lf_context *ctx, const lf_model *model, const char *option, const char *text, double *value)
{
    if (text && lf_model_parse_input(ctx, model, 0, text, value) != LF_OK) {
        return cli_usage_error("predict", "%s: %s", option, lf_message(ctx));
    }
    return CLI_DONE;
}

static int fail_unknown_span(const cli_settings *settings, const char *option)
{
    return cli_fail("%s: the posterior stored in %s does not contain the range of its rows; give --from T and --to T, "
                    "or the data with --data DATA",
                    option, settings->model);
}

/* start … end in steps; a step of NaN: `count` evenly spaced inputs that include both. */
static int divide(double start, double end, double step, size_t count, sequence *s)
{
    *s = (sequence){.start = start, .step = 0, .count = 1};
    if (isnan(step) && end > start) {
        *s = (sequence){.start = start, .step = (end - start) / (double)(count - 1), .count = count};
    } else if (end > start) {
        double steps = floor((end - start) / step * (1 + rounding) + rounding);
        if (steps >= MOST) {
            return cli_fail("there are %.0f steps of %g between the first and the last input; the most are %d", steps,
                            step, MOST);
        }
        *s = (sequence){.start = start, .step = step, .count = (size_t)steps + 1};
    }
    return CLI_DONE;
}

/* The inputs after the last training input, which itself is not among them. */
static int look_ahead(lf_context *ctx, const cli_settings *settings, const lf_model *model, span known, sequence *s)
{
    double ahead, step;
    int status = read_span(ctx, model, "--ahead", settings->ahead, &ahead);
    status = status ? status : read_span(ctx, model, "--step", settings->step, &step);
    if (status != CLI_DONE) {
        return status;
    }
    if (isnan(known.last)) {
        return fail_unknown_span(settings, "--ahead");
    }
    if (isnan(step)) {
        step = known.step <= ahead * (1 + rounding) ? known.step : ahead / AHEAD_COUNT;
    }
    if (step > ahead * (1 + rounding)) {
        return cli_usage_error("predict", "--step %s is longer than --ahead %s", settings->step, settings->ahead);
    }
    return divide(known.last + step, known.last + ahead, step, AHEAD_COUNT, s);
}

static int look_between(lf_context *ctx, const cli_settings *settings, const lf_model *model, span known, sequence *s)
{
    double from = known.first, to = known.last, step;
    char first[CLI_INPUT_SIZE], last[CLI_INPUT_SIZE];
    int status = read_input(ctx, model, "--from", settings->from, &from);
    status = status ? status : read_input(ctx, model, "--to", settings->to, &to);
    status = status ? status : read_span(ctx, model, "--step", settings->step, &step);
    if (status != CLI_DONE) {
        return status;
    }
    if (isnan(from) || isnan(to)) {
        return fail_unknown_span(settings, settings->from ? "--from" : "--to");
    }
    if (from > to) {
        lf_model_format_input(model, 0, from, sizeof first, first);
        lf_model_format_input(model, 0, to, sizeof last, last);
        return cli_fail("%s %s lies after %s %s", settings->from ? "--from" : "the first training input", first,
                        settings->to ? "--to" : "the last training input", last);
    }
    return divide(from, to, step, RANGE_COUNT, s);
}

/* Feature engines have waves for a range of inputs, beyond which they would repeat themselves. */
static int check_range(const cli_settings *settings, const lf_model *model, const lf_posterior *posterior,
                       const cli_points *rows)
{
    double from, to, low, high;
    char limit[CLI_INPUT_SIZE], end[CLI_INPUT_SIZE];
    lf_posterior_range(posterior, &from, &to);
    cli_points_limits(rows, &low, &high);
    if (low < from) {
        lf_model_format_input(model, 0, from, sizeof limit, limit);
        return cli_fail("%s: its posterior predicts from %s on; give the data with --data DATA", settings->model,
                        limit);
    }
    double slack = rounding * (to - from);
    if (high <= to || !(high > to + (isfinite(slack) ? slack : 0))) {
        for (size_t i = 0; i < rows->n; i++) { /* beyond by rounding */
            rows->x[i] = fmin(rows->x[i], to);
        }
        return CLI_DONE;
    }
    lf_model_format_input(model, 0, to, sizeof limit, limit);
    lf_model_format_input(model, 0, high, sizeof end, end);
    return cli_fail("%s: its posterior predicts up to %s; give the data with --data DATA, or fit with --horizon %s",
                    settings->model, limit, end);
}

int cli_forecast_points(lf_context *ctx, const cli_settings *settings, const lf_model *model, const lf_data *training,
                        const lf_posterior *posterior, cli_points *rows)
{
    sequence s = {0};
    if (lf_model_input_dim(model) != 1) {
        return cli_fail("%s: has %d inputs, and %s needs one; list the inputs with --at INPUTS.csv", settings->model,
                        lf_model_input_dim(model),
                        settings->ahead  ? "--ahead"
                        : settings->from ? "--from"
                                         : "--to");
    }
    span known;
    int status = training_span(ctx, model, settings->data, training, posterior, &known);
    if (status == CLI_DONE) {
        status = settings->ahead ? look_ahead(ctx, settings, model, known, &s)
                                 : look_between(ctx, settings, model, known, &s);
    }
    status = status ? status : cli_points_sequence(s.start, s.step, s.count, rows);
    return status || training ? status : check_range(settings, model, posterior, rows);
}
