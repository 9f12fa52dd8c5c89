/* Reads the member "parameters" of a model file: which parameters are fixed or free, tied, or bounded. */
#include <math.h>

#include "base/context.h"
#include "model/model_file.h"

static lf_status find_parameter(const lf_field *field, const char *name, const lf_model *model, size_t *index)
{
    lf_status status = lf_parameter_find(field->ctx, model, name, index);
    return status ? lf_field_add_path(field) : LF_OK;
}

static lf_status read_name(const lf_field *field, const lf_model *model, size_t *index)
{
    const char *name;
    lf_status status = lf_field_string(field, &name);
    return status ? status : find_parameter(field, name, model, index);
}

static lf_status read_fixed(const lf_field *field, lf_model *model, int fixed)
{
    size_t count, index;
    lf_status status = lf_field_list(field, &count);
    for (size_t i = 0; !status && i < count; i++) {
        lf_field name = lf_field_element(field, i);
        status = read_name(&name, model, &index);
        if (!status) {
            lf_parameter_fix(model, index, fixed);
        }
    }
    return status;
}

/* ["leader", "follower", …] */
static lf_status read_tie(const lf_field *field, lf_model *model)
{
    size_t count, leader, index;
    lf_field name = lf_field_element(field, 0);
    lf_status status = lf_field_list(field, &count);
    if (!status && count < 2) {
        status = lf_field_fail(field, "expected at least two names, found %zu", count);
    }
    LF_TRY(status, read_name(&name, model, &leader));
    for (size_t i = 1; !status && i < count; i++) {
        name = lf_field_element(field, i);
        status = read_name(&name, model, &index);
        if (!status && model->parameters[index].tied_to >= 0) {
            status = lf_field_fail(&name, "%s is already tied to %s", model->parameters[index].name,
                                   model->parameters[model->parameters[index].tied_to].name);
        }
        if (!status && lf_parameter_tie(field->ctx, model, index, leader)) {
            status = lf_field_add_path(&name);
        }
    }
    return status;
}

static lf_status read_ties(const lf_field *field, lf_model *model)
{
    size_t count;
    lf_status status = lf_field_list(field, &count);
    for (size_t i = 0; !status && i < count; i++) {
        lf_field tie = lf_field_element(field, i);
        status = read_tie(&tie, model);
    }
    return status;
}

/* [lower, upper]; null: no bound on that side. */
static lf_status read_bound(const lf_field *field, const char *name, lf_model *model)
{
    size_t count, index;
    lf_status status = find_parameter(field, name, model, &index);
    LF_TRY(status, lf_field_list(field, &count));
    if (status) {
        return status;
    }
    if (count != 2) {
        return lf_field_fail(field, "expected [lower, upper], found a list of %zu", count);
    }
    double bound[2] = {model->parameters[index].transform == LF_TRANSFORM_LOG ? 0.0 : -(double)INFINITY,
                       (double)INFINITY};
    for (size_t i = 0; !status && i < 2; i++) {
        lf_field element = lf_field_element(field, i);
        status = json_is_null(element.value) ? LF_OK : lf_field_number(&element, &bound[i]);
    }
    if (!status && lf_parameter_bound(field->ctx, model, index, bound[0], bound[1])) {
        status = lf_field_add_path(field);
    }
    return status;
}

static lf_status read_bounds(const lf_field *field, lf_model *model)
{
    const char *name;
    json_t *value;
    lf_status status = lf_field_object(field, NULL);
    if (status) {
        return status;
    }
    json_object_foreach(field->value, name, value)
    {
        lf_field bound = lf_field_member(field, name);
        status = read_bound(&bound, name, model);
        if (status) {
            break;
        }
    }
    return status;
}

lf_status lf_read_parameters(const lf_field *field, lf_model *model)
{
    static const char *const known[] = {"fixed", "free", "tied", "bounds", NULL};
    lf_field fixed = lf_field_member(field, "fixed"), movable = lf_field_member(field, "free"),
             tied = lf_field_member(field, "tied"), bounds = lf_field_member(field, "bounds");
    lf_status status = lf_field_object(field, known);
    if (!status && fixed.value) {
        status = read_fixed(&fixed, model, 1);
    }
    if (!status && movable.value) {
        status = read_fixed(&movable, model, 0);
    }
    if (!status && tied.value) {
        status = read_ties(&tied, model);
    }
    if (!status && bounds.value) {
        status = read_bounds(&bounds, model);
    }
    return status;
}
