/* Rolling origins: the first one, then one step after the other up to the last row. From each the rows within a span are predicted. */
#include "validate/origins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/context.h"

enum { MOST_ORIGINS = 1000, MOST_STEPS = 10000 };

#define ROUNDING 1e-9 /* of times, in steps */

#define USUAL_SPAN 0.1 /* of the time range */

/* Rows of outputs, and their times. */
typedef struct series {
    const lf_model *model;
    const lf_data *rows;
    double first, last;
} series;

static int is_of_output(const series *s, size_t row)
{
    return lf_model_find_output(s->model, s->rows->outputs.name[s->rows->output[row]]) >= 0;
}

static lf_status read_step(lf_context *ctx, const lf_axis *axis, const char *option, const char *text, lf_span *span)
{
    lf_status status = lf_axis_parse_step(ctx, axis, text, span);
    if (!status && !(span->length > 0)) {
        status = lf_fail(ctx, LF_ERROR_ARGUMENT, "it must be more than 0");
    }
    char problem[400];
    snprintf(problem, sizeof problem, "%s", status ? lf_context_message(ctx) : "");
    return status ? lf_fail(ctx, LF_ERROR_ARGUMENT, "--%s %s: %s", option, text, problem) : LF_OK;
}

/* `count` steps after a time. */
static double after(const lf_axis *axis, double time, const lf_span *step, size_t count)
{
    int day = axis->dated ? lf_axis_step_day(axis, time) : 0;
    return step->months > 0 ? lf_axis_add_months(axis, time, (int64_t)count * step->months, day)
                            : time + (double)count * step->length;
}

static int has_rows(const series *s, const lf_origin *origin)
{
    for (size_t i = 0; i < s->rows->n; i++) {
        if (lf_origin_predicts(origin, s->rows->x[i]) && is_of_output(s, i)) {
            return 1;
        }
    }
    return 0;
}

/* Of every output and every replicate a row is known at the first origin. */
static lf_status check_first(lf_context *ctx, const series *s, double time, const char *word, const lf_names *names,
                             const int32_t *of)
{
    int *known = calloc((size_t)names->count + 1, sizeof *known);
    lf_status status = known ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < s->rows->n; i++) {
        if (of[i] >= 0 && is_of_output(s, i)) {
            known[of[i]] |= s->rows->x[i] <= time ? 2 : 1;
        }
    }
    for (int k = 0; !status && k < names->count; k++) {
        if (known[k] == 1) {
            status = lf_fail(ctx, LF_ERROR_ARGUMENT,
                             "--rolling: the %s '%s' has no row up to the first origin; give a later one", word,
                             names->name[k]);
        }
    }
    free(known);
    return status;
}

static lf_status find_first(lf_context *ctx, const series *s, const char *text, double *first)
{
    if (strcmp(text, "auto") == 0) {
        *first = s->first + 0.5 * (s->last - s->first);
        return LF_OK;
    }
    lf_status status = lf_model_parse_input(ctx, s->model, 0, text, first);
    char problem[400];
    snprintf(problem, sizeof problem, "%s", status ? lf_context_message(ctx) : "it is not before the last row");
    return !status && *first < s->last ? LF_OK : lf_fail(ctx, LF_ERROR_ARGUMENT, "--rolling %s: %s", text, problem);
}

static lf_status list(lf_context *ctx, const series *s, double first, const lf_span *step, const lf_span *span,
                      size_t *count, lf_origin **origins)
{
    const lf_axis *axis = lf_model_axis(s->model, 0);
    double slack = ROUNDING * fmin(step->length, span->length), most = MOST_STEPS;
    if (s->last - first > most * step->length) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--rolling has more than %.0f steps; give a longer --step", most);
    }
    *origins = calloc(MOST_ORIGINS, sizeof **origins);
    lf_status status = *origins ? LF_OK : lf_no_memory(ctx);
    double time = first;
    for (size_t k = 0; !status && time < s->last; time = after(axis, first, step, ++k)) {
        const lf_origin origin = {time, after(axis, time, span, 1), slack};
        int wanted = has_rows(s, &origin);
        if (wanted && *count == MOST_ORIGINS) {
            status = lf_fail(ctx, LF_ERROR_ARGUMENT, "--rolling has more than %d origins; give a longer --step",
                             (int)MOST_ORIGINS);
        } else if (wanted) {
            (*origins)[(*count)++] = origin;
        }
    }
    if (!status && *count == 0) {
        status = lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "--rolling: no row follows an origin within the span; give a longer "
                         "--span");
    }
    if (status) {
        free(*origins);
        *origins = NULL;
    }
    return status;
}

lf_status lf_origins_create(lf_context *ctx, const lf_model *model, const lf_data *rows, const lf_options *validate,
                            size_t *count, lf_origin **origins)
{
    const lf_axis *axis = lf_model_axis(model, 0);
    series s = {.model = model, .rows = rows, .first = INFINITY, .last = -INFINITY};
    *count = 0;
    *origins = NULL;
    if (model->input_dim > 1) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "--rolling is for one input, a time; use --cross-validate K");
    }
    for (size_t i = 0; i < rows->n; i++) {
        if (is_of_output(&s, i)) {
            s.first = fmin(s.first, rows->x[i]);
            s.last = fmax(s.last, rows->x[i]);
        }
    }
    double first = 0;
    lf_span span = {.length = USUAL_SPAN * (s.last - s.first)}, step;
    lf_status status = find_first(ctx, &s, validate->rolling, &first);
    LF_TRY(status, validate->span ? read_step(ctx, axis, "span", validate->span, &span) : LF_OK);
    step = span;
    LF_TRY(status, validate->request.step ? read_step(ctx, axis, "step", validate->request.step, &step) : LF_OK);
    LF_TRY(status, check_first(ctx, &s, first, "output", &rows->outputs, rows->output));
    LF_TRY(status, check_first(ctx, &s, first, "replicate", &rows->replicates, rows->replicate));
    return status ? status : list(ctx, &s, first, &step, &span, count, origins);
}
