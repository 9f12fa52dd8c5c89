/* Derivatives of response columns. With s = j lambda, chi(s) = 1 / G(s):
 *   from rest:   dv/da_k = -s^{P-k} G v - G sum_i s^i dh_i/da_k,
 *                dv/ds   = (t - chi'/chi) v + G sum_i (s^i t - i s^{i-1}) h_i;
 *   stationary:  the same without h;
 *   gaussian:    dv/dprecision_i = lambda_i^2 / (2 precision_i^2) v,
 *                dv/dlambda_i = (j x_i - lambda_i / precision_i) v.
 * The adjoint is first contracted over the rows: X = sum conj(adjoint) v, X_t = sum conj(adjoint) t v, and
 * adjoint' [h, t h, dh] by one matrix product. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "features/response.h"
#include "features/transfer.h"
#include "features/wave_response.h"

enum { CHUNK = 64 };

/* Entries that came from lf_wave_responses: adds their part of the gradient to by_node (count, constants) and
 * by_lambda, then sets their adjoint to 0. */
static void backward_cancelled(const lf_response *r, const double *lambda, size_t count, const double *safe,
                               double *adjoint, double *by_node, double *by_lambda)
{
    int shift = r->output->op->first_coefficient, P = r->output->order, constants = r->output->constant_count;
#pragma omp parallel for schedule(dynamic) if (r->n * count > 10000)
    for (size_t s = 0; s < count; s++) {
        double *re = adjoint + s * r->n, *im = adjoint + (count + s) * r->n;
        double times[CHUNK];
        double complex v[CHUNK], slope[CHUNK], da[CHUNK * (LF_MAX_ORDER + 1)];
        size_t rows[CHUNK], here = 0;
        for (size_t i = 0; i < r->n; i++) {
            if (r->t[i] < safe[s]) {
                rows[here] = i;
                times[here++] = r->t[i];
            }
            if (here < CHUNK && (here == 0 || i + 1 < r->n)) {
                continue;
            }
            lf_wave_responses(r->a, P, lambda[s], here, times, v, da, by_lambda ? slope : NULL);
            for (size_t c = 0; c < here; c++) {
                size_t row = rows[c];
                const double complex *by = da + c * (size_t)(P + 1);
                for (int k = 0; k < constants; k++) {
                    by_node[s * (size_t)constants + (size_t)k] +=
                        re[row] * creal(by[k + shift]) + im[row] * cimag(by[k + shift]);
                }
                if (by_lambda) {
                    by_lambda[s] += re[row] * creal(slope[c]) + im[row] * cimag(slope[c]);
                }
                re[row] = im[row] = 0;
            }
            here = 0;
        }
    }
}

/* sum over rows of conj(adjoint) v, each term times t[i] unless t is NULL. The independent lanes permit vector
 * instructions. */
static double complex contract(size_t n, const double *a_re, const double *a_im, const double *v_re, const double *v_im,
                               const double *t)
{
    enum { LANES = 8 };
    double re[LANES] = {0}, im[LANES] = {0};
    for (size_t from = 0; from < n; from += LANES) {
        size_t lanes = n - from < LANES ? n - from : LANES;
        for (size_t k = 0; k < lanes; k++) {
            size_t i = from + k;
            double weight = t ? t[i] : 1;
            re[k] += weight * (a_re[i] * v_re[i] + a_im[i] * v_im[i]);
            im[k] += weight * (a_re[i] * v_im[i] - a_im[i] * v_re[i]);
        }
    }
    double complex sum = 0;
    for (int k = 0; k < LANES; k++) {
        sum += re[k] + im[k] * I;
    }
    return sum;
}

typedef struct ode_node {
    double lambda;
    double complex G, X, X_t;
} ode_node;

/* The contribution of one node for an ODE. Z (2 count, …): adjoint' [h, t h] if by_lambda is given, and
 * adjoint' dh. */
static void backward_ode_node(const lf_response *r, const ode_node *node, const double *Z, size_t count,
                              double *gradient, double *by_lambda)
{
    double complex X = node->X, G = node->G;
    int P = r->output->order, constants = r->output->constant_count, shift = r->output->op->first_coefficient;
    double complex power[LF_MAX_ORDER + 1] = {1};
    for (int k = 0; k < P; k++) {
        power[k + 1] = power[k] * (node->lambda * I);
    }
#define CONTRACTED(column) (Z[(size_t)(column)*2 * count] - Z[(size_t)(column)*2 * count + count] * I)
    if (by_lambda) {
        double complex slope = 0, sum = 0; /* chi'(s) */
        for (int k = 0; k < P; k++) {
            slope += (P - k) * r->a[k] * power[P - k - 1];
        }
        for (int i = 0; r->from_rest && i < P; i++) {
            sum += power[i] * CONTRACTED(P + i) - (i ? i * power[i - 1] * CONTRACTED(i) : 0);
        }
        *by_lambda += creal(I * (node->X_t + G * (sum - slope * X)));
    }
    int first = by_lambda ? 2 * P : 0;
    for (int k = 0; k < constants; k++) {
        double complex sum = X * power[P - k - shift];
        for (int i = 0; r->from_rest && i < P; i++) {
            sum += power[i] * CONTRACTED(first + k * P + i);
        }
        gradient[k] -= creal(G * sum);
    }
#undef CONTRACTED
}

/* All nodes of an ODE. X (count, 2 if by_lambda is given, else 1): X, then X_t; Z as in backward_ode_node. */
static void backward_ode(const lf_response *r, const double *lambda, size_t count, const double complex *G,
                         const double complex *X, const double *Z, double *gradient, double *by_lambda)
{
    size_t terms = by_lambda ? 2 : 1;
    for (size_t s = 0; s < count; s++) {
        if (isfinite(cabs(G[s]))) { /* exactly on a root all entries came from lf_wave_responses */
            ode_node node = {lambda[s], G[s], X[s * terms], by_lambda ? X[s * terms + 1] : 0};
            backward_ode_node(r, &node, Z + s, count, gradient, by_lambda ? by_lambda + s : NULL);
        }
    }
}

/* The gaussian operator at all nodes, from Re X (count); the part of by_lambda that comes from the wave is already there. */
static void backward_precisions(const lf_response *r, const double *lambda, size_t count, const double *X,
                                double *gradient, double *by_lambda)
{
    size_t p = (size_t)r->input_dim;
    for (size_t j = 0; r->output && j < count * p; j++) {
        size_t constant = r->output->constant_count > 1 ? j % p : 0;
        double slope = lambda[j] / r->output->constants[constant];
        gradient[constant] += 0.5 * slope * slope * X[j / p];
        if (by_lambda) {
            by_lambda[j] -= slope * X[j / p];
        }
    }
}

/* Gaussian operators and forces, any number of inputs. Only the imaginary part of X_t is needed: the product of the
 * inputs with Re(adjoint) Im(v) - Im(adjoint) Re(v), which overwrites Re(adjoint). */
static lf_status backward_gaussian(lf_context *ctx, const lf_response *r, const double *lambda, size_t count,
                                   const double *V, double *adjoint, double *gradient, double *by_lambda)
{
    size_t n = r->n, p = (size_t)r->input_dim;
    double *X = lf_doubles(count, 1);
    if (!X) {
        return lf_no_memory(ctx);
    }
#pragma omp parallel for schedule(static) if (n * count > 10000)
    for (size_t s = 0; s < count; s++) {
        const double *v_re = V + s * n, *v_im = V + (count + s) * n;
        double *a_re = adjoint + s * n, *a_im = adjoint + (count + s) * n;
        X[s] = cblas_ddot((int)n, a_re, 1, v_re, 1) + cblas_ddot((int)n, a_im, 1, v_im, 1);
        for (size_t i = 0; by_lambda && i < n; i++) {
            a_re[i] = a_re[i] * v_im[i] - a_im[i] * v_re[i];
        }
    }
    if (by_lambda) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)p, (int)count, (int)n, -1, r->t, (int)n, adjoint,
                    (int)n, 1, by_lambda, (int)p);
    }
    backward_precisions(r, lambda, count, X, gradient, by_lambda);
    free(X);
    return LF_OK;
}

lf_status lf_response_backward(lf_context *ctx, const lf_response *r, lf_node_range range, const double *V,
                               double *adjoint, double *gradient, double *by_lambda)
{
    const double *lambda = range.nodes->lambda + range.first * (size_t)r->input_dim;
    size_t count = range.count;
    if (!r->output && !by_lambda) {
        return LF_OK; /* a force has no constants */
    }
    if (!r->output || !r->output->op->is_ode) {
        return backward_gaussian(ctx, r, lambda, count, V, adjoint, gradient, by_lambda);
    }
    size_t n = r->n, terms = by_lambda ? 2 : 1, constants = (size_t)r->output->constant_count;
    size_t P = r->from_rest ? (size_t)r->output->order : 0, derivatives = P * (constants + (by_lambda ? 2 : 0));
    lf_transfers f;
    lf_status status = lf_transfers_create(ctx, r, range, &f);
    if (status) {
        return status;
    }
    double *Z = lf_doubles(2 * count, derivatives), *by_node = lf_doubles(count, constants);
    double complex *X = malloc((count * terms + 1) * sizeof *X); /* (count, terms): X, then X_t */
    if (!Z || !X || !by_node) {
        free(Z);
        free(X);
        free(by_node);
        lf_transfers_clear(&f);
        return lf_no_memory(ctx);
    }
    if (r->from_rest) {
        backward_cancelled(r, lambda, count, f.safe, adjoint, by_node, by_lambda);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)(2 * count), (int)derivatives, (int)n, 1, adjoint,
                    (int)n, by_lambda ? r->h : r->dh, (int)n, 0, Z, (int)(2 * count));
    }
#pragma omp parallel for schedule(static) if (n * count > 10000)
    for (size_t s = 0; s < count; s++) {
        for (size_t k = 0; k < terms; k++) {
            X[s * terms + k] = contract(n, adjoint + s * n, adjoint + (count + s) * n, V + s * n, V + (count + s) * n,
                                        k ? r->t : NULL);
        }
    }
    for (size_t i = 0; i < count * constants; i++) {
        gradient[i % constants] += by_node[i];
    }
    backward_ode(r, lambda, count, f.G, X, Z, gradient, by_lambda);
    free(Z);
    free(X);
    free(by_node);
    lf_transfers_clear(&f);
    return LF_OK;
}

lf_status lf_response_backward_sums(lf_context *ctx, const lf_response *r, const lf_nodes *nodes, const double *Q,
                                    const double *Z, double *gradient, double *by_lambda)
{
    size_t S = nodes->count, p = (size_t)r->input_dim;
    if (!r->output || !r->output->op->is_ode) {
        for (size_t i = 0; by_lambda && i < S * p; i++) {
            by_lambda[i] -= Q[2 * S * (1 + i % p) + S + i / p];
        }
        backward_precisions(r, nodes->lambda, S, Q, gradient, by_lambda);
        return LF_OK;
    }
    size_t terms = by_lambda ? 2 : 1, P = (size_t)r->output->order;
    double complex *X = malloc((S * terms + 1) * sizeof *X);
    lf_transfers f = {0};
    lf_status status = X ? lf_transfers_create(ctx, r, lf_all_nodes(nodes), &f) : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < S * terms; i++) {
        const double *sums = Q + 2 * S * (i % terms) + i / terms;
        X[i] = sums[0] + sums[S] * I;
    }
    if (!status) { /* without derivatives by the frequencies only adjoint' dh is needed */
        backward_ode(r, nodes->lambda, S, f.G, X, Z && !by_lambda ? Z + 2 * S * 2 * P : Z, gradient, by_lambda);
    }
    free(X);
    lf_transfers_clear(&f);
    return status;
}
