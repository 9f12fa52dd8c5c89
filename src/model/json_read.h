/* Reads JSON, and tells when the parser ran out of memory. */
#ifndef LF_MODEL_JSON_READ_H
#define LF_MODEL_JSON_READ_H

#include <jansson.h>
#include <stdio.h>

/* The value in a stream or, if that is NULL, in a text, without duplicate keys; `flags` are added to those of jansson. NULL on failure,
 * with *error; *no_memory: there was no memory, and the result is NULL. */
json_t *lf_json_read(FILE *stream, const char *text, size_t flags, json_error_t *error, int *no_memory);

#endif
