/* Arrays of doubles as text: base64 (RFC 4648) of their bytes in little-endian order, whatever the machine. */
#ifndef LF_BASE_BASE64_H
#define LF_BASE_BASE64_H

#include <stddef.h>

/* A new NUL-terminated string, to be freed by the caller; NULL when there is no memory. */
char *lf_base64_encode(size_t n, const double *values);

/* The number of characters of n doubles; SIZE_MAX if there are too many. */
size_t lf_base64_length(size_t n);

/* Decodes into `values` (n). 0: the text is not valid base64 of exactly n doubles. */
int lf_base64_decode(const char *text, size_t n, double *values);

#endif
