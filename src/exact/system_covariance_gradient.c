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
#include "exact/system_adjoint.h"
#include "exact/system_covariance.h"

lf_status lf_states_backward(lf_context *ctx, lf_system_adjoint *b, int force, double complex lambda,
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

void lf_target_backward(lf_system_adjoint *b, int force, int d, double complex s, const double complex *R,
                        double complex *q)
{
    size_t n = b->response.n;
    for (size_t i = 0; i < n; i++) {
        b->by.C[(size_t)d * n + i] += creal(s * R[i]);
        q[i] += s * b->response.c[(size_t)d * n + i];
    }
    b->by.E[(size_t)d * b->response.forces + (size_t)force] += creal(s);
}

void lf_motions_backward(lf_system_adjoint *b, const double *P, const double *X)
{
    int N = (int)b->side.set->n, n = (int)b->response.n;
    if (P) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, n, N, -2, b->G, (int)b->ld, P, n, 1, b->by_D, n);
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, n, n, 1, b->GD, n, X, n, 1, b->by_D, n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, n, n, 1, b->GD, n, X, n, 1, b->by_D, n);
}

/* ---- nodes up to the corner ---- */

/* One node, with the columns V and their derivatives W (N), real and imaginary parts. */
static lf_status node_backward(lf_context *ctx, lf_system_adjoint *b, int force, double lambda, double weight,
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
            s += by_g * lf_wave(lambda, b->side.t[i]);
            for (size_t k = 0; b->side.D && k < n; k++) {
                b->q[k] -= by_g * b->side.D[i * n + k];
                b->by_D[i * n + k] -= creal(by_g * R[k]);
            }
        }
        lf_target_backward(b, force, set->target[g], s, R, b->q);
    }
    b->by_lengthscale[force] += by_density * creal(slope);
    return lf_states_backward(ctx, b, force, lambda, R, b->q);
}

static lf_status low_backward(lf_context *ctx, lf_system_adjoint *b, int force, const lf_contour *contour)
{
    enum { STRIP = LF_SYSTEM_STRIP };
    size_t N = b->side.set->n, n = b->response.n;
    double *V = lf_doubles(N, 2 * STRIP), *W = lf_doubles(N, 2 * STRIP);
    lf_system_strip strip = {0};
    lf_status status = V && W ? lf_system_strip_create(ctx, &b->response, force, &strip) : lf_no_memory(ctx);
    for (size_t first = 0; !status && first < contour->count; first += STRIP) {
        status = lf_system_strip_fill(ctx, &b->response, contour, first, &strip);
        size_t count = strip.count;
        if (!status) {
            lf_system_side_columns(&b->response, &strip, &b->side, V);
            cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, (int)N, (int)(2 * count), 2, b->G, (int)b->ld, V, (int)N,
                        0, W, (int)N);
        }
        for (size_t k = 0; !status && k < count; k++) {
            const double *v[2] = {V + k * N, V + (count + k) * N}, *w[2] = {W + k * N, W + (count + k) * N};
            status = node_backward(ctx, b, force, strip.lambda[k], strip.weight[k], strip.R + k * n, v, w);
        }
    }
    free(V);
    free(W);
    lf_system_strip_clear(&strip);
    return status;
}

/* ---- free motions ---- */

static lf_status free_motions_backward(lf_context *ctx, lf_system_adjoint *b)
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

static lf_status start_backward(lf_context *ctx, lf_system_adjoint *b)
{
    size_t n = b->response.n;
    double *X = lf_doubles(n, n);
    lf_status status = X ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        X[i * n + i] = b->response.start[i];
        b->by.start_sd[i] = 2 * sqrt(b->response.start[i]) * b->DGD[i * n + i];
    }
    if (!status) {
        lf_motions_backward(b, NULL, X);
    }
    LF_TRY(status, free_motions_backward(ctx, b));
    free(X);
    return status;
}

/* The chain rule from the entries to the parameters. */
static lf_status finish(lf_context *ctx, lf_system_adjoint *b, double *gradient)
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
            gradient[lf_index_kernel(model, system->force[f])] += b->by_lengthscale[f];
        }
    }
    return lf_equations_backward(ctx, system->equations, system->constants, m, &b->by,
                                 gradient + lf_index_system_constants(model));
}

lf_status lf_system_covariance_gradient(lf_context *ctx, const lf_model *model, const lf_point_set *A, const double *G,
                                        size_t ld, double *gradient)
{
    lf_system_adjoint b = {.G = G, .ld = ld};
    lf_status status = lf_system_response_create(ctx, model, &b.response);
    size_t n = b.response.n, N = A->n;
    LF_TRY(status, lf_system_side_create(ctx, &b.response, A, &b.side));
    LF_TRY(status, lf_system_matrices_create(ctx, model->system->equations, &b.by));
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
    LF_TRY(status, lf_adjoint_find_lags(ctx, &b, span));
    for (int f = 0; !status && f < (int)b.response.forces; f++) {
        lf_contour contour = {0};
        lf_ray ray = {0};
        if (!lf_system_response_uses(&b.response, f)) {
            continue;
        }
        status = lf_contour_create(ctx, &b.response, f, span, &contour);
        LF_TRY(status, low_backward(ctx, &b, f, &contour));
        LF_TRY(status, lf_ray_create(ctx, &b.response, f, &contour, &ray));
        LF_TRY(status, lf_ray_backward(ctx, &b, f, &ray));
        lf_ray_clear(&ray);
        lf_contour_clear(&contour);
    }
    status = status || b.response.steady ? status : start_backward(ctx, &b);
    LF_TRY(status, finish(ctx, &b, gradient));
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
