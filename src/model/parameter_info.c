/* A parameter with all that is known about it, and what of it may be set. */
#include <string.h>

#include "base/context.h"
#include "model/model.h"

static lf_status check_index(lf_context *ctx, const lf_model *model, size_t index)
{
    return index < model->parameter_count
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_ARGUMENT, "parameter number %zu does not exist; the model has %zu", index,
                         model->parameter_count);
}

/* Of a constant or an amplitude of equations, or of the kernel of one of their forces. */
static void find_owner_in_system(const lf_model *model, int index, lf_parameter *parameter)
{
    const lf_system *system = model->system;
    int amplitude = index - lf_index_amplitudes(model), white = 0;
    if (amplitude < 0) {
        parameter->owner = LF_KIND_CONSTANT;
        parameter->owner_index = (size_t)(index - lf_index_system_constants(model));
        return;
    }
    for (int i = 0; i < amplitude && i < system->equations->force_count; i++) {
        white += system->force[i] < 0;
    }
    int is_amplitude = amplitude < system->equations->force_count;
    int force = is_amplitude ? system->force[amplitude] : model->force_count - 1;
    while (!is_amplitude && force > 0 && model->forces[force].first_parameter > index) {
        force--;
    }
    parameter->owner = force >= 0 ? LF_KIND_FORCE : LF_KIND_WHITE;
    parameter->owner_index = (size_t)(force >= 0 ? force : white);
}

static void find_owner_in_output(const lf_model *model, int index, lf_parameter *parameter)
{
    int d = model->output_count - 1, before = 0;
    while (d > 0 && model->outputs[d].first_parameter > index) {
        d--;
    }
    for (int i = 0; i < d; i++) {
        before += model->outputs[i].has_private != 0;
    }
    int first = lf_index_private_kernel(model, d), last = lf_index_private_amplitude(model, d);
    int is_private = first >= 0 && index >= first && index <= last;
    parameter->owner = is_private ? LF_KIND_PRIVATE : LF_KIND_OUTPUT;
    parameter->owner_index = (size_t)(is_private ? before : d);
}

/* Owner and short name: "lengthscale" of "force1.lengthscale" and of "a.private.lengthscale". */
static void describe_owner(const lf_model *model, size_t index, lf_parameter *parameter)
{
    int i = (int)index, force = model->force_count - 1;
    if (model->output_count > 0 && i >= model->outputs[0].first_parameter) {
        find_owner_in_output(model, i, parameter);
    } else if (model->system) {
        find_owner_in_system(model, i, parameter);
    } else {
        while (force > 0 && model->forces[force].first_parameter > i) {
            force--;
        }
        parameter->owner = LF_KIND_FORCE;
        parameter->owner_index = (size_t)force;
    }
    parameter->short_name = parameter->name;
    if (parameter->owner != LF_KIND_CONSTANT) {
        parameter->short_name += strlen(lf_model_name(model, parameter->owner, parameter->owner_index)) + 1;
        parameter->short_name += parameter->owner == LF_KIND_PRIVATE ? strlen("private.") : 0;
    }
}

static lf_parameter describe(const lf_model *model, size_t index)
{
    lf_parameter parameter = lf_parameter_get(model, index);
    lf_parameter_searched(model, index, &parameter.searched_lower, &parameter.searched_upper);
    lf_parameter_unit(model, index, parameter.unit);
    describe_owner(model, index, &parameter);
    return parameter;
}

lf_status lf_model_parameter_get(lf_context *ctx, const lf_model *model, size_t index, lf_parameter *parameter)
{
    if (!model) {
        return lf_missing(ctx, "model");
    }
    lf_status status = check_index(ctx, model, index);
    if (status) {
        return status;
    }
    const lf_parameter found = describe(model, index);
    return lf_give_struct(ctx, "lf_parameter", &found, sizeof found, parameter);
}

/* Ties it, unties it, or gives it another value. */
static lf_status set_value(lf_context *ctx, lf_model *model, size_t index, const lf_parameter *now,
                           const lf_parameter *wanted)
{
    lf_parameter_entry *entry = &model->parameters[index];
    lf_status status = LF_OK;
    if (wanted->tied_to == LF_NONE) {
        int leader = entry->tied_to;
        entry->tied_to = -1;
        status = wanted->value != now->value ? lf_parameter_set(ctx, model, index, wanted->value) : LF_OK;
        entry->tied_to = status ? leader : -1;
    } else if (wanted->tied_to != now->tied_to) {
        status = lf_parameter_tie(ctx, model, index, wanted->tied_to);
        if (!status && *entry->value != now->value) {
            lf_model_drop_posterior(model);
            lf_model_drop_errors(model);
        }
    }
    return status;
}

lf_status lf_model_parameter_set(lf_context *ctx, lf_model *model, size_t index, const lf_parameter *parameter)
{
    if (!model) {
        return lf_missing(ctx, "model");
    }
    lf_parameter given, wanted;
    lf_status status = check_index(ctx, model, index);
    LF_TRY(status, parameter ? lf_take_options(ctx, "lf_parameter", parameter, sizeof given, &given)
                             : lf_fail(ctx, LF_ERROR_ARGUMENT, "no parameter is given"));
    if (status) {
        return status;
    }
    const lf_parameter now = wanted = lf_parameter_get(model, index);
    memcpy(&wanted, &given, parameter->size < sizeof given ? parameter->size : sizeof given);
    if (wanted.lower != now.lower || wanted.upper != now.upper) {
        status = lf_parameter_bound(ctx, model, index, wanted.lower, wanted.upper);
    }
    LF_TRY(status, set_value(ctx, model, index, &now, &wanted));
    if (status) {
        model->parameters[index].lower = now.lower;
        model->parameters[index].upper = now.upper;
        return status;
    }
    if (!wanted.fixed != !now.fixed) {
        lf_parameter_fix(model, index, wanted.fixed);
    }
    return LF_OK;
}
