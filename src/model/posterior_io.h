/* Reading and writing the fields of a stored posterior: numbers as JSON numbers, arrays as base64. Messages name the
 * field. */
#ifndef LF_MODEL_POSTERIOR_IO_H
#define LF_MODEL_POSTERIOR_IO_H

#include <jansson.h>

#include "latentforce.h"

/* Writers; they return 0 when there is no memory. */
int lf_put_array(json_t *object, const char *key, size_t n, const double *values);
int lf_put_number(json_t *object, const char *key, double value);
/* The lower triangle of L (n, n), column-major, packed. */
int lf_put_triangle(json_t *object, const char *key, size_t n, const double *L);

/* Readers. Values must be finite. A model file is not trusted: a size that it states is checked against the length of the
 * texts that it holds (lf_check_array) before memory of that size is allocated. */
lf_status lf_get_array(lf_context *ctx, const json_t *object, const char *key, size_t n, double *values);
lf_status lf_get_number(lf_context *ctx, const json_t *object, const char *key, double low, double high, double *value);
/* A whole number. */
lf_status lf_get_count(lf_context *ctx, const json_t *object, const char *key, size_t low, size_t high, size_t *count);
/* Whether the text is as long as that of n numbers, or of the triangle of an (n, n) matrix. */
lf_status lf_check_array(lf_context *ctx, const json_t *object, const char *key, size_t n);
lf_status lf_check_triangle(lf_context *ctx, const json_t *object, const char *key, size_t n);
/* A Cholesky factor L (n, n): its diagonal must be positive. Only the lower triangle is written. */
lf_status lf_get_triangle(lf_context *ctx, const json_t *object, const char *key, size_t n, double *L);
/* A list of `count` objects (SIZE_MAX: of any number), borrowed. */
lf_status lf_get_list(lf_context *ctx, const json_t *object, const char *key, size_t count, json_t **list);
/* lf_fail with LF_ERROR_MODEL for the field `key`; `what` is a predicate such as "is out of range". */
lf_status lf_get_fail(lf_context *ctx, const char *key, const char *what);

#endif
