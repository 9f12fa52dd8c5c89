/* Stores the posterior of the inducing engines in the model file, and loads it: the inducing inputs, the source of the
 * covariances, and the Gaussian of each replicate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "inducing/inducing_posterior.h"
#include "model/posterior_io.h"

static json_t *save_private(size_t p, size_t M, const lf_inducing_private *private)
{
    json_t *record = json_object();
    int done =
        record && lf_put_number(record, "output", private->output) &&
        lf_put_number(record, "count", (double)private->n) && lf_put_array(record, "x", private->n * p, private->x) &&
        lf_put_array(record, "W", private->n * private->n, private->W) &&
        lf_put_array(record, "g", private->n, private->g) && lf_put_array(record, "F", private->n * M, private->F);
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

static json_t *save_weights(const lf_inducing_posterior *p, const lf_inducing_weights *w)
{
    size_t M = p->kernel.u.n;
    json_t *record = json_object(), *outputs = json_array();
    int done = record && lf_put_array(record, "mean", M, w->mean) && lf_put_triangle(record, "factor", M, w->A);
    for (size_t i = 0; done && i < w->count; i++) {
        done = json_array_append_new(outputs, save_private((size_t)p->model->input_dim, M, &w->private[i])) == 0;
    }
    done = json_object_set_new(record, "own", outputs) == 0 && done;
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

json_t *lf_inducing_posterior_save(const void *posterior)
{
    const lf_inducing_posterior *p = posterior;
    const lf_inducing_kernel *k = &p->kernel;
    int Q = p->model->force_count;
    double *counts = lf_doubles((size_t)Q, 1);
    json_t *state = json_object(), *list = json_array();
    for (int q = 0; counts && q < Q; q++) {
        counts[q] = (double)k->forces[q].K;
    }
    int done = state && counts && lf_put_number(state, "source", k->source) &&
               lf_put_number(state, "tolerance", k->exact.tolerance) &&
               lf_put_array(state, "counts", (size_t)Q, counts) &&
               lf_put_array(state, "inducing", k->u.n * (size_t)p->model->input_dim, k->u.x);
    if (done && k->source == LF_INDUCING_FEATURES) {
        done = json_object_set_new(state, "frequencies", lf_grid_spec_save(&k->spec)) == 0;
    }
    for (int r = 0; done && r < p->count; r++) {
        done = json_array_append_new(list, save_weights(p, &p->replicates[r])) == 0;
    }
    done = json_object_set_new(state, "weights", list) == 0 && done;
    free(counts);
    if (!done) {
        json_decref(state);
        return NULL;
    }
    return state;
}

static lf_status load_private(lf_context *ctx, const lf_model *model, size_t M, const json_t *record,
                              lf_inducing_private *private)
{
    size_t output = 0, n = 0, p = (size_t)model->input_dim;
    lf_status status = lf_get_count(ctx, record, "output", 0, (size_t)model->output_count - 1, &output);
    LF_TRY(status, lf_get_count(ctx, record, "count", 1, 1000000, &n));
    LF_TRY(status, lf_check_array(ctx, record, "x", n * p));
    LF_TRY(status, lf_check_array(ctx, record, "W", n * n));
    LF_TRY(status, lf_check_array(ctx, record, "g", n));
    LF_TRY(status, lf_check_array(ctx, record, "F", n * M));
    if (status) {
        return status;
    }
    status = lf_inducing_private_create(ctx, n, p, M, private);
    private->output = (int)output;
    LF_TRY(status, lf_get_array(ctx, record, "x", n * p, private->x));
    LF_TRY(status, lf_get_array(ctx, record, "W", n * n, private->W));
    LF_TRY(status, lf_get_array(ctx, record, "g", n, private->g));
    LF_TRY(status, lf_get_array(ctx, record, "F", n * M, private->F));
    for (size_t i = 0; !status && i < n; i++) {
        if (lf_starts_at_origin(model, private->output) && private->x[i * p] < model->origin) {
            status = lf_get_fail(ctx, "x", "lies before the origin");
        }
    }
    if (!status && !lf_output_has_private_part(model, private->output)) {
        status = lf_fail(ctx, LF_ERROR_MODEL, "posterior: own is damaged or belongs to another model");
    }
    return status;
}

static lf_status load_weights(lf_context *ctx, const lf_inducing_posterior *p, const json_t *record,
                              lf_inducing_weights *w)
{
    size_t M = p->kernel.u.n;
    json_t *list = NULL;
    lf_status status = lf_check_array(ctx, record, "mean", M);
    LF_TRY(status, lf_check_triangle(ctx, record, "factor", M));
    LF_TRY(status, lf_inducing_weights_create(ctx, M, w));
    LF_TRY(status, lf_get_array(ctx, record, "mean", M, w->mean));
    LF_TRY(status, lf_get_triangle(ctx, record, "factor", M, w->A));
    LF_TRY(status, lf_get_list(ctx, record, "own", SIZE_MAX, &list));
    w->private = status ? NULL : calloc(json_array_size(list) + 1, sizeof *w->private);
    status = status || w->private ? status : lf_no_memory(ctx);
    while (!status && w->count < json_array_size(list)) {
        const json_t *private = json_array_get(list, w->count);
        status = load_private(ctx, p->model, M, private, &w->private[w->count++]);
    }
    return status;
}

/* K (Q) and their sum. */
static lf_status load_counts(lf_context *ctx, const lf_model *model, const json_t *state, size_t *K, size_t *M)
{
    size_t Q = (size_t)model->force_count;
    double *counts = lf_doubles(Q, 1);
    lf_status status = counts ? lf_get_array(ctx, state, "counts", Q, counts) : lf_no_memory(ctx);
    *M = 0;
    for (size_t q = 0; !status && q < Q; q++) {
        if (!(counts[q] >= 1 && counts[q] <= 1e5 && counts[q] == floor(counts[q]))) {
            status = lf_fail(ctx, LF_ERROR_MODEL, "posterior: counts is out of range");
        }
        K[q] = status ? 0 : (size_t)counts[q];
        *M += K[q];
    }
    free(counts);
    return status;
}

/* The covariances of Matern forces are exact; those of older versions came from a quadrature, as LF_INDUCING_EXACT tells. */
static void load_matern(lf_context *ctx, lf_inducing_kernel *k)
{
    if (k->source == LF_INDUCING_EXACT) {
        lf_note(ctx,
                "the stored posterior is of an older version, whose covariances of Matern forces lacked the highest "
                "frequencies (nominal tolerance %g, more for fast operators); predictions keep that error in what was "
                "learned from the data: fit again to remove it",
                k->exact.tolerance > 0 ? k->exact.tolerance : 1e-7);
    }
    k->source = LF_INDUCING_CLOSED_FORM;
    k->exact.route = LF_ROUTE_STATE_SPACE;
}

lf_status lf_inducing_posterior_load(lf_context *ctx, const lf_model *model, const json_t *state, int replicates,
                                     void **posterior)
{
    lf_inducing_posterior *p = NULL;
    lf_inducing_kernel prototype = {0};
    json_t *list = NULL;
    size_t M = 0, source = 0, *K = calloc((size_t)model->force_count + 1, sizeof *K);
    lf_status status = K ? LF_OK : lf_no_memory(ctx);
    LF_TRY(status, lf_get_count(ctx, state, "source", 0, LF_INDUCING_CLOSED_FORM, &source));
    LF_TRY(status, lf_get_number(ctx, state, "tolerance", 0, 1, &prototype.exact.tolerance));
    LF_TRY(status, load_counts(ctx, model, state, K, &M));
    prototype.source = (lf_inducing_source)source;
    prototype.exact.route = prototype.source == LF_INDUCING_CLOSED_FORM ? LF_ROUTE_CLOSED_FORM : LF_ROUTE_QUADRATURE;
    if (!status && prototype.source != LF_INDUCING_FEATURES && lf_has_exact_states(model)) {
        load_matern(ctx, &prototype);
    }
    if (!status && prototype.source == LF_INDUCING_FEATURES) {
        status = lf_grid_spec_load(ctx, model, LF_SHARE_NONE, json_object_get(state, "frequencies"), &prototype.spec);
        prototype.spec.same_draws = 1;
    }
    if (!status && (model->force_count == 0 || (prototype.source != LF_INDUCING_FEATURES &&
                                                lf_exact_covariance_obstacle(model, prototype.exact.route)))) {
        status = lf_get_fail(ctx, "source", "is damaged or belongs to another model");
    }
    LF_TRY(status, lf_check_array(ctx, state, "inducing", M * (size_t)model->input_dim));
    LF_TRY(status, lf_get_list(ctx, state, "weights", (size_t)replicates, &list));
    for (int r = 0; !status && r < replicates; r++) {
        status = lf_check_triangle(ctx, json_array_get(list, (size_t)r), "factor", M);
    }
    double *z = status ? NULL : lf_doubles(M, (size_t)model->input_dim);
    status = status || z ? status : lf_no_memory(ctx);
    LF_TRY(status, lf_get_array(ctx, state, "inducing", M * (size_t)model->input_dim, z));
    if (!status) {
        status = lf_inducing_posterior_allocate(ctx, model, &prototype, K, z, replicates, &p);
        *posterior = p;
    }
    for (int r = 0; !status && r < replicates; r++) {
        status = load_weights(ctx, p, json_array_get(list, (size_t)r), &p->replicates[r]);
    }
    lf_grid_spec_clear(&prototype.spec);
    free(K);
    free(z);
    return status;
}
