/* F, W and P of the state space (state_space.h) as functions of the parameters. */
#include <math.h>
#include <string.h>

#include "dynamics/atom_states.h"
#include "dynamics/gains.h"
#include "dynamics/system_space.h"
#include "dynamics/transition.h"

double lf_force_coupling(const lf_state_space *space, const lf_force_states *states, int d)
{
    const lf_output *output = &space->model->outputs[d];
    return states->output < 0    ? output->sensitivity[states->force - space->model->forces]
           : states->output == d ? output->private_amplitude
                                 : 0;
}

int lf_space_is_free(const lf_state_space *space)
{
    return space->model->initial == LF_INITIAL_FREE && !space->zero_start;
}

double lf_force_gain(const lf_state_space *space, const lf_force_states *states, int d, double leading)
{
    return lf_force_coupling(space, states, d) / leading *
           pow(space->rate_scale[d], 1 - space->model->outputs[d].order);
}

static double leading_coefficient(const lf_output *output)
{
    double a[LF_MAX_ORDER + 1];
    lf_ode_coefficients(output->op, output->constants, output->order, a);
    return a[0];
}

void lf_white_gains(const lf_state_space *space, const lf_force_states *states, double *gains)
{
    for (int d = 0; d < space->model->output_count; d++) {
        gains[d] =
            space->first[d] < 0 ? 0 : lf_force_gain(space, states, d, leading_coefficient(&space->model->outputs[d]));
    }
}

size_t lf_last_state(const lf_state_space *space, int d)
{
    return (size_t)(space->first[d] + space->model->outputs[d].order - 1);
}

/* A white force of intensity v: noise of the outputs that it drives. */
static void fill_white(lf_state_space *space, const lf_force_states *states)
{
    int D = space->model->output_count;
    double gains[D];
    lf_white_gains(space, states, gains);
    for (int d = 0; d < D; d++) {
        for (int e = 0; gains[d] != 0 && e < D; e++) {
            if (gains[e] != 0) {
                space->W[lf_last_state(space, d) * (size_t)space->sparsity.stride + lf_last_state(space, e)] +=
                    states->value.variance * gains[d] * gains[e];
            }
        }
    }
}

static void fill_forces(lf_state_space *space)
{
    size_t s = (size_t)space->sparsity.stride, forces = (size_t)space->force_states;
    lf_atom atoms[LF_MAX_ATOMS];
    for (int f = 0; f < space->force_count; f++) {
        lf_force_states *states = &space->forces[f];
        if (states->atom == 0) {
            lf_force_atoms(states->force, atoms);
        }
        states->value = atoms[states->atom];
        lf_atom_fill(states, s, space->F, space->W);
    }
    for (size_t i = 0; i < forces; i++) {
        memcpy(space->F_before_origin + i * s, space->F + i * s, forces * sizeof(double));
    }
}

static void fill_output(lf_state_space *space, int d)
{
    const lf_output *output = &space->model->outputs[d];
    int P = output->order, s = space->sparsity.stride, first = space->first[d];
    double a[LF_MAX_ORDER + 1], rate_scale = space->rate_scale[d];
    double *last = space->F + (size_t)(first + P - 1) * (size_t)s;
    lf_ode_coefficients(output->op, output->constants, P, a);
    for (int k = 0; k + 1 < P; k++) {
        space->F[(size_t)(first + k) * (size_t)s + (size_t)(first + k + 1)] = rate_scale;
    }
    for (int k = 0; k < P; k++) {
        last[first + k] = -a[P - k] / a[0] * pow(rate_scale, k - P + 1);
    }
    for (int f = 0; f < space->force_count; f++) {
        const lf_force_states *states = &space->forces[f];
        double gain = lf_force_gain(space, states, d, a[0]);
        if (gain != 0) {
            lf_atom_row(states, gain * sqrt(states->value.variance), last);
        }
    }
}

/* rate_scale of the outputs, and decay_time from the slowest mode of forces and outputs. */
static void set_scales(lf_state_space *space)
{
    const lf_model *model = space->model;
    double fastest = 0, slowest = INFINITY;
    for (int f = 0; f < space->force_count; f++) {
        const lf_force_states *states = &space->forces[f];
        fastest = fmax(fastest, states->value.frequency);
        if (states->system) {
            fastest = fmax(fastest, 1 / states->value.lengthscale);
            slowest = fmin(slowest, states->system->slowest / states->value.lengthscale);
        }
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        double a[LF_MAX_ORDER + 1];
        double complex rightmost = 0;
        if (space->first[d] < 0) {
            continue;
        }
        lf_ode_coefficients(output->op, output->constants, output->order, a);
        space->rate_scale[d] = fmax(fastest, lf_ode_rate(a, output->order));
        space->rate_scale[d] = space->rate_scale[d] > 0 ? space->rate_scale[d] : 1;
        lf_output_stable(output, &rightmost);
        slowest = fmin(slowest, -creal(rightmost));
    }
    space->decay_time = 60 / slowest; /* e^-60 is negligible even times a power of t (repeated roots) */
}

void lf_state_space_fill_integrators(lf_state_space *space)
{
    const lf_measurements *m = &space->measurements;
    for (int d = 0; space->slots && d < space->model->output_count; d++) {
        for (int i = space->integrator[d]; i < space->integrator[d] + space->slots[d]; i++) {
            for (int e = m->start[d]; e < m->start[d + 1]; e++) {
                space->F[(size_t)i * (size_t)space->sparsity.stride + (size_t)m->state[e]] = m->value[e];
            }
        }
    }
}

lf_status lf_state_space_stationary(lf_context *ctx, lf_state_space *space)
{
    size_t s = (size_t)space->sparsity.stride, n = (size_t)space->n, base = (size_t)space->base;
    lf_status status = lf_stationary_covariance(ctx, space, space->P);
    for (size_t i = 0; !status && i < n; i++) {
        size_t first = i < base ? base : 0;
        memset(space->P + i * s + first, 0, (n - first) * sizeof(double));
    }
    return status;
}

lf_status lf_state_space_move(lf_context *ctx, lf_state_space *space)
{
    const lf_model *model = space->model;
    if (model->system) {
        return lf_system_space_move(ctx, space);
    }
    size_t bytes = lf_sparsity_size(&space->sparsity) * sizeof(double);
    memset(space->F, 0, bytes);
    memset(space->W, 0, bytes);
    memset(space->F_before_origin, 0, bytes);
    fill_forces(space);
    set_scales(space);
    for (int d = 0; d < model->output_count; d++) {
        if (space->first[d] >= 0) {
            fill_output(space, d);
        }
    }
    for (int f = 0; f < space->force_count; f++) {
        if (space->forces[f].value.envelope == &lf_force_kernel_white) {
            fill_white(space, &space->forces[f]);
        }
    }
    lf_state_space_fill_integrators(space);
    return LF_OK;
}

lf_status lf_state_space_update(lf_context *ctx, lf_state_space *space)
{
    const lf_model *model = space->model;
    size_t s = (size_t)space->sparsity.stride;
    lf_status status = lf_state_space_move(ctx, space);
    memset(space->P, 0, lf_sparsity_size(&space->sparsity) * sizeof *space->P);
    if (status || model->initial == LF_INITIAL_STATIONARY) {
        return status ? status : lf_state_space_stationary(ctx, space);
    }
    if (model->system) {
        lf_system_space_start(space);
        return LF_OK;
    }
    for (int f = 0; f < space->force_count; f++) {
        const lf_force_states *states = &space->forces[f];
        int linear = states->value.envelope == &lf_force_kernel_linear; /* at the origin it is 0 */
        for (size_t i = (size_t)states->first; i < (size_t)(states->first + (linear ? 1 : states->n)); i++) {
            space->P[i * s + i] = 1;
        }
    }
    for (int d = 0; lf_space_is_free(space) && d < model->output_count; d++) {
        for (int k = 0; k < model->outputs[d].order; k++) {
            size_t i = (size_t)(space->first[d] + k);
            space->P[i * s + i] = model->outputs[d].initial_variance[k] * pow(space->rate_scale[d], -2 * k);
        }
    }
    return LF_OK;
}

void lf_state_space_row(const lf_state_space *space, int target, double *row)
{
    size_t s = (size_t)space->sparsity.stride;
    if (space->model->system) {
        lf_system_space_row(space, target, row);
        return;
    }
    int d = lf_target_output(space->model, target), q = lf_target_force(space->model, target);
    memset(row, 0, s * sizeof *row);
    if (q >= 0) {
        for (int f = 0; f < space->force_count; f++) {
            const lf_force_states *states = &space->forces[f];
            if (states->force == &space->model->forces[q]) {
                lf_atom_row(states, sqrt(states->value.variance), row);
            }
        }
    } else if (space->first[d] < 0) {
        return;
    } else if (lf_target_is_rate(space->model, target)) {
        memcpy(row, space->F + (size_t)space->first[d] * s, s * sizeof *row);
    } else {
        row[space->first[d]] = 1;
    }
}
