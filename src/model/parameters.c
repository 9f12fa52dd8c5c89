/* Access to parameters by index and as the flat vector theta: theta_i = log(value_i) or value_i.
 *
 * A tied parameter copies the value of its leader. A leader is never tied itself, so one step resolves every tie. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "model/model.h"

size_t lf_parameter_count(const lf_model *model) { return model->parameter_count; }

int lf_parameter_is_fixed(const lf_model *model, size_t index)
{
    const lf_parameter_entry *entry = &model->parameters[index];
    return entry->fixed || (entry->transform == LF_TRANSFORM_LOG && *entry->value <= 0.0);
}

lf_parameter lf_parameter_get(const lf_model *model, size_t index)
{
    if (index >= model->parameter_count) {
        double none = (double)NAN;
        return (lf_parameter){.name = "",
                              .theta_name = "",
                              .transform = "",
                              .value = none,
                              .lower = none,
                              .upper = none,
                              .tied_to = LF_NONE,
                              .standard_error = none};
    }
    const lf_parameter_entry *entry = &model->parameters[index];
    return (lf_parameter){.name = entry->name,
                          .theta_name = entry->theta_name,
                          .transform = entry->transform == LF_TRANSFORM_LOG ? "log" : "identity",
                          .value = *entry->value,
                          .lower = entry->lower,
                          .upper = entry->upper,
                          .fixed = lf_parameter_is_fixed(model, index),
                          .tied_to = entry->tied_to < 0 ? LF_NONE : (size_t)entry->tied_to,
                          .standard_error = entry->standard_error};
}

lf_status lf_parameter_find(lf_context *ctx, const lf_model *model, const char *name, size_t *index)
{
    for (size_t i = 0; i < model->parameter_count; i++) {
        const lf_parameter_entry *entry = &model->parameters[i];
        if (!strcmp(entry->name, name) || !strcmp(entry->theta_name, name)) {
            *index = i;
            return LF_OK;
        }
    }
    char known[400] = "";
    size_t length = 0, i = 0;
    for (; i < model->parameter_count; i++) {
        const char *next = model->parameters[i].name;
        if (length + strlen(next) + 8 > sizeof known) {
            break;
        }
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", next);
    }
    return lf_fail(ctx, LF_ERROR_ARGUMENT, "no parameter is called \"%s\"; the model has %s%s", name, known,
                   i < model->parameter_count ? ", …" : "");
}

static lf_status check_index(lf_context *ctx, const lf_model *model, size_t index)
{
    if (index < model->parameter_count) {
        return LF_OK;
    }
    return lf_fail(ctx, LF_ERROR_ARGUMENT, "parameter number %zu does not exist; the model has %zu", index,
                   model->parameter_count);
}

/* Why the parameter cannot have this value, as a predicate; NULL if it can. */
static const char *value_problem(const lf_parameter_entry *entry, double value)
{
    int positive = entry->transform == LF_TRANSFORM_LOG;
    if (!isfinite(value)) {
        return "must be finite";
    }
    if (positive && entry->nonzero && !(value > 0.0)) {
        return "must be > 0";
    }
    if (positive && value < 0.0) {
        return "must be >= 0";
    }
    return entry->nonzero && value == 0.0 ? "must not be 0" : NULL;
}

/* Sets a leader and all parameters tied to it, or none of them if one cannot have the value. */
static lf_status assign(lf_context *ctx, lf_model *model, size_t leader, double value)
{
    for (int write = 0; write < 2; write++) {
        for (size_t i = 0; i < model->parameter_count; i++) {
            lf_parameter_entry *entry = &model->parameters[i];
            if (i != leader && (entry->tied_to < 0 || (size_t)entry->tied_to != leader)) {
                continue;
            }
            const char *reason = value_problem(entry, value);
            if (reason) {
                return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s: %s, found %g", entry->name, reason, value);
            }
            if (write) {
                *entry->value = value;
            }
        }
    }
    return LF_OK;
}

lf_status lf_parameter_set(lf_context *ctx, lf_model *model, size_t index, double value)
{
    lf_status status = check_index(ctx, model, index);
    if (status) {
        return status;
    }
    const lf_parameter_entry *entry = &model->parameters[index];
    if (entry->tied_to >= 0) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s is tied to %s; set that one instead", entry->name,
                       model->parameters[entry->tied_to].name);
    }
    status = assign(ctx, model, index, value);
    if (!status) {
        lf_model_drop_posterior(model);
        lf_model_drop_errors(model);
    }
    return status;
}

void lf_parameter_fix(lf_model *model, size_t index, int fixed)
{
    if (index < model->parameter_count) {
        model->parameters[index].fixed = fixed != 0;
    }
}

lf_status lf_parameter_bound(lf_context *ctx, lf_model *model, size_t index, double lower, double upper)
{
    lf_status status = check_index(ctx, model, index);
    if (status) {
        return status;
    }
    lf_parameter_entry *entry = &model->parameters[index];
    if (!(lower <= upper) || lower >= (double)INFINITY || upper <= -(double)INFINITY) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s: bounds must go from low to high, found [%g, %g]", entry->name,
                       lower, upper);
    }
    if (entry->transform == LF_TRANSFORM_LOG && (lower < 0.0 || upper <= 0.0)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s is never negative, so its bounds cannot be [%g, %g]", entry->name,
                       lower, upper);
    }
    entry->lower = lower;
    entry->upper = upper;
    return LF_OK;
}

lf_status lf_parameter_tie(lf_context *ctx, lf_model *model, size_t index, size_t leader)
{
    lf_status status = check_index(ctx, model, index);
    LF_TRY(status, check_index(ctx, model, leader));
    if (status) {
        return status;
    }
    if (model->parameters[leader].tied_to >= 0) {
        leader = (size_t)model->parameters[leader].tied_to;
    }
    lf_parameter_entry *entry = &model->parameters[index];
    const lf_parameter_entry *target = &model->parameters[leader];
    if (leader == index) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s cannot be tied to itself, directly or through others", entry->name);
    }
    if (entry->transform != target->transform) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s cannot be tied to %s: only one of them moves as a logarithm",
                       entry->name, target->name);
    }
    /* Sets `index` and the parameters tied to it; fails, without any change, if one cannot have the leader's value. */
    int open = isnan(*entry->value) && isnan(*target->value); /* both are still to be found */
    status = open ? LF_OK : assign(ctx, model, index, *target->value);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < model->parameter_count; i++) {
        if (i == index || model->parameters[i].tied_to == (int)index) {
            model->parameters[i].tied_to = (int)leader;
        }
    }
    return LF_OK;
}

static double to_theta(const lf_parameter_entry *entry)
{
    return entry->transform == LF_TRANSFORM_LOG ? log(*entry->value) : *entry->value;
}

void lf_model_theta(const lf_model *model, double *theta)
{
    for (size_t i = 0; i < model->parameter_count; i++) {
        theta[i] = to_theta(&model->parameters[i]);
    }
}

static lf_status check_count(lf_context *ctx, const lf_model *model, size_t count)
{
    return count == model->parameter_count
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_ARGUMENT, "theta has %zu entries, the model has %zu parameters", count,
                         model->parameter_count);
}

lf_status lf_model_get_theta(lf_context *ctx, const lf_model *model, size_t count, double *theta)
{
    if (!model) {
        return lf_missing(ctx, "model");
    }
    lf_status status = check_count(ctx, model, count);
    if (!status) {
        lf_model_theta(model, theta);
    }
    return status;
}

/* The value for an entry of theta. A fixed parameter keeps its value exactly: exp(log(value)) may differ by
 * rounding. */
static double from_theta(const lf_parameter_entry *entry, double theta)
{
    if (entry->fixed && theta == to_theta(entry)) {
        return *entry->value;
    }
    return entry->transform == LF_TRANSFORM_LOG ? exp(theta) : theta;
}

lf_status lf_model_set_theta(lf_context *ctx, lf_model *model, size_t count, const double *theta)
{
    if (!model) {
        return lf_missing(ctx, "model");
    }
    lf_status status = check_count(ctx, model, count);
    if (status) {
        return status;
    }
    lf_parameter_entry *parameters = model->parameters;
    for (size_t i = 0; i < model->parameter_count; i++) {
        size_t leader = parameters[i].tied_to < 0 ? i : (size_t)parameters[i].tied_to;
        if (isnan(theta[leader])) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s is not a number", parameters[leader].theta_name);
        }
        double value = from_theta(&parameters[leader], theta[leader]);
        const char *reason = value_problem(&parameters[i], value);
        if (reason) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "%s = %g makes %s = %g, which %s", parameters[leader].theta_name,
                           theta[leader], parameters[i].name, value, reason);
        }
    }
    lf_model_drop_posterior(model);
    lf_model_drop_errors(model);
    for (size_t i = 0; i < model->parameter_count; i++) {
        if (parameters[i].tied_to < 0) {
            *parameters[i].value = from_theta(&parameters[i], theta[i]);
        }
    }
    for (size_t i = 0; i < model->parameter_count; i++) {
        if (parameters[i].tied_to >= 0) {
            *parameters[i].value = *parameters[parameters[i].tied_to].value;
        }
    }
    return LF_OK;
}

void lf_parameters_chain(const lf_model *model, double *gradient)
{
    for (size_t i = 0; i < model->parameter_count; i++) {
        const lf_parameter_entry *entry = &model->parameters[i];
        if (entry->transform == LF_TRANSFORM_LOG) {
            gradient[i] = *entry->value > 0.0 ? gradient[i] * *entry->value : 0.0;
        }
    }
    for (size_t i = 0; i < model->parameter_count; i++) {
        int leader = model->parameters[i].tied_to;
        if (leader >= 0) {
            gradient[leader] += gradient[i];
            gradient[i] = 0.0;
        }
    }
}

size_t lf_free_parameters(const lf_model *model, size_t *index)
{
    size_t count = 0;
    for (size_t i = 0; i < model->parameter_count; i++) {
        if (model->parameters[i].tied_to < 0 && !lf_parameter_is_fixed(model, i)) {
            if (index) {
                index[count] = i;
            }
            count++;
        }
    }
    return count;
}
