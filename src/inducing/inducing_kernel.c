/* Creates the kernel of the inducing engines: the source of the covariances, the inducing inputs, and the
 * frequencies. */
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

static int equals(const char *option, const char *name) { return option && strcmp(option, name) == 0; }

/* ---- inducing inputs ---- */

/* Stores the inducing inputs z (M, p), K[q] of them for force q, and allocates the factors of K_uu. */
static lf_status set_inputs(lf_context *ctx, const size_t *K, const double *z, lf_inducing_kernel *k)
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
    lf_point_list points = {.n = M, .target = target, .x = z};
    LF_TRY(status, lf_point_set_sort(ctx, k->model, &points, M, NULL, &k->u));
    for (int q = 0; !status && q < Q; q++) {
        k->forces[q].z = k->u.x + k->forces[q].first * p;
    }
    free(target);
    return status;
}

/* Uses the inducing inputs of the model where it has them, and chooses them for the other forces. */
static lf_status place_inputs(lf_context *ctx, const lf_rows *rows, const lf_engine_options *options,
                              lf_inducing_kernel *k)
{
    const lf_model *model = k->model;
    size_t p = (size_t)model->input_dim, total = 0, missing = 0, done = 0, n = 0;
    size_t *K = calloc((size_t)model->force_count + 1, sizeof *K);
    for (int q = 0; K && q < model->force_count; q++) {
        int given = model->forces[q].inducing_count;
        K[q] = given ? (size_t)given : options->inducing;
        missing += !given;
        total += K[q];
    }
    double *placed = lf_doubles(options->inducing, p), *z = lf_doubles(total, p);
    double *x = missing && options->inducing ? lf_rows_inputs(rows, model->input_dim, &n) : lf_doubles(0, p);
    lf_status status = K && placed && z && x ? LF_OK : lf_no_memory(ctx);
    if (!status && missing && options->inducing == 0) {
        status = lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "this engine needs inducing values: set their number (--inducing K), or their inputs in the "
                         "model (\"inducing\" of a force)");
    }
    if (!status && missing) {
        status =
            lf_place_inducing_inputs(ctx, model->input_dim, n, x, options->inducing, options->inducing_inputs, placed);
    }
    for (int q = 0; !status && q < model->force_count; q++) {
        const double *from = model->forces[q].inducing_count ? model->forces[q].inducing : placed;
        memcpy(z + done * p, from, K[q] * p * sizeof *z);
        done += K[q];
    }
    LF_TRY(status, set_inputs(ctx, K, z, k));
    free(K);
    free(placed);
    free(z);
    free(x);
    return status;
}

/* ---- frequencies ---- */

/* The spec of nodes that cover the rows and the inducing inputs. */
static lf_status make_grid_spec(lf_context *ctx, const lf_rows *rows, const lf_engine_options *options,
                                lf_inducing_kernel *k)
{
    lf_engine_options grid_options = *options;
    if (k->source != LF_INDUCING_FEATURES) {
        grid_options.nodes = "uniform";
    }
    lf_status status = lf_grid_spec_create(ctx, k->model, rows, &grid_options, &k->spec);
    if (status) {
        return status;
    }
    k->spec.same_draws = 1;
    if (k->source != LF_INDUCING_FEATURES) {
        k->spec.tolerance = options->tolerance; /* 0: the default of exact covariances */
        k->spec.sharing = LF_SHARE_WHEN_CHEAPER;
    }
    double first = k->spec.earliest, last = k->spec.latest, margin = 0.1 * (last - first);
    for (size_t i = 0; i < k->u.n && k->model->input_dim == 1; i++) {
        double z = k->u.x[i]; /* a fit may move inducing inputs further beyond the rows: hence the margin */
        k->spec.earliest = z < first ? fmin(k->spec.earliest, z - margin) : k->spec.earliest;
        k->spec.latest = z > last ? fmax(k->spec.latest, z + margin) : k->spec.latest;
    }
    return LF_OK;
}

/* Allocates E and Y. */
static lf_status allocate_features(lf_context *ctx, lf_inducing_kernel *k)
{
    for (int q = 0; q < k->model->force_count; q++) {
        lf_inducing_force *f = &k->forces[q];
        f->S2 = 2 * k->features.grids.grids[k->features.grids.sources[q].grid].count;
        f->E = lf_doubles(f->K, f->S2);
        f->Y = lf_doubles(f->S2, f->K);
        f->Y_offset = k->Y_size;
        k->Y_size += f->S2 * f->K;
        if (!f->E || !f->Y) {
            return lf_no_memory(ctx);
        }
    }
    return LF_OK;
}

#define MAX_NODES 3000 /* with more nodes the closed form is cheaper */

static lf_status choose_source(lf_context *ctx, const lf_rows *rows, const lf_engine_options *options,
                               lf_inducing_kernel *k)
{
    const lf_model *model = k->model;
    const char *nodes = options->nodes ? options->nodes : "auto", *obstacle = lf_closed_form_obstacle(model);
    int automatic = equals(nodes, "auto"), exact = equals(nodes, "exact") || (automatic && !options->features);
    int closed = equals(nodes, "closed-form");
    if (!exact && !closed && !automatic && !equals(nodes, "uniform") && !equals(nodes, "mc") && !equals(nodes, "qmc")) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "unknown nodes '%s'; the inducing engines support auto, exact, closed-form, uniform, mc, qmc",
                       nodes);
    }
    if ((exact || closed) && options->features) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "%s covariances have no number of features; remove it, or choose uniform, mc or qmc nodes",
                       nodes);
    }
    k->source = exact ? LF_INDUCING_EXACT : closed ? LF_INDUCING_CLOSED_FORM : LF_INDUCING_FEATURES;
    k->exact = (lf_exact_covariance){.route = closed ? LF_ROUTE_CLOSED_FORM : LF_ROUTE_QUADRATURE,
                                     .tolerance = options->tolerance};
    double columns = 0;
    if (exact && !obstacle && model->input_dim == 1) {
        columns = lf_quadrature_columns(model, options->tolerance, rows->earliest, rows->latest);
    }
    if (columns < 0) {
        return lf_no_memory(ctx);
    }
    if (exact && !obstacle && (model->input_dim > 1 || columns > 2 * MAX_NODES)) {
        k->source = LF_INDUCING_CLOSED_FORM;
        k->exact.route = LF_ROUTE_CLOSED_FORM;
    }
    lf_exact_covariance matern = {.route = LF_ROUTE_STATE_SPACE, .tolerance = options->tolerance};
    if (lf_has_exact_states(model) && (exact || (closed && equals(lf_exact_covariance_name(model, matern), nodes)))) {
        k->source = LF_INDUCING_CLOSED_FORM;
        k->exact = matern;
        return LF_OK;
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

/* In closed form, nodes are needed for the derivatives of ODEs with EQ forces with respect to inducing inputs only, where
 * these are parameters. The gaussian operator and Matern forces have these derivatives without nodes. */
static int needs_features(const lf_inducing_kernel *k)
{
    int inputs = 0;
    for (int q = 0; q < k->model->force_count; q++) {
        inputs = inputs || k->model->forces[q].inducing_count;
    }
    return k->source != LF_INDUCING_CLOSED_FORM ||
           (inputs && k->model->input_dim == 1 && k->exact.route == LF_ROUTE_CLOSED_FORM);
}

static lf_status copy_partial_models(lf_context *ctx, lf_inducing_kernel *k)
{
    int private = 0;
    for (int d = 0; d < k->model->output_count; d++) {
        private = private || lf_output_has_private_part(k->model, d);
    }
    if (k->source == LF_INDUCING_FEATURES || !private) {
        return LF_OK;
    }
    lf_status status = lf_model_copy(ctx, k->model, &k->shared_model);
    return status ? status : lf_model_copy(ctx, k->model, &k->private_model);
}

lf_status lf_inducing_kernel_create(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                                    const lf_engine_options *options, lf_inducing_kernel *k)
{
    *k = (lf_inducing_kernel){.model = model};
    if (model->force_count == 0) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "the model has no shared force, which the inducing engines need");
    }
    lf_status status = choose_source(ctx, rows, options, k);
    LF_TRY(status, place_inputs(ctx, rows, options, k));
    LF_TRY(status, copy_partial_models(ctx, k));
    if (status || !needs_features(k)) {
        return status;
    }
    status = make_grid_spec(ctx, rows, options, k);
    LF_TRY(status, lf_features_create_bounded(ctx, model, 0, &k->spec, &k->features));
    k->has_features = !status;
    return status ? status : allocate_features(ctx, k);
}

lf_status lf_inducing_kernel_restore(lf_context *ctx, const lf_model *model, const size_t *K, const double *z,
                                     lf_inducing_kernel *k)
{
    k->model = model;
    lf_status status = set_inputs(ctx, K, z, k);
    LF_TRY(status, copy_partial_models(ctx, k));
    if (!status && k->source == LF_INDUCING_FEATURES) {
        status = lf_features_create(ctx, model, k->spec, &k->features);
        k->has_features = !status;
        LF_TRY(status, allocate_features(ctx, k));
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
    lf_model_free(k->shared_model);
    lf_model_free(k->private_model);
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
