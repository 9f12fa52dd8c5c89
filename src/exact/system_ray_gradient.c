/* The share of the ray in the gradient of the covariances of a model given by equations: each node adds
 *
 *   dF = Re[ w ( sum_ab Z_ab d(h_a g_b) + sum_a d(h_a U_a'Q) + d(R'D'G D Q) ) ],   g = h(-lambda),  Q = R(-lambda)
 *
 * with Z and U the sums of G, and of -2 G D, over points times waves. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/system_adjoint.h"

lf_status lf_adjoint_find_lags(lf_context *ctx, lf_system_adjoint *b, double span)
{
    const lf_system_side *side = &b->side;
    size_t N = side->set->n, count = 0;
    size_t *first = calloc(N * (N + 1) / 2 + 2, sizeof *first);
    b->lags = calloc(N * (N + 1) / 2 + 1, sizeof *b->lags);
    if (!first || !b->lags) {
        free(first);
        return lf_no_memory(ctx);
    }
    for (size_t j = 0; j < N; j++) {
        for (size_t i = j; i < N; i++) {
            int swap = side->t[i] < side->t[j];
            b->lags[count++] = (lf_lag){.later = side->target[swap ? j : i],
                                        .earlier = side->target[swap ? i : j],
                                        .lag = fabs(side->t[i] - side->t[j]),
                                        .entry = j * N + i,
                                        .weight = (i == j ? 1 : 2) * b->G[j * b->ld + i]};
        }
    }
    b->sets = lf_lags_sort(count, b->lags, span, first);
    for (size_t k = 0; k < b->sets; k++) {
        lf_lag sum = b->lags[first[k]];
        for (size_t i = first[k] + 1; i < first[k + 1]; i++) {
            sum.weight += b->lags[i].weight;
        }
        b->lags[k] = sum;
    }
    free(first);
    return LF_OK;
}

/* Z (D, D) = sum over pairs of points, the later of output a and the other of b, of dF/dPhi times the wave of their lag. */
static void add_pairs(const lf_system_adjoint *b, double complex lambda, double complex *Z)
{
    size_t D = (size_t)b->response.model->output_count;
    for (size_t k = 0; k < b->sets; k++) {
        const lf_lag *pair = &b->lags[k];
        if (cimag(lambda) * pair->lag < 45) {
            Z[(size_t)pair->later * D + (size_t)pair->earlier] += pair->weight * lf_wave(lambda, pair->lag);
        }
    }
}

/* U (D, n): sum over the points of each output of dF/dP_i times the wave of their time. */
static void add_motions(const lf_system_adjoint *b, double complex lambda, double complex *U)
{
    size_t n = b->response.n;
    for (size_t i = 0; i < b->side.set->n; i++) {
        double complex factor = cimag(lambda) * b->side.t[i] < 45 ? -2 * lf_wave(lambda, b->side.t[i]) : 0;
        for (size_t k = 0; k < n; k++) {
            U[(size_t)b->side.target[i] * n + k] += factor * b->GD[i * n + k];
        }
    }
}

/* Node k, with its Z and U. scratch (2, n). */
static lf_status ray_node_backward(lf_context *ctx, lf_system_adjoint *b, int force, const lf_ray *ray, size_t k,
                                   const double complex *Z, const double complex *U, double complex *scratch)
{
    size_t n = b->response.n, T = b->response.targets, D = (size_t)b->response.model->output_count;
    const double complex *R = ray->R + k * n, *Q = ray->Q + k * n, *h = ray->h + k * T, *g = ray->g + k * T;
    double complex w = ray->weight[k], *by_R = scratch, *by_Q = scratch + n, value = 0, slope;
    memset(scratch, 0, 2 * n * sizeof *scratch);
    for (size_t i = 0; b->side.D && i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            by_R[i] += w * b->DGD[i * n + j] * Q[j];
            by_Q[j] += w * b->DGD[i * n + j] * R[i];
            value += R[i] * b->DGD[i * n + j] * Q[j];
        }
    }
    for (size_t a = 0; a < D; a++) {
        double complex by_h = 0, by_g = 0;
        for (size_t i = 0; i < D && b->response.wanted[a]; i++) {
            if (b->response.wanted[i]) {
                by_h += Z[a * D + i] * g[i];
                by_g += Z[i * D + a] * h[i];
            }
        }
        for (size_t i = 0; b->side.D && b->response.wanted[a] && i < n; i++) {
            by_h += U[a * n + i] * Q[i];
            by_Q[i] += w * h[a] * U[a * n + i];
        }
        if (b->response.wanted[a]) {
            value += by_h * h[a];
            lf_target_backward(b, force, (int)a, w * by_h, R, by_R);
            lf_target_backward(b, force, (int)a, w * by_g, Q, by_Q);
        }
    }
    lf_system_density(b->response.model, force, ray->lambda[k], &slope);
    b->by_lengthscale[force] += creal(w * value * slope);
    lf_status status = lf_states_backward(ctx, b, force, ray->lambda[k], R, by_R);
    return status ? status : lf_states_backward(ctx, b, force, -ray->lambda[k], Q, by_Q);
}

lf_status lf_ray_backward(lf_context *ctx, lf_system_adjoint *b, int force, const lf_ray *ray)
{
    size_t N = b->side.set->n, n = b->response.n, D = (size_t)b->response.model->output_count;
    double complex *Z = calloc(ray->count * D * D + 1, sizeof *Z), *U = calloc(ray->count * D * n + 1, sizeof *U);
    double complex *scratch = calloc(2 * n + 1, sizeof *scratch);
    double *P = lf_doubles(N, n), *X = lf_doubles(n, n);
    lf_status status = Z && U && scratch && P && X ? LF_OK : lf_no_memory(ctx);
    if (!status) {
#pragma omp parallel for schedule(dynamic, 4) if (N > 32)
        for (size_t k = 0; k < ray->count; k++) {
            add_pairs(b, ray->lambda[k], Z + k * D * D);
            if (b->side.D) {
                add_motions(b, ray->lambda[k], U + k * D * n);
            }
        }
    }
    for (size_t k = 0; !status && k < ray->count; k++) {
        status = ray_node_backward(ctx, b, force, ray, k, Z + k * D * D, U + k * D * n, scratch);
    }
    if (!status && b->side.D) {
        lf_ray_motion(&b->response, ray, &b->side, P);
        lf_ray_start(&b->response, ray, X);
        lf_motions_backward(b, P, X);
    }
    free(Z);
    free(U);
    free(scratch);
    free(P);
    free(X);
    return status;
}
