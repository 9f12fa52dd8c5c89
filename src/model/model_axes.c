/* What the inputs of a model measure: texts of inputs and spans, units of parameters, and the member "inputs" of the model
 * file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"
#include "model/model_file.h"

const lf_axis *lf_model_axis(const lf_model *model, int input)
{
    static const lf_axis unknown;
    return model->axes ? &model->axes[input] : &unknown;
}

lf_status lf_model_set_axes(lf_context *ctx, lf_model *model, const lf_axis *axes)
{
    lf_axis *copy = lf_axes_copy(axes, model->input_dim);
    if (!copy) {
        return lf_no_memory(ctx);
    }
    lf_axes_free(model->axes, model->input_dim);
    model->axes = copy;
    return lf_model_write_names(ctx, model);
}

/* ---- headings ---- */

static const char *const heading_keys[] = {"output", "value", "replicate", NULL};

const char *lf_model_heading(const lf_model *model, lf_heading which)
{
    return json_string_value(json_object_get(model->columns, heading_keys[which]));
}

lf_status lf_model_set_headings(lf_context *ctx, lf_model *model, char *const heading[LF_HEADING_COUNT])
{
    json_t *columns = json_object();
    int bad = !columns;
    for (int i = 0; i < LF_HEADING_COUNT && !bad; i++) {
        bad = heading[i] && json_object_set_new(columns, heading_keys[i], json_string(heading[i])) != 0;
    }
    if (bad || json_object_size(columns) == 0) {
        json_decref(columns);
        columns = NULL;
    }
    json_decref(model->columns);
    model->columns = columns;
    return bad ? lf_no_memory(ctx) : LF_OK;
}

lf_status lf_read_headings_of_files(const lf_field *columns, lf_model *model)
{
    lf_status status = lf_field_object(columns, heading_keys);
    for (int i = 0; i < LF_HEADING_COUNT && !status; i++) {
        lf_field field = lf_field_member(columns, heading_keys[i]);
        const char *text;
        status = field.value ? lf_field_string(&field, &text) : LF_OK;
    }
    if (!status) {
        model->columns = json_incref(columns->value);
    }
    return status;
}

/* ---- texts ---- */

void lf_model_input_heading(const lf_model *model, int input, size_t size, char *text)
{
    lf_axis_heading(lf_model_axis(model, input), input, model->input_dim, size, text);
}

size_t lf_model_format_input(const lf_model *model, size_t input, double x, size_t size, char *text)
{
    char whole[LF_TIMESTAMP_SIZE] = "";
    lf_c_locale locale;
    if (input >= (size_t)model->input_dim) {
        return (size_t)lf_print(text, size, "%s", whole);
    }
    int entered = lf_c_locale_enter(&locale);
    lf_axis_format(lf_model_axis(model, (int)input), x, whole);
    if (entered) {
        lf_c_locale_leave(&locale);
    }
    return (size_t)lf_print(text, size, "%s", whole);
}

lf_status lf_model_parse_input(lf_context *ctx, const lf_model *model, size_t input, const char *text, double *x)
{
    if (!model) {
        return lf_missing(ctx, "model");
    }
    return input < (size_t)model->input_dim
               ? lf_axis_parse_text(ctx, lf_model_axis(model, (int)input), text, x)
               : lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no input number %zu; the model has %d", input,
                         model->input_dim);
}

lf_status lf_model_parse_span(lf_context *ctx, const lf_model *model, const char *text, double *span)
{
    if (!model) {
        return lf_missing(ctx, "model");
    }
    return lf_axis_parse_span(ctx, lf_model_axis(model, 0), text, span);
}

/* unit^power: "h", "1/h", "1/h^2"; "" without a unit or a power. */
static void write_power(const char *unit, int power, char text[LF_UNIT_SIZE])
{
    text[0] = '\0';
    if (!unit || power == 0) {
        return;
    }
    int magnitude = power < 0 ? -power : power;
    if (magnitude == 1) {
        snprintf(text, LF_UNIT_SIZE, "%s%.*s", power < 0 ? "1/" : "", LF_CUT(40, unit));
    } else {
        snprintf(text, LF_UNIT_SIZE, "%s%.*s^%d", power < 0 ? "1/" : "", LF_CUT(40, unit), magnitude);
    }
}

/* The unit of parameter i of the kernel of a force, if it has one: lengthscales and periods are measured as the input is. */
static void write_force_unit(const lf_model *model, const lf_force *force, int i, char unit[LF_UNIT_SIZE])
{
    if (i < 0 || i >= lf_force_parameter_count(force)) {
        return;
    }
    lf_force_parameter parameter = lf_force_parameter_at(force, i);
    if (strcmp(parameter.what, "lengthscale") == 0 || strcmp(parameter.what, "period") == 0) {
        write_power(model->axes[parameter.number > 0 ? parameter.number - 1 : 0].unit, 1, unit);
    }
}

/* The unit of the gain of a known input in f^(P) + … = gain v, f without a unit: 1/(h^P unit of v). An impulse is v for an instant, so that one
 * h less is below the line. */
static void write_gain_unit(const lf_model *model, int order, const lf_known_input *known, char unit[LF_UNIT_SIZE])
{
    char time[LF_UNIT_SIZE];
    int power = order - (known->hold == LF_HOLD_IMPULSE);
    write_power(model->axes[0].unit, power, time);
    if (known->unit && *known->unit && (*time || power == 0)) {
        snprintf(unit, LF_UNIT_SIZE, *time ? "1/(%.*s %.*s)" : "1/%.*s%.*s", LF_CUT(28, time),
                 LF_CUT(*time ? 28 : 40, known->unit));
    }
}

void lf_parameter_unit(const lf_model *model, size_t index, char unit[LF_UNIT_SIZE])
{
    int i = (int)index;
    unit[0] = '\0';
    if (!model->axes || model->inputs) { /* standardised inputs have no unit */
        return;
    }
    for (int q = 0; q < model->force_count; q++) {
        const lf_force *force = &model->forces[q];
        int first = lf_index_kernel(model, q), inducing = lf_index_inducing(model, q);
        write_force_unit(model, force, i - first, unit);
        if (inducing >= 0 && i >= inducing && i < inducing + force->inducing_count * model->input_dim) {
            write_power(model->axes[(i - inducing) % model->input_dim].unit, 1, unit);
        }
    }
    for (int d = 0; d < model->output_count; d++) {
        const lf_output *output = &model->outputs[d];
        int first = lf_index_constants(model, d), lengthscale = lf_index_private_kernel(model, d),
            gain = lf_index_gain(model, d);
        if (i >= first && i < first + output->constant_count) {
            int k = i - first;
            /* a coefficient of f^(P-k) relative to the leading one: 1 / unit^k; a precision: 1 / unit^2 */
            int power = output->op->is_ode ? k + output->op->first_coefficient : 2;
            write_power(model->axes[output->op->is_ode || k >= model->input_dim ? 0 : k].unit, -power, unit);
        }
        if (gain >= 0 && i >= gain && i < gain + model->known_count) {
            write_gain_unit(model, output->order, &model->known[i - gain], unit);
        }
        if (lengthscale >= 0) {
            write_force_unit(model, &output->private_force, i - lengthscale, unit);
        }
    }
}

/* ---- the model file ---- */

static lf_status read_text(const lf_field *object, const char *key, char **text)
{
    const char *value;
    lf_field field = lf_field_member(object, key);
    lf_status status = field.value ? lf_field_string(&field, &value) : LF_OK;
    if (!status && field.value) {
        *text = lf_copy_string(value);
        status = *text ? LF_OK : lf_no_memory(field.ctx);
    }
    return status;
}

/* "digits" of a second that are shown: 9, or 6 where it does not stand. */
static lf_status read_fine(const lf_field *object, lf_axis *axis)
{
    double digits = 6;
    lf_field field = lf_field_member(object, "digits");
    lf_status status = field.value ? lf_field_number(&field, &digits) : LF_OK;
    if (!status && digits != 6 && digits != 9) {
        status = lf_field_fail(&field, "expected 6 or 9 digits of a second, found %.10g", digits);
    }
    axis->fine = digits == 9;
    return status;
}

/* "calendar": the months from one time to the next, and their day. */
static lf_status read_calendar(const lf_field *object, lf_axis *axis)
{
    double months = 0, day = 0;
    lf_field field = lf_field_member(object, "calendar");
    if (!field.value) {
        return LF_OK;
    }
    lf_field number = lf_field_member(&field, "months"), of_month = lf_field_member(&field, "day");
    lf_status status = lf_field_number(&number, &months);
    LF_TRY(status, lf_field_number(&of_month, &day));
    if (!status &&
        !(months >= 1 && months <= 12000 && months == floor(months) && day >= 1 && day <= 31 && day == floor(day))) {
        status = lf_field_fail(&field, "expected {\"months\": 1 to 12000, \"day\": 1 to 31}, found %.10g and %.10g",
                               months, day);
    }
    axis->months = (int)months;
    axis->month_day = (int)day;
    return status;
}

static lf_status read_zero(const lf_field *object, lf_axis *axis)
{
    const char *text;
    lf_timestamp stamp;
    lf_field field = lf_field_member(object, "zero");
    if (!field.value) {
        return LF_OK;
    }
    lf_status status = lf_field_string(&field, &text);
    if (!status && lf_parse_timestamp(text, strlen(text), &stamp) != LF_TIMESTAMP) {
        status = lf_field_fail(&field, "expected a date such as \"2019-12-23T00:00:00\", found \"%s\"", text);
    }
    if (!status && stamp.fraction != 0) {
        status = lf_field_fail(&field, "the date of 0 must be a whole second, found \"%s\"", text);
    }
    if (!status && lf_unit_seconds(axis->unit) == 0) {
        status = lf_field_fail(&field, "a date needs \"unit\": \"s\", \"min\", \"h\", \"d\" or \"a\" beside it");
    }
    if (!status) {
        lf_axis_set_zero(axis, &stamp);
        status = read_fine(object, axis);
        LF_TRY(status, read_calendar(object, axis));
    }
    return status;
}

lf_status lf_read_axis(const lf_field *object, lf_axis *axis)
{
    lf_status status = read_text(object, "name", &axis->name);
    LF_TRY(status, read_text(object, "unit", &axis->unit));
    LF_TRY(status, read_text(object, "file_unit", &axis->file_unit));
    if (!status && axis->file_unit && (lf_unit_seconds(axis->file_unit) == 0 || lf_unit_seconds(axis->unit) == 0)) {
        lf_field field = lf_field_member(object, "file_unit");
        status = lf_field_fail(&field, "unit and file_unit must be ms, s, min, h, d or a, found \"%s\" and \"%s\"",
                               axis->unit ? axis->unit : "", axis->file_unit);
    }
    return status ? status : read_zero(object, axis);
}

int lf_write_axis(const lf_axis *axis, json_t *object)
{
    int bad = 0;
    if (axis->name) {
        bad |= json_object_set_new(object, "name", json_string(axis->name));
    }
    if (axis->unit) {
        bad |= json_object_set_new(object, "unit", json_string(axis->unit));
    }
    if (axis->file_unit) {
        bad |= json_object_set_new(object, "file_unit", json_string(axis->file_unit));
    }
    if (axis->dated) {
        char text[LF_TIMESTAMP_SIZE];
        lf_axis_format(axis, 0, text);
        bad |= json_object_set_new(object, "zero", json_string(text));
        bad |= axis->months > 0
                   ? json_object_set_new(object, "calendar",
                                         json_pack("{s:i,s:i}", "months", axis->months, "day", axis->month_day))
                   : 0;
        bad |= axis->fine ? json_object_set_new(object, "digits", json_integer(9)) : 0;
    }
    return bad;
}
