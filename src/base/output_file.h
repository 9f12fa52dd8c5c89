/* Atomic output files: the target is replaced only after everything has been written. */
#ifndef LF_BASE_OUTPUT_FILE_H
#define LF_BASE_OUTPUT_FILE_H

#include <stdio.h>

#include "latentforce.h"

/* A file being written. Regular files are written under a temporary name in the same folder and renamed by the commit;
 * devices, pipes and standard output are written directly. Temporary files left by killed processes are removed by the next file that
 * is written in their folder. */
typedef struct lf_output_file {
    FILE *stream;    /* write to this */
    char *path;      /* of the target; NULL: standard output */
    char *temporary; /* temporary name; NULL: written directly */
    int held; /* with a temporary name: a descriptor that keeps the lock on the file until it has its name or is gone */
} lf_output_file;

/* Opens a file for writing; path NULL or "-": standard output. Of several processes the first writes it, and all have the status of that: all
 * create and commit the file; one that fails in between discards it and ends with lf_agree. */
lf_status lf_file_create(lf_context *ctx, const char *path, lf_output_file *file);
/* Flushes, checks that no write failed, and puts the file in place. After a failure the target is unchanged. */
lf_status lf_file_commit(lf_context *ctx, lf_output_file *file);
/* Closes and removes the temporary file; the target is unchanged. Does nothing after a commit. */
void lf_file_discard(lf_output_file *file);

/* A text as a field of CSV (RFC 4180): in quotes where that requires them, and where a reader would take it for a comment or another separator, or
 * drop blanks. */
void lf_csv_text(FILE *stream, const char *text);

/* strerror, with the words of the library where there is no memory. */
const char *lf_error_text(int error);

/* Flushes the stream. 0, or the error number of this or of an earlier write that failed. */
int lf_flush(FILE *stream);

#endif
