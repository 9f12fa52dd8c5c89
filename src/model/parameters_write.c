/* Writes the member "parameters" of a model file: only what differs from the defaults. */
#include <math.h>

#include "model/model_file.h"

/* Parameters that are fixed (or free) but are not so by default. */
static json_t *fixed_names(const lf_model *model, int fixed)
{
    json_t *names = json_array();
    for (size_t i = 0; names && i < model->parameter_count; i++) {
        const lf_parameter_entry *entry = &model->parameters[i];
        if (entry->fixed == fixed && entry->fixed_by_default != fixed &&
            json_array_append_new(names, json_string(entry->name))) {
            json_decref(names);
            return NULL;
        }
    }
    return names;
}

/* [["leader", "follower", …], …] */
static json_t *ties(const lf_model *model)
{
    json_t *result = json_array();
    int bad = result == NULL;
    for (size_t leader = 0; !bad && leader < model->parameter_count; leader++) {
        json_t *tie = NULL;
        for (size_t i = 0; !bad && i < model->parameter_count; i++) {
            if (model->parameters[i].tied_to != (int)leader) {
                continue;
            }
            if (!tie) {
                tie = json_array();
                bad |= json_array_append_new(tie, json_string(model->parameters[leader].name));
                bad |= json_array_append_new(result, tie);
            }
            bad = bad || json_array_append_new(tie, json_string(model->parameters[i].name));
        }
    }
    if (bad) {
        json_decref(result);
        return NULL;
    }
    return result;
}

static json_t *bound(double value) { return isinf(value) ? json_null() : json_real(value); }

static json_t *bounds(const lf_model *model)
{
    json_t *result = json_object();
    int bad = result == NULL;
    for (size_t i = 0; !bad && i < model->parameter_count; i++) {
        const lf_parameter_entry *entry = &model->parameters[i];
        double lowest = entry->transform == LF_TRANSFORM_LOG ? 0.0 : -(double)INFINITY;
        if (entry->lower > lowest || entry->upper < (double)INFINITY) {
            json_t *pair = json_array();
            bad |= json_array_append_new(pair, bound(entry->lower));
            bad |= json_array_append_new(pair, bound(entry->upper));
            bad |= json_object_set_new(result, entry->name, pair);
        }
    }
    if (bad) {
        json_decref(result);
        return NULL;
    }
    return result;
}

/* Adds the part unless it is empty. */
static int add_part(json_t *object, const char *key, json_t *part)
{
    if (part && json_array_size(part) + json_object_size(part) == 0) {
        json_decref(part);
        return 0;
    }
    return json_object_set_new(object, key, part);
}

json_t *lf_write_parameters(const lf_model *model)
{
    json_t *result = json_object();
    int bad = add_part(result, "fixed", fixed_names(model, 1));
    bad |= add_part(result, "free", fixed_names(model, 0));
    bad |= add_part(result, "tied", ties(model));
    bad |= add_part(result, "bounds", bounds(model));
    if (bad) {
        json_decref(result);
        return NULL;
    }
    return result;
}
