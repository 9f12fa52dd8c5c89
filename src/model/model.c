/* The model: release, copy and queries.
 *
 * Quantities derived from a_0 s^P + … + a_P: the time constant 1 / min(-Re root) and, for P = 2, the natural frequency
 * sqrt(a_2 / a_0) and the damping ratio a_1 / (2 sqrt(a_0 a_2)). */
#include "model/model.h"

#include <errno.h>
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/json_read.h"
#include "model/model_file.h"

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
    lf_model *result = malloc(sizeof *result);
    if (!result) {
        return lf_no_memory(ctx);
    }
    *result = *model;
    json_incref(result->provenance);
    json_incref(result->posterior);
    result->force_count = result->output_count = result->known_count = 0;
    result->parameter_count = 0;
    result->parameters = NULL;
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

int lf_model_input_dim(const lf_model *model) { return model->input_dim; }

lf_input_info lf_model_input(const lf_model *model, int input)
{
    lf_input_info info = lf_axis_info(lf_model_axis(model, input));
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

int lf_model_output_count(const lf_model *model) { return model->output_count; }

int lf_model_force_count(const lf_model *model) { return model->force_count; }

const char *lf_model_output_name(const lf_model *model, int output) { return model->outputs[output].name; }

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

int lf_model_known_count(const lf_model *model) { return model->known_count; }

const char *lf_model_known_name(const lf_model *model, int known) { return model->known[known].name; }

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

double lf_model_offset(const lf_model *model, int output) { return model->outputs[output].offset; }

double lf_model_scale(const lf_model *model, int output) { return model->outputs[output].scale; }

double lf_model_noise_variance(const lf_model *model, int output)
{
    const lf_output *o = &model->outputs[output];
    return o->scale * o->scale * o->noise_variance;
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

static lf_force_info force_info(const lf_force *force)
{
    return (lf_force_info){lf_force_kernel_text(force), force->lengthscale_count, force->lengthscale};
}

lf_force_info lf_model_force(const lf_model *model, int force) { return force_info(&model->forces[force]); }

size_t lf_model_force_parameters(const lf_model *model, int force, size_t *first)
{
    *first = (size_t)lf_index_kernel(model, force);
    return (size_t)lf_force_parameter_count(&model->forces[force]);
}

size_t lf_model_private_parameters(const lf_model *model, int output, size_t *first)
{
    int has_private = model->outputs[output].has_private;
    *first = has_private ? (size_t)lf_index_private_kernel(model, output) : 0;
    return has_private ? (size_t)lf_force_parameter_count(&model->outputs[output].private_force) : 0;
}

lf_output_info lf_model_output(const lf_model *model, int output)
{
    const lf_output *o = &model->outputs[output];
    lf_output_info info = {.name = o->name,
                           .operator_type = o->op->name,
                           .order = o->order,
                           .constant_count = o->constant_count,
                           .constants = o->constants,
                           .sensitivity = o->sensitivity,
                           .sensitivity_sd = o->sensitivity_sd,
                           .variance_inflation = o->variance_inflation > 0 ? o->variance_inflation : 1,
                           .noise_variance = o->noise_variance,
                           .offset = o->offset,
                           .scale = o->scale,
                           .has_private = o->has_private,
                           .private_amplitude = o->private_amplitude,
                           .time_constant = (double)NAN,
                           .natural_frequency = (double)NAN,
                           .damping_ratio = (double)NAN,
                           .time_constant_error = o->reading_error[0],
                           .natural_frequency_error = o->reading_error[1],
                           .damping_ratio_error = o->reading_error[2],
                           .unit = o->unit ? o->unit : ""};
    if (o->has_private) {
        info.private_force = force_info(&o->private_force);
    }
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

lf_status lf_model_set_provenance(lf_context *ctx, lf_model *model, const char *json)
{
    json_error_t error;
    int no_memory;
    json_t *provenance = lf_json_read(NULL, json, JSON_DECODE_ANY, &error, &no_memory);
    if (no_memory) {
        return lf_no_memory(ctx);
    }
    if (!provenance) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "provenance:%d:%d: %s", error.line, error.column, error.text);
    }
    json_decref(model->provenance);
    model->provenance = provenance;
    return LF_OK;
}

/* A text that grows. A failure is kept: jansson goes on when a key was not taken. */
typedef struct growing_text {
    char *text;
    size_t length, room;
    int failed;
} growing_text;

static int append(const char *bytes, size_t count, void *target)
{
    growing_text *t = target;
    if (!t->failed && count >= t->room - t->length) {
        size_t room = 2 * (t->length + count) + 64;
        char *larger = realloc(t->text, room);
        t->failed = !larger;
        t->text = larger ? larger : t->text;
        t->room = larger ? room : t->room;
    }
    if (t->failed) {
        return -1;
    }
    memcpy(t->text + t->length, bytes, count);
    t->length += count;
    t->text[t->length] = '\0';
    return 0;
}

char *lf_model_provenance(const lf_model *model)
{
    growing_text t = {0};
    if (!model->provenance) {
        return NULL;
    }
    if (json_dump_callback(model->provenance, append, &t, JSON_ENCODE_ANY) || t.failed) {
        free(t.text);
        errno = ENOMEM; /* what tells it from none */
        return NULL;
    }
    return t.text;
}

const char *lf_model_command(const lf_model *model, size_t word)
{
    return json_string_value(json_array_get(json_object_get(model->provenance, "command"), word));
}

int lf_model_has_posterior(const lf_model *model) { return model->posterior != NULL; }

void lf_model_drop_posterior(lf_model *model)
{
    json_decref(model->posterior);
    model->posterior = NULL;
}

int lf_target_output(const lf_model *model, int target)
{
    int D = model->output_count, Q = model->force_count;
    return target < D ? target : target < D + Q || target >= 2 * D + Q ? -1 : target - D - Q;
}

int lf_target_force(const lf_model *model, int target)
{
    int D = model->output_count, Q = model->force_count;
    return target >= D && target < D + Q ? target - D : -1;
}

int lf_target_is_rate(const lf_model *model, int target)
{
    int first = model->output_count + model->force_count;
    return target >= first && target < first + model->output_count;
}

int lf_model_force_is_white(const lf_model *model, int force)
{
    return force >= 0 && force < model->force_count &&
           lf_force_has_envelope(&model->forces[force], &lf_force_kernel_white);
}

int lf_target_has_value(const lf_model *model, int target)
{
    int q = lf_target_force(model, target), d = lf_target_output(model, target);
    if (q >= 0) {
        return !lf_model_force_is_white(model, q);
    }
    if (model->system || !lf_target_is_rate(model, target) || model->outputs[d].order != 1) {
        return 1;
    }
    const lf_output *output = &model->outputs[d];
    int driven = output->has_private && output->private_amplitude != 0 &&
                 lf_force_has_envelope(&output->private_force, &lf_force_kernel_white);
    for (int i = 0; i < model->force_count; i++) {
        driven = driven || (output->sensitivity[i] != 0 && lf_model_force_is_white(model, i));
    }
    return !driven;
}

int lf_target_state(const lf_model *model, int target)
{
    int first = 2 * model->output_count + model->force_count;
    return target >= first ? target - first : -1;
}

int lf_target_count(const lf_model *model)
{
    return 2 * model->output_count + model->force_count + (model->system ? model->system->equations->state_count : 0);
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

int lf_model_has_only_rough_forces(const lf_model *model)
{
    int rough = 1;
    for (int q = 0; q < model->force_count; q++) {
        rough = rough && lf_force_is_rough(&model->forces[q]);
    }
    for (int d = 0; d < model->output_count; d++) {
        rough = rough && (!model->outputs[d].has_private || lf_force_is_rough(&model->outputs[d].private_force));
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
