/* Reading JSON so that every complaint says where: a value together with its path, "outputs[1].operator.damper". */
#ifndef LF_MODEL_JSON_FIELD_H
#define LF_MODEL_JSON_FIELD_H

#include <jansson.h>

#include "latentforce.h"

typedef struct lf_field {
    lf_context *ctx;
    const char *file;
    char path[256]; /* "" for the whole file */
    json_t *value;  /* borrowed; NULL: absent */
} lf_field;

lf_field lf_field_member(const lf_field *object, const char *key);
lf_field lf_field_element(const lf_field *list, size_t index);

/* "FILE: PATH: …" */
lf_status lf_field_fail(const lf_field *field, const char *format, ...) LF_PRINTF(2, 3);
/* Puts "FILE: PATH: " before the message that the context holds. */
lf_status lf_field_blame(const lf_field *field);

/* The field must be there and be an object whose keys are all in `known` (ends with NULL) or free for notes:
 * "comment" and anything that starts with "_". known NULL: any keys. */
lf_status lf_field_object(const lf_field *field, const char *const *known);
lf_status lf_field_list(const lf_field *field, size_t *count);
lf_status lf_field_string(const lf_field *field, const char **text);
lf_status lf_field_number(const lf_field *field, double *number);
/* As lf_field_number; an absent field leaves *number as it is. */
lf_status lf_field_optional(const lf_field *field, double *number);
/* A list of numbers; the caller frees it. */
lf_status lf_field_numbers(const lf_field *field, int *count, double **numbers);

#endif
