/* Reads the parts of a model file that are about known inputs and equations. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/input_file.h"
#include "base/memory.h"
#include "base/output_file.h"
#include "base/processes.h"
#include "model/model_file.h"

const char *const lf_hold_names[] = {"linear", "constant", "impulse", NULL};

static lf_status read_hold(const lf_field *field, lf_hold *hold)
{
    const char *name = lf_hold_names[0];
    lf_status status = field->value ? lf_field_string(field, &name) : LF_OK;
    int i = 0;
    while (!status && lf_hold_names[i] && strcmp(name, lf_hold_names[i]) != 0) {
        i++;
    }
    *hold = (lf_hold)i;
    return status || lf_hold_names[i]
               ? status
               : lf_field_fail(field, "expected \"linear\", \"constant\" or \"impulse\", found \"%s\"", name);
}

static lf_status read_known_unit(const lf_field *field, lf_known_input *input)
{
    const char *text = NULL;
    lf_status status = lf_field_string(field, &text);
    if (status) {
        return status;
    }
    free(input->unit);
    input->unit = lf_copy_string(text);
    return input->unit ? LF_OK : lf_no_memory(field->ctx);
}

lf_status lf_read_known_inputs(const lf_field *field, lf_model *model)
{
    static const char *const known[] = {"name", "between", "unit", NULL};
    size_t count;
    lf_status status = lf_field_list(field, &count);
    model->known = status ? NULL : calloc(count + 1, sizeof *model->known);
    status = status || model->known ? status : lf_no_memory(field->ctx);
    for (size_t i = 0; !status && i < count; i++) {
        lf_field input = lf_field_element(field, i), name = lf_field_member(&input, "name"),
                 hold = lf_field_member(&input, "between"), unit = lf_field_member(&input, "unit");
        const char *text = "";
        status = lf_field_object(&input, known);
        LF_TRY(status, lf_field_string(&name, &text));
        if (!status && lf_model_find_known(model, text) >= 0) {
            status = lf_field_fail(&name, "\"%s\" is the name of an earlier input", text);
        }
        if (!status) {
            model->known[model->known_count].name = lf_copy_string(text);
            status = model->known[model->known_count++].name ? LF_OK : lf_no_memory(field->ctx);
        }
        LF_TRY(status, read_hold(&hold, &model->known[i].hold));
        status = status || !unit.value ? status : read_known_unit(&unit, &model->known[i]);
    }
    return status;
}

/* Of a system: the units of those of its inputs that have one. */
static lf_status read_known_units(const lf_field *field, lf_model *model)
{
    static const char *const known[] = {"name", "unit", NULL};
    size_t count = 0;
    lf_status status = field->value ? lf_field_list(field, &count) : LF_OK;
    for (size_t i = 0; !status && i < count; i++) {
        lf_field input = lf_field_element(field, i), name = lf_field_member(&input, "name"),
                 unit = lf_field_member(&input, "unit");
        const char *text = "";
        status = lf_field_object(&input, known);
        LF_TRY(status, lf_field_string(&name, &text));
        int k = status ? -1 : lf_model_find_known(model, text);
        if (!status && k < 0) {
            status = lf_field_fail(&name, "\"%s\" is not an input of the equations", text);
        }
        LF_TRY(status, read_known_unit(&unit, &model->known[k]));
    }
    return status;
}

lf_status lf_read_equations(lf_context *ctx, const lf_input_file *file, lf_model **model)
{
    enum { MOST = 1 << 20 }; /* characters; no system is described by more */
    const char *name = file->name;
    char *text = malloc(MOST + 1);
    size_t length = text ? fread(text, 1, MOST + 1, file->stream) : 0;
    lf_status status = !text ? lf_no_memory(ctx)
                       : ferror(file->stream)
                           ? lf_fail(ctx, LF_ERROR_IO, "%s: cannot be read: %s", name, lf_error_text(errno))
                       : length > MOST ? lf_fail(ctx, LF_ERROR_MODEL, "%s: has more than %d characters", name, MOST)
                                       : LF_OK;
    if (!status && memchr(text, '\0', length)) {
        status = lf_fail(ctx, LF_ERROR_MODEL, "%s: is not a text: it holds a byte 0", name);
    }
    if (!status) {
        text[length] = '\0';
        status = lf_model_from_equations(ctx, text, name, model);
    }
    free(text);
    return status;
}

lf_status lf_model_read_equations(lf_context *ctx, const char *path, lf_model **model)
{
    lf_input_file file;
    *model = NULL;
    lf_status status = lf_input_open(ctx, path, &file);
    if (!status) {
        status = lf_read_equations(ctx, &file, model);
        lf_input_close(&file);
    }
    status = lf_agree(ctx, status);
    if (status) {
        lf_model_free(*model);
        *model = NULL;
    }
    return status;
}

/* The text of the equations: one string, or a list of lines. */
static lf_status read_text(const lf_field *field, char **text)
{
    size_t count = 1, size = 1, used = 0;
    int list = json_is_array(field->value);
    lf_status status = list ? lf_field_list(field, &count) : LF_OK;
    for (size_t pass = 0; !status && pass < 2; pass++) {
        for (size_t i = 0; !status && i < count; i++) {
            lf_field line = list ? lf_field_element(field, i) : *field;
            const char *part;
            status = lf_field_string(&line, &part);
            size_t length = status ? 0 : strlen(part);
            if (!status && pass == 1) {
                memcpy(*text + used, part, length);
                (*text)[used + length] = '\n';
            }
            used += length + 1;
        }
        size = used + 1;
        used = 0;
        if (!status && pass == 0) {
            *text = calloc(size, 1);
            status = *text ? LF_OK : lf_no_memory(field->ctx);
        }
    }
    return status;
}

static lf_status read_constants(const lf_field *field, lf_model *model)
{
    const lf_equations *equations = model->system->equations;
    const char *key;
    json_t *value;
    lf_status status = lf_field_object(field, NULL);
    for (int i = 0; !status && i < equations->parameter_count; i++) {
        lf_field constant = lf_field_member(field, equations->parameters[i].name);
        status = lf_field_number(&constant, &model->system->constants[i]);
    }
    if (status) {
        return status;
    }
    json_object_foreach(field->value, key, value)
    {
        int i = 0;
        while (i < equations->parameter_count && strcmp(key, equations->parameters[i].name) != 0) {
            i++;
        }
        if (i == equations->parameter_count) {
            return lf_field_fail(field, "\"%s\" is not a parameter of the equations", key);
        }
    }
    return LF_OK;
}

/* An entry of "forces" for each force of the equations, in their order. */
static lf_status read_system_forces(const lf_field *field, lf_model *model)
{
    static const char *const known[] = {"name", "kernel", "lengthscale", "amplitude", "sd", NULL};
    const lf_equations *equations = model->system->equations;
    size_t count;
    lf_status status = lf_field_list(field, &count);
    if (!status && count != (size_t)equations->force_count) {
        status = lf_field_fail(field, "expected a list of %d (one per force of the equations), found a list of %zu",
                               equations->force_count, count);
    }
    for (size_t i = 0; !status && i < count; i++) {
        int white = equations->forces[i].white;
        lf_field force = lf_field_element(field, i), name = lf_field_member(&force, "name"),
                 lengthscale = lf_field_member(&force, "lengthscale"),
                 amplitude = lf_field_member(&force, white ? "sd" : "amplitude");
        const char *text = "";
        status = lf_field_object(&force, known);
        LF_TRY(status, lf_field_string(&name, &text));
        if (!status && strcmp(text, equations->forces[i].name) != 0) {
            status = lf_field_fail(&name, "expected \"%s\", found \"%s\"", equations->forces[i].name, text);
        }
        LF_TRY(status, lf_field_number(&amplitude, &model->system->amplitude[i]));
        if (!status && !white) {
            status = lf_field_number(&lengthscale, model->forces[model->system->force[i]].lengthscale);
        }
    }
    return status;
}

/* An entry of "outputs" for each output of the equations, in their order. */
static lf_status read_system_outputs(const lf_field *field, lf_model *model)
{
    static const char *const known[] = {"name", "unit", "noise_variance", "likelihood", NULL};
    size_t count;
    lf_status status = lf_field_list(field, &count);
    if (!status && count != (size_t)model->output_count) {
        status = lf_field_fail(field, "expected a list of %d (one per output of the equations), found a list of %zu",
                               model->output_count, count);
    }
    for (size_t d = 0; !status && d < count; d++) {
        lf_output *to = &model->outputs[d];
        lf_field output = lf_field_element(field, d), name = lf_field_member(&output, "name"),
                 unit = lf_field_member(&output, "unit");
        const char *text = "", *measured = NULL;
        status = lf_field_object(&output, known);
        LF_TRY(status, lf_field_string(&name, &text));
        if (!status && strcmp(text, to->name) != 0) {
            status = lf_field_fail(&name, "expected \"%s\", found \"%s\"", to->name, text);
        }
        LF_TRY(status, lf_read_likelihood(&output, to));
        status = status || !unit.value ? status : lf_field_string(&unit, &measured);
        if (!status && measured) {
            to->unit = lf_copy_string(measured);
            status = to->unit ? LF_OK : lf_no_memory(field->ctx);
        }
    }
    return status;
}

/* {"Tw": [mean, sd], …} for the states whose start the equations do not give; may be left out where there are none. */
static lf_status read_start(const lf_field *field, lf_model *model)
{
    lf_system *system = model->system;
    int needed = 0;
    for (int i = 0; i < system->equations->state_count; i++) {
        needed = needed || !lf_system_start_is_given(system->equations, i);
    }
    lf_status status = field->value || needed ? lf_field_object(field, NULL) : LF_OK;
    for (int i = 0; !status && i < system->equations->state_count; i++) {
        if (lf_system_start_is_given(system->equations, i)) {
            continue;
        }
        char name[256];
        double *pair = NULL;
        int count = 0;
        lf_equations_state_name(system->equations, i, sizeof name, name);
        lf_field state = lf_field_member(field, name);
        status = lf_field_numbers(&state, &count, &pair);
        if (!status && (count != 2 || !(pair[1] >= 0))) {
            status = lf_field_fail(&state, "expected [mean, standard deviation]");
        }
        if (!status) {
            system->start_mean[i] = pair[0];
            system->start_sd[i] = pair[1];
        }
        free(pair);
    }
    return status;
}

/* The unit of the equations is that of the times. */
static lf_status take_unit(const lf_field *root, lf_model *model)
{
    const char *unit = model->system->equations->time_unit, *found = lf_model_axis(model, 0)->unit;
    lf_field inputs = lf_field_member(root, "inputs");
    if (unit && found && strcmp(unit, found) != 0) {
        return lf_field_fail(&inputs, "its unit is \"%s\", but the equations are in \"%s\"", found, unit);
    }
    char text[8] = "";
    strncat(text, unit ? unit : "", sizeof text - 1);
    return unit && !model->axes ? lf_model_set_axes(root->ctx, model, &(lf_axis){.unit = text}) : LF_OK;
}

lf_status lf_read_system(const lf_field *root, lf_model *model)
{
    lf_field text_field = lf_field_member(root, "equations"), constants = lf_field_member(root, "constants"),
             forces = lf_field_member(root, "forces"), outputs = lf_field_member(root, "outputs"),
             start = lf_field_member(root, "start"), known = lf_field_member(root, "known_inputs");
    lf_log_function log = root->ctx->log;
    lf_model *made = NULL;
    char *text = NULL;
    lf_status status = read_text(&text_field, &text);
    root->ctx->log = NULL; /* notes on the text were given when it was fitted */
    LF_TRY(status, lf_model_from_equations(root->ctx, text, "equations", &made));
    root->ctx->log = log;
    if (status && text && lf_context_message(root->ctx)[0]) {
        lf_field_add_path(&text_field);
    }
    free(text);
    if (status) {
        return status;
    }
    /* What was read before it: the time axis and the origin. */
    made->axes = model->axes;
    made->inputs = model->inputs;
    made->origin = model->origin;
    *model = *made;
    free(made);
    status = take_unit(root, model);
    LF_TRY(status, read_known_units(&known, model));
    LF_TRY(status, read_constants(&constants, model));
    LF_TRY(status, read_system_forces(&forces, model));
    LF_TRY(status, read_system_outputs(&outputs, model));
    LF_TRY(status, lf_model_write_names(root->ctx, model)); /* of the axes that were read before */
    return status || model->system->equations->start != LF_EQ_START_DEFAULT ? status : read_start(&start, model);
}
