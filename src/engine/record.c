/* Pieces of a stored posterior. */
#include "engine/record.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/context.h"
#include "base/memory.h"

_Static_assert(sizeof(lf_pin) == 2 * sizeof(double), "pins are stored as pairs of numbers");

int lf_record_put(json_t *object, const char *key, size_t n, const double *values)
{
    char *text = lf_base64_encode(n, values);
    int done = text && json_object_set_new(object, key, json_string(text)) == 0;
    free(text);
    return done;
}

int lf_record_put_number(json_t *object, const char *key, double value)
{
    return json_object_set_new(object, key, json_real(value)) == 0;
}

static lf_status wrong(lf_context *ctx, const char *key, const char *what)
{
    return lf_fail(ctx, LF_ERROR_MODEL, "posterior: %s %s; store it anew with 'latentforce condition'", key, what);
}

lf_status lf_record_get(lf_context *ctx, const json_t *object, const char *key, size_t n, double *values)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text) {
        return wrong(ctx, key, "is missing or not a text");
    }
    if (!lf_base64_decode(text, n, values)) {
        return wrong(ctx, key, "is damaged or belongs to another model");
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return wrong(ctx, key, "holds a number that is not finite");
        }
    }
    return LF_OK;
}

lf_status lf_record_get_number(lf_context *ctx, const json_t *object, const char *key, double low, double high,
                               double *value)
{
    const json_t *number = json_object_get(object, key);
    if (!json_is_number(number)) {
        return wrong(ctx, key, "is missing or not a number");
    }
    *value = json_number_value(number);
    return *value >= low && *value <= high ? LF_OK : wrong(ctx, key, "is out of range");
}

/* The lower triangle of L (n, n), column by column. */
static double *packed(size_t n, const double *L)
{
    double *values = lf_doubles(n * (n + 1) / 2, 1), *out = values;
    for (size_t j = 0; values && j < n; j++) {
        memcpy(out, L + j * n + j, (n - j) * sizeof *out);
        out += n - j;
    }
    return values;
}

int lf_record_put_triangle(json_t *object, const char *key, size_t n, const double *L)
{
    double *values = packed(n, L);
    int done = values && lf_record_put(object, key, n * (n + 1) / 2, values);
    free(values);
    return done;
}

lf_status lf_record_get_triangle(lf_context *ctx, const json_t *object, const char *key, size_t n, double *L)
{
    double *values = lf_doubles(n * (n + 1) / 2, 1), *in = values;
    lf_status status = values ? lf_record_get(ctx, object, key, n * (n + 1) / 2, values) : lf_no_memory(ctx);
    for (size_t j = 0; !status && j < n; j++) {
        memcpy(L + j * n + j, in, (n - j) * sizeof *in);
        in += n - j;
        if (!(L[j * n + j] > 0)) {
            status = lf_fail(ctx, LF_ERROR_MODEL, "posterior: %s is damaged or belongs to another model", key);
        }
    }
    free(values);
    return status;
}

lf_status lf_record_get_list(lf_context *ctx, const json_t *object, const char *key, size_t count, json_t **list)
{
    *list = json_object_get(object, key);
    if (!json_is_array(*list) || (count != SIZE_MAX && json_array_size(*list) != count)) {
        return wrong(ctx, key, "is missing or has the wrong length");
    }
    for (size_t i = 0; i < json_array_size(*list); i++) {
        if (!json_is_object(json_array_get(*list, i))) {
            return wrong(ctx, key, "must be a list of objects");
        }
    }
    return LF_OK;
}

json_t *lf_record_demand(const lf_demand *demand)
{
    json_t *record = json_object();
    int done = record && lf_record_put_number(record, "earliest", demand->earliest) &&
               lf_record_put_number(record, "latest", demand->latest) &&
               lf_record_put_number(record, "tolerance", demand->tolerance) &&
               lf_record_put_number(record, "features", (double)demand->features) &&
               lf_record_put_number(record, "rule", (double)demand->rule) &&
               lf_record_put_number(record, "seed_high", (double)(demand->seed >> 32)) &&
               lf_record_put_number(record, "seed_low", (double)(demand->seed & UINT32_MAX)) &&
               lf_record_put_number(record, "grids", (double)demand->pin_count) &&
               lf_record_put(record, "nodes", 2 * demand->pin_count, (const double *)demand->pins);
    if (!done) {
        json_decref(record);
        return NULL;
    }
    return record;
}

lf_status lf_record_get_demand(lf_context *ctx, const json_t *object, lf_demand *demand)
{
    double features = 0, rule = 0, high = 0, low = 0, grids = 0;
    *demand = (lf_demand){.with_forces = 1};
    lf_status status = lf_record_get_number(ctx, object, "earliest", -HUGE_VAL, HUGE_VAL, &demand->earliest);
    status = status ? status : lf_record_get_number(ctx, object, "latest", demand->earliest, HUGE_VAL, &demand->latest);
    status = status ? status : lf_record_get_number(ctx, object, "tolerance", 0, 1, &demand->tolerance);
    status = status ? status : lf_record_get_number(ctx, object, "features", 0, 1e7, &features);
    status = status ? status : lf_record_get_number(ctx, object, "rule", LF_RULE_UNIFORM, LF_RULE_COUNT - 1, &rule);
    status = status ? status : lf_record_get_number(ctx, object, "seed_high", 0, UINT32_MAX, &high);
    status = status ? status : lf_record_get_number(ctx, object, "seed_low", 0, UINT32_MAX, &low);
    if (status) {
        return status;
    }
    demand->features = (size_t)features;
    demand->rule = (lf_rule)(int)rule;
    demand->seed = ((uint64_t)high << 32) | (uint64_t)low;
    status = lf_record_get_number(ctx, object, "grids", demand->rule == LF_RULE_UNIFORM, 1e5, &grids);
    if (status) {
        return status;
    }
    demand->pins = calloc((size_t)grids + 1, sizeof *demand->pins);
    if (!demand->pins) {
        return lf_no_memory(ctx);
    }
    status = lf_record_get(ctx, object, "nodes", 2 * (size_t)grids, (double *)demand->pins);
    for (size_t g = 0; !status && g < (size_t)grids; g++, demand->pin_count++) {
        if (!(demand->pins[g].count >= 1 && demand->pins[g].count <= 1e7 && demand->pins[g].step > 0)) {
            status = wrong(ctx, "nodes", "is out of range");
        }
    }
    if (status) {
        lf_demand_clear(demand);
    }
    return status;
}
