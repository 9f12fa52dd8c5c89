/* The flat list of the parameters of a model: their names and their places in theta.
 *
 * Forces come first: the parameters of their kernels (lengthscales) and, for forces with inducing inputs or inducing noise, inducing_noise and the
 * inducing inputs. Then output by output: constants, sensitivities, noise_variance, the initial variances of a free
 * start, private lengthscales and amplitude, offset, gains of the known inputs, the number of the likelihood.
 *
 * A model given by equations has the constants of its equations, the amplitudes and lengthscales of its forces, and noise
 * variances, each with the number of the likelihood of its output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/model.h"

static int initial_count(const lf_model *model, int output)
{
    return model->initial == LF_INITIAL_FREE ? model->outputs[output].order : 0;
}

int lf_index_kernel(const lf_model *model, int force) { return model->forces[force].first_parameter; }

static int has_inducing(const lf_force *force) { return force->inducing_noise > 0 || force->inducing_count > 0; }

int lf_index_inducing_noise(const lf_model *model, int force)
{
    const lf_force *f = &model->forces[force];
    return has_inducing(f) ? f->first_parameter + lf_force_parameter_count(f) : -1;
}

int lf_index_inducing(const lf_model *model, int force)
{
    return model->forces[force].inducing_count ? lf_index_inducing_noise(model, force) + 1 : -1;
}

int lf_index_constants(const lf_model *model, int output) { return model->outputs[output].first_parameter; }

int lf_index_sensitivity(const lf_model *model, int output)
{
    return model->force_count && !model->system
               ? lf_index_constants(model, output) + model->outputs[output].constant_count
               : -1;
}

int lf_index_noise(const lf_model *model, int output)
{
    int sensitivities = model->system ? 0 : model->force_count;
    return lf_index_constants(model, output) + model->outputs[output].constant_count + sensitivities;
}

int lf_index_initial_variance(const lf_model *model, int output)
{
    return initial_count(model, output) ? lf_index_noise(model, output) + 1 : -1;
}

int lf_index_private_kernel(const lf_model *model, int output)
{
    const lf_output *o = &model->outputs[output];
    return o->has_private ? o->private_force.first_parameter : -1;
}

int lf_index_private_amplitude(const lf_model *model, int output)
{
    const lf_output *o = &model->outputs[output];
    return o->has_private ? o->private_force.first_parameter + lf_force_parameter_count(&o->private_force) : -1;
}

int lf_index_offset(const lf_model *model, int output)
{
    const lf_output *o = &model->outputs[output];
    int private_count = o->has_private ? lf_force_parameter_count(&o->private_force) + 1 : 0;
    if (model->system) {
        return -1;
    }
    return lf_index_noise(model, output) + 1 + initial_count(model, output) + private_count;
}

int lf_index_gain(const lf_model *model, int output)
{
    return model->system || model->known_count == 0 ? -1 : lf_index_offset(model, output) + 1;
}

int lf_index_likelihood_number(const lf_model *model, int output)
{
    int offset = lf_index_offset(model, output);
    return !lf_output_likelihood(&model->outputs[output])->number ? -1
           : model->system                                        ? lf_index_noise(model, output) + 1
                                                                  : offset + 1 + model->known_count;
}

/* "a.private.amplitude" -> "a.private.log_amplitude", "Ro" -> "log_Ro". Output names may contain dots, the last component never does. */
static char *log_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t size = strlen(name) + sizeof "log_", stem = dot ? (size_t)(dot + 1 - name) : 0;
    char *result = malloc(size);
    if (result) {
        snprintf(result, size, "%.*slog_%s", (int)stem, name, name + stem);
    }
    return result;
}

typedef enum zero_rule { ZERO_ALLOWED, ZERO_REFUSED } zero_rule;

/* Appends the parameter "OWNER.WHAT", "OWNER" where `what` is NULL or, unless number is -1, "OWNER.WHATnumber". Returns 0 when there is no
 * memory. */
static int add_parameter(lf_model *model, lf_transform transform, zero_rule zero, double *value, const char *owner,
                         const char *what, int number)
{
    lf_parameter_entry *entry = &model->parameters[model->parameter_count++];
    size_t size = strlen(owner) + (what ? strlen(what) : 0) + 16;
    entry->name = malloc(size);
    if (!entry->name) {
        return 0;
    }
    int length = snprintf(entry->name, size, "%s%s%s", owner, what ? "." : "", what ? what : "");
    if (number >= 0) {
        snprintf(entry->name + length, size - (size_t)length, "%d", number);
    }
    entry->transform = transform;
    entry->nonzero = zero == ZERO_REFUSED;
    entry->value = value;
    entry->lower = transform == LF_TRANSFORM_LOG ? 0.0 : -(double)INFINITY;
    entry->upper = (double)INFINITY;
    entry->tied_to = -1;
    entry->theta_name = transform == LF_TRANSFORM_LOG ? log_name(entry->name) : lf_copy_string(entry->name);
    return entry->theta_name != NULL;
}

/* The parameters of the kernel of a force: "OWNER.lengthscale", "OWNER.term2.period"; prefix "private." for private forces. */
static int add_force(lf_model *model, lf_force *force, const char *owner, const char *prefix)
{
    int ok = 1, count = lf_force_parameter_count(force);
    force->first_parameter = (int)model->parameter_count;
    for (int i = 0; ok && i < count; i++) {
        lf_force_parameter parameter = lf_force_parameter_at(force, i);
        char what[64];
        if (parameter.term >= 0) {
            snprintf(what, sizeof what, "%sterm%d.%s", prefix, parameter.term + 1, parameter.what);
        } else {
            snprintf(what, sizeof what, "%s%s", prefix, parameter.what);
        }
        ok = add_parameter(model, LF_TRANSFORM_LOG, ZERO_REFUSED, parameter.value, owner, what, parameter.number);
        if (ok && parameter.fixed) {
            lf_parameter_entry *entry = &model->parameters[model->parameter_count - 1];
            entry->fixed = entry->fixed_by_default = 1;
        }
    }
    return ok;
}

/* Inducing noise and inducing inputs of a shared force. The inputs are named "inducing3" or, with several inputs,
 * "inducing3.x2", and are fixed by default. */
static int add_inducing(lf_model *model, lf_force *force, const char *owner)
{
    /* without inducing inputs the parameter exists only because the noise is positive, so it must not become 0 */
    zero_rule zero = force->inducing_count ? ZERO_ALLOWED : ZERO_REFUSED;
    int ok = !has_inducing(force) ||
             add_parameter(model, LF_TRANSFORM_LOG, zero, &force->inducing_noise, owner, "inducing_noise", -1);
    for (int i = 0; ok && i < force->inducing_count * model->input_dim; i++) {
        char what[48] = "inducing";
        if (model->input_dim > 1) {
            snprintf(what, sizeof what, "inducing%d.x", i / model->input_dim + 1);
        }
        int number = (model->input_dim > 1 ? i % model->input_dim : i) + 1;
        ok = add_parameter(model, LF_TRANSFORM_IDENTITY, ZERO_ALLOWED, &force->inducing[i], owner, what, number);
        if (ok) {
            lf_parameter_entry *entry = &model->parameters[model->parameter_count - 1];
            entry->fixed = entry->fixed_by_default = 1;
        }
    }
    return ok;
}

static int add_constant(lf_model *model, lf_output *output, int i)
{
    const lf_operator *op = output->op;
    lf_transform transform = op->positive ? LF_TRANSFORM_LOG : LF_TRANSFORM_IDENTITY;
    double *value = &output->constants[i];
    if (!op->is_ode) {
        return add_parameter(model, transform, ZERO_REFUSED, value, output->name, op->field,
                             output->constant_count > 1 ? i + 1 : -1);
    }
    zero_rule zero = i + op->first_coefficient == 0 ? ZERO_REFUSED : ZERO_ALLOWED;
    if (op->constant_names) {
        return add_parameter(model, transform, zero, value, output->name, op->constant_names[i], -1);
    }
    return add_parameter(model, transform, zero, value, output->name, "coefficient", i);
}

/* The constants and amplitudes of a model given by equations. */
static int add_system(lf_model *model)
{
    lf_system *system = model->system;
    const lf_equations *equations = system->equations;
    int ok = 1;
    system->first_parameter = (int)model->parameter_count;
    for (int i = 0; ok && i < equations->parameter_count; i++) {
        int positive = equations->parameters[i].positive;
        ok = add_parameter(model, positive ? LF_TRANSFORM_LOG : LF_TRANSFORM_IDENTITY,
                           positive ? ZERO_REFUSED : ZERO_ALLOWED, &system->constants[i], equations->parameters[i].name,
                           NULL, -1);
    }
    for (int i = 0; ok && i < equations->force_count; i++) {
        ok = add_parameter(model, LF_TRANSFORM_LOG, ZERO_ALLOWED, &system->amplitude[i], equations->forces[i].name,
                           equations->forces[i].white ? "sd" : "amplitude", -1);
    }
    for (int q = 0; ok && q < model->force_count; q++) {
        ok = add_force(model, &model->forces[q], model->forces[q].name, "");
    }
    return ok;
}

static int add_likelihood_number(lf_model *model, lf_output *output)
{
    const char *number = lf_output_likelihood(output)->number;
    return !number ||
           add_parameter(model, LF_TRANSFORM_LOG, ZERO_REFUSED, &output->likelihood_number, output->name, number, -1);
}

/* An output of a model given by equations. */
static int add_system_output(lf_model *model, lf_output *output)
{
    output->first_parameter = (int)model->parameter_count;
    return add_parameter(model, LF_TRANSFORM_LOG, ZERO_ALLOWED, &output->noise_variance, output->name, "noise_variance",
                         -1) &&
           add_likelihood_number(model, output);
}

static int add_output(lf_model *model, int d)
{
    lf_output *output = &model->outputs[d];
    const char *name = output->name;
    int ok = 1;
    output->first_parameter = (int)model->parameter_count;
    for (int i = 0; ok && i < output->constant_count; i++) {
        ok = add_constant(model, output, i);
    }
    for (int q = 0; ok && q < model->force_count; q++) {
        ok = add_parameter(model, LF_TRANSFORM_IDENTITY, ZERO_ALLOWED, &output->sensitivity[q], name, "sensitivity",
                           q + 1);
    }
    ok =
        ok && add_parameter(model, LF_TRANSFORM_LOG, ZERO_ALLOWED, &output->noise_variance, name, "noise_variance", -1);
    for (int k = 0; ok && k < initial_count(model, d); k++) {
        ok = add_parameter(model, LF_TRANSFORM_LOG, ZERO_ALLOWED, &output->initial_variance[k], name,
                           "initial_variance", k);
    }
    if (ok && output->has_private) {
        ok = add_force(model, &output->private_force, name, "private.") &&
             add_parameter(model, LF_TRANSFORM_LOG, ZERO_ALLOWED, &output->private_amplitude, name, "private.amplitude",
                           -1);
    }
    ok = ok && add_parameter(model, LF_TRANSFORM_IDENTITY, ZERO_ALLOWED, &output->offset, name, "offset", -1);
    if (ok) {
        lf_parameter_entry *offset = &model->parameters[model->parameter_count - 1];
        offset->fixed = offset->fixed_by_default = 1;
    }
    for (int i = 0; ok && i < model->known_count; i++) {
        ok = add_parameter(model, LF_TRANSFORM_IDENTITY, ZERO_ALLOWED, &output->gain[i], name, "gain", i + 1);
    }
    return ok && add_likelihood_number(model, output);
}

lf_status lf_parameters_build(lf_context *ctx, lf_model *model)
{
    size_t count = 1; /* avoids an allocation of size 0 */
    for (int q = 0; q < model->force_count; q++) {
        const lf_force *force = &model->forces[q];
        count += (size_t)(lf_force_parameter_count(force) + 1 + force->inducing_count * model->input_dim);
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        count +=
            (size_t)(output->constant_count + model->force_count + initial_count(model, d) + model->known_count + 3);
        count += output->has_private ? (size_t)lf_force_parameter_count(&output->private_force) + 1 : 0;
    }
    count += model->system
                 ? (size_t)model->system->equations->parameter_count + (size_t)model->system->equations->force_count
                 : 0;
    lf_parameters_clear(model);
    model->parameters = calloc(count, sizeof *model->parameters);
    int ok = model->parameters != NULL;
    ok = ok && (!model->system || add_system(model));
    for (int q = 0; ok && !model->system && q < model->force_count; q++) {
        char owner[32];
        snprintf(owner, sizeof owner, "force%d", q + 1);
        ok = add_force(model, &model->forces[q], owner, "") && add_inducing(model, &model->forces[q], owner);
    }
    for (int d = 0; ok && d < model->output_count; d++) {
        ok = model->system ? add_system_output(model, &model->outputs[d]) : add_output(model, d);
    }
    if (!ok) {
        lf_parameters_clear(model);
        return lf_no_memory(ctx);
    }
    lf_model_drop_errors(model);
    return lf_model_write_names(ctx, model);
}

void lf_parameters_clear(lf_model *model)
{
    for (size_t i = 0; i < model->parameter_count; i++) {
        free(model->parameters[i].name);
        free(model->parameters[i].theta_name);
    }
    free(model->parameters);
    model->parameters = NULL;
    model->parameter_count = 0;
}
