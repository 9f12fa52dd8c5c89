/* Response columns by the transfer-function form, switching to lf_wave_response where that form cancels.
 *
 * The bracket of v = G [wave - free motion] loses the factor prod_i min(1, |j lambda - s_i| t) over the roots s_i: near
 * resonance and for small t. Where this falls below CANCELLATION the robust form takes over, so that v keeps 14 digits
 * and its derivative, which loses the square, 12. */
#include "columns/response.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "columns/wave.h"

#define CANCELLATION 1e-2
enum { TILE = 256, RESYNCHRONISE = 32 };

lf_status lf_response_create(lf_context *ctx, const lf_model *model, int target, size_t n, const double *x,
                             int with_derivative, lf_response *r)
{
    const lf_output *output = target < model->output_count ? &model->outputs[target] : NULL;
    int ode = output && output->op->is_ode;
    *r = (lf_response){.output = output, .from_rest = ode && model->initial != LF_INITIAL_STATIONARY, .n = n};
    r->t = lf_doubles(n, 1);
    if (!r->t) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < n; i++) {
        r->t[i] = x[i] - model->origin;
    }
    if (!ode) {
        return LF_OK;
    }
    int P = output->order;
    lf_ode_coefficients(output->op, output->constants, P, r->a);
    if (lf_ode_roots(r->a, P, r->roots)) {
        lf_response_clear(r);
        return lf_fail(ctx, LF_ERROR_NUMERIC, "output '%s': the roots of its operator could not be found",
                       output->name);
    }
    if (!r->from_rest) {
        return LF_OK;
    }
    size_t columns = (size_t)P, derivatives = with_derivative ? (size_t)(P * output->constant_count) : 0;
    r->h = lf_doubles(n, columns);
    r->dh = derivatives ? lf_doubles(n, derivatives) : NULL;
    if (!r->h || (derivatives && !r->dh)) {
        lf_response_clear(r);
        return lf_no_memory(ctx);
    }
#pragma omp parallel for schedule(static) if (n > TILE)
    for (size_t i = 0; i < n; i++) {
        double h[LF_MAX_ORDER], dh[LF_MAX_ORDER * (LF_MAX_ORDER + 1)];
        output->op->motion(output->constants, P, r->t[i], h, r->dh ? dh : NULL);
        for (size_t k = 0; k < columns; k++) {
            r->h[k * n + i] = h[k];
        }
        for (size_t k = 0; k < derivatives; k++) {
            r->dh[k * n + i] = dh[k];
        }
    }
    return LF_OK;
}

void lf_response_clear(lf_response *r)
{
    free(r->t);
    free(r->h);
    free(r->dh);
    *r = (lf_response){0};
}

static double complex cpow_integer(double complex base, int exponent)
{
    double complex power = 1;
    while (exponent-- > 0) {
        power *= base;
    }
    return power;
}

/* G(j lambda). */
static double complex transfer(const lf_response *r, double lambda)
{
    if (!r->output) {
        return 1;
    }
    if (!r->output->op->is_ode) {
        return exp(-lambda * lambda / (2 * r->output->constants[0]));
    }
    return 1 / lf_ode_polynomial(r->a, r->output->order, lambda * I);
}

/* The time before which the bracket cancels: the t with prod_i min(1, d_i t) = CANCELLATION, d_i = |j lambda - s_i|. */
static double safe_time(const lf_response *r, double lambda)
{
    if (!r->from_rest) {
        return -INFINITY;
    }
    int P = r->output->order;
    double d[LF_MAX_ORDER];
    for (int i = 0; i < P; i++) { /* insertion sort, ascending */
        double distance = cabs(lambda * I - r->roots[i]);
        int k = i;
        for (; k > 0 && d[k - 1] > distance; k--) {
            d[k] = d[k - 1];
        }
        d[k] = distance;
    }
    double product = 1, t = INFINITY;
    for (int k = 0; k < P; k++) { /* with the k + 1 nearest roots closer than 1/t */
        product *= d[k];
        t = pow(CANCELLATION / product, 1.0 / (k + 1));
        if (k + 1 == P || d[k + 1] * t >= 1) {
            break;
        }
    }
    return t;
}

/* (cosine, sine) of lambda_s t for the m times of a tile; uniform nodes rotate the last column by `step`. */
typedef struct waves {
    double re[TILE], im[TILE], step_re[TILE], step_im[TILE];
} waves;

static void advance(waves *w, const lf_nodes *nodes, size_t s, size_t since, size_t m, const double *t)
{
    if (!nodes->step || since % RESYNCHRONISE == 0) {
        for (size_t i = 0; i < m; i++) {
            w->re[i] = cos(nodes->lambda[s] * t[i]);
            w->im[i] = sin(nodes->lambda[s] * t[i]);
        }
        return;
    }
    for (size_t i = 0; i < m; i++) {
        double re = w->re[i] * w->step_re[i] - w->im[i] * w->step_im[i];
        w->im[i] = w->re[i] * w->step_im[i] + w->im[i] * w->step_re[i];
        w->re[i] = re;
    }
}

static void tile_columns(const lf_response *r, const lf_nodes *nodes, size_t first, size_t count, size_t row, size_t m,
                         const double complex *G, const double *safe, double *V)
{
    waves w;
    const double *t = r->t + row;
    for (size_t i = 0; i < m; i++) {
        w.step_re[i] = cos(nodes->step * t[i]);
        w.step_im[i] = sin(nodes->step * t[i]);
    }
    for (size_t s = 0; s < count; s++) {
        double lambda = nodes->lambda[first + s];
        double *re = V + s * r->n + row, *im = V + (count + s) * r->n + row;
        advance(&w, nodes, first + s, s, m, t);
        memcpy(re, w.re, m * sizeof *re);
        memcpy(im, w.im, m * sizeof *im);
        double power = 1; /* (j lambda)^k = power, j power, -power, … */
        for (int k = 0; r->from_rest && k < r->output->order; k++) {
            const double *h = r->h + (size_t)k * r->n + row;
            double *part = k % 2 ? im : re, sign = k % 4 < 2 ? power : -power;
            for (size_t i = 0; i < m; i++) {
                part[i] -= sign * h[i];
            }
            power *= lambda;
        }
        double g_re = creal(G[s]), g_im = cimag(G[s]);
        for (size_t i = 0; i < m; i++) {
            double b_re = re[i], b_im = im[i];
            re[i] = g_re * b_re - g_im * b_im;
            im[i] = g_re * b_im + g_im * b_re;
        }
        for (size_t i = 0; i < m; i++) {
            if (t[i] < safe[s]) {
                double complex v = lf_wave_response(r->a, r->output->order, lambda, t[i], NULL);
                re[i] = creal(v);
                im[i] = cimag(v);
            }
        }
    }
}

/* G and the safe times at a run of nodes. */
typedef struct transfers {
    double complex *G;
    double *safe;
} transfers;

static lf_status transfers_create(lf_context *ctx, const lf_response *r, const lf_nodes *nodes, size_t first,
                                  size_t count, transfers *f)
{
    f->G = malloc((count + 1) * sizeof *f->G);
    f->safe = lf_doubles(count, 1);
    if (!f->G || !f->safe) {
        free(f->G);
        free(f->safe);
        return lf_no_memory(ctx);
    }
    for (size_t s = 0; s < count; s++) {
        f->G[s] = transfer(r, nodes->lambda[first + s]);
        f->safe[s] = safe_time(r, nodes->lambda[first + s]);
    }
    return LF_OK;
}

static void transfers_clear(transfers *f)
{
    free(f->G);
    free(f->safe);
}

lf_status lf_response_columns(lf_context *ctx, const lf_response *r, const lf_nodes *nodes, size_t first, size_t count,
                              double *V)
{
    transfers f;
    lf_status status = transfers_create(ctx, r, nodes, first, count, &f);
    if (status) {
        return status;
    }
    size_t tiles = (r->n + TILE - 1) / TILE;
#pragma omp parallel for schedule(dynamic) if (tiles > 1)
    for (size_t tile = 0; tile < tiles; tile++) {
        size_t row = tile * TILE, m = r->n - row < TILE ? r->n - row : TILE;
        tile_columns(r, nodes, first, count, row, m, f.G, f.safe, V);
    }
    transfers_clear(&f);
    return LF_OK;
}

/* The entries that came from lf_wave_response: their share of the gradient, after which their adjoint is cleared. */
static void backward_cancelled(const lf_response *r, const lf_nodes *nodes, size_t first, size_t count,
                               const double *safe, double *adjoint, double *gradient)
{
    int shift = r->output->op->first_coefficient;
    double complex da[LF_MAX_ORDER + 1];
    for (size_t s = 0; s < count; s++) {
        double *re = adjoint + s * r->n, *im = adjoint + (count + s) * r->n;
        for (size_t i = 0; i < r->n; i++) {
            if (r->t[i] < safe[s]) {
                lf_wave_response(r->a, r->output->order, nodes->lambda[first + s], r->t[i], da);
                for (int k = 0; k < r->output->constant_count; k++) {
                    gradient[k] += re[i] * creal(da[k + shift]) + im[i] * cimag(da[k + shift]);
                }
                re[i] = im[i] = 0;
            }
        }
    }
}

/* dv/da_k = -(j lambda)^{P-k} G v - G sum_i (j lambda)^i dh_i/da_k, contracted with the adjoint over the rows first. */
lf_status lf_response_backward(lf_context *ctx, const lf_response *r, const lf_nodes *nodes, size_t first, size_t count,
                               const double *V, double *adjoint, double *gradient)
{
    if (!r->output) {
        return LF_OK; /* a force has no constants */
    }
    int P = r->output->order, constants = r->output->constant_count, shift = r->output->op->first_coefficient;
    size_t n = r->n, derivatives = r->dh ? (size_t)(P * constants) : 0;
    transfers f;
    lf_status status = transfers_create(ctx, r, nodes, first, count, &f);
    if (status) {
        return status;
    }
    double *Z = lf_doubles(2 * count, derivatives); /* (2 count, P, constants): adjoint' dh */
    if (!Z) {
        transfers_clear(&f);
        return lf_no_memory(ctx);
    }
    if (r->from_rest) {
        backward_cancelled(r, nodes, first, count, f.safe, adjoint, gradient);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)(2 * count), (int)derivatives, (int)n, 1, adjoint,
                    (int)n, r->dh, (int)n, 0, Z, (int)(2 * count));
    }
    for (size_t s = 0; s < count; s++) {
        const double *v_re = V + s * n, *v_im = V + (count + s) * n;
        const double *a_re = adjoint + s * n, *a_im = adjoint + (count + s) * n;
        double x_re = 0, x_im = 0; /* X = sum over rows of conj(adjoint) v */
        for (size_t i = 0; i < n; i++) {
            x_re += a_re[i] * v_re[i] + a_im[i] * v_im[i];
            x_im += a_re[i] * v_im[i] - a_im[i] * v_re[i];
        }
        double lambda = nodes->lambda[first + s];
        if (!r->output->op->is_ode) {
            double precision = r->output->constants[0];
            gradient[0] += x_re * lambda * lambda / (2 * precision * precision);
            continue;
        }
        if (!isfinite(cabs(f.G[s]))) {
            continue; /* exactly on a root: every entry came from lf_wave_response */
        }
        double complex wave = lambda * I, GX = f.G[s] * (x_re + x_im * I);
        for (int k = 0; k < constants; k++) {
            double complex sum = GX * cpow_integer(wave, P - k - shift);
            double complex power = f.G[s];
            for (int i = 0; r->dh && i < P; i++) {
                size_t column = ((size_t)(k * P + i)) * 2 * count;
                sum += power * (Z[column + s] - Z[column + count + s] * I);
                power *= wave;
            }
            gradient[k] -= creal(sum);
        }
    }
    free(Z);
    transfers_clear(&f);
    return LF_OK;
}
