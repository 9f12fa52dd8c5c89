/* Sides, rays and columns of the covariance that a force causes. */
#include "exact/system_pass.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/gauss_legendre.h"
#include "base/memory.h"

enum { PANEL = LF_GAUSS_POINTS, MAX_PANELS = 400 };
#define REST 1e-16   /* of a variance, left beyond the ray */
#define DECAYED 45.0 /* e^-45 = 3e-20 */

lf_status lf_system_side_create(lf_context *ctx, lf_system_response *response, const lf_point_set *set,
                                lf_system_side *side)
{
    size_t n = response->n;
    int N = (int)n;
    double *work = lf_doubles(3, n * n), *motion = work ? work + 2 * n * n : NULL, at = NAN;
    *side = (lf_system_side){.set = set,
                             .target = calloc(set->n + 1, sizeof *side->target),
                             .t = lf_doubles(set->n, 1),
                             .D = response->steady ? NULL : lf_doubles(set->n, n)};
    if (!work || !side->target || !side->t || (!side->D && !response->steady)) {
        free(work);
        return lf_no_memory(ctx);
    }
    for (int g = 0; g < set->group_count; g++) {
        response->wanted[set->target[g]] = 1;
        for (size_t i = set->start[g]; i < set->start[g + 1]; i++) {
            side->target[i] = set->target[g];
            side->t[i] = set->x[i] - response->model->origin;
            if (!side->D || lf_target_is_force(response->model, set->target[g])) {
                continue; /* a force has no free motion, and may be asked for before the start */
            }
            if (side->t[i] != at) {
                at = side->t[i];
                lf_system_motion(n, response->matrices.A, at, motion, work);
            }
            cblas_dgemv(CblasRowMajor, CblasTrans, N, N, 1, motion, N, response->c + (size_t)set->target[g] * n, 1, 0,
                        side->D + i * n, 1);
        }
    }
    free(work);
    return LF_OK;
}

void lf_system_side_clear(lf_system_side *side)
{
    free(side->target);
    free(side->t);
    free(side->D);
    *side = (lf_system_side){0};
}

double lf_system_span(const lf_system_response *response, const lf_point_set *A, const lf_point_set *B)
{
    double first = response->steady ? (double)INFINITY : response->model->origin;
    double last = response->steady ? -(double)INFINITY : response->model->origin;
    for (int side = 0; side < 2; side++) {
        const lf_point_set *set = side ? B : A;
        for (size_t i = 0; i < set->n; i++) {
            first = fmin(first, set->x[i]);
            last = fmax(last, set->x[i]);
        }
    }
    return last > first ? last - first : 0;
}

/* ---- the ray ---- */

static int grow(const lf_system_response *response, lf_ray *ray)
{
    size_t capacity = 2 * ray->capacity + 16 * PANEL, n = response->n, targets = response->targets;
    double complex **lists[] = {&ray->lambda, &ray->weight, &ray->R, &ray->Q, &ray->h, &ray->g};
    size_t widths[] = {1, 1, n, n, targets, targets};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        double complex *larger = realloc(*lists[i], capacity * (widths[i] + 1) * sizeof *larger);
        if (!larger) {
            return 0;
        }
        *lists[i] = larger;
    }
    ray->capacity = capacity;
    return 1;
}

/* Adds a panel; variances (targets + states) grow by what it contains. Returns through *rest the largest estimate, relative to the
 * variance, of what lies beyond. */
static lf_status add_panel(lf_context *ctx, lf_system_response *response, int force, lf_contour *contour, lf_ray *ray,
                           double *variance, double *rest)
{
    size_t n = response->n, targets = response->targets;
    lf_status status = ray->count + PANEL > ray->capacity && !grow(response, ray) ? lf_no_memory(ctx) : LF_OK;
    if (status) {
        return status;
    }
    lf_contour_panel(contour, ray->lambda + ray->count, ray->weight + ray->count);
    for (size_t i = 0; !status && i < PANEL; i++, ray->count++) {
        size_t k = ray->count;
        double complex lambda = ray->lambda[k], *R = ray->R + k * n, *Q = ray->Q + k * n;
        double complex density = lf_system_density(response->model, force, lambda, NULL);
        ray->weight[k] *= density;
        status = lf_system_response_states(ctx, response, force, lambda, R);
        LF_TRY(status, lf_system_response_states(ctx, response, force, -lambda, Q));
        for (size_t s = 0; !status && s < (response->steady ? targets : targets + n); s++) {
            double complex product = s < targets ? 0 : R[s - targets] * Q[s - targets];
            if (s < targets && response->wanted[s]) {
                product = (ray->h[k * targets + s] = lf_system_response_target(response, force, lambda, R, (int)s)) *
                          (ray->g[k * targets + s] = lf_system_response_target(response, force, -lambda, Q, (int)s));
            }
            variance[s] += cabs(ray->weight[k] * product);
            double beyond = cabs(lambda * density * product);
            if (i + 1 == PANEL && beyond > *rest * variance[s]) {
                *rest = beyond / variance[s];
            }
        }
    }
    return status;
}

lf_status lf_ray_create(lf_context *ctx, lf_system_response *response, int force, lf_contour *contour, lf_ray *ray)
{
    double *variance = lf_doubles(response->targets + response->n, 1), rest = 1;
    lf_status status = variance ? LF_OK : lf_no_memory(ctx);
    *ray = (lf_ray){0};
    for (int panel = 0; !status && contour->has_ray && rest > REST && panel < MAX_PANELS; panel++) {
        rest = 0;
        status = add_panel(ctx, response, force, contour, ray, variance, &rest);
    }
    free(variance);
    return status;
}

void lf_ray_clear(lf_ray *ray)
{
    free(ray->lambda);
    free(ray->weight);
    free(ray->R);
    free(ray->Q);
    free(ray->h);
    free(ray->g);
    *ray = (lf_ray){0};
}

double lf_ray_lag(const lf_system_response *response, const lf_ray *ray, int a, int b, double lag)
{
    size_t targets = response->targets, first = (size_t)(lag < 0 ? b : a), second = (size_t)(lag < 0 ? a : b);
    double sum = 0, r = fabs(lag);
    for (size_t k = 0; k < ray->count && cimag(ray->lambda[k]) * r < DECAYED; k++) {
        double complex m = ray->weight[k] * ray->h[k * targets + first] * ray->g[k * targets + second];
        double size = exp(-cimag(ray->lambda[k]) * r), phase = creal(ray->lambda[k]) * r;
        sum += size * (creal(m) * cos(phase) - cimag(m) * sin(phase));
    }
    return sum;
}

void lf_ray_motion(const lf_system_response *response, const lf_ray *ray, const lf_system_side *side, double *P)
{
    size_t n = response->n;
    memset(P, 0, side->set->n * n * sizeof *P);
    for (size_t i = 0; i < side->set->n; i++) {
        double t = fabs(side->t[i]);
        const double complex *h = side->t[i] < 0 ? ray->g : ray->h, *R = side->t[i] < 0 ? ray->R : ray->Q;
        for (size_t k = 0; k < ray->count && cimag(ray->lambda[k]) * t < DECAYED; k++) {
            double complex m = ray->weight[k] * h[k * response->targets + (size_t)side->target[i]];
            m *= exp(-cimag(ray->lambda[k]) * t) * cexp(I * creal(ray->lambda[k]) * t);
            for (size_t s = 0; s < n; s++) {
                P[i * n + s] += creal(m * R[k * n + s]);
            }
        }
    }
}

void lf_ray_start(const lf_system_response *response, const lf_ray *ray, double *X)
{
    size_t n = response->n;
    memset(X, 0, n * n * sizeof *X);
    for (size_t k = 0; k < ray->count; k++) {
        for (size_t i = 0; i < n * n; i++) {
            X[i] += creal(ray->weight[k] * ray->R[k * n + i / n] * ray->Q[k * n + i % n]);
        }
    }
}

/* ---- nodes up to the corner ---- */

lf_status lf_system_strip_create(lf_context *ctx, const lf_system_response *response, int force, lf_system_strip *strip)
{
    *strip = (lf_system_strip){.force = force,
                               .R = calloc(LF_SYSTEM_STRIP * response->n + 1, sizeof *strip->R),
                               .h = calloc(LF_SYSTEM_STRIP * response->targets + 1, sizeof *strip->h)};
    return strip->R && strip->h ? LF_OK : lf_no_memory(ctx);
}

void lf_system_strip_clear(lf_system_strip *strip)
{
    free(strip->R);
    free(strip->h);
}

lf_status lf_system_strip_fill(lf_context *ctx, lf_system_response *response, const lf_contour *contour, size_t first,
                               lf_system_strip *strip)
{
    lf_status status = LF_OK;
    strip->count = contour->count - first < LF_SYSTEM_STRIP ? contour->count - first : LF_SYSTEM_STRIP;
    strip->lambda = contour->lambda + first;
    strip->weight = contour->weight + first;
    for (size_t k = 0; !status && k < strip->count; k++) {
        double complex *R = strip->R + k * response->n;
        status = lf_system_response_states(ctx, response, strip->force, strip->lambda[k], R);
        for (size_t s = 0; !status && s < response->targets; s++) {
            strip->h[k * response->targets + s] =
                lf_system_response_target(response, strip->force, strip->lambda[k], R, (int)s);
        }
    }
    return status;
}

void lf_system_side_columns(const lf_system_response *response, const lf_system_strip *strip,
                            const lf_system_side *side, double *V)
{
    size_t N = side->set->n, n = response->n, count = strip->count;
#pragma omp parallel for schedule(static) if (N * count > 4096)
    for (size_t k = 0; k < count; k++) {
        const double complex *R = strip->R + k * n, *h = strip->h + k * response->targets;
        double lambda = strip->lambda[k];
        double root = sqrt(strip->weight[k] * creal(lf_system_density(response->model, strip->force, lambda, NULL)));
        for (size_t i = 0; i < N; i++) {
            double phase = lambda * side->t[i];
            double complex g = h[side->target[i]] * (cos(phase) + I * sin(phase));
            for (size_t s = 0; side->D && s < n; s++) {
                g -= side->D[i * n + s] * R[s];
            }
            V[k * N + i] = root * creal(g);
            V[(count + k) * N + i] = root * cimag(g);
        }
    }
}
