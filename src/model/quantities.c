/* Quantities of a model given by equations in the model file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/model_file.h"

static int find_quantity(const lf_equations *equations, const char *name)
{
    int i = 0;
    while (i < equations->quantity_count && strcmp(equations->quantities[i].name, name) != 0) {
        i++;
    }
    return i;
}

lf_status lf_read_quantities(const lf_field *field, lf_model *model)
{
    const lf_equations *equations = model->system->equations;
    const char *name;
    json_t *value;
    lf_status status = lf_field_object(field, NULL);
    if (status) {
        return status;
    }
    json_object_foreach(field->value, name, value)
    {
        lf_field pair = lf_field_member(field, name);
        int i = find_quantity(equations, name);
        const json_t *first = json_array_get(value, 0), *error = json_array_get(value, 1);
        if (i == equations->quantity_count) {
            return lf_field_fail(&pair, "is not a quantity of the equations");
        }
        if (json_array_size(value) != 2 || !(json_is_number(first) || json_is_null(first)) ||
            !(json_is_null(error) || (json_is_number(error) && json_number_value(error) >= 0))) {
            return lf_field_fail(&pair, "expected [value, standard error], the error >= 0 or null");
        }
        model->system->quantity_error[i] = json_is_null(error) ? (double)NAN : json_number_value(error);
    }
    return LF_OK;
}

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *lf_write_quantities(const lf_model *model)
{
    const lf_system *system = model->system;
    int count = system->equations->quantity_count;
    json_t *result = json_object();
    double *values = lf_doubles((size_t)count, 1);
    lf_context *ctx = lf_context_create();
    int bad = !result || !values || !ctx;
    lf_status status =
        bad || !count ? LF_OK : lf_equations_quantities(ctx, system->equations, system->constants, values, NULL);
    bad = bad || status == LF_ERROR_MEMORY;
    for (int i = 0; !bad && i < count; i++) {
        json_t *pair = json_array();
        bad = json_object_set_new(result, system->equations->quantities[i].name, pair);
        bad = bad || json_array_append_new(pair, number(status ? (double)NAN : values[i]));
        bad = bad || json_array_append_new(pair, number(system->quantity_error[i]));
    }
    lf_context_free(ctx);
    free(values);
    if (bad) {
        json_decref(result);
        return NULL;
    }
    return result;
}
