/* Writes the model file atomically: members in a fixed order, numbers that read back as the same doubles. */
#include <errno.h>

#include "base/context.h"
#include "base/output_file.h"
#include "base/processes.h"
#include "latentforce.h"
#include "model/json_print.h"
#include "model/model_file.h"

static json_t *number_list(const double *numbers, int count)
{
    json_t *list = json_array();
    for (int i = 0; list && i < count; i++) {
        if (json_array_append_new(list, json_real(numbers[i]))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* A list of one number is written as the number. */
static json_t *number_or_list(const double *numbers, int count)
{
    return count == 1 ? json_real(numbers[0]) : number_list(numbers, count);
}

/* The object or list, or NULL after releasing it if `bad`. json_object_set_new takes ownership of its value and fails
 * for NULL, so failures can be collected in `bad` and tested once. */
static json_t *object_unless(json_t *object, int bad)
{
    if (bad) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* The inducing inputs: numbers or, with several inputs, lists. */
static json_t *inducing_list(const lf_force *force, int input_dim)
{
    if (input_dim == 1) {
        return number_list(force->inducing, force->inducing_count);
    }
    json_t *list = json_array();
    int bad = list == NULL;
    for (int i = 0; !bad && i < force->inducing_count; i++) {
        bad = json_array_append_new(list, number_list(force->inducing + i * input_dim, input_dim));
    }
    return object_unless(list, bad);
}

static json_t *write_force(const lf_force *force, int input_dim)
{
    json_t *result = json_object();
    int bad = lf_write_kernel(force, result);
    if (force->kernel) {
        bad |= json_object_set_new(result, "lengthscale", number_or_list(force->lengthscale, force->lengthscale_count));
    }
    if (force->inducing_noise > 0.0) {
        bad |= json_object_set_new(result, "inducing_noise", json_real(force->inducing_noise));
    }
    if (force->inducing_count) {
        bad |= json_object_set_new(result, "inducing", inducing_list(force, input_dim));
    }
    return object_unless(result, bad);
}

static json_t *write_operator(const lf_output *output)
{
    const lf_operator *op = output->op;
    json_t *result = json_object();
    int bad = json_object_set_new(result, "type", json_string(op->name));
    if (!op->constant_names) {
        json_t *list = op->is_ode ? number_list(output->constants, output->constant_count)
                                  : number_or_list(output->constants, output->constant_count);
        bad |= json_object_set_new(result, op->field, list);
        return object_unless(result, bad);
    }
    for (int i = 0; i < output->constant_count; i++) {
        bad |= json_object_set_new(result, op->constant_names[i], json_real(output->constants[i]));
    }
    return object_unless(result, bad);
}

/* Whether the initial variances are written: with a free start, or when they differ from the default 1. */
static int writes_initial_variance(const lf_model *model, const lf_output *output)
{
    int changed = 0;
    for (int k = 0; k < output->order; k++) {
        changed += output->initial_variance[k] != 1.0;
    }
    return changed || (model->initial == LF_INITIAL_FREE && output->order > 0);
}

static json_t *write_output(const lf_model *model, const lf_output *output)
{
    json_t *result = json_object();
    int bad = json_object_set_new(result, "name", json_string(output->name));
    if (output->unit) {
        bad |= json_object_set_new(result, "unit", json_string(output->unit));
    }
    bad |= json_object_set_new(result, "operator", write_operator(output));
    bad |= json_object_set_new(result, "sensitivity", number_list(output->sensitivity, model->force_count));
    if (output->sensitivity_sd > 0) {
        bad |= json_object_set_new(result, "sensitivity_sd", json_real(output->sensitivity_sd));
    }
    if (output->variance_inflation > 0) {
        bad |= json_object_set_new(result, "variance_inflation", json_real(output->variance_inflation));
    }
    if (model->known_count) {
        bad |= json_object_set_new(result, "gain", number_list(output->gain, model->known_count));
    }
    bad |= lf_write_likelihood(output, result);
    if (writes_initial_variance(model, output)) {
        bad |= json_object_set_new(result, "initial_variance", number_list(output->initial_variance, output->order));
    }
    if (output->has_private) {
        json_t *private_force = write_force(&output->private_force, model->input_dim);
        bad |= json_object_set_new(private_force, "amplitude", json_real(output->private_amplitude));
        bad |= json_object_set_new(result, "private", private_force);
    }
    bad |= json_object_set_new(result, "offset", json_real(output->offset));
    bad |= json_object_set_new(result, "scale", json_real(output->scale));
    return object_unless(result, bad);
}

static int set_unless_empty(json_t *object, const char *key, json_t *part)
{
    if (part && json_object_size(part) == 0) {
        json_decref(part);
        return 0;
    }
    return json_object_set_new(object, key, part);
}

/* Whether anything is known about the inputs. */
static int has_inputs(const lf_model *model)
{
    int known = model->inputs != NULL;
    for (int k = 0; k < model->input_dim; k++) {
        known = known || lf_axis_is_known(lf_model_axis(model, k));
    }
    return known;
}

static json_t *write_inputs(const lf_model *model)
{
    json_t *result = json_array();
    int bad = 0;
    for (int k = 0; k < model->input_dim; k++) {
        json_t *input = json_object();
        bad |= lf_write_axis(lf_model_axis(model, k), input);
        if (model->inputs) {
            bad |= json_object_set_new(input, "offset", json_real(model->inputs[k].offset));
            bad |= json_object_set_new(input, "scale", json_real(model->inputs[k].scale));
        }
        bad |= json_array_append_new(result, input);
    }
    return object_unless(result, bad);
}

/* Known inputs, forces and outputs with operators. */
static int write_parts(const lf_model *model, json_t *result)
{
    json_t *forces = json_array(), *outputs = json_array();
    int bad = json_object_set_new(result, "initial", json_string(lf_initial_names[model->initial]));
    if (model->known_count) {
        bad |= json_object_set_new(result, "known_inputs", lf_write_known_inputs(model));
    }
    for (int q = 0; q < model->force_count; q++) {
        bad |= json_array_append_new(forces, write_force(&model->forces[q], model->input_dim));
    }
    for (int d = 0; d < model->output_count; d++) {
        bad |= json_array_append_new(outputs, write_output(model, &model->outputs[d]));
    }
    bad |= json_object_set_new(result, "forces", forces);
    return bad | json_object_set_new(result, "outputs", outputs);
}

static json_t *write_model(const lf_model *model)
{
    json_t *result = json_object();
    int bad = json_object_set_new(result, "format", json_string("latentforce-model"));
    bad |= json_object_set_new(result, "version", json_integer(1));
    if (!model->system) {
        bad |= json_object_set_new(result, "input_dim", json_integer(model->input_dim));
    }
    if (has_inputs(model)) {
        bad |= json_object_set_new(result, "inputs", write_inputs(model));
    }
    if (model->columns) {
        bad |= json_object_set(result, "columns", model->columns);
    }
    bad |= json_object_set_new(result, "origin", json_real(model->origin));
    bad |= model->system ? lf_write_system(model, result) : write_parts(model, result);
    bad |= set_unless_empty(result, "parameters", lf_write_parameters(model));
    bad |= set_unless_empty(result, "standard_errors", lf_write_standard_errors(model));
    if (model->system) {
        bad |= set_unless_empty(result, "quantities", lf_write_quantities(model));
    }
    if (model->provenance) {
        bad |= json_object_set(result, "provenance", model->provenance);
    }
    if (model->posterior) {
        bad |= json_object_set(result, "posterior", model->posterior);
    }
    return object_unless(result, bad);
}

/* The JSON of a model; `name` is where it goes, for messages. */
static lf_status make_json(lf_context *ctx, const lf_model *model, const char *name, json_t **json)
{
    errno = 0;
    *json = write_model(model);
    if (!*json && errno == ENOMEM) {
        return lf_no_memory(ctx);
    }
    return *json ? LF_OK
                 : lf_fail(ctx, LF_ERROR_MODEL,
                           "%s: the model cannot be written: a name or a word of its provenance is not UTF-8", name);
}

lf_status lf_model_write(lf_context *ctx, const lf_model *model, const char *path)
{
    if (!model) {
        return lf_missing(ctx, "model");
    }
    lf_output_file file;
    json_t *json;
    lf_status status = make_json(ctx, model, path ? path : "standard output", &json);
    if (status) {
        return lf_agree(ctx, status);
    }
    status = lf_file_create(ctx, path, &file);
    if (!status && lf_json_print(file.stream, json) && !ferror(file.stream)) {
        lf_file_discard(&file);
        status = lf_agree(ctx, lf_no_memory(ctx));
    } else if (!status) {
        status = lf_file_commit(ctx, &file); /* reports failed writes */
    }
    json_decref(json);
    return status;
}

lf_status lf_model_text(lf_context *ctx, const lf_model *model, char **text)
{
    json_t *json;
    size_t size;
    *text = NULL;
    lf_status status = make_json(ctx, model, "text", &json);
    if (status) {
        return status;
    }
    FILE *stream = open_memstream(text, &size);
    int failed = !stream || lf_json_print(stream, json);
    failed = (stream && fclose(stream)) || failed;
    json_decref(json);
    if (failed) {
        free(*text);
        *text = NULL;
        return lf_no_memory(ctx);
    }
    return LF_OK;
}
