/* Stores the posterior of the kalman engine in the model file, and loads it. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "kalman/kalman.h"
#include "model/posterior_io.h"
#include "points/rows_file.h"

static json_t *save_state(const lf_state_space *space, const lf_filter_state *state)
{
    size_t n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    double *P = lf_doubles(n, n);
    json_t *record = json_object();
    for (size_t i = 0; P && i < n * n; i++) {
        P[i] = state->P[i / n * s + i % n];
    }
    int done = record && P && lf_put_number(record, "time", state->time) &&
               lf_put_array(record, "mean", n, state->mean) && lf_put_array(record, "covariance", n * n, P);
    free(P);
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

static json_t *save_replicate(const lf_state_space *space, const lf_replicate_state *replicate)
{
    json_t *record = json_object();
    int done = record && json_object_set_new(record, "rows", lf_replicate_save(&replicate->rows)) == 0 &&
               json_object_set_new(record, "end", save_state(space, &replicate->end)) == 0;
    if (done && replicate->start.mean) {
        done = json_object_set_new(record, "start", save_state(space, &replicate->start)) == 0;
    }
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

json_t *lf_kalman_posterior_save(const void *posterior)
{
    const lf_kalman_posterior *p = posterior;
    json_t *state = json_object(), *list = json_array();
    int done = state && list && lf_put_number(state, "tolerance", p->tolerance);
    for (int r = 0; done && r < p->count; r++) {
        done = json_array_append_new(list, save_replicate(&p->space, &p->replicates[r])) == 0;
    }
    done = json_object_set_new(state, "tracks", list) == 0 && done;
    if (!done) {
        json_decref(state);
        return NULL;
    }
    return state;
}

static lf_status invalid_record(lf_context *ctx, const char *what)
{
    return lf_fail(ctx, LF_ERROR_MODEL, "posterior: %s; store it again with 'latentforce condition'", what);
}

/* Whether P (n, n) is a covariance up to rounding: symmetric, and with 1e-8 of the largest variance added to the diagonal positive
 * definite. Overwrites P. */
static int is_covariance(size_t n, double *P)
{
    double largest = 1;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, P[i * n + i]);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!(fabs(P[i * n + j] - P[j * n + i]) <= 1e-8 * largest)) {
                return 0;
            }
        }
        P[i * n + i] += 1e-8 * largest;
    }
    return n == 0 || LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, P, (lapack_int)n) == 0;
}

static lf_status load_state(lf_context *ctx, const lf_state_space *space, const json_t *record, lf_filter_state *state)
{
    size_t n = (size_t)space->n, s = (size_t)space->sparsity.stride;
    if (!json_is_object(record)) {
        return invalid_record(ctx, "the state of the filter is missing or not an object");
    }
    lf_status status = lf_check_array(ctx, record, "mean", n);
    LF_TRY(status, lf_check_array(ctx, record, "covariance", n * n));
    if (status) {
        return status;
    }
    double *P = lf_doubles(n, n);
    state->mean = lf_doubles(s, 1);
    state->P = lf_doubles(lf_sparsity_size(&space->sparsity), 1);
    status = P && state->mean && state->P ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, lf_get_number(ctx, record, "time", -HUGE_VAL, HUGE_VAL, &state->time));
    LF_TRY(status, lf_get_array(ctx, record, "mean", n, state->mean));
    LF_TRY(status, lf_get_array(ctx, record, "covariance", n * n, P));
    for (size_t i = 0; !status && i < n * n; i++) {
        state->P[i / n * s + i % n] = P[i];
    }
    if (!status && !is_covariance(n, P)) {
        status = invalid_record(
            ctx,
            "the covariance of the filter is none: it is not symmetric or has a negative variance, because digits were "
            "lost to rounding or the file was changed");
    }
    free(P);
    return status;
}

static lf_status load_replicate(lf_context *ctx, const lf_state_space *space, const json_t *record,
                                lf_replicate_state *replicate)
{
    const json_t *rows = json_object_get(record, "rows"), *start = json_object_get(record, "start");
    if (!json_is_object(rows)) {
        return invalid_record(ctx, "rows are missing or not an object");
    }
    lf_status status = lf_replicate_load(ctx, space->model, rows, &replicate->rows);
    LF_TRY(status, lf_replicate_state_target(ctx, space->model, NULL, replicate));
    LF_TRY(status, load_state(ctx, space, json_object_get(record, "end"), &replicate->end));
    status = status || !start ? status : load_state(ctx, space, start, &replicate->start);
    for (size_t i = 0; !status && i < replicate->rows.points.n; i++) {
        double x = replicate->rows.points.x[i];
        if (x > replicate->end.time || (start && x < replicate->start.time)) {
            status = invalid_record(ctx, "a row lies outside the times of its filter");
        }
    }
    return status;
}

lf_status lf_kalman_posterior_load(lf_context *ctx, const lf_model *model, const json_t *state, int replicates,
                                   void **posterior)
{
    lf_kalman_posterior *p = NULL;
    json_t *list = NULL;
    double tolerance = 0;
    lf_status status = lf_get_number(ctx, state, "tolerance", 0, 1, &tolerance);
    LF_TRY(status, lf_get_list(ctx, state, "tracks", (size_t)replicates, &list));
    LF_TRY(status, lf_kalman_posterior_create(ctx, model, tolerance, replicates, &p));
    *posterior = p;
    for (int r = 0; !status && r < replicates; r++) {
        status = load_replicate(ctx, &p->space, json_array_get(list, (size_t)r), &p->replicates[r]);
    }
    return status;
}
