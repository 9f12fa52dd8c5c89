/* Allocation of aligned arrays with a check for overflow, and of copies of strings. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#if __GLIBC_PREREQ(2, 33)
#define HAS_TRIM /* and mallinfo2 */
#endif
#endif

enum { PAGE = 2 << 20, LARGE = 8 << 20 }; /* bytes of a large page, and of arrays that use them */
enum { KEPT = 64 << 20 };                 /* bytes that the C library may keep */

double *lf_doubles_unset(size_t rows, size_t columns)
{
    if (columns && rows > (SIZE_MAX - PAGE) / sizeof(double) / columns) {
        return NULL;
    }
    size_t bytes = rows * columns * sizeof(double), unit = bytes < LARGE ? 64 : PAGE;
    double *array = aligned_alloc(unit, bytes ? (bytes + unit - 1) / unit * unit : unit);
#ifdef MADV_HUGEPAGE
    if (array && unit == PAGE) { /* to map a small page takes longer than to fill it */
        (void)madvise(array, bytes, MADV_HUGEPAGE);
    }
#endif
    return array;
}

double *lf_doubles(size_t rows, size_t columns)
{
    double *array = lf_doubles_unset(rows, columns);
    if (array) { /* up to the end of its last lane */
        memset(array, 0, (rows * columns * sizeof(double) + 63) / 64 * 64);
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

void lf_give_back_memory(void)
{
#ifdef HAS_TRIM
    if (mallinfo2().fordblks > KEPT) {
        (void)malloc_trim(0);
    }
#endif
}
