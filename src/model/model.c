/* The model: what is asked about it.
 *
 * Quantities derived from a_0 s^P + … + a_P: the time constant 1 / min(-Re root) and, for P = 2, the natural frequency
 * sqrt(a_2 / a_0) and the damping ratio a_1 / (2 sqrt(a_0 a_2)). */
#include "model/model.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/normal_quantile.h"
#include "model/model_file.h"

lf_label lf_model_input(const lf_model *model, int input)
{
    lf_label info = lf_axis_info(lf_model_axis(model, input));
    if (model->inputs) {
        info.offset = model->inputs[input].offset;
        info.scale = model->inputs[input].scale;
    }
    return info;
}

double lf_input_seen(const lf_model *model, int input, double x)
{
    return model->inputs ? (x - model->inputs[input].offset) / model->inputs[input].scale : x;
}

double lf_input_raw(const lf_model *model, int input, double scaled)
{
    return model->inputs ? model->inputs[input].offset + model->inputs[input].scale * scaled : scaled;
}

int lf_model_find_output(const lf_model *model, const char *name)
{
    for (int d = 0; d < model->output_count; d++) {
        if (!strcmp(model->outputs[d].name, name)) {
            return d;
        }
    }
    return -1;
}

int lf_model_find_known(const lf_model *model, const char *name)
{
    int i = model->known_count - 1;
    while (i >= 0 && strcmp(model->known[i].name, name) != 0) {
        i--;
    }
    return i;
}

const char *lf_model_known_unit(const lf_model *model, int known)
{
    return model->known[known].unit ? model->known[known].unit : "";
}

const char *lf_model_known_between(const lf_model *model, int known) { return lf_hold_names[model->known[known].hold]; }

void lf_model_force_name(const lf_model *model, int force, size_t size, char *text)
{
    if (model->forces[force].name) {
        snprintf(text, size, "%s", model->forces[force].name);
    } else {
        snprintf(text, size, "force%d", force + 1);
    }
}

double lf_model_noise_variance(const lf_model *model, int output)
{
    const lf_output *o = &model->outputs[output];
    lf_reading reading = {.noise = o->scale * o->scale * o->noise_variance, .number = o->likelihood_number};
    if (o->likelihood && o->likelihood->has_noise && reading.noise > 0) {
        double reach = lf_likelihood_quantile(o->likelihood, &reading, 0, 0, 0.975) / lf_normal_quantile(0.975);
        return reach * reach;
    }
    return reading.noise;
}

double lf_model_reading(const lf_model *model, size_t output, double f, double z)
{
    if (!model || output >= (size_t)model->output_count) {
        return NAN;
    }
    const lf_output *o = &model->outputs[output];
    lf_reading reading = {.noise = o->scale * o->scale * o->noise_variance, .number = o->likelihood_number};
    if (isnan(z)) {
        return lf_output_likelihood(o)->inverse_link(f);
    }
    double probability = 0.5 * erfc(-z / sqrt(2));
    return o->likelihood && (reading.noise > 0 || !o->likelihood->has_noise)
               ? lf_likelihood_quantile(o->likelihood, &reading, f, 0, probability)
               : f + sqrt(reading.noise) * z;
}

const lf_likelihood *lf_output_likelihood(const lf_output *output)
{
    return output->likelihood ? output->likelihood : &lf_likelihood_gaussian;
}

void lf_output_take_likelihood(lf_output *output, const lf_likelihood *likelihood)
{
    output->likelihood = likelihood == &lf_likelihood_gaussian ? NULL : likelihood;
    output->likelihood_number = likelihood->number_start;
    output->noise_variance = likelihood->has_noise ? output->noise_variance : 0;
}

int lf_model_has_likelihoods(const lf_model *model)
{
    int d = 0;
    while (d < model->output_count && !model->outputs[d].likelihood) {
        d++;
    }
    return d < model->output_count;
}

lf_constants lf_output_constants(const lf_output *output, int input_dim)
{
    return (lf_constants){.op = output->op,
                          .order = output->order,
                          .count = output->constant_count,
                          .input_dim = input_dim,
                          .value = output->constants};
}

int lf_starts_at_origin(const lf_model *model, int output)
{
    return (model->system || model->outputs[output].op->is_ode) && model->initial != LF_INITIAL_STATIONARY;
}

int lf_has_initial_state(const lf_model *model, int output)
{
    return model->outputs[output].op->is_ode && model->initial == LF_INITIAL_FREE;
}

int lf_output_stable(const lf_output *output, double complex *rightmost)
{
    double complex roots[LF_MAX_ORDER], right = (double)NAN;
    double a[LF_MAX_ORDER + 1];
    int order = output->order, stable = 1;
    if (order > 0) {
        lf_ode_coefficients(output->op, output->constants, order, a);
        /* Coefficients of one strict sign: a necessary condition, and up to order 2 a sufficient one. Unlike the
         * computed roots it has no rounding error. */
        for (int k = 1; k <= order; k++) {
            stable = stable && (a[0] > 0.0 ? a[k] > 0.0 : a[k] < 0.0);
        }
        if (lf_ode_roots(a, order, roots)) {
            stable = 0;
            order = 0;
        }
        double largest = 0.0;
        for (int k = 0; k < order; k++) {
            if (k == 0 || creal(roots[k]) > creal(right)) {
                right = roots[k];
            }
            largest = fmax(largest, cabs(roots[k]));
        }
        if (order > 2) {
            stable = stable && creal(right) < -DBL_EPSILON * order * largest;
        }
    }
    if (rightmost) {
        *rightmost = right;
    }
    return stable;
}

lf_output_info lf_model_output(const lf_model *model, int output)
{
    if (output < 0 || output >= model->output_count) {
        return (lf_output_info){.name = "", .operator_type = "", .unit = "", .likelihood = ""};
    }
    const lf_output *o = &model->outputs[output];
    lf_output_info info = {.size = sizeof info,
                           .name = o->name,
                           .operator_type = o->op->name,
                           .order = (size_t)o->order,
                           .constant_count = (size_t)o->constant_count,
                           .constants = o->constants,
                           .first_constant = (size_t)lf_index_constants(model, output),
                           .sensitivity = o->sensitivity,
                           .sensitivity_sd = o->sensitivity_sd,
                           .variance_inflation = o->variance_inflation > 0 ? o->variance_inflation : 1,
                           .noise_variance = lf_model_noise_variance(model, output),
                           .likelihood = lf_output_likelihood(o)->name,
                           .link = !lf_likelihood_is_direct(lf_output_likelihood(o)),
                           .offset = o->offset,
                           .scale = o->scale,
                           .private_kernel = o->has_private ? lf_force_kernel_text(&o->private_force) : NULL,
                           .private_amplitude = o->private_amplitude,
                           .time_constant = (double)NAN,
                           .natural_frequency = (double)NAN,
                           .damping_ratio = (double)NAN,
                           .time_constant_error = o->reading_error[0],
                           .natural_frequency_error = o->reading_error[1],
                           .damping_ratio_error = o->reading_error[2],
                           .unit = o->unit ? o->unit : ""};
    double complex rightmost;
    info.stable = lf_output_stable(o, &rightmost);
    if (info.stable) {
        info.time_constant = -1.0 / creal(rightmost);
    }
    if (o->order == 2) {
        double a[LF_MAX_ORDER + 1];
        lf_ode_coefficients(o->op, o->constants, 2, a);
        if (a[2] / a[0] > 0.0) {
            info.natural_frequency = sqrt(a[2] / a[0]);
            info.damping_ratio = a[1] / a[0] / (2.0 * info.natural_frequency);
        }
    }
    return info;
}

const char *lf_model_constant_name(const lf_model *model, int output, int constant)
{
    int index = lf_index_constants(model, output) + constant;
    return model->parameters[index].name + strlen(model->outputs[output].name) + 1;
}

int lf_model_has_posterior(const lf_model *model) { return model->posterior != NULL; }

void lf_model_drop_posterior(lf_model *model)
{
    json_decref(model->posterior);
    model->posterior = NULL;
}

int lf_model_force_is_white(const lf_model *model, int force)
{
    return force >= 0 && force < model->force_count &&
           lf_force_has_envelope(&model->forces[force], &lf_force_kernel_white);
}

int lf_model_has_force(const lf_model *model)
{
    int has = model->force_count > 0;
    for (int d = 0; d < model->output_count; d++) {
        has = has || model->outputs[d].has_private;
    }
    return has;
}

int lf_model_has_uncertain_sensitivities(const lf_model *model)
{
    int uncertain = 0;
    for (int d = 0; d < model->output_count; d++) {
        uncertain = uncertain || (model->outputs[d].sensitivity_sd > 0 && model->force_count > 0);
    }
    return uncertain;
}

const char *lf_force_kernel_text(const lf_force *force) { return force->kernel ? force->kernel->name : force->formula; }

const lf_force *lf_model_composed_force(const lf_model *model)
{
    for (int q = 0; q < model->force_count; q++) {
        if (lf_force_is_composed(&model->forces[q])) {
            return &model->forces[q];
        }
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        if (output->has_private && lf_force_is_composed(&output->private_force)) {
            return &output->private_force;
        }
    }
    return NULL;
}

int lf_force_is_rough(const lf_force *force)
{
    int rough = force->kernel && force->kernel->tail_power > 0;
    for (int i = 0; i < force->term_count; i++) {
        rough = rough || (force->terms[i].envelope && force->terms[i].envelope->tail_power > 0);
    }
    return rough;
}

int lf_model_has_rough_force(const lf_model *model)
{
    int rough = 0;
    for (int q = 0; q < model->force_count; q++) {
        rough = rough || lf_force_is_rough(&model->forces[q]);
    }
    for (int d = 0; d < model->output_count; d++) {
        rough = rough || (model->outputs[d].has_private && lf_force_is_rough(&model->outputs[d].private_force));
    }
    return rough;
}
