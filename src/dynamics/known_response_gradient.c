/* The march of the response to the known inputs in reverse. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/known_march.h"
#include "dynamics/linear_system.h"

/* What the backward march holds. */
typedef struct adjoint {
    lf_system_matrices by;
    double *x, *next; /* (stride) derivative by the state */
    double *z;        /* (stride) */
    double *by_J;     /* (steps, integrals) derivative by the integral over the gap before the step */
    double *by_A;     /* (cached + 1, states, stride) */
    double *by_F;     /* (states, stride) */
} adjoint;

static lf_status adjoint_create(lf_context *ctx, const lf_known_response *response, adjoint *a)
{
    size_t size = lf_sparsity_size(&response->space.sparsity), s = (size_t)response->space.sparsity.stride;
    lf_status status = lf_linear_system_create(ctx, response->model, &a->by);
    a->x = lf_doubles(s, 1);
    a->next = lf_doubles(s, 1);
    a->z = lf_doubles(s, 1);
    a->by_A = lf_doubles(response->cached + 1, size);
    a->by_F = lf_doubles(size, 1);
    a->by_J = lf_doubles(response->timeline.step_count, (size_t)response->integrals);
    return status || (a->by_J && a->x && a->next && a->z && a->by_A && a->by_F) ? status : lf_no_memory(ctx);
}

static void adjoint_clear(adjoint *a)
{
    lf_system_matrices_clear(&a->by);
    free(a->x);
    free(a->next);
    free(a->z);
    free(a->by_A);
    free(a->by_F);
    free(a->by_J);
}

/* The values of outputs at a step. */
static void values_backward(const lf_known_response *response, size_t step, const double *by_mean, adjoint *a)
{
    const lf_timeline *t = &response->timeline;
    const lf_system_matrices *m = &response->matrices;
    size_t n = (size_t)m->n, known = (size_t)m->inputs;
    size_t integrals = (size_t)response->integrals;
    const double *x = response->x + step * (n + integrals), *v = response->v + step * (size_t)response->inputs;
    for (size_t q = t->first_query[step]; q < t->first_query[step + 1]; q++) {
        size_t d = (size_t)t->target[q];
        double by = by_mean[t->query[q]];
        if (t->asked && t->asked[q] >= 0) {
            size_t J = (size_t)response->integral_of[d] - n;
            for (size_t k = t->asked_from[q] + 1; k <= step; k++) {
                a->by_J[k * integrals + J] += by / t->averages[t->asked[q]].width;
            }
            continue;
        }
        a->by.d[d] += by;
        for (size_t i = 0; i < n; i++) {
            a->by.C[d * n + i] += by * x[i];
            a->x[i] += by * m->C[d * n + i];
        }
        for (size_t k = 0; k < known; k++) {
            a->by.D[d * known + k] += by * v[k];
        }
    }
}

/* From the state at a step to that at the step before. */
static void step_backward(lf_known_response *response, size_t step, adjoint *a)
{
    const lf_timeline *t = &response->timeline;
    const lf_sparsity *sparsity = &response->space.sparsity;
    size_t size = lf_sparsity_size(sparsity), s = (size_t)sparsity->stride, n = (size_t)response->n;
    size_t known = (size_t)response->matrices.inputs, integrals = (size_t)response->integrals;
    const double *A = lf_known_transition(response, step),
                 *jump = response->jump + (step - 1) * (size_t)response->inputs;
    if (A) {
        size_t gap = (size_t)t->gap_index[step], slot = gap < response->cached ? gap : response->cached;
        double *by_A = a->by_A + slot * size;
        if (slot == response->cached) {
            memset(by_A, 0, size * sizeof *by_A);
        }
        lf_known_state_after(response, step - 1, a->z);
        memcpy(a->x + n, a->by_J + step * integrals, integrals * sizeof *a->x);
        for (size_t i = 0; i < n + integrals; i++) {
            for (size_t j = 0; j < s; j++) {
                by_A[i * s + j] += a->x[i] * a->z[j];
            }
        }
        memset(a->next, 0, s * sizeof *a->next);
        for (size_t i = 0; i < n + integrals; i++) {
            for (size_t j = 0; j < n; j++) {
                a->next[j] += A[i * s + j] * a->x[i];
            }
        }
        memcpy(a->x, a->next, n * sizeof *a->x);
        if (slot == response->cached) {
            lf_transition_backward(&response->space, response->space.F, t->gap_length[gap], by_A, NULL, &response->work,
                                   a->by_F, NULL);
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < known; k++) {
            a->by.B[i * known + k] += a->x[i] * jump[k];
        }
    }
}

static lf_status start_backward(lf_context *ctx, const lf_known_response *response, adjoint *a)
{
    const lf_system_matrices *m = &response->matrices;
    size_t n = (size_t)m->n, known = (size_t)m->inputs;
    if (response->model->initial != LF_INITIAL_STATIONARY) {
        memcpy(a->by.start_mean, a->x, n * sizeof(double));
        return LF_OK;
    }
    lf_status status = lf_system_solve(ctx, m, 1, a->x);
    for (size_t i = 0; !status && i < n; i++) {
        a->by.c[i] -= a->x[i];
        for (size_t j = 0; j < n; j++) {
            a->by.A[i * n + j] -= a->x[i] * response->x[j];
        }
        for (size_t k = 0; k < known; k++) {
            a->by.B[i * known + k] -= response->model->known[k].hold == LF_HOLD_IMPULSE ? 0 : a->x[i] * response->v[k];
        }
    }
    return status;
}

/* A row of by_F into the derivatives by those of A, B and c, or of C, D and d. */
static void row_backward(const lf_known_response *response, const double *by_F, double *of_x, double *of_inputs,
                         double *constant)
{
    size_t n = (size_t)response->n, first = n + (size_t)response->integrals, known = (size_t)response->matrices.inputs;
    for (size_t j = 0; j < n; j++) {
        of_x[j] += by_F[j];
    }
    for (size_t k = 0; k < known; k++) {
        of_inputs[k] += response->model->known[k].hold == LF_HOLD_IMPULSE ? 0 : by_F[first + k];
    }
    *constant += by_F[first + known];
}

static void F_backward(const lf_known_response *response, adjoint *a)
{
    size_t n = (size_t)response->n, s = (size_t)response->space.sparsity.stride,
           known = (size_t)response->matrices.inputs;
    for (size_t i = 0; i < n; i++) {
        row_backward(response, a->by_F + i * s, a->by.A + i * n, a->by.B + i * known, a->by.c + i);
    }
    for (size_t d = 0; d < (size_t)response->matrices.outputs; d++) {
        if (response->integral_of[d] >= 0) {
            row_backward(response, a->by_F + (size_t)response->integral_of[d] * s, a->by.C + d * n, a->by.D + d * known,
                         a->by.d + d);
        }
    }
}

lf_status lf_known_response_backward(lf_context *ctx, lf_known_response *response, const double *by_mean,
                                     double *gradient)
{
    const lf_timeline *t = &response->timeline;
    size_t size = lf_sparsity_size(&response->space.sparsity);
    adjoint a = {0};
    lf_status status = adjoint_create(ctx, response, &a);
    for (size_t k = t->step_count; !status && k-- > 0;) {
        values_backward(response, k, by_mean, &a);
        if (k) {
            step_backward(response, k, &a);
        }
    }
    for (size_t g = 0; !status && g < response->cached; g++) {
        lf_transition_backward(&response->space, response->space.F, t->gap_length[g], a.by_A + g * size, NULL,
                               &response->work, a.by_F, NULL);
    }
    LF_TRY(status, start_backward(ctx, response, &a));
    if (!status) {
        F_backward(response, &a);
        status = lf_linear_system_backward(ctx, response->model, &response->matrices, &a.by, gradient);
    }
    adjoint_clear(&a);
    return status;
}
