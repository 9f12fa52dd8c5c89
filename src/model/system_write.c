/* Writes the parts of a model file that are about known inputs and equations. */
#include <string.h>

#include "model/model_file.h"

json_t *lf_write_known_inputs(const lf_model *model)
{
    json_t *list = json_array();
    int bad = list == NULL;
    for (int i = 0; !bad && i < model->known_count; i++) {
        const lf_known_input *known = &model->known[i];
        if (model->system && !known->unit) { /* the equations have the rest */
            continue;
        }
        bad = json_array_append_new(
            list, model->system ? json_pack("{s:s}", "name", known->name)
                                : json_pack("{s:s,s:s}", "name", known->name, "between", lf_hold_names[known->hold]));
        if (!bad && known->unit) {
            bad =
                json_object_set_new(json_array_get(list, json_array_size(list) - 1), "unit", json_string(known->unit));
        }
    }
    if (bad) {
        json_decref(list);
        return NULL;
    }
    return list;
}

/* The lines of a text. */
static json_t *lines(const char *text)
{
    json_t *list = json_array();
    while (list && *text) {
        size_t length = strcspn(text, "\n"), end = length;
        while (end > 0 && text[end - 1] == '\r') {
            end--;
        }
        if (json_array_append_new(list, json_stringn(text, end))) {
            json_decref(list);
            return NULL;
        }
        text += length + (text[length] == '\n');
    }
    return list;
}

static int write_constants(const lf_system *system, json_t *root)
{
    json_t *constants = json_object();
    int bad = json_object_set_new(root, "constants", constants);
    for (int i = 0; !bad && i < system->equations->parameter_count; i++) {
        bad = json_object_set_new(constants, system->equations->parameters[i].name, json_real(system->constants[i]));
    }
    return bad;
}

static int write_forces(const lf_model *model, json_t *root)
{
    const lf_system *system = model->system;
    json_t *forces = json_array();
    int bad = json_object_set_new(root, "forces", forces);
    for (int i = 0; !bad && i < system->equations->force_count; i++) {
        const char *name = system->equations->forces[i].name;
        const lf_force *force = system->force[i] < 0 ? NULL : &model->forces[system->force[i]];
        bad = json_array_append_new(
            forces, force ? json_pack("{s:s,s:s,s:f,s:f}", "name", name, "kernel", force->kernel->name, "lengthscale",
                                      force->lengthscale[0], "amplitude", system->amplitude[i])
                          : json_pack("{s:s,s:s,s:f}", "name", name, "kernel", "white", "sd", system->amplitude[i]));
    }
    return bad;
}

static int write_outputs(const lf_model *model, json_t *root)
{
    json_t *outputs = json_array();
    int bad = json_object_set_new(root, "outputs", outputs);
    for (int d = 0; !bad && d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        json_t *entry = json_pack("{s:s}", "name", output->name);
        bad = json_array_append_new(outputs, entry);
        if (!bad && output->unit) {
            bad = json_object_set_new(entry, "unit", json_string(output->unit));
        }
        bad = bad || lf_write_likelihood(output, entry);
    }
    return bad;
}

static int write_start(const lf_system *system, json_t *root)
{
    json_t *start = json_object();
    int bad = json_object_set_new(root, "start", start);
    for (int i = 0; !bad && i < system->equations->state_count; i++) {
        char name[256];
        lf_equations_state_name(system->equations, i, sizeof name, name);
        if (!lf_system_start_is_given(system->equations, i)) {
            bad = json_object_set_new(start, name, json_pack("[ff]", system->start_mean[i], system->start_sd[i]));
        }
    }
    return bad;
}

int lf_write_system(const lf_model *model, json_t *root)
{
    const lf_system *system = model->system;
    int bad = json_object_set_new(root, "equations", lines(lf_equations_text(system->equations)));
    bad = bad || write_constants(system, root) || write_forces(model, root) || write_outputs(model, root);
    json_t *known = lf_write_known_inputs(model);
    bad = bad || !known || (json_array_size(known) > 0 && json_object_set(root, "known_inputs", known));
    json_decref(known);
    return bad || (system->equations->start == LF_EQ_START_DEFAULT && write_start(system, root));
}
