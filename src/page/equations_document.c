/* The equations of a report: text, constants, quantities, modes, states, white forces, and the known inputs of any model. */
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "page/document.h"

static void describe_known(lf_document *d, const lf_model *model)
{
    lf_document_line(d, 0);
    lf_document_open(d, "known_inputs", '[');
    for (int k = 0; k < model->known_count; k++) {
        char gain[32];
        snprintf(gain, sizeof gain, "gain%d", k + 1);
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "name", model->known[k].name);
        lf_document_text(d, "unit", lf_model_known_unit(model, k));
        lf_document_text(d, "between", lf_model_known_between(model, k));
        lf_document_open(d, "gains", '[');
        for (int i = 0; !model->system && i < model->output_count; i++) {
            lf_report_named(d, NULL, model, model->outputs[i].name, gain);
        }
        lf_document_close(d);
        lf_document_close(d);
    }
    lf_document_close(d);
}

static void describe_constants(lf_document *d, const lf_model *model)
{
    size_t first, count = lf_model_constants(model, &first);
    lf_document_open(d, "constants", '[');
    for (size_t i = 0; i < count; i++) {
        lf_parameter constant = lf_parameter_get(model, first + i);
        lf_document_open(d, NULL, '[');
        lf_document_text(d, NULL, constant.name);
        lf_report_pair(d, NULL, constant.value, constant.standard_error);
        lf_document_truth(d, NULL, constant.fixed);
        lf_document_close(d);
    }
    lf_document_close(d);
}

static lf_status describe_quantities(lf_context *ctx, lf_document *d, const lf_model *model)
{
    lf_status status = LF_OK;
    lf_document_open(d, "quantities", '[');
    for (int i = 0; !status && i < lf_model_quantity_count(model); i++) {
        double value; /* NaN where it is not defined at the parameters */
        status = lf_model_quantity_value(ctx, model, i, &value) == LF_ERROR_MEMORY ? LF_ERROR_MEMORY : LF_OK;
        lf_document_open(d, NULL, '[');
        lf_document_text(d, NULL, lf_model_quantity_name(model, i));
        lf_report_pair(d, NULL, value, lf_model_quantity_error(model, i));
        lf_document_close(d);
    }
    lf_document_close(d);
    return status;
}

static void describe_states(lf_document *d, const lf_model *model)
{
    lf_document_open(d, "states", '[');
    for (int i = 0; i < lf_model_state_count(model); i++) {
        char name[256];
        lf_model_state_name(model, i, sizeof name, name);
        lf_document_text(d, NULL, name);
    }
    lf_document_close(d);
}

static void describe_white_forces(lf_document *d, const lf_model *model)
{
    lf_document_open(d, "white", '[');
    for (int i = 0; i < lf_model_white_count(model); i++) {
        const char *name = lf_model_white_name(model, i);
        lf_document_open(d, NULL, '[');
        lf_document_text(d, NULL, name);
        lf_report_named(d, NULL, model, name, "sd");
        lf_document_close(d);
    }
    lf_document_close(d);
}

/* [time constant, natural frequency, damping ratio, "yes", "no" or "integrates"] of each. */
static lf_status describe_modes(lf_context *ctx, lf_document *d, const lf_model *model)
{
    int states = lf_model_state_count(model), count = 0;
    lf_mode *modes = calloc((size_t)states + 1, sizeof *modes);
    lf_status status = modes ? lf_model_modes(ctx, model, states, modes, &count) : lf_no_memory(ctx);
    lf_document_open(d, "modes", '[');
    for (int i = 0; !status && i < count; i++) {
        lf_document_open(d, NULL, '[');
        lf_document_number(d, NULL, modes[i].time_constant);
        lf_document_number(d, NULL, modes[i].natural_frequency);
        lf_document_number(d, NULL, modes[i].damping_ratio);
        lf_document_text(d, NULL, modes[i].real < 0 ? "yes" : modes[i].real > 0 ? "no" : "integrates");
        lf_document_close(d);
    }
    lf_document_close(d);
    free(modes);
    return status;
}

lf_status lf_report_describe_equations(lf_context *ctx, lf_document *d, const lf_report *report)
{
    const lf_model *model = report->model;
    const char *text = lf_model_equations(model);
    describe_known(d, model);
    lf_document_line(d, 0);
    if (!text) {
        lf_document_text(d, "equations", NULL);
        return LF_OK;
    }
    lf_document_open(d, "equations", '{');
    lf_document_text(d, "text", text);
    describe_constants(d, model);
    lf_status status = describe_quantities(ctx, d, model);
    describe_states(d, model);
    describe_white_forces(d, model);
    LF_TRY(status, describe_modes(ctx, d, model));
    lf_document_close(d);
    return status;
}
