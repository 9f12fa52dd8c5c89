/* Response columns by the transfer-function form, with lf_wave_response where that form cancels (transfer.c). The waves
 * of uniform nodes are rotated from one node to the next and computed directly every CHUNK nodes, which bounds the
 * rounding error. */
#include "features/response.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "features/sincos.h"
#include "features/transfer.h"
#include "features/wave_response.h"

enum { TILE = 256, CHUNK = 32 };

/* Fills h and, with derivatives, th and dh. */
static lf_status create_motions(lf_context *ctx, int with_derivative, lf_response *r)
{
    const lf_output *output = r->output;
    size_t n = r->n, P = (size_t)output->order, derivatives = P * (size_t)output->constant_count;
    r->h = lf_doubles(n, with_derivative ? 2 * P + derivatives : P);
    if (!r->h) {
        return lf_no_memory(ctx);
    }
    if (with_derivative) {
        r->th = r->h + n * P;
        r->dh = r->th + n * P;
    }
#pragma omp parallel for schedule(static) if (n > TILE)
    for (size_t i = 0; i < n; i++) {
        double h[LF_MAX_ORDER], dh[LF_MAX_ORDER * (LF_MAX_ORDER + 1)];
        output->op->motion(output->constants, output->order, r->t[i], h, r->dh ? dh : NULL);
        if (r->rate) {
            double motion[LF_MAX_ORDER];
            memcpy(motion, h, P * sizeof *h);
            lf_ode_motion_rate(r->a, output->order, motion, h);
        }
        for (size_t k = 0; k < P; k++) {
            r->h[k * n + i] = h[k];
        }
        for (size_t k = 0; r->dh && k < P; k++) {
            r->th[k * n + i] = r->t[i] * h[k];
        }
        for (size_t k = 0; r->dh && k < derivatives; k++) {
            r->dh[k * n + i] = dh[k];
        }
    }
    return LF_OK;
}

lf_status lf_response_create(lf_context *ctx, const lf_model *model, int target, size_t n, const double *x,
                             int with_derivative, lf_response *r)
{
    int index = lf_target_output(model, target);
    const lf_output *output = index >= 0 ? &model->outputs[index] : NULL;
    int ode = output && output->op->is_ode;
    size_t p = (size_t)model->input_dim;
    *r = (lf_response){.output = output,
                       .from_rest = ode && model->initial != LF_INITIAL_STATIONARY,
                       .rate = lf_target_is_rate(model, target),
                       .n = n,
                       .input_dim = model->input_dim};
    r->t = lf_doubles(n, p);
    if (!r->t) {
        return lf_no_memory(ctx);
    }
    for (size_t k = 0; k < p; k++) {
        for (size_t i = 0; i < n; i++) {
            r->t[k * n + i] = x[i * p + k] - model->origin;
        }
    }
    lf_status status = LF_OK;
    if (ode) {
        lf_ode_coefficients(output->op, output->constants, output->order, r->a);
        if (lf_ode_roots(r->a, output->order, r->roots)) {
            status = lf_fail(ctx, LF_ERROR_NUMERIC, "output '%s': the roots of its operator could not be found",
                             output->name);
        }
    }
    if (!status && r->from_rest) {
        status = create_motions(ctx, with_derivative, r);
    }
    if (status) {
        lf_response_clear(r);
    }
    return status;
}

void lf_response_clear(lf_response *r)
{
    free(r->t);
    free(r->h);
    *r = (lf_response){0};
}

/* e^{j lambda_s t} at the m times of a tile, from `row` on, and the rotation e^{j step t} to the next uniform node. */
typedef struct waves {
    size_t row, m;
    double re[TILE], im[TILE], step_re[TILE], step_im[TILE];
} waves;

static void start_waves(waves *w, const lf_response *r, double lambda)
{
    for (size_t i = 0; i < w->m; i++) {
        w->im[i] = lambda * r->t[w->row + i];
    }
    lf_sincos(w->m, w->im, w->im, w->re);
}

static void advance_waves(waves *w)
{
    for (size_t i = 0; i < w->m; i++) {
        double re = w->re[i] * w->step_re[i] - w->im[i] * w->step_im[i];
        w->im[i] = w->re[i] * w->step_im[i] + w->im[i] * w->step_re[i];
        w->re[i] = re;
    }
}

/* Whether node s is the uniform node next to node s - 1: not across a gap, and not a line. */
static int follows(const lf_nodes *nodes, size_t s)
{
    double gap = nodes->lambda[s] - nodes->lambda[s - 1];
    return nodes->step > 0 && s < nodes->count - nodes->lines && fabs(gap - nodes->step) < 0.5 * nodes->step;
}

/* Replaces the entries of re and im (m) for which the bracket of v cancels. */
static void replace_cancelled(const lf_response *r, double lambda, double safe, size_t row, size_t m, double *re,
                              double *im)
{
    double times[TILE];
    double complex v[TILE];
    size_t count = 0, done = 0;
    for (size_t i = 0; i < m; i++) {
        if (r->t[row + i] < safe) {
            times[count++] = r->t[row + i];
        }
    }
    if (count && !r->rate) {
        lf_wave_responses(r->a, r->output->order, lambda, count, times, v, NULL, NULL);
    }
    for (size_t i = 0; count && i < m; i++) {
        if (r->t[row + i] < safe) {
            double complex value = r->rate ? lf_wave_rate(r->a, r->output->order, lambda, times[done]) : v[done];
            re[i] = creal(value);
            im[i] = cimag(value);
            done++;
        }
    }
}

/* re and im (m): v at one node, from the waves. */
static void apply_operator(const lf_response *r, double lambda, double complex G, double safe, const waves *w,
                           double *re, double *im)
{
    size_t row = w->row, m = w->m;
    if (r->rate) {
        for (size_t i = 0; i < m; i++) {
            re[i] = -lambda * w->im[i];
            im[i] = lambda * w->re[i];
        }
    } else {
        memcpy(re, w->re, m * sizeof *re);
        memcpy(im, w->im, m * sizeof *im);
    }
    double power = 1; /* (j lambda)^k = power, j power, -power, … */
    for (int k = 0; r->from_rest && k < r->output->order; k++) {
        const double *h = r->h + (size_t)k * r->n + row;
        double *part = k % 2 ? im : re, sign = k % 4 < 2 ? power : -power;
        for (size_t i = 0; i < m; i++) {
            part[i] -= sign * h[i];
        }
        power *= lambda;
    }
    double g_re = creal(G), g_im = cimag(G);
    for (size_t i = 0; i < m; i++) {
        double b_re = re[i], b_im = im[i];
        re[i] = g_re * b_re - g_im * b_im;
        im[i] = g_re * b_im + g_im * b_re;
    }
    if (r->from_rest) {
        replace_cancelled(r, lambda, safe, row, m, re, im);
    }
}

/* Several inputs, so gaussian operators and forces only: the phases lambda'x of all nodes are one matrix product. */
static void plane_wave_columns(const lf_response *r, const double *lambda, size_t count, const double complex *G,
                               double *V)
{
    size_t n = r->n;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)count, r->input_dim, 1, r->t, (int)n, lambda,
                r->input_dim, 0, V + count * n, (int)n);
#pragma omp parallel for schedule(static) if (n * count > TILE * CHUNK)
    for (size_t s = 0; s < count; s++) {
        double *re = V + s * n, *im = V + (count + s) * n, g = creal(G[s]);
        lf_sincos(n, im, im, re);
        for (size_t i = 0; i < n; i++) {
            re[i] *= g;
            im[i] *= g;
        }
    }
}

lf_node_range lf_all_nodes(const lf_nodes *nodes) { return (lf_node_range){nodes, 0, nodes->count}; }

lf_status lf_response_columns(lf_context *ctx, const lf_response *r, lf_node_range range, double *V)
{
    const lf_nodes *nodes = range.nodes;
    size_t first = range.first, count = range.count;
    lf_transfers f;
    lf_status status = lf_transfers_create(ctx, r, range, &f);
    if (status) {
        return status;
    }
    size_t n = r->n;
    if (r->input_dim > 1) {
        plane_wave_columns(r, nodes->lambda + first * (size_t)r->input_dim, count, f.G, V);
        lf_transfers_clear(&f);
        return LF_OK;
    }
#pragma omp parallel for collapse(2) schedule(dynamic) if (n * count > TILE * CHUNK)
    for (size_t row = 0; row < n; row += TILE) {
        for (size_t from = 0; from < count; from += CHUNK) {
            size_t m = n - row < TILE ? n - row : TILE, to = count - from < CHUNK ? count : from + CHUNK;
            waves w;
            w.row = row;
            w.m = m;
            for (size_t i = 0; nodes->step > 0 && i < m; i++) {
                w.step_im[i] = nodes->step * r->t[row + i];
            }
            if (nodes->step > 0) {
                lf_sincos(m, w.step_im, w.step_im, w.step_re);
            }
            for (size_t s = from; s < to; s++) {
                if (s > from && follows(nodes, first + s)) {
                    advance_waves(&w);
                } else {
                    start_waves(&w, r, nodes->lambda[first + s]);
                }
                apply_operator(r, nodes->lambda[first + s], f.G[s], f.safe[s], &w, V + s * n + row,
                               V + (count + s) * n + row);
            }
        }
    }
    lf_transfers_clear(&f);
    return LF_OK;
}
