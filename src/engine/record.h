/* What a posterior leaves in the model file, piece by piece: numbers as JSON, arrays as base64. Every reader names the
 * field that is missing or wrong. */
#ifndef LF_ENGINE_RECORD_H
#define LF_ENGINE_RECORD_H

#include <jansson.h>

#include "columns/grids.h"

/* Writers: 0 when there is no memory. */
int lf_record_put(json_t *object, const char *key, size_t n, const double *values);
int lf_record_put_number(json_t *object, const char *key, double value);
/* The lower triangle of L (n, n), packed. */
int lf_record_put_triangle(json_t *object, const char *key, size_t n, const double *L);
json_t *lf_record_demand(const lf_demand *demand);

/* Readers. `values` (n), finite. */
lf_status lf_record_get(lf_context *ctx, const json_t *object, const char *key, size_t n, double *values);
lf_status lf_record_get_number(lf_context *ctx, const json_t *object, const char *key, double low, double high,
                               double *value);
lf_status lf_record_get_demand(lf_context *ctx, const json_t *object, lf_demand *demand);
/* Of a factor: its diagonal must be positive. */
lf_status lf_record_get_triangle(lf_context *ctx, const json_t *object, const char *key, size_t n, double *L);
/* The list under `key`, borrowed, with `count` objects (SIZE_MAX: any number). */
lf_status lf_record_get_list(lf_context *ctx, const json_t *object, const char *key, size_t count, json_t **list);

#endif
