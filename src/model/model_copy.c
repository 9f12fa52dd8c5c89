/* The model: release and copies. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/model.h"

static void free_force(lf_force *force)
{
    free(force->name);
    free(force->lengthscale);
    free(force->terms);
    free(force->formula);
    free(force->inducing);
}

void lf_model_free(lf_model *model)
{
    if (!model) {
        return;
    }
    lf_parameters_clear(model);
    lf_model_clear_names(model);
    for (int q = 0; q < model->force_count; q++) {
        free_force(&model->forces[q]);
    }
    for (int d = 0; d < model->output_count; d++) {
        lf_output *output = &model->outputs[d];
        free(output->name);
        free(output->unit);
        free(output->constants);
        free(output->sensitivity);
        free(output->gain);
        free(output->initial_variance);
        free_force(&output->private_force);
    }
    for (int i = 0; i < model->known_count; i++) {
        free(model->known[i].name);
        free(model->known[i].unit);
    }
    free(model->known);
    lf_system_free(model->system);
    lf_axes_free(model->axes, model->input_dim);
    free(model->inputs);
    free(model->forces);
    free(model->outputs);
    json_decref(model->columns);
    json_decref(model->provenance);
    json_decref(model->posterior);
    free(model);
}

/* Replaces *array (count) by a copy of it; NULL stays NULL. Returns 0 when there is no memory. */
static int duplicate_doubles(double **array, int count)
{
    if (!*array) {
        return 1;
    }
    double *copy = lf_doubles((size_t)count, 1);
    if (copy) {
        memcpy(copy, *array, (size_t)count * sizeof *copy);
    }
    *array = copy;
    return copy != NULL;
}

/* Every pointer is replaced, by NULL where there is no memory, so that lf_model_free can release an incomplete copy. */
static int duplicate_force(lf_force *force, int input_dim)
{
    int has_name = force->name != NULL;
    force->name = has_name ? lf_copy_string(force->name) : NULL;
    int lengthscale = duplicate_doubles(&force->lengthscale, force->lengthscale_count);
    int inducing = duplicate_doubles(&force->inducing, force->inducing_count * input_dim), composed = 1;
    if (force->terms) {
        size_t bytes = (size_t)force->term_count * sizeof *force->terms;
        lf_force_term *terms = malloc(bytes);
        if (terms) {
            memcpy(terms, force->terms, bytes);
        }
        force->terms = terms;
        force->formula = lf_copy_string(force->formula);
        composed = force->terms && force->formula;
    }
    return lengthscale && inducing && composed && (force->name || !has_name);
}

static int duplicate_output(lf_output *output, int force_count, int known_count, int input_dim)
{
    output->name = lf_copy_string(output->name);
    int has_unit = output->unit != NULL;
    output->unit = has_unit ? lf_copy_string(output->unit) : NULL;
    int constants = duplicate_doubles(&output->constants, output->constant_count);
    int sensitivity = duplicate_doubles(&output->sensitivity, force_count);
    int gain = duplicate_doubles(&output->gain, known_count);
    int variance = duplicate_doubles(&output->initial_variance, output->order);
    int private_force = duplicate_force(&output->private_force, input_dim);
    return output->name && (output->unit || !has_unit) && constants && sensitivity && gain && variance && private_force;
}

lf_status lf_model_copy(lf_context *ctx, const lf_model *model, lf_model **copy)
{
    *copy = NULL;
    if (!model) {
        return lf_missing(ctx, "model");
    }
    lf_model *result = malloc(sizeof *result);
    if (!result) {
        return lf_no_memory(ctx);
    }
    *result = *model;
    json_incref(result->columns);
    json_incref(result->provenance);
    json_incref(result->posterior);
    result->force_count = result->output_count = result->known_count = 0;
    result->parameter_count = 0;
    result->parameters = NULL;
    result->names = NULL;
    result->inputs = model->inputs ? calloc((size_t)model->input_dim, sizeof *result->inputs) : NULL;
    result->axes = model->axes ? lf_axes_copy(model->axes, model->input_dim) : NULL;
    result->forces = calloc((size_t)model->force_count + 1, sizeof *result->forces);
    result->outputs = calloc((size_t)model->output_count + 1, sizeof *result->outputs);
    result->known = calloc((size_t)model->known_count + 1, sizeof *result->known);
    int has_system = !result->system || lf_system_duplicate(result);
    int complete = has_system && result->forces && result->outputs && result->known &&
                   (result->inputs || !model->inputs) && (result->axes || !model->axes);
    if (complete && model->inputs) {
        memcpy(result->inputs, model->inputs, (size_t)model->input_dim * sizeof *result->inputs);
    }
    while (complete && result->force_count < model->force_count) {
        int q = result->force_count++;
        result->forces[q] = model->forces[q];
        complete = duplicate_force(&result->forces[q], model->input_dim);
    }
    while (complete && result->output_count < model->output_count) {
        int d = result->output_count++;
        result->outputs[d] = model->outputs[d];
        complete = duplicate_output(&result->outputs[d], model->force_count, model->known_count, model->input_dim);
    }
    while (complete && result->known_count < model->known_count) {
        int i = result->known_count++;
        const lf_known_input *from = &model->known[i];
        result->known[i] = (lf_known_input){.name = lf_copy_string(from->name),
                                            .hold = from->hold,
                                            .unit = from->unit ? lf_copy_string(from->unit) : NULL};
        complete = result->known[i].name && !from->unit == !result->known[i].unit;
    }
    lf_status status = complete ? lf_parameters_build(ctx, result) : lf_no_memory(ctx);
    if (status) {
        lf_model_free(result);
        return status;
    }
    for (size_t i = 0; i < model->parameter_count; i++) {
        const lf_parameter_entry *from = &model->parameters[i];
        lf_parameter_entry *to = &result->parameters[i];
        to->lower = from->lower;
        to->upper = from->upper;
        to->fixed = from->fixed;
        to->tied_to = from->tied_to;
        to->standard_error = from->standard_error;
    }
    for (int d = 0; d < model->output_count; d++) { /* lf_parameters_build has reset them */
        memcpy(result->outputs[d].reading_error, model->outputs[d].reading_error,
               sizeof model->outputs[d].reading_error);
    }
    if (model->system) {
        memcpy(result->system->quantity_error, model->system->quantity_error,
               (size_t)lf_model_quantity_count(model) * sizeof(double));
    }
    *copy = result;
    return LF_OK;
}

lf_status lf_model_alone(lf_context *ctx, const lf_model *model, int output, lf_model **alone)
{
    lf_output kept = model->outputs[output];
    lf_model part = {.input_dim = model->input_dim,
                     .inputs = model->inputs,
                     .origin = model->origin,
                     .initial = model->initial,
                     .output_count = 1,
                     .outputs = &kept};
    kept.offset = 0;
    kept.scale = 1;
    kept.sensitivity_sd = 0;
    kept.variance_inflation = 0;
    return lf_model_copy(ctx, &part, alone);
}
