/* Checks the values of a model. Messages give the place in the model file: "FILE: outputs[1].scale: must be > 0, found
 * -1". */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "model/model.h"

typedef enum rule { ANY, NOT_NEGATIVE, POSITIVE, NOT_ZERO } rule;

typedef struct checker {
    lf_context *ctx;
    const char *name;
    char owner[32]; /* object that the field belongs to: "outputs[1]" */
} checker;

static const char *violation_of(rule required, double value)
{
    if (!isfinite(value)) {
        return "must be finite";
    }
    if (required == NOT_NEGATIVE && value < 0.0) {
        return "must be >= 0";
    }
    if (required == POSITIVE && value <= 0.0) {
        return "must be > 0";
    }
    return required == NOT_ZERO && value == 0.0 ? "must not be 0" : NULL;
}

/* index -1: the field is a single number, not a list. */
static lf_status check_number(const checker *c, rule required, double value, const char *field, int index)
{
    const char *violation = violation_of(required, value);
    char place[24] = "";
    if (!violation) {
        return LF_OK;
    }
    if (index >= 0) {
        snprintf(place, sizeof place, "[%d]", index);
    }
    return lf_fail(c->ctx, LF_ERROR_MODEL, "%s: %s%s%s%s: %s, found %g", c->name, c->owner, *c->owner ? "." : "", field,
                   place, violation, value);
}

/* In the file a list of one element is a number, unless always_list. */
static lf_status check_list(const checker *c, rule required, int count, const double *values, const char *field,
                            int always_list)
{
    lf_status status = LF_OK;
    for (int i = 0; !status && i < count; i++) {
        status = check_number(c, required, values[i], field, always_list || count > 1 ? i : -1);
    }
    return status;
}

/* prefix: "private." for a private force. */
static lf_status check_force(const checker *c, const lf_force *force, int input_dim, const char *prefix)
{
    int count = lf_force_parameter_count(force);
    lf_status status = LF_OK;
    if (lf_force_is_composed(force) && input_dim > 1) {
        status = lf_fail(c->ctx, LF_ERROR_MODEL, "%s: %s.%skernel: \"%s\" is for one input, but input_dim is %d",
                         c->name, c->owner, prefix, force->formula, input_dim);
    }
    for (int i = 0; !status && i < count; i++) {
        lf_force_parameter parameter = lf_force_parameter_at(force, i);
        char field[64];
        if (isnan(*parameter.value)) { /* no file has it: starting values will replace it */
            continue;
        }
        if (parameter.term >= 0) {
            snprintf(field, sizeof field, "%sterms[%d].%s", prefix, parameter.term, parameter.what);
        } else {
            snprintf(field, sizeof field, "%s%s", prefix, parameter.what);
        }
        status = check_number(c, POSITIVE, *parameter.value, field, parameter.number > 0 ? parameter.number - 1 : -1);
    }
    LF_TRY(status, check_number(c, NOT_NEGATIVE, force->inducing_noise, "inducing_noise", -1));
    return status ? status : check_list(c, ANY, force->inducing_count * input_dim, force->inducing, "inducing", 1);
}

static lf_status check_constants(const checker *c, const lf_output *output)
{
    const lf_operator *op = output->op;
    lf_status status = LF_OK;
    for (int i = 0; !status && i < output->constant_count; i++) {
        char field[64];
        int leading = !op->is_ode || i + op->first_coefficient == 0;
        rule required = op->positive ? (leading ? POSITIVE : NOT_NEGATIVE) : (leading ? NOT_ZERO : ANY);
        int listed = !op->constant_names && (op->is_ode || output->constant_count > 1);
        snprintf(field, sizeof field, "operator.%s", op->constant_names ? op->constant_names[i] : op->field);
        status = check_number(c, required, output->constants[i], field, listed ? i : -1);
    }
    return status;
}

static lf_status check_name(const checker *c, const lf_model *model, int d)
{
    const char *name = model->outputs[d].name;
    int first = lf_model_find_output(model, name);
    if (!*name) {
        return lf_fail(c->ctx, LF_ERROR_MODEL, "%s: %s.name: must not be empty", c->name, c->owner);
    }
    if (first != d) {
        return lf_fail(c->ctx, LF_ERROR_MODEL, "%s: %s.name: \"%s\" is already the name of outputs[%d]", c->name,
                       c->owner, name, first);
    }
    return LF_OK;
}

/* Whether the operator suits the number of inputs and the start of the model. */
static lf_status check_operator(const checker *c, const lf_model *model, const lf_output *output)
{
    double complex root;
    if (output->op->is_ode && model->input_dim != 1) {
        return lf_fail(c->ctx, LF_ERROR_MODEL,
                       "%s: %s.operator.type: \"%s\" needs one input, but input_dim is %d; use \"gaussian\"", c->name,
                       c->owner, output->op->name, model->input_dim);
    }
    if (model->initial == LF_INITIAL_STATIONARY && !lf_output_stable(output, &root)) {
        char imaginary[32] = "";
        if (cimag(root) != 0.0) {
            snprintf(imaginary, sizeof imaginary, "%+.4gi", cimag(root));
        }
        return lf_fail(c->ctx, LF_ERROR_MODEL,
                       "%s: %s (\"%s\"): operator is unstable (root %+.4g%s) but initial \"stationary\" needs a stable "
                       "one; use \"zero\" or \"free\"",
                       c->name, c->owner, output->name, creal(root), imaginary);
    }
    return LF_OK;
}

/* A variance of Student-t noise exists above 2 degrees of freedom. */
static lf_status check_likelihood(const checker *c, const lf_output *o)
{
    const lf_likelihood *likelihood = lf_output_likelihood(o);
    lf_status status =
        likelihood->number ? check_number(c, POSITIVE, o->likelihood_number, likelihood->number, -1) : LF_OK;
    if (!status && likelihood == &lf_likelihood_student && !(o->likelihood_number > 2)) {
        status = lf_fail(c->ctx, LF_ERROR_MODEL, "%s: %s (\"%s\"): degrees is %g, expected more than 2", c->name,
                         c->owner, o->name, o->likelihood_number);
    }
    return status;
}

static lf_status check_output(const checker *c, const lf_model *model, int d)
{
    const lf_output *o = &model->outputs[d];
    lf_status status = check_name(c, model, d);
    if (!status && lf_model_find_known(model, o->name) >= 0) {
        status = lf_fail(c->ctx, LF_ERROR_MODEL, "%s: %s.name: \"%s\" is a known input", c->name, c->owner, o->name);
    }
    status = status || !o->gain ? status : check_list(c, ANY, model->known_count, o->gain, "gain", 1);
    LF_TRY(status, check_constants(c, o));
    LF_TRY(status, check_list(c, ANY, model->force_count, o->sensitivity, "sensitivity", 1));
    LF_TRY(status, check_number(c, NOT_NEGATIVE, o->sensitivity_sd, "sensitivity_sd", -1));
    if (!status && o->sensitivity_sd > 0 && (!o->op->is_ode || !o->has_private)) {
        status =
            lf_fail(c->ctx, LF_ERROR_MODEL,
                    "%s: %s (\"%s\"): sensitivity_sd is %g, which needs a differential equation and a private force",
                    c->name, c->owner, o->name, o->sensitivity_sd);
    }
    LF_TRY(status, check_number(c, NOT_NEGATIVE, o->variance_inflation, "variance_inflation", -1));
    LF_TRY(status, check_number(c, NOT_NEGATIVE, o->noise_variance, "noise_variance", -1));
    LF_TRY(status, check_likelihood(c, o));
    LF_TRY(status, check_number(c, ANY, o->offset, "offset", -1));
    LF_TRY(status, check_number(c, POSITIVE, o->scale, "scale", -1));
    LF_TRY(status, check_list(c, NOT_NEGATIVE, o->order, o->initial_variance, "initial_variance", 1));
    if (!status && o->has_private) {
        status = check_force(c, &o->private_force, model->input_dim, "private.");
        LF_TRY(status, check_number(c, NOT_NEGATIVE, o->private_amplitude, "private.amplitude", -1));
    }
    return status ? status : check_operator(c, model, o);
}

/* Only models with several inputs have offsets and scales of inputs: with one input, lengthscales and rates are in the
 * units of the data. */
static lf_status check_inputs(checker *c, const lf_model *model)
{
    lf_status status = LF_OK;
    if (model->input_dim == 1) {
        return lf_fail(c->ctx, LF_ERROR_MODEL, "%s: inputs: they are for several inputs, but input_dim is 1", c->name);
    }
    for (int k = 0; !status && k < model->input_dim; k++) {
        snprintf(c->owner, sizeof c->owner, "inputs[%d]", k);
        status = check_number(c, ANY, model->inputs[k].offset, "offset", -1);
        LF_TRY(status, check_number(c, POSITIVE, model->inputs[k].scale, "scale", -1));
    }
    return status;
}

/* The numbers that belong to equations. Those of the equations themselves are checked where they are evaluated. */
static lf_status check_system(checker *c, const lf_model *model)
{
    const lf_system *system = model->system;
    const lf_equations *equations = system->equations;
    lf_status status = LF_OK;
    for (int i = 0; !status && i < equations->parameter_count; i++) {
        snprintf(c->owner, sizeof c->owner, "constants");
        status = check_number(c, equations->parameters[i].positive ? POSITIVE : ANY, system->constants[i],
                              equations->parameters[i].name, -1);
    }
    for (int i = 0; !status && i < equations->force_count; i++) {
        snprintf(c->owner, sizeof c->owner, "forces[%d]", i);
        status =
            check_number(c, NOT_NEGATIVE, system->amplitude[i], equations->forces[i].white ? "sd" : "amplitude", -1);
    }
    for (int i = 0; !status && model->initial != LF_INITIAL_STATIONARY && i < equations->state_count; i++) {
        snprintf(c->owner, sizeof c->owner, "start");
        if (!lf_system_start_is_given(equations, i)) {
            status = check_number(c, ANY, system->start_mean[i], "mean", i);
            LF_TRY(status, check_number(c, NOT_NEGATIVE, system->start_sd[i], "sd", i));
        }
    }
    c->owner[0] = '\0';
    return status;
}

lf_status lf_model_check(lf_context *ctx, const lf_model *model, const char *name)
{
    checker c = {.ctx = ctx, .name = name};
    lf_status status = check_number(&c, ANY, model->origin, "origin", -1);
    if (!status && model->output_count == 0) {
        status = lf_fail(ctx, LF_ERROR_MODEL, "%s: outputs: at least one output is needed, found none", name);
    }
    if (!status && model->inputs) {
        status = check_inputs(&c, model);
    }
    if (!status && model->system) {
        status = check_system(&c, model);
    }
    for (int q = 0; !status && q < model->force_count; q++) {
        snprintf(c.owner, sizeof c.owner, "forces[%d]", q);
        status = check_force(&c, &model->forces[q], model->input_dim, "");
    }
    for (int d = 0; !status && d < model->output_count; d++) {
        snprintf(c.owner, sizeof c.owner, "outputs[%d]", d);
        status = check_output(&c, model, d);
    }
    return status;
}
