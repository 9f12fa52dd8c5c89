/* Reading JSON with messages that locate the error: a value together with its path, "outputs[1].operator.damper". */
#ifndef LF_MODEL_JSON_FIELD_H
#define LF_MODEL_JSON_FIELD_H

#include <jansson.h>

#include "latentforce.h"

typedef struct lf_field {
    lf_context *ctx;
    const char *file;
    char path[256]; /* "" for the root */
    json_t *value;  /* borrowed; NULL: the field is absent */
} lf_field;

lf_field lf_field_member(const lf_field *object, const char *key);
lf_field lf_field_element(const lf_field *list, size_t index);

/* lf_fail with LF_ERROR_MODEL and "FILE: PATH: " before the message. */
lf_status lf_field_fail(const lf_field *field, const char *format, ...) LF_PRINTF(2, 3);
/* The same for the message that is in the context. */
lf_status lf_field_add_path(const lf_field *field);

/* The readers below fail when the field is absent or has another type. An object may have the keys in `known` (ends
 * with NULL; NULL: any keys), "comment", and keys that start with "_". */
lf_status lf_field_object(const lf_field *field, const char *const *known);
lf_status lf_field_list(const lf_field *field, size_t *count);
lf_status lf_field_string(const lf_field *field, const char **text);
lf_status lf_field_number(const lf_field *field, double *number);
/* As lf_field_number, but an absent field leaves *number unchanged. */
lf_status lf_field_optional(const lf_field *field, double *number);
/* A list of numbers; the caller frees it. */
lf_status lf_field_numbers(const lf_field *field, int *count, double **numbers);

#endif
