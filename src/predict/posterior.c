/* The posterior handle: points by replicate in, means and (co)variances in the units of the data out. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "engine/scaled_posterior.h"
#include "model/posterior_io.h"
#include "points/rows_file.h"
#include "predict/gaussian_draw.h"
#include "predict/sensitivity_uncertainty.h"

struct lf_posterior {
    lf_context *ctx;
    lf_scaled_posterior scaled;
    lf_names replicates;
    double first, last; /* training input; NaN where it is not known */
    lf_replicate *rows; /* (replicates) where sensitivities are uncertain; NULL: not needed, or forgotten */
    lf_sensitivity_uncertainty *uncertainty; /* of these rows, made when it is first needed */
};

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

lf_status lf_engine_posterior(lf_engine *engine, lf_posterior **posterior)
{
    lf_context *ctx = engine->ctx;
    lf_posterior *p = calloc(1, sizeof *p);
    *posterior = NULL;
    if (!p) {
        return lf_no_memory(ctx);
    }
    p->ctx = ctx;
    p->first = engine->rows.earliest;
    p->last = engine->rows.latest;
    lf_status status = lf_scaled_posterior_create(engine, &p->scaled);
    for (int r = 0; !status && r < engine->rows.count; r++) {
        const char *name = engine->rows.names.name[r];
        status = lf_names_add(&p->replicates, name, strlen(name)) < 0 ? lf_no_memory(ctx) : LF_OK;
    }
    if (!status && lf_sensitivity_uncertainty_applies(p->scaled.model)) {
        status = copy_rows(p, &engine->rows);
    }
    if (status) {
        lf_posterior_free(p);
        return status;
    }
    *posterior = p;
    return LF_OK;
}

void lf_posterior_free(lf_posterior *posterior)
{
    if (!posterior) {
        return;
    }
    drop_rows(posterior);
    lf_names_clear(&posterior->replicates);
    lf_scaled_posterior_clear(&posterior->scaled);
    free(posterior);
}

/* The values of all parameters, and how inputs are standardised: by these a stored posterior knows its model. */
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
    if (!lf_sensitivity_uncertainty_applies(p->scaled.model) || !json_object_get(record, "rows")) {
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
    done = record && json_object_set_new(record, "replicates", names) == 0 && done;
    double first, last;
    if (done && lf_posterior_span(posterior, &first, &last)) {
        done = json_object_set_new(record, "span", json_pack("[ff]", first, last)) == 0;
    }
    done =
        done &&
        json_object_set_new(record, "state", posterior->scaled.class->posterior_save(posterior->scaled.state)) == 0 &&
        save_rows(posterior, record);
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
                        "posterior: it was made with %s = %.10g, which is now %.10g; store it anew with 'latentforce "
                        "condition'",
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
            return lf_fail(ctx, LF_ERROR_MODEL, "posterior: replicates[%zu] must be a text of its own", r);
        }
        if (lf_names_add(names, name, strlen(name)) < 0) {
            return lf_no_memory(ctx);
        }
    }
    return names->count ? LF_OK : lf_fail(ctx, LF_ERROR_MODEL, "posterior: replicates must be a list of texts");
}

/* Files written by hand or by older versions may say nothing of it. */
static void read_span(const json_t *record, double *first, double *last)
{
    const json_t *span = json_object_get(record, "span"), *from = json_array_get(span, 0),
                 *to = json_array_get(span, 1);
    int known = json_is_number(from) && json_is_number(to);
    *first = known ? json_number_value(from) : (double)NAN;
    *last = known ? json_number_value(to) : (double)NAN;
}

lf_status lf_posterior_restore(lf_context *ctx, const lf_model *model, lf_posterior **posterior)
{
    *posterior = NULL;
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
    read_span(model->posterior, &p->first, &p->last);
    lf_status status =
        p->scaled.class ? LF_OK
                        : lf_fail(ctx, LF_ERROR_MODEL, "posterior: engine '%s' is not one of this version",
                                  engine ? engine : "");
    if (!status && !json_is_object(state)) {
        status = lf_fail(ctx, LF_ERROR_MODEL, "posterior: state is missing or not an object");
    }
    status = status ? status : check_parameters(ctx, model);
    status = status ? status : lf_model_copy(ctx, model, &p->scaled.model);
    status = status ? status : read_names(ctx, json_object_get(model->posterior, "replicates"), &p->replicates);
    status = status
                 ? status
                 : p->scaled.class->posterior_load(ctx, p->scaled.model, state, p->replicates.count, &p->scaled.state);
    status = status ? status : load_rows(p, model->posterior);
    if (status) {
        lf_posterior_free(p);
        return status;
    }
    *posterior = p;
    return LF_OK;
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

lf_status lf_posterior_update(lf_posterior *posterior, const lf_data *data)
{
    lf_context *ctx = posterior->ctx;
    lf_rows rows;
    if (!posterior->scaled.class->posterior_update) {
        return lf_fail(
            ctx, LF_ERROR_UNSUPPORTED,
            "a posterior of the %s engine cannot be continued with newer rows, only one of the kalman engine; "
            "condition the model with it, or on all rows",
            posterior->scaled.class->name);
    }
    lf_status status = lf_rows_create(ctx, posterior->scaled.model, data, &rows);
    if (status) {
        return status;
    }
    int *replicate = calloc((size_t)rows.count + 1, sizeof *replicate);
    status = replicate ? match_replicates(ctx, &posterior->replicates, &rows, replicate) : lf_no_memory(ctx);
    status =
        status ? status : posterior->scaled.class->posterior_update(ctx, posterior->scaled.state, &rows, replicate);
    if (!status) {
        /* What it has forgotten it can no longer be asked about. */
        double from, to;
        drop_rows(posterior);
        posterior->scaled.class->posterior_range(posterior->scaled.state, &from, &to);
        posterior->first = fmax(posterior->first, from);
        posterior->last = fmax(posterior->last, rows.latest);
    }
    free(replicate);
    lf_rows_clear(&rows);
    return status;
}

void lf_posterior_range(const lf_posterior *posterior, double *from, double *to)
{
    posterior->scaled.class->posterior_range(posterior->scaled.state, from, to);
}

int lf_posterior_span(const lf_posterior *posterior, double *first, double *last)
{
    *first = posterior->first;
    *last = posterior->last;
    return !isnan(posterior->first) && !isnan(posterior->last);
}

const char *lf_posterior_engine(const lf_posterior *posterior) { return posterior->scaled.class->name; }

int lf_posterior_replicate_count(const lf_posterior *posterior) { return posterior->replicates.count; }

const char *lf_posterior_replicate_name(const lf_posterior *posterior, int replicate)
{
    return posterior->replicates.name[replicate];
}

/* Factor and shift from the scaled model to the units of the data. */
static void units(const lf_model *model, int target, double *scale, double *offset)
{
    int output = lf_target_output(model, target);
    *scale = output >= 0 ? model->outputs[output].scale : 1;
    *offset = output >= 0 && !lf_target_is_rate(model, target) ? model->outputs[output].offset : 0;
}

/* Predicts the points of one replicate, in the order of `rows`, and puts them in place in the caller's arrays. */
static lf_status predict_replicate(lf_posterior *p, const lf_points *points, int replicate, size_t count,
                                   const size_t *rows, double *mean, double *variance, double *covariance)
{
    lf_context *ctx = p->ctx;
    lf_point_set set;
    lf_status status = lf_point_set_create(ctx, p->scaled.model, points, count, rows, &set);
    if (status) {
        return status;
    }
    double *m = lf_doubles(count, 1), *v = lf_doubles(count, 1);
    double *c = covariance ? lf_doubles(count, count) : NULL;
    status = m && v && (c || !covariance) ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        status =
            p->scaled.class->predict(ctx, p->scaled.state, p->scaled.model, replicate, &set, m, variance ? v : NULL, c);
    }
    if (!status && p->rows && (variance || covariance)) {
        status = p->uncertainty ? LF_OK
                                : lf_sensitivity_uncertainty_create(ctx, &p->scaled, p->replicates.count, p->rows,
                                                                    &p->uncertainty);
        status =
            status ? status : lf_sensitivity_uncertainty_add(p->uncertainty, replicate, &set, variance ? v : NULL, c);
    }
    for (size_t i = 0; !status && i < count; i++) {
        double scale, offset;
        units(p->scaled.model, points->target[set.order[i]], &scale, &offset);
        mean[set.order[i]] = offset + scale * m[i];
        if (variance) {
            variance[set.order[i]] = scale * scale * v[i];
        }
        for (size_t j = 0; covariance && j < count; j++) {
            double other, unused;
            units(p->scaled.model, points->target[set.order[j]], &other, &unused);
            covariance[set.order[i] * points->n + set.order[j]] = scale * other * c[i * count + j];
        }
    }
    free(m);
    free(v);
    free(c);
    lf_point_set_clear(&set);
    return status;
}

static lf_status predict(lf_posterior *p, const lf_points *points, double *mean, double *variance, double *covariance)
{
    size_t *rows = calloc(points->n + 1, sizeof *rows);
    if (!rows) {
        return lf_no_memory(p->ctx);
    }
    if (covariance) {
        memset(covariance, 0, points->n * points->n * sizeof *covariance);
    }
    lf_status status = LF_OK;
    for (size_t i = 0; points->replicate && !status && i < points->n; i++) {
        if (points->replicate[i] < 0 || points->replicate[i] >= p->replicates.count) {
            status = lf_fail(p->ctx, LF_ERROR_ARGUMENT, "point %zu: replicate %d is not one of the %d in the data", i,
                             points->replicate[i], p->replicates.count);
        }
    }
    for (int r = 0; !status && r < p->replicates.count; r++) {
        size_t count = 0;
        for (size_t i = 0; i < points->n; i++) {
            if ((points->replicate ? points->replicate[i] : 0) == r) {
                rows[count++] = i;
            }
        }
        if (count) {
            status = predict_replicate(p, points, r, count, rows, mean, variance, covariance);
        }
    }
    free(rows);
    return status;
}

lf_status lf_predict(lf_posterior *p, const lf_points *points, double *mean, double *variance, double *covariance)
{
    int before = lf_threads_begin(lf_threads(p->ctx));
    lf_status status = predict(p, points, mean, variance, covariance);
    lf_threads_end(before);
    return status;
}

lf_status lf_sample(lf_posterior *p, const lf_points *points, size_t count, double *samples)
{
    double *mean = lf_doubles(points->n, 1), *covariance = lf_doubles(points->n, points->n);
    int before = lf_threads_begin(lf_threads(p->ctx));
    lf_status status = mean && covariance ? predict(p, points, mean, NULL, covariance) : lf_no_memory(p->ctx);
    status = status ? status : lf_gaussian_draw(p->ctx, points->n, mean, covariance, count, samples);
    lf_threads_end(before);
    free(mean);
    free(covariance);
    return status;
}
