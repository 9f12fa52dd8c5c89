/* The text of equations, positions in it, and messages that show where they point. */
#ifndef LF_EQUATIONS_SOURCE_H
#define LF_EQUATIONS_SOURCE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "latentforce.h"

typedef struct lf_eq_source {
    char *text, *name; /* name of the file */
    size_t length;
    uint32_t *line_start; /* (lines) */
    int lines;
} lf_eq_source;

enum { LF_EQ_EXCERPT = 72 }; /* bytes of an excerpt with its NUL */

/* Copies the text and its name. The text has less than 4 GB. */
lf_status lf_eq_source_init(lf_context *ctx, const char *text, const char *name, lf_eq_source *source);
void lf_eq_source_clear(lf_eq_source *source);

/* The line of a position, from 1. */
int lf_eq_line(const lf_eq_source *source, size_t position);
/* The text from start to end in one line, shortened to fit. */
void lf_eq_excerpt(const lf_eq_source *source, size_t start, size_t end, char text[LF_EQ_EXCERPT]);
/* The length of the UTF-8 sequence at the position; 0: not valid. */
size_t lf_eq_utf8(const char *text);
/* The length of the text, or less: at most so many bytes, and no part of a character. */
int lf_eq_cut(const char *text, size_t most);

/* "name:line:column: sentence", the line, and a caret under the column. */
lf_status lf_eq_vfail(lf_context *ctx, const lf_eq_source *source, lf_status status, size_t position,
                      const char *format, va_list arguments);
lf_status lf_eq_fail(lf_context *ctx, const lf_eq_source *source, lf_status status, size_t position, const char *format,
                     ...) LF_PRINTF(5, 6);
/* A note that begins with "name:line: ". */
void lf_eq_note(lf_context *ctx, const lf_eq_source *source, size_t position, const char *format, ...) LF_PRINTF(4, 5);

#endif
