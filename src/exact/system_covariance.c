/* The sum over forces and the start, for matrices and for diagonals. */
#include "exact/system_covariance.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/lag_list.h"
#include "exact/system_pass.h"

/* Where the covariances go: K (A.n, B.n) or, for a diagonal, K (A.n). */
typedef struct covariance {
    lf_system_response response;
    lf_system_side a, b; /* of a symmetric matrix and of a diagonal b is a copy of a */
    int symmetric, diagonal;
    double *K;
    size_t ld;
    lf_lag *lags; /* of a matrix; the entries are those of K */
    size_t sets;
    size_t *first; /* (sets + 1) see lag_list.h */
} covariance;

static lf_status find_lags(lf_context *ctx, covariance *c, double span)
{
    const lf_system_side *a = &c->a, *b = &c->b;
    size_t N = a->set->n, M = c->diagonal ? 0 : b->set->n, count = 0;
    c->lags = calloc(N * M + 1, sizeof *c->lags);
    c->first = calloc(N * M + 2, sizeof *c->first);
    if (!c->lags || !c->first) {
        return lf_no_memory(ctx);
    }
    for (size_t j = 0; j < M; j++) {
        for (size_t i = c->symmetric ? j : 0; i < N; i++) {
            int swap = a->t[i] < b->t[j];
            c->lags[count++] = (lf_lag){.later = swap ? b->target[j] : a->target[i],
                                        .earlier = swap ? a->target[i] : b->target[j],
                                        .lag = fabs(a->t[i] - b->t[j]),
                                        .entry = j * c->ld + i};
        }
    }
    c->sets = lf_lags_sort(count, c->lags, span, c->first);
    return LF_OK;
}

/* A rate that contains the rate of a force without one. */
static lf_status check_rates(lf_context *ctx, const lf_system_response *response, const lf_point_set *set)
{
    const lf_model *model = response->model;
    for (int g = 0; g < set->group_count; g++) {
        for (size_t f = 0; lf_target_is_rate(model, set->target[g]) && f < response->forces; f++) {
            int q = model->system->force[f];
            if (q >= 0 && model->forces[q].kernel->tail_power == 2 &&
                response->f[(size_t)set->target[g] * response->forces + f] != 0) {
                return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                               "output '%s' has no rate of change: it contains the force '%s', whose kernel %s is not "
                               "differentiable",
                               model->outputs[lf_target_output(model, set->target[g])].name, model->forces[q].name,
                               model->forces[q].kernel->name);
            }
        }
    }
    return LF_OK;
}

/* Adds u'v or, with a matrix M (n, n), u'M v of the rows of two sides to their covariances. */
static void add_products(covariance *c, const double *U, const double *V, double factor)
{
    size_t n = c->response.n, N = c->a.set->n, M = c->b.set->n;
    if (c->diagonal) {
        for (size_t i = 0; i < N; i++) {
            c->K[i] += factor * cblas_ddot((int)n, U + i * n, 1, V + i * n, 1);
        }
        return;
    }
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)N, (int)M, (int)n, factor, U, (int)n, V, (int)n, 1, c->K,
                (int)c->ld);
}

/* The nodes up to the corner. */
static lf_status add_low(lf_context *ctx, covariance *c, int force, const lf_contour *contour)
{
    enum { STRIP = LF_SYSTEM_STRIP };
    size_t N = c->a.set->n, M = c->b.set->n;
    double *V = lf_doubles(N, 2 * STRIP), *U = lf_doubles(c->symmetric ? 0 : M, 2 * STRIP);
    lf_system_strip strip = {0};
    lf_status status = V && U ? lf_system_strip_create(ctx, &c->response, force, &strip) : lf_no_memory(ctx);
    for (size_t first = 0; !status && first < contour->count; first += STRIP) {
        status = lf_system_strip_fill(ctx, &c->response, contour, first, &strip);
        if (status) {
            break;
        }
        size_t count = strip.count;
        lf_system_side_columns(&c->response, &strip, &c->a, V);
        if (c->diagonal) {
            for (size_t k = 0; k < 2 * count; k++) {
                for (size_t i = 0; i < N; i++) {
                    c->K[i] += V[k * N + i] * V[k * N + i];
                }
            }
        } else if (c->symmetric) {
            cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)N, (int)(2 * count), 1, V, (int)N, 1, c->K,
                        (int)c->ld);
        } else {
            lf_system_side_columns(&c->response, &strip, &c->b, U);
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)N, (int)M, (int)(2 * count), 1, V, (int)N, U,
                        (int)M, 1, c->K, (int)c->ld);
        }
    }
    free(V);
    free(U);
    lf_system_strip_clear(&strip);
    return status;
}

/* What the ray contributes. */
static lf_status add_ray(lf_context *ctx, covariance *c, const lf_ray *ray)
{
    const lf_system_side *a = &c->a, *b = &c->b;
    size_t n = c->response.n, N = a->set->n;
    for (size_t j = 0; c->diagonal && j < N; j++) {
        c->K[j] += lf_ray_lag(&c->response, ray, a->target[j], a->target[j], 0);
    }
    if (!c->diagonal) {
        const size_t *first = c->first;
        const lf_lag *lags = c->lags;
#pragma omp parallel for schedule(dynamic, 16) if (c->sets > 64)
        for (size_t k = 0; k < c->sets; k++) {
            const lf_lag *lag = &lags[first[k]];
            double value = lf_ray_lag(&c->response, ray, lag->later, lag->earlier, lag->lag);
            for (size_t i = first[k]; i < first[k + 1]; i++) {
                c->K[lags[i].entry] += value;
            }
        }
    }
    if (c->response.steady) {
        return LF_OK;
    }
    double *X = lf_doubles(n, n), *P = lf_doubles(N, n), *Q = lf_doubles(b->set->n, n), *Y = lf_doubles(b->set->n, n);
    lf_status status = X && P && Q && Y ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        lf_ray_start(&c->response, ray, X);
        lf_ray_motion(&c->response, ray, a, P);
        lf_ray_motion(&c->response, ray, b, Q);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)b->set->n, (int)n, (int)n, 1, b->D, (int)n, X, (int)n,
                    0, Y, (int)n); /* Y_j = X D_j */
        cblas_daxpy((int)(b->set->n * n), -1, Q, 1, Y, 1);
        add_products(c, P, b->D, -1);
        add_products(c, a->D, Y, 1);
    }
    free(X);
    free(P);
    free(Q);
    free(Y);
    return status;
}

static lf_status add_start(lf_context *ctx, covariance *c)
{
    size_t n = c->response.n;
    double *Y = lf_doubles(c->b.set->n, n);
    if (!Y) {
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < c->b.set->n * n; i++) {
        Y[i] = c->b.D[i] * c->response.start[i % n];
    }
    add_products(c, c->a.D, Y, 1);
    free(Y);
    return LF_OK;
}

static lf_status compute(lf_context *ctx, const lf_model *model, const lf_point_set *A, const lf_point_set *B,
                         int diagonal, double *K, size_t ld)
{
    covariance c = {.symmetric = A == B, .diagonal = diagonal, .K = K, .ld = ld};
    lf_status status = lf_system_response_create(ctx, model, &c.response);
    LF_TRY(status, check_rates(ctx, &c.response, A));
    LF_TRY(status, check_rates(ctx, &c.response, B));
    LF_TRY(status, lf_system_side_create(ctx, &c.response, A, &c.a));
    LF_TRY(status, lf_system_side_create(ctx, &c.response, B, &c.b));
    double span = status ? 0 : lf_system_span(&c.response, A, B);
    LF_TRY(status, find_lags(ctx, &c, span));
    for (size_t j = 0; j < (diagonal ? 1 : B->n); j++) {
        memset(K + j * ld, 0, A->n * sizeof *K);
    }
    for (int f = 0; !status && f < (int)c.response.forces; f++) {
        lf_contour contour = {0};
        lf_ray ray = {0};
        if (!lf_system_response_uses(&c.response, f)) {
            continue;
        }
        status = lf_contour_create(ctx, &c.response, f, span, &contour);
        LF_TRY(status, add_low(ctx, &c, f, &contour));
        LF_TRY(status, lf_ray_create(ctx, &c.response, f, &contour, &ray));
        LF_TRY(status, add_ray(ctx, &c, &ray));
        lf_ray_clear(&ray);
        lf_contour_clear(&contour);
    }
    status = status || c.response.steady ? status : add_start(ctx, &c);
    free(c.lags);
    free(c.first);
    lf_system_side_clear(&c.a);
    lf_system_side_clear(&c.b);
    lf_system_response_clear(&c.response);
    return status;
}

lf_status lf_system_covariance_matrix(lf_context *ctx, const lf_model *model, const lf_point_set *A,
                                      const lf_point_set *B, double *K, size_t ld)
{
    return compute(ctx, model, A, B, 0, K, ld);
}

lf_status lf_system_covariance_diagonal(lf_context *ctx, const lf_model *model, const lf_point_set *A, double *k)
{
    return compute(ctx, model, A, A, 1, k, A->n);
}

/* A node costs a product of N rows with themselves and a solution with n states. Their number depends on the constants; some hundreds to
 * a few thousands are usual. */
lf_status lf_system_covariance_accuracy(lf_context *ctx, const lf_model *model, double span, double *relative)
{
    static const double of_integrals = 1e-12;
    lf_system_matrices m = {0};
    lf_status status = lf_system_matrices_create(ctx, model->system->equations, &m);
    LF_TRY(status, lf_system_evaluate(ctx, model->system, &m));
    double norm = 0;
    for (int i = 0; !status && i < m.n; i++) {
        double sum = 0;
        for (int j = 0; j < m.n; j++) {
            sum += fabs(m.A[i * m.n + j]);
        }
        norm = fmax(norm, sum);
    }
    *relative = of_integrals + DBL_EPSILON * norm * span;
    lf_system_matrices_clear(&m);
    return status;
}

double lf_system_covariance_cost(const lf_model *model, const lf_point_set *A)
{
    double N = (double)A->n, n = (double)model->system->equations->state_count;
    return 1000.0 * model->system->equations->force_count * (4 * N * N + 8 * n * n * n);
}
