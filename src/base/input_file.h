/* Text files that are read whole: models and equations. */
#ifndef LF_BASE_INPUT_FILE_H
#define LF_BASE_INPUT_FILE_H

#include <stdio.h>

#include "latentforce.h"

typedef struct lf_input_file {
    FILE *stream;
    const char *name; /* for messages */
    char *copy;       /* of standard input, for all processes; NULL: none */
} lf_input_file;

/* Opens a file; "-": standard input. Of several processes the first has a standard input, and the others get a copy. */
lf_status lf_input_open(lf_context *ctx, const char *path, lf_input_file *file);
void lf_input_close(lf_input_file *file);

#endif
