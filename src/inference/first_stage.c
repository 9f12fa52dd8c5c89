/* The first stage of an expensive fit of many outputs. All readings in a stretch of the times have a likelihood of their own, whose optimum
 * is close to that of all rows and takes a fraction of the work; a few iterations with all rows then complete the fit. The stretch follows
 * from the data and the options, so that the same fit is made everywhere. */
#include "inference/first_stage.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "data/data.h"
#include "engine/engine.h"
#include "inference/agreement.h"
#include "inference/optimise.h"

#define FIRST_SHARE 0.5 /* of the time that the fit has, where it is limited */

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
    size_t half = count / 2, most = (size_t)lf_threshold.enough_times, enough = half < most ? half : most;
    size_t share = count / (size_t)lf_threshold.share, wanted = share > enough ? share : enough;
    if (wanted >= (size_t)lf_threshold.fewest_times) {
        *s = (stretch){.model = model};
        place(x, n, at, count, wanted, s);
        *found = 1;
    }
    free(x);
    free(at);
    return LF_OK;
}

/* Operations of one evaluation of rows; infinite where there is no engine. */
static lf_status find_cost(lf_context *ctx, const lf_structure *s, const lf_data *data, double *cost)
{
    lf_rows rows;
    lf_engine_choice choice;
    double bytes;
    *cost = INFINITY;
    lf_status status = lf_rows_create(ctx, s->start, data, &rows);
    if (status) {
        return status;
    }
    status = lf_engine_estimate(ctx, s->start, &rows, &s->fitting, &choice, &bytes);
    *cost = status ? *cost : choice.cost;
    lf_rows_clear(&rows);
    return status;
}

/* The rows of the first stage of a fit whose evaluations have the given cost, and the operations of an evaluation of these; NULL: there is
 * no such stage. */
static lf_status pick_rows(lf_context *ctx, const lf_problem *problem, const lf_structure *s, double cost,
                           lf_data **rows, double *part)
{
    stretch kept;
    int found = 0;
    *rows = NULL;
    if (s->prior != LF_PRIOR_FIRM || problem->training->input_dim > 1 || !(cost > lf_threshold.expensive) ||
        isinf(cost)) {
        return LF_OK;
    }
    lf_status status = find_stretch(ctx, s->start, problem->training, &kept, &found);
    if (!status && found) {
        status = lf_data_pick(ctx, problem->training, is_kept, &kept, rows);
        LF_TRY(status, find_cost(ctx, s, *rows, part));
        if (status || *part > lf_threshold.worth_it * cost) {
            lf_data_free(*rows);
            *rows = NULL;
        }
    }
    return status;
}

lf_status lf_expected_work(lf_context *ctx, const lf_problem *problem, const lf_structure *s, double cost,
                           double *operations)
{
    lf_data *rows;
    double part = 0;
    lf_status status = pick_rows(ctx, problem, s, cost, &rows, &part);
    *operations =
        rows ? lf_threshold.evaluations * part + lf_threshold.last_evaluations * cost : lf_threshold.evaluations * cost;
    lf_data_free(rows);
    return status;
}

/* ---- the fit to it ---- */

static void note(lf_context *ctx, const lf_problem *problem, const lf_data *rows, const lf_optimum *found)
{
    const lf_model *model = found->model;
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
        problem->training->n, rows->n, from, to, found->iterations, found->seconds);
}

/* The fit to the stretch, where there is one: found->first_rows is the number of its rows, *cost that of an evaluation with all rows. */
static lf_status fit_stretch(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                             const lf_prior *prior, lf_monitor *monitor, lf_optimum *found, double *cost)
{
    lf_data *rows = NULL;
    double part = 0;
    lf_status status = find_cost(ctx, s, problem->training, cost);
    LF_TRY(status, pick_rows(ctx, problem, s, *cost, &rows, &part));
    if (status || !rows) {
        return status;
    }
    lf_problem some = *problem;
    lf_structure first = *s;
    some.training = some.observed = rows;
    some.local = NULL;
    first.alone = 1; /* a resumed fit begins with the same stage */
    double deadline = monitor->deadline, now = omp_get_wtime();
    monitor->deadline = deadline > 0 ? now + FIRST_SHARE * (deadline - now) : 0;
    status = lf_optimise_from(ctx, &some, plan, &first, s->start, prior, monitor, found);
    monitor->deadline = deadline;
    monitor->late = 0;
    if (!status) {
        found->first_rows = rows->n;
        note(ctx, problem, rows, found);
    }
    lf_data_free(rows);
    lf_give_back_memory();
    return status;
}

size_t lf_second_stage_iterations(const lf_fit_plan *plan, const lf_structure *s, double cost)
{
    double affordable = fmax(lf_threshold.last_evaluations, lf_threshold.last_work / cost);
    return plan->iterations ? plan->iterations : (size_t)fmin((double)s->iterations, affordable);
}

/* All rows, from the optimum of the stretch. */
static lf_status fit_all_rows(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan,
                              const lf_structure *rest, const lf_prior *prior, lf_monitor *monitor,
                              const lf_optimum *first, lf_optimum *found)
{
    lf_status status = lf_optimise_from(ctx, problem, plan, rest, first->model, prior, monitor, found);
    found->first_rows = first->first_rows;
    found->first_evaluations = first->evaluations;
    found->first_seconds = first->seconds;
    found->evaluations += first->evaluations;
    found->seconds += first->seconds;
    return status;
}

/* The optimum of the stretch is the end of a fit that was stopped there; it has not seen all rows. */
static void end_early(lf_optimum *first, int asked, lf_optimum *found)
{
    *found = (lf_optimum){.model = first->model,
                          .free_count = first->free_count,
                          .evaluations = first->evaluations,
                          .seconds = first->seconds,
                          .first_rows = first->first_rows,
                          .first_evaluations = first->evaluations,
                          .first_seconds = first->seconds,
                          .cancelled = asked,
                          .reason = asked ? "stopped: it was cancelled before all rows were used"
                                          : "stopped: the time of --max-seconds was up before all rows were used"};
    first->model = NULL;
}

lf_status lf_optimise(lf_context *ctx, const lf_problem *problem, const lf_fit_plan *plan, const lf_structure *s,
                      const lf_prior *prior, lf_monitor *monitor, lf_optimum *found)
{
    lf_optimum first = {0};
    double cost = 0;
    *found = (lf_optimum){.reason = "not begun"};
    lf_status status =
        s->in_stages && !s->warm ? fit_stretch(ctx, problem, plan, s, prior, monitor, &first, &cost) : LF_OK;
    if (problem->local) { /* each process made it alone */
        status = lf_agree_number(ctx, status, (double)first.first_rows, "number of rows in the first stage");
        status = first.first_rows ? lf_agree_values(ctx, status, first.model) : status;
    }
    if (!status && !first.first_rows) {
        status = lf_optimise_from(ctx, problem, plan, s, lf_structure_begin(s), prior, monitor, found);
    } else if (!status && lf_monitor_stopped(monitor)) {
        end_early(&first, lf_monitor_asked(monitor), found);
    } else if (!status) {
        lf_structure rest = *s;
        rest.restarts = 1; /* they were made in the first stage */
        rest.after_stage = 1;
        rest.iterations = lf_second_stage_iterations(plan, s, cost);
        status = fit_all_rows(ctx, problem, plan, &rest, prior, monitor, &first, found);
    }
    lf_optimum_clear(&first);
    return status;
}
