/* Names go into JSON and CSV files, so they must be UTF-8 without control characters. */
#include "data/text.h"

#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at the start of the text; 0 when it is not valid UTF-8 (RFC 3629). */
static size_t utf8_length(const unsigned char *s, size_t length)
{
    if (s[0] < 0x80) {
        return 1;
    }
    size_t bytes = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    if (bytes == 0 || bytes > length) {
        return 0;
    }
    for (size_t i = 1; i < bytes; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, and code points above U+10FFFF. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f)) {
        return 0;
    }
    return bytes;
}

static int is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

const char *lf_name_problem(const char *text, size_t length)
{
    if (length == 0) {
        return "is empty";
    }
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < length;) {
        size_t bytes = utf8_length(s + i, length - i);
        if (bytes == 0) {
            return "is not valid UTF-8";
        }
        if (is_control(s[i])) {
            return "contains a control character";
        }
        i += bytes;
    }
    return NULL;
}

int lf_looks_like_unit(const char *text, size_t length)
{
    static const char *const units[] = {
        "C",   "K",   "F",  "s",  "sec",  "ms",  "min", "h",     "hr",   "d",       "m",      "mm", "cm",  "km",
        "g",   "kg",  "mg", "N",  "kN",   "Nm",  "J",   "kJ",    "W",    "kW",      "MW",     "Wh", "kWh", "V",
        "mV",  "A",   "mA", "Hz", "kHz",  "rad", "deg", "Pa",    "hPa",  "kPa",     "bar",    "l",  "L",   "ml",
        "ppm", "ppb", "lx", "dB", "mbar", "mol", "mM",  "hours", "days", "minutes", "seconds"};
    for (size_t i = 0; i < length; i++) {
        if (strchr("%/^", text[i]) || (unsigned char)text[i] >= 0x80) {
            return 1;
        }
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i]) == length && memcmp(text, units[i], length) == 0) {
            return 1;
        }
    }
    return 0;
}

size_t lf_split_unit(const char *text, size_t length, const char **unit, size_t *unit_length)
{
    *unit = NULL;
    *unit_length = 0;
    char last = length > 2 ? text[length - 1] : '\0', first = last == ']' ? '[' : '(';
    if (last != ']' && last != ')') {
        return length;
    }
    size_t open = length - 1;
    while (open > 0 && text[open] != first) {
        open--;
    }
    const char *inside = text + open + 1;
    size_t inner = length - open - 2, name = open;
    int is_number = strspn(inside, "0123456789.,:- ") >= inner;
    if (open == 0 || inner == 0 || is_number || (last == ')' && !lf_looks_like_unit(inside, inner))) {
        return length;
    }
    while (name > 0 && (text[name - 1] == ' ' || text[name - 1] == '_')) {
        name--;
    }
    if (name == 0) {
        return length;
    }
    *unit = inside;
    *unit_length = inner;
    return name;
}

const char *lf_shown(lf_shown_text *shown, const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    char *out = shown->text;
    size_t i = 0;
    while (i < length) {
        size_t bytes = utf8_length(s + i, length - i);
        size_t step = bytes ? bytes : 1;
        if (i + step > LF_SHOWN_BYTES) {
            memcpy(out, "...", 3);
            out += 3;
            break;
        }
        if (bytes == 0 || is_control(s[i])) {
            out += sprintf(out, "\\x%02x", (unsigned)s[i]);
        } else {
            memcpy(out, s + i, step);
            out += step;
        }
        i += step;
    }
    *out = '\0';
    return shown->text;
}
