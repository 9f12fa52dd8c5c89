/* Allocation of arrays, safe against overflow of their size. */
#ifndef LF_BASE_MEMORY_H
#define LF_BASE_MEMORY_H

#include <stddef.h>

/* A zeroed array of rows * columns doubles on a 64-byte boundary, or NULL. Never NULL for size zero. Released by free. */
double *lf_doubles(size_t rows, size_t columns);

/* A copy of a string, or NULL when there is no memory. */
char *lf_copy_string(const char *text);

#endif
