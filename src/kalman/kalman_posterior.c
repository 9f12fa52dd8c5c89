/* The posterior of the kalman engine: the rows, and the filter states before the first and after the last of them.
 * Predictions are possible from the time of the first state on; predictions after the last row need the second state
 * only. An update with newer rows makes the second state the first and drops the old rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "kalman/kalman.h"
#include "kalman/run_space.h"
#include "kalman/smoother.h"

static void clear_state(lf_filter_state *state)
{
    free(state->mean);
    free(state->P);
    *state = (lf_filter_state){0};
}

void lf_replicate_state_clear(lf_replicate_state *replicate)
{
    clear_state(&replicate->start);
    clear_state(&replicate->end);
    lf_replicate_clear(&replicate->rows);
    free(replicate->y);
    free(replicate->noise);
}

static void free_posterior(void *posterior)
{
    lf_kalman_posterior *p = posterior;
    for (int r = 0; p->replicates && r < p->count; r++) {
        lf_replicate_state_clear(&p->replicates[r]);
    }
    free(p->replicates);
    lf_state_space_clear(&p->space);
    lf_model_free(p->model);
    free(p);
}

lf_status lf_kalman_posterior_create(lf_context *ctx, const lf_model *model, double tolerance, int count,
                                     lf_kalman_posterior **posterior)
{
    lf_kalman_posterior *p = *posterior = calloc(1, sizeof *p);
    if (!p) {
        return lf_no_memory(ctx);
    }
    p->count = count;
    p->tolerance = tolerance;
    p->replicates = calloc((size_t)count + 1, sizeof *p->replicates);
    lf_status status = p->replicates ? lf_model_copy(ctx, model, &p->model) : lf_no_memory(ctx);
    LF_TRY(status, lf_state_space_create(ctx, p->model, tolerance, &p->space));
    return status ? status : lf_state_space_update(ctx, &p->space);
}

/* The time of a filter state; NaN for the prior. */
static double start_time(const lf_filter_state *state) { return state->mean ? state->time : (double)NAN; }

lf_status lf_replicate_state_target(lf_context *ctx, const lf_model *model, const lf_targets *targets,
                                    lf_replicate_state *replicate)
{
    size_t n = replicate->rows.points.n;
    replicate->y = lf_doubles(n, 1);
    replicate->noise = lf_doubles(n, 1);
    if (!replicate->y || !replicate->noise) {
        return lf_no_memory(ctx);
    }
    if (targets) {
        memcpy(replicate->y, targets->y, n * sizeof *replicate->y);
        memcpy(replicate->noise, targets->noise, n * sizeof *replicate->noise);
    } else {
        lf_rows_scaled(model, &replicate->rows, replicate->y, replicate->noise);
    }
    return LF_OK;
}

lf_status lf_replicate_state_filter(lf_context *ctx, const lf_kalman_posterior *posterior,
                                    lf_replicate_state *replicate)
{
    const lf_state_space *space = &posterior->space;
    size_t size = lf_sparsity_size(&space->sparsity), s = (size_t)space->sparsity.stride;
    double unused;
    lf_timeline timeline = {0};
    lf_filter filter = {0};
    lf_run_space run = {0};
    lf_status status =
        lf_timeline_create(ctx, space->model, start_time(&replicate->start), &replicate->rows.points, NULL, &timeline);
    LF_TRY(status, lf_run_space_create(ctx, space, posterior->tolerance, &timeline, &replicate->start, &run));
    if (!status) {
        status = lf_filter_create(ctx, run.space, &timeline, replicate->y, replicate->noise, run.mean, run.P, &filter);
        LF_TRY(status, lf_filter_run(&filter, &unused));
    }
    replicate->end = (lf_filter_state){.time = -INFINITY, .mean = lf_doubles(s, 1), .P = lf_doubles(size, 1)};
    status = status || (replicate->end.mean && replicate->end.P) ? status : lf_no_memory(ctx);
    if (!status) {
        lf_copy_states(run.space, filter.mean, filter.P, space, replicate->end.mean, replicate->end.P);
        for (size_t i = 0; i < replicate->rows.points.n; i++) {
            replicate->end.time = fmax(replicate->end.time, replicate->rows.points.x[i]);
        }
    }
    lf_filter_clear(&filter);
    lf_run_space_clear(&run);
    lf_timeline_clear(&timeline);
    return status;
}

static lf_posterior_facts describe(const void *posterior, int replicate, size_t points, int joint)
{
    const lf_kalman_posterior *p = posterior;
    lf_posterior_facts facts = {.from = -(double)INFINITY,
                                .to = INFINITY,
                                .end = p->replicates[replicate].end.time,
                                .numbers = lf_kalman_predict_numbers(p, replicate, points, joint)};
    for (int r = 0; r < p->count; r++) {
        facts.from = p->replicates[r].start.mean ? fmax(facts.from, p->replicates[r].start.time) : facts.from;
    }
    return facts;
}

/* Where the interval of a point begins. An average that begins at the end of the filter up to rounding begins there. */
static double beginning(const lf_point_set *points, size_t i, double end)
{
    double width = points->width ? points->width[i] : 0, start = points->x[i] - width;
    return fabs(start - end) <= 1e-6 * width ? end : start;
}

lf_status lf_kalman_predict_once(lf_context *ctx, const lf_kalman_posterior *p, int replicate,
                                 const lf_point_set *points, double *mean, double *variance, double *covariance)
{
    const lf_replicate_state *state = &p->replicates[replicate];
    double earliest = INFINITY, first = INFINITY;
    for (size_t i = 0; i < points->n; i++) {
        earliest = fmin(earliest, beginning(points, i, state->end.time));
        first = fmin(first, beginning(points, i, state->start.time));
    }
    if (state->start.mean && first < state->start.time) {
        char at[LF_TIMESTAMP_SIZE], last[LF_TIMESTAMP_SIZE];
        lf_model_format_input(p->model, 0, first, sizeof at, at);
        lf_model_format_input(p->model, 0, state->start.time, sizeof last, last);
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "%s%s lies before %s, the last row before the update of the posterior; condition the model on "
                       "all rows to predict there",
                       lf_model_axis(p->model, 0)->dated ? "" : "x = ", at, last);
    }
    int after_rows = earliest >= state->end.time;
    const lf_filter_state *start = after_rows ? &state->end : &state->start;
    lf_timeline timeline = {0};
    lf_run_space run = {0};
    lf_status status = lf_timeline_create(ctx, p->model, start_time(start), after_rows ? NULL : &state->rows.points,
                                          points, &timeline);
    LF_TRY(status, lf_run_space_create(ctx, &p->space, p->tolerance, &timeline, start, &run));
    if (!status) {
        status = lf_kalman_smooth(ctx, run.space, &timeline, state->y, state->noise, run.mean, run.P, mean, variance,
                                  covariance);
    }
    lf_run_space_clear(&run);
    lf_timeline_clear(&timeline);
    return status;
}

static lf_status predict(lf_context *ctx, const void *posterior, const lf_model *model, int replicate,
                         const lf_point_set *points, double *mean, double *variance, double *covariance)
{
    (void)model; /* the posterior uses its copy */
    return points->width && !covariance
               ? lf_kalman_predict_averages(ctx, posterior, replicate, points, mean, variance)
               : lf_kalman_predict_once(ctx, posterior, replicate, points, mean, variance, covariance);
}

/* Fails on rows before the end of the filter, naming the first of them in the order of the data. */
static lf_status check_row_times(lf_context *ctx, const lf_model *model, const lf_replicate_state *replicate,
                                 const lf_point_set *rows)
{
    size_t first_late = rows->n;
    int target = 0;
    for (int g = 0; g < rows->group_count; g++) {
        for (size_t i = rows->start[g]; i < rows->start[g + 1]; i++) {
            if (beginning(rows, i, replicate->end.time) < replicate->end.time &&
                (first_late == rows->n || rows->order[i] < rows->order[first_late])) {
                first_late = i;
                target = rows->target[g];
            }
        }
    }
    if (first_late == rows->n) {
        return LF_OK;
    }
    char at[LF_TIMESTAMP_SIZE], end[LF_TIMESTAMP_SIZE];
    const char *name = lf_model_axis(model, 0)->dated ? "" : "x = ";
    lf_model_format_input(model, 0, rows->x[first_late], sizeof at, at);
    lf_model_format_input(model, 0, replicate->end.time, sizeof end, end);
    return lf_fail(
        ctx, LF_ERROR_DATA,
        "the row of output '%s' at %s%s%s comes too late: the filter has already passed %s%s; leave it out, or "
        "condition the model on all rows",
        model->outputs[target].name, name, at,
        rows->width && rows->width[first_late] > 0 ? ", an average that begins earlier" : "", name, end);
}

static lf_status copy_state(lf_context *ctx, const lf_state_space *space, const lf_filter_state *from,
                            lf_filter_state *to)
{
    size_t size = lf_sparsity_size(&space->sparsity), s = (size_t)space->sparsity.stride;
    *to = (lf_filter_state){.time = from->time, .mean = lf_doubles(s, 1), .P = lf_doubles(size, 1)};
    if (!to->mean || !to->P) {
        return lf_no_memory(ctx);
    }
    memcpy(to->mean, from->mean, s * sizeof(double));
    memcpy(to->P, from->P, size * sizeof(double));
    return LF_OK;
}

lf_status lf_kalman_posterior_update(lf_context *ctx, void *posterior, const lf_rows *rows, const int *replicate)
{
    lf_kalman_posterior *p = posterior;
    lf_replicate_state *next = calloc((size_t)rows->count + 1, sizeof *next); /* stored only if all succeed */
    lf_status status = next ? LF_OK : lf_no_memory(ctx);
    for (int r = 0; !status && r < rows->count; r++) {
        const lf_replicate_state *state = &p->replicates[replicate[r]];
        status = check_row_times(ctx, p->model, state, &rows->replicates[r].points);
        LF_TRY(status, copy_state(ctx, &p->space, &state->end, &next[r].start));
        LF_TRY(status, lf_replicate_copy(ctx, p->model, &rows->replicates[r], &next[r].rows));
        LF_TRY(status, lf_replicate_state_target(ctx, p->model, NULL, &next[r]));
        LF_TRY(status, lf_replicate_state_filter(ctx, p, &next[r]));
    }
    for (int r = 0; next && r < rows->count; r++) {
        if (!status) {
            lf_replicate_state old = p->replicates[replicate[r]];
            p->replicates[replicate[r]] = next[r];
            next[r] = old;
        }
        lf_replicate_state_clear(&next[r]);
    }
    free(next);
    return status;
}

const lf_posterior_class lf_kalman_posterior_class = {.free = free_posterior,
                                                      .save = lf_kalman_posterior_save,
                                                      .load = lf_kalman_posterior_load,
                                                      .update = lf_kalman_posterior_update,
                                                      .describe = describe,
                                                      .predict = predict,
                                                      .innovations = lf_kalman_innovations};
