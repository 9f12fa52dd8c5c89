/* Reads the forces and the outputs of a model file: structure and types. Values are checked by model_check.c. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/plural.h"
#include "model/model_file.h"

/* A number, or a list with one number per input. */
static lf_status read_per_input(const lf_field *field, int input_dim, int *count, double **numbers)
{
    if (!json_is_array(field->value)) {
        *numbers = lf_doubles(1, 1);
        *count = 1;
        return *numbers ? lf_field_number(field, *numbers) : lf_no_memory(field->ctx);
    }
    lf_status status = lf_field_numbers(field, count, numbers);
    if (!status && *count != input_dim) {
        status = lf_field_fail(field, "expected a number or a list of %d (one per input), found a list of %d",
                               input_dim, *count);
    }
    return status;
}

static lf_status read_kernel(const lf_field *field, int input_dim, lf_force *force)
{
    lf_field lengthscale = lf_field_member(field, "lengthscale");
    lf_status status = lf_read_kernel(field, force);
    return status || !force->kernel || force->lengthscale
               ? status
               : read_per_input(&lengthscale, input_dim, &force->lengthscale_count, &force->lengthscale);
}

/* One number per inducing input or, with several inputs, a list with one number per input. */
static lf_status read_inducing(const lf_field *field, int input_dim, lf_force *force)
{
    if (input_dim == 1) {
        return lf_field_numbers(field, &force->inducing_count, &force->inducing);
    }
    size_t count;
    lf_status status = lf_field_list(field, &count);
    for (size_t i = 0; !status && i < count; i++) { /* before so much memory is asked for */
        int found;
        double *numbers;
        lf_field element = lf_field_element(field, i);
        if (json_array_size(element.value) != (size_t)input_dim) {
            status = lf_field_numbers(&element, &found, &numbers);
            free(numbers);
            LF_TRY(status, lf_field_fail(&element, "expected a list of %d (one per input), found a list of %d",
                                         input_dim, found));
        }
    }
    force->inducing = status ? NULL : lf_doubles(count, (size_t)input_dim);
    if (!status && !force->inducing) {
        status = lf_no_memory(field->ctx);
    }
    for (size_t i = 0; !status && i < count; i++) {
        lf_field element = lf_field_element(field, i);
        int found = 0;
        double *numbers = NULL;
        status = lf_field_numbers(&element, &found, &numbers);
        for (int k = 0; !status && k < input_dim; k++) {
            force->inducing[i * (size_t)input_dim + (size_t)k] = numbers[k];
        }
        free(numbers);
    }
    force->inducing_count = status ? 0 : (int)count;
    return status;
}

lf_status lf_read_force(const lf_field *field, int input_dim, lf_force *force)
{
    static const char *const known[] = {"kernel",   "lengthscale",    "period", "period_lengthscale", "terms", "copies",
                                        "inducing", "inducing_noise", NULL};
    lf_field inducing = lf_field_member(field, "inducing"), noise = lf_field_member(field, "inducing_noise");
    lf_status status = lf_field_object(field, known);
    LF_TRY(status, read_kernel(field, input_dim, force));
    LF_TRY(status, lf_field_optional(&noise, &force->inducing_noise));
    if (!status && inducing.value) {
        status = read_inducing(&inducing, input_dim, force);
    }
    return status;
}

static lf_status read_private_force(const lf_field *field, int input_dim, lf_output *output)
{
    static const char *const known[] = {"kernel", "lengthscale", "period", "period_lengthscale",
                                        "terms",  "amplitude",   NULL};
    lf_field amplitude = lf_field_member(field, "amplitude");
    lf_status status = lf_field_object(field, known);
    LF_TRY(status, read_kernel(field, input_dim, &output->private_force));
    output->has_private = status == LF_OK;
    return status ? status : lf_field_number(&amplitude, &output->private_amplitude);
}

/* Constants without names: the coefficients of an ODE, or precisions, one for all inputs or one per input. */
static lf_status read_constant_list(const lf_field *field, int input_dim, lf_output *output)
{
    if (!output->op->is_ode) {
        return read_per_input(field, input_dim, &output->constant_count, &output->constants);
    }
    lf_status status = lf_field_numbers(field, &output->constant_count, &output->constants);
    if (!status && (output->constant_count < 2 || output->constant_count > LF_MAX_ORDER + 1)) {
        status = lf_field_fail(field, "expected 2 to %d coefficients (order 1 to %d), found %d", LF_MAX_ORDER + 1,
                               LF_MAX_ORDER, output->constant_count);
    }
    output->order = status ? 0 : output->constant_count - 1;
    return status;
}

static lf_status read_operator(const lf_field *field, int input_dim, lf_output *output)
{
    const char *name, *known[LF_MAX_ORDER + 3] = {"type"};
    lf_field type = lf_field_member(field, "type");
    lf_status status = lf_field_object(field, NULL);
    LF_TRY(status, lf_field_string(&type, &name));
    if (status) {
        return status;
    }
    const lf_operator *op = output->op = lf_operator_find(name);
    if (!op) {
        return lf_field_fail(&type, "unknown operator \"%s\"; the operators are %s", name, lf_operator_names());
    }
    if (!op->constant_names) {
        known[1] = op->field;
        lf_field list = lf_field_member(field, op->field);
        status = lf_field_object(field, known);
        return status ? status : read_constant_list(&list, input_dim, output);
    }
    memcpy(known + 1, op->constant_names, (size_t)op->constant_count * sizeof *known);
    status = lf_field_object(field, known);
    output->order = op->order;
    output->constant_count = op->constant_count;
    output->constants = lf_doubles((size_t)op->constant_count, 1);
    if (!output->constants) {
        return lf_no_memory(field->ctx);
    }
    for (int i = 0; !status && i < op->constant_count; i++) {
        lf_field constant = lf_field_member(field, op->constant_names[i]);
        status = lf_field_number(&constant, &output->constants[i]);
    }
    return status;
}

static lf_status check_count(const lf_field *field, int count, int expected, const char *why)
{
    if (count == expected) {
        return LF_OK;
    }
    return lf_field_fail(field, "expected %d number%s (%s), found %d", expected, lf_plural((size_t)expected), why,
                         count);
}

static lf_status read_sensitivity(const lf_field *field, const lf_model *model, lf_output *output)
{
    int count;
    lf_status status = lf_field_numbers(field, &count, &output->sensitivity);
    return status ? status : check_count(field, count, model->force_count, "one per force");
}

static lf_status read_gain(const lf_field *field, const lf_model *model, lf_output *output)
{
    int count;
    lf_status status = lf_field_numbers(field, &count, &output->gain);
    return status ? status : check_count(field, count, model->known_count, "one per known input");
}

static lf_status read_initial_variance(const lf_field *field, lf_output *output)
{
    int count;
    if (field->value) {
        lf_status status = lf_field_numbers(field, &count, &output->initial_variance);
        return status ? status : check_count(field, count, output->order, "for the order of the operator");
    }
    output->initial_variance = lf_doubles((size_t)output->order, 1);
    if (!output->initial_variance) {
        return lf_no_memory(field->ctx);
    }
    for (int k = 0; k < output->order; k++) {
        output->initial_variance[k] = 1.0;
    }
    return LF_OK;
}

lf_status lf_read_output(const lf_field *field, const lf_model *model, lf_output *output)
{
    static const char *const known[] = {
        "name",           "unit",       "operator", "sensitivity", "sensitivity_sd",   "gain",    "variance_inflation",
        "noise_variance", "likelihood", "offset",   "scale",       "initial_variance", "private", NULL};
    const char *text, *measured = NULL;
    lf_field unit = lf_field_member(field, "unit"),
             name = lf_field_member(field, "name"), operator= lf_field_member(field, "operator"),
             sensitivity = lf_field_member(field, "sensitivity"), sd = lf_field_member(field, "sensitivity_sd"),
             inflation = lf_field_member(field, "variance_inflation"), gain = lf_field_member(field, "gain"),
             offset = lf_field_member(field, "offset"), scale = lf_field_member(field, "scale"),
             variance = lf_field_member(field, "initial_variance"), private_force = lf_field_member(field, "private");
    lf_status status = lf_field_object(field, known);
    LF_TRY(status, lf_field_string(&name, &text));
    if (!status && unit.value) {
        status = lf_field_string(&unit, &measured);
    }
    if (status) {
        return status;
    }
    output->name = lf_copy_string(text);
    output->unit = measured ? lf_copy_string(measured) : NULL;
    if (!output->name || (measured && !output->unit)) {
        return lf_no_memory(field->ctx);
    }
    output->scale = 1.0;
    status = read_operator(&operator, model->input_dim, output);
    LF_TRY(status, read_sensitivity(&sensitivity, model, output));
    LF_TRY(status, lf_field_optional(&sd, &output->sensitivity_sd));
    LF_TRY(status, lf_field_optional(&inflation, &output->variance_inflation));
    status = status || (!gain.value && model->known_count == 0) ? status : read_gain(&gain, model, output);
    LF_TRY(status, lf_read_likelihood(field, output));
    LF_TRY(status, lf_field_optional(&offset, &output->offset));
    LF_TRY(status, lf_field_optional(&scale, &output->scale));
    LF_TRY(status, read_initial_variance(&variance, output));
    if (!status && private_force.value) {
        status = read_private_force(&private_force, model->input_dim, output);
    }
    return status;
}
