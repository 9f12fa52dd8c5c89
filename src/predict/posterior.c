/* The posterior handle: made by an engine, continued with newer rows, described. */
#include "predict/posterior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/parallel.h"
#include "base/processes.h"
#include "engine/engine.h"

static void drop_rows(lf_posterior *p)
{
    lf_sensitivity_uncertainty_free(p->uncertainty);
    for (int r = 0; p->rows && r < p->replicates.count; r++) {
        lf_replicate_clear(&p->rows[r]);
    }
    free(p->rows);
    p->rows = NULL;
    p->uncertainty = NULL;
}

static lf_status copy_rows(lf_posterior *p, const lf_rows *rows)
{
    p->rows = calloc((size_t)rows->count, sizeof *p->rows);
    lf_status status = p->rows ? LF_OK : lf_no_memory(p->ctx);
    for (int r = 0; !status && r < rows->count; r++) {
        status = lf_replicate_copy(p->ctx, p->scaled.model, &rows->replicates[r], &p->rows[r]);
    }
    return status;
}

/* Copies of the readings of the known inputs. */
static lf_status copy_known(lf_posterior *p, const lf_rows *rows)
{
    int inputs = p->scaled.model->known_count;
    p->known = calloc((size_t)rows->count, sizeof *p->known);
    lf_status status = p->known ? LF_OK : lf_no_memory(p->ctx);
    for (int r = 0; !status && r < rows->count; r++) {
        status = lf_known_set_create(p->ctx, inputs, &p->known[r]);
        LF_TRY(status, lf_known_set_merge(p->ctx, &rows->replicates[r].known, &p->known[r]));
        p->known[r].begun = 1;
    }
    return status;
}

/* The rows one by one, so that they are recognised when they are to be scored. */
static lf_status add_hashes(lf_posterior *p, const lf_rows *rows)
{
    uint64_t *grown = realloc(p->hashes, (p->hash_count + rows->hash_count + 1) * sizeof *grown);
    if (!grown) {
        return lf_no_memory(p->ctx);
    }
    memcpy(grown + p->hash_count, rows->hashes, rows->hash_count * sizeof *grown);
    p->hashes = grown;
    p->hash_count += rows->hash_count;
    return LF_OK;
}

/* A note tells of lost digits. That they cannot be estimated is no error. */
static void note_rounding(lf_engine *engine)
{
    lf_context *ctx = engine->ctx;
    char message[sizeof ctx->message];
    double rounding;
    memcpy(message, ctx->message, sizeof message);
    if ((ctx->log || lf_process_count(ctx) > 1) && lf_engine_rounding(engine, &rounding) != LF_OK) {
        memcpy(ctx->message, message, sizeof message);
    }
}

/* Of an engine that has some of the rows, where a posterior needs all of them: each process makes the whole. */
static lf_status posterior_of_all(lf_engine *engine, lf_posterior **posterior)
{
    lf_data *all = NULL;
    lf_engine *whole = NULL;
    lf_engine_options options = engine->options;
    options.engine = engine->class->name;
    lf_status status = lf_rows_gather(engine->ctx, &engine->rows, &all);
    LF_TRY(status, lf_engine_create(engine->ctx, engine->model, all, &options, &whole));
    LF_TRY(status, lf_engine_posterior(whole, posterior));
    lf_engine_free(whole);
    lf_data_free(all);
    return lf_agree(engine->ctx, status);
}

lf_status lf_engine_posterior(lf_engine *engine, lf_posterior **posterior)
{
    lf_context *ctx = engine->ctx;
    *posterior = NULL;
    if (engine->rows.source) {
        return posterior_of_all(engine, posterior);
    }
    lf_status beyond =
        lf_check_memory(ctx, lf_engine_memory(engine) - engine->memory.work + engine->memory.posterior,
                        "take fewer rows, or another engine", "the posterior of the %s engine", engine->class->name);
    if (beyond) {
        return beyond;
    }
    lf_posterior *p = calloc(1, sizeof *p);
    if (!p) {
        return lf_no_memory(ctx);
    }
    p->ctx = ctx;
    p->first = engine->rows.earliest;
    p->last = engine->rows.latest;
    p->count = engine->rows.n;
    p->fingerprint = engine->rows.fingerprint;
    p->step = engine->rows.step;
    p->shared = engine->rows.shared;
    p->columns = lf_engine_describe(engine).columns;
    p->ends = lf_doubles((size_t)engine->rows.count, 1);
    lf_status status = p->ends ? lf_scaled_posterior_create(engine, NULL, &p->scaled) : lf_no_memory(ctx);
    LF_TRY(status, add_hashes(p, &engine->rows));
    for (int r = 0; !status && r < engine->rows.count; r++) {
        const char *name = engine->rows.names.name[r];
        p->ends[r] = engine->rows.replicates[r].latest;
        status = lf_names_add(&p->replicates, name, strlen(name)) < 0 ? lf_no_memory(ctx) : LF_OK;
    }
    if (!status && lf_has_known_response(p->scaled.model)) {
        status = copy_known(p, &engine->rows);
    }
    if (!status && engine->sites && lf_model_has_uncertain_sensitivities(p->scaled.model)) {
        status = lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                         "uncertain sensitivities (sensitivity_sd) and readings that are not Gaussian (likelihood) do "
                         "not go together; set sensitivity_sd to 0");
    }
    if (!status && engine->rows.averages && lf_model_has_uncertain_sensitivities(p->scaled.model)) {
        status =
            lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                    "uncertain sensitivities (sensitivity_sd) and readings that are means over an interval (width) "
                    "do not go together; set sensitivity_sd to 0");
    }
    if (!status && lf_model_has_uncertain_sensitivities(p->scaled.model)) {
        status = copy_rows(p, &engine->rows);
    }
    status = engine->rows.shared ? lf_agree(ctx, status) : status;
    if (status) {
        lf_posterior_free(p);
        return status;
    }
    note_rounding(engine);
    *posterior = p;
    return LF_OK;
}

void lf_posterior_free(lf_posterior *posterior)
{
    if (!posterior) {
        return;
    }
    drop_rows(posterior);
    for (int r = 0; posterior->known && r < posterior->replicates.count; r++) {
        lf_known_set_clear(&posterior->known[r]);
    }
    free(posterior->known);
    free(posterior->ends);
    free(posterior->hashes);
    lf_names_clear(&posterior->replicates);
    lf_scaled_posterior_clear(&posterior->scaled);
    free(posterior);
}

/* For each replicate of the rows its place in the posterior. */
static lf_status match_replicates(lf_context *ctx, const lf_names *known, const lf_rows *rows, int *replicate)
{
    for (int r = 0; r < rows->count; r++) {
        const char *name = rows->names.name[r];
        replicate[r] = lf_names_find(known, name, strlen(name));
        if (replicate[r] < 0) {
            return lf_fail(ctx, LF_ERROR_DATA, "replicate '%s' is not one of the %d in the posterior", name,
                           known->count);
        }
    }
    return LF_OK;
}

/* Readings up to the last row that are not those with which the posterior was computed. */
static void note_difference(const lf_posterior *p, int replicate, const lf_known_set *older, const lf_known_set *newer)
{
    const lf_model *model = p->scaled.model;
    double end = lf_scaled_posterior_describe(&p->scaled, replicate, 0, 0).end;
    end = isnan(end) ? p->last : end;
    int input = 0;
    double first = lf_known_set_difference(model, older, newer, end, &input);
    if (!isnan(first)) {
        char at[LF_TIMESTAMP_SIZE], last[LF_TIMESTAMP_SIZE];
        lf_model_format_input(model, 0, first, sizeof at, at);
        lf_model_format_input(model, 0, end, sizeof last, last);
        lf_warn(p->ctx,
                "the new readings of '%s' differ from those of the data before the last row at %s, first at %s; "
                "forces and start were estimated with the old ones: correct the data, and condition the model on them",
                model->known[input].name, last, at);
    }
}

/* Gives newer rows all readings of the known inputs, older ones included, and their means. */
static lf_status add_known(lf_posterior *p, lf_rows *rows, const int *replicate)
{
    lf_status status = LF_OK;
    for (int r = 0; p->known && !status && r < rows->count; r++) {
        lf_known_set all = {0}, *newer = &rows->replicates[r].known;
        status = lf_known_set_create(p->ctx, newer->count, &all);
        LF_TRY(status, lf_known_set_merge(p->ctx, &p->known[replicate[r]], &all));
        all.begun = 1;
        LF_TRY(status, lf_known_set_merge(p->ctx, newer, &all));
        lf_known_set_clear(newer);
        *newer = all;
        if (!status) {
            note_difference(p, replicate[r], &p->known[replicate[r]], newer);
        }
        LF_TRY(status, lf_known_response_of_rows(p->ctx, p->scaled.model, &rows->replicates[r]));
    }
    return status;
}

/* Keeps the readings that add_known gathered. */
static void keep_known(lf_posterior *p, lf_rows *rows, const int *replicate)
{
    for (int r = 0; p->known && r < rows->count; r++) {
        lf_known_set older = p->known[replicate[r]];
        p->known[replicate[r]] = rows->replicates[r].known;
        rows->replicates[r].known = older;
    }
}

/* Readings of the known inputs. */
static lf_status add_inputs(lf_posterior *posterior, const lf_data *data)
{
    lf_status status = LF_OK;
    for (int r = 0; posterior->known && !status && r < posterior->replicates.count; r++) {
        lf_known_set older = {0};
        status = lf_known_set_create(posterior->ctx, posterior->known[r].count, &older);
        LF_TRY(status, lf_known_set_merge(posterior->ctx, &posterior->known[r], &older));
        if (status) {
            lf_known_set_clear(&older);
            break;
        }
        status = lf_known_set_read(posterior->ctx, posterior->scaled.model, data, -1, &posterior->known[r]);
        for (int k = 0; !status && k < (int)lf_data_count(data, LF_KIND_REPLICATE); k++) {
            if (strcmp(lf_data_name(data, LF_KIND_REPLICATE, (size_t)k), posterior->replicates.name[r]) == 0) {
                status = lf_known_set_read(posterior->ctx, posterior->scaled.model, data, k, &posterior->known[r]);
            }
        }
        if (!status) {
            note_difference(posterior, r, &older, &posterior->known[r]);
        }
        lf_known_set_clear(&older);
    }
    return status;
}

/* Newer rows, from the state of the filter. */
static lf_status continue_with(lf_posterior *posterior, const lf_data *data)
{
    lf_context *ctx = posterior->ctx;
    lf_rows rows;
    lf_work_begin(ctx);
    if (!posterior->scaled.class->posterior->update) {
        return lf_fail(
            ctx, LF_ERROR_UNSUPPORTED,
            "a posterior of the %s engine cannot be continued with newer rows, only one of the kalman engine; "
            "condition the model with it, or on all rows",
            posterior->scaled.class->name);
    }
    if (lf_model_has_likelihoods(posterior->scaled.model)) {
        return lf_fail(
            ctx, LF_ERROR_UNSUPPORTED,
            "a posterior of readings that are not Gaussian (likelihood) cannot be continued with newer rows; "
            "condition the model on all rows");
    }
    lf_status status = lf_rows_create(ctx, posterior->scaled.model, data, &rows);
    if (status) {
        return status;
    }
    int *replicate = calloc((size_t)rows.count + 1, sizeof *replicate);
    status = replicate ? match_replicates(ctx, &posterior->replicates, &rows, replicate) : lf_no_memory(ctx);
    LF_TRY(status, add_known(posterior, &rows, replicate));
    size_t hashes = posterior->hash_count; /* 0 of one that was restored */
    LF_TRY(status, hashes ? add_hashes(posterior, &rows) : LF_OK);
    if (!status) {
        int before = lf_threads_begin(lf_threads(ctx));
        status = posterior->scaled.class->posterior->update(ctx, posterior->scaled.state, &rows, replicate);
        lf_threads_end(before);
    }
    if (!status) {
        /* What it has forgotten it can no longer be asked about. */
        keep_known(posterior, &rows, replicate);
        drop_rows(posterior);
        posterior->first = fmax(posterior->first, lf_scaled_posterior_describe(&posterior->scaled, 0, 0, 0).from);
        posterior->last = fmax(posterior->last, rows.latest);
        for (int r = 0; posterior->ends && r < rows.count; r++) {
            double *end = &posterior->ends[replicate[r]];
            *end = fmax(*end, rows.replicates[r].latest);
        }
        posterior->count += posterior->count ? rows.n : 0;
        posterior->fingerprint += rows.fingerprint;
    }
    posterior->hash_count = status ? hashes : posterior->hash_count;
    free(replicate);
    lf_rows_clear(&rows);
    return status;
}

/* The rows that a fit may see or, where none of these is a row of an output of a model with known inputs, the readings. */
static lf_status take_any(lf_posterior *posterior, const lf_data *data)
{
    const lf_model *model = posterior->scaled.model;
    lf_data *rows = NULL;
    lf_data_info info = {.size = sizeof info};
    lf_status status = lf_data_select(posterior->ctx, data, model, "train", &rows);
    LF_TRY(status, lf_data_info_get(posterior->ctx, rows, model, &info));
    if (!status && info.rows == 0 && model->known_count > 0) {
        status = add_inputs(posterior, data);
    } else if (!status && info.empty) {
        status = lf_fail(posterior->ctx, LF_ERROR_DATA, "%s", info.empty);
    } else {
        LF_TRY(status, continue_with(posterior, rows));
    }
    lf_data_free(rows);
    return status;
}

lf_status lf_posterior_update(lf_context *ctx, lf_posterior *posterior, const lf_data *data, const char *what)
{
    lf_context *own = posterior->ctx;
    posterior->ctx = ctx; /* which gives threads and memory, and takes the message */
    lf_status status = !what                       ? take_any(posterior, data)
                       : strcmp(what, "rows") == 0 ? continue_with(posterior, data)
                       : strcmp(what, "inputs") == 0
                           ? add_inputs(posterior, data)
                           : lf_fail(ctx, LF_ERROR_ARGUMENT, "a posterior is given rows or inputs, not '%s'", what);
    posterior->ctx = own;
    return status;
}
