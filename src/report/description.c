/* The description of a model as a document: its inputs, forces, outputs, parameters and provenance, with what follows from them. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "model/description.h"
#include "model/model.h"
#include "predict/posterior.h"
#include "report/documents.h"

#define TWO_PI 6.28318530717958647692

/* A list with an object for each term of a kernel, { "lengthscale": 90, "lengthscale_error": 4, "period": 24, … }. */
static void describe_terms(lf_document *d, const lf_model *model, const lf_force *force, size_t first)
{
    lf_document_open(d, "terms", '[');
    lf_document_open(d, NULL, '{');
    for (int i = 0, before = -1; i < lf_force_parameter_count(force); i++) {
        char error[64];
        lf_parameter parameter = lf_parameter_get(model, first + (size_t)i);
        lf_force_parameter at = lf_force_parameter_at(force, i);
        const char *what = strrchr(parameter.name, '.') + 1;
        if (i > 0 && at.term != before) {
            lf_document_close(d);
            lf_document_open(d, NULL, '{');
        }
        snprintf(error, sizeof error, "%s_error", what);
        lf_document_number(d, what, parameter.value);
        lf_document_number(d, error, parameter.standard_error);
        before = at.term;
    }
    lf_document_close(d);
    lf_document_close(d);
}

/* Members of a force; `first`: the index of the first parameter of its kernel. */
static void describe_force(lf_document *d, const lf_model *model, const lf_force *force, int first)
{
    size_t count = (size_t)force->lengthscale_count;
    lf_document_text(d, "kernel", lf_force_kernel_text(force));
    lf_document_numbers(d, "lengthscale", count, force->lengthscale);
    lf_document_open(d, "lengthscale_error", '[');
    for (size_t k = 0; k < count; k++) {
        lf_document_number(d, NULL, lf_parameter_get(model, (size_t)first + k).standard_error);
    }
    lf_document_close(d);
    if (count == 0) {
        describe_terms(d, model, force, (size_t)first);
    }
}

/* The value and the standard error of "OWNER.WHAT". */
static void describe_parameter(lf_document *d, const lf_model *model, const char *owner, const char *what)
{
    char error[64];
    lf_parameter parameter = lf_parameter_of(model, owner, what, 0, NULL);
    snprintf(error, sizeof error, "%s_error", what);
    lf_document_number(d, what, parameter.value);
    lf_document_number(d, error, parameter.standard_error);
}

static void describe_forces(lf_document *d, const lf_model *model)
{
    lf_document_line(d, 0);
    lf_document_open(d, "forces", '[');
    for (int q = 0; q < model->force_count; q++) {
        char owner[256];
        lf_model_force_name(model, q, sizeof owner, owner);
        lf_document_line(d, 1);
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "name", owner);
        describe_force(d, model, &model->forces[q], lf_index_kernel(model, q));
        if (model->system) {
            describe_parameter(d, model, owner, "amplitude");
        }
        lf_document_close(d);
    }
    for (int i = 0; i < lf_model_white_count(model); i++) {
        const char *owner = lf_model_white_name(model, i);
        lf_document_line(d, 1);
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "name", owner);
        lf_document_text(d, "kernel", "white");
        describe_parameter(d, model, owner, "sd");
        lf_document_close(d);
    }
    lf_document_close(d);
}

static void describe_known_inputs(lf_document *d, const lf_model *model)
{
    int outputs = model->system ? 0 : model->output_count;
    lf_document_line(d, 0);
    lf_document_open(d, "known_inputs", '[');
    for (int k = 0; k < model->known_count; k++) {
        lf_document_line(d, 1);
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "name", model->known[k].name);
        lf_document_text(d, "between", lf_model_known_between(model, k));
        lf_document_text(d, "unit", lf_model_known_unit(model, k));
        for (int o = 0; o < outputs; o++) {
            lf_parameter gain = lf_parameter_of(model, model->outputs[o].name, "gain", k + 1, NULL);
            if (o == 0) {
                lf_document_open(d, "gain", '{');
            }
            lf_describe_pair(d, model->outputs[o].name, gain.value, gain.standard_error);
        }
        if (outputs) {
            lf_document_close(d);
        }
        lf_document_close(d);
    }
    lf_document_close(d);
}

/* The slowest mode comes first. */
static lf_status describe_modes(lf_context *ctx, lf_document *d, const lf_model *model)
{
    int states = lf_model_state_count(model), count = 0;
    lf_mode *modes = calloc((size_t)states + 1, sizeof *modes);
    lf_status status = modes ? lf_model_modes(ctx, model, states, modes, &count) : lf_no_memory(ctx);
    lf_document_line(d, 0);
    lf_document_open(d, "modes", '[');
    for (int i = 0; !status && i < count; i++) {
        lf_document_line(d, 1);
        lf_document_open(d, NULL, '{');
        lf_document_number(d, "real", modes[i].real);
        lf_document_number(d, "imaginary", modes[i].imaginary);
        lf_document_number(d, "time_constant", modes[i].time_constant);
        lf_document_number(d, "natural_frequency", modes[i].natural_frequency);
        lf_document_number(d, "damping_ratio", modes[i].damping_ratio);
        lf_document_close(d);
    }
    lf_document_close(d);
    free(modes);
    return status;
}

/* Text, constants, quantities, states and modes. */
static lf_status describe_equations(lf_context *ctx, lf_document *d, const lf_model *model)
{
    size_t first, constants = lf_model_constants(model, &first);
    lf_document_line(d, 0);
    lf_document_text(d, "equations", lf_model_equations(model));
    lf_document_line(d, 0);
    lf_document_open(d, "constants", '{');
    for (size_t i = 0; i < constants; i++) {
        lf_parameter constant = lf_parameter_get(model, first + i);
        lf_describe_pair(d, constant.name, constant.value, constant.standard_error);
    }
    lf_document_close(d);
    lf_document_line(d, 0);
    lf_status status = lf_describe_quantities(ctx, d, model);
    lf_document_line(d, 0);
    lf_document_open(d, "states", '[');
    for (int i = 0; i < lf_model_state_count(model); i++) {
        char name[256];
        lf_model_state_name(model, i, sizeof name, name);
        lf_document_text(d, NULL, name);
    }
    lf_document_close(d);
    return LF_TRY(status, describe_modes(ctx, d, model));
}

const char *lf_input_name(const lf_model *model, int input, char own[16])
{
    const char *name = lf_model_axis(model, input)->name;
    snprintf(own, 16, model->input_dim > 1 ? "x%d" : "x", input + 1);
    return name && *name ? name : own;
}

static void describe_inputs(lf_document *d, const lf_model *model)
{
    lf_document_line(d, 0);
    lf_document_open(d, "inputs", '[');
    for (int k = 0; k < model->input_dim; k++) {
        char zero[64], own[16];
        lf_label input = lf_model_input(model, k);
        lf_model_format_input(model, (size_t)k, 0, sizeof zero, zero);
        lf_document_open(d, NULL, '{');
        lf_document_text(d, "name", lf_input_name(model, k, own));
        lf_document_text(d, "unit", input.unit);
        lf_document_text(d, "zero", input.dated ? zero : NULL); /* the date of the value 0 */
        lf_document_number(d, "offset", input.offset);
        lf_document_number(d, "scale", input.scale);
        lf_document_close(d);
    }
    lf_document_close(d);
}

static void describe_constants(lf_document *d, const lf_model *model, int output)
{
    lf_document_line(d, 2);
    lf_document_open(d, "constants", '{');
    for (int k = 0; k < model->outputs[output].constant_count; k++) {
        lf_parameter constant = lf_parameter_get(model, (size_t)(lf_index_constants(model, output) + k));
        lf_describe_pair(d, lf_model_constant_name(model, output, k), constant.value, constant.standard_error);
    }
    lf_document_close(d);
}

/* Time constant, frequency and damping of an equation. */
static void describe_readings(lf_document *d, const lf_output_info *output)
{
    double frequency = output->natural_frequency;
    lf_document_line(d, 2);
    lf_document_number(d, "time_constant", output->time_constant);
    lf_document_number(d, "time_constant_error", output->time_constant_error);
    lf_document_number(d, "natural_frequency", frequency);
    lf_document_number(d, "natural_frequency_error", output->natural_frequency_error);
    lf_document_number(d, "period", TWO_PI / frequency);
    lf_document_number(d, "period_error", TWO_PI / frequency * output->natural_frequency_error / frequency);
    lf_document_number(d, "damping_ratio", output->damping_ratio);
    lf_document_number(d, "damping_ratio_error", output->damping_ratio_error);
    lf_document_truth(d, "stable", output->stable);
}

static void describe_output(lf_document *d, const lf_model *model, int index)
{
    lf_output_info output = lf_model_output(model, index);
    lf_document_line(d, 1);
    lf_document_open(d, NULL, '{');
    lf_document_text(d, "name", output.name);
    lf_document_text(d, "operator", output.operator_type);
    lf_document_integer(d, "order", (int)output.order);
    lf_document_text(d, "unit", output.unit);
    lf_document_number(d, "noise_sd", sqrt(lf_model_noise_variance(model, index)));
    if (model->outputs[index].likelihood) {
        const char *number = model->outputs[index].likelihood->number;
        lf_document_text(d, "likelihood", output.likelihood);
        if (number) {
            lf_document_number(d, number, model->outputs[index].likelihood_number);
        }
    }
    lf_document_number(d, "offset", output.offset);
    lf_document_number(d, "scale", output.scale);
    describe_constants(d, model, index);
    if (output.order > 0) {
        describe_readings(d, &output);
    }
    lf_document_line(d, 2);
    lf_document_numbers(d, "sensitivity", (size_t)model->force_count, output.sensitivity);
    lf_document_number(d, "sensitivity_sd", output.sensitivity_sd);
    lf_document_number(d, "variance_inflation", output.variance_inflation);
    lf_document_line(d, 2);
    if (output.private_kernel) {
        lf_document_open(d, "private", '{');
        describe_force(d, model, &model->outputs[index].private_force, lf_index_private_kernel(model, index));
        lf_document_number(d, "amplitude", output.private_amplitude);
        lf_document_close(d);
    } else {
        lf_document_text(d, "private", NULL);
    }
    lf_document_close(d);
}

static lf_status describe_posterior(lf_context *ctx, lf_document *d, const lf_model *model)
{
    double from, to, first, last;
    lf_posterior *posterior = NULL;
    lf_status status = model->posterior ? lf_posterior_restore(ctx, model, &posterior) : LF_OK;
    lf_document_line(d, 0);
    if (!posterior) {
        lf_document_text(d, "posterior", NULL);
        return status;
    }
    lf_posterior_range(posterior, &from, &to);
    int known = lf_posterior_span(posterior, &first, &last), replicates = lf_posterior_replicate_count(posterior);
    int named = replicates > 1 || *lf_posterior_replicate_name(posterior, 0);
    lf_document_open(d, "posterior", '{');
    lf_document_text(d, "engine", lf_posterior_engine(posterior));
    lf_document_number(d, "from", from);
    lf_document_number(d, "to", to);
    lf_document_number(d, "first_input", known ? first : (double)NAN);
    lf_document_number(d, "last_input", known ? last : (double)NAN);
    lf_document_open(d, "replicates", '[');
    for (int r = 0; named && r < replicates; r++) {
        lf_document_text(d, NULL, lf_posterior_replicate_name(posterior, r));
    }
    lf_document_close(d);
    lf_document_close(d);
    lf_posterior_free(posterior);
    return LF_OK;
}

lf_status lf_describe_provenance(lf_context *ctx, lf_document *d, const lf_model *model)
{
    errno = 0;
    char *provenance = lf_model_provenance(model);
    lf_status status = !provenance && errno == ENOMEM ? lf_no_memory(ctx) : LF_OK;
    lf_document_json(d, "provenance", provenance);
    lf_free(provenance);
    return status;
}

static lf_status describe(lf_context *ctx, const lf_model *model, char **text)
{
    lf_document d = lf_document_begin();
    lf_document_text(&d, "version", lf_version());
    lf_document_integer(&d, "input_dim", model->input_dim);
    describe_inputs(&d, model);
    describe_forces(&d, model);
    describe_known_inputs(&d, model);
    lf_status status = model->system ? describe_equations(ctx, &d, model) : LF_OK;
    lf_document_line(&d, 0);
    lf_document_open(&d, "outputs", '[');
    for (int i = 0; i < model->output_count; i++) {
        describe_output(&d, model, i);
    }
    lf_document_close(&d);
    lf_document_line(&d, 0);
    lf_describe_parameters(&d, model);
    LF_TRY(status, describe_posterior(ctx, &d, model));
    lf_document_line(&d, 0);
    LF_TRY(status, lf_describe_provenance(ctx, &d, model));
    return lf_document_end(ctx, status, &d, text);
}

lf_status lf_model_json(lf_context *ctx, const lf_model *model, const char *what, char **text)
{
    *text = NULL;
    if (!model) {
        return lf_missing(ctx, "model");
    }
    if (strcmp(what, "file") == 0) {
        return lf_model_text(ctx, model, text);
    }
    if (strcmp(what, "description") == 0) {
        return describe(ctx, model, text);
    }
    if (strcmp(what, "provenance") == 0) {
        errno = 0;
        *text = lf_model_provenance(model);
        return !*text && errno == ENOMEM ? lf_no_memory(ctx) : LF_OK;
    }
    if (strcmp(what, "state-space") == 0) {
        lf_matrices *matrices = NULL;
        lf_status status = lf_model_matrices(ctx, model, 0, &matrices);
        LF_TRY(status, lf_matrices_json(ctx, model, matrices, text));
        lf_matrices_free(matrices);
        return status;
    }
    return lf_fail(ctx, LF_ERROR_ARGUMENT,
                   "a model has no document '%s'; expected file, description, provenance or state-space", what);
}
