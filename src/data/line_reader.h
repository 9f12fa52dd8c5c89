/* Reads the lines of a text file, plain or gzip, or of standard input, or those of a part of a plain file. */
#ifndef LF_DATA_LINE_READER_H
#define LF_DATA_LINE_READER_H

#include <stddef.h>
#include <zlib.h>

#include "latentforce.h"

typedef struct lf_line_reader {
    const char *name; /* for messages */
    gzFile file;
    char *buffer; /* (capacity + 1); the unread bytes are [begin, end) */
    size_t capacity, begin, end;
    int at_end;  /* the rest of the file is in the buffer */
    size_t line; /* number of the last line returned, from 1 at byte `from` of the file */
    /* Offsets in the text of the file: of the first byte of the last line returned, behind the last byte in the buffer, of the byte where
     * the numbers of lines begin, and of the first line that is not returned. */
    size_t start, filled, from, stop;
    /* A table in memory, of which only the name and the line are used: the line is the number of the row, and 1 that of row 0. */
    int in_memory;
} lf_line_reader;

/* "-" is standard input. The path must outlive the reader. */
lf_status lf_lines_open(lf_context *ctx, const char *path, lf_line_reader *reader);
/* The same for a file of which few lines are read. */
lf_status lf_lines_open_head(lf_context *ctx, const char *path, lf_line_reader *reader);
/* The same for a file that only process 0 has, whose bytes it copies to all: standard input. */
lf_status lf_lines_open_copied(lf_context *ctx, const char *path, lf_line_reader *reader);
/* The next line that is not blank, NUL-terminated, without its line end and without the byte order mark of the file;
 * NULL at the end of the file. The caller may modify the text; it is valid until the next call. */
lf_status lf_lines_next(lf_context *ctx, lf_line_reader *reader, char **line, size_t *length);
void lf_lines_close(lf_line_reader *reader);

/* The lines that follow are those whose first byte is in [from, stop) of a plain file, whose lines before `from` may have been read. */
lf_status lf_lines_restrict(lf_context *ctx, lf_line_reader *reader, size_t from, size_t stop);

enum { LF_LINE_SIZE = 40 };

/* What follows the name in messages about the current line: ":LINE" or ", row ROW". Returns `text`. */
const char *lf_line_place(const lf_line_reader *reader, char text[LF_LINE_SIZE]);
/* lf_fail with LF_ERROR_DATA and "FILE:LINE: " before the message. */
lf_status lf_line_fail(lf_context *ctx, const lf_line_reader *reader, const char *format, ...) LF_PRINTF(3, 4);

#endif
