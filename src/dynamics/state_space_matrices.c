/* F, W and P of the state space (state_space.h) as functions of the parameters, and the chain rule back to them. */
#include <math.h>
#include <string.h>

#include "dynamics/system_space.h"
#include "dynamics/transition.h"

/* The factor of a force in the equation of output d: S_dq, the private amplitude, or 0. */
static double coupling(const lf_state_space *space, const lf_force_states *states, int d)
{
    const lf_output *output = &space->model->outputs[d];
    return states->output < 0    ? output->sensitivity[states->force - space->model->forces]
           : states->output == d ? output->private_amplitude
                                 : 0;
}

static int has_free_start(const lf_state_space *space)
{
    return space->model->initial == LF_INITIAL_FREE && !space->zero_start;
}

static void fill_force(lf_state_space *space, const lf_force_states *states)
{
    const lf_force_system *system = states->system;
    int s = space->sparsity.stride, n = system->n;
    double lengthscale = states->force->lengthscale[0];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            size_t entry = (size_t)(states->first + i) * (size_t)s + (size_t)(states->first + j);
            space->F[entry] = space->F_before_origin[entry] = system->F[i * n + j] / lengthscale;
            space->W[entry] = system->b[i] * system->b[j] / lengthscale;
        }
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
        double gain = coupling(space, states, d) / a[0] * pow(rate_scale, 1 - P);
        for (int j = 0; gain != 0 && j < states->system->n; j++) {
            last[states->first + j] = gain * states->system->c[j];
        }
    }
}

/* rate_scale of the outputs, and decay_time from the slowest mode of forces and outputs. */
static void set_scales(lf_state_space *space)
{
    const lf_model *model = space->model;
    double fastest = 0, slowest = INFINITY;
    for (int f = 0; f < space->force_count; f++) {
        double lengthscale = space->forces[f].force->lengthscale[0];
        fastest = fmax(fastest, 1 / lengthscale);
        slowest = fmin(slowest, space->forces[f].system->slowest / lengthscale);
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

lf_status lf_state_space_update(lf_context *ctx, lf_state_space *space)
{
    const lf_model *model = space->model;
    if (model->system) {
        return lf_system_space_update(ctx, space);
    }
    size_t bytes = lf_sparsity_size(&space->sparsity) * sizeof(double), s = (size_t)space->sparsity.stride;
    memset(space->F, 0, bytes);
    memset(space->W, 0, bytes);
    memset(space->F_before_origin, 0, bytes);
    memset(space->P, 0, bytes);
    set_scales(space);
    for (int f = 0; f < space->force_count; f++) {
        fill_force(space, &space->forces[f]);
    }
    for (int d = 0; d < model->output_count; d++) {
        if (space->first[d] >= 0) {
            fill_output(space, d);
        }
    }
    lf_state_space_fill_integrators(space);
    if (model->initial == LF_INITIAL_STATIONARY) {
        return lf_state_space_stationary(ctx, space);
    }
    for (size_t i = 0; i < (size_t)space->force_states; i++) {
        space->P[i * s + i] = 1;
    }
    for (int d = 0; has_free_start(space) && d < model->output_count; d++) {
        for (int k = 0; k < model->outputs[d].order; k++) {
            size_t i = (size_t)(space->first[d] + k);
            space->P[i * s + i] = model->outputs[d].initial_variance[k] * pow(space->rate_scale[d], -2 * k);
        }
    }
    return LF_OK;
}

static void force_backward(const lf_state_space *space, int f, const double *by_F, const double *by_W, double *gradient)
{
    const lf_model *model = space->model;
    const lf_force_states *states = &space->forces[f];
    size_t s = (size_t)space->sparsity.stride, first = (size_t)states->first, n = (size_t)states->system->n;
    double sum = 0;
    for (size_t i = first; i < first + n; i++) {
        for (size_t j = first; j < first + n; j++) {
            sum += by_F[i * s + j] * space->F[i * s + j] + by_W[i * s + j] * space->W[i * s + j];
        }
    }
    int index = states->output < 0 ? lf_index_lengthscale(model, (int)(states->force - model->forces))
                                   : lf_index_private_lengthscale(model, states->output);
    gradient[index] -= sum / states->force->lengthscale[0];
}

static void output_backward(const lf_state_space *space, int d, const double *by_F, const double *by_P,
                            double *gradient)
{
    const lf_model *model = space->model;
    const lf_output *output = &model->outputs[d];
    int P = output->order, first = space->first[d], s = space->sparsity.stride, skip = output->op->first_coefficient;
    size_t last = (size_t)(first + P - 1) * (size_t)s;
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
        double sum = 0;
        if (states->output >= 0 && states->output != d) {
            continue;
        }
        for (int j = 0; j < states->system->n; j++) {
            sum += by_F[last + (size_t)(states->first + j)] * states->system->c[j];
        }
        sum *= pow(rate_scale, 1 - P) / a[0];
        leading -= sum * coupling(space, states, d) / a[0];
        gradient[states->output < 0 ? lf_index_sensitivity(model, d) + (int)(states->force - model->forces)
                                    : lf_index_private_amplitude(model, d)] += sum;
    }
    if (skip == 0) {
        constants[0] += leading;
    }
    for (int k = 0; has_free_start(space) && k < P; k++) {
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
    for (int f = 0; f < space->force_count; f++) {
        force_backward(space, f, by_F, by_W, gradient);
    }
    for (int d = 0; d < space->model->output_count; d++) {
        if (space->first[d] < 0) {
            continue;
        }
        output_backward(space, d, by_F, by_P, gradient);
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
                memcpy(row + states->first, states->system->c, (size_t)states->system->n * sizeof *row);
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
