/* Positions and messages. A message shows the line that it speaks of; of a long line it shows the part around the column. Characters that
 * do not print are shown as '?' and tabs as one space, so that the caret stands under its column. */
#include "equations/source.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

enum { SHOWN = 96, BEFORE = 64 }; /* characters of a line that are shown; at most these stand before the column */

lf_status lf_eq_source_init(lf_context *ctx, const char *text, const char *name, lf_eq_source *source)
{
    size_t lines = 1;
    source->length = strlen(text);
    source->text = lf_copy_string(text);
    source->name = lf_copy_string(name ? name : "equations");
    for (size_t i = 0; i < source->length; i++) {
        lines += text[i] == '\n';
    }
    source->line_start = malloc(lines * sizeof *source->line_start);
    if (!source->text || !source->name || !source->line_start) {
        return lf_no_memory(ctx);
    }
    source->line_start[source->lines++] = 0;
    for (size_t i = 0; i < source->length; i++) {
        if (text[i] == '\n') {
            source->line_start[source->lines++] = (uint32_t)i + 1;
        }
    }
    return LF_OK;
}

void lf_eq_source_clear(lf_eq_source *source)
{
    free(source->text);
    free(source->name);
    free(source->line_start);
}

int lf_eq_cut(const char *text, size_t most)
{
    size_t length = strlen(text);
    if (length > most) {
        for (length = most; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;) {
            length--;
        }
    }
    return (int)length;
}

int lf_eq_line(const lf_eq_source *source, size_t position)
{
    int low = 0, high = source->lines; /* the line is one of low … high-1 */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (source->line_start[middle] <= position) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low + 1;
}

size_t lf_eq_utf8(const char *text)
{
    const unsigned char *b = (const unsigned char *)text;
    size_t length = b[0] < 0x80 ? 1 : b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf5 ? 4 : 0;
    uint32_t code = length > 1 ? b[0] & (0x7fu >> length) : b[0];
    for (size_t i = 1; i < length; i++) {
        if ((b[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (b[i] & 0x3fu);
    }
    int overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    return overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : length;
}

/* Where the line of a position begins; a byte order mark is no part of it. */
static size_t line_start(const lf_eq_source *source, size_t position)
{
    size_t start = source->line_start[lf_eq_line(source, position) - 1];
    return start == 0 && strncmp(source->text, "\xef\xbb\xbf", 3) == 0 ? 3 : start;
}

/* The character after the one at the position; bytes that are not UTF-8 count as one character each. */
static size_t step(const char *text)
{
    size_t length = lf_eq_utf8(text);
    return length ? length : 1;
}

/* Line and column of a position, from 1; columns count characters. */
static void find_place(const lf_eq_source *source, size_t position, int *line, int *column)
{
    position = position < source->length ? position : source->length;
    *line = lf_eq_line(source, position);
    *column = 1;
    for (size_t i = line_start(source, position); i < position; i += step(source->text + i)) {
        ++*column;
    }
}

/* Appends the character at `from` as it is shown; returns what was appended. */
static size_t show(const char *from, char *to)
{
    size_t length = lf_eq_utf8(from);
    unsigned char first = (unsigned char)*from;
    int c1 = length == 2 && first == 0xc2 && (unsigned char)from[1] < 0xa0;
    if (length == 0 || c1 || first == 0x7f || (first < 0x20 && first != '\t')) {
        to[0] = '?';
        return 1;
    }
    if (first == '\t') {
        to[0] = ' ';
        return 1;
    }
    memcpy(to, from, length);
    return length;
}

void lf_eq_excerpt(const lf_eq_source *source, size_t start, size_t end, char text[LF_EQ_EXCERPT])
{
    static const char more[] = " …";
    size_t used = 0;
    int blank = 0, quoted = 0;
    for (size_t i = start; i < end && source->text[i]; i += step(source->text + i)) {
        char c = source->text[i];
        quoted ^= c == '"';
        if (c == '#' && !quoted) { /* a comment within a statement */
            while (i + 1 < end && source->text[i + 1] != '\n') {
                i++;
            }
            continue;
        }
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            blank = used > 0;
            continue;
        }
        if (used + 5 + sizeof more >= LF_EQ_EXCERPT) {
            memcpy(text + used, more, sizeof more);
            return;
        }
        if (blank) {
            text[used++] = ' ';
            blank = 0;
        }
        used += show(source->text + i, text + used);
    }
    text[used] = '\0';
}

/* The line of a position and a second line with the caret. */
static void show_line(const lf_eq_source *source, size_t position, int column, char *text)
{
    size_t i = line_start(source, position), used = 0;
    int skipped = column - 1 > BEFORE ? column - 1 - BEFORE : 0;
    for (int k = 0; k < skipped; k++) {
        i += step(source->text + i);
    }
    used += (size_t)sprintf(text, "\n    ");
    for (int k = 0; k < SHOWN && source->text[i] && source->text[i] != '\n' && source->text[i] != '\r'; k++) {
        used += show(source->text + i, text + used);
        i += step(source->text + i);
    }
    sprintf(text + used, "\n    %*s^", column - 1 - skipped, "");
}

lf_status lf_eq_vfail(lf_context *ctx, const lf_eq_source *source, lf_status status, size_t position,
                      const char *format, va_list arguments)
{
    char sentence[404], lines[4 * SHOWN + BEFORE + 32];
    int line, column;
    position = position < source->length ? position : source->length;
    find_place(source, position, &line, &column);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    show_line(source, position, column, lines);
    size_t length = strlen(source->name);
    const char *name = length > 100 ? source->name + length - 100 : source->name;
    while (((unsigned char)*name & 0xc0) == 0x80) { /* within a character */
        name++;
    }
    return lf_fail(ctx, status, "%s:%d:%d: %.*s%s", name, line, column, lf_eq_cut(sentence, 400), sentence, lines);
}

lf_status lf_eq_fail(lf_context *ctx, const lf_eq_source *source, lf_status status, size_t position, const char *format,
                     ...)
{
    va_list arguments;
    va_start(arguments, format);
    lf_eq_vfail(ctx, source, status, position, format, arguments);
    va_end(arguments);
    return status;
}

void lf_eq_note(lf_context *ctx, const lf_eq_source *source, size_t position, const char *format, ...)
{
    char sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    lf_note(ctx, "%s:%d: %s", source->name, lf_eq_line(source, position), sentence);
}
