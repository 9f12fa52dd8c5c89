/* JSON documents, written member by member. */
#include "base/document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/number.h"

int lf_growing_text_add(lf_growing_text *t, const char *bytes, size_t count)
{
    if (!t->failed && count >= t->room - t->length) {
        size_t room = 2 * (t->length + count) + 64;
        char *larger = realloc(t->text, room);
        t->failed = !larger;
        t->text = larger ? larger : t->text;
        t->room = larger ? room : t->room;
    }
    if (t->failed) {
        return -1;
    }
    memcpy(t->text + t->length, bytes, count);
    t->length += count;
    t->text[t->length] = '\0';
    return 0;
}

static void put(lf_document *d, const char *text) { lf_growing_text_add(&d->text, text, strlen(text)); }

lf_document lf_document_begin(void)
{
    lf_document d = {.depth = 1, .closing = {0, '}'}, .indent = -1};
    put(&d, "{");
    return d;
}

void lf_document_line(lf_document *d, int indent) { d->indent = indent; }

void lf_document_break(lf_document *d) { put(d, "\n"); }

/* The bytes of the control character that the text begins with: 1, 2 for U+0080 to U+009F, 0 if it is none. */
static size_t control_length(const unsigned char *c)
{
    return c[0] < 0x20 || c[0] == 0x7f ? 1 : c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 ? 2 : 0;
}

static void put_string(lf_document *d, const char *text)
{
    put(d, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        char escaped[16];
        const unsigned char *start = c;
        while (*c && *c != '"' && *c != '\\' && !control_length(c)) {
            c++;
        }
        lf_growing_text_add(&d->text, (const char *)start, (size_t)(c - start));
        size_t length = control_length(c);
        if (*c && length) {
            snprintf(escaped, sizeof escaped, "\\u%04x", c[length - 1]);
            put(d, escaped);
            c += length;
        } else if (*c) {
            put(d, (const char[]){'\\', (char)*c++, '\0'});
        }
    }
    put(d, "\"");
}

/* What stands before the value of an item. */
static void begin_item(lf_document *d, const char *key)
{
    if (d->filled[d->depth]) {
        put(d, ",");
        if (d->indent >= 0) {
            char line[32];
            snprintf(line, sizeof line, "\n%*s", d->indent, "");
            put(d, line);
        }
    }
    d->filled[d->depth] = 1;
    d->indent = -1;
    if (key) {
        put_string(d, key);
        put(d, ":");
    }
}

void lf_document_open(lf_document *d, const char *key, char bracket)
{
    begin_item(d, key);
    put(d, (const char[]){bracket, '\0'});
    d->closing[++d->depth] = bracket == '{' ? '}' : ']';
    d->filled[d->depth] = 0;
}

void lf_document_close(lf_document *d)
{
    put(d, (const char[]){d->closing[d->depth--], '\0'});
    d->indent = -1;
}

/* A number is written with a point in any locale. */
void lf_document_rounded(lf_document *d, const char *key, double value, int digits)
{
    char text[LF_NUMBER_SIZE + 16];
    begin_item(d, key);
    if (!isfinite(value)) {
        put(d, "null");
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, value);
    for (char *c = text; *c; c++) {
        *c = *c == ',' ? '.' : *c;
    }
    put(d, text);
}

void lf_document_number(lf_document *d, const char *key, double value) { lf_document_rounded(d, key, value, 17); }

void lf_document_count(lf_document *d, const char *key, size_t value)
{
    char text[32];
    begin_item(d, key);
    snprintf(text, sizeof text, "%zu", value);
    put(d, text);
}

void lf_document_integer(lf_document *d, const char *key, int value)
{
    char text[32];
    begin_item(d, key);
    snprintf(text, sizeof text, "%d", value);
    put(d, text);
}

void lf_document_text(lf_document *d, const char *key, const char *text)
{
    begin_item(d, key);
    if (text) {
        put_string(d, text);
    } else {
        put(d, "null");
    }
}

void lf_document_truth(lf_document *d, const char *key, int value)
{
    begin_item(d, key);
    put(d, value ? "true" : "false");
}

void lf_document_numbers(lf_document *d, const char *key, size_t count, const double *values)
{
    lf_document_open(d, key, '[');
    for (size_t i = 0; i < count; i++) {
        lf_document_number(d, NULL, values[i]);
    }
    lf_document_close(d);
}

/* Only texts have control characters other than the ends of lines. */
void lf_document_json(lf_document *d, const char *key, const char *json)
{
    begin_item(d, key);
    for (const unsigned char *c = (const unsigned char *)(json ? json : "null"); *c;) {
        size_t length = *c == '\n' ? 0 : control_length(c);
        char escaped[16] = {(char)*c};
        if (length) {
            snprintf(escaped, sizeof escaped, "\\u%04x", c[length - 1]);
        }
        put(d, escaped);
        c += length ? length : 1;
    }
}

lf_status lf_document_end(lf_context *ctx, lf_status status, lf_document *d, char **text)
{
    while (d->depth > 0) {
        lf_document_close(d);
    }
    put(d, "\n");
    status = status || !d->text.failed ? status : lf_no_memory(ctx);
    if (status) {
        free(d->text.text);
    }
    *text = status ? NULL : d->text.text;
    return status;
}
