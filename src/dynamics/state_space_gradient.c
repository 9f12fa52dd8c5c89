/* The chain rule from F, W and P of the state space (state_space.h) back to the parameters. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/atom_states.h"
#include "dynamics/gains.h"
#include "dynamics/system_space.h"
#include "dynamics/transition.h"

/* by_H += what the integrators add to it. */
static void integrators_backward(const lf_state_space *space, const double *by_F, double *by_H)
{
    const lf_measurements *m = &space->measurements;
    for (int d = 0; space->slots && d < space->model->output_count; d++) {
        for (int i = space->integrator[d]; i < space->integrator[d] + space->slots[d]; i++) {
            for (int e = m->start[d]; e < m->start[d + 1]; e++) {
                by_H[e] += by_F[(size_t)i * (size_t)space->sparsity.stride + (size_t)m->state[e]];
            }
        }
    }
}

/* From the derivatives by variance of all atoms, F and W to the parameters of the kernels. by_variance (3, atoms): the rest is work. */
static void forces_backward(const lf_state_space *space, const double *by_F, const double *by_W, double *by_variance,
                            double *gradient)
{
    const lf_model *model = space->model;
    double *by_lengthscale = by_variance + space->force_count, *by_frequency = by_lengthscale + space->force_count;
    for (int f = 0; f < space->force_count; f++) {
        lf_atom_backward(&space->forces[f], (size_t)space->sparsity.stride, by_F, by_W, &by_lengthscale[f],
                         &by_frequency[f]);
    }
    for (int f = 0; f < space->force_count; f++) {
        const lf_force_states *states = &space->forces[f];
        int index = states->output < 0 ? lf_index_kernel(model, (int)(states->force - model->forces))
                                       : lf_index_private_kernel(model, states->output);
        if (states->atom == 0 && index >= 0) { /* the atoms of a force follow each other */
            lf_force_atoms_backward(states->force, by_lengthscale + f, by_frequency + f, by_variance + f,
                                    gradient + index);
        }
    }
}

/* The derivative by the gain of an atom in the last state of output d. by_variance += what it says about its variance. */
static double gain_backward(const lf_state_space *space, const lf_force_states *states, int d, double leading,
                            const double *by_F, const double *by_W, double *by_variance)
{
    size_t s = (size_t)space->sparsity.stride, last = lf_last_state(space, d) * s;
    double variance = states->value.variance, sd = sqrt(variance), gain = lf_force_gain(space, states, d, leading);
    if (states->value.envelope != &lf_force_kernel_white) {
        double sum = lf_atom_row_backward(states, by_F + last);
        *by_variance += sd > 0 ? sum * gain / (2 * sd) : 0;
        return sum * sd;
    }
    int D = space->model->output_count;
    double gains[D], sum = 0;
    lf_white_gains(space, states, gains);
    for (int e = 0; e < D; e++) {
        if (space->first[e] >= 0) {
            size_t other = lf_last_state(space, e);
            sum += (by_W[last + other] + by_W[other * s + lf_last_state(space, d)]) * gains[e];
        }
    }
    *by_variance += sum * gain / 2;
    return sum * variance;
}

static void output_backward(const lf_state_space *space, int d, const double *by_F, const double *by_W,
                            const double *by_P, double *by_variance, double *gradient)
{
    const lf_model *model = space->model;
    const lf_output *output = &model->outputs[d];
    int P = output->order, first = space->first[d], s = space->sparsity.stride, skip = output->op->first_coefficient;
    size_t last = lf_last_state(space, d) * (size_t)s;
    double a[LF_MAX_ORDER + 1], rate_scale = space->rate_scale[d], leading = 0;
    double *constants = gradient + lf_index_constants(model, d);
    lf_ode_coefficients(output->op, output->constants, P, a);
    for (int k = 0; k < P; k++) {
        size_t entry = last + (size_t)(first + k);
        leading -= by_F[entry] * space->F[entry] / a[0];
        constants[P - k - skip] -= by_F[entry] / a[0] * pow(rate_scale, k - P + 1);
    }
    for (int f = 0; f < space->force_count; f++) {
        const lf_force_states *states = &space->forces[f];
        if (states->output >= 0 && states->output != d) {
            continue;
        }
        double sum = gain_backward(space, states, d, a[0], by_F, by_W, &by_variance[f]) * pow(rate_scale, 1 - P) / a[0];
        leading -= sum * lf_force_coupling(space, states, d) / a[0];
        gradient[states->output < 0 ? lf_index_sensitivity(model, d) + (int)(states->force - model->forces)
                                    : lf_index_private_amplitude(model, d)] += sum;
    }
    if (skip == 0) {
        constants[0] += leading;
    }
    for (int k = 0; lf_space_is_free(space) && k < P; k++) {
        size_t i = (size_t)(first + k);
        gradient[lf_index_initial_variance(model, d) + k] += by_P[i * (size_t)s + i] * pow(rate_scale, -2 * k);
    }
}

lf_status lf_state_space_backward(lf_context *ctx, const lf_state_space *space, double *by_F, double *by_W,
                                  const double *by_P, double *by_H, double *gradient)
{
    if (space->model->initial == LF_INITIAL_STATIONARY) {
        lf_status status = lf_stationary_backward(ctx, space, by_P, by_F, by_W);
        if (status) {
            return status;
        }
    }
    if (by_H) {
        integrators_backward(space, by_F, by_H);
    }
    if (space->model->system) {
        return lf_system_space_backward(ctx, space, by_F, by_W, by_P, by_H, gradient);
    }
    double *by_variance = lf_doubles((size_t)space->force_count, 3);
    if (!by_variance) {
        return lf_no_memory(ctx);
    }
    for (int d = 0; d < space->model->output_count; d++) {
        if (space->first[d] >= 0) {
            output_backward(space, d, by_F, by_W, by_P, by_variance, gradient);
        }
    }
    forces_backward(space, by_F, by_W, by_variance, gradient);
    free(by_variance);
    return LF_OK;
}
