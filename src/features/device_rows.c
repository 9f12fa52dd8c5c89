/* Feature rows on a device: the work space, and the rows of a tile. */
#include "features/device_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "features/cancelled_entries.h"

/* P (2 + constants), or P without derivatives, of the output that has most; 0 without free motions. */
static size_t motion_columns(const lf_model *model, int with_gradient)
{
    size_t most = 0;
    for (int d = 0; d < model->output_count && model->initial != LF_INITIAL_STATIONARY; d++) {
        const lf_output *output = &model->outputs[d];
        size_t columns = (size_t)output->order * (with_gradient ? 2 + (size_t)output->constant_count : 1);
        most = output->op->is_ode && columns > most ? columns : most;
    }
    return most;
}

/* The nodes of the largest grid; *all: of those of all sources. */
static size_t count_nodes(const lf_features *features, size_t *all)
{
    size_t largest = 0;
    *all = 0;
    for (int i = 0; i < features->grids.source_count; i++) {
        size_t S = features->grids.grids[features->grids.sources[i].grid].count;
        largest = S > largest ? S : largest;
        *all += S;
    }
    return largest;
}

/* Sums of all sources, then those of the initial states. */
static size_t count_sums(const lf_features *features)
{
    size_t all, p = (size_t)features->model->input_dim, columns = motion_columns(features->model, 1);
    count_nodes(features, &all);
    return 2 * all * (1 + p + columns) + LF_MAX_ORDER * columns;
}

void lf_device_rows_numbers(const lf_features *features, int with_gradient, double *each_row, double *fixed)
{
    size_t all, p = (size_t)features->model->input_dim, S = count_nodes(features, &all);
    *each_row = (double)(1 + p + motion_columns(features->model, with_gradient));
    *fixed = (double)((p + 2) * S + (with_gradient ? count_sums(features) : 0));
}

lf_status lf_device_rows_create(lf_context *ctx, lf_device *device, const lf_features *features, size_t rows,
                                int with_gradient, lf_device_rows *r)
{
    const lf_device_class *op = device->op;
    size_t all, p = (size_t)features->model->input_dim, S = count_nodes(features, &all);
    *r = (lf_device_rows){.device = device, .features = features, .rows = rows, .ld = rows};
    if (device->here) {
        return LF_OK;
    }
    r->early = calloc(rows + 1, sizeof *r->early);
    r->early_times = lf_doubles(rows, 1);
    r->x = lf_doubles(all, 1);
    r->by_lambda = lf_doubles(all, p);
    if (!r->early || !r->early_times || !r->x || !r->by_lambda) {
        return lf_no_memory(ctx);
    }
    r->inputs = op->allocate(device, rows * (1 + p));
    r->motion = op->allocate(device, rows * motion_columns(features->model, with_gradient) + 1);
    r->nodes = op->allocate(device, (p + 2) * S + 1);
    r->sum_count = with_gradient ? count_sums(features) : 0;
    r->sums = with_gradient ? op->allocate(device, r->sum_count + 1) : NULL;
    op->fill(device, rows, 1, r->inputs);
    return lf_device_status(ctx, device);
}

void lf_device_rows_clear(lf_device_rows *r)
{
    if (r->device) {
        r->device->op->release(r->device, r->inputs);
        r->device->op->release(r->device, r->motion);
        r->device->op->release(r->device, r->nodes);
        r->device->op->release(r->device, r->sums);
    }
    lf_response_clear(&r->response);
    free(r->early);
    free(r->early_times);
    free(r->x);
    free(r->by_lambda);
    *r = (lf_device_rows){0};
}

lf_status lf_device_rows_load(lf_context *ctx, lf_device_rows *r, int output, size_t n, const double *x,
                              int with_derivative)
{
    const lf_model *model = r->features->model;
    lf_response_clear(&r->response);
    r->output = output;
    r->n = n;
    r->points = x;
    r->early_count = 0;
    if (r->device->here) {
        r->ld = n;
        return LF_OK;
    }
    lf_status status = lf_response_create(ctx, model, output, n, x, with_derivative, &r->response);
    if (status) {
        return status;
    }
    const lf_device_class *op = r->device->op;
    op->upload(r->device, n, (size_t)model->input_dim, r->response.t, n, r->inputs + r->rows, r->rows);
    if (r->response.from_rest) {
        const lf_output *o = r->response.output;
        size_t columns = (size_t)o->order * (with_derivative ? 2 + (size_t)o->constant_count : 1);
        op->upload(r->device, n, columns, r->response.h, n, r->motion, r->rows);
    }
    return LF_OK;
}

lf_status lf_device_rows_waves(lf_context *ctx, lf_device_rows *r, const lf_nodes *nodes, const double *scale,
                               const double *row_scale, double *V, lf_transfers *f)
{
    size_t S = nodes->count, p = (size_t)nodes->input_dim;
    double *G = lf_doubles(2, S);
    *f = (lf_transfers){0};
    lf_status status = G ? lf_transfers_create(ctx, &r->response, lf_all_nodes(nodes), f) : lf_no_memory(ctx);
    for (size_t s = 0; !status && s < S; s++) {
        double factor = scale ? scale[s] : 1;
        G[2 * s] = factor * creal(f->G[s]);
        G[2 * s + 1] = factor * cimag(f->G[s]);
    }
    if (!status) {
        r->device->op->upload(r->device, p * S, 1, nodes->lambda, p * S, r->nodes, p * S);
        r->device->op->upload(r->device, 2 * S, 1, G, 2 * S, r->nodes + p * S, 2 * S);
        r->device->op->waves(r->device,
                             &(lf_device_waves){.n = r->response.n,
                                                .count = S,
                                                .input_dim = nodes->input_dim,
                                                .order = r->response.from_rest ? r->response.output->order : 0,
                                                .ld = r->rows,
                                                .t = r->inputs + r->rows,
                                                .h = r->motion,
                                                .lambda = r->nodes,
                                                .G = r->nodes + p * S,
                                                .row_scale = row_scale,
                                                .V = V});
    }
    free(G);
    return status;
}

void lf_source_scale(const lf_model *model, int output, const lf_source *source, size_t S, double *scale)
{
    double factor = lf_source_sensitivity(model, output, source);
    for (size_t s = 0; s < S; s++) {
        scale[s] = factor * sqrt(source->w[s]);
    }
}

/* The columns of one source. */
static lf_status fill_source(lf_context *ctx, lf_device_rows *r, const lf_source *source, const double *scale_here,
                             const double *row_scale, double *columns)
{
    const lf_nodes *nodes = &r->features->grids.grids[source->grid];
    size_t S = nodes->count;
    if (lf_source_sensitivity(r->features->model, r->output, source) == 0) {
        r->device->op->fill(r->device, 2 * S * r->rows, 0, columns);
        return LF_OK;
    }
    double *scale = lf_doubles(S, 1);
    lf_transfers f = {0};
    if (!scale) {
        return lf_no_memory(ctx);
    }
    lf_source_scale(r->features->model, r->output, source, S, scale);
    lf_status status = lf_device_rows_waves(ctx, r, nodes, scale, row_scale, columns, &f);
    LF_TRY(status, lf_cancelled_put(ctx, r, nodes, f.safe, scale, scale_here, columns));
    lf_transfers_clear(&f);
    free(scale);
    return status;
}

/* The columns of the initial state, sqrt(variance_k) h_k. */
static lf_status fill_states(lf_context *ctx, lf_device_rows *r, const double *scale_here, double *columns)
{
    const lf_output *output = r->response.output;
    size_t n = r->response.n, P = (size_t)output->order;
    double *states = lf_doubles(n, P);
    if (!states) {
        return lf_no_memory(ctx);
    }
    for (size_t k = 0; k < P; k++) {
        double scale = sqrt(output->initial_variance[k]);
        for (size_t i = 0; i < n; i++) {
            states[k * n + i] = scale * r->response.h[k * n + i] * (scale_here ? scale_here[i] : 1);
        }
    }
    r->device->op->upload(r->device, n, P, states, n, columns, r->rows);
    free(states);
    return LF_OK;
}

lf_status lf_device_rows_fill(lf_context *ctx, lf_device_rows *r, const double *scale_here, const double *scale,
                              double *shared, double *private)
{
    const lf_features *features = r->features;
    lf_status status = LF_OK;
    if (r->device->here) {
        status = lf_features_rows(ctx, features, r->output, r->n, r->points, shared, private);
        if (!status && scale) {
            r->device->op->scale_rows(r->device, r->n, features->shared, scale, shared, r->ld);
            r->device->op->scale_rows(r->device, r->n, lf_features_private(features, r->output), scale, private, r->ld);
        }
        return status;
    }
    for (int i = 0; !status && i < features->grids.source_count; i++) {
        const lf_source *source = &features->grids.sources[i];
        double *columns = lf_features_source_columns(features, r->output, source, r->rows, shared, private);
        status = columns ? fill_source(ctx, r, source, scale_here, scale, columns) : LF_OK;
    }
    if (!status && lf_has_initial_state(features->model, r->output)) {
        size_t waves = lf_features_private(features, r->output) - (size_t)r->response.output->order;
        status = fill_states(ctx, r, scale_here, private + waves * r->rows);
    }
    return status;
}
