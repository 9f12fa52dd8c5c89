/* The points of a caller. The code of a target is its kind, and its index within the kind. */
#include "points/asked_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "model/model.h"

enum { INDEX_BITS = 24 };

static const struct {
    lf_kind kind;
    const char *plural;
} kinds[] = {
    {LF_KIND_OUTPUT, "outputs"}, {LF_KIND_FORCE, "forces"}, {LF_KIND_RATE, "outputs"}, {LF_KIND_STATE, "states"}};
enum { KINDS = sizeof kinds / sizeof *kinds }; /* in the order of the targets in model.h */

/* How many targets of the kind a model of this shape has. */
static size_t count_of(const lf_points *shape, int kind)
{
    const int counts[KINDS] = {shape->outputs, shape->forces, shape->outputs, shape->states};
    return (size_t)counts[kind];
}

static lf_points shape_of(const lf_model *model)
{
    return (lf_points){.outputs = model->output_count,
                       .forces = model->force_count,
                       .states = lf_model_state_count(model),
                       .input_dim = model->input_dim};
}

lf_status lf_model_target(lf_context *ctx, const lf_model *model, lf_kind kind, size_t index, uint32_t *target)
{
    lf_points shape = shape_of(model);
    int k = 0;
    *target = UINT32_MAX;
    while (k < KINDS && kinds[k].kind != kind) {
        k++;
    }
    if (k == KINDS) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "kind %d is none of targets: outputs, rates, forces and states are",
                       (int)kind);
    }
    if (index >= count_of(&shape, k)) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "%zu: the model has %zu %s", index, count_of(&shape, k),
                       kinds[k].plural);
    }
    *target = (uint32_t)k << INDEX_BITS | (uint32_t)index;
    return LF_OK;
}

/* The number of a target in model.h; -1: the model has none of this code. */
static int number_of(const lf_points *points, uint32_t target)
{
    uint32_t k = target >> INDEX_BITS, index = target & ((1u << INDEX_BITS) - 1);
    size_t first = 0;
    for (uint32_t i = 0; i < k && i < KINDS; i++) {
        first += count_of(points, (int)i);
    }
    return k < KINDS && index < count_of(points, (int)k) ? (int)(first + index) : -1;
}

lf_status lf_points_create(lf_context *ctx, const lf_model *model, lf_points **points)
{
    *points = NULL;
    if (!model) {
        return lf_missing(ctx, "model");
    }
    *points = calloc(1, sizeof **points);
    if (!*points) {
        return lf_no_memory(ctx);
    }
    **points = shape_of(model);
    return LF_OK;
}

void lf_points_free(lf_points *points)
{
    if (points) {
        free(points->target);
        free(points->replicate);
        free(points->x);
        free(points->width);
        free(points->row);
        lf_names_clear(&points->labels);
        free(points);
    }
}

/* An array with room for `count` entries of `each` bytes; 0 when there is no memory. */
static int grow(void *place, size_t count, size_t each)
{
    void *old, *grown;
    memcpy(&old, place, sizeof old);
    grown = count > SIZE_MAX / each ? NULL : realloc(old, count * each);
    if (grown) {
        memcpy(place, &grown, sizeof grown);
    }
    return grown != NULL;
}

lf_status lf_points_reserve(lf_context *ctx, lf_points *points, size_t n)
{
    size_t room = points->n + n > 2 * points->room ? points->n + n : 2 * points->room;
    if (points->n + n <= points->room) {
        return LF_OK;
    }
    int done = n <= SIZE_MAX - points->n && grow(&points->target, room, sizeof *points->target) &&
               grow(&points->replicate, room, sizeof *points->replicate) &&
               grow(&points->x, room, sizeof *points->x * (size_t)points->input_dim) &&
               grow(&points->width, room, sizeof *points->width) && grow(&points->row, room, sizeof *points->row);
    points->room = done ? room : points->room;
    return done ? LF_OK : lf_no_memory(ctx);
}

void lf_points_append(lf_points *points, int target, int replicate, const double *x, double width, size_t row)
{
    size_t i = points->n++, p = (size_t)points->input_dim;
    points->target[i] = target;
    points->replicate[i] = replicate;
    points->width[i] = isnan(width) ? 0 : width;
    points->row[i] = row;
    points->shorten |= isnan(width);
    memcpy(points->x + i * p, x, p * sizeof *x);
}

lf_status lf_points_add(lf_context *ctx, lf_points *points, size_t n, const uint32_t *target, const size_t *replicate,
                        const double *x, const double *width)
{
    for (size_t i = 0; i < n; i++) {
        if (number_of(points, target[i]) < 0) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT,
                           "point %zu: its target is not one of the model's %d outputs, %d forces and %d states", i,
                           points->outputs, points->forces, points->states);
        }
        if (replicate && replicate[i] > INT32_MAX) {
            return lf_fail(ctx, LF_ERROR_ARGUMENT, "point %zu: there is no replicate %zu", i, replicate[i]);
        }
    }
    lf_status status = lf_points_reserve(ctx, points, n);
    for (size_t i = 0; !status && i < n; i++) {
        lf_points_append(points, number_of(points, target[i]), replicate ? (int)replicate[i] : 0,
                         x + i * (size_t)points->input_dim, width ? width[i] : 0, points->n);
    }
    if (!status && n) {
        points->inputs = points->targets = points->replicates = 0;
    }
    return status;
}

size_t lf_points_count(const lf_points *points, lf_kind kind)
{
    return !points                     ? 0
           : kind == LF_KIND_ROW       ? points->n
           : kind == LF_KIND_INPUT     ? points->inputs
           : kind == LF_KIND_TARGET    ? points->targets
           : kind == LF_KIND_REPLICATE ? points->replicates
                                       : 0;
}

lf_status lf_points_list(lf_context *ctx, const lf_points *points, const lf_model *model, lf_point_list *list)
{
    lf_points shape = shape_of(model);
    *list = (lf_point_list){.n = points->n,
                            .target = points->target,
                            .replicate = points->replicate,
                            .x = points->x,
                            .width = points->width,
                            .shorten = points->shorten};
    return shape.outputs == points->outputs && shape.forces == points->forces && shape.states == points->states &&
                   shape.input_dim == points->input_dim
               ? LF_OK
               : lf_fail(ctx, LF_ERROR_ARGUMENT,
                         "the points were made for a model of %d outputs, %d forces and %d inputs, and this one has "
                         "%d, %d and %d",
                         points->outputs, points->forces, points->input_dim, shape.outputs, shape.forces,
                         shape.input_dim);
}
