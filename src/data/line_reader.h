/* The lines of a text file, plain or gzip, or of standard input. */
#ifndef LF_DATA_LINE_READER_H
#define LF_DATA_LINE_READER_H

#include <stddef.h>
#include <zlib.h>

#include "latentforce.h"

typedef struct lf_line_reader {
    const char *name; /* for messages */
    gzFile file;
    char *buffer; /* (capacity + 1) unread bytes are [begin, end) */
    size_t capacity, begin, end;
    int at_end;  /* the file has no more bytes than the buffer holds */
    size_t line; /* number of the line last given, from 1 */
} lf_line_reader;

/* path must outlive the reader; "-" is standard input. */
lf_status lf_lines_open(lf_context *ctx, const char *path, lf_line_reader *reader);
/* The next line that is not blank, ending in NUL, without its line end and a byte order mark at the start of the file;
 * NULL at the end. The text may be changed and is valid until the next call. */
lf_status lf_lines_next(lf_context *ctx, lf_line_reader *reader, char **line, size_t *length);
void lf_lines_close(lf_line_reader *reader);

/* lf_fail with LF_ERROR_DATA and "FILE:LINE: " before the sentence. */
lf_status lf_line_fail(lf_context *ctx, const lf_line_reader *reader, const char *format, ...) LF_PRINTF(3, 4);

#endif
