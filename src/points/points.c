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
    int output = lf_target_output(model, target), state = lf_target_state(model, target);
    return state >= 0 ? model->initial != LF_INITIAL_STATIONARY : output >= 0 && lf_starts_at_origin(model, output);
}

/* The time over which a row of the points averages: its own or, for 0, that of the output; 0: none. */
static double width_of(const lf_model *model, const lf_point_list *points, size_t row)
{
    int target = points->target[row];
    double own = points->width ? points->width[row] : 0;
    return own != 0 || target >= model->output_count || !model->system
               ? own
               : model->system->equations->outputs[target].width;
}

static lf_status check_width(lf_context *ctx, const lf_model *model, int target, size_t row, double width)
{
    int d = lf_target_output(model, target);
    if (d >= 0 && target != d && model->system && model->system->equations->outputs[d].width > 0) {
        return lf_fail(
            ctx, LF_ERROR_UNSUPPORTED,
            "output '%s' is an average: its rate of change is not computed; ask for a state, or add an output "
            "without average()",
            model->outputs[d].name);
    }
    if (width == 0) {
        return LF_OK;
    }
    if (!(width > 0 && isfinite(width))) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "point %zu: its width %g must be a number >= 0", row, width);
    }
    return d == target && model->input_dim == 1
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                         "point %zu has a width: averages are of outputs, in models with one input", row);
}

static lf_status refuse_white(lf_context *ctx, const lf_model *model, int target)
{
    char name[256];
    int q = lf_target_force(model, target);
    if (q < 0) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "output '%s' has no rate of change: a white force drives it, and its equation is of first order",
                       model->outputs[lf_target_output(model, target)].name);
    }
    lf_model_force_name(model, q, sizeof name, name);
    return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                   "%s is white: it has no value at an instant; predict the outputs that it drives", name);
}

static lf_status check_origin(lf_context *ctx, const lf_model *model, int target, double x)
{
    if (!starts_at_origin(model, target) || !(x < model->origin)) {
        return LF_OK;
    }
    char at[LF_TIMESTAMP_SIZE], origin[LF_TIMESTAMP_SIZE], variable[64];
    int state = lf_target_state(model, target);
    if (state >= 0) {
        lf_model_state_name(model, state, sizeof variable, variable);
    }
    lf_model_format_input(model, 0, x, sizeof at, at);
    lf_model_format_input(model, 0, model->origin, sizeof origin, origin);
    return lf_fail(ctx, LF_ERROR_DATA, "%s '%s': %s%s lies before the origin %s at which it starts; %s",
                   state >= 0 ? "variable" : "output",
                   state >= 0 ? variable : model->outputs[lf_target_output(model, target)].name,
                   lf_model_axis(model, 0)->dated ? "" : "x = ", at, origin,
                   model->system ? "leave it out, or fit with --origin at the earliest time"
                                 : "fit with --initial stationary, or with --origin at the earliest input");
}

static lf_status check_point(lf_context *ctx, const lf_model *model, const lf_point_list *points, size_t row)
{
    int target = points->target[row];
    if (target < 0 || target >= lf_target_count(model)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT,
                       "point %zu: target %d is not one of the model's %d outputs and %d forces", row, target,
                       model->output_count, model->force_count);
    }
    if (!lf_target_has_value(model, target)) {
        return refuse_white(ctx, model, target);
    }
    if (lf_target_is_rate(model, target) && model->input_dim > 1) {
        return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                       "output '%s': rates of change need a model with one input, this model has %d",
                       model->outputs[lf_target_output(model, target)].name, model->input_dim);
    }
    lf_status status = check_width(ctx, model, target, row, width_of(model, points, row));
    const double *x = points->x + row * (size_t)model->input_dim;
    for (int k = 0; !status && k < model->input_dim; k++) {
        if (!isfinite(x[k])) {
            status = lf_fail(ctx, LF_ERROR_ARGUMENT, "point %zu: its input is not a finite number", row);
        }
    }
    return status ? status : check_origin(ctx, model, target, *x);
}

/* The groups, from the number of points of each target; counts become the positions of their first points. */
static void start_groups(int targets, size_t *counts, lf_point_set *set)
{
    size_t position = 0;
    for (int target = 0; target < targets; target++) {
        size_t size = counts[target];
        if (size) {
            set->target[set->group_count] = target;
            set->start[set->group_count++] = position;
        }
        counts[target] = position;
        position += size;
    }
    set->start[set->group_count] = position;
}

lf_status lf_point_set_sort(lf_context *ctx, const lf_model *model, const lf_point_list *points, size_t count,
                            const size_t *rows, lf_point_set *set)
{
    int targets = lf_target_count(model);
    size_t p = (size_t)model->input_dim, averages = 0;
    *set = (lf_point_set){.n = count, .input_dim = model->input_dim};
    set->x = lf_doubles(count, p);
    set->order = calloc(count + 1, sizeof *set->order);
    set->target = calloc((size_t)targets + 1, sizeof *set->target);
    set->start = calloc((size_t)targets + 2, sizeof *set->start);
    size_t *next =
        calloc((size_t)targets + 1, sizeof *next); /* the number of points of a target, then its next place */
    lf_status status = set->x && set->order && set->target && set->start && next ? LF_OK : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < count; i++) {
        size_t row = rows ? rows[i] : i;
        status = check_point(ctx, model, points, row);
        if (!status) {
            next[points->target[row]]++;
            averages += width_of(model, points, row) != 0;
        }
    }
    if (!status && averages) {
        set->width = lf_doubles(count, 1);
        status = set->width ? LF_OK : lf_no_memory(ctx);
    }
    if (status) {
        free(next);
        lf_point_set_clear(set);
        return status;
    }
    start_groups(targets, next, set);
    for (size_t i = 0; i < count; i++) {
        size_t row = rows ? rows[i] : i, place = next[points->target[row]]++;
        set->order[place] = row;
        if (set->width) {
            set->width[place] = width_of(model, points, row);
        }
        memcpy(set->x + place * p, points->x + row * p, p * sizeof(double));
    }
    free(next);
    return LF_OK;
}

void lf_point_set_range(const lf_point_set *set, double *earliest, double *latest)
{
    *earliest = *latest = set->n ? set->x[0] : 0;
    for (size_t i = 1; i < set->n; i++) {
        *earliest = fmin(*earliest, set->x[i * (size_t)set->input_dim]);
        *latest = fmax(*latest, set->x[i * (size_t)set->input_dim]);
    }
}

lf_point_group lf_point_set_group(const lf_point_set *set, int g)
{
    return (lf_point_group){.target = set->target[g],
                            .n = set->start[g + 1] - set->start[g],
                            .x = set->x + set->start[g] * (size_t)set->input_dim};
}

lf_status lf_point_set_create(lf_context *ctx, const lf_model *model, const lf_point_list *points, size_t count,
                              const size_t *rows, lf_point_set *set)
{
    lf_status status = lf_point_set_sort(ctx, model, points, count, rows, set);
    size_t p = (size_t)model->input_dim;
    for (size_t i = 0; !status && model->inputs && i < count * p; i++) {
        set->x[i] = lf_input_seen(model, (int)(i % p), set->x[i]);
    }
    return status;
}

void lf_point_set_shorten(const lf_model *model, const lf_point_list *points, double from, lf_point_set *set)
{
    double start = model->initial == LF_INITIAL_STATIONARY ? from : fmax(from, model->origin);
    for (size_t i = 0; points->shorten && set->width && i < set->n; i++) {
        if (!(points->width && points->width[set->order[i]] != 0) && set->x[i] >= start) {
            set->width[i] = fmin(set->width[i], set->x[i] - start);
        }
    }
}

lf_status lf_point_set_part(lf_context *ctx, const lf_point_set *set, size_t count, const size_t *which,
                            lf_point_set *part)
{
    size_t p = (size_t)set->input_dim, groups = (size_t)set->group_count;
    *part = (lf_point_set){.n = count,
                           .input_dim = set->input_dim,
                           .x = lf_doubles(count, p),
                           .width = set->width ? lf_doubles(count, 1) : NULL,
                           .order = calloc(count + 1, sizeof *part->order),
                           .target = calloc(groups + 1, sizeof *part->target),
                           .start = calloc(groups + 2, sizeof *part->start),
                           .whole = set};
    if (!part->x || (set->width && !part->width) || !part->order || !part->target || !part->start) {
        lf_point_set_clear(part);
        return lf_no_memory(ctx);
    }
    int group = -1; /* of the set */
    for (size_t i = 0; i < count; i++) {
        int before = group;
        while (group < 0 || which[i] >= set->start[group + 1]) {
            group++;
        }
        if (group > before) {
            part->target[part->group_count] = set->target[group];
            part->start[part->group_count++] = i;
        }
        part->order[i] = which[i];
        memcpy(part->x + i * p, set->x + which[i] * p, p * sizeof *part->x);
        if (part->width) {
            part->width[i] = set->width[which[i]];
        }
    }
    part->start[part->group_count] = count;
    return LF_OK;
}

void lf_point_set_clear(lf_point_set *set)
{
    free(set->x);
    free(set->width);
    free(set->order);
    free(set->target);
    free(set->start);
    *set = (lf_point_set){0};
}
