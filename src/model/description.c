/* Parameters and quantities of a model in a document. */
#include "model/description.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "model/model.h"

lf_parameter lf_parameter_of(const lf_model *model, const char *owner, const char *what, int number, size_t *index)
{
    size_t length = strlen(owner);
    char end[64];
    snprintf(end, sizeof end, number > 0 ? ".%s%d" : ".%s", what, number);
    for (size_t i = 0; i < model->parameter_count; i++) {
        const char *name = model->parameters[i].name;
        if (strncmp(name, owner, length) == 0 && strcmp(name + length, end) == 0) {
            if (index) {
                *index = i;
            }
            return lf_parameter_get(model, i);
        }
    }
    if (index) {
        *index = model->parameter_count;
    }
    return (lf_parameter){.value = (double)NAN, .tied_to = LF_NONE, .standard_error = (double)NAN};
}

void lf_describe_pair(lf_document *d, const char *name, double value, double error)
{
    lf_document_open(d, name, '{');
    lf_document_number(d, "value", value);
    lf_document_number(d, "standard_error", error);
    lf_document_close(d);
}

void lf_describe_parameters(lf_document *d, const lf_model *model)
{
    lf_document_open(d, "parameters", '{');
    for (size_t i = 0; i < model->parameter_count; i++) {
        char unit[LF_UNIT_SIZE];
        double low, high;
        lf_parameter parameter = lf_parameter_get(model, i);
        lf_parameter_unit(model, i, unit);
        lf_document_line(d, 1);
        lf_document_open(d, parameter.name, '{');
        lf_document_number(d, "value", parameter.value);
        lf_document_text(d, "unit", unit);
        lf_document_number(d, "standard_error", parameter.standard_error);
        lf_document_number(d, "lower", parameter.lower);
        lf_document_number(d, "upper", parameter.upper);
        if (lf_parameter_searched(model, i, &low, &high)) {
            lf_document_number(d, "searched_lower", low);
            lf_document_number(d, "searched_upper", high);
        }
        lf_document_truth(d, "fixed", parameter.fixed);
        lf_document_text(d, "tied_to", parameter.tied_to == LF_NONE ? NULL : model->parameters[parameter.tied_to].name);
        lf_document_close(d);
    }
    lf_document_close(d);
}

lf_status lf_describe_quantities(lf_context *ctx, lf_document *d, const lf_model *model)
{
    lf_status status = LF_OK;
    lf_document_open(d, "quantities", '{');
    for (int i = 0; !status && i < lf_model_quantity_count(model); i++) {
        double value;
        int no_memory = lf_model_quantity_value(ctx, model, i, &value) == LF_ERROR_MEMORY;
        status = no_memory ? LF_ERROR_MEMORY : LF_OK;
        lf_describe_pair(d, lf_model_quantity_name(model, i), value, lf_model_quantity_error(model, i));
    }
    lf_document_close(d);
    return status;
}
