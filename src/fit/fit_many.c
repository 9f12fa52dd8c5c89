/* lf_fit_many: the rows of each replicate fitted alone, side by side, each fit on one thread.
 *
 * Fits run in rounds of a few for each thread, so that few models wait to be handed out in the order of the replicates. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/parallel.h"
#include "base/workers.h"
#include "data/data.h"
#include "options/options.h"

enum { FITS_OF_A_THREAD = 16 }; /* in a round: threads wait for each other at its end */

/* The fit of one replicate. */
typedef struct slot {
    lf_status status;
    char message[LF_MESSAGE_SIZE];
    double seconds;
    lf_data *data;
    lf_model *model;
    lf_fit_result *result;
} slot;

typedef struct many {
    lf_context *ctx;
    const lf_data *data;
    lf_options options; /* of each fit: it has no threads and no limit of memory of its own */
    lf_monitor monitor;
    size_t *row;         /* (rows) sorted by replicate */
    size_t *first;       /* (replicates + 1) in `row` */
    size_t count, begin; /* replicates; the first of the round */
    size_t ended;        /* fits; guarded by the monitor */
    double began;        /* by the clock */
    slot *slots;         /* of the round */
} many;

static void clear(slot *s)
{
    lf_fit_result_free(s->result);
    lf_model_free(s->model);
    lf_data_free(s->data);
    *s = (slot){0};
}

/* The rows of each replicate, in their order. */
static lf_status sort_rows(many *m)
{
    const lf_data *data = m->data;
    m->row = calloc(data->n + 1, sizeof *m->row);
    m->first = calloc(m->count + 2, sizeof *m->first);
    if (!m->row || !m->first) {
        return lf_no_memory(m->ctx);
    }
    for (size_t i = 0; i < data->n; i++) {
        if (data->replicate[i] < 0) {
            return lf_fail(m->ctx, LF_ERROR_DATA, "row %zu names no replicate, and others do", i);
        }
        m->first[data->replicate[i] + 2]++;
    }
    for (size_t r = 2; r <= m->count; r++) {
        m->first[r] += m->first[r - 1];
    }
    for (size_t i = 0; i < data->n; i++) {
        m->row[m->first[data->replicate[i] + 1]++] = i;
    }
    return LF_OK;
}

/* The progress of one fit as that of all; whether they are to stop. */
static int pass_on(void *user, const lf_progress *at)
{
    many *m = user;
    lf_progress passed = *at;
    lf_monitor_lock(&m->monitor);
    size_t ended = m->ended;
    lf_monitor_unlock(&m->monitor);
    passed.stage = "series";
    passed.item = ended;
    passed.items = m->count;
    passed.seconds = omp_get_wtime() - m->began;
    passed.remaining = ended ? passed.seconds / (double)ended * (double)(m->count - ended) : 0;
    return lf_monitor_pass_on(&m->monitor, &passed);
}

static void fit_alone(void *user, lf_context *worker, size_t r)
{
    many *m = user;
    slot *s = &m->slots[r - m->begin];
    double began = omp_get_wtime();
    worker->spell = m->ctx->spell;
    worker->progress = pass_on;
    worker->progress_user = m;
    lf_status status = lf_monitor_stopped(&m->monitor) ? LF_ERROR_CANCELLED : LF_OK;
    LF_TRY(status, lf_data_take_alone(worker, m->data, m->first[r + 1] - m->first[r], m->row + m->first[r], &s->data));
    LF_TRY(status, lf_fit(worker, s->data, &m->options, &s->model, &s->result));
    s->status = !status && s->result->cancelled ? LF_ERROR_CANCELLED : status;
    s->seconds = omp_get_wtime() - began;
    if (status) {
        snprintf(s->message, sizeof s->message, "%s", worker->message);
    }
    lf_monitor_lock(&m->monitor);
    m->ended++;
    lf_monitor_unlock(&m->monitor);
}

/* Hands the fits of a round out in their order, up to the first that was stopped. */
static lf_status hand_out(const many *m, size_t end, lf_fitted_function take, void *user)
{
    for (size_t r = m->begin; r < end; r++) {
        const slot *s = &m->slots[r - m->begin];
        const lf_fitted fitted = {.size = sizeof fitted,
                                  .name = m->data->replicates.name[r],
                                  .item = r,
                                  .items = m->count,
                                  .status = s->status,
                                  .message = s->message,
                                  .seconds = s->seconds,
                                  .data = s->data,
                                  .model = s->model,
                                  .result = s->result};
        if (s->status == LF_ERROR_CANCELLED || take(user, &fitted)) {
            return lf_fail(m->ctx, LF_ERROR_CANCELLED, "stopped after the fits of %zu of %zu values",
                           r + (s->status != LF_ERROR_CANCELLED), m->count);
        }
    }
    return LF_OK;
}

static lf_status run_rounds(many *m, lf_fitted_function take, void *user)
{
    size_t size = FITS_OF_A_THREAD * (size_t)lf_threads(m->ctx);
    lf_status status = LF_OK;
    m->slots = calloc(size, sizeof *m->slots);
    if (!m->slots) {
        return lf_no_memory(m->ctx);
    }
    for (; !status && m->begin < m->count; m->begin += size) {
        size_t end = m->count - m->begin < size ? m->count : m->begin + size;
        status = lf_workers_run(m->ctx, &m->monitor, 0, m->begin, end, fit_alone, m);
        LF_TRY(status, hand_out(m, end, take, user));
        for (size_t i = 0; i < size; i++) {
            clear(&m->slots[i]);
        }
    }
    free(m->slots);
    return status;
}

/* What is one thing for all replicates. */
static lf_status check(lf_context *ctx, const lf_data *data, const lf_options *options)
{
    if (lf_data_is_shared(data)) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "fits of single values need one process");
    }
    if (data->replicates.count == 0) {
        return lf_fail(ctx, LF_ERROR_DATA, "the rows name no replicates, of which each would be fitted alone");
    }
    if (options && options->checkpoint) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "one file cannot be the checkpoint of several fits. Leave out "
                       "--checkpoint");
    }
    lf_status status = lf_options_are(ctx, options, "fit");
    LF_TRY(status, options ? lf_options_check(ctx, options) : LF_OK);
    return status;
}

lf_status lf_fit_many(lf_context *ctx, const lf_data *data, const lf_options *options, lf_fitted_function take,
                      void *user)
{
    static const lf_options defaults = {.engine = {.size = sizeof(lf_engine_options)}};
    if (!data || !take) {
        return lf_missing(ctx, data ? "function" : "table");
    }
    many m = {.ctx = ctx,
              .data = data,
              .options = options ? *options : defaults,
              .count = (size_t)data->replicates.count,
              .began = omp_get_wtime()};
    int threads = ctx->threads;
    double memory = ctx->memory;
    lf_status status = check(ctx, data, options);
    LF_TRY(status, m.options.memory ? lf_context_set_memory(ctx, m.options.memory) : LF_OK);
    LF_TRY(status, lf_monitor_create(ctx, ctx->progress, ctx->progress_user, &m.monitor));
    if (!status) {
        if (m.options.threads) {
            lf_context_set_threads(ctx, m.options.threads);
        }
        m.options.threads = 0;
        m.options.memory = NULL;
        status = sort_rows(&m);
        LF_TRY(status, run_rounds(&m, take, user));
        lf_monitor_clear(&m.monitor);
    }
    ctx->threads = threads;
    ctx->memory = options && options->memory ? memory : ctx->memory;
    free(m.row);
    free(m.first);
    return status;
}
