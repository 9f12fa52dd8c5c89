/* Models given by equations: made from a text, copied, released. */
#include "model/system.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/model.h"

struct lf_shared_equations {
    atomic_int holders;
    lf_equations *equations;
};

/* The operator of outputs that are given by equations. */
static const lf_operator of_equations = {.name = "equations"};

static const char *const default_kernel = "matern32";

static void release(struct lf_shared_equations *shared)
{
    if (shared && atomic_fetch_sub(&shared->holders, 1) == 1) {
        lf_equations_free(shared->equations);
        free(shared);
    }
}

void lf_system_free(lf_system *system)
{
    if (!system) {
        return;
    }
    release(system->shared);
    free(system->constants);
    free(system->amplitude);
    free(system->force);
    free(system->start_mean);
    free(system->start_sd);
    free(system->quantity_error);
    free(system);
}

/* A system without values that takes over one hold of the equations; NULL: no memory. */
static lf_system *create_system(struct lf_shared_equations *shared)
{
    const lf_equations *equations = shared->equations;
    lf_system *system = calloc(1, sizeof *system);
    if (!system) {
        release(shared);
        return NULL;
    }
    *system = (lf_system){.shared = shared,
                          .equations = equations,
                          .constants = lf_doubles((size_t)equations->parameter_count, 1),
                          .amplitude = lf_doubles((size_t)equations->force_count, 1),
                          .force = calloc((size_t)equations->force_count + 1, sizeof *system->force),
                          .start_mean = lf_doubles((size_t)equations->state_count, 1),
                          .start_sd = lf_doubles((size_t)equations->state_count, 1),
                          .quantity_error = lf_doubles((size_t)equations->quantity_count, 1)};
    if (!system->constants || !system->amplitude || !system->force || !system->start_mean || !system->start_sd ||
        !system->quantity_error) {
        lf_system_free(system);
        return NULL;
    }
    for (int i = 0; i < equations->quantity_count; i++) {
        system->quantity_error[i] = (double)NAN;
    }
    return system;
}

int lf_system_duplicate(lf_model *model)
{
    const lf_system *from = model->system;
    const lf_equations *equations = from->equations;
    size_t states = (size_t)equations->state_count, forces = (size_t)equations->force_count;
    atomic_fetch_add(&from->shared->holders, 1);
    lf_system *to = model->system = create_system(from->shared);
    if (!to) {
        return 0;
    }
    memcpy(to->constants, from->constants, (size_t)equations->parameter_count * sizeof(double));
    memcpy(to->amplitude, from->amplitude, forces * sizeof(double));
    memcpy(to->force, from->force, forces * sizeof(int));
    memcpy(to->start_mean, from->start_mean, states * sizeof(double));
    memcpy(to->start_sd, from->start_sd, states * sizeof(double));
    to->first_parameter = from->first_parameter;
    return 1;
}

static lf_status add_forces(lf_context *ctx, const lf_equations *equations, lf_model *model)
{
    model->forces = calloc((size_t)equations->force_count + 1, sizeof *model->forces);
    if (!model->forces) {
        return lf_no_memory(ctx);
    }
    for (int i = 0; i < equations->force_count; i++) {
        const lf_eq_force *given = &equations->forces[i];
        model->system->amplitude[i] = given->amplitude.value;
        model->system->force[i] = given->white ? -1 : model->force_count;
        if (given->white) {
            continue;
        }
        lf_force *force = &model->forces[model->force_count++];
        force->kernel = lf_force_kernel_find(given->kernel ? given->kernel : default_kernel);
        force->name = lf_copy_string(given->name);
        force->lengthscale = lf_doubles(1, 1);
        force->lengthscale_count = 1;
        if (!force->name || !force->lengthscale) {
            return lf_no_memory(ctx);
        }
        force->lengthscale[0] = given->lengthscale.value;
        if (!force->kernel) {
            return lf_equations_fail(ctx, equations, given->kernel_position,
                                     "unknown kernel '%s'; the kernels are %s, white", given->kernel,
                                     lf_force_kernel_names());
        }
    }
    return LF_OK;
}

static lf_status add_outputs(lf_context *ctx, const lf_equations *equations, lf_model *model)
{
    model->outputs = calloc((size_t)equations->output_count + 1, sizeof *model->outputs);
    if (!model->outputs) {
        return lf_no_memory(ctx);
    }
    for (int d = 0; d < equations->output_count; d++) {
        lf_output *output = &model->outputs[model->output_count++];
        double sd = equations->outputs[d].noise.value;
        *output = (lf_output){.name = lf_copy_string(equations->outputs[d].name),
                              .op = &of_equations,
                              .constants = lf_doubles(0, 1),
                              .sensitivity = lf_doubles((size_t)model->force_count, 1),
                              .initial_variance = lf_doubles(0, 1),
                              .noise_variance = sd * sd,
                              .scale = 1};
        if (!output->name || !output->constants || !output->sensitivity || !output->initial_variance) {
            return lf_no_memory(ctx);
        }
    }
    return LF_OK;
}

static lf_status add_known_inputs(lf_context *ctx, const lf_equations *equations, lf_model *model)
{
    model->known = calloc((size_t)equations->input_count + 1, sizeof *model->known);
    if (!model->known) {
        return lf_no_memory(ctx);
    }
    for (int i = 0; i < equations->input_count; i++) {
        lf_known_input *known = &model->known[model->known_count++];
        *known = (lf_known_input){.name = lf_copy_string(equations->inputs[i].name), .hold = equations->inputs[i].hold};
        if (!known->name) {
            return lf_no_memory(ctx);
        }
    }
    return LF_OK;
}

/* What the statements fix and bound. */
static void restrict_parameters(const lf_equations *equations, lf_model *model)
{
    lf_parameter_entry *constants = model->parameters + lf_index_system_constants(model),
                       *amplitudes = model->parameters + lf_index_amplitudes(model);
    for (int i = 0; i < equations->parameter_count; i++) {
        const lf_eq_parameter *given = &equations->parameters[i];
        constants[i].fixed = constants[i].fixed_by_default = given->fixed;
        constants[i].lower = given->lower;
        constants[i].upper = given->upper;
    }
    for (int i = 0; i < equations->force_count; i++) {
        const lf_eq_force *given = &equations->forces[i];
        amplitudes[i].fixed = amplitudes[i].fixed_by_default = given->amplitude.fixed;
        if (!given->white) {
            lf_parameter_entry *lengthscale = &model->parameters[lf_index_kernel(model, model->system->force[i])];
            lengthscale->fixed = lengthscale->fixed_by_default = given->lengthscale.fixed;
        }
    }
    for (int d = 0; d < equations->output_count; d++) {
        lf_parameter_entry *noise = &model->parameters[lf_index_noise(model, d)];
        noise->fixed = noise->fixed_by_default = equations->outputs[d].noise.fixed;
    }
}

static lf_status fill_model(lf_context *ctx, const lf_equations *equations, lf_model *model)
{
    lf_status status = add_forces(ctx, equations, model);
    LF_TRY(status, add_outputs(ctx, equations, model));
    LF_TRY(status, add_known_inputs(ctx, equations, model));
    for (int i = 0; !status && i < equations->parameter_count; i++) {
        model->system->constants[i] = equations->parameters[i].value;
    }
    for (int i = 0; !status && i < equations->state_count; i++) {
        model->system->start_mean[i] = model->system->start_sd[i] = equations->start == LF_EQ_START_REST ? 0 : NAN;
    }
    model->input_dim = 1;
    model->initial = equations->start == LF_EQ_START_STEADY ? LF_INITIAL_STATIONARY : LF_INITIAL_ZERO;
    LF_TRY(status, lf_parameters_build(ctx, model));
    if (!status) {
        restrict_parameters(equations, model);
    }
    return status;
}

lf_status lf_model_from_equations(lf_context *ctx, const char *text, const char *name, lf_model **model)
{
    lf_equations *equations = NULL;
    *model = NULL;
    lf_status status = lf_equations_parse(ctx, text, name, &equations);
    if (status) {
        return status;
    }
    lf_model *result = calloc(1, sizeof *result);
    struct lf_shared_equations *shared = calloc(1, sizeof *shared);
    if (!result || !shared) {
        lf_equations_free(equations);
        free(shared);
        free(result);
        return lf_no_memory(ctx);
    }
    shared->equations = equations;
    atomic_init(&shared->holders, 1);
    result->system = create_system(shared);
    status = result->system ? fill_model(ctx, equations, result) : lf_no_memory(ctx);
    if (status) {
        lf_model_free(result);
        return status;
    }
    *model = result;
    return LF_OK;
}

const char *lf_model_equations(const lf_model *model)
{
    return model->system ? lf_equations_text(model->system->equations) : NULL;
}

int lf_model_state_count(const lf_model *model) { return model->system ? model->system->equations->state_count : 0; }

void lf_model_state_name(const lf_model *model, int state, size_t size, char *text)
{
    lf_equations_state_name(model->system->equations, state, size, text);
}

int lf_index_system_constants(const lf_model *model) { return model->system->first_parameter; }

int lf_index_amplitudes(const lf_model *model)
{
    return model->system->first_parameter + model->system->equations->parameter_count;
}

int lf_system_start_is_given(const lf_equations *equations, int state)
{
    int given = 0;
    for (int i = 0; i < equations->start_count; i++) {
        given = given || equations->starts[i].state == state;
    }
    return given;
}

lf_status lf_system_evaluate(lf_context *ctx, const lf_system *system, lf_system_matrices *matrices)
{
    lf_status status = lf_equations_evaluate(ctx, system->equations, system->constants, matrices);
    unsigned signs = 1;
    for (size_t i = 0; system->disturbed && !status && i < matrices->value_count; i++) {
        signs = signs * 1664525u + 1013904223u; /* the same for every engine */
        matrices->A[i] *= signs >> 31 ? 1 + DBL_EPSILON : 1 - DBL_EPSILON;
    }
    return status;
}
