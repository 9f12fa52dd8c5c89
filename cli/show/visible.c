/* Makes control characters visible. Those of ASCII (0x00 to 0x1f and 0x7f) and those from U+0080 to U+009f change the state of a
 * terminal, in UTF-8 or as single bytes. */
#include "show/visible.h"

#include <string.h>

/* The length of the UTF-8 sequence of a character beyond ASCII; 0 if it is not one. */
static size_t sequence_length(const char *text)
{
    unsigned char lead = (unsigned char)*text;
    size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                    : lead >= 0xe0 && lead < 0xf0 ? 3
                    : lead >= 0xf0 && lead < 0xf5 ? 4
                                                  : 0;
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

size_t cli_control_length(const char *text, unsigned *code)
{
    unsigned char byte = (unsigned char)*text;
    *code = byte;
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && byte < 0xa0)) {
        return byte != '\0' && byte != '\t';
    }
    if (byte == 0xc2 && (unsigned char)text[1] >= 0x80 && (unsigned char)text[1] < 0xa0) {
        *code = (unsigned char)text[1];
        return 2;
    }
    return 0;
}

/* What is shown of the first character, in a text of at most 4 bytes; returns how many bytes of `text` it takes. */
static size_t show_first(const char *text, char shown[8])
{
    unsigned code;
    size_t length = cli_control_length(text, &code);
    if (length) {
        snprintf(shown, 8, "\\x%02x", code);
        return length;
    }
    length = sequence_length(text);
    length = length ? length : 1;
    memcpy(shown, text, length);
    shown[length] = '\0';
    return length;
}

void cli_put_visible(FILE *stream, const char *text)
{
    char shown[8];
    while (*text) {
        text += show_first(text, shown);
        fputs(shown, stream);
    }
}

size_t cli_visible(const char *text, size_t size, char *visible)
{
    char shown[8];
    size_t length = 0;
    while (*text) {
        text += show_first(text, shown);
        size_t more = strlen(shown);
        if (length + more < size) {
            memcpy(visible + length, shown, more);
            visible[length + more] = '\0';
        }
        length += more;
    }
    if (size && !length) {
        visible[0] = '\0';
    }
    return length;
}
