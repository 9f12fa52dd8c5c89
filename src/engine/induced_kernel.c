/* The inducing values and their frequencies: making them, and following the parameters. */
#include "engine/induced_kernel.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "columns/response.h"
#include "engine/demand.h"
#include "engine/placement.h"
#include "exact/closed_form.h"
#include "exact/quadrature.h"

int lf_has_own(const lf_model *model, int output)
{
    const lf_output *o = &model->outputs[output];
    return o->has_private || (model->initial == LF_INITIAL_FREE && o->op->is_ode);
}

static int is(const char *option, const char *name) { return option && strcmp(option, name) == 0; }

/* ---- inducing inputs ---- */

/* Room for the inducing inputs z (M, p), K[q] of them for force q. */
static lf_status take_inputs(lf_context *ctx, const size_t *K, const double *z, lf_induced_kernel *k)
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
        k->forces[q] = (lf_induced_force){.first = done, .K = K[q], .L = lf_doubles(K[q], K[q])};
        status = k->forces[q].L ? LF_OK : lf_no_memory(ctx);
        for (size_t i = 0; i < K[q]; i++) {
            target[done++] = k->model->output_count + q;
        }
    }
    lf_points points = {.n = M, .target = target, .x = z};
    status = status ? status : lf_point_set_create(ctx, k->model, &points, M, NULL, &k->u);
    for (int q = 0; !status && q < Q; q++) {
        k->forces[q].z = k->u.x + k->forces[q].first * p;
    }
    free(target);
    return status;
}

/* Those of the model where it has them, placed ones where it does not. */
static lf_status place(lf_context *ctx, const lf_rows *rows, const lf_engine_options *options, lf_induced_kernel *k)
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
        status = lf_place(ctx, model->input_dim, rows->n, x, options->inducing, options->placement, placed);
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
                             lf_induced_kernel *k)
{
    lf_engine_options wanted = *options;
    if (k->source != LF_INDUCED_FEATURES) {
        wanted.nodes = "uniform";
    }
    lf_status status = lf_feature_demand(ctx, k->model, rows, &wanted, &k->demand);
    if (status) {
        return status;
    }
    k->demand.same_draws = 1;
    if (k->source != LF_INDUCED_FEATURES) {
        k->demand.tolerance = options->tolerance; /* 0: as for covariances that count as exact */
        k->demand.sharing = LF_SHARE_WHEN_CHEAPER;
    }
    for (size_t i = 0; i < k->u.n && k->model->input_dim == 1; i++) {
        k->demand.earliest = fmin(k->demand.earliest, k->u.x[i]);
        k->demand.latest = fmax(k->demand.latest, k->u.x[i]);
    }
    return LF_OK;
}

/* Room for E and Y, once there are frequencies. */
static lf_status make_room(lf_context *ctx, lf_induced_kernel *k)
{
    for (int q = 0; q < k->model->force_count; q++) {
        lf_induced_force *f = &k->forces[q];
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
                               lf_induced_kernel *k)
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
    k->source = exact ? LF_INDUCED_EXACT : closed ? LF_INDUCED_CLOSED_FORM : LF_INDUCED_FEATURES;
    k->exact =
        (lf_kernel){.route = closed ? LF_ROUTE_CLOSED_FORM : LF_ROUTE_QUADRATURE, .tolerance = options->tolerance};
    if (exact && !obstacle &&
        (model->input_dim > 1 ||
         lf_quadrature_columns(model, options->tolerance, rows->earliest, rows->latest) > 2 * MOST_NODES)) {
        k->source = LF_INDUCED_CLOSED_FORM;
        k->exact.route = LF_ROUTE_CLOSED_FORM;
    }
    if (k->source == LF_INDUCED_CLOSED_FORM && obstacle) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "closed-form covariances: %s", obstacle);
    }
    if (k->source == LF_INDUCED_EXACT && model->input_dim > 1) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED, "exact covariances with %d inputs: %s; use mc nodes",
                       model->input_dim, obstacle);
    }
    return LF_OK;
}

/* In closed form the derivatives by inducing inputs are taken from nodes: these are needed only where there are such
 * parameters, and for ODEs; the gaussian operator has its own. */
static int wants_features(const lf_induced_kernel *k)
{
    int inputs = 0;
    for (int q = 0; q < k->model->force_count; q++) {
        inputs = inputs || k->model->forces[q].inducing_count;
    }
    return k->source != LF_INDUCED_CLOSED_FORM || (inputs && k->model->input_dim == 1);
}

static lf_status make_views(lf_context *ctx, lf_induced_kernel *k)
{
    int own = 0;
    for (int d = 0; d < k->model->output_count; d++) {
        own = own || lf_has_own(k->model, d);
    }
    if (k->source == LF_INDUCED_FEATURES || !own) {
        return LF_OK;
    }
    lf_status status = lf_model_copy(ctx, k->model, &k->shared);
    return status ? status : lf_model_copy(ctx, k->model, &k->own);
}

lf_status lf_induced_kernel_create(lf_context *ctx, const lf_model *model, const lf_rows *rows,
                                   const lf_engine_options *options, lf_induced_kernel *k)
{
    *k = (lf_induced_kernel){.model = model};
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
    status = status ? status : lf_engine_features(ctx, model, &k->demand, &k->features);
    k->has_features = !status;
    return status ? status : make_room(ctx, k);
}

lf_status lf_induced_kernel_restore(lf_context *ctx, const lf_model *model, const size_t *K, const double *z,
                                    lf_induced_kernel *k)
{
    k->model = model;
    lf_status status = take_inputs(ctx, K, z, k);
    status = status ? status : make_views(ctx, k);
    if (!status && k->source == LF_INDUCED_FEATURES) {
        status = lf_features_create(ctx, model, k->demand, &k->features);
        k->has_features = !status;
        status = status ? status : make_room(ctx, k);
    }
    return status ? status : lf_induced_prepare(ctx, k);
}

void lf_induced_kernel_clear(lf_induced_kernel *k)
{
    for (int q = 0; k->forces && q < k->model->force_count; q++) {
        free(k->forces[q].L);
        free(k->forces[q].E);
        free(k->forces[q].Y);
    }
    free(k->forces);
    lf_point_set_clear(&k->u);
    lf_features_clear(&k->features);
    lf_demand_clear(&k->demand);
    lf_model_free(k->shared);
    lf_model_free(k->own);
    *k = (lf_induced_kernel){0};
}

int lf_induced_kernel_outgrown(const lf_model *model, const lf_induced_kernel *k)
{
    if (!k->has_features || k->demand.rule != LF_RULE_UNIFORM) {
        return 0;
    }
    for (int q = 0; q < model->force_count; q++) {
        for (int i = 0; i < model->forces[q].inducing_count; i++) {
            double z = model->forces[q].inducing[i];
            if (!(z >= k->demand.earliest && z <= k->demand.latest)) {
                return 1;
            }
        }
    }
    return lf_grids_outgrown(model, k->demand, &k->features.grids);
}

/* ---- at the parameters ---- */

/* The force kernel itself: k(|(z - z') / lengthscale|), lower triangle. */
static void force_covariance(const lf_force *force, size_t p, size_t K, const double *z, double *C)
{
    for (size_t j = 0; j < K; j++) {
        for (size_t i = j; i < K; i++) {
            double square = 0;
            for (size_t a = 0; a < p; a++) {
                double r = (z[i * p + a] - z[j * p + a]) / force->lengthscale[force->lengthscale_count > 1 ? a : 0];
                square += r * r;
            }
            C[j * K + i] = force->kernel->covariance(sqrt(square));
        }
    }
}

static lf_status fill_waves(lf_context *ctx, lf_induced_kernel *k, int q)
{
    lf_induced_force *f = &k->forces[q];
    const lf_source *source = &k->features.grids.sources[q];
    const lf_nodes *nodes = &k->features.grids.grids[source->grid];
    size_t S = nodes->count;
    lf_response response;
    lf_status status = lf_response_create(ctx, k->model, k->model->output_count + q, f->K, f->z, 0, &response);
    status = status ? status : lf_response_columns(ctx, &response, nodes, 0, S, f->E);
    lf_response_clear(&response);
    for (size_t s = 0; !status && s < 2 * S; s++) {
        double w = source->w[s < S ? s : s - S];
        for (size_t i = 0; i < f->K; i++) {
            f->Y[i * f->S2 + s] = w * f->E[s * f->K + i];
        }
    }
    return status;
}

/* C (K, K), lower triangle. */
static void covariance(const lf_induced_kernel *k, int q, double *C)
{
    const lf_induced_force *f = &k->forces[q];
    if (k->source != LF_INDUCED_FEATURES) {
        force_covariance(&k->model->forces[q], (size_t)k->model->input_dim, f->K, f->z, C);
        return;
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)f->K, (int)f->K, (int)f->S2, 1, f->E, (int)f->K, f->Y,
                (int)f->S2, 0, C, (int)f->K);
}

/* Whether the lower triangle of C (K, K) has a factor that is more than rounding; it is overwritten by it. */
static int factor(size_t K, double *C)
{
    double least = 64 * 2.3e-16 * C[0];
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)K, C, (lapack_int)K)) {
        return 0;
    }
    for (size_t i = 0; i < K; i++) {
        if (!(C[i * K + i] * C[i * K + i] > least)) {
            return 0;
        }
    }
    return 1;
}

/* K_uu + noise, and the least of 0, 1e-12, 1e-11, … of its diagonal that lets it be factored. */
static lf_status factor_force(lf_context *ctx, lf_induced_kernel *k, int q, double *C)
{
    lf_induced_force *f = &k->forces[q];
    const lf_force *force = &k->model->forces[q];
    covariance(k, q, C);
    for (double jitter = 0; jitter<1e-3; jitter = jitter> 0 ? 10 * jitter : 1e-12) {
        memcpy(f->L, C, f->K * f->K * sizeof *C);
        for (size_t i = 0; i < f->K; i++) {
            f->L[i * f->K + i] += force->inducing_noise + jitter * C[0];
        }
        if (factor(f->K, f->L)) {
            k->jitter = fmax(k->jitter, jitter);
            return LF_OK;
        }
    }
    return lf_fail(ctx, LF_ERROR_NUMERIC,
                   "force %d: the covariance of its %zu inducing values cannot be factored, not even with a thousandth "
                   "added to its diagonal (lengthscale %g, inducing_noise %g): use fewer, set inducing_noise, or look "
                   "for a parameter that is out of range",
                   q + 1, f->K, force->lengthscale[0], force->inducing_noise);
}

/* Copies of the model's values into a view of it, but for what the view leaves out. */
static lf_status follow(lf_context *ctx, const lf_model *model, lf_model *view, int shared)
{
    double *theta = lf_doubles(model->parameter_count, 1);
    lf_status status = theta ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        lf_model_get_theta(model, theta);
        status = lf_model_set_theta(ctx, view, theta);
    }
    for (int d = 0; !status && d < view->output_count; d++) {
        lf_output *output = &view->outputs[d];
        for (int q = 0; !shared && q < view->force_count; q++) {
            output->sensitivity[q] = 0;
        }
        for (int i = 0; shared && output->initial_variance && i < output->order; i++) {
            output->initial_variance[i] = 0;
        }
        output->private_amplitude = shared ? 0 : output->private_amplitude;
    }
    free(theta);
    return status;
}

lf_status lf_induced_prepare(lf_context *ctx, lf_induced_kernel *k)
{
    size_t p = (size_t)k->model->input_dim, widest = 0;
    lf_status status = k->shared ? follow(ctx, k->model, k->shared, 1) : LF_OK;
    status = status || !k->own ? status : follow(ctx, k->model, k->own, 0);
    if (k->has_features) {
        lf_grids_update(&k->features.grids);
    }
    for (int q = 0; q < k->model->force_count; q++) {
        const lf_force *force = &k->model->forces[q];
        widest = k->forces[q].K > widest ? k->forces[q].K : widest;
        if (force->inducing_count) {
            memcpy(k->forces[q].z, force->inducing, k->forces[q].K * p * sizeof *force->inducing);
        }
    }
    double *C = lf_doubles(widest, widest);
    status = status ? status : C ? LF_OK : lf_no_memory(ctx);
    k->jitter = 0;
    for (int q = 0; !status && q < k->model->force_count; q++) {
        status = k->has_features ? fill_waves(ctx, k, q) : LF_OK;
        status = status ? status : factor_force(ctx, k, q, C);
    }
    free(C);
    if (!status && k->jitter > k->noted) {
        k->noted = k->jitter;
        lf_note(
            ctx,
            "the covariance of inducing values was factored with %g of its diagonal added: they stand close for the "
            "lengthscales",
            k->jitter);
    }
    return status;
}
