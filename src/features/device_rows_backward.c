/* Derivatives of feature rows on a device. With a = dL/d(column), raw, of one source, v its response columns, and per node
 * scale = sensitivity * sqrt(w), everything that is wanted is linear in sums over the rows:
 *   Q = [conj(a) v]' [1, x],   Z = a' [h, t h, dh],
 * Re and Im of all nodes together. Multiplied by the scale they are those of the response columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "features/cancelled_entries.h"
#include "features/device_rows.h"

/* h, t h and dh of the present response. */
static size_t motion_columns(const lf_response *response)
{
    const lf_output *output = response->output;
    return response->from_rest ? (size_t)output->order * (2 + (size_t)output->constant_count) : 0;
}

/* The sums of a source on the device, and what belongs to it here. */
typedef struct source_sums {
    size_t S, p, columns; /* columns of Z */
    double *Q, *Z;        /* (2 S, 1 + p), (2 S, columns) on the device */
    double *x;            /* (S) */
    double *by_lambda;    /* (S p); NULL for frequencies that do not move */
} source_sums;

/* The nodes of the first `sources` sources. */
static size_t nodes_before(const lf_grids *grids, int sources)
{
    size_t before = 0;
    for (int i = 0; i < sources; i++) {
        before += grids->grids[grids->sources[i].grid].count;
    }
    return before;
}

static source_sums sums_of(const lf_device_rows *r, const lf_response *response, int source)
{
    const lf_grids *grids = &r->features->grids;
    const lf_nodes *nodes = &grids->grids[grids->sources[source].grid];
    size_t before = nodes_before(grids, source), p = (size_t)nodes->input_dim, columns = motion_columns(response);
    double *Q = r->sums + 2 * before * (1 + p + columns);
    return (source_sums){.S = nodes->count,
                         .p = p,
                         .columns = columns,
                         .Q = Q,
                         .Z = Q + 2 * nodes->count * (1 + p),
                         .x = r->x + before,
                         .by_lambda = nodes->base || nodes->lines ? r->by_lambda + before * p : NULL};
}

/* The sums of the initial states, (P, columns of Z), follow those of the sources. */
static double *state_sums(const lf_device_rows *r, const lf_response *response)
{
    size_t nodes = nodes_before(&r->features->grids, r->features->grids.source_count);
    return r->sums + 2 * nodes * (1 + (size_t)response->input_dim + motion_columns(response));
}

lf_status lf_device_rows_begin(lf_context *ctx, lf_device_rows *r, double *gradient)
{
    r->gradient = gradient;
    if (r->device->here) {
        return LF_OK;
    }
    size_t nodes = nodes_before(&r->features->grids, r->features->grids.source_count);
    r->device->op->fill(r->device, r->sum_count, 0, r->sums);
    memset(r->x, 0, nodes * sizeof *r->x);
    memset(r->by_lambda, 0, nodes * (size_t)r->features->model->input_dim * sizeof *r->by_lambda);
    return lf_device_status(ctx, r->device);
}

static lf_status backward_source(lf_context *ctx, lf_device_rows *r, int i, double *adjoint, double *V)
{
    const lf_model *model = r->features->model;
    const lf_source *source = &r->features->grids.sources[i];
    const lf_nodes *nodes = &r->features->grids.grids[source->grid];
    const lf_device_class *op = r->device->op;
    source_sums sums = sums_of(r, &r->response, i);
    size_t n = r->response.n, S = sums.S;
    double *scale = lf_doubles(S, 1);
    lf_transfers f = {0};
    lf_status status = scale ? lf_device_rows_waves(ctx, r, nodes, NULL, NULL, V, &f) : lf_no_memory(ctx);
    if (!status) {
        lf_source_scale(model, r->output, source, S, scale);
        lf_cancelled_adjoint entries = {nodes, f.safe, scale, V, adjoint, sums.x, sums.by_lambda};
        status = lf_cancelled_backward(ctx, r, &entries, r->gradient + lf_index_constants(model, r->output));
    }
    if (!status) {
        op->gemm(r->device, LF_TRANSPOSED, LF_PLAIN, 2 * S, sums.columns, n, 1, adjoint, r->rows, r->motion, r->rows, 1,
                 sums.Z, 2 * S);
        op->conjugate_product(r->device, n, S, V, adjoint, r->rows);
        op->gemm(r->device, LF_TRANSPOSED, LF_PLAIN, 2 * S, 1 + sums.p, n, 1, adjoint, r->rows, r->inputs, r->rows, 1,
                 sums.Q, 2 * S);
    }
    lf_transfers_clear(&f);
    free(scale);
    return status;
}

lf_status lf_device_rows_backward(lf_context *ctx, lf_device_rows *r, double *shared_adjoint, double *private_adjoint,
                                  double *V)
{
    const lf_features *features = r->features;
    lf_status status = LF_OK;
    if (r->device->here) {
        return lf_features_backward(ctx, features, r->output, r->n, r->points, shared_adjoint, private_adjoint,
                                    r->gradient);
    }
    if (lf_has_initial_state(features->model, r->output)) {
        size_t P = (size_t)r->response.output->order, waves = lf_features_private(features, r->output) - P;
        r->device->op->gemm(r->device, LF_TRANSPOSED, LF_PLAIN, P, motion_columns(&r->response), r->response.n, 1,
                            private_adjoint + waves * r->rows, r->rows, r->motion, r->rows, 1,
                            state_sums(r, &r->response), P);
    }
    for (int i = 0; !status && i < features->grids.source_count; i++) {
        double *adjoint = lf_features_source_columns(features, r->output, &features->grids.sources[i], r->rows,
                                                     shared_adjoint, private_adjoint);
        status = adjoint ? backward_source(ctx, r, i, adjoint, V) : LF_OK;
    }
    return status;
}

/* ---- after the last tile ---- */

/* X (2 S, columns), Re and Im of each node, times its scale. */
static void scale_sums(size_t S, size_t columns, const double *scale, double *X)
{
    for (size_t i = 0; i < 2 * S * columns; i++) {
        X[i] *= scale[i % S];
    }
}

static lf_status finish_source(lf_context *ctx, lf_device_rows *r, const lf_response *response, int output, int i)
{
    const lf_model *model = r->features->model;
    const lf_source *source = &r->features->grids.sources[i];
    const lf_nodes *nodes = &r->features->grids.grids[source->grid];
    source_sums sums = sums_of(r, response, i);
    double *gradient = r->gradient;
    size_t S = sums.S, count = 2 * S * (1 + sums.p + sums.columns);
    double *Q = lf_doubles(count, 1), *Z = Q ? Q + 2 * S * (1 + sums.p) : NULL, *scale = lf_doubles(S, 1);
    lf_status status = LF_OK;
    if (Q && scale) {
        r->device->op->download(r->device, count, 1, sums.Q, count, Q, count);
        status = lf_device_status(ctx, r->device);
    } else {
        status = lf_no_memory(ctx);
    }
    if (!status) {
        for (size_t s = 0; s < S; s++) {
            sums.x[s] += Q[s];
        }
        lf_source_backward(model, output, source, S, sums.x, gradient);
        lf_source_scale(model, output, source, S, scale);
        scale_sums(S, 1 + sums.p + sums.columns, scale, Q);
        status = lf_response_backward_sums(ctx, response, nodes, Q, sums.columns ? Z : NULL,
                                           gradient + lf_index_constants(model, output), sums.by_lambda);
    }
    if (!status && sums.by_lambda) {
        lf_source_backward_frequencies(model, source, nodes, sums.by_lambda, gradient);
    }
    free(Q);
    free(scale);
    return status;
}

/* Columns sqrt(variance_k) h_k: derivatives by the variances and, through h, by the constants of the operator. */
static lf_status finish_states(lf_context *ctx, lf_device_rows *r, const lf_response *response, int output)
{
    double *gradient = r->gradient;
    const lf_output *o = response->output;
    size_t P = (size_t)o->order, columns = motion_columns(response);
    double *Z = lf_doubles(P, columns);
    if (!Z) {
        return lf_no_memory(ctx);
    }
    r->device->op->download(r->device, P, columns, state_sums(r, response), P, Z, P);
    lf_status status = lf_device_status(ctx, r->device);
    for (size_t k = 0; !status && k < P; k++) {
        double root = sqrt(o->initial_variance[k]);
        gradient[(size_t)lf_index_initial_variance(r->features->model, output) + k] +=
            root > 0 ? Z[k * P + k] / (2 * root) : 0;
        for (size_t c = 0; c < (size_t)o->constant_count; c++) {
            gradient[(size_t)lf_index_constants(r->features->model, output) + c] += root * Z[((2 + c) * P + k) * P + k];
        }
    }
    free(Z);
    return status;
}

lf_status lf_device_rows_finish(lf_context *ctx, lf_device_rows *r, int output)
{
    const lf_features *features = r->features;
    lf_response response;
    if (r->device->here) {
        return LF_OK;
    }
    lf_status status = lf_response_create(ctx, features->model, output, 0, NULL, 0, &response);
    if (status) {
        return status;
    }
    for (int i = 0; !status && i < features->grids.source_count; i++) {
        const lf_source *source = &features->grids.sources[i];
        status = source->index >= 0 || source->output == output ? finish_source(ctx, r, &response, output, i) : LF_OK;
    }
    if (!status && lf_has_initial_state(features->model, output)) {
        status = finish_states(ctx, r, &response, output);
    }
    lf_response_clear(&response);
    return status;
}
