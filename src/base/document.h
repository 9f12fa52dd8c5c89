/* JSON documents (RFC 8259), written member by member: what the program shows as JSON. Numbers have 17 digits, so that they read back as the same
 * doubles; those that are not finite are null. Control characters are escaped, those of two bytes too: a terminal would act on them.
 *
 * A document is one object, or a part of one that another document takes in. Where there is no memory, or a text is not given, writing goes on without effect:
 * lf_document_end() says so. */
#ifndef LF_BASE_DOCUMENT_H
#define LF_BASE_DOCUMENT_H

#include "latentforce.h"

/* A text that grows; always ends with NUL. */
typedef struct lf_growing_text {
    char *text;
    size_t length, room;
    int failed; /* there was no memory */
} lf_growing_text;

/* Appends `count` bytes. Returns 0, or -1 where there is no memory now or was none before. */
int lf_growing_text_add(lf_growing_text *text, const char *bytes, size_t count);

enum { LF_DOCUMENT_DEPTH = 16 };

typedef struct lf_document {
    lf_growing_text text;
    int depth;
    char closing[LF_DOCUMENT_DEPTH]; /* of the objects and lists that are open */
    int filled[LF_DOCUMENT_DEPTH];   /* whether they have an item already */
    int indent;                      /* the next item begins a line with so many spaces; -1: it does not */
} lf_document;

/* The document begins: "{". */
lf_document lf_document_begin(void);
/* The next item begins a new line, unless it is the first of its object or list. */
void lf_document_line(lf_document *d, int indent);
/* A line ends here. */
void lf_document_break(lf_document *d);
/* bracket: '{' or '['. key NULL: an item of a list, here and below. */
void lf_document_open(lf_document *d, const char *key, char bracket);
void lf_document_close(lf_document *d);
void lf_document_number(lf_document *d, const char *key, double value);
void lf_document_count(lf_document *d, const char *key, size_t value);
void lf_document_integer(lf_document *d, const char *key, int value);
/* text NULL: null. */
void lf_document_text(lf_document *d, const char *key, const char *text);
void lf_document_truth(lf_document *d, const char *key, int value);
void lf_document_numbers(lf_document *d, const char *key, size_t count, const double *values);
/* With so many significant digits at most. */
void lf_document_rounded(lf_document *d, const char *key, double value, int digits);
/* JSON that is written already, with its control characters escaped. NULL: null. */
void lf_document_json(lf_document *d, const char *key, const char *json);
/* Closes what is open and hands out the text, or releases it: after a failure, `status`, and where there was no memory. */
lf_status lf_document_end(lf_context *ctx, lf_status status, lf_document *d, char **text);

#endif
