/* The inducing values and their frequencies, made: where they stand, the source of the covariances, its nodes. */
#include "inducing/inducing_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/closed_form.h"
#include "exact/quadrature.h"
#include "features/grid_spec.h"
#include "inducing/inducing_inputs.h"

int lf_output_has_private_part(const lf_model *model, int output)
{
    return model->outputs[output].has_private || lf_has_initial_state(model, output);
}

static int is(const char *option, const char *name) { return option && strcmp(option, name) == 0; }

/* ---- inducing inputs ---- */

/* Room for the inducing inputs z (M, p), K[q] of them for force q. */
static lf_status take_inputs(lf_context *ctx, const size_t *K, const double *z, lf_inducing_kernel *k)
{
    int Q = k->model->force_count;
    size_t M = 0, p = (size_t)k->model->input_dim, done = 0;
    for (int q = 0; q < Q; q++) {
        M += K[q];
    }
    int *target = calloc(M + 1, sizeof *target);
    k->forces = calloc((size_t)Q + 1, sizeof *k->forces);
    lf_status status = target && k->forces ? LF_OK : lf_no_memory(ctx);
    for (int q = 0; !status && q < Q; q++) {
        k->forces[q] = (lf_inducing_force){.first = done, .K = K[q], .L = lf_doubles(K[q], K[q])};
        status = k->forces[q].L ? LF_OK : lf_no_memory(ctx);
        for (size_t i = 0; i < K[q]; i++) {
            target[done++] = k->model->output_count + q;
        }
    }
    lf_points points = {.n = M, .target = target, .x = z};
    status = status ? status : lf_point_set_sort(ctx, k->model, &points, M, NULL, &k->u);
    for (int q = 0; !status && q < Q; q++) {
        k->forces[q].z = k->u.x + k->forces[q].first * p;
    }
    free(target);
    return status;
}

/* Those of the model where it has them, placed ones where it does not. */
static lf_status place(lf_context *ctx, const lf_rows *rows, const lf_engine_options *options, lf_inducing_kernel *k)
{
    const lf_model *model = k->model;
    size_t p = (size_t)model->input_dim, room = 0, missing = 0, done = 0;
    size_t *K = calloc((size_t)model->force_count + 1, sizeof *K);
    for (int q = 0; K && q < model->force_count; q++) {
        int given = model->forces[q].inducing_count;
        K[q] = given ? (size_t)given : options->inducing;
        missing += !given;
        room += K[q];
    }
    double *placed = lf_doubles(options->inducing, p), *z = lf_doubles(room, p);
    double *x = lf_rows_inputs(rows, model->input_dim);
    lf_status status = K && placed && z && x ? LF_OK : lf_no_memory(ctx);
    if (!status && missing && options->inducing == 0) {
        status = lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "this engine needs inducing values: give their number (--inducing K), or their inputs in the "
                         "model (\"inducing\" of a force)");
    }
    if (!status && missing) {
        status = lf_place_inducing_inputs(ctx, model->input_dim, rows->n, x, options->inducing,
                                          options->inducing_inputs, placed);
    }
    for (int q = 0; !status && q < model->force_count; q++) {
        const double *from = model->forces[q].inducing_count ? model->forces[q].inducing : placed;
        memcpy(z + done * p, from, K[q] * p * sizeof *z);
        done += K[q];
    }
    status = status ? status : take_inputs(ctx, K, z, k);
    free(K);
    free(placed);
    free(z);
    free(x);
    return status;
}

/* ---- frequencies ---- */

/* Nodes for inputs that reach as far as the rows and the inducing values do. */
static lf_status make_demand(lf_context *ctx, const lf_rows *rows, const lf_engine_options *options,
                             lf_inducing_kernel *k)
{
    lf_engine_options wanted = *options;
    if (k->source != LF_INDUCING_FEATURES) {
        wanted.nodes = "uniform";
    }
    lf_status status = lf_grid_spec_create(ctx, k->model, rows, &wanted, &k->spec);
    if (status) {
        return status;
    }
    k->spec.same_draws = 1;
    if (k->source != LF_INDUCING_FEATURES) {
        k->spec.tolerance = options->tolerance; /* 0: as for covariances that count as exact */
        k->spec.sharing = LF_SHARE_WHEN_CHEAPER;
    }
    double first = k->spec.earliest, last = k->spec.latest, more = 0.1 * (last - first);
    for (size_t i = 0; i < k->u.n && k->model->input_dim == 1; i++) {
        double z = k->u.x[i]; /* one beyond the rows may have been moved there, and move on */
        k->spec.earliest = z < first ? fmin(k->spec.earliest, z - more) : k->spec.earliest;
        k->spec.latest = z > last ? fmax(k->spec.latest, z + more) : k->spec.latest;
    }
    return LF_OK;
}

/* Room for E and Y, once there are frequencies. */
static lf_status make_room(lf_context *ctx, lf_inducing_kernel *k)
{
    for (int q = 0; q < k->model->force_count; q++) {
        lf_inducing_force *f = &k->forces[q];
        f->S2 = 2 * k->features.grids.grids[k->features.grids.sources[q].grid].count;
        f->E = lf_doubles(f->K, f->S2);
        f->Y = lf_doubles(f->S2, f->K);
        f->place = k->waves;
        k->waves += f->S2 * f->K;
        if (!f->E || !f->Y) {
            return lf_no_memory(ctx);
        }
    }
    return LF_OK;
}

#define MOST_NODES 3000 /* beyond so many the closed form is cheaper */

static lf_status choose_source(lf_context *ctx, const lf_rows *rows, const lf_engine_options *options,
                               lf_inducing_kernel *k)
{
    const lf_model *model = k->model;
    const char *nodes = options->nodes ? options->nodes : "auto", *obstacle = lf_closed_form_obstacle(model);
    int automatic = is(nodes, "auto"), exact = is(nodes, "exact") || (automatic && !options->features);
    int closed = is(nodes, "closed-form");
    if (!exact && !closed && !automatic && !is(nodes, "uniform") && !is(nodes, "mc") && !is(nodes, "qmc")) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "unknown nodes '%s'; the inducing engines know auto, exact, closed-form, uniform, mc, qmc",
                       nodes);
    }
    if ((exact || closed) && options->features) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "%s covariances have no number of features; leave it out, or choose uniform, mc or qmc nodes",
                       nodes);
    }
    k->source = exact ? LF_INDUCING_EXACT : closed ? LF_INDUCING_CLOSED_FORM : LF_INDUCING_FEATURES;
    k->exact =
        (lf_kernel){.route = closed ? LF_ROUTE_CLOSED_FORM : LF_ROUTE_QUADRATURE, .tolerance = options->tolerance};
    if (exact && !obstacle &&
        (model->input_dim > 1 ||
         lf_quadrature_columns(model, options->tolerance, rows->earliest, rows->latest) > 2 * MOST_NODES)) {
        k->source = LF_INDUCING_CLOSED_FORM;
        k->exact.route = LF_ROUTE_CLOSED_FORM;
    }
    if (k->source == LF_INDUCING_CLOSED_FORM && obstacle) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "closed-form covariances: %s", obstacle);
    }
    if (k->source == LF_INDUCING_EXACT && model->input_dim > 1) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "exact covariances with %d inputs: %s; use mc nodes",
                       model->input_dim, obstacle);
    }
    return LF_OK;
}

/* In closed form the derivatives by inducing inputs are taken from nodes: these are needed only where there are such
 * parameters, and for ODEs; the gaussian operator has its own. */
static int wants_features(const lf_inducing_kernel *k)
{
    int inputs = 0;
    for (int q = 0; q < k->model->force_count; q++) {
        inputs = inputs || k->model->forces[q].inducing_count;
    }
    return k->source != LF_INDUCING_CLOSED_FORM || (inputs && k->model->input_dim == 1);
}

static lf_status make_views(lf_context *ctx, lf_inducing_kernel *k)
{
    int private = 0;
    for (int d = 0; d < k->model->output_count; d++) {
        private = private || lf_output_has_private_part(k->model, d);
    }
    if (k->source == LF_INDUCING_FEATURES || !private) {
        return LF_OK;
    }
    lf_status status = lf_model_copy(ctx, k->model, &k->shared);
    return status ? status : lf_model_copy(ctx, k->model, &k->private);
}

lf_status lf_inducing_kernel_create(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                                    const lf_engine_options *options, lf_inducing_kernel *k)
{
    *k = (lf_inducing_kernel){.model = model};
    if (model->force_count == 0) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "the model has no shared force, and the inducing engines are about these; use dense");
    }
    lf_status status = choose_source(ctx, rows, options, k);
    status = status ? status : place(ctx, rows, options, k);
    status = status ? status : make_views(ctx, k);
    if (status || !wants_features(k)) {
        return status;
    }
    status = make_demand(ctx, rows, options, k);
    status = status ? status : lf_features_create_bounded(ctx, model, &k->spec, &k->features);
    k->has_features = !status;
    return status ? status : make_room(ctx, k);
}

lf_status lf_inducing_kernel_restore(lf_context *ctx, const lf_model *model, const size_t *K, const double *z,
                                     lf_inducing_kernel *k)
{
    k->model = model;
    lf_status status = take_inputs(ctx, K, z, k);
    status = status ? status : make_views(ctx, k);
    if (!status && k->source == LF_INDUCING_FEATURES) {
        status = lf_features_create(ctx, model, k->spec, &k->features);
        k->has_features = !status;
        status = status ? status : make_room(ctx, k);
    }
    return status ? status : lf_inducing_kernel_prepare(ctx, k);
}

void lf_inducing_kernel_clear(lf_inducing_kernel *k)
{
    for (int q = 0; k->forces && q < k->model->force_count; q++) {
        free(k->forces[q].L);
        free(k->forces[q].E);
        free(k->forces[q].Y);
    }
    free(k->forces);
    lf_point_set_clear(&k->u);
    lf_features_clear(&k->features);
    lf_grid_spec_clear(&k->spec);
    lf_model_free(k->shared);
    lf_model_free(k->private);
    *k = (lf_inducing_kernel){0};
}

int lf_inducing_kernel_needs_regrid(const lf_model *model, const lf_inducing_kernel *k)
{
    if (!k->has_features || k->spec.rule != LF_RULE_UNIFORM) {
        return 0;
    }
    for (int q = 0; q < model->force_count; q++) {
        for (int i = 0; i < model->forces[q].inducing_count; i++) {
            double z = model->forces[q].inducing[i];
            if (!(z >= k->spec.earliest && z <= k->spec.latest)) {
                return 1;
            }
        }
    }
    return lf_grids_need_regrid(model, k->spec, &k->features.grids);
}
