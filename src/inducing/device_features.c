/* With X = Phi U and G = dL/dX:
 *
 *   dL/dPhi_q = G_q U_q' + 2 dL/d(diag K_ff) o Phi_q,   dL/dU_q = Phi_q' G_q,   dL/dY_q = dL/dU_q / sqrt(w_q)
 *
 * lf_inducing_kernel_backward takes dL/dY for the whole dependence on the weights w, Y = w E', of which one half is in Phi. That half
 * is subtracted at the end. */
#include "inducing/device_features.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"

int lf_inducing_made_there(const lf_inducing_kernel *k, const lf_row_compression *rows)
{
    return k->device && k->source != LF_INDUCING_CLOSED_FORM && !rows->R;
}

/* Columns of Phi, or the response columns of any grid, which take its place. */
static size_t shared_columns(const lf_features *features)
{
    size_t most = features->shared;
    for (int g = 0; g < features->grids.grid_count; g++) {
        size_t columns = 2 * features->grids.grids[g].count;
        most = columns > most ? columns : most;
    }
    return most;
}

void lf_inducing_device_rows_numbers(const lf_inducing_kernel *k, int with_gradient, double *each_row, double *fixed)
{
    lf_device_rows_numbers(&k->features, with_gradient, each_row, fixed);
    *each_row += (double)shared_columns(&k->features) + (with_gradient ? (double)k->features.shared : 0);
    for (int q = 0; q < k->model->force_count; q++) {
        *fixed += (with_gradient ? 2 : 1) * (double)k->forces[q].S2 * (double)k->forces[q].K;
    }
}

static double weight(const lf_inducing_kernel *k, int q, size_t s)
{
    return k->features.grids.sources[q].w[s % (k->forces[q].S2 / 2)];
}

/* U_q = Y_q / sqrt(w_q). */
static lf_status upload_U(lf_context *ctx, const lf_inducing_kernel *k, int q, double *U)
{
    const lf_inducing_force *f = &k->forces[q];
    double *here = lf_doubles(f->S2, f->K);
    if (!here) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < f->S2 * f->K; i++) {
        double w = weight(k, q, i % f->S2);
        here[i] = w > 0 ? f->Y[i] / sqrt(w) : 0;
    }
    k->device->op->upload(k->device, f->S2, f->K, here, f->S2, U, f->S2);
    free(here);
    return LF_OK;
}

lf_status lf_inducing_device_rows_create(lf_context *ctx, const lf_inducing_kernel *k, size_t rows, int with_gradient,
                                         lf_inducing_device_rows *r)
{
    lf_device *device = k->device;
    const lf_device_class *op = device->op;
    size_t Q = (size_t)k->model->force_count;
    *r = (lf_inducing_device_rows){.U = calloc(Q + 1, sizeof *r->U), .by_U = calloc(Q + 1, sizeof *r->by_U)};
    lf_status status = r->U && r->by_U ? lf_device_rows_create(ctx, device, &k->features, rows, with_gradient, &r->rows)
                                       : lf_no_memory(ctx);
    for (size_t q = 0; !status && q < Q; q++) {
        size_t size = k->forces[q].S2 * k->forces[q].K;
        r->U[q] = op->allocate(device, size + 1);
        status = upload_U(ctx, k, (int)q, r->U[q]);
        if (with_gradient) {
            r->by_U[q] = op->allocate(device, size + 1);
            op->fill(device, size, 0, r->by_U[q]);
        }
    }
    if (!status) {
        r->shared = op->allocate(device, rows * shared_columns(&k->features) + 1);
        r->by_shared = with_gradient ? op->allocate(device, rows * k->features.shared + 1) : NULL;
        status = lf_device_status(ctx, device);
    }
    return status;
}

void lf_inducing_device_rows_clear(const lf_inducing_kernel *k, lf_inducing_device_rows *r)
{
    for (int q = 0; q < k->model->force_count; q++) {
        k->device->op->release(k->device, r->U ? r->U[q] : NULL);
        k->device->op->release(k->device, r->by_U ? r->by_U[q] : NULL);
    }
    k->device->op->release(k->device, r->shared);
    k->device->op->release(k->device, r->by_shared);
    lf_device_rows_clear(&r->rows);
    free(r->U);
    free(r->by_U);
    *r = (lf_inducing_device_rows){0};
}

lf_status lf_inducing_device_rows_make(lf_context *ctx, const lf_inducing_kernel *k, lf_inducing_device_rows *r,
                                       const lf_row_compression *rows, size_t first, size_t n, int with_derivative,
                                       double *X)
{
    const double *x = rows->x + first * (size_t)k->model->input_dim;
    size_t ld = r->rows.rows;
    lf_status status = lf_device_rows_load(ctx, &r->rows, rows->output, n, x, with_derivative);
    LF_TRY(status, lf_device_rows_fill(ctx, &r->rows, NULL, NULL, r->shared, NULL));
    for (int q = 0; !status && q < k->model->force_count; q++) {
        const lf_inducing_force *f = &k->forces[q];
        k->device->op->gemm(k->device, LF_PLAIN, LF_PLAIN, n, f->K, f->S2, 1, r->shared + k->features.start[q] * ld, ld,
                            r->U[q], f->S2, 0, X + f->first * ld, ld);
    }
    return status;
}

lf_status lf_inducing_device_rows_backward(lf_context *ctx, const lf_inducing_kernel *k, lf_inducing_device_rows *r,
                                           const double *by_X, const double *by_diagonal)
{
    lf_device *device = k->device;
    const lf_device_class *op = device->op;
    size_t ld = r->rows.rows, n = r->rows.response.n;
    for (int q = 0; q < k->model->force_count; q++) {
        const lf_inducing_force *f = &k->forces[q];
        const double *Phi = r->shared + k->features.start[q] * ld, *G = by_X + f->first * ld;
        op->gemm(device, LF_TRANSPOSED, LF_PLAIN, f->S2, f->K, n, 1, Phi, ld, G, ld, 1, r->by_U[q], f->S2);
        op->gemm(device, LF_PLAIN, LF_TRANSPOSED, n, f->S2, f->K, 1, G, ld, r->U[q], f->S2, 0,
                 r->by_shared + k->features.start[q] * ld, ld);
    }
    if (by_diagonal) {
        op->add_scaled_rows(device, n, k->features.shared, by_diagonal, r->shared, ld, r->by_shared, ld);
    }
    return lf_device_rows_backward(ctx, &r->rows, r->by_shared, NULL, r->shared);
}

lf_status lf_inducing_device_rows_finish(lf_context *ctx, const lf_inducing_kernel *k, const lf_inducing_device_rows *r,
                                         double *by_Y, double *gradient)
{
    lf_status status = LF_OK;
    for (int q = 0; !status && q < k->model->force_count; q++) {
        const lf_inducing_force *f = &k->forces[q];
        const lf_source *source = &k->features.grids.sources[q];
        int moves = k->features.grids.grids[source->grid].base != NULL; /* the weights do not */
        double *by_U = lf_doubles(f->S2, f->K), by_w = 0;
        if (by_U) {
            k->device->op->download(k->device, f->S2, f->K, r->by_U[q], f->S2, by_U, f->S2);
        }
        status = by_U ? lf_device_status(ctx, k->device) : lf_no_memory(ctx);
        for (size_t i = 0; !status && i < f->S2 * f->K; i++) {
            size_t s = i % f->S2;
            double w = weight(k, q, s), by = w > 0 ? by_U[i] / sqrt(w) : 0;
            by_Y[f->Y_offset + i] += by;
            by_w += moves ? 0 : by * f->E[s * f->K + i / f->S2] * source->dw[s % (f->S2 / 2)];
        }
        gradient[lf_index_kernel(k->model, q)] -= 0.5 * by_w;
        free(by_U);
    }
    return status;
}
