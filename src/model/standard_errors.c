/* Standard errors of parameters and of quantities derived from them (time constant, natural frequency, damping ratio):
 * the member "standard_errors" of the model file, an object of numbers by name. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "model/model_file.h"

/* Derived quantities of an output, in the order of lf_output.reading_error. */
static const char *const readings[] = {"time_constant", "natural_frequency", "damping_ratio"};

enum { READINGS = sizeof readings / sizeof *readings };

void lf_model_drop_errors(lf_model *model)
{
    for (size_t i = 0; i < model->parameter_count; i++) {
        model->parameters[i].standard_error = (double)NAN;
    }
    for (int d = 0; d < model->output_count; d++) {
        for (int k = 0; k < READINGS; k++) {
            model->outputs[d].reading_error[k] = (double)NAN;
        }
    }
    for (int i = 0; model->system && i < model->system->equations->quantity_count; i++) {
        model->system->quantity_error[i] = (double)NAN;
    }
}

/* The standard error of this name, or NULL. */
static double *find_error(lf_model *model, const char *name)
{
    for (size_t i = 0; i < model->parameter_count; i++) {
        if (!strcmp(model->parameters[i].name, name)) {
            return &model->parameters[i].standard_error;
        }
    }
    for (int d = 0; d < model->output_count; d++) {
        size_t length = strlen(model->outputs[d].name);
        for (int k = 0; k < READINGS; k++) {
            if (!strncmp(name, model->outputs[d].name, length) && name[length] == '.' &&
                !strcmp(name + length + 1, readings[k])) {
                return &model->outputs[d].reading_error[k];
            }
        }
    }
    return NULL;
}

lf_status lf_read_standard_errors(const lf_field *field, lf_model *model)
{
    const char *name;
    json_t *value;
    lf_status status = lf_field_object(field, NULL);
    if (status) {
        return status;
    }
    json_object_foreach(field->value, name, value)
    {
        lf_field member = lf_field_member(field, name);
        double *error = find_error(model, name), number = 0;
        status = lf_field_number(&member, &number);
        if (!status && !error) {
            status = lf_field_fail(
                &member,
                "is not a parameter of this model, nor time_constant, natural_frequency or damping_ratio of an output");
        } else if (!status && !(number >= 0)) {
            status = lf_field_fail(&member, "must be >= 0, found %g", number);
        }
        if (status) {
            return status;
        }
        *error = number;
    }
    return LF_OK;
}

/* Adds a finite number. Returns 0, or another value when there is no memory. */
static int put_finite(json_t *object, const char *name, double error)
{
    return isfinite(error) ? json_object_set_new(object, name, json_real(error)) : 0;
}

json_t *lf_write_standard_errors(const lf_model *model)
{
    json_t *result = json_object();
    int bad = result == NULL;
    for (size_t i = 0; !bad && i < model->parameter_count; i++) {
        bad = put_finite(result, model->parameters[i].name, model->parameters[i].standard_error);
    }
    for (int d = 0; !bad && d < model->output_count; d++) {
        for (int k = 0; !bad && k < READINGS; k++) {
            char name[1024];
            int length = snprintf(name, sizeof name, "%s.%s", model->outputs[d].name, readings[k]);
            if ((size_t)length < sizeof name) { /* longer names are left out */
                bad = put_finite(result, name, model->outputs[d].reading_error[k]);
            }
        }
    }
    if (bad) {
        json_decref(result);
        return NULL;
    }
    return result;
}
