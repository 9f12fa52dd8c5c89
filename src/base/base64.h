/* Arrays of doubles as text: base64 (RFC 4648) of their little-endian bytes. */
#ifndef LF_BASE_BASE___H
#define LF_BASE_BASE___H

#include <stddef.h>

/* A new NUL-terminated string, or NULL when there is no memory. */
char *lf_base64_encode(size_t n, const double *values);

/* 1 when the text holds exactly n doubles; they go to `values`. */
int lf_base64_decode(const char *text, size_t n, double *values);

#endif
