/* Converts grid specs to JSON for the model file, and back. */
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/context.h"
#include "features/grid_spec.h"
#include "model/posterior_io.h"

_Static_assert(sizeof(lf_frozen_grid) == 2 * sizeof(double), "frozen grids are stored as pairs of numbers");

json_t *lf_grid_spec_save(const lf_grid_spec *spec)
{
    json_t *record = json_object();
    int done = record && lf_put_number(record, "earliest", spec->earliest) &&
               lf_put_number(record, "latest", spec->latest) && lf_put_number(record, "tolerance", spec->tolerance) &&
               lf_put_number(record, "features", (double)spec->features) &&
               lf_put_number(record, "rule", (double)spec->rule) &&
               lf_put_number(record, "seed_high", (double)(spec->seed >> 32)) &&
               lf_put_number(record, "seed_low", (double)(spec->seed & UINT32_MAX)) &&
               lf_put_number(record, "grids", (double)spec->frozen_count) &&
               lf_put_array(record, "nodes", 2 * spec->frozen_count, (const double *)spec->frozen);
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

lf_status lf_grid_spec_load(lf_context *ctx, const json_t *object, lf_grid_spec *spec)
{
    double features = 0, rule = 0, high = 0, low = 0, grids = 0;
    *spec = (lf_grid_spec){.with_forces = 1};
    lf_status status = lf_get_number(ctx, object, "earliest", -HUGE_VAL, HUGE_VAL, &spec->earliest);
    status = status ? status : lf_get_number(ctx, object, "latest", spec->earliest, HUGE_VAL, &spec->latest);
    status = status ? status : lf_get_number(ctx, object, "tolerance", 0, 1, &spec->tolerance);
    status = status ? status : lf_get_number(ctx, object, "features", 0, 1e7, &features);
    status = status ? status : lf_get_number(ctx, object, "rule", LF_RULE_UNIFORM, LF_RULE_COUNT - 1, &rule);
    status = status ? status : lf_get_number(ctx, object, "seed_high", 0, UINT32_MAX, &high);
    status = status ? status : lf_get_number(ctx, object, "seed_low", 0, UINT32_MAX, &low);
    if (status) {
        return status;
    }
    spec->features = (size_t)features;
    spec->rule = (lf_rule)(int)rule;
    spec->seed = ((uint64_t)high << 32) | (uint64_t)low;
    status = lf_get_number(ctx, object, "grids", spec->rule == LF_RULE_UNIFORM, 1e5, &grids);
    if (status) {
        return status;
    }
    spec->frozen = calloc((size_t)grids + 1, sizeof *spec->frozen);
    if (!spec->frozen) {
        return lf_no_memory(ctx);
    }
    status = lf_get_array(ctx, object, "nodes", 2 * (size_t)grids, (double *)spec->frozen);
    for (size_t g = 0; !status && g < (size_t)grids; g++, spec->frozen_count++) {
        if (!(spec->frozen[g].count >= 1 && spec->frozen[g].count <= 1e7 && spec->frozen[g].step > 0)) {
            status = lf_get_fail(ctx, "nodes", "is out of range");
        }
    }
    if (status) {
        lf_grid_spec_clear(spec);
    }
    return status;
}
