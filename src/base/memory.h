/* Allocation of arrays and strings; all of it is released with free(). */
#ifndef LF_BASE_MEMORY_H
#define LF_BASE_MEMORY_H

#include <stddef.h>

/* A zeroed array of rows * columns doubles on a 64-byte boundary. NULL when there is no memory or the size overflows,
 * never NULL for size 0. */
double *lf_doubles(size_t rows, size_t columns);
/* The same without setting them to 0. */
double *lf_doubles_unset(size_t rows, size_t columns);

/* Gives memory that was freed, and that the C library keeps for later, back to the system where it is much. For the end of a stage whose
 * arrays have other sizes than those of the next: what lies between them would not be used again. */
void lf_give_back_memory(void);

/* A copy of a string, or NULL when there is no memory. */
char *lf_copy_string(const char *text);

#endif
