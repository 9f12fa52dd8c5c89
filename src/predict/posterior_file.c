/* Posteriors in the model file. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "model/posterior_io.h"
#include "points/rows_file.h"
#include "predict/posterior.h"

/* The values of all parameters, and how inputs are standardised: a stored posterior belongs to a model with the same ones. */
static double *parameter_values(const lf_model *model, size_t *count)
{
    size_t n = model->parameter_count, p = model->inputs ? (size_t)model->input_dim : 0;
    double *values = lf_doubles(*count = n + 2 * p, 1);
    for (size_t i = 0; values && i < n; i++) {
        values[i] = *model->parameters[i].value;
    }
    for (size_t k = 0; values && k < p; k++) {
        values[n + 2 * k] = model->inputs[k].offset;
        values[n + 2 * k + 1] = model->inputs[k].scale;
    }
    return values;
}

/* Which rows they were, so that they are recognised when they are to be scored, and how far apart. */
static int save_facts(const lf_posterior *p, json_t *record)
{
    char hash[17];
    double first, last;
    int done = 1;
    if (lf_posterior_span(p, &first, &last)) {
        done = json_object_set_new(record, "span", json_pack("[ff]", first, last)) == 0;
    }
    if (done && p->count > 0) {
        snprintf(hash, sizeof hash, "%016" PRIx64, p->fingerprint);
        done = json_object_set_new(record, "training_rows",
                                   json_pack("{s:I,s:s}", "count", (json_int_t)p->count, "hash", hash)) == 0;
    }
    if (done && p->ends && p->replicates.count > 1) {
        done = lf_put_array(record, "ends", (size_t)p->replicates.count, p->ends);
    }
    if (done && isfinite(p->step)) {
        done = json_object_set_new(record, "step", json_real(p->step)) == 0;
    }
    return done;
}

/* Files written by hand or by older versions may not have them. */
static void load_facts(lf_posterior *p, const json_t *record)
{
    const json_t *span = json_object_get(record, "span"), *from = json_array_get(span, 0),
                 *to = json_array_get(span, 1), *rows = json_object_get(record, "training_rows"),
                 *step = json_object_get(record, "step");
    int known = json_is_number(from) && json_is_number(to) && json_number_value(from) <= json_number_value(to);
    p->first = known ? json_number_value(from) : (double)NAN;
    p->last = known ? json_number_value(to) : (double)NAN;
    json_int_t count = json_integer_value(json_object_get(rows, "count"));
    const char *hash = json_string_value(json_object_get(rows, "hash"));
    if (count > 0 && hash && sscanf(hash, "%16" SCNx64, &p->fingerprint) == 1) {
        p->count = (size_t)count;
    }
    p->step = json_number_value(step) > 0 ? json_number_value(step) : (double)NAN;
}

/* The last training input of each replicate. In a file of an older version only an engine that orders its rows by time knows it. */
static lf_status load_ends(lf_posterior *p, const json_t *record)
{
    size_t count = (size_t)p->replicates.count;
    int stored = json_object_get(record, "ends") != NULL;
    if (!stored && (count < 2 || isnan(lf_scaled_posterior_describe(&p->scaled, 0, 0, 0).end))) {
        return LF_OK;
    }
    p->ends = lf_doubles(count, 1);
    for (size_t r = 0; p->ends && !stored && r < count; r++) {
        p->ends[r] = lf_scaled_posterior_describe(&p->scaled, (int)r, 0, 0).end;
    }
    return !p->ends ? lf_no_memory(p->ctx) : stored ? lf_get_array(p->ctx, record, "ends", count, p->ends) : LF_OK;
}

/* Adds the rows to the record, if there are any. */
static int save_rows(const lf_posterior *p, json_t *record)
{
    json_t *list = p->rows ? json_array() : NULL;
    int done = !p->rows || json_object_set_new(record, "rows", list) == 0;
    for (int r = 0; done && p->rows && r < p->replicates.count; r++) {
        done = json_array_append_new(list, lf_replicate_save(&p->rows[r])) == 0;
    }
    return done;
}

/* A record without rows is one that was continued, or made before sensitivities could be uncertain. */
static lf_status load_rows(lf_posterior *p, const json_t *record)
{
    json_t *list;
    if (!lf_model_has_uncertain_sensitivities(p->scaled.model) || !json_object_get(record, "rows")) {
        return LF_OK;
    }
    lf_status status = lf_get_list(p->ctx, record, "rows", (size_t)p->replicates.count, &list);
    p->rows = status ? NULL : calloc((size_t)p->replicates.count, sizeof *p->rows);
    status = status || p->rows ? status : lf_no_memory(p->ctx);
    for (int r = 0; !status && r < p->replicates.count; r++) {
        status = lf_replicate_load(p->ctx, p->scaled.model, json_array_get(list, (size_t)r), &p->rows[r]);
    }
    return status;
}

/* Adds the readings of the known inputs, if the model has any: for each replicate and input a list of times and one of values. */
static int save_known(const lf_posterior *p, json_t *record)
{
    json_t *list = p->known ? json_array() : NULL;
    int done = !p->known || json_object_set_new(record, "inputs", list) == 0;
    for (int r = 0; done && p->known && r < p->replicates.count; r++) {
        json_t *replicate = json_object(), *inputs = NULL;
        done = json_array_append_new(list, replicate) == 0;
        inputs = done ? json_array() : NULL;
        done = done && json_object_set_new(replicate, "series", inputs) == 0;
        for (int i = 0; done && i < p->known[r].count; i++) {
            const lf_known_series *series = &p->known[r].series[i];
            json_t *input = json_object();
            done = json_array_append_new(inputs, input) == 0 && lf_put_number(input, "count", (double)series->n) &&
                   lf_put_array(input, "t", series->n, series->t) && lf_put_array(input, "v", series->n, series->v);
        }
    }
    return done;
}

static lf_status load_series(lf_context *ctx, const json_t *record, lf_known_series *series)
{
    size_t n = 0;
    lf_status status = lf_get_count(ctx, record, "count", 0, 1000000000, &n);
    LF_TRY(status, lf_check_array(ctx, record, "t", n));
    LF_TRY(status, lf_check_array(ctx, record, "v", n));
    if (status) {
        return status;
    }
    *series = (lf_known_series){.n = n, .room = n, .t = lf_doubles(n, 1), .v = lf_doubles(n, 1)};
    status = series->t && series->v ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, lf_get_array(ctx, record, "t", n, series->t));
    LF_TRY(status, lf_get_array(ctx, record, "v", n, series->v));
    for (size_t i = 1; !status && i < n; i++) {
        if (!(series->t[i] > series->t[i - 1])) {
            status = lf_fail(ctx, LF_ERROR_MODEL, "posterior: the times of an input are not in order");
        }
    }
    return status;
}

static lf_status load_known(lf_posterior *p, const json_t *record)
{
    json_t *list = NULL;
    size_t replicates = (size_t)p->replicates.count;
    int inputs = p->scaled.model->known_count;
    if (!lf_has_known_response(p->scaled.model)) {
        return LF_OK;
    }
    lf_status status = lf_get_list(p->ctx, record, "inputs", replicates, &list);
    p->known = status ? NULL : calloc(replicates + 1, sizeof *p->known);
    status = status || p->known ? status : lf_no_memory(p->ctx);
    for (size_t r = 0; !status && r < replicates; r++) {
        json_t *series = NULL;
        status = inputs ? lf_get_list(p->ctx, json_array_get(list, r), "series", (size_t)inputs, &series) : LF_OK;
        LF_TRY(status, lf_known_set_create(p->ctx, inputs, &p->known[r]));
        p->known[r].begun = 1;
        for (int i = 0; !status && i < inputs; i++) {
            status = load_series(p->ctx, json_array_get(series, (size_t)i), &p->known[r].series[i]);
        }
    }
    return status;
}

/* The rows of a fit are no longer those of the posterior: what the provenance says about them is about others. */
static int note_other_rows(const lf_posterior *posterior, const json_t *record, lf_model *model)
{
    const json_t *rows = json_object_get(record, "training_rows"),
                 *before = json_object_get(model->posterior, "training_rows");
    if (!json_object_get(model->provenance, "log_likelihood") || (rows && before && json_equal(rows, before))) {
        return 1;
    }
    json_t *provenance = json_copy(model->provenance); /* copies of the model share it */
    int done =
        json_object_size(provenance) >= json_object_size(model->provenance) &&
        json_object_set_new(provenance, "conditioned", json_pack("{s:I}", "rows", (json_int_t)posterior->count)) == 0;
    if (!done) {
        json_decref(provenance);
        return 0;
    }
    json_decref(model->provenance);
    model->provenance = provenance;
    return 1;
}

lf_status lf_posterior_store(lf_posterior *posterior, lf_model *model)
{
    lf_context *ctx = posterior->ctx;
    json_t *record = json_object(), *names = json_array();
    size_t count;
    double *values = parameter_values(posterior->scaled.model, &count);
    int done = record && names && values &&
               json_object_set_new(record, "engine", json_string(posterior->scaled.class->name)) == 0 &&
               lf_put_array(record, "parameters", count, values);
    free(values);
    for (int r = 0; done && r < posterior->replicates.count; r++) {
        done = json_array_append_new(names, json_string(posterior->replicates.name[r])) == 0;
    }
    done = json_object_set_new(record, "replicates", names) == 0 && done;
    done =
        done && save_facts(posterior, record) &&
        json_object_set_new(record, "state", posterior->scaled.class->posterior->save(posterior->scaled.state)) == 0 &&
        save_rows(posterior, record) && save_known(posterior, record);
    done = done && note_other_rows(posterior, record, model);
    if (!done) {
        json_decref(record);
        return lf_no_memory(ctx);
    }
    lf_model_drop_posterior(model);
    model->posterior = record;
    return LF_OK;
}

static lf_status check_parameters(lf_context *ctx, const lf_model *model)
{
    size_t n;
    double *now = parameter_values(model, &n), *then = lf_doubles(n, 1);
    lf_status status = now && then ? lf_get_array(ctx, model->posterior, "parameters", n, then) : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        if (now[i] != then[i]) {
            status =
                lf_fail(ctx, LF_ERROR_MODEL,
                        "posterior: it was made with %s = %.10g, which is now %.10g; store it again with "
                        "'latentforce condition'",
                        i < model->parameter_count ? model->parameters[i].name : "an offset or scale of its inputs",
                        then[i], now[i]);
        }
    }
    free(now);
    free(then);
    return status;
}

static lf_status read_names(lf_context *ctx, const json_t *list, lf_names *names)
{
    for (size_t r = 0; r < json_array_size(list); r++) {
        const char *name = json_string_value(json_array_get(list, r));
        if (!name || lf_names_find(names, name, strlen(name)) >= 0) {
            return lf_fail(ctx, LF_ERROR_MODEL,
                           "posterior: replicates[%zu] must be a text that differs from the others", r);
        }
        if (lf_names_add(names, name, strlen(name)) < 0) {
            return lf_no_memory(ctx);
        }
    }
    return names->count ? LF_OK : lf_fail(ctx, LF_ERROR_MODEL, "posterior: replicates must be a list of texts");
}

lf_status lf_posterior_restore(lf_context *ctx, const lf_model *model, lf_posterior **posterior)
{
    *posterior = NULL;
    if (!model) {
        return lf_missing(ctx, "model");
    }
    lf_work_begin(ctx);
    if (!model->posterior) {
        return lf_fail(ctx, LF_ERROR_MODEL, "the model holds no posterior");
    }
    const char *engine = json_string_value(json_object_get(model->posterior, "engine"));
    const json_t *state = json_object_get(model->posterior, "state");
    lf_posterior *p = calloc(1, sizeof *p);
    if (!p) {
        return lf_no_memory(ctx);
    }
    p->ctx = ctx;
    p->scaled.class = engine ? lf_engine_find(engine) : NULL;
    load_facts(p, model->posterior);
    lf_status status =
        p->scaled.class ? LF_OK
                        : lf_fail(ctx, LF_ERROR_MODEL, "posterior: engine '%s' is not one of this version",
                                  engine ? engine : "");
    if (!status && !json_is_object(state)) {
        status = lf_fail(ctx, LF_ERROR_MODEL, "posterior: state is missing or not an object");
    }
    LF_TRY(status, check_parameters(ctx, model));
    LF_TRY(status, lf_model_copy(ctx, model, &p->scaled.model));
    LF_TRY(status, read_names(ctx, json_object_get(model->posterior, "replicates"), &p->replicates));
    if (!status) {
        int before = lf_threads_begin(lf_threads(ctx));
        status = p->scaled.class->posterior->load(ctx, p->scaled.model, state, p->replicates.count, &p->scaled.state);
        lf_threads_end(before);
    }
    LF_TRY(status, load_ends(p, model->posterior));
    LF_TRY(status, load_rows(p, model->posterior));
    LF_TRY(status, load_known(p, model->posterior));
    if (status) {
        lf_posterior_free(p);
        return status;
    }
    *posterior = p;
    return LF_OK;
}
