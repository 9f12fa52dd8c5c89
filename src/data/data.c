/* The table behind lf_data: one array per column, whose capacity grows by half. */
#include "data/data.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/text.h"
#include "model/model.h"

lf_status lf_data_create(lf_context *ctx, int input_dim, lf_data **data)
{
    *data = NULL;
    if (input_dim < 1) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "data need at least one input, not %d", input_dim);
    }
    *data = calloc(1, sizeof **data);
    lf_axis *axes = calloc((size_t)input_dim, sizeof *axes);
    if (!*data || !axes) {
        free(*data);
        free(axes);
        *data = NULL;
        return lf_no_memory(ctx);
    }
    (*data)->input_dim = input_dim;
    (*data)->axes = axes;
    return LF_OK;
}

void lf_data_free(lf_data *data)
{
    if (!data) {
        return;
    }
    free(data->output);
    free(data->replicate);
    free(data->x);
    free(data->y);
    free(data->sd);
    free(data->width);
    free(data->split);
    lf_names_clear(&data->outputs);
    lf_names_clear(&data->replicates);
    lf_axes_free(data->axes, data->input_dim);
    for (int d = 0; d < data->unit_count; d++) {
        free(data->units[d]);
    }
    free(data->units);
    for (int i = 0; i < LF_HEADING_COUNT; i++) {
        free(data->headings[i]);
    }
    free(data);
}

/* Returns 0 when there is no memory; the rows are unchanged in either case. */
static int resize(lf_data *data, size_t capacity)
{
    size_t p = (size_t)data->input_dim;
    if (capacity > SIZE_MAX / sizeof(double) / p) {
        return 0;
    }
    if (capacity < data->capacity) {
        data->capacity = capacity;
    }
#define RESIZE(array, width)                                                                                           \
    do {                                                                                                               \
        void *moved = realloc(array, capacity * (width) * sizeof *(array));                                            \
        if (!moved) {                                                                                                  \
            return 0;                                                                                                  \
        }                                                                                                              \
        (array) = moved;                                                                                               \
    } while (0)
    RESIZE(data->output, 1);
    RESIZE(data->replicate, 1);
    RESIZE(data->x, p);
    RESIZE(data->y, 1);
    RESIZE(data->sd, 1);
    if (data->width) {
        RESIZE(data->width, 1);
    }
    RESIZE(data->split, 1);
#undef RESIZE
    data->capacity = capacity;
    return 1;
}

void lf_data_shrink(lf_data *data)
{
    if (data->n > 0) {
        resize(data, data->n);
    }
}

static const char *const split_names[] = {[LF_SPLIT_NONE] = NULL, [LF_SPLIT_TRAIN] = "train", [LF_SPLIT_TEST] = "test"};

int lf_split_find(const char *name, lf_split *split)
{
    *split = LF_SPLIT_NONE;
    for (int s = LF_SPLIT_TRAIN; name && s <= LF_SPLIT_TEST; s++) {
        *split = strcmp(name, split_names[s]) == 0 ? (lf_split)s : *split;
    }
    return !name || *split != LF_SPLIT_NONE;
}

lf_status lf_data_append(lf_context *ctx, lf_data *data, const lf_row *row)
{
    if (data->n == data->capacity && !resize(data, data->n + data->n / 2 + 16)) {
        return lf_no_memory(ctx);
    }
    size_t i = data->n++, p = (size_t)data->input_dim;
    data->output[i] = row->output;
    data->replicate[i] = row->replicate;
    memcpy(data->x + i * p, row->x, p * sizeof(double));
    data->y[i] = row->y;
    data->sd[i] = row->sd;
    if (data->width) {
        data->width[i] = 0;
    }
    lf_split split;
    lf_split_find(row->split, &split);
    data->split[i] = (unsigned char)split;
    lf_status status = row->width != 0 ? lf_data_set_width(ctx, data, i, row->width) : LF_OK;
    data->n -= status != LF_OK;
    return status;
}

static lf_status add_name(lf_context *ctx, lf_names *names, size_t row, const char *what, const char *name, int *index)
{
    size_t length = strlen(name);
    const char *problem = lf_name_problem(name, length);
    if (problem) {
        lf_shown_text shown;
        return lf_fail(ctx, LF_ERROR_DATA, "row %zu: %s %s: '%s'", row, what, problem, lf_shown(&shown, name, length));
    }
    *index = lf_names_add(names, name, length);
    return *index < 0 ? lf_no_memory(ctx) : LF_OK;
}

lf_status lf_data_add(lf_context *ctx, lf_data *data, const char *output, const char *replicate, const double *x,
                      double y, double sd, const char *split_name)
{
    lf_split split;
    size_t number = data->n + 1;
    for (int k = 0; k < data->input_dim; k++) {
        if (!isfinite(x[k])) {
            return lf_fail(ctx, LF_ERROR_DATA, "row %zu: x%d is not a finite number: %g", number, k + 1, x[k]);
        }
    }
    if (isinf(y)) {
        return lf_fail(ctx, LF_ERROR_DATA, "row %zu: y is not a finite number: %g", number, y);
    }
    if (!isfinite(sd) || sd < 0) {
        return lf_fail(ctx, LF_ERROR_DATA, "row %zu: sd must be a finite number >= 0, found %g", number, sd);
    }
    if (!lf_split_find(split_name, &split)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "row %zu: unknown split '%s'; it can be train or test", number,
                       split_name);
    }
    if (!output && !isnan(y)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "row %zu: a row with a y must name its output", number);
    }
    if (data->n > 0) {
        const char *mixed = isnan(y) != isnan(data->y[0])                     ? "have a y"
                            : (output == NULL) != (data->output[0] < 0)       ? "name an output"
                            : (replicate == NULL) != (data->replicate[0] < 0) ? "name a replicate"
                                                                              : NULL;
        if (mixed) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "row %zu: either every row must %s or none", number, mixed);
        }
    }
    lf_row row = {.output = -1, .replicate = -1, .x = x, .y = y, .sd = sd, .split = split_name};
    lf_status status = LF_OK;
    if (output) {
        status = add_name(ctx, &data->outputs, number, "output", output, &row.output);
    }
    if (status == LF_OK && replicate) {
        status = add_name(ctx, &data->replicates, number, "replicate", replicate, &row.replicate);
    }
    return status == LF_OK ? lf_data_append(ctx, data, &row) : status;
}

size_t lf_data_count(const lf_data *data) { return data->n; }

int lf_data_input_dim(const lf_data *data) { return data->input_dim; }

lf_row lf_data_row(const lf_data *data, size_t row)
{
    if (row >= data->n) {
        return (lf_row){.output = -1, .replicate = -1, .y = (double)NAN};
    }
    return (lf_row){.output = data->output[row],
                    .replicate = data->replicate[row],
                    .x = data->x + row * (size_t)data->input_dim,
                    .y = data->y[row],
                    .sd = data->sd[row],
                    .split = split_names[data->split[row]],
                    .width = data->width ? data->width[row] : 0};
}

const double *lf_data_inputs(const lf_data *data) { return data->x; }

const double *lf_data_values(const lf_data *data) { return data->y; }

const double *lf_data_errors(const lf_data *data) { return data->sd; }

const int *lf_data_outputs(const lf_data *data) { return data->output; }

const int *lf_data_replicates(const lf_data *data) { return data->replicate; }

int lf_data_output_count(const lf_data *data) { return data->outputs.count; }

const char *lf_data_output_name(const lf_data *data, int output)
{
    return output >= 0 && output < data->outputs.count ? data->outputs.name[output] : NULL;
}

int lf_data_replicate_count(const lf_data *data) { return data->replicates.count; }

const char *lf_data_replicate_name(const lf_data *data, int replicate)
{
    return replicate >= 0 && replicate < data->replicates.count ? data->replicates.name[replicate] : NULL;
}

lf_input_info lf_data_input(const lf_data *data, int input) { return lf_axis_info(&data->axes[input]); }

lf_status lf_data_set_input(lf_context *ctx, lf_data *data, int input, const char *name, const char *unit,
                            const char *zero)
{
    lf_timestamp stamp = {0};
    lf_axis given = {.name = (char *)name, .unit = (char *)unit}, axis;
    if (input < 0 || input >= data->input_dim) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no input %d: the table has %d", input, data->input_dim);
    }
    if (zero && lf_parse_timestamp(zero, strlen(zero), &stamp) != LF_TIMESTAMP) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "'%s' is not a date in the form 2019-12-23T10:00:00", zero);
    }
    if (zero && stamp.fraction != 0) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "'%s': the date of 0 must be a whole second", zero);
    }
    if (zero && lf_unit_seconds(unit) == 0) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "an input with dates needs the unit ms, s, min, h, d or a, not '%s'",
                       unit ? unit : "");
    }
    if (!lf_axis_copy(&given, &axis)) {
        lf_axis_clear(&axis);
        return lf_no_memory(ctx);
    }
    if (zero) {
        lf_axis_set_zero(&axis, &stamp);
    }
    lf_axis_clear(&data->axes[input]);
    data->axes[input] = axis;
    return LF_OK;
}

const char *lf_data_output_unit(const lf_data *data, int output)
{
    return output >= 0 && output < data->unit_count && data->units[output] ? data->units[output] : "";
}

lf_status lf_data_set_output_unit(lf_context *ctx, lf_data *data, int output, const char *unit)
{
    if (output < 0 || output >= data->outputs.count) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no output %d: the table has %d", output, data->outputs.count);
    }
    char *copy = unit && *unit ? lf_copy_string(unit) : NULL;
    if (unit && *unit && !copy) {
        return lf_no_memory(ctx);
    }
    if (output >= data->unit_count) {
        char **grown = realloc(data->units, (size_t)data->outputs.count * sizeof *grown);
        if (!grown) {
            free(copy);
            return lf_no_memory(ctx);
        }
        data->units = grown;
        while (data->unit_count < data->outputs.count) {
            data->units[data->unit_count++] = NULL;
        }
    }
    free(data->units[output]);
    data->units[output] = copy;
    return LF_OK;
}

lf_status lf_data_set_headings(lf_context *ctx, lf_data *data, const char *const heading[LF_HEADING_COUNT])
{
    for (int i = 0; i < LF_HEADING_COUNT; i++) {
        char *copy = heading[i] ? lf_copy_string(heading[i]) : NULL;
        if (heading[i] && !copy) {
            return lf_no_memory(ctx);
        }
        free(data->headings[i]);
        data->headings[i] = copy;
    }
    return LF_OK;
}

lf_status lf_data_copy_labels(lf_context *ctx, const lf_data *from, lf_data *to)
{
    lf_axis *axes = lf_axes_copy(from->axes, from->input_dim);
    if (!axes) {
        return lf_no_memory(ctx);
    }
    lf_axes_free(to->axes, to->input_dim);
    to->axes = axes;
    lf_status status = lf_data_set_headings(ctx, to, (const char *const *)from->headings);
    for (int d = 0; d < from->unit_count && !status; d++) {
        status = from->units[d] ? lf_data_set_output_unit(ctx, to, d, from->units[d]) : LF_OK;
    }
    return status;
}

lf_status lf_data_set_split(lf_context *ctx, lf_data *data, size_t row, const char *split)
{
    lf_split which;
    if (row >= data->n) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no row %zu: the table has %zu", row, data->n);
    }
    if (!lf_split_find(split, &which)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "unknown split '%s'; it can be train or test", split);
    }
    data->split[row] = (unsigned char)which;
    return LF_OK;
}

lf_status lf_data_set_width(lf_context *ctx, lf_data *data, size_t row, double width)
{
    if (row >= data->n) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "there is no row %zu: the table has %zu", row, data->n);
    }
    if (!(width >= 0 && isfinite(width)) || (width > 0 && data->input_dim > 1)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "row %zu: the width %g must be a finite number >= 0, in a table with one input", row + 1, width);
    }
    if (!data->width && width > 0) {
        data->width = lf_doubles(data->capacity, 1);
        if (!data->width) {
            return lf_no_memory(ctx);
        }
    }
    if (data->width) {
        data->width[row] = width;
    }
    return LF_OK;
}

lf_status lf_data_label(lf_context *ctx, lf_data *data, const lf_model *model)
{
    if (model->input_dim != data->input_dim) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "the table has %d inputs, the model has %d", data->input_dim,
                       model->input_dim);
    }
    for (int k = 0; k < data->input_dim; k++) {
        lf_axis_clear(&data->axes[k]);
        if (!lf_axis_copy(lf_model_axis(model, k), &data->axes[k])) {
            return lf_no_memory(ctx);
        }
    }
    lf_status status = LF_OK;
    for (int d = 0; d < data->outputs.count && !status; d++) {
        int output = lf_model_find_output(model, data->outputs.name[d]);
        status = output >= 0 ? lf_data_set_output_unit(ctx, data, d, model->outputs[output].unit) : LF_OK;
    }
    return status;
}
