/* Marches the response to the known inputs along the time axis. */
#include "dynamics/known_response.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/lapack.h"
#include "base/memory.h"
#include "dynamics/known_march.h"
#include "dynamics/known_values.h"
#include "dynamics/linear_system.h"

static const double cache_bytes = 64e6; /* for transitions */

int lf_has_known_response(const lf_model *model) { return model->system || model->known_count > 0; }

/* The states of the space: x, the integrals of averaged outputs, the inputs and the constant 1, the slopes of the inputs that are linear
 * between readings. */
static lf_status create_space(lf_context *ctx, const lf_point_set *points, lf_known_response *response)
{
    const lf_model *model = response->model;
    lf_state_space *space = &response->space;
    response->slope_of = calloc((size_t)response->inputs + 1, sizeof(int));
    response->integral_of = calloc((size_t)model->output_count + 1, sizeof(int));
    if (!response->slope_of || !response->integral_of) {
        return lf_no_memory(ctx);
    }
    for (int d = 0; d < model->output_count; d++) {
        response->integral_of[d] = -1;
    }
    for (int g = 0; points->width && g < points->group_count; g++) {
        for (size_t i = points->start[g]; i < points->start[g + 1]; i++) {
            if (points->width[i] > 0 && response->integral_of[points->target[g]] < 0) {
                response->integral_of[points->target[g]] = response->n + response->integrals++;
            }
        }
    }
    size_t n = (size_t)(response->n + response->integrals);
    for (int i = 0; i < response->inputs; i++) {
        int linear = i < model->known_count && model->known[i].hold == LF_HOLD_LINEAR;
        response->slope_of[i] = linear ? (int)n + response->inputs + response->slopes++ : -1;
    }
    *space = (lf_state_space){.model = model, .n = (int)n + response->inputs + response->slopes};
    size_t total = (size_t)space->n;
    char *depends = calloc(total + 1, total + 1);
    if (!depends) {
        return lf_no_memory(ctx);
    }
    memset(depends, 1, n * total);
    for (size_t i = 0; i < n; i++) { /* nothing depends on an integral */
        memset(depends + i * total + (size_t)response->n, 0, (size_t)response->integrals);
        depends[i * total + i] = 1;
    }
    for (size_t i = n; i < total; i++) {
        depends[i * total + i] = 1;
    }
    for (int i = 0; i < response->inputs; i++) {
        if (response->slope_of[i] >= 0) {
            depends[(n + (size_t)i) * total + (size_t)response->slope_of[i]] = 1;
        }
    }
    lf_status status = lf_sparsity_create(ctx, space->n, depends, &space->sparsity);
    free(depends);
    space->F = status ? NULL : lf_doubles(lf_sparsity_size(&space->sparsity), 1);
    return status || space->F ? status : lf_no_memory(ctx);
}

lf_status lf_known_response_create(lf_context *ctx, const lf_model *model, const lf_known_set *known,
                                   const lf_point_set *points, lf_known_response *response)
{
    *response = (lf_known_response){.model = model};
    lf_status status = lf_linear_system_create(ctx, model, &response->matrices);
    response->n = response->matrices.n;
    response->inputs = model->known_count + 1;
    status = status ? status : create_space(ctx, points, response);
    status = status ? status : lf_known_timeline(ctx, model, known, points, &response->timeline);
    size_t steps = response->timeline.step_count, inputs = (size_t)response->inputs;
    if (!status) {
        size_t size = lf_sparsity_size(&response->space.sparsity);
        const lf_timeline *t = &response->timeline;
        while (response->cached < t->gap_count && t->gap_uses[response->cached] > 1 &&
               (double)(response->cached * size * sizeof(double)) < cache_bytes) {
            response->cached++;
        }
        response->v = lf_doubles(steps, inputs);
        response->r = lf_doubles(steps, inputs);
        response->jump = lf_doubles(steps, inputs);
        response->x = lf_doubles(steps + 1, (size_t)(response->n + response->integrals));
        response->A = lf_doubles(response->cached + 1, size);
        status = response->v && response->r && response->jump && response->x && response->A ? LF_OK : lf_no_memory(ctx);
    }
    for (int i = 0; !status && i < model->known_count; i++) {
        lf_known_values(&response->timeline, model->known[i].hold, &known->series[i], inputs, response->v + i,
                        response->r + i, response->jump + i);
    }
    for (size_t k = 0; !status && k < steps; k++) {
        response->v[k * inputs + inputs - 1] = 1;
    }
    return status;
}

void lf_known_response_clear(lf_known_response *response)
{
    lf_timeline_clear(&response->timeline);
    lf_system_matrices_clear(&response->matrices);
    lf_transition_work_clear(&response->work);
    lf_sparsity_clear(&response->space.sparsity);
    free(response->space.F);
    free(response->slope_of);
    free(response->integral_of);
    free(response->v);
    free(response->r);
    free(response->jump);
    free(response->x);
    free(response->A);
    *response = (lf_known_response){0};
}

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

lf_status lf_known_solve_steady(lf_context *ctx, const lf_system_matrices *m, int transposed, double *b)
{
    size_t n = (size_t)m->n;
    double *A = lf_doubles(n, n);
    for (size_t i = 0; A && i < n * n; i++) {
        A[i] = transposed ? m->A[i] : m->A[i % n * n + i / n]; /* column-major */
    }
    int info = A ? lf_solve(n, A, b) : LF_LAPACK_NO_MEMORY;
    lf_status status = info == LF_LAPACK_NO_MEMORY ? lf_no_memory(ctx) : LF_OK;
    free(A);
    return status || info == 0 ? status
                               : lf_fail(ctx, LF_ERROR_MODEL,
                                         "there is no steady state to start from: A of the equations is singular; give "
                                         "every variable a start");
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
    return lf_known_solve_steady(ctx, &response->matrices, 0, x);
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
    status = status ? status : start(ctx, response);
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

lf_status lf_known_response_of_rows(lf_context *ctx, const lf_model *model, lf_replicate *replicate)
{
    lf_known_response response = {0};
    if (!lf_has_known_response(model)) {
        return LF_OK;
    }
    free(replicate->mean);
    replicate->mean = lf_doubles(replicate->points.n, 1);
    lf_status status = replicate->mean ? LF_OK : lf_no_memory(ctx);
    status = status ? status : lf_known_response_create(ctx, model, &replicate->known, &replicate->points, &response);
    status = status ? status : lf_known_response_evaluate(ctx, &response, replicate->mean);
    lf_known_response_clear(&response);
    return status;
}
