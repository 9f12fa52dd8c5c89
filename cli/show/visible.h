/* Texts that come from files, such as names of outputs, on a terminal. */
#ifndef CLI_VISIBLE_H
#define CLI_VISIBLE_H

#include <stddef.h>
#include <stdio.h>

/* Writes the text with its control characters, other than tabs, as "\x1b": a terminal would act on them. */
void cli_put_visible(FILE *stream, const char *text);
/* The same into a buffer, cut to its size; returns the length of the whole, as snprintf does. */
size_t cli_visible(const char *text, size_t size, char *visible);
/* The bytes of the control character that the text begins with: 1, 2 for U+0080 to U+009F in UTF-8, 0 if it is none. Then *code is
 * its number. */
size_t cli_control_length(const char *text, unsigned *code);

#endif
