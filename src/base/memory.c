/* Allocation of aligned arrays with a check for overflow, and of copies of strings. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double *lf_doubles(size_t rows, size_t columns)
{
    if (columns && rows > (SIZE_MAX - 64) / sizeof(double) / columns) {
        return NULL;
    }
    size_t bytes = (rows * columns * sizeof(double) + 63) / 64 * 64;
    double *array = aligned_alloc(64, bytes ? bytes : 64);
    if (array) {
        memset(array, 0, bytes);
    }
    return array;
}

char *lf_copy_string(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}
