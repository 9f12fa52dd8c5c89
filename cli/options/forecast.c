/* The inputs of a forecast: predict --ahead, and --from, --to, --step. */
#include "options/forecast.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"
#include "options/session.h"

enum { RANGE_COUNT = 200 };

/* Inputs that reach the limit of a posterior may be beyond it by rounding. */
static const double rounding = 1e-9;

/* What is known of the training inputs; NaN: not known. */
typedef struct span {
    double first, last, step;
} span;

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

static int read_input(lf_context *ctx, const lf_model *model, const char *option, const char *text, double *value)
{
    if (text && lf_model_parse_input(ctx, model, 0, text, value) != LF_OK) {
        return cli_usage_error("predict", "%s: %s", option, lf_context_message(ctx));
    }
    return CLI_DONE;
}

static int fail_unknown_span(const cli_settings *settings, const char *option)
{
    return cli_fail("%s: the posterior stored in %s does not contain the range of its rows; give --from T and --to T, "
                    "or the data with --data DATA",
                    option, settings->model);
}

/* Of a failure of the library: the command line is at fault, or the data. */
static int fail_inputs(lf_context *ctx, lf_status status)
{
    return status == LF_ERROR_ARGUMENT ? cli_usage_error("predict", "%s", lf_context_message(ctx))
                                       : cli_fail("%s", lf_context_message(ctx));
}

/* The inputs after `last`, of one replicate or, with -1, of all. */
static int continue_from(lf_context *ctx, const cli_settings *settings, const lf_model *model, double last, double step,
                         int replicate, cli_points *rows)
{
    double *x = NULL;
    size_t count = 0;
    lf_status status = lf_forecast_inputs(ctx, model, last, settings->ahead, settings->step, step, &count, &x);
    int done = status ? fail_inputs(ctx, status) : cli_points_add(x, count, replicate, rows);
    lf_free(x);
    return done;
}

/* The inputs after the last training input, which itself is not among them: of each replicate, where they end at different ones. ends
 * (replicates): not finite for a replicate without rows. */
static int look_ahead(lf_context *ctx, const cli_settings *settings, const lf_model *model, span known, int replicates,
                      const double *ends, cli_points *rows)
{
    int together = 1, status = CLI_DONE;
    if (isnan(known.last)) {
        return fail_unknown_span(settings, "--ahead");
    }
    for (int r = 0; r < replicates; r++) {
        together = together && (ends[r] == known.last || !isfinite(ends[r]));
    }
    if (together) {
        return continue_from(ctx, settings, model, known.last, known.step, -1, rows);
    }
    for (int r = 0; r < replicates && status == CLI_DONE; r++) {
        status = isfinite(ends[r]) ? continue_from(ctx, settings, model, ends[r], known.step, r, rows) : CLI_DONE;
    }
    return status;
}

/* The last training inputs of the replicates: those of the table, or of the posterior. */
static int find_ends(lf_context *ctx, const lf_model *model, const lf_data *training, const lf_posterior *posterior,
                     int *replicates, double **ends)
{
    *replicates = training ? (int)lf_data_count(training, LF_KIND_REPLICATE) : lf_posterior_replicate_count(posterior);
    *ends = calloc((size_t)*replicates + 1, sizeof **ends);
    if (!*ends) {
        return cli_no_memory();
    }
    for (int r = 0; !training && r < *replicates; r++) {
        (*ends)[r] = lf_posterior_last(posterior, r);
    }
    return training ? cli_check(ctx, lf_data_ends(ctx, training, model, *ends)) : CLI_DONE;
}

static int forecast(lf_context *ctx, const cli_settings *settings, const lf_model *model, span known,
                    const lf_data *training, const lf_posterior *posterior, cli_points *rows)
{
    int replicates = 0;
    double *ends = NULL;
    int status = find_ends(ctx, model, training, posterior, &replicates, &ends);
    status = status ? status : look_ahead(ctx, settings, model, known, replicates, ends, rows);
    free(ends);
    return status;
}

/* Inputs that include both ends, unless the step is given. */
static int divide(lf_context *ctx, const cli_settings *settings, const lf_model *model, double from, double to,
                  cli_points *rows)
{
    if (settings->step) {
        double *x = NULL;
        size_t count = 0;
        lf_status status = lf_step_inputs(ctx, model, from, to, settings->step, &count, &x);
        int done = status ? fail_inputs(ctx, status) : cli_points_add(x, count, -1, rows);
        lf_free(x);
        return done;
    }
    double x[RANGE_COUNT], step = (to - from) / (RANGE_COUNT - 1);
    for (size_t i = 0; i < RANGE_COUNT; i++) {
        x[i] = from + (double)i * step;
    }
    return cli_points_add(x, to > from ? RANGE_COUNT : 1, -1, rows);
}

static int look_between(lf_context *ctx, const cli_settings *settings, const lf_model *model, span known,
                        cli_points *rows)
{
    double from = known.first, to = known.last;
    char first[CLI_INPUT_SIZE], last[CLI_INPUT_SIZE];
    int status = read_input(ctx, model, "--from", settings->from, &from);
    status = status ? status : read_input(ctx, model, "--to", settings->to, &to);
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
    return divide(ctx, settings, model, from, to, rows);
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
    *rows = (cli_points){0};
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
        status = settings->ahead ? forecast(ctx, settings, model, known, training, posterior, rows)
                                 : look_between(ctx, settings, model, known, rows);
    }
    return status || training ? status : check_range(settings, model, posterior, rows);
}
