/* Points of a request: the targets and replicates that are asked for, each at every input, unless the inputs name theirs. */
#include "predict/request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "data/data.h"
#include "model/model.h"
#include "points/asked_points.h"
#include "predict/posterior.h"

/* ---- targets ---- */

static lf_kind kind_of(const char *targets)
{
    return !targets                         ? LF_KIND_OUTPUT
           : strcmp(targets, "rates") == 0  ? LF_KIND_RATE
           : strcmp(targets, "forces") == 0 ? LF_KIND_FORCE
           : strcmp(targets, "states") == 0 ? LF_KIND_STATE
                                            : LF_KIND_OUTPUT;
}

static lf_status no_forces(lf_context *ctx, const lf_model *model)
{
    const char *why = model->force_count > 0
                          ? ": a white force has no value at an instant; predict the outputs that it drives, or fit "
                            "with --force-kernel matern12"
                      : lf_model_white_count(model) > 0
                          ? ": a white force has no value at an instant; predict the states that it drives"
                          : "";
    return lf_fail(ctx, LF_ERROR_MODEL, "the model has no forces to predict%s", why);
}

lf_status lf_request_unknown_output(const lf_request *r, lf_status status, const char *name)
{
    char known[256] = "";
    for (int d = 0; d < r->model->output_count && strlen(known) < sizeof known - 4; d++) {
        size_t length = strlen(known);
        lf_print(known + length, sizeof known - length, "%s%s", d ? ", " : "", r->model->outputs[d].name);
    }
    return lf_fail(r->ctx, status, "the output '%s' is not in the model; its outputs are %s", name, known);
}

/* Adds the outputs of these names, or their rates. */
static lf_status add_named(lf_request *r, const lf_option_list *names, int first)
{
    for (size_t i = 0; i < names->count; i++) {
        int output = lf_model_find_output(r->model, names->item[i]);
        if (output < 0) {
            return lf_request_unknown_output(r, LF_ERROR_ARGUMENT, names->item[i]);
        }
        r->target[r->target_count++] = first + output;
    }
    return LF_OK;
}

static lf_status choose_targets(lf_request *r)
{
    const lf_model *model = r->model;
    const lf_option_list *names = &r->options->outputs;
    int outputs = model->output_count, forces = model->force_count, states = lf_model_state_count(model);
    int first = r->kind == LF_KIND_FORCE   ? outputs
                : r->kind == LF_KIND_RATE  ? outputs + forces
                : r->kind == LF_KIND_STATE ? 2 * outputs + forces
                                           : 0;
    int count = r->kind == LF_KIND_FORCE ? forces : r->kind == LF_KIND_STATE ? states : outputs;
    r->target = calloc((size_t)count + names->count + 1, sizeof *r->target);
    if (!r->target) {
        return lf_no_memory(r->ctx);
    }
    if (names->count > 0) {
        return add_named(r, names, first);
    }
    for (int k = 0; k < count; k++) {
        if (r->kind != LF_KIND_FORCE || !lf_model_force_is_white(model, k)) {
            r->target[r->target_count++] = first + k;
        }
    }
    return r->target_count > 0        ? LF_OK
           : r->kind == LF_KIND_FORCE ? no_forces(r->ctx, model)
                                      : lf_fail(r->ctx, LF_ERROR_MODEL,
                                                "states are for models given by equations; the outputs of this one "
                                                "have operators of their own");
}

/* ---- replicates ---- */

static lf_status add_label(lf_request *r, const char *name)
{
    return lf_names_add(&r->labels, name, strlen(name)) < 0 ? lf_no_memory(r->ctx) : LF_OK;
}

/* Those of the training data that have rows of outputs: the posterior will have these. */
static lf_status label_by_training(lf_request *r)
{
    size_t count = lf_data_count(r->training, LF_KIND_REPLICATE);
    double *last = lf_doubles(count + 1, 1);
    lf_status status = last ? lf_data_ends(r->ctx, r->training, r->model, last) : lf_no_memory(r->ctx);
    for (size_t k = 0; !status && k < count; k++) {
        status = isfinite(last[k]) ? add_label(r, lf_data_name(r->training, LF_KIND_REPLICATE, k)) : LF_OK;
    }
    free(last);
    return status;
}

static lf_status find_labels(lf_request *r, const lf_data *inputs)
{
    lf_status status = LF_OK;
    if (r->posterior) {
        for (int k = 0; !status && k < r->posterior->replicates.count; k++) {
            status = add_label(r, r->posterior->replicates.name[k]);
        }
    } else if (r->training) {
        status = label_by_training(r);
    } else {
        for (size_t k = 0; !status && inputs && k < lf_data_count(inputs, LF_KIND_REPLICATE); k++) {
            status = add_label(r, lf_data_name(inputs, LF_KIND_REPLICATE, k));
        }
    }
    return status || r->labels.count > 0 ? status : add_label(r, "");
}

lf_status lf_request_find_replicate(const lf_request *r, const char *name, int *replicate)
{
    int named = r->labels.count > 1 || *r->labels.name[0];
    *replicate = named ? lf_names_find(&r->labels, name, strlen(name)) : -1;
    if (*replicate >= 0) {
        return LF_OK;
    }
    char known[256] = "the training data have no replicates";
    for (int k = 0; named && k < r->labels.count && strlen(known) < sizeof known - 4; k++) {
        size_t length = k ? strlen(known) : 0;
        lf_print(known + length, sizeof known - length, "%s%s", k ? ", " : "its replicates are ", r->labels.name[k]);
    }
    return lf_fail(r->ctx, LF_ERROR_DATA,
                   "the replicate '%s' is not in the training data, so that nothing is known of it; %s", name, known);
}

static lf_status choose_replicates(lf_request *r)
{
    const lf_option_list *names = &r->options->replicates;
    size_t count = names->count > 0 ? names->count : (size_t)r->labels.count;
    r->replicate = calloc(count + 1, sizeof *r->replicate);
    lf_status status = r->replicate ? LF_OK : lf_no_memory(r->ctx);
    for (size_t k = 0; !status && k < count; k++) {
        r->replicate[r->replicate_count] = (int)k;
        if (names->count > 0) {
            status = lf_request_find_replicate(r, names->item[k], &r->replicate[r->replicate_count]);
        }
        r->replicate_count++;
    }
    return status;
}

/* ---- points ---- */

static int is_asked(const int *list, int count, int number)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        found = found || list[i] == number;
    }
    return found;
}

/* How many rows from `first` on are combined with the targets before the next ones. */
static size_t length_of_run(const lf_request_rows *rows, size_t first)
{
    size_t end = first;
    while (end < rows->n && (!rows->nested || rows->replicate[end] == rows->replicate[first])) {
        end++;
    }
    return end - first;
}

/* Appends the rows of a run, for one target and replicate unless they name theirs (-1). */
static lf_status append_run(const lf_request *r, const lf_request_rows *rows, size_t from, size_t n, int target,
                            int replicate, lf_points *points)
{
    size_t p = (size_t)r->model->input_dim;
    lf_status status = lf_points_reserve(r->ctx, points, n);
    for (size_t i = from; !status && i < from + n; i++) {
        int about = target >= 0 ? target : rows->target[i], of = replicate >= 0 ? replicate : rows->replicate[i];
        double width = rows->width ? rows->width[i] : 0;
        int asked = (target >= 0 || is_asked(r->target, r->target_count, about)) &&
                    (replicate >= 0 || is_asked(r->replicate, r->replicate_count, of));
        if (asked) {
            lf_points_append(points, about, of, rows->x + i * p, !rows->listed && width == 0 ? (double)NAN : width, i);
        }
    }
    return status;
}

lf_status lf_request_combine(const lf_request *r, const lf_request_rows *rows, lf_points *points)
{
    int passes = rows->replicate ? 1 : r->replicate_count, targets = rows->target ? 1 : r->target_count, even = 1;
    size_t runs = 0, first = length_of_run(rows, 0);
    lf_status status = LF_OK;
    for (int pass = 0; pass < passes; pass++) {
        for (size_t from = 0, n; !status && from < rows->n; from += n) {
            n = length_of_run(rows, from);
            even = even && n == first;
            runs++;
            for (int k = 0; !status && k < targets; k++) {
                status = append_run(r, rows, from, n, rows->target ? -1 : r->target[k],
                                    rows->replicate ? -1 : r->replicate[pass], points);
            }
        }
    }
    if (even && !rows->target && (!rows->replicate || rows->nested)) {
        points->inputs = first;
        points->targets = (size_t)targets;
        points->replicates = runs;
    }
    return status;
}

/* Names the replicates, so that a posterior finds them whatever their order is. */
static lf_status label_points(const lf_request *r, lf_points *points)
{
    lf_status status = LF_OK;
    for (int k = 0; !status && k < r->labels.count; k++) {
        const char *name = r->labels.name[k];
        status = lf_names_add(&points->labels, name, strlen(name)) < 0 ? lf_no_memory(r->ctx) : LF_OK;
    }
    return status;
}

lf_status lf_request_begin(lf_request *r, const lf_data *inputs)
{
    r->kind = kind_of(r->options->targets);
    lf_status status = lf_request_check(r->ctx, r->options);
    LF_TRY(status, choose_targets(r));
    LF_TRY(status, find_labels(r, inputs));
    LF_TRY(status, choose_replicates(r));
    return status;
}

void lf_request_clear(lf_request *r)
{
    free(r->target);
    free(r->replicate);
    lf_names_clear(&r->labels);
}

lf_status lf_points_request(lf_context *ctx, const lf_model *model, const lf_data *training,
                            const lf_posterior *posterior, const lf_options *request, const lf_data *inputs,
                            lf_points **points)
{
    static const lf_request_options defaults;
    lf_request r = {.ctx = ctx,
                    .model = model,
                    .training = training,
                    .posterior = posterior,
                    .options = request ? &request->request : &defaults};
    lf_request_rows rows = {0};
    *points = NULL;
    if (!model) {
        return lf_missing(ctx, "model");
    }
    lf_status status = lf_options_are(ctx, request, "request");
    LF_TRY(status, lf_request_begin(&r, inputs));
    LF_TRY(status, inputs ? lf_request_list(&r, inputs, &rows) : lf_request_range(&r, &rows));
    LF_TRY(status, lf_points_create(ctx, model, points));
    LF_TRY(status, lf_request_combine(&r, &rows, *points));
    LF_TRY(status, label_points(&r, *points));
    LF_TRY(status, lf_request_check_range(&r, rows.listed, (*points)->n, (*points)->x));
    lf_request_rows_clear(&rows);
    lf_request_clear(&r);
    if (status) {
        lf_points_free(*points);
        *points = NULL;
    }
    return status;
}
