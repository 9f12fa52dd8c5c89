/* Reads the model file (docs/model-file.md). Structure and types are checked while reading, values at the end
 * (model_check.c). */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/input_file.h"
#include "base/processes.h"
#include "model/json_read.h"
#include "model/model_file.h"

#define MAX_INPUT_DIM 1000
#define MAX_COPIES 1000
#define MAX_DEPTH 64

const char *const lf_initial_names[] = {"zero", "stationary", "free", NULL};

static lf_status read_format(const lf_field *root)
{
    const char *format = "";
    double version = 0.0;
    lf_field format_field = lf_field_member(root, "format"), version_field = lf_field_member(root, "version");
    lf_status status = lf_field_string(&format_field, &format);
    if (!status && strcmp(format, "latentforce-model") != 0) {
        status = lf_field_fail(&format_field, "expected \"latentforce-model\", found \"%s\"", format);
    }
    LF_TRY(status, lf_field_number(&version_field, &version));
    if (!status && version != 1.0) {
        status = lf_field_fail(&version_field, "only version 1 can be read, found %g", version);
    }
    return status;
}

static lf_status read_input_dim(const lf_field *field, lf_model *model)
{
    double number = 1.0;
    lf_status status = lf_field_optional(field, &number);
    if (!status && !(number >= 1.0 && number <= MAX_INPUT_DIM && number == floor(number))) {
        status = lf_field_fail(field, "must be a whole number from 1 to %d, found %g", MAX_INPUT_DIM, number);
    }
    model->input_dim = status ? 1 : (int)number;
    return status;
}

/* One object for each input. */
static lf_status read_inputs(const lf_field *field, lf_model *model)
{
    static const char *const known[] = {"offset", "scale",  "name",     "unit", "file_unit",
                                        "zero",   "digits", "calendar", NULL};
    size_t count;
    int standardised = 0;
    lf_status status = lf_field_list(field, &count);
    if (!status && count != (size_t)model->input_dim) {
        status =
            lf_field_fail(field, "expected a list of %d (one per input), found a list of %zu", model->input_dim, count);
    }
    if (status) {
        return status;
    }
    model->inputs = calloc(count, sizeof *model->inputs);
    model->axes = calloc(count, sizeof *model->axes);
    if (!model->inputs || !model->axes) {
        return lf_no_memory(field->ctx);
    }
    for (size_t k = 0; !status && k < count; k++) {
        lf_field input = lf_field_element(field, k), offset = lf_field_member(&input, "offset"),
                 scale = lf_field_member(&input, "scale");
        model->inputs[k].scale = 1;
        standardised = standardised || offset.value || scale.value;
        status = lf_field_object(&input, known);
        LF_TRY(status, lf_field_optional(&offset, &model->inputs[k].offset));
        LF_TRY(status, lf_field_optional(&scale, &model->inputs[k].scale));
        LF_TRY(status, lf_read_axis(&input, &model->axes[k]));
    }
    if (!standardised) {
        free(model->inputs);
        model->inputs = NULL;
    }
    return status;
}

static lf_status read_initial(const lf_field *field, lf_model *model)
{
    const char *name = lf_initial_names[LF_INITIAL_ZERO];
    lf_status status = field->value ? lf_field_string(field, &name) : LF_OK;
    int initial = 0;
    while (!status && lf_initial_names[initial] && strcmp(name, lf_initial_names[initial]) != 0) {
        initial++;
    }
    if (!status && !lf_initial_names[initial]) {
        status = lf_field_fail(field, "expected \"zero\", \"stationary\" or \"free\", found \"%s\"", name);
    }
    model->initial = status ? LF_INITIAL_ZERO : (lf_initial)initial;
    return status;
}

/* The number of forces that an entry of "forces" stands for. */
static lf_status read_copies(const lf_field *force, int *copies)
{
    double number = 1.0;
    lf_field field = lf_field_member(force, "copies");
    lf_status status = lf_field_object(force, NULL);
    LF_TRY(status, lf_field_optional(&field, &number));
    if (!status && !(number >= 1.0 && number <= MAX_COPIES && number == floor(number))) {
        status = lf_field_fail(&field, "must be a whole number from 1 to %d, found %g", MAX_COPIES, number);
    }
    *copies = status ? 0 : (int)number;
    return status;
}

/* Copies are counted, not written one by one. Every output has a sensitivity to each of them, so the file shows how many there
 * are before memory is allocated for them. */
static lf_status check_total(const lf_field *field, size_t total, const json_t *outputs)
{
    const json_t *output = json_array_get(outputs, 0), *list = json_object_get(output, "sensitivity");
    if (json_is_array(list) && total > json_array_size(list)) {
        return lf_field_fail(field, "%zu forces with their copies, but outputs[0].sensitivity is a list of %zu", total,
                             json_array_size(list));
    }
    return json_is_array(list) || total <= MAX_COPIES ? LF_OK : lf_field_fail(field, "too many forces for no output");
}

static lf_status read_forces(const lf_field *field, const json_t *outputs, lf_model *model)
{
    size_t count, total = 0;
    int copies;
    lf_status status = lf_field_list(field, &count);
    for (size_t i = 0; !status && i < count; i++) {
        lf_field force = lf_field_element(field, i);
        status = read_copies(&force, &copies);
        total += (size_t)copies;
    }
    LF_TRY(status, check_total(field, total, outputs));
    if (status) {
        return status;
    }
    model->forces = calloc(total + 1, sizeof *model->forces);
    if (!model->forces) {
        return lf_no_memory(field->ctx);
    }
    for (size_t i = 0; !status && i < count; i++) {
        lf_field force = lf_field_element(field, i);
        status = read_copies(&force, &copies);
        for (; !status && copies > 0; copies--) {
            status = lf_read_force(&force, model->input_dim, &model->forces[model->force_count++]);
        }
    }
    return status;
}

/* Ties the lengthscales of copies; the parameter list must exist. */
static lf_status tie_copies(const lf_field *field, lf_model *model)
{
    size_t count;
    int copies, first = 0;
    lf_status status = lf_field_list(field, &count);
    for (size_t i = 0; !status && i < count; i++, first += copies) {
        lf_field force = lf_field_element(field, i);
        status = read_copies(&force, &copies);
        LF_TRY(status, lf_model_tie_copies(field->ctx, model, first, copies));
    }
    return status;
}

static lf_status read_outputs(const lf_field *field, lf_model *model)
{
    size_t count;
    lf_status status = lf_field_list(field, &count);
    if (status) {
        return status;
    }
    model->outputs = calloc(count + 1, sizeof *model->outputs);
    if (!model->outputs) {
        return lf_no_memory(field->ctx);
    }
    model->output_count = (int)count;
    for (size_t d = 0; !status && d < count; d++) {
        lf_field output = lf_field_element(field, d);
        status = lf_read_output(&output, model, &model->outputs[d]);
    }
    return status;
}

/* Known inputs, forces and outputs with operators. */
static lf_status read_parts(const lf_field *root, lf_model *model)
{
    lf_field initial = lf_field_member(root, "initial"), known = lf_field_member(root, "known_inputs"),
             forces = lf_field_member(root, "forces"), outputs = lf_field_member(root, "outputs");
    lf_status status = read_initial(&initial, model);
    status = status || !known.value ? status : lf_read_known_inputs(&known, model);
    LF_TRY(status, read_forces(&forces, outputs.value, model));
    return status ? status : read_outputs(&outputs, model);
}

static lf_status read_model(const lf_field *root, lf_model *model)
{
    static const char *const known[] = {"format",     "version",         "input_dim",  "inputs",    "columns",
                                        "origin",     "initial",         "forces",     "outputs",   "known_inputs",
                                        "parameters", "standard_errors", "provenance", "posterior", NULL};
    static const char *const known_of_system[] = {
        "format",     "version",   "inputs", "columns",      "origin",     "equations",  "constants",
        "forces",     "outputs",   "start",  "known_inputs", "parameters", "quantities", "standard_errors",
        "provenance", "posterior", NULL};
    int system = json_object_get(root->value, "equations") != NULL;
    lf_field input_dim = lf_field_member(root, "input_dim"), inputs = lf_field_member(root, "inputs"),
             origin = lf_field_member(root, "origin"), forces = lf_field_member(root, "forces"),
             parameters = lf_field_member(root, "parameters"), errors = lf_field_member(root, "standard_errors"),
             quantities = lf_field_member(root, "quantities");
    /* The format is checked first: for a file of another kind a message about unknown fields would mislead. */
    lf_status status = lf_field_object(root, NULL);
    LF_TRY(status, read_format(root));
    LF_TRY(status, lf_field_object(root, system ? known_of_system : known));
    LF_TRY(status, read_input_dim(&input_dim, model));
    if (!status && inputs.value) {
        status = read_inputs(&inputs, model);
    }
    LF_TRY(status, lf_field_optional(&origin, &model->origin));
    LF_TRY(status, system ? lf_read_system(root, model) : read_parts(root, model));
    LF_TRY(status, lf_model_check(root->ctx, model, root->file));
    if (!status && !system) {
        status = lf_parameters_build(root->ctx, model);
        LF_TRY(status, tie_copies(&forces, model));
    }
    if (!status && parameters.value) {
        status = lf_read_parameters(&parameters, model);
        /* Ties copy values. */
        LF_TRY(status, lf_model_check(root->ctx, model, root->file));
    }
    if (!status && errors.value) {
        status = lf_read_standard_errors(&errors, model);
    }
    if (!status && quantities.value) {
        status = lf_read_quantities(&quantities, model);
    }
    lf_field columns = lf_field_member(root, "columns");
    if (!status && columns.value) {
        status = lf_read_headings_of_files(&columns, model);
    }
    model->provenance = json_incref(json_object_get(root->value, "provenance"));
    model->posterior = json_incref(json_object_get(root->value, "posterior"));
    return status;
}

/* Whether nothing lies deeper than `levels` objects and lists; the parser itself stops at 2048. */
static int is_shallow(const json_t *value, int levels)
{
    const char *key;
    json_t *child;
    size_t i;
    if (!json_is_object(value) && !json_is_array(value)) {
        return 1;
    }
    if (levels == 0) {
        return 0;
    }
    json_object_foreach((json_t *)value, key, child)
    {
        if (!is_shallow(child, levels - 1)) {
            return 0;
        }
    }
    json_array_foreach(value, i, child)
    {
        if (!is_shallow(child, levels - 1)) {
            return 0;
        }
    }
    return 1;
}

/* Builds the model and releases `json`. json NULL: parsing failed with `error`; no_memory: an allocation failed meanwhile. */
static lf_status model_from_json(lf_context *ctx, json_t *json, const json_error_t *error, int no_memory,
                                 const char *name, lf_model **model)
{
    if (no_memory) {
        return lf_no_memory(ctx);
    }
    if (!json) {
        return lf_fail(ctx, LF_ERROR_MODEL, "%s:%d:%d: %s", name, error->line, error->column, error->text);
    }
    if (!is_shallow(json, MAX_DEPTH)) {
        json_decref(json);
        return lf_fail(ctx, LF_ERROR_MODEL, "%s: objects and lists are nested deeper than %d levels", name, MAX_DEPTH);
    }
    lf_field root = {.ctx = ctx, .file = name, .value = json};
    lf_model *result = calloc(1, sizeof *result);
    lf_status status = result ? read_model(&root, result) : lf_no_memory(ctx);
    json_decref(json);
    if (status) {
        lf_model_free(result);
        return status;
    }
    *model = result;
    return LF_OK;
}

/* Equations that have all values. */
static lf_status complete(lf_context *ctx, lf_status status, const char *name, lf_model **model)
{
    LF_TRY(status, lf_model_complete(ctx, *model, name));
    if (status) {
        lf_model_free(*model);
        *model = NULL;
    }
    return status;
}

lf_status lf_model_parse(lf_context *ctx, const char *text, const char *name, lf_model **model)
{
    json_error_t error;
    *model = NULL;
    if (!text) {
        return lf_missing(ctx, "text");
    }
    unsigned char first = (unsigned char)text[strspn(text, " \t\r\n")];
    if (isalpha(first) || first == '#') {
        return complete(ctx, lf_model_from_equations(ctx, text, name, model), name, model);
    }
    int no_memory;
    json_t *json = lf_json_read(NULL, text, 0, &error, &no_memory);
    return model_from_json(ctx, json, &error, no_memory, name, model);
}

/* Whether a file has equations: its name says so, or it is standard input and begins as they do. */
static int has_equations(const char *path, FILE *stream)
{
    size_t length = strlen(path);
    int first = getc(stream);
    ungetc(first, stream);
    if (strcmp(path, "-") == 0) {
        return isalpha(first) || first == '#';
    }
    int named =
        (length > 3 && strcmp(path + length - 3, ".eq") == 0) || (length > 4 && strcmp(path + length - 4, ".eqn") == 0);
    return named && first != '{' && first != EOF;
}

static lf_status read_json(lf_context *ctx, const lf_input_file *file, lf_model **model)
{
    json_error_t error;
    int no_memory;
    json_t *json = lf_json_read(file->stream, NULL, 0, &error, &no_memory);
    if (ferror(file->stream)) {
        json_decref(json);
        return lf_fail(ctx, LF_ERROR_IO, "%s: cannot be read", file->name);
    }
    return model_from_json(ctx, json, &error, no_memory, file->name, model);
}

lf_status lf_model_read(lf_context *ctx, const char *path, lf_model **model)
{
    lf_input_file file;
    *model = NULL;
    if (!path) {
        return lf_missing(ctx, "path");
    }
    lf_status status = lf_input_open(ctx, path, &file);
    if (!status) {
        status = has_equations(path, file.stream)
                     ? complete(ctx, lf_read_equations(ctx, &file, model), file.name, model)
                     : read_json(ctx, &file, model);
        lf_input_close(&file);
    }
    status = lf_agree(ctx, status);
    if (status) {
        lf_model_free(*model);
        *model = NULL;
    }
    return status;
}
