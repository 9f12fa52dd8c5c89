/* lf_model_matrices: the state space of a model with its known inputs, in the units of the data.
 *
 * States of outputs with operators are scaled inside (state_space.h); here they are f, f', …: with s the factor of each state,
 * A = s F / s, Q = s W s. For a step h, A and Q are the transition, and [A B0 B1] the upper rows of the exponential of
 * [[F B 0], [0 0 I], [0 0 0]] h, where B0 acts on the inputs at the beginning and B1 on their slopes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "dynamics/linear_system.h"
#include "dynamics/transition.h"

enum { NAME_SIZE = 256 };

void lf_matrices_free(lf_matrices *matrices)
{
    if (!matrices) {
        return;
    }
    for (size_t i = 0; matrices->state_names && i < matrices->states; i++) {
        free((char *)matrices->state_names[i]);
    }
    free(matrices->state_names);
    free(matrices->A); /* one array for all */
    free(matrices);
}

static lf_matrices *allocate(size_t n, size_t v, size_t y)
{
    lf_matrices *m = calloc(1, sizeof *m);
    if (!m) {
        return NULL;
    }
    *m = (lf_matrices){.size = sizeof *m, .states = n, .inputs = v, .outputs = y};
    m->state_names = calloc(n + 1, sizeof *m->state_names);
    m->A = lf_doubles(3 * n * n + 2 * n * v + 2 * n + y * (n + v + 3), 1);
    if (!m->state_names || !m->A) {
        lf_matrices_free(m);
        return NULL;
    }
    double **parts[] = {&m->B,          &m->B_slope,          &m->c,     &m->C, &m->D, &m->d, &m->Q, &m->R,
                        &m->start_mean, &m->start_covariance, &m->widths};
    size_t sizes[] = {n * v, n * v, n, y * n, y * v, y, n * n, y, n, n * n, y};
    double *next = m->A + n * n;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *parts[i] = next;
        next += sizes[i];
    }
    return m;
}

/* The name of a state, and the factor by which it differs from that of the space. */
static void describe_state(const lf_state_space *space, int state, char name[NAME_SIZE], double *factor)
{
    const lf_model *model = space->model;
    *factor = 1;
    int number = 0; /* of the state among those of its force */
    for (int f = 0; f < space->force_count; f++) {
        const lf_force_states *states = &space->forces[f];
        int k = state - states->first;
        number = states->atom == 0 ? 1 : number;
        if (k >= 0 && k < states->n && states->output >= 0) {
            snprintf(name, NAME_SIZE, "%.*s.private.%d", LF_CUT(200, model->outputs[states->output].name), number + k);
            return;
        }
        if (k >= 0 && k < states->n) {
            char force[NAME_SIZE];
            lf_model_force_name(model, (int)(states->force - model->forces), sizeof force, force);
            snprintf(name, NAME_SIZE, "%.*s.%d", LF_CUT(200, force), number + k);
            return;
        }
        number += states->n;
    }
    if (model->system) {
        lf_model_state_name(model, state - space->force_states, NAME_SIZE, name);
        return;
    }
    for (int d = 0; d < model->output_count; d++) {
        int k = state - space->first[d];
        if (k >= 0 && k < model->outputs[d].order) {
            int length = snprintf(name, NAME_SIZE, "%.*s", LF_CUT(200, model->outputs[d].name));
            memset(name + length, '\'', (size_t)k);
            name[length + k] = '\0';
            *factor = pow(space->rate_scale[d], k);
        }
    }
}

/* Names, A, C, Q, the start, and factor (n). */
static lf_status fill_states(lf_context *ctx, const lf_state_space *space, double *factor, lf_matrices *to)
{
    size_t n = (size_t)to->states, s = (size_t)space->sparsity.stride;
    const lf_model *model = space->model;
    double *h = lf_doubles(s, 1);
    lf_status status = h ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        char name[NAME_SIZE] = "";
        describe_state(space, (int)i, name, &factor[i]);
        to->state_names[i] = lf_copy_string(name);
        status = to->state_names[i] ? LF_OK : lf_no_memory(ctx);
    }
    for (size_t i = 0; !status && i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            to->A[i * n + j] = factor[i] * space->F[i * s + j] / factor[j];
            to->Q[i * n + j] = factor[i] * space->W[i * s + j] * factor[j];
            to->start_covariance[i * n + j] = factor[i] * space->P[i * s + j] * factor[j];
        }
    }
    for (int d = 0; !status && d < (int)to->outputs; d++) {
        double scale = model->outputs[d].scale;
        lf_state_space_row(space, d, h);
        for (size_t i = 0; i < n; i++) {
            to->C[(size_t)d * n + i] = scale * h[i] / factor[i];
        }
        to->R[d] = scale * scale * model->outputs[d].noise_variance;
        to->widths[d] = model->system ? model->system->equations->outputs[d].width : 0;
    }
    free(h);
    return status;
}

/* B, c, D, d and the mean of the start. */
static lf_status fill_inputs(lf_context *ctx, const lf_state_space *space, lf_matrices *to)
{
    const lf_model *model = space->model;
    lf_system_matrices mean = {0};
    size_t first = (size_t)space->force_states, inputs = (size_t)to->inputs;
    lf_status status = lf_linear_system_create(ctx, model, &mean);
    LF_TRY(status, lf_linear_system_evaluate(ctx, model, &mean));
    for (size_t i = 0; !status && i < (size_t)mean.n; i++) {
        memcpy(to->B + (first + i) * inputs, mean.B + i * inputs, inputs * sizeof *to->B);
        to->c[first + i] = mean.c[i];
        to->start_mean[first + i] = lf_linear_system_start(model, &mean, (int)i);
    }
    for (size_t d = 0; !status && d < (size_t)to->outputs; d++) {
        const lf_output *output = &model->outputs[d];
        for (size_t k = 0; k < inputs; k++) {
            to->D[d * inputs + k] = output->scale * mean.D[d * inputs + k];
        }
        to->d[d] = output->offset + output->scale * mean.d[d];
    }
    to->steady = model->initial == LF_INITIAL_STATIONARY;
    for (size_t i = 0; to->steady && i < to->states; i++) {
        to->start_mean[i] = NAN;
    }
    lf_system_matrices_clear(&mean);
    return status;
}

/* F of states, inputs with the constant 1, and their slopes, for a step. */
static lf_status discretise_inputs(lf_context *ctx, const lf_model *model, double step, lf_matrices *m)
{
    int n = (int)m->states, v = (int)m->inputs + 1, total = n + 2 * v;
    lf_state_space space = {.model = model, .n = total};
    lf_transition_work work = {0};
    char *depends = calloc((size_t)total * (size_t)total + 1, 1);
    lf_status status = depends ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < (size_t)total; i++) {
        memset(depends + i * (size_t)total + (i < (size_t)n ? 0 : i), 1, (size_t)total - (i < (size_t)n ? 0 : i));
    }
    LF_TRY(status, lf_sparsity_create(ctx, total, depends, &space.sparsity));
    free(depends);
    size_t s = (size_t)space.sparsity.stride, states = (size_t)n, inputs = (size_t)m->inputs;
    double *E = NULL;
    if (!status) {
        space.F = lf_doubles((size_t)total, s);
        E = lf_doubles((size_t)total, s);
        status = space.F && E ? LF_OK : lf_no_memory(ctx);
    }
    for (size_t i = 0; !status && i < states; i++) {
        memcpy(space.F + i * s, m->A + i * states, states * sizeof(double));
        for (size_t k = 0; k < inputs; k++) {
            space.F[i * s + states + k] = model->known[k].hold == LF_HOLD_IMPULSE ? 0 : m->B[i * inputs + k];
        }
        space.F[i * s + states + inputs] = m->c[i];
    }
    for (size_t k = 0; !status && k <= inputs; k++) {
        space.F[(states + k) * s + states + inputs + 1 + k] = 1;
    }
    LF_TRY(status, lf_transition_work_create(ctx, &space, step, &work));
    if (!status) {
        lf_transition(&space, space.F, step, &work, E, NULL);
    }
    double *B = status ? NULL : lf_doubles(states, inputs + 1);
    status = status || B ? status : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < states; i++) {
        for (size_t k = 0; k < inputs; k++) {
            lf_hold hold = model->known[k].hold;
            B[i * inputs + k] = E[i * s + states + k];
            for (size_t j = 0; hold == LF_HOLD_IMPULSE && j < states; j++) {
                B[i * inputs + k] += E[i * s + j] * m->B[j * inputs + k];
            }
            m->B_slope[i * inputs + k] = hold == LF_HOLD_LINEAR ? E[i * s + states + inputs + 1 + k] / step : 0;
        }
        m->c[i] = E[i * s + states + inputs];
    }
    if (!status && inputs) {
        memcpy(m->B, B, states * inputs * sizeof *B);
    }
    free(B);
    free(E);
    free(space.F);
    lf_sparsity_clear(&space.sparsity);
    lf_transition_work_clear(&work);
    return status;
}

/* A and Q of a step, in place of those of continuous time. */
static lf_status discretise_states(lf_context *ctx, const lf_state_space *space, double step, const double *factor,
                                   lf_matrices *m)
{
    size_t n = (size_t)m->states, s = (size_t)space->sparsity.stride, size = lf_sparsity_size(&space->sparsity);
    lf_transition_work work;
    double *A = lf_doubles(size, 1), *Q = lf_doubles(size, 1);
    lf_status status = lf_transition_work_create(ctx, space, step, &work);
    status = status || (A && Q) ? status : lf_no_memory(ctx);
    if (!status) {
        lf_transition(space, space->F, step, &work, A, Q);
    }
    for (size_t i = 0; !status && i < n * n; i++) {
        m->A[i] = factor[i / n] * A[i / n * s + i % n] / factor[i % n];
        m->Q[i] = factor[i / n] * Q[i / n * s + i % n] * factor[i % n];
    }
    lf_transition_work_clear(&work);
    free(A);
    free(Q);
    return status;
}

lf_status lf_model_matrices(lf_context *ctx, const lf_model *model, double step, lf_matrices **matrices)
{
    lf_state_space space = {0};
    *matrices = NULL;
    if (!model) {
        return lf_missing(ctx, "model");
    }
    if (!(step >= 0 && isfinite(step))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "the step %g must be a finite number >= 0", step);
    }
    lf_status status = model->input_dim == 1 ? LF_OK
                                             : lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                                                       "a model with %d inputs is no differential equation in time: it "
                                                       "has no state space",
                                                       model->input_dim);
    LF_TRY(status, lf_state_space_create(ctx, model, 0, &space));
    LF_TRY(status, lf_state_space_update(ctx, &space));
    lf_matrices *m = status ? NULL : allocate((size_t)space.n, (size_t)model->known_count, (size_t)model->output_count);
    double *factor = lf_doubles((size_t)space.n, 1);
    status = status || (m && factor) ? status : lf_no_memory(ctx);
    LF_TRY(status, fill_states(ctx, &space, factor, m));
    LF_TRY(status, fill_inputs(ctx, &space, m));
    if (!status && step > 0) {
        m->step = step;
        status = discretise_inputs(ctx, model, step, m);
        LF_TRY(status, discretise_states(ctx, &space, step, factor, m));
    }
    free(factor);
    lf_state_space_clear(&space);
    if (status) {
        lf_matrices_free(m);
        return status;
    }
    *matrices = m;
    return LF_OK;
}
