/* Prints JSON with short lists and objects on one line, and numbers in the fewest digits that read back as the same
 * double. */
#ifndef LF_MODEL_JSON_PRINT_H
#define LF_MODEL_JSON_PRINT_H

#include <jansson.h>
#include <stdio.h>

/* Ends with a newline. Returns 0, or -1 when there is no memory or a write fails. */
int lf_json_print(FILE *stream, json_t *value);

#endif
