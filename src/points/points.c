/* Sorts points by target with a counting sort. */
#include "points/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/model.h"

static int starts_at_origin(const lf_model *model, int target)
{
    int output = lf_target_output(model, target);
    return output >= 0 && lf_starts_at_origin(model, output);
}

lf_status lf_point_set_sort(lf_context *ctx, const lf_model *model, const lf_points *points, size_t count,
                            const size_t *rows, lf_point_set *set)
{
    int targets = lf_target_count(model);
    size_t p = (size_t)model->input_dim;
    *set = (lf_point_set){.n = count, .input_dim = model->input_dim};
    set->x = lf_doubles(count, p);
    set->order = calloc(count + 1, sizeof *set->order);
    set->target = calloc((size_t)targets + 1, sizeof *set->target);
    set->start = calloc((size_t)targets + 2, sizeof *set->start);
    size_t *next = calloc((size_t)targets + 1, sizeof *next);
    lf_status status = LF_OK;
    if (!set->x || !set->order || !set->target || !set->start || !next) {
        status = lf_no_memory(ctx);
    }
    for (size_t i = 0; !status && i < count; i++) {
        size_t row = rows ? rows[i] : i;
        int target = points->target[row];
        if (target < 0 || target >= targets) {
            status = lf_fail(ctx, LF_ERROR_ARGUMENT,
                             "point %zu: target %d is not one of the model's %d outputs and %d forces", row, target,
                             model->output_count, model->force_count);
        } else if (lf_target_is_rate(model, target) && model->input_dim > 1) {
            status = lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                             "output '%s': rates of change need a model with one input, this model has %d",
                             model->outputs[lf_target_output(model, target)].name, model->input_dim);
        } else {
            next[target]++;
        }
        for (size_t k = 0; !status && k < p; k++) {
            if (!isfinite(points->x[row * p + k])) {
                status = lf_fail(ctx, LF_ERROR_ARGUMENT, "point %zu: its input is not a finite number", row);
            }
        }
        if (!status && starts_at_origin(model, target) && points->x[row] < model->origin) {
            char at[LF_TIMESTAMP_SIZE], origin[LF_TIMESTAMP_SIZE];
            lf_model_format_input(model, 0, points->x[row], sizeof at, at);
            lf_model_format_input(model, 0, model->origin, sizeof origin, origin);
            status = lf_fail(ctx, LF_ERROR_DATA,
                             "output '%s': %s%s lies before the origin %s at which it starts; set \"origin\" to the "
                             "earliest input or \"initial\" to \"stationary\"",
                             model->outputs[lf_target_output(model, target)].name,
                             lf_model_axis(model, 0)->dated ? "" : "x = ", at, origin);
        }
    }
    if (status) {
        free(next);
        lf_point_set_clear(set);
        return status;
    }
    size_t position = 0;
    for (int target = 0; target < targets; target++) {
        if (next[target]) {
            set->target[set->group_count] = target;
            set->start[set->group_count++] = position;
        }
        size_t size = next[target];
        next[target] = position;
        position += size;
    }
    set->start[set->group_count] = position;
    for (size_t i = 0; i < count; i++) {
        size_t row = rows ? rows[i] : i, place = next[points->target[row]]++;
        set->order[place] = row;
        memcpy(set->x + place * p, points->x + row * p, p * sizeof(double));
    }
    free(next);
    return LF_OK;
}

lf_status lf_point_set_create(lf_context *ctx, const lf_model *model, const lf_points *points, size_t count,
                              const size_t *rows, lf_point_set *set)
{
    lf_status status = lf_point_set_sort(ctx, model, points, count, rows, set);
    size_t p = (size_t)model->input_dim;
    for (size_t i = 0; !status && model->inputs && i < count * p; i++) {
        set->x[i] = lf_input_seen(model, (int)(i % p), set->x[i]);
    }
    return status;
}

void lf_point_set_clear(lf_point_set *set)
{
    free(set->x);
    free(set->order);
    free(set->target);
    free(set->start);
    *set = (lf_point_set){0};
}
