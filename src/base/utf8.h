/* Text in UTF-8 that is cut: never inside a character. */
#ifndef LF_BASE_UTF8_H
#define LF_BASE_UTF8_H

#include <stdarg.h>
#include <stddef.h>

#include "latentforce.h"

/* The arguments of "%.*s" for at most the first `most` bytes of a text, without a character that they hold in part. */
#define LF_CUT(most, text) lf_whole_characters((text), (most)), (text)
int lf_whole_characters(const char *text, size_t most);

/* As snprintf, but what does not fit is cut between characters. */
int lf_print(char *text, size_t size, const char *format, ...) LF_PRINTF(3, 4);
int lf_print_list(char *text, size_t size, const char *format, va_list arguments) LF_PRINTF(3, 0);

#endif
