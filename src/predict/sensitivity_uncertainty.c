/* The rows of an output smoothed by its private force alone, with the responses h_q in place of readings, are the columns of
 * K K^-1 H: from them follow K^-1 H = (H - smoothed) / noise and g = h(t) - smoothed(t). */
#include "predict/sensitivity_uncertainty.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "engine/engine.h"
#include "predict/forced_response.h"

#define LEAST_NOISE 1e-8 /* variance: below this, differences from the smoothed values are rounding errors */

/* What was computed for the output of the last prediction. */
typedef struct cached_output {
    int output;                 /* -1: none */
    lf_scaled_posterior smooth; /* of the responses, smoothed by the private force; no state: the output has no rows */
    int *first;                 /* (replicates) in `smooth`, the replicate of response 0; -1: no rows */
    double **states;            /* (replicates) of lf_forced_response_states; NULL: not yet computed */
} cached_output;

struct lf_sensitivity_uncertainty {
    lf_context *ctx;
    const lf_model *model;
    const lf_scaled_posterior *posterior;
    int replicates;
    const lf_replicate *rows;
    lf_force_path *paths; /* (replicates) count 0: not yet computed */
    double **L;           /* (D) lower factor of C^-1 (Q, Q), column by column; NULL: not yet computed */
    cached_output cached;
};

lf_status lf_sensitivity_uncertainty_create(lf_context *ctx, const lf_scaled_posterior *posterior, int replicates,
                                            const lf_replicate *rows, lf_sensitivity_uncertainty **uncertainty)
{
    const lf_model *model = posterior->model;
    lf_sensitivity_uncertainty *u = *uncertainty = calloc(1, sizeof *u);
    if (!u) {
        return lf_no_memory(ctx);
    }
    *u = (lf_sensitivity_uncertainty){.ctx = ctx,
                                      .model = model,
                                      .posterior = posterior,
                                      .replicates = replicates,
                                      .rows = rows,
                                      .paths = calloc((size_t)replicates, sizeof *u->paths),
                                      .L = calloc((size_t)model->output_count, sizeof *u->L),
                                      .cached = {.output = -1,
                                                 .first = calloc((size_t)replicates, sizeof *u->cached.first),
                                                 .states = calloc((size_t)replicates, sizeof *u->cached.states)}};
    if (u->paths && u->L && u->cached.first && u->cached.states) {
        return LF_OK;
    }
    lf_sensitivity_uncertainty_free(u);
    *uncertainty = NULL;
    return lf_no_memory(ctx);
}

static void drop_states(lf_sensitivity_uncertainty *u, int replicate)
{
    free(u->cached.states[replicate]);
    u->cached.states[replicate] = NULL;
}

static void drop_cache(lf_sensitivity_uncertainty *u)
{
    for (int r = 0; u->cached.states && r < u->replicates; r++) {
        drop_states(u, r);
    }
    lf_scaled_posterior_clear(&u->cached.smooth);
    u->cached.output = -1;
}

void lf_sensitivity_uncertainty_free(lf_sensitivity_uncertainty *u)
{
    if (!u) {
        return;
    }
    drop_cache(u);
    for (int r = 0; u->paths && r < u->replicates; r++) {
        lf_force_path_clear(&u->paths[r]);
    }
    for (int d = 0; u->L && d < u->model->output_count; d++) {
        free(u->L[d]);
    }
    free(u->paths);
    free(u->L);
    free(u->cached.first);
    free(u->cached.states);
    free(u);
}

/* Which rows of a replicate are of output d. */
static void find_rows(const lf_replicate *rows, int d, size_t *start, size_t *end)
{
    *start = *end = 0;
    for (int g = 0; g < rows->points.group_count; g++) {
        if (rows->points.target[g] == d) {
            *start = rows->points.start[g];
            *end = rows->points.start[g + 1];
        }
    }
}

/* The mean forces of a replicate up to a time, and the response of the output to them. */
static lf_status extend_path(lf_sensitivity_uncertainty *u, int r, double time)
{
    lf_force_path *path = &u->paths[r];
    lf_status status = LF_OK;
    if (path->count == 0 || time > path->time[path->count - 1]) {
        drop_states(u, r);
        lf_force_path_clear(path);
        status = lf_force_path_create(u->ctx, u->posterior, r, &u->rows[r].points, time, path);
        if (status) {
            lf_force_path_clear(path);
        }
    }
    if (!status && !u->cached.states[r]) {
        const lf_output *output = &u->model->outputs[u->cached.output];
        u->cached.states[r] = lf_doubles(path->count * (size_t)output->order, (size_t)u->model->force_count);
        status = u->cached.states[r] ? LF_OK : lf_no_memory(u->ctx);
        if (!status) {
            lf_forced_response_states(output, path, u->cached.states[r]);
        }
    }
    return status;
}

/* The responses (n, Q) of the output at inputs x, or their rates. */
static lf_status find_responses(lf_sensitivity_uncertainty *u, int r, size_t n, const double *x, const int *rate,
                                double *responses)
{
    const lf_output *output = &u->model->outputs[u->cached.output];
    size_t Q = (size_t)u->model->force_count;
    double latest = x[0];
    for (size_t i = 1; i < n; i++) {
        latest = fmax(latest, x[i]);
    }
    lf_status status = extend_path(u, r, latest);
    for (size_t i = 0; !status && i < n; i++) {
        lf_forced_response_at(output, &u->paths[r], u->cached.states[r], x[i], rate && rate[i], responses + i * Q);
    }
    return status;
}

/* Subtracts from the responses (n, Q) their smoothed values: the difference is g. */
static lf_status subtract_smoothed(lf_sensitivity_uncertainty *u, int r, size_t n, const double *x, const int *rate,
                                   double *responses)
{
    size_t Q = (size_t)u->model->force_count;
    if (!u->cached.smooth.state || u->cached.first[r] < 0) {
        return LF_OK;
    }
    int *target = calloc(n, sizeof *target);
    double *smoothed = lf_doubles(n, 1);
    lf_status status = target && smoothed ? LF_OK : lf_no_memory(u->ctx);
    for (size_t i = 0; !status && i < n; i++) {
        target[i] = rate && rate[i] ? 1 : 0; /* of one output and no force: the output, its rate */
    }
    for (size_t q = 0; !status && q < Q; q++) {
        status =
            lf_scaled_posterior_mean(u->ctx, &u->cached.smooth, u->cached.first[r] + (int)q, n, target, x, smoothed);
        for (size_t i = 0; !status && i < n; i++) {
            responses[i * Q + q] -= smoothed[i];
        }
    }
    free(target);
    free(smoothed);
    return status;
}

/* The responses at the rows of the output in one replicate, as data with one replicate for each force. */
static lf_status gather_responses(lf_sensitivity_uncertainty *u, int r, lf_data *data)
{
    const lf_output *output = &u->model->outputs[u->cached.output];
    const lf_replicate *rows = &u->rows[r];
    size_t start, end, Q = (size_t)u->model->force_count;
    find_rows(rows, u->cached.output, &start, &end);
    u->cached.first[r] = -1;
    if (end == start) {
        return LF_OK;
    }
    u->cached.first[r] = (int)lf_data_count(data, LF_KIND_REPLICATE);
    double *responses = lf_doubles(end - start, Q);
    lf_status status =
        responses ? find_responses(u, r, end - start, rows->points.x + start, NULL, responses) : lf_no_memory(u->ctx);
    for (size_t q = 0; !status && q < Q; q++) {
        char name[40];
        snprintf(name, sizeof name, "%d.%zu", r, q);
        for (size_t i = start; !status && i < end; i++) {
            status = lf_data_add(u->ctx, data,
                                 &(lf_row){.size = sizeof(lf_row),
                                           .output = output->name,
                                           .replicate = name,
                                           .x = &rows->points.x[i],
                                           .y = responses[(i - start) * Q + q],
                                           .sd = sqrt(rows->variance[i]) / output->scale});
        }
    }
    free(responses);
    return status;
}

/* Computes what is cached for an output: its responses at its rows, smoothed by its private force. */
static lf_status load_output(lf_sensitivity_uncertainty *u, int d)
{
    if (u->cached.output == d) {
        return LF_OK;
    }
    drop_cache(u);
    u->cached.output = d;
    lf_data *data = NULL;
    lf_model *alone = NULL;
    lf_engine *engine = NULL;
    lf_engine_options options = {.size = sizeof options, .engine = lf_engine_with(LF_HAS_STATES)->name};
    lf_status status = lf_data_create(u->ctx, 1, &data);
    for (int r = 0; !status && r < u->replicates; r++) {
        status = gather_responses(u, r, data);
    }
    if (!status && lf_data_count(data, LF_KIND_ROW)) {
        status = lf_model_alone(u->ctx, u->model, d, &alone);
        if (!status) {
            alone->outputs[0].noise_variance = fmax(alone->outputs[0].noise_variance, LEAST_NOISE);
            status = lf_engine_create(u->ctx, alone, data, &options, &engine);
        }
        LF_TRY(status, lf_scaled_posterior_create(engine, NULL, &u->cached.smooth));
    }
    lf_engine_free(engine);
    lf_model_free(alone);
    lf_data_free(data);
    if (status) {
        drop_cache(u);
    }
    return status;
}

/* information (Q, Q) += H'K^-1 H of one replicate. */
static lf_status add_information(lf_sensitivity_uncertainty *u, int r, double *information)
{
    const lf_output *output = &u->model->outputs[u->cached.output];
    const lf_replicate *rows = &u->rows[r];
    size_t start, end;
    find_rows(rows, u->cached.output, &start, &end);
    int n = (int)(end - start), Q = u->model->force_count;
    if (n == 0) {
        return LF_OK;
    }
    const double *x = rows->points.x + start;
    double *H = lf_doubles((size_t)n, (size_t)Q), *excess = lf_doubles((size_t)n, (size_t)Q);
    lf_status status = H && excess ? find_responses(u, r, (size_t)n, x, NULL, H) : lf_no_memory(u->ctx);
    if (!status) {
        memcpy(excess, H, (size_t)n * (size_t)Q * sizeof *H);
        status = subtract_smoothed(u, r, (size_t)n, x, NULL, excess);
    }
    for (int i = 0; !status && i < n; i++) {
        double noise = rows->variance[start + (size_t)i] / (output->scale * output->scale) +
                       fmax(output->noise_variance, LEAST_NOISE);
        cblas_dscal(Q, 1 / noise, excess + i * Q, 1);
    }
    if (!status) {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, Q, Q, n, 1, H, Q, excess, Q, 1, information, Q);
    }
    free(H);
    free(excess);
    return status;
}

/* The factor of C^-1 of the output. */
static lf_status find_factor(lf_sensitivity_uncertainty *u, double **factor)
{
    const lf_output *output = &u->model->outputs[u->cached.output];
    int Q = u->model->force_count;
    double tau = output->sensitivity_sd, *L = lf_doubles((size_t)Q, (size_t)Q);
    lf_status status = L ? LF_OK : lf_no_memory(u->ctx);
    for (int r = 0; !status && r < u->replicates; r++) {
        status = add_information(u, r, L);
    }
    for (int i = 0; !status && i < Q; i++) {
        for (int j = 0; j < i; j++) {
            L[i * Q + j] = L[j * Q + i] = (L[i * Q + j] + L[j * Q + i]) / 2;
        }
        L[i * Q + i] += 1 / (tau * tau);
    }
    if (!status && LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', Q, L, Q)) {
        status =
            lf_fail(u->ctx, LF_ERROR_NUMERIC,
                    "output '%s': the uncertainty of its sensitivities cannot be computed; sensitivity_sd 0 leaves "
                    "it out",
                    output->name);
    }
    if (status) {
        free(L);
        return status;
    }
    *factor = L;
    return LF_OK;
}

/* Points of one output, and of its rate. */
typedef struct output_points {
    int output;
    size_t n, *which; /* (n) of the point set */
    int *rate;        /* (n) */
} output_points;

static lf_status add_output(lf_sensitivity_uncertainty *u, int replicate, const lf_point_set *points,
                            const output_points *of, double *variance, double *covariance)
{
    int Q = u->model->force_count, d = of->output;
    size_t n = of->n;
    const size_t *which = of->which;
    double *x = lf_doubles(n, 1), *excess = lf_doubles(n, (size_t)Q);
    lf_status status = x && excess ? LF_OK : lf_no_memory(u->ctx);
    for (size_t i = 0; !status && i < n; i++) {
        x[i] = points->x[which[i]];
    }
    LF_TRY(status, load_output(u, d));
    status = status || u->L[d] ? status : find_factor(u, &u->L[d]);
    LF_TRY(status, find_responses(u, replicate, n, x, of->rate, excess));
    LF_TRY(status, subtract_smoothed(u, replicate, n, x, of->rate, excess));
    if (!status) { /* the columns of excess, as LAPACK sees it, become L^-1 g */
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, Q, (int)n, 1, u->L[d], Q, excess,
                    Q);
    }
    for (size_t i = 0; !status && i < n; i++) {
        const double *g = excess + i * (size_t)Q;
        if (variance) {
            variance[which[i]] += cblas_ddot(Q, g, 1, g, 1);
        }
        for (size_t j = 0; covariance && j < n; j++) {
            covariance[which[i] * points->n + which[j]] += cblas_ddot(Q, g, 1, excess + j * (size_t)Q, 1);
        }
    }
    free(x);
    free(excess);
    return status;
}

lf_status lf_sensitivity_uncertainty_add(lf_context *ctx, lf_sensitivity_uncertainty *u, int replicate,
                                         const lf_point_set *points, double *variance, double *covariance)
{
    output_points of = {.which = calloc(points->n + 1, sizeof *of.which),
                        .rate = calloc(points->n + 1, sizeof *of.rate)};
    int threads = lf_threads_begin(1); /* many small problems */
    u->ctx = ctx;
    lf_status status = of.which && of.rate ? LF_OK : lf_no_memory(u->ctx);
    for (int d = 0; !status && d < u->model->output_count; d++) {
        of.output = d;
        of.n = 0;
        for (int g = 0; u->model->outputs[d].sensitivity_sd > 0 && g < points->group_count; g++) {
            int is_rate = lf_target_is_rate(u->model, points->target[g]);
            for (size_t i = points->start[g];
                 lf_target_output(u->model, points->target[g]) == d && i < points->start[g + 1]; i++) {
                of.which[of.n] = i;
                of.rate[of.n++] = is_rate;
            }
        }
        status = of.n ? add_output(u, replicate, points, &of, variance, covariance) : LF_OK;
    }
    free(of.which);
    free(of.rate);
    lf_threads_end(threads);
    return status;
}
