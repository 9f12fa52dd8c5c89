/* The model of a report: forces and outputs with standard errors, scores and residuals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "model/description.h"
#include "page/document.h"
#include "report/quantity.h"

void lf_report_pair(lf_document *d, const char *key, double value, double error)
{
    lf_document_open(d, key, '[');
    lf_document_number(d, NULL, value);
    lf_document_number(d, NULL, error);
    lf_document_close(d);
}

void lf_report_named(lf_document *d, const char *key, const lf_model *model, const char *owner, const char *what)
{
    lf_parameter parameter = lf_parameter_of(model, owner, what, 0, NULL);
    lf_report_pair(d, key, parameter.value, parameter.standard_error);
}

/* A value with the error of the parameter "OWNER.WHAT", or "OWNER.WHATnumber" for a number above 0. */
static void describe_value(lf_document *d, const char *key, const lf_model *model, const char *owner, const char *what,
                           int number, double value)
{
    lf_report_pair(d, key, value, lf_parameter_of(model, owner, what, number, NULL).standard_error);
}

static void unit_of(const lf_model *model, const char *owner, const char *what, int number, char unit[LF_UNIT_SIZE])
{
    size_t index;
    unit[0] = '\0';
    lf_parameter_of(model, owner, what, number, &index);
    if (index < model->parameter_count) {
        lf_parameter_unit(model, index, unit);
    }
}

/* "kernel":…,"lengthscale":[[value, error],…],"unit":…; of a formula "values":"period 24 h, …". `first`: of the parameters of the kernel */
static void describe_force(lf_document *d, const lf_model *model, const char *owner, const char *what,
                           const lf_force *force, int first)
{
    int count = force->lengthscale_count;
    char unit[LF_UNIT_SIZE];
    lf_document_text(d, "kernel", lf_force_kernel_text(force));
    lf_document_open(d, "lengthscale", '[');
    for (int k = 0; k < count; k++) {
        describe_value(d, NULL, model, owner, what, count > 1 ? k + 1 : 0, force->lengthscale[k]);
    }
    lf_document_close(d);
    unit_of(model, owner, what, count > 1 ? 1 : 0, unit);
    if (*unit) {
        lf_document_text(d, "unit", unit);
    }
    if (count == 0) {
        char text[1024];
        lf_kernel_quantities(model, force, first, sizeof text, text);
        lf_document_text(d, "values", text);
    }
}

static void describe_forces(lf_document *d, const lf_report *report)
{
    const lf_model *model = report->model;
    lf_document_line(d, 0);
    lf_document_open(d, "forces", '[');
    for (int q = 0; q < model->force_count; q++) {
        char owner[256];
        lf_model_force_name(model, q, sizeof owner, owner);
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "name", owner);
        describe_force(d, model, owner, "lengthscale", &model->forces[q], lf_index_kernel(model, q));
        if (model->system) {
            lf_report_named(d, "amplitude", model, owner, "amplitude");
        }
        lf_document_truth(d, "idle", lf_model_force_is_idle(model, q));
        lf_document_truth(d, "hidden", lf_report_hides_force(report, q));
        lf_document_close(d);
    }
    lf_document_close(d);
}

/* ---- outputs ---- */

static void describe_constants(lf_document *d, const lf_model *model, int index, const lf_output_info *output)
{
    lf_document_open(d, "constants", '[');
    for (int k = 0; k < (int)output->constant_count; k++) {
        char unit[LF_UNIT_SIZE];
        const char *name = lf_model_constant_name(model, index, k);
        unit_of(model, output->name, name, 0, unit);
        lf_document_open(d, NULL, '[');
        lf_document_text(d, NULL, name);
        describe_value(d, NULL, model, output->name, name, 0, output->constants[k]);
        lf_document_text(d, NULL, unit);
        lf_document_close(d);
    }
    lf_document_close(d);
    lf_report_pair(d, "time_constant", output->time_constant, output->time_constant_error);
    lf_report_pair(d, "natural_frequency", output->natural_frequency, output->natural_frequency_error);
    lf_report_pair(d, "damping_ratio", output->damping_ratio, output->damping_ratio_error);
    lf_document_truth(d, "stable", output->stable);
}

static void describe_output(lf_document *d, const lf_model *model, int index)
{
    lf_output_info output = lf_model_output(model, index);
    lf_document_text(d, "name", output.name);
    lf_document_text(d, "unit", output.unit);
    lf_document_text(d, "operator", output.operator_type);
    lf_document_integer(d, "order", (int)output.order);
    describe_constants(d, model, index, &output);
    int noisy = lf_output_likelihood(&model->outputs[index])->has_noise;
    lf_document_number(d, "noise_sd", noisy ? sqrt(lf_model_noise_variance(model, index)) : (double)NAN);
    lf_document_number(d, "offset", output.offset);
    lf_document_number(d, "scale", output.scale);
    lf_document_open(d, "sensitivity", '[');
    for (int q = 0; q < model->force_count; q++) {
        describe_value(d, NULL, model, output.name, "sensitivity", q + 1, output.sensitivity[q]);
    }
    lf_document_close(d);
    if (!model->outputs[index].has_private) {
        lf_document_text(d, "private", NULL);
        return;
    }
    lf_document_open(d, "private", '{');
    describe_force(d, model, output.name, "private.lengthscale", &model->outputs[index].private_force,
                   lf_index_private_kernel(model, index));
    describe_value(d, "amplitude", model, output.name, "private.amplitude", 0, output.private_amplitude);
    lf_document_close(d);
}

lf_status lf_report_describe_model(lf_context *ctx, lf_document *d, const lf_report *report)
{
    int outputs = report->model->output_count;
    lf_score_summary *score = calloc((size_t)outputs + 1, sizeof *score);
    lf_status status = score ? lf_report_score(ctx, report, score) : lf_no_memory(ctx);
    describe_forces(d, report);
    LF_TRY(status, lf_report_describe_equations(ctx, d, report));
    lf_document_line(d, 0);
    lf_document_open(d, "outputs", '[');
    lf_document_break(d);
    for (int i = 0; !status && i < outputs; i++) {
        lf_document_line(d, 0);
        lf_document_open(d, NULL, '{');
        describe_output(d, report->model, i);
        lf_score_describe(d, "score", &score[i]);
        status = lf_report_describe_residuals(ctx, d, report->diagnosis ? &report->diagnosis->outputs[i] : NULL);
        lf_document_close(d);
    }
    lf_document_close(d);
    if (!status) {
        lf_document_line(d, 0);
        lf_score_describe(d, "overall", &score[outputs]);
    }
    free(score);
    return status;
}
