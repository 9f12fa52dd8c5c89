#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

int lf_whole_characters(const char *text, size_t most)
{
    size_t length = strnlen(text, most), begin = length;
    if (length < most) {
        return (int)length;
    }
    do {
        begin--;
    } while (begin > 0 && length - begin < 4 && ((unsigned char)text[begin] & 0xc0) == 0x80);
    unsigned char first = (unsigned char)text[begin];
    size_t bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return (int)(begin + bytes > length ? begin : length);
}

int lf_print_list(char *text, size_t size, const char *format, va_list arguments)
{
    int length = vsnprintf(text, size, format, arguments);
    if (size > 1 && length >= 0 && (size_t)length >= size) {
        text[lf_whole_characters(text, size - 1)] = '\0';
    }
    return length;
}

int lf_print(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = lf_print_list(text, size, format, arguments);
    va_end(arguments);
    return length;
}
