/* The first stage of an expensive fit of many outputs. All readings in a stretch of the times have a likelihood of their own, whose optimum
 * is close to that of all rows and takes a fraction of the work; a few iterations with all rows then complete the fit. The stretch follows
 * from the data and the options, so that the same fit is made everywhere. */
#include "fit/first_stage.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/processes.h"
#include "data/data.h"
#include "engine/engine.h"

#define EXPENSIVE 2e9 /* operations of an evaluation: about a tenth of a second of a core */
#define WORTH_IT 0.7  /* of an evaluation with all rows, for one with those of the stretch */
/* A stretch has an eighth of the times or 200 of them, but no more than half. */
enum { SHARE = 8, ENOUGH_TIMES = 200, FEWEST_TIMES = 150 };
enum { EVALUATIONS = 120, LAST_EVALUATIONS = 40 }; /* of a start, and of the best one after a first stage */
#define LAST_WORK 4e12                             /* operations after a first stage: about three minutes of a core */

/* ---- the stretch ---- */

typedef struct stretch {
    const lf_model *model;
    double first, last;
} stretch;

static int is_known(const lf_model *model, const lf_data *data, size_t row)
{
    return data->output[row] < 0 || lf_model_find_known(model, data->outputs.name[data->output[row]]) >= 0;
}

/* Known inputs are kept whole: what happened before the stretch has an effect in it. */
static int is_kept(const void *user, const lf_data *data, size_t row)
{
    const stretch *s = user;
    return is_known(s->model, data, row) || (data->x[row] >= s->first && data->x[row] <= s->last);
}

/* The stretch of `wanted` times with most rows, the first of equals. x (n): the sorted times of the rows; at (count): where each time begins. */
static void place(const double *x, size_t n, const size_t *at, size_t count, size_t wanted, stretch *s)
{
    size_t most = 0;
    for (size_t i = 0; i + wanted <= count; i++) {
        size_t end = i + wanted < count ? at[i + wanted] : n;
        if (end - at[i] > most) {
            most = end - at[i];
            s->first = x[at[i]];
            s->last = x[end - 1];
        }
    }
}

/* *found: there are times enough for a stretch that is worth it. */
static lf_status find_stretch(lf_context *ctx, const lf_model *model, const lf_data *data, stretch *s, int *found)
{
    double *x = lf_doubles(data->n, 1);
    size_t *at = calloc(data->n + 1, sizeof *at), n = 0, count = 0;
    *found = 0;
    if (!x || !at) {
        free(x);
        free(at);
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < data->n; i++) {
        if (!is_known(model, data, i)) {
            x[n++] = data->x[i];
        }
    }
    qsort(x, n, sizeof *x, lf_order_doubles);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || x[i] > x[i - 1]) {
            at[count++] = i;
        }
    }
    size_t half = count / 2, enough = half < ENOUGH_TIMES ? half : ENOUGH_TIMES;
    size_t wanted = count / SHARE > enough ? count / SHARE : enough;
    if (wanted >= FEWEST_TIMES) {
        *s = (stretch){.model = model};
        place(x, n, at, count, wanted, s);
        *found = 1;
    }
    free(x);
    free(at);
    return LF_OK;
}

/* Operations of one evaluation; infinite where there is no engine. */
static lf_status find_cost(lf_context *ctx, const lf_model *model, const lf_data *data, const lf_fit_options *options,
                           double *cost)
{
    lf_rows rows;
    lf_engine_choice choice;
    double bytes;
    *cost = INFINITY;
    lf_status status = lf_rows_create(ctx, model, data, &rows);
    if (status) {
        return status;
    }
    status = lf_engine_estimate(ctx, model, &rows, &options->engine, &choice, &bytes);
    *cost = status ? *cost : choice.cost;
    lf_rows_clear(&rows);
    return status;
}

/* The rows of the first stage of a fit whose evaluations have the given cost, and the operations of an evaluation of these; NULL: there is
 * no such stage. `filled`: options with their defaults. */
static lf_status pick_rows(lf_context *ctx, const lf_model *model, const lf_training *training,
                           const lf_fit_options *filled, double cost, lf_data **rows, double *part)
{
    stretch s;
    int found = 0;
    *rows = NULL;
    if (filled->prior != LF_PRIOR_FIRM || training->data->input_dim > 1 || !(cost > EXPENSIVE) || isinf(cost)) {
        return LF_OK;
    }
    lf_status status = find_stretch(ctx, model, training->data, &s, &found);
    if (!status && found) {
        status = lf_data_pick(ctx, training->data, is_kept, &s, rows);
        LF_TRY(status, find_cost(ctx, model, *rows, filled, part));
        if (status || *part > WORTH_IT * cost) {
            lf_data_free(*rows);
            *rows = NULL;
        }
    }
    return status;
}

lf_status lf_expected_work(lf_context *ctx, const lf_model *model, const lf_training *training,
                           const lf_fit_options *options, double cost, double *operations)
{
    lf_fit_options filled = lf_fit_defaults(model, options);
    lf_data *rows;
    double part = 0;
    lf_status status = pick_rows(ctx, model, training, &filled, cost, &rows, &part);
    *operations = rows ? EVALUATIONS * part + LAST_EVALUATIONS * cost : EVALUATIONS * cost;
    lf_data_free(rows);
    return status;
}

/* ---- the fit to it ---- */

static void note(lf_context *ctx, const lf_model *model, const lf_training *training, const lf_data *rows,
                 const lf_fit_result *result)
{
    double first = INFINITY, last = -(double)INFINITY;
    char from[LF_TIMESTAMP_SIZE], to[LF_TIMESTAMP_SIZE];
    for (size_t i = 0; i < rows->n; i++) {
        first = is_known(model, rows, i) ? first : fmin(first, rows->x[i]);
        last = is_known(model, rows, i) ? last : fmax(last, rows->x[i]);
    }
    lf_model_format_input(model, 0, first, sizeof from, from);
    lf_model_format_input(model, 0, last, sizeof to, to);
    lf_note(
        ctx,
        "an evaluation of all %zu rows is expensive: the fit began with the %zu rows from %s to %s (%zu iterations, "
        "%.1f s)",
        training->data->n, rows->n, from, to, result->iterations, result->seconds);
}

/* The fit to the stretch, where there is one; *first_rows is the number of its rows, *cost that of an evaluation with all rows. */
static lf_status fit_stretch(lf_context *ctx, lf_model *model, const lf_training *training,
                             const lf_fit_options *options, size_t *first_rows, double *cost)
{
    lf_fit_options filled = lf_fit_defaults(model, options);
    lf_fit_result result = {0};
    lf_data *rows = NULL;
    double part = 0;
    *first_rows = 0;
    lf_status status = find_cost(ctx, model, training->data, &filled, cost);
    LF_TRY(status, pick_rows(ctx, model, training, &filled, *cost, &rows, &part));
    if (status || !rows) {
        return status;
    }
    lf_training some = *training;
    some.data = some.observed = rows;
    some.share = NULL;
    filled.checkpoint = NULL; /* a resumed fit begins with the same stage */
    filled.resume = 0;
    status = lf_fit_model(ctx, model, &some, &filled, &result);
    if (!status) {
        *first_rows = rows->n;
        note(ctx, model, training, rows, &result);
    }
    lf_fit_result_clear(&result);
    lf_data_free(rows);
    lf_give_back_memory();
    return status;
}

size_t lf_second_stage_iterations(const lf_model *model, const lf_fit_options *options, double cost)
{
    double usual = (double)lf_fit_defaults(model, options).max_iterations;
    return options->max_iterations ? options->max_iterations
                                   : (size_t)fmin(usual, fmax(LAST_EVALUATIONS, LAST_WORK / cost));
}

lf_status lf_fit_in_stages(lf_context *ctx, lf_model *model, const lf_training *training, const lf_fit_options *options,
                           lf_fit_result *result)
{
    if (!training->in_stages) {
        return lf_fit_model(ctx, model, training, options, result);
    }
    lf_fit_options second = *options;
    lf_training all = *training;
    lf_model *start = NULL;
    size_t first_rows = 0;
    double cost = 0;
    lf_status status = training->reference ? LF_OK : lf_model_copy(ctx, model, &start);
    all.reference = training->reference ? training->reference : start;
    LF_TRY(status, fit_stretch(ctx, model, training, options, &first_rows, &cost));
    status = training->share ? lf_agree(ctx, status) : status;
    result->first_rows = first_rows;
    if (first_rows) {
        second.restarts = 1; /* they were made in the first stage */
        second.begun = 1;
        second.max_iterations = lf_second_stage_iterations(model, options, cost);
    }
    if (!status && first_rows && lf_monitor_stopped(training->monitor)) {
        result->cancelled = 1;
        result->reason = "stopped: it was cancelled before all rows were used";
        result->free_count = lf_free_parameters(model, NULL);
    } else if (!status) {
        status = lf_fit_model(ctx, model, &all, &second, result);
    }
    lf_model_free(start);
    return status;
}
