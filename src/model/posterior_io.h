/* What a posterior leaves in the model file, piece by piece: numbers as JSON, arrays as base64. Every reader names the
 * field that is missing or wrong. */
#ifndef LF_MODEL_POSTERIOR_IO_H
#define LF_MODEL_POSTERIOR_IO_H

#include <jansson.h>

#include "latentforce.h"

/* Writers: 0 when there is no memory. */
int lf_put_array(json_t *object, const char *key, size_t n, const double *values);
int lf_put_number(json_t *object, const char *key, double value);
/* The lower triangle of L (n, n), packed. */
int lf_put_triangle(json_t *object, const char *key, size_t n, const double *L);

/* Readers. `values` (n), finite. */
lf_status lf_get_array(lf_context *ctx, const json_t *object, const char *key, size_t n, double *values);
lf_status lf_get_number(lf_context *ctx, const json_t *object, const char *key, double low, double high, double *value);
/* Of a factor: its diagonal must be positive. */
lf_status lf_get_triangle(lf_context *ctx, const json_t *object, const char *key, size_t n, double *L);
/* The list under `key`, borrowed, with `count` objects (SIZE_MAX: any number). */
lf_status lf_get_list(lf_context *ctx, const json_t *object, const char *key, size_t count, json_t **list);
/* LF_ERROR_MODEL: the field `key` is wrong, in words that follow its name. */
lf_status lf_get_fail(lf_context *ctx, const char *key, const char *what);

#endif
