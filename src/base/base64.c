/* base64 encoding and decoding of arrays of doubles. */
#include "base/base64.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Byte `index` of the array in little-endian order. */
static unsigned byte_at(const double *values, size_t index)
{
    uint64_t bits;
    memcpy(&bits, &values[index / 8], sizeof bits);
    return (unsigned)(bits >> (8 * (index % 8))) & 255u;
}

size_t lf_base64_length(size_t n) { return n > SIZE_MAX / 16 ? SIZE_MAX : (8 * n + 2) / 3 * 4; }

char *lf_base64_encode(size_t n, const double *values)
{
    size_t bytes = 8 * n;
    char *text = n > SIZE_MAX / 16 ? NULL : malloc((bytes + 2) / 3 * 4 + 1), *out = text;
    for (size_t i = 0; text && i < bytes; i += 3) {
        unsigned group = byte_at(values, i) << 16;
        group |= i + 1 < bytes ? byte_at(values, i + 1) << 8 : 0;
        group |= i + 2 < bytes ? byte_at(values, i + 2) : 0;
        *out++ = alphabet[group >> 18];
        *out++ = alphabet[(group >> 12) & 63];
        *out++ = i + 1 < bytes ? alphabet[(group >> 6) & 63] : '=';
        *out++ = i + 2 < bytes ? alphabet[group & 63] : '=';
    }
    if (text) {
        *out = '\0';
    }
    return text;
}

int lf_base64_decode(const char *text, size_t n, double *values)
{
    size_t bytes = 8 * n, length = strlen(text);
    if (length != lf_base64_length(n)) {
        return 0;
    }
    uint64_t bits = 0;
    size_t done = 0, padding = (3 - bytes % 3) % 3;
    unsigned group = 0;
    for (size_t i = 0; i < length; i++) {
        const char *digit = memchr(alphabet, text[i], 64);
        int pad = i >= length - padding;
        if (pad ? text[i] != '=' : !digit) {
            return 0;
        }
        group = (group << 6) | (digit ? (unsigned)(digit - alphabet) : 0);
        if (i % 4 < 3) {
            continue;
        }
        for (int k = 2; k >= 0 && done < bytes; k--, done++) {
            bits |= (uint64_t)((group >> (8 * k)) & 255u) << (8 * (done % 8));
            if (done % 8 == 7) {
                memcpy(&values[done / 8], &bits, sizeof bits);
                bits = 0;
            }
        }
        group = 0;
    }
    return 1;
}
