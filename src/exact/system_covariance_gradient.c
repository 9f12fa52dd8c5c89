/* Derivatives of the covariances of system_covariance.c by the parameters, for outputs. The nodes are constants: what they leave out is
 * below rounding, for the covariances and for their derivatives.
 *
 * Given G = dF/dK, each node contributes dF = Re(q'dR) + …; with y = (j lambda - A)'^-1 q this is Re(y'dL + y'dA R). What remains is the
 * dependence of the free motions D = e^{A't} c on A: with dF = d'dD,
 *
 *   dF/dA = integral over 0 … t of e^{A's} c d' e^{A'(t - s)} ds,   a block of the exponential of [A'  c d'; 0  A'] t. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/lag_list.h"
#include "exact/system_covariance.h"
#include "exact/system_pass.h"

typedef struct backward {
    lf_system_response response;
    lf_system_side side;
    const double *G; /* (N, N) symmetric */
    size_t ld;
    double *GD;             /* (N, n) G D */
    double *DGD;            /* (n, n) D'G D */
    lf_system_matrices by;  /* A, L, C, E; L and E by the entries times the amplitude */
    double *by_D;           /* (N, n) */
    double *by_lengthscale; /* (forces) */
    double complex *q;      /* (n) scratch */
    size_t sets;
    lf_lag *lags; /* (sets) pairs of points */
} backward;

static double complex wave(double complex lambda, double t)
{
    double phase = creal(lambda) * t;
    return exp(-cimag(lambda) * t) * (cos(phase) + I * sin(phase));
}

/* Adds Re(q'dR) of a response R at a frequency; q is overwritten. */
static lf_status states_backward(lf_context *ctx, backward *b, int force, double complex lambda,
                                 const double complex *R, double complex *q)
{
    size_t n = b->response.n, forces = b->response.forces;
    lf_status status = lf_system_response_backward(ctx, &b->response, lambda, q);
    for (size_t i = 0; !status && i < n; i++) {
        b->by.L[i * forces + (size_t)force] += creal(q[i]);
        for (size_t j = 0; j < n; j++) {
            b->by.A[i * n + j] += creal(q[i] * R[j]);
        }
    }
    return status;
}

/* Adds Re(s dh) of an output; q += s c. */
static void target_backward(backward *b, int force, int d, double complex s, const double complex *R, double complex *q)
{
    size_t n = b->response.n;
    for (size_t i = 0; i < n; i++) {
        b->by.C[(size_t)d * n + i] += creal(s * R[i]);
        q[i] += s * b->response.c[(size_t)d * n + i];
    }
    b->by.E[(size_t)d * b->response.forces + (size_t)force] += creal(s);
}

/* ---- nodes up to the corner ---- */

/* One node, with the columns V and their derivatives W (N), real and imaginary parts. */
static lf_status node_backward(lf_context *ctx, backward *b, int force, double lambda, double weight,
                               const double complex *R, const double *V[2], const double *W[2])
{
    const lf_point_set *set = b->side.set;
    size_t n = b->response.n;
    double complex slope, density = lf_system_density(b->response.model, force, lambda, &slope);
    double root = sqrt(weight * creal(density)), by_density = 0;
    memset(b->q, 0, n * sizeof *b->q);
    for (int g = 0; g < set->group_count; g++) {
        double complex s = 0;
        for (size_t i = set->start[g]; i < set->start[g + 1]; i++) {
            double complex by_g = root * (W[0][i] - I * W[1][i]);
            by_density += 0.5 * (W[0][i] * V[0][i] + W[1][i] * V[1][i]);
            s += by_g * wave(lambda, b->side.t[i]);
            for (size_t k = 0; b->side.D && k < n; k++) {
                b->q[k] -= by_g * b->side.D[i * n + k];
                b->by_D[i * n + k] -= creal(by_g * R[k]);
            }
        }
        target_backward(b, force, set->target[g], s, R, b->q);
    }
    b->by_lengthscale[force] += by_density * creal(slope);
    return states_backward(ctx, b, force, lambda, R, b->q);
}

static lf_status low_backward(lf_context *ctx, backward *b, int force, const lf_contour *contour)
{
    enum { STRIP = LF_SYSTEM_STRIP };
    size_t N = b->side.set->n, n = b->response.n;
    double *V = lf_doubles(N, 2 * STRIP), *W = lf_doubles(N, 2 * STRIP);
    double complex *R = calloc(STRIP * n + 1, sizeof *R), *h = calloc(STRIP * b->response.targets + 1, sizeof *h);
    lf_status status = V && W && R && h ? LF_OK : lf_no_memory(ctx);
    for (size_t first = 0; !status && first < contour->count; first += STRIP) {
        size_t count = contour->count - first < STRIP ? contour->count - first : STRIP;
        status = lf_system_columns(ctx, &b->response, force, contour, first, count, R, h);
        if (!status) {
            lf_system_side_columns(&b->response, force, contour, first, count, R, h, &b->side, V);
            cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, (int)N, (int)(2 * count), 2, b->G, (int)b->ld, V, (int)N,
                        0, W, (int)N);
        }
        for (size_t k = 0; !status && k < count; k++) {
            const double *v[2] = {V + k * N, V + (count + k) * N}, *w[2] = {W + k * N, W + (count + k) * N};
            status =
                node_backward(ctx, b, force, contour->lambda[first + k], contour->weight[first + k], R + k * n, v, w);
        }
    }
    free(V);
    free(W);
    free(R);
    free(h);
    return status;
}

/* ---- the ray ---- */

/* The pairs of points with dF/dPhi of each, those of the same targets and lag together. */
static lf_status find_lags(lf_context *ctx, backward *b, double span)
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
static void add_pairs(const backward *b, double complex lambda, double complex *Z)
{
    size_t D = (size_t)b->response.model->output_count;
    for (size_t k = 0; k < b->sets; k++) {
        const lf_lag *pair = &b->lags[k];
        if (cimag(lambda) * pair->lag < 45) {
            Z[(size_t)pair->later * D + (size_t)pair->earlier] += pair->weight * wave(lambda, pair->lag);
        }
    }
}

/* U (D, n): sum over the points of each output of dF/dP_i times the wave of their time. */
static void add_motions(const backward *b, double complex lambda, double complex *U)
{
    size_t n = b->response.n;
    for (size_t i = 0; i < b->side.set->n; i++) {
        double complex factor = cimag(lambda) * b->side.t[i] < 45 ? -2 * wave(lambda, b->side.t[i]) : 0;
        for (size_t k = 0; k < n; k++) {
            U[(size_t)b->side.target[i] * n + k] += factor * b->GD[i * n + k];
        }
    }
}

/* Node k, with its Z and U. scratch (2, n). */
static lf_status ray_node_backward(lf_context *ctx, backward *b, int force, const lf_ray *ray, size_t k,
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
            target_backward(b, force, (int)a, w * by_h, R, by_R);
            target_backward(b, force, (int)a, w * by_g, Q, by_Q);
        }
    }
    lf_system_density(b->response.model, force, ray->lambda[k], &slope);
    b->by_lengthscale[force] += creal(w * value * slope);
    lf_status status = states_backward(ctx, b, force, ray->lambda[k], R, by_R);
    return status ? status : states_backward(ctx, b, force, -ray->lambda[k], Q, by_Q);
}

/* by_D += what P and X of the ray, or a start with covariance X and P NULL, add to it. */
static void motions_backward(backward *b, const double *P, const double *X)
{
    int N = (int)b->side.set->n, n = (int)b->response.n;
    if (P) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, n, N, -2, b->G, (int)b->ld, P, n, 1, b->by_D, n);
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, n, n, 1, b->GD, n, X, n, 1, b->by_D, n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, n, n, 1, b->GD, n, X, n, 1, b->by_D, n);
}

static lf_status ray_backward(lf_context *ctx, backward *b, int force, const lf_ray *ray)
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
        motions_backward(b, P, X);
    }
    free(Z);
    free(U);
    free(scratch);
    free(P);
    free(X);
    return status;
}

/* ---- free motions ---- */

static lf_status free_motions_backward(lf_context *ctx, backward *b)
{
    size_t n = b->response.n, m = 2 * n;
    double *M = lf_doubles(2, m * m), *work = lf_doubles(2, m * m), *X = M ? M + m * m : NULL;
    if (!M || !work) {
        free(M);
        free(work);
        return lf_no_memory(ctx);
    }
    for (size_t p = 0; p < b->side.set->n; p++) {
        const double *c = b->response.c + (size_t)b->side.target[p] * n, *by = b->by_D + p * n;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                M[i * m + j] = M[(n + i) * m + n + j] = b->response.matrices.A[j * n + i];
                M[i * m + n + j] = c[i] * by[j];
            }
        }
        lf_system_motion(m, M, b->side.t[p], X, work);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                b->by.A[i * n + j] += X[i * m + n + j];
                b->by.C[(size_t)b->side.target[p] * n + j] += X[i * m + j] * by[i];
            }
        }
    }
    free(M);
    free(work);
    return LF_OK;
}

/* ---- all of it ---- */

static lf_status start_backward(lf_context *ctx, backward *b)
{
    size_t n = b->response.n;
    double *X = lf_doubles(n, n);
    lf_status status = X ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        X[i * n + i] = b->response.start[i];
        b->by.start_sd[i] = 2 * sqrt(b->response.start[i]) * b->DGD[i * n + i];
    }
    if (!status) {
        motions_backward(b, NULL, X);
    }
    status = status ? status : free_motions_backward(ctx, b);
    free(X);
    return status;
}

/* The chain rule from the entries to the parameters. */
static lf_status finish(lf_context *ctx, backward *b, double *gradient)
{
    const lf_model *model = b->response.model;
    const lf_system *system = model->system;
    const lf_system_matrices *m = &b->response.matrices;
    size_t forces = b->response.forces;
    for (size_t f = 0; f < forces; f++) {
        double by_amplitude = 0;
        for (size_t i = 0; i < b->response.n; i++) {
            by_amplitude += b->by.L[i * forces + f] * m->L[i * forces + f];
            b->by.L[i * forces + f] *= system->amplitude[f];
        }
        for (size_t d = 0; d < (size_t)model->output_count; d++) {
            double *by = &b->by.E[d * forces + f];
            *by = system->force[f] < 0 ? 0 : *by;
            by_amplitude += *by * m->E[d * forces + f];
            *by *= system->amplitude[f];
        }
        gradient[(size_t)lf_index_amplitudes(model) + f] += by_amplitude;
        if (system->force[f] >= 0) {
            gradient[lf_index_lengthscale(model, system->force[f])] += b->by_lengthscale[f];
        }
    }
    return lf_equations_backward(ctx, system->equations, system->constants, m, &b->by,
                                 gradient + lf_index_system_constants(model));
}

lf_status lf_system_covariance_gradient(lf_context *ctx, const lf_model *model, const lf_point_set *A, const double *G,
                                        size_t ld, double *gradient)
{
    backward b = {.G = G, .ld = ld};
    lf_status status = lf_system_response_create(ctx, model, &b.response);
    size_t n = b.response.n, N = A->n;
    status = status ? status : lf_system_side_create(ctx, &b.response, A, &b.side);
    status = status ? status : lf_system_matrices_create(ctx, model->system->equations, &b.by);
    b.GD = lf_doubles(N, n);
    b.DGD = lf_doubles(n, n);
    b.by_D = lf_doubles(N, n);
    b.by_lengthscale = lf_doubles(b.response.forces, 1);
    b.q = calloc(n + 1, sizeof *b.q);
    if (!status && !(b.GD && b.DGD && b.by_D && b.by_lengthscale && b.q)) {
        status = lf_no_memory(ctx);
    }
    if (!status && b.side.D) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)N, (int)n, (int)N, 1, G, (int)ld, b.side.D, (int)n,
                    0, b.GD, (int)n);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)n, (int)n, (int)N, 1, b.side.D, (int)n, b.GD, (int)n,
                    0, b.DGD, (int)n);
    }
    double span = status ? 0 : lf_system_span(&b.response, A, A);
    status = status ? status : find_lags(ctx, &b, span);
    for (int f = 0; !status && f < (int)b.response.forces; f++) {
        lf_contour contour = {0};
        lf_ray ray = {0};
        if (!lf_system_response_uses(&b.response, f)) {
            continue;
        }
        status = lf_contour_create(ctx, &b.response, f, span, &contour);
        status = status ? status : low_backward(ctx, &b, f, &contour);
        status = status ? status : lf_ray_create(ctx, &b.response, f, &contour, &ray);
        status = status ? status : ray_backward(ctx, &b, f, &ray);
        lf_ray_clear(&ray);
        lf_contour_clear(&contour);
    }
    status = status || b.response.steady ? status : start_backward(ctx, &b);
    status = status ? status : finish(ctx, &b, gradient);
    free(b.GD);
    free(b.DGD);
    free(b.by_D);
    free(b.by_lengthscale);
    free(b.q);
    free(b.lags);
    lf_system_matrices_clear(&b.by);
    lf_system_side_clear(&b.side);
    lf_system_response_clear(&b.response);
    return status;
}
