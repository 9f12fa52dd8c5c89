/* The parameter list made anew after parts came into the model or went: what was said about a parameter (fixed, bounds,
 * ties) stays with its name. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

static lf_parameter_entry *find(lf_parameter_entry *list, size_t count, const char *name)
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
        lf_parameter_entry *now = &model->parameters[i];
        const lf_parameter_entry *before = find(old.parameters, old.parameter_count, now->name);
        if (before) {
            now->lower = before->lower;
            now->upper = before->upper;
            now->fixed = before->fixed;
            const lf_parameter_entry *leader = before->tied_to < 0 ? NULL
                                                                   : find(model->parameters, model->parameter_count,
                                                                          old.parameters[before->tied_to].name);
            now->tied_to = leader ? (int)(leader - model->parameters) : -1;
        }
    }
    lf_parameters_clear(&old);
    return status;
}
