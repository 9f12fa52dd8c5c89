/* The rows of an output smoothed by its private force alone, with the answers h_q in place of readings, are the columns of
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
#include "predict/forced_response.h"

#define LEAST_NOISE 1e-8 /* variance: below this, differences from what is smoothed are rounding */

/* What belongs to the output that was asked about last. */
typedef struct cached_output {
    int output;                 /* -1: none */
    lf_scaled_posterior smooth; /* of the answers by the private force; NULL: the output has no rows, or not yet made */
    int *first;                 /* (replicates) in `smooth`, the replicate of answer 0; -1: no rows */
    double **states;            /* (replicates) of lf_forced_response_states; NULL: not yet made */
} cached_output;

struct lf_sensitivity_uncertainty {
    lf_context *ctx;
    const lf_model *model;
    const lf_scaled_posterior *posterior;
    int replicates;
    const lf_replicate *rows;
    lf_force_path *paths; /* (replicates) count 0: not yet made */
    double **L;           /* (D) lower factor of C^-1 (Q, Q), column by column; NULL: not yet made */
    cached_output now;
};

int lf_sensitivity_uncertainty_applies(const lf_model *model)
{
    int applies = 0;
    for (int d = 0; d < model->output_count; d++) {
        applies = applies || (model->outputs[d].sensitivity_sd > 0 && model->force_count > 0);
    }
    return applies;
}

lf_status lf_sensitivity_uncertainty_create(lf_context *ctx, const lf_scaled_posterior *posterior, int replicates,
                                            const lf_replicate *rows, lf_sensitivity_uncertainty **uncertainty)
{
    const lf_model *model = posterior->model;
    lf_sensitivity_uncertainty *l = *uncertainty = calloc(1, sizeof *l);
    if (!l) {
        return lf_no_memory(ctx);
    }
    *l = (lf_sensitivity_uncertainty){.ctx = ctx,
                                      .model = model,
                                      .posterior = posterior,
                                      .replicates = replicates,
                                      .rows = rows,
                                      .paths = calloc((size_t)replicates, sizeof *l->paths),
                                      .L = calloc((size_t)model->output_count, sizeof *l->L),
                                      .now = {.output = -1,
                                              .first = calloc((size_t)replicates, sizeof *l->now.first),
                                              .states = calloc((size_t)replicates, sizeof *l->now.states)}};
    if (l->paths && l->L && l->now.first && l->now.states) {
        return LF_OK;
    }
    lf_sensitivity_uncertainty_free(l);
    *uncertainty = NULL;
    return lf_no_memory(ctx);
}

static void drop_states(lf_sensitivity_uncertainty *l, int replicate)
{
    free(l->now.states[replicate]);
    l->now.states[replicate] = NULL;
}

static void drop_cache(lf_sensitivity_uncertainty *l)
{
    for (int r = 0; l->now.states && r < l->replicates; r++) {
        drop_states(l, r);
    }
    lf_scaled_posterior_clear(&l->now.smooth);
    l->now.output = -1;
}

void lf_sensitivity_uncertainty_free(lf_sensitivity_uncertainty *l)
{
    if (!l) {
        return;
    }
    drop_cache(l);
    for (int r = 0; l->paths && r < l->replicates; r++) {
        lf_force_path_clear(&l->paths[r]);
    }
    for (int d = 0; l->L && d < l->model->output_count; d++) {
        free(l->L[d]);
    }
    free(l->paths);
    free(l->L);
    free(l->now.first);
    free(l->now.states);
    free(l);
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

/* The mean forces of a replicate up to a time, and the answers of the output to them. */
static lf_status reach(lf_sensitivity_uncertainty *l, int r, double time)
{
    lf_force_path *path = &l->paths[r];
    lf_status status = LF_OK;
    if (path->count == 0 || time > path->time[path->count - 1]) {
        drop_states(l, r);
        lf_force_path_clear(path);
        status = lf_force_path_create(l->ctx, l->posterior, r, &l->rows[r].points, time, path);
        if (status) {
            lf_force_path_clear(path);
        }
    }
    if (!status && !l->now.states[r]) {
        const lf_output *output = &l->model->outputs[l->now.output];
        l->now.states[r] = lf_doubles(path->count * (size_t)output->order, (size_t)l->model->force_count);
        status = l->now.states[r] ? LF_OK : lf_no_memory(l->ctx);
        if (!status) {
            lf_forced_response_states(output, path, l->now.states[r]);
        }
    }
    return status;
}

/* The answers (n, Q) of the output at inputs x, or their rates. */
static lf_status find_responses(lf_sensitivity_uncertainty *l, int r, size_t n, const double *x, const int *rate,
                                double *responses)
{
    const lf_output *output = &l->model->outputs[l->now.output];
    size_t Q = (size_t)l->model->force_count;
    double latest = x[0];
    for (size_t i = 1; i < n; i++) {
        latest = fmax(latest, x[i]);
    }
    lf_status status = reach(l, r, latest);
    for (size_t i = 0; !status && i < n; i++) {
        lf_forced_response_at(output, &l->paths[r], l->now.states[r], x[i], rate && rate[i], responses + i * Q);
    }
    return status;
}

/* Takes off the answers (n, Q) what the private force makes of those at the rows: what is left is g. */
static lf_status subtract_smoothed(lf_sensitivity_uncertainty *l, int r, size_t n, const double *x, const int *rate,
                                   double *responses)
{
    size_t Q = (size_t)l->model->force_count;
    if (!l->now.smooth.state || l->now.first[r] < 0) {
        return LF_OK;
    }
    int *target = calloc(n, sizeof *target);
    double *smoothed = lf_doubles(n, 1);
    lf_status status = target && smoothed ? LF_OK : lf_no_memory(l->ctx);
    for (size_t i = 0; !status && i < n; i++) {
        target[i] = rate && rate[i] ? 1 : 0; /* of one output and no force: the output, its rate */
    }
    for (size_t q = 0; !status && q < Q; q++) {
        status = lf_scaled_posterior_mean(l->ctx, &l->now.smooth, l->now.first[r] + (int)q, n, target, x, smoothed);
        for (size_t i = 0; !status && i < n; i++) {
            responses[i * Q + q] -= smoothed[i];
        }
    }
    free(target);
    free(smoothed);
    return status;
}

/* The answers at the rows of the output in one replicate, as data of a replicate for each force. */
static lf_status gather_responses(lf_sensitivity_uncertainty *l, int r, lf_data *data)
{
    const lf_output *output = &l->model->outputs[l->now.output];
    const lf_replicate *rows = &l->rows[r];
    size_t start, end, Q = (size_t)l->model->force_count;
    find_rows(rows, l->now.output, &start, &end);
    l->now.first[r] = -1;
    if (end == start) {
        return LF_OK;
    }
    l->now.first[r] = lf_data_replicate_count(data);
    double *responses = lf_doubles(end - start, Q);
    lf_status status =
        responses ? find_responses(l, r, end - start, rows->points.x + start, NULL, responses) : lf_no_memory(l->ctx);
    for (size_t q = 0; !status && q < Q; q++) {
        char name[40];
        snprintf(name, sizeof name, "%d.%zu", r, q);
        for (size_t i = start; !status && i < end; i++) {
            status = lf_data_add(l->ctx, data, output->name, name, &rows->points.x[i], responses[(i - start) * Q + q],
                                 sqrt(rows->variance[i]) / output->scale, NULL);
        }
    }
    free(responses);
    return status;
}

/* Turns to an output: its answers at its rows, smoothed by its private force. */
static lf_status load_output(lf_sensitivity_uncertainty *l, int d)
{
    if (l->now.output == d) {
        return LF_OK;
    }
    drop_cache(l);
    l->now.output = d;
    lf_data *data = NULL;
    lf_model *alone = NULL;
    lf_engine *engine = NULL;
    lf_engine_options options = {.size = sizeof options, .engine = "kalman"};
    lf_status status = lf_data_create(l->ctx, 1, &data);
    for (int r = 0; !status && r < l->replicates; r++) {
        status = gather_responses(l, r, data);
    }
    if (!status && lf_data_count(data)) {
        status = lf_model_alone(l->ctx, l->model, d, &alone);
        if (!status) {
            alone->outputs[0].noise_variance = fmax(alone->outputs[0].noise_variance, LEAST_NOISE);
            status = lf_engine_create(l->ctx, alone, data, &options, &engine);
        }
        status = status ? status : lf_scaled_posterior_create(engine, &l->now.smooth);
    }
    lf_engine_free(engine);
    lf_model_free(alone);
    lf_data_free(data);
    if (status) {
        drop_cache(l);
    }
    return status;
}

/* information (Q, Q) += H'K^-1 H of one replicate. */
static lf_status add_information(lf_sensitivity_uncertainty *l, int r, double *information)
{
    const lf_output *output = &l->model->outputs[l->now.output];
    const lf_replicate *rows = &l->rows[r];
    size_t start, end;
    find_rows(rows, l->now.output, &start, &end);
    int n = (int)(end - start), Q = l->model->force_count;
    if (n == 0) {
        return LF_OK;
    }
    const double *x = rows->points.x + start;
    double *H = lf_doubles((size_t)n, (size_t)Q), *excess = lf_doubles((size_t)n, (size_t)Q);
    lf_status status = H && excess ? find_responses(l, r, (size_t)n, x, NULL, H) : lf_no_memory(l->ctx);
    if (!status) {
        memcpy(excess, H, (size_t)n * (size_t)Q * sizeof *H);
        status = subtract_smoothed(l, r, (size_t)n, x, NULL, excess);
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
static lf_status find_factor(lf_sensitivity_uncertainty *l, double **factor)
{
    const lf_output *output = &l->model->outputs[l->now.output];
    int Q = l->model->force_count;
    double tau = output->sensitivity_sd, *L = lf_doubles((size_t)Q, (size_t)Q);
    lf_status status = L ? LF_OK : lf_no_memory(l->ctx);
    for (int r = 0; !status && r < l->replicates; r++) {
        status = add_information(l, r, L);
    }
    for (int i = 0; !status && i < Q; i++) {
        for (int j = 0; j < i; j++) {
            L[i * Q + j] = L[j * Q + i] = (L[i * Q + j] + L[j * Q + i]) / 2;
        }
        L[i * Q + i] += 1 / (tau * tau);
    }
    if (!status && LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', Q, L, Q)) {
        status =
            lf_fail(l->ctx, LF_ERROR_NUMERIC,
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

/* The points of one output, and of its rate. */
static lf_status add_output(lf_sensitivity_uncertainty *l, int d, int replicate, const lf_point_set *points, size_t n,
                            const size_t *which, const int *rate, double *variance, double *covariance)
{
    int Q = l->model->force_count;
    double *x = lf_doubles(n, 1), *excess = lf_doubles(n, (size_t)Q);
    lf_status status = x && excess ? LF_OK : lf_no_memory(l->ctx);
    for (size_t i = 0; !status && i < n; i++) {
        x[i] = points->x[which[i]];
    }
    status = status ? status : load_output(l, d);
    status = status || l->L[d] ? status : find_factor(l, &l->L[d]);
    status = status ? status : find_responses(l, replicate, n, x, rate, excess);
    status = status ? status : subtract_smoothed(l, replicate, n, x, rate, excess);
    if (!status) { /* the columns of excess, as LAPACK sees it, become L^-1 g */
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, Q, (int)n, 1, l->L[d], Q, excess,
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

lf_status lf_sensitivity_uncertainty_add(lf_sensitivity_uncertainty *l, int replicate, const lf_point_set *points,
                                         double *variance, double *covariance)
{
    size_t *which = calloc(points->n + 1, sizeof *which);
    int *rate = calloc(points->n + 1, sizeof *rate), threads = lf_threads_begin(1); /* many small problems */
    lf_status status = which && rate ? LF_OK : lf_no_memory(l->ctx);
    for (int d = 0; !status && d < l->model->output_count; d++) {
        size_t n = 0;
        for (int g = 0; l->model->outputs[d].sensitivity_sd > 0 && g < points->group_count; g++) {
            int is_rate = lf_target_is_rate(l->model, points->target[g]);
            for (size_t i = points->start[g];
                 lf_target_output(l->model, points->target[g]) == d && i < points->start[g + 1]; i++) {
                which[n] = i;
                rate[n++] = is_rate;
            }
        }
        status = n ? add_output(l, d, replicate, points, n, which, rate, variance, covariance) : LF_OK;
    }
    free(which);
    free(rate);
    lf_threads_end(threads);
    return status;
}
