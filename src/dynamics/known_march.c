/* Marches the response to the known inputs along the time axis. */
#include "dynamics/known_march.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/linear_system.h"

/* A row of F: of A, B and c, or of C, D and d for an integral. */
static void fill_row(const lf_known_response *response, size_t row, const double *of_x, const double *of_inputs,
                     double constant)
{
    size_t n = (size_t)response->n, s = (size_t)response->space.sparsity.stride,
           first = n + (size_t)response->integrals, known = (size_t)response->matrices.inputs;
    double *F = response->space.F + row * s;
    memcpy(F, of_x, n * sizeof *F);
    for (size_t k = 0; k < known; k++) {
        F[first + k] = response->model->known[k].hold == LF_HOLD_IMPULSE ? 0 : of_inputs[k];
    }
    F[first + known] = constant;
}

static void fill_F(lf_known_response *response)
{
    const lf_system_matrices *m = &response->matrices;
    size_t n = (size_t)response->n, s = (size_t)response->space.sparsity.stride,
           first = n + (size_t)response->integrals, known = (size_t)m->inputs;
    for (size_t i = 0; i < n; i++) {
        fill_row(response, i, m->A + i * n, m->B + i * known, m->c[i]);
    }
    for (size_t d = 0; d < (size_t)m->outputs; d++) {
        if (response->integral_of[d] >= 0) {
            fill_row(response, (size_t)response->integral_of[d], m->C + d * n, m->D + d * known, m->d[d]);
        }
    }
    for (int k = 0; k < response->inputs; k++) {
        if (response->slope_of[k] >= 0) {
            response->space.F[(first + (size_t)k) * s + (size_t)response->slope_of[k]] = 1;
        }
    }
}

/* The inputs and the constant, weighted by row i of B and c; of impulses nothing. */
static double forcing(const lf_known_response *response, size_t i, const double *v)
{
    const lf_system_matrices *m = &response->matrices;
    double sum = m->c[i];
    for (int k = 0; k < m->inputs; k++) {
        sum += response->model->known[k].hold == LF_HOLD_IMPULSE ? 0 : m->B[i * (size_t)m->inputs + (size_t)k] * v[k];
    }
    return sum;
}

static lf_status start(lf_context *ctx, lf_known_response *response)
{
    double *x = response->x;
    if (response->model->initial != LF_INITIAL_STATIONARY) {
        for (int i = 0; i < response->n; i++) {
            x[i] = lf_linear_system_start(response->model, &response->matrices, i);
        }
        return LF_OK;
    }
    for (size_t i = 0; i < (size_t)response->n; i++) {
        x[i] = -forcing(response, i, response->v);
    }
    return lf_system_solve(ctx, &response->matrices, 0, x);
}

const double *lf_known_transition(lf_known_response *response, size_t step)
{
    const lf_timeline *t = &response->timeline;
    size_t size = lf_sparsity_size(&response->space.sparsity);
    int gap = t->gap_index[step];
    if (gap < 0) {
        return NULL;
    }
    size_t slot = (size_t)gap < response->cached ? (size_t)gap : response->cached;
    if (slot == response->cached) {
        lf_transition(&response->space, response->space.F, t->gap_length[gap], &response->work,
                      response->A + slot * size, NULL);
    }
    return response->A + slot * size;
}

void lf_known_state_after(const lf_known_response *response, size_t step, double *z)
{
    const lf_system_matrices *m = &response->matrices;
    size_t n = (size_t)response->n, inputs = (size_t)response->inputs, known = (size_t)m->inputs;
    size_t first = n + (size_t)response->integrals;
    const double *jump = response->jump + step * inputs;
    memset(z + n, 0, (first - n) * sizeof *z);
    for (size_t i = 0; i < n; i++) {
        z[i] = response->x[step * first + i];
        for (size_t k = 0; k < known; k++) {
            z[i] += m->B[i * known + k] * jump[k];
        }
    }
    for (size_t k = 0; k < inputs; k++) {
        z[first + k] = response->v[step * inputs + k];
        if (response->slope_of[k] >= 0) {
            z[response->slope_of[k]] = response->r[step * inputs + k];
        }
    }
}

/* A row of a matrix with `count` columns times x; 0 columns are possible. */
static double row_product(const double *matrix, size_t row, size_t count, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += matrix[row * count + i] * x[i];
    }
    return sum;
}

/* The mean over the interval of a query at a step. */
static double average_at(const lf_known_response *response, size_t step, size_t query)
{
    const lf_timeline *t = &response->timeline;
    const lf_average *average = &t->averages[t->asked[query]];
    size_t stride = (size_t)(response->n + response->integrals);
    double sum = 0;
    for (size_t k = t->asked_from[query] + 1; k <= step; k++) {
        sum += response->x[k * stride + (size_t)response->integral_of[average->output]];
    }
    return sum / average->width;
}

static double value_at(const lf_known_response *response, size_t step, int target)
{
    const lf_model *model = response->model;
    const lf_system_matrices *m = &response->matrices;
    size_t n = (size_t)m->n, known = (size_t)m->inputs, inputs = (size_t)response->inputs;
    const double *x = response->x + step * (size_t)(response->n + response->integrals),
                 *v = response->v + step * inputs, *r = response->r + step * inputs;
    int state = lf_target_state(model, target), d = lf_target_output(model, target);
    if (state >= 0 || d < 0) {
        return state >= 0 ? x[state] : 0;
    }
    if (!lf_target_is_rate(model, target)) {
        return row_product(m->C, (size_t)d, n, x) + row_product(m->D, (size_t)d, known, v) + m->d[d];
    }
    double rate = row_product(m->D, (size_t)d, known, r);
    for (size_t i = 0; i < n; i++) {
        rate += m->C[(size_t)d * n + i] * (row_product(m->A, i, n, x) + forcing(response, i, v));
    }
    return rate;
}

lf_status lf_known_response_evaluate(lf_context *ctx, lf_known_response *response, double *mean)
{
    const lf_timeline *t = &response->timeline;
    size_t size = lf_sparsity_size(&response->space.sparsity), s = (size_t)response->space.sparsity.stride,
           n = (size_t)(response->n + response->integrals);
    double *z = lf_doubles(s, 1);
    lf_status status = z ? lf_linear_system_evaluate(ctx, response->model, &response->matrices) : lf_no_memory(ctx);
    if (!status) {
        fill_F(response);
        lf_transition_work_clear(&response->work);
        status = lf_transition_work_create(ctx, &response->space, t->longest_gap, &response->work);
    }
    for (size_t g = 0; !status && g < response->cached; g++) {
        lf_transition(&response->space, response->space.F, t->gap_length[g], &response->work, response->A + g * size,
                      NULL);
    }
    LF_TRY(status, start(ctx, response));
    for (size_t k = 0; !status && k < t->step_count; k++) {
        const double *A = k ? lf_known_transition(response, k) : NULL;
        double *x = response->x + k * n;
        if (k) {
            lf_known_state_after(response, k - 1, z);
        }
        for (size_t i = 0; k && i < n; i++) {
            x[i] = A ? lf_row_product((int)s, A + i * s, z) : z[i];
        }
        for (size_t q = t->first_query[k]; q < t->first_query[k + 1]; q++) {
            int average = t->asked && t->asked[q] >= 0;
            double value = average ? average_at(response, k, q) : value_at(response, k, t->target[q]);
            mean[t->query[q]] = value;
            status = isfinite(value) ? status
                                     : lf_fail(ctx, LF_ERROR_NUMERIC,
                                               "the response to the known inputs is not finite at %.10g: the equations "
                                               "grow without bound, or a constant is out of range",
                                               t->time[k]);
        }
    }
    free(z);
    return status;
}
