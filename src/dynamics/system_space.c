/* F, W, P and the measurements of a model given by equations, and the chain rule back to its parameters. */
#include "dynamics/system_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/transition.h"

/* The states of force i of the equations; NULL for a white force. */
static const lf_force_states *states_of(const lf_state_space *space, int i)
{
    int q = space->model->system->force[i];
    return q < 0 ? NULL : &space->forces[q];
}

lf_status lf_system_space_layout(lf_context *ctx, lf_state_space *space)
{
    const lf_system *system = space->model->system;
    int D = space->model->output_count, n = system->equations->state_count, entries = space->force_states + n;
    lf_measurements *m = &space->measurements;
    space->n += n;
    m->start = calloc((size_t)D + 1, sizeof *m->start);
    m->state = calloc((size_t)D * (size_t)entries + 1, sizeof *m->state);
    m->value = lf_doubles((size_t)D, (size_t)entries);
    m->vary = 1;
    if (!m->start || !m->state || !m->value) {
        return lf_no_memory(ctx);
    }
    for (int d = 0; d < D; d++) { /* all states; equations of this kind are small */
        m->start[d + 1] = (d + 1) * entries;
        for (int i = 0; i < entries; i++) {
            m->state[d * entries + i] = i;
        }
    }
    return lf_system_matrices_create(ctx, system->equations, &space->matrices);
}

/* decay_time, from the slowest mode of forces and system. */
static lf_status set_decay_time(lf_context *ctx, lf_state_space *space)
{
    size_t n = (size_t)space->matrices.n;
    double *real = lf_doubles(n, 1), *imaginary = lf_doubles(n, 1), slowest = INFINITY;
    lf_status status = real && imaginary ? lf_system_modes(ctx, &space->matrices, real, imaginary) : lf_no_memory(ctx);
    LF_TRY(status, lf_system_slowest_decay(ctx, n, real, &slowest));
    for (int f = 0; f < space->force_count; f++) {
        slowest = fmin(slowest, space->forces[f].system->slowest / space->forces[f].force->lengthscale[0]);
    }
    space->decay_time = 60 / slowest;
    free(real);
    free(imaginary);
    return status;
}

static void fill_forces(lf_state_space *space)
{
    size_t s = (size_t)space->sparsity.stride;
    for (int f = 0; f < space->force_count; f++) {
        const lf_force_states *states = &space->forces[f];
        const lf_force_system *system = states->system;
        size_t n = (size_t)system->n, first = (size_t)states->first;
        double lengthscale = states->force->lengthscale[0];
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                space->F[(first + i) * s + first + j] = system->F[i * n + j] / lengthscale;
                space->W[(first + i) * s + first + j] = system->b[i] * system->b[j] / lengthscale;
            }
        }
    }
}

/* The coefficients `row` (states, or outputs) of force i, times its amplitude, into entries of `to` for its states. */
static void couple(const lf_force_states *states, double factor, double *to)
{
    for (int j = 0; j < states->system->n; j++) {
        to[states->first + j] = factor * states->system->c[j];
    }
}

static void fill_system(lf_state_space *space)
{
    const lf_system_matrices *m = &space->matrices;
    const lf_system *system = space->model->system;
    size_t s = (size_t)space->sparsity.stride, n = (size_t)m->n, first = (size_t)space->force_states;
    size_t forces = (size_t)m->forces;
    for (size_t i = 0; i < n; i++) {
        memcpy(space->F + (first + i) * s + first, m->A + i * n, n * sizeof(double));
    }
    for (size_t f = 0; f < forces; f++) {
        const lf_force_states *states = states_of(space, (int)f);
        double amplitude = system->amplitude[f];
        for (size_t i = 0; states && i < n; i++) {
            couple(states, m->L[i * forces + f] * amplitude, space->F + (first + i) * s);
        }
        for (size_t i = 0; !states && i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                space->W[(first + i) * s + first + j] +=
                    m->L[i * forces + f] * m->L[j * forces + f] * amplitude * amplitude;
            }
        }
        for (int d = 0; states && d < m->outputs; d++) {
            couple(states, m->E[(size_t)d * forces + f] * amplitude,
                   space->measurements.value + space->measurements.start[d]);
        }
    }
    for (int d = 0; d < m->outputs; d++) {
        memcpy(space->measurements.value + (size_t)space->measurements.start[d] + first, m->C + (size_t)d * n,
               n * sizeof(double));
    }
}

/* The standard deviation of a state at the start. */
static double start_sd(const lf_state_space *space, int state)
{
    return isnan(space->matrices.start_sd[state]) ? space->model->system->start_sd[state]
                                                  : space->matrices.start_sd[state];
}

lf_status lf_system_space_move(lf_context *ctx, lf_state_space *space)
{
    const lf_system *system = space->model->system;
    size_t bytes = lf_sparsity_size(&space->sparsity) * sizeof(double), s = (size_t)space->sparsity.stride;
    lf_status status = lf_system_evaluate(ctx, system, &space->matrices);
    if (status) {
        return status;
    }
    memset(space->F, 0, bytes);
    memset(space->W, 0, bytes);
    fill_forces(space);
    fill_system(space);
    lf_state_space_fill_integrators(space);
    memset(space->F_before_origin, 0, bytes); /* the forces alone; x waits for its start */
    for (size_t i = 0; i < (size_t)space->force_states; i++) {
        memcpy(space->F_before_origin + i * s, space->F + i * s, (size_t)space->force_states * sizeof(double));
    }
    return space->model->initial == LF_INITIAL_STATIONARY ? set_decay_time(ctx, space) : LF_OK;
}

void lf_system_space_start(lf_state_space *space)
{
    for (size_t i = 0; i < (size_t)space->base; i++) {
        double sd = (int)i < space->force_states ? 1 : start_sd(space, (int)i - space->force_states);
        space->P[i * (size_t)space->sparsity.stride + i] = sd * sd;
    }
}

/* sum_j by_j c_j over the states of a force. */
static double couple_backward(const lf_force_states *states, const double *by)
{
    double sum = 0;
    for (int j = 0; j < states->system->n; j++) {
        sum += by[states->first + j] * states->system->c[j];
    }
    return sum;
}

static void forces_backward(const lf_state_space *space, const double *by_F, const double *by_W, const double *by_H,
                            lf_system_matrices *by, double *gradient)
{
    const lf_model *model = space->model;
    const lf_system_matrices *m = &space->matrices;
    size_t s = (size_t)space->sparsity.stride, n = (size_t)m->n, first = (size_t)space->force_states;
    size_t forces = (size_t)m->forces;
    for (size_t f = 0; f < forces; f++) {
        const lf_force_states *states = states_of(space, (int)f);
        double amplitude = model->system->amplitude[f], by_amplitude = 0;
        for (size_t i = 0; states && i < n; i++) {
            double sum = couple_backward(states, by_F + (first + i) * s);
            by->L[i * forces + f] += sum * amplitude;
            by_amplitude += sum * m->L[i * forces + f];
        }
        for (int d = 0; by_H && states && d < m->outputs; d++) {
            double sum = couple_backward(states, by_H + space->measurements.start[d]);
            by->E[(size_t)d * forces + f] += sum * amplitude;
            by_amplitude += sum * m->E[(size_t)d * forces + f];
        }
        for (size_t i = 0; !states && i < n; i++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++) {
                sum += (by_W[(first + i) * s + first + j] + by_W[(first + j) * s + first + i]) * m->L[j * forces + f];
            }
            by->L[i * forces + f] += sum * amplitude * amplitude;
            by_amplitude += sum * m->L[i * forces + f] * amplitude;
        }
        gradient[lf_index_amplitudes(model) + (int)f] += by_amplitude;
    }
    for (int f = 0; f < space->force_count; f++) {
        const lf_force_states *states = &space->forces[f];
        double sum = 0;
        for (size_t i = (size_t)states->first; i < (size_t)(states->first + states->system->n); i++) {
            for (size_t j = (size_t)states->first; j < (size_t)(states->first + states->system->n); j++) {
                sum += by_F[i * s + j] * space->F[i * s + j] + by_W[i * s + j] * space->W[i * s + j];
            }
        }
        gradient[lf_index_kernel(model, f)] -= sum / states->force->lengthscale[0];
    }
}

lf_status lf_system_space_backward(lf_context *ctx, const lf_state_space *space, const double *by_F, const double *by_W,
                                   const double *by_P, const double *by_H, double *gradient)
{
    const lf_model *model = space->model;
    const lf_equations *equations = model->system->equations;
    lf_system_matrices values, by = {0}; /* of this call: replicates may run in parallel */
    size_t s = (size_t)space->sparsity.stride, n = (size_t)space->matrices.n, first = (size_t)space->force_states;
    lf_status status = lf_system_matrices_create(ctx, equations, &values);
    LF_TRY(status, lf_system_matrices_create(ctx, equations, &by));
    LF_TRY(status, lf_equations_evaluate(ctx, equations, model->system->constants, &values));
    if (!status) {
        forces_backward(space, by_F, by_W, by_H, &by, gradient);
        for (size_t i = 0; i < n; i++) {
            memcpy(by.A + i * n, by_F + (first + i) * s + first, n * sizeof(double));
            if (model->initial != LF_INITIAL_STATIONARY) {
                by.start_sd[i] = 2 * start_sd(space, (int)i) * by_P[(first + i) * s + first + i];
            }
        }
        for (int d = 0; by_H && d < values.outputs; d++) {
            memcpy(by.C + (size_t)d * n, by_H + (size_t)space->measurements.start[d] + first, n * sizeof(double));
        }
        status = lf_equations_backward(ctx, equations, model->system->constants, &values, &by,
                                       gradient + lf_index_system_constants(model));
    }
    lf_system_matrices_clear(&by);
    lf_system_matrices_clear(&values);
    return status;
}

void lf_system_space_row(const lf_state_space *space, int target, double *row)
{
    const lf_model *model = space->model;
    size_t s = (size_t)space->sparsity.stride;
    int q = lf_target_force(model, target), state = lf_target_state(model, target);
    memset(row, 0, s * sizeof *row);
    if (q >= 0) {
        for (int f = 0; f < space->matrices.forces; f++) {
            if (model->system->force[f] == q) {
                couple(&space->forces[q], model->system->amplitude[f], row);
            }
        }
    } else if (state >= 0) {
        row[space->force_states + state] = 1;
    } else if (lf_target_is_rate(model, target)) { /* h'F */
        const double *h = space->measurements.value + space->measurements.start[lf_target_output(model, target)];
        for (int i = 0; i < space->base; i++) {
            for (int j = 0; j < space->base; j++) {
                row[j] += h[i] * space->F[(size_t)i * s + (size_t)j];
            }
        }
    } else {
        lf_measure_backward(&space->measurements, target, 1, row);
    }
}
