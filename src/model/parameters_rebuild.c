/* Builds the parameter list again after parts of the model were added or removed. Fixing, bounds and ties are carried
 * over by the names of the parameters. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

static lf_parameter_entry *find_parameter(lf_parameter_entry *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

lf_status lf_parameters_rebuild(lf_context *ctx, lf_model *model)
{
    lf_model old = {.parameters = model->parameters, .parameter_count = model->parameter_count};
    model->parameters = NULL;
    model->parameter_count = 0;
    lf_status status = lf_parameters_build(ctx, model);
    for (size_t i = 0; !status && i < model->parameter_count; i++) {
        lf_parameter_entry *entry = &model->parameters[i];
        const lf_parameter_entry *previous = find_parameter(old.parameters, old.parameter_count, entry->name);
        if (previous) {
            entry->lower = previous->lower;
            entry->upper = previous->upper;
            entry->fixed = previous->fixed;
            const lf_parameter_entry *leader =
                previous->tied_to < 0
                    ? NULL
                    : find_parameter(model->parameters, model->parameter_count, old.parameters[previous->tied_to].name);
            entry->tied_to = leader ? (int)(leader - model->parameters) : -1;
        }
    }
    lf_parameters_clear(&old);
    return status;
}
