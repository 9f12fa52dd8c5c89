/* Inputs in units of their own spread: (x - mean) / standard deviation over the rows, input by input. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "data/data.h"
#include "model/model.h"

static lf_standardisation spread(const lf_data *data, size_t k)
{
    size_t p = (size_t)data->input_dim;
    double mean = 0, squares = 0;
    for (size_t i = 0; i < data->n; i++) {
        mean += data->x[i * p + k] / (double)data->n;
    }
    for (size_t i = 0; i < data->n; i++) {
        double r = data->x[i * p + k] - mean;
        squares += r * r / (double)data->n;
    }
    /* what rounding leaves of an input that does not vary is no spread */
    int varies = sqrt(squares) > 1e-12 * fabs(mean);
    return (lf_standardisation){.offset = mean, .scale = varies ? sqrt(squares) : 1};
}

lf_status lf_model_standardise(lf_context *ctx, lf_model *model, const lf_data *data)
{
    if (model->input_dim == 1 || data->input_dim != model->input_dim || data->n == 0) {
        return lf_fail(
            ctx, LF_ERROR_ARGUMENT,
            "inputs are standardised for models with several inputs and rows with as many; the model has %d, "
            "the %zu rows have %d",
            model->input_dim, data->n, data->input_dim);
    }
    lf_standardisation *inputs = calloc((size_t)model->input_dim, sizeof *inputs);
    if (!inputs) {
        return lf_no_memory(ctx);
    }
    for (int k = 0; k < model->input_dim; k++) {
        inputs[k] = spread(data, (size_t)k);
    }
    free(model->inputs);
    model->inputs = inputs;
    lf_model_drop_posterior(model);
    return LF_OK;
}
