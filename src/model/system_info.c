/* What a model given by equations consists of, for people: constants, white forces, quantities, and the modes of A. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/model.h"

size_t lf_model_constants(const lf_model *model, size_t *first)
{
    *first = model->system ? (size_t)lf_index_system_constants(model) : 0;
    return model->system ? (size_t)model->system->equations->parameter_count : 0;
}

int lf_model_white_count(const lf_model *model)
{
    int count = 0;
    for (int i = 0; model->system && i < model->system->equations->force_count; i++) {
        count += model->system->force[i] < 0;
    }
    return count;
}

const char *lf_model_white_name(const lf_model *model, int white)
{
    for (int i = 0; model->system && i < model->system->equations->force_count; i++) {
        if (model->system->force[i] < 0 && white-- == 0) {
            return model->system->equations->forces[i].name;
        }
    }
    return NULL;
}

int lf_model_quantity_count(const lf_model *model)
{
    return model->system ? model->system->equations->quantity_count : 0;
}

const char *lf_model_quantity_name(const lf_model *model, int quantity)
{
    return quantity >= 0 && quantity < lf_model_quantity_count(model)
               ? model->system->equations->quantities[quantity].name
               : NULL;
}

lf_status lf_model_quantity_value(lf_context *ctx, const lf_model *model, int quantity, double *value)
{
    int count = lf_model_quantity_count(model);
    *value = (double)NAN;
    if (quantity < 0 || quantity >= count) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no quantity %d: the model has %d", quantity, count);
    }
    double *values = lf_doubles((size_t)count, 1);
    lf_status status =
        values ? lf_equations_quantities(ctx, model->system->equations, model->system->constants, values, NULL)
               : lf_no_memory(ctx);
    *value = status ? *value : values[quantity];
    free(values);
    return status;
}

double lf_model_quantity_error(const lf_model *model, int quantity)
{
    int known = quantity >= 0 && quantity < lf_model_quantity_count(model) && model->system->quantity_error;
    return known ? model->system->quantity_error[quantity] : (double)NAN;
}

static int compare_modes(const void *left, const void *right)
{
    const lf_mode *a = left, *b = right;
    if (a->real != b->real) {
        return a->real > b->real ? -1 : 1;
    }
    return (a->imaginary > b->imaginary) - (a->imaginary < b->imaginary);
}

static lf_mode describe(double real, double imaginary)
{
    double size = hypot(real, imaginary);
    return (lf_mode){.real = real,
                     .imaginary = imaginary,
                     .time_constant = real != 0 ? -1 / real : (double)INFINITY,
                     .natural_frequency = imaginary > 0 ? size : (double)NAN,
                     .damping_ratio = imaginary > 0 ? -real / size : (double)NAN};
}

lf_status lf_model_modes(lf_context *ctx, const lf_model *model, int capacity, lf_mode *modes, int *count)
{
    lf_system_matrices m = {0};
    *count = 0;
    if (!model->system) {
        return LF_OK;
    }
    size_t n = (size_t)model->system->equations->state_count;
    double *values = lf_doubles(n, 2), *real = values, *imaginary = values + n;
    lf_mode *all = calloc(n + 1, sizeof *all);
    lf_status status = values && all ? lf_system_matrices_create(ctx, model->system->equations, &m) : lf_no_memory(ctx);
    LF_TRY(status, lf_equations_evaluate(ctx, model->system->equations, model->system->constants, &m));
    LF_TRY(status, lf_system_modes(ctx, &m, real, imaginary));
    for (size_t i = 0; !status && i < n; i++) {
        if (imaginary[i] >= 0) { /* once for a pair */
            all[(*count)++] = describe(real[i], imaginary[i]);
        }
    }
    if (!status) {
        qsort(all, (size_t)*count, sizeof *all, compare_modes);
        for (int i = 0; i < *count && i < capacity; i++) {
            modes[i] = all[i];
        }
    }
    lf_system_matrices_clear(&m);
    free(values);
    free(all);
    return status;
}
