/* The table behind lf_data: one array per column, whose capacity grows by half. */
#include "data/data.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/text.h"
#include "model/model.h"

lf_status lf_data_create(lf_context *ctx, size_t inputs, lf_data **data)
{
    *data = NULL;
    if (inputs < 1 || inputs > INT_MAX) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, inputs ? "data cannot have %zu inputs" : "data need at least one input",
                       inputs);
    }
    *data = calloc(1, sizeof **data);
    lf_axis *axes = calloc(inputs, sizeof *axes);
    if (!*data || !axes) {
        free(*data);
        free(axes);
        *data = NULL;
        return lf_no_memory(ctx);
    }
    (*data)->input_dim = (int)inputs;
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

/* Averages are over a time, the only input. */
static lf_status check_width(lf_context *ctx, const lf_data *data, size_t row, double width)
{
    return width >= 0 && isfinite(width) && (width == 0 || data->input_dim == 1)
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "row %zu: the width %g must be a finite number >= 0, in a table with one input", row + 1,
                         width);
}

lf_status lf_data_set_width(lf_context *ctx, lf_data *data, size_t row, double width)
{
    lf_status status = check_width(ctx, data, row, width);
    if (!status && !data->width && width > 0) {
        data->width = lf_doubles(data->capacity, 1);
        status = data->width ? LF_OK : lf_no_memory(ctx);
    }
    if (!status && data->width) {
        data->width[row] = width;
    }
    return status;
}

lf_status lf_data_append(lf_context *ctx, lf_data *data, const lf_observation *row)
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
    data->split[i] = split;
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

/* The row as it is given, without its names. */
static lf_status check_row(lf_context *ctx, const lf_data *data, const lf_row *given)
{
    lf_split split;
    size_t number = data->n + 1;
    for (int k = 0; k < data->input_dim; k++) {
        if (!given->x || !isfinite(given->x[k])) {
            return lf_fail(ctx, LF_ERROR_DATA, "row %zu: x%d is not a finite number: %g", number, k + 1,
                           given->x ? given->x[k] : (double)NAN);
        }
    }
    if (isinf(given->y)) {
        return lf_fail(ctx, LF_ERROR_DATA, "row %zu: y is not a finite number: %g", number, given->y);
    }
    if (!isfinite(given->sd) || given->sd < 0) {
        return lf_fail(ctx, LF_ERROR_DATA, "row %zu: sd must be a finite number >= 0, found %g", number, given->sd);
    }
    if (!lf_split_find(given->split, &split)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "row %zu: unknown split '%s'; it can be train or test", number,
                       given->split);
    }
    if (!given->output && !isnan(given->y)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "row %zu: a row with a y must name its output", number);
    }
    if (data->n > 0) {
        const char *mixed = isnan(given->y) != isnan(data->y[0])                     ? "have a y"
                            : (given->output == NULL) != (data->output[0] < 0)       ? "name an output"
                            : (given->replicate == NULL) != (data->replicate[0] < 0) ? "name a replicate"
                                                                                     : NULL;
        if (mixed) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "row %zu: either every row must %s or none", number, mixed);
        }
    }
    return check_width(ctx, data, data->n, given->width);
}

lf_status lf_data_add(lf_context *ctx, lf_data *data, const lf_row *row)
{
    if (!data) {
        return lf_missing(ctx, "table");
    }
    lf_row given;
    if (!row) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "no row is given");
    }
    lf_status status = lf_take_options(ctx, "lf_row", row, sizeof given, &given);
    LF_TRY(status, check_row(ctx, data, &given));
    lf_observation added = {.output = -1,
                            .replicate = -1,
                            .x = given.x,
                            .y = given.y,
                            .sd = given.sd,
                            .split = given.split,
                            .width = given.width};
    if (!status && given.output) {
        status = add_name(ctx, &data->outputs, data->n + 1, "output", given.output, &added.output);
    }
    if (!status && given.replicate) {
        status = add_name(ctx, &data->replicates, data->n + 1, "replicate", given.replicate, &added.replicate);
    }
    return status ? status : lf_data_append(ctx, data, &added);
}

lf_observation lf_data_row(const lf_data *data, size_t row)
{
    if (row >= data->n) {
        return (lf_observation){.output = -1, .replicate = -1, .y = (double)NAN};
    }
    return (lf_observation){.output = data->output[row],
                            .replicate = data->replicate[row],
                            .x = data->x + row * (size_t)data->input_dim,
                            .y = data->y[row],
                            .sd = data->sd[row],
                            .split = split_names[data->split[row]],
                            .width = data->width ? data->width[row] : 0};
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
    data->split[row] = which;
    return LF_OK;
}
