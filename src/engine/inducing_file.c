/* The posterior of the inducing engines in the model file: where the inducing values stand, the source of the covariances,
 * and the Gaussian of each replicate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "engine/inducing_posterior.h"
#include "engine/record.h"

static json_t *save_own(size_t p, size_t M, const lf_induced_own *own)
{
    json_t *record = json_object();
    int done = record && lf_record_put_number(record, "output", own->output) &&
               lf_record_put_number(record, "count", (double)own->n) &&
               lf_record_put(record, "x", own->n * p, own->x) && lf_record_put(record, "W", own->n * own->n, own->W) &&
               lf_record_put(record, "g", own->n, own->g) && lf_record_put(record, "F", own->n * M, own->F);
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

static json_t *save_weights(const lf_induced_posterior *p, const lf_induced_weights *w)
{
    size_t M = p->kernel.u.n;
    json_t *record = json_object(), *outputs = json_array();
    int done = record && lf_record_put(record, "mean", M, w->mean) && lf_record_put_triangle(record, "factor", M, w->A);
    for (size_t i = 0; done && i < w->count; i++) {
        done = json_array_append_new(outputs, save_own((size_t)p->model->input_dim, M, &w->own[i])) == 0;
    }
    done = record && json_object_set_new(record, "own", outputs) == 0 && done;
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

json_t *lf_inducing_save(const void *posterior)
{
    const lf_induced_posterior *p = posterior;
    const lf_induced_kernel *k = &p->kernel;
    int Q = p->model->force_count;
    double *counts = lf_doubles((size_t)Q, 1);
    json_t *state = json_object(), *list = json_array();
    for (int q = 0; counts && q < Q; q++) {
        counts[q] = (double)k->forces[q].K;
    }
    int done = state && counts && lf_record_put_number(state, "source", k->source) &&
               lf_record_put_number(state, "tolerance", k->exact.tolerance) &&
               lf_record_put(state, "counts", (size_t)Q, counts) &&
               lf_record_put(state, "inducing", k->u.n * (size_t)p->model->input_dim, k->u.x);
    if (done && k->source == LF_INDUCED_FEATURES) {
        done = json_object_set_new(state, "frequencies", lf_record_demand(&k->demand)) == 0;
    }
    for (int r = 0; done && r < p->count; r++) {
        done = json_array_append_new(list, save_weights(p, &p->replicates[r])) == 0;
    }
    done = state && json_object_set_new(state, "weights", list) == 0 && done;
    free(counts);
    if (!done) {
        json_decref(state);
        return NULL;
    }
    return state;
}

static lf_status load_own(lf_context *ctx, const lf_model *model, size_t M, const json_t *record, lf_induced_own *own)
{
    double output = 0, count = 0;
    lf_status status = lf_record_get_number(ctx, record, "output", 0, model->output_count - 1, &output);
    status = status ? status : lf_record_get_number(ctx, record, "count", 1, 1e6, &count);
    if (status) {
        return status;
    }
    size_t n = (size_t)count, p = (size_t)model->input_dim;
    status = lf_induced_own_create(ctx, n, p, M, own);
    own->output = (int)output;
    status = status ? status : lf_record_get(ctx, record, "x", n * p, own->x);
    status = status ? status : lf_record_get(ctx, record, "W", n * n, own->W);
    status = status ? status : lf_record_get(ctx, record, "g", n, own->g);
    status = status ? status : lf_record_get(ctx, record, "F", n * M, own->F);
    if (!status && !lf_has_own(model, own->output)) {
        status = lf_fail(ctx, LF_ERROR_MODEL, "posterior: own is damaged or belongs to another model");
    }
    return status;
}

static lf_status load_weights(lf_context *ctx, const lf_induced_posterior *p, const json_t *record,
                              lf_induced_weights *w)
{
    size_t M = p->kernel.u.n;
    json_t *list = NULL;
    lf_status status = lf_induced_weights_create(ctx, M, w);
    status = status ? status : lf_record_get(ctx, record, "mean", M, w->mean);
    status = status ? status : lf_record_get_triangle(ctx, record, "factor", M, w->A);
    status = status ? status : lf_record_get_list(ctx, record, "own", SIZE_MAX, &list);
    w->own = status ? NULL : calloc(json_array_size(list) + 1, sizeof *w->own);
    status = status || w->own ? status : lf_no_memory(ctx);
    while (!status && w->count < json_array_size(list)) {
        const json_t *own = json_array_get(list, w->count);
        status = load_own(ctx, p->model, M, own, &w->own[w->count++]);
    }
    return status;
}

/* K (Q) and their sum. */
static lf_status load_counts(lf_context *ctx, const lf_model *model, const json_t *state, size_t *K, size_t *M)
{
    size_t Q = (size_t)model->force_count;
    double *counts = lf_doubles(Q, 1);
    lf_status status = counts ? lf_record_get(ctx, state, "counts", Q, counts) : lf_no_memory(ctx);
    *M = 0;
    for (size_t q = 0; !status && q < Q; q++) {
        if (!(counts[q] >= 1 && counts[q] <= 1e5)) {
            status = lf_fail(ctx, LF_ERROR_MODEL, "posterior: counts is out of range");
        }
        K[q] = status ? 0 : (size_t)counts[q];
        *M += K[q];
    }
    free(counts);
    return status;
}

lf_status lf_inducing_load(lf_context *ctx, const lf_model *model, const json_t *state, int replicates,
                           void **posterior)
{
    lf_induced_posterior *p = NULL;
    lf_induced_kernel like = {0};
    json_t *list = NULL;
    double source = 0;
    size_t M = 0, *K = calloc((size_t)model->force_count + 1, sizeof *K);
    lf_status status = K ? LF_OK : lf_no_memory(ctx);
    status = status ? status : lf_record_get_number(ctx, state, "source", 0, LF_INDUCED_CLOSED_FORM, &source);
    status = status ? status : lf_record_get_number(ctx, state, "tolerance", 0, 1, &like.exact.tolerance);
    status = status ? status : load_counts(ctx, model, state, K, &M);
    like.source = (lf_induced_source)(int)source;
    like.exact.route = like.source == LF_INDUCED_CLOSED_FORM ? LF_ROUTE_CLOSED_FORM : LF_ROUTE_QUADRATURE;
    if (!status && like.source == LF_INDUCED_FEATURES) {
        status = lf_record_get_demand(ctx, json_object_get(state, "frequencies"), &like.demand);
        like.demand.sharing = LF_SHARE_NONE;
        like.demand.same_draws = 1;
    }
    if (!status && like.source == LF_INDUCED_EXACT && model->input_dim > 1) {
        status = lf_fail(ctx, LF_ERROR_MODEL, "posterior: source is damaged or belongs to another model");
    }
    double *z = lf_doubles(M, (size_t)model->input_dim);
    status = status || z ? status : lf_no_memory(ctx);
    status = status ? status : lf_record_get(ctx, state, "inducing", M * (size_t)model->input_dim, z);
    status = status ? status : lf_record_get_list(ctx, state, "weights", (size_t)replicates, &list);
    if (!status) {
        status = lf_induced_posterior_create(ctx, model, &like, K, z, replicates, &p);
        *posterior = p;
    }
    for (int r = 0; !status && r < replicates; r++) {
        status = load_weights(ctx, p, json_array_get(list, (size_t)r), &p->replicates[r]);
    }
    lf_demand_clear(&like.demand);
    free(K);
    free(z);
    return status;
}
