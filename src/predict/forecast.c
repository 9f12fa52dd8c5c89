/* The inputs of a forecast. Steps of the calendar are taken from the last input itself, so that days of the month do not drift; other steps are
 * measured between times of the data, whose rounding they have. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/calendar.h"
#include "base/context.h"
#include "base/memory.h"
#include "model/model.h"
#include "predict/request.h"

enum { MOST = 1000000, WITHOUT_STEP = 100 };

/* The end of a span may miss the last step by this, relatively. */
static const double rounding = 1e-9;

/* Steps from `start`: of the calendar where months > 0. */
typedef struct steps {
    const lf_axis *axis;
    double start, step;
    int months, day;
} steps;

static double input_at(const steps *s, size_t i)
{
    return s->months > 0 ? lf_axis_add_months(s->axis, s->start, (int64_t)i * s->months, s->day)
                         : s->start + (double)i * s->step;
}

/* By how much `count` steps between inputs of this size may miss their end. */
static double slack(double start, double end, double step, double count)
{
    double measured = 2 * DBL_EPSILON * (fabs(start) + fabs(end)) / step;
    return fmin(0.25, rounding + count * (rounding + measured));
}

/* The shortest decimal number of seconds, or of the unit of the axis, that a step between inputs of this size may be. */
static double round_step(const lf_axis *axis, double step, double size)
{
    double seconds = lf_unit_seconds(axis->unit), unit = axis->dated && seconds > 0 ? seconds : 1;
    for (int digits = 1; digits < 17; digits++) {
        char text[64];
        snprintf(text, sizeof text, "%.*g", digits, step * unit);
        double shorter = strtod(text, NULL) / unit;
        if (fabs(shorter - step) <= 4 * DBL_EPSILON * size) {
            return shorter;
        }
    }
    return step;
}

static lf_status read_step(lf_context *ctx, const lf_axis *axis, const char *option, const char *text, lf_span *span)
{
    if (lf_axis_parse_step(ctx, axis, text, span) != LF_OK) {
        char problem[400];
        snprintf(problem, sizeof problem, "%s", lf_context_message(ctx));
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s %s: %s", option, text, problem);
    }
    return span->length > 0 ? LF_OK
                            : lf_fail(ctx, LF_ERROR_ARGUMENT, "%s %s: SPAN must be greater than 0", option, text);
}

/* The number of steps from s->start to `end`, within rounding. */
static lf_status count_steps(lf_context *ctx, const steps *s, double end, size_t *count)
{
    double n = (end - s->start) / s->step;
    if (s->months > 0) {
        double tolerance = rounding * s->step;
        n = floor(n + 1);
        while (n > 0 && n < MOST && input_at(s, (size_t)n) > end + tolerance) {
            n--;
        }
    } else {
        n = floor(n + slack(s->start, end, s->step, n));
    }
    *count = n < MOST ? (size_t)n : 0;
    return n < MOST ? LF_OK
                    : lf_fail(ctx, LF_ERROR_DATA,
                              "there are %.0f steps of %g between the first and the last input; the most are %d", n,
                              s->step, MOST);
}

/* Inputs number first … last of the steps. */
static lf_status list(lf_context *ctx, const steps *s, size_t first, size_t last, size_t *count, double **x)
{
    *count = last + 1 - first;
    *x = lf_doubles(*count, 1);
    for (size_t i = 0; *x && i < *count; i++) {
        (*x)[i] = input_at(s, first + i);
    }
    return *x ? LF_OK : lf_no_memory(ctx);
}

static void take_span(steps *s, const lf_span *span)
{
    s->step = span->length;
    s->months = span->months;
}

/* The step where none is asked for: that of the calendar, the usual one of the data, or a part of the span. */
static lf_status choose_step(lf_context *ctx, const char *text, const lf_span *ahead, double usual, double end,
                             steps *s)
{
    const lf_axis *axis = s->axis;
    double length = end - s->start, size = fabs(s->start) + usual;
    if (axis->months > 0) {
        s->months = axis->months;
        s->step = lf_axis_months_length(axis, s->months);
        if (input_at(s, 1) - s->start <= length * (1 + rounding)) {
            return LF_OK;
        }
        s->months = 0;
    }
    s->step = length / WITHOUT_STEP;
    if (usual <= length * (1 + rounding) + 4 * DBL_EPSILON * size) {
        double n = length / usual, whole = round(n);
        int fits = whole >= 1 && fabs(n - whole) <= slack(s->start, end, usual, n);
        s->step = fits ? length / whole : round_step(axis, usual, size);
    } else if (usual > 0 && axis->dated && ahead->bare) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "--ahead %s: a number counts %s, and the data have a step of %.4g %s; give the unit, as in %sd",
                       text, axis->unit, usual, axis->unit, text);
    }
    return LF_OK;
}

lf_status lf_forecast_inputs(lf_context *ctx, const lf_model *model, double last, const char *ahead, const char *step,
                             double usual, size_t *count, double **x)
{
    const lf_axis *axis = lf_model_axis(model, 0);
    lf_span span, each;
    *count = 0;
    *x = NULL;
    lf_status status = read_step(ctx, axis, "--ahead", ahead, &span);
    status = status || !step ? status : read_step(ctx, axis, "--step", step, &each);
    if (status) {
        return status;
    }
    steps s = {.axis = axis, .start = last, .day = axis->dated ? lf_axis_step_day(axis, last) : 0};
    double end = span.months > 0 ? lf_axis_add_months(axis, last, span.months, s.day) : last + span.length;
    if (step) {
        take_span(&s, &each);
        if (input_at(&s, 1) - last > (end - last) * (1 + rounding) + 4 * DBL_EPSILON * fabs(last)) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "--step %s is longer than --ahead %s", step, ahead);
        }
    } else {
        status = choose_step(ctx, ahead, &span, usual, end, &s);
    }
    size_t steps_ahead = 0;
    LF_TRY(status, count_steps(ctx, &s, end, &steps_ahead));
    return status ? status : list(ctx, &s, 1, steps_ahead > 0 ? steps_ahead : 1, count, x);
}

lf_status lf_step_inputs(lf_context *ctx, const lf_model *model, double from, double to, const char *step,
                         size_t *count, double **x)
{
    const lf_axis *axis = lf_model_axis(model, 0);
    lf_span each;
    *count = 0;
    *x = NULL;
    lf_status status = read_step(ctx, axis, "--step", step, &each);
    if (status) {
        return status;
    }
    steps s = {.axis = axis, .start = from, .day = axis->dated ? lf_axis_step_day(axis, from) : 0};
    size_t number = 0;
    take_span(&s, &each);
    status = to > from ? count_steps(ctx, &s, to, &number) : LF_OK;
    return status ? status : list(ctx, &s, 0, number, count, x);
}
