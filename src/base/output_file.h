/* Files that appear whole or not at all. */
#ifndef LF_BASE_OUTPUT_FILE_H
#define LF_BASE_OUTPUT_FILE_H

#include <stdio.h>

#include "latentforce.h"

/* A file being written. Regular files are written beside their final name and renamed when committed; devices, pipes and
 * standard output are written directly. */
typedef struct lf_output_file {
    FILE *stream;    /* to write to */
    char *path;      /* final name; NULL: standard output */
    char *temporary; /* name written to; NULL: written directly */
} lf_output_file;

/* Opens a file to be written; path NULL or "-": standard output. */
lf_status lf_file_create(lf_context *ctx, const char *path, lf_output_file *file);
/* Flushes, checks every write, and puts the file in place; on any failure the target is left as it was. */
lf_status lf_file_commit(lf_context *ctx, lf_output_file *file);
/* Drops what was written. Safe after a commit. */
void lf_file_discard(lf_output_file *file);

#endif
