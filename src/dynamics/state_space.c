/* The layout of the states, and the sparsity of their dynamics. */
#include "dynamics/state_space.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "dynamics/atom_states.h"
#include "dynamics/system_space.h"

enum { MAX_STATES = 1000 }; /* the filter allocates about a hundred matrices of this size, 8 MB each */

static const double default_tolerance = 1e-10; /* as for the feature engines */

/* The system of a kernel, created on first use. */
static lf_status find_system(lf_context *ctx, lf_state_space *space, const lf_force_kernel *kernel, double tolerance,
                             const lf_force_system **system)
{
    int i = 0;
    while (i < space->system_count && space->kernels[i] != kernel) {
        i++;
    }
    *system = &space->systems[i];
    if (i < space->system_count) {
        return LF_OK;
    }
    space->kernels[i] = kernel;
    space->system_count++;
    return lf_force_system_create(ctx, kernel, tolerance > 0 ? tolerance : default_tolerance, &space->systems[i]);
}

/* The states of all atoms of a force. */
static lf_status add_force(lf_context *ctx, lf_state_space *space, const lf_force *force, int output, double tolerance)
{
    lf_atom atoms[LF_MAX_ATOMS];
    int count = lf_force_atom_count(force);
    lf_status status = LF_OK;
    lf_force_atoms(force, atoms);
    for (int i = 0; !status && i < count; i++) {
        lf_force_states *states = &space->forces[space->force_count];
        *states = (lf_force_states){.first = space->n, .output = output, .force = force, .atom = i, .value = atoms[i]};
        if (lf_atom_has_system(&atoms[i])) {
            status = find_system(ctx, space, atoms[i].envelope, tolerance, &states->system);
        }
        states->n = status ? 0 : lf_atom_states(&atoms[i], states->system);
        space->force_count += !status;
        space->n += states->n;
        space->has_linear = space->has_linear || atoms[i].envelope == &lf_force_kernel_linear;
    }
    return status;
}

/* An atom depends on its own states only; an output depends on its own states and on the forces that drive it. */
static lf_status make_sparsity(lf_context *ctx, lf_state_space *space)
{
    const lf_model *model = space->model;
    size_t n = (size_t)space->n;
    char *depends = calloc(n + 1, n + 1);
    if (!depends) {
        return lf_no_memory(ctx);
    }
    for (int f = 0; f < space->force_count; f++) {
        const lf_force_states *states = &space->forces[f];
        size_t from = (size_t)states->first, count = (size_t)states->n;
        for (size_t i = from; i < from + count; i++) {
            memset(depends + i * n + from, 1, count);
        }
        for (int d = 0; d < model->output_count; d++) {
            int drives = states->output < 0 || states->output == d;
            for (int i = space->first[d]; i >= 0 && i < space->first[d] + model->outputs[d].order; i++) {
                memset(depends + (size_t)i * n + from, drives, count);
            }
        }
    }
    for (size_t i = (size_t)space->force_states; model->system && i < (size_t)space->base; i++) {
        memset(depends + i * n, 1, (size_t)space->base);
    }
    for (int d = 0; d < model->output_count; d++) {
        size_t from = (size_t)space->first[d], count = (size_t)model->outputs[d].order;
        for (size_t i = from; space->first[d] >= 0 && i < from + count; i++) {
            memset(depends + i * n + from, 1, count);
        }
    }
    for (int d = 0; space->slots && d < model->output_count; d++) { /* on what the output depends */
        size_t like = (size_t)(model->system ? space->force_states : space->first[d]);
        for (size_t i = (size_t)space->integrator[d]; i < (size_t)(space->integrator[d] + space->slots[d]); i++) {
            memcpy(depends + i * n, depends + like * n, n);
            depends[i * n + i] = 1;
        }
    }
    lf_status status = lf_sparsity_create(ctx, space->n, depends, &space->sparsity);
    free(depends);
    return status;
}

static lf_status allocate_layout(lf_context *ctx, const lf_model *model, lf_state_space *space)
{
    enum { KERNELS = 4 }; /* those with a system: eq and three Matern kernels */
    size_t D = (size_t)model->output_count, atoms = 0;
    for (int q = 0; q < model->force_count; q++) {
        atoms += (size_t)lf_force_atom_count(&model->forces[q]);
    }
    for (size_t d = 0; d < D; d++) {
        const lf_output *output = &model->outputs[d];
        atoms += output->has_private ? (size_t)lf_force_atom_count(&output->private_force) : 0;
    }
    space->kernels = calloc(KERNELS, sizeof *space->kernels);
    space->systems = calloc(KERNELS, sizeof *space->systems);
    space->forces = calloc(atoms + 1, sizeof *space->forces);
    space->first = calloc(D, sizeof *space->first);
    space->rate_scale = lf_doubles(D, 1);
    int done = space->kernels && space->systems && space->forces && space->first && space->rate_scale;
    for (size_t d = 0; done && d < D; d++) {
        space->first[d] = -1;
    }
    return done ? LF_OK : lf_no_memory(ctx);
}

static lf_status allocate_matrices(lf_context *ctx, lf_state_space *space)
{
    size_t rows = (size_t)space->n, stride = (size_t)space->sparsity.stride;
    space->F = lf_doubles(rows, stride);
    space->W = lf_doubles(rows, stride);
    space->F_before_origin = lf_doubles(rows, stride);
    space->P = lf_doubles(rows, stride);
    return space->F && space->W && space->F_before_origin && space->P ? LF_OK : lf_no_memory(ctx);
}

/* The measurement of an output is its state z_0. */
static lf_status measure_outputs(lf_context *ctx, lf_state_space *space)
{
    int D = space->model->output_count, count = 0;
    lf_measurements *m = &space->measurements;
    m->start = calloc((size_t)D + 1, sizeof *m->start);
    m->state = calloc((size_t)D + 1, sizeof *m->state);
    m->value = lf_doubles((size_t)D + 1, 1);
    if (!m->start || !m->state || !m->value) {
        return lf_no_memory(ctx);
    }
    for (int d = 0; d < D; d++) {
        if (space->first[d] >= 0) {
            m->state[count] = space->first[d];
            m->value[count++] = 1;
        }
        m->start[d + 1] = count;
    }
    return LF_OK;
}

/* Appends the integrators. */
static lf_status add_integrators(lf_context *ctx, lf_state_space *space, const int *slots)
{
    int D = space->model->output_count, worst = 0;
    space->base = space->n;
    if (!slots) {
        return LF_OK;
    }
    space->slots = calloc((size_t)D + 1, sizeof *space->slots);
    space->integrator = calloc((size_t)D + 1, sizeof *space->integrator);
    if (!space->slots || !space->integrator) {
        return lf_no_memory(ctx);
    }
    for (int d = 0; d < D; d++) {
        space->slots[d] = slots[d] < MAX_STATES ? slots[d] : MAX_STATES;
        worst = slots[d] > slots[worst] ? d : worst;
        space->integrator[d] = space->n;
        space->n += space->slots[d];
    }
    return space->n <= MAX_STATES
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                         "%d averages of output '%s' overlap at once, and each of them is a state of the kalman "
                         "engine, which supports at most %d; take shorter widths or fewer points",
                         slots[worst], space->model->outputs[worst].name, MAX_STATES);
}

lf_status lf_state_space_create(lf_context *ctx, const lf_model *model, double tolerance, lf_state_space *space)
{
    return lf_state_space_create_averaging(ctx, model, tolerance, NULL, space);
}

lf_status lf_state_space_create_averaging(lf_context *ctx, const lf_model *model, double tolerance, const int *slots,
                                          lf_state_space *space)
{
    *space = (lf_state_space){.model = model};
    for (int d = 0; !model->system && d < model->output_count; d++) {
        if (!model->outputs[d].op->is_ode) {
            return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                           "output '%s' has the operator %s: the kalman engine supports differential equations only",
                           model->outputs[d].name, model->outputs[d].op->name);
        }
    }
    lf_status status = allocate_layout(ctx, model, space);
    for (int q = 0; !status && q < model->force_count; q++) {
        status = add_force(ctx, space, &model->forces[q], -1, tolerance);
    }
    for (int d = 0; !status && d < model->output_count; d++) {
        if (model->outputs[d].has_private) {
            status = add_force(ctx, space, &model->outputs[d].private_force, d, tolerance);
        }
    }
    space->force_states = space->n;
    for (int d = 0; !status && !model->system && d < model->output_count; d++) {
        space->first[d] = space->n;
        space->n += model->outputs[d].order;
    }
    if (!status && model->system) {
        status = lf_system_space_layout(ctx, space);
    }
    if (!status && space->n > MAX_STATES) {
        status =
            lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                    "this model has %d states, %d of them of its forces; the kalman engine supports at most %d; fewer "
                    "forces or harmonics, or the pitc engine, need fewer",
                    space->n, space->force_states, MAX_STATES);
    }
    LF_TRY(status, add_integrators(ctx, space, slots));
    LF_TRY(status, make_sparsity(ctx, space));
    status = status || model->system ? status : measure_outputs(ctx, space);
    return status ? status : allocate_matrices(ctx, space);
}

lf_status lf_state_space_create_part(lf_context *ctx, const lf_model *model, size_t count, const int *outputs,
                                     lf_state_space *space)
{
    *space = (lf_state_space){.model = model, .zero_start = 1};
    int all = lf_model_composed_force(model) != NULL;
    lf_status status = allocate_layout(ctx, model, space);
    for (int q = 0; !status && q < model->force_count; q++) {
        if (all || model->forces[q].kernel->tail_power > 0) {
            status = add_force(ctx, space, &model->forces[q], -1, 0);
        }
    }
    for (size_t i = 0; !status && i < count; i++) {
        const lf_output *output = &model->outputs[outputs[i]];
        if (output->op->is_ode && output->has_private && (all || output->private_force.kernel->tail_power > 0)) {
            status = add_force(ctx, space, &output->private_force, outputs[i], 0);
        }
    }
    space->force_states = space->n;
    for (size_t i = 0; !status && i < count; i++) {
        if (model->outputs[outputs[i]].op->is_ode) {
            space->first[outputs[i]] = space->n;
            space->n += model->outputs[outputs[i]].order;
        }
    }
    space->base = space->n;
    LF_TRY(status, make_sparsity(ctx, space));
    LF_TRY(status, measure_outputs(ctx, space));
    return status ? status : allocate_matrices(ctx, space);
}

void lf_state_space_clear(lf_state_space *space)
{
    lf_sparsity_clear(&space->sparsity);
    free(space->kernels);
    free(space->systems);
    free(space->forces);
    free(space->first);
    lf_system_matrices_clear(&space->matrices);
    free(space->measurements.start);
    free(space->measurements.state);
    free(space->measurements.value);
    free(space->rate_scale);
    free(space->slots);
    free(space->integrator);
    free(space->F);
    free(space->W);
    free(space->F_before_origin);
    free(space->P);
    *space = (lf_state_space){0};
}
