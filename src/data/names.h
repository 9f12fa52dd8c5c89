/* An ordered set of names with lookup in constant time. */
#ifndef LF_DATA_NAMES_H
#define LF_DATA_NAMES_H

#include <stddef.h>

typedef struct lf_names {
    char **name; /* (count) */
    int count;
    int capacity;
    int *slot; /* (slots) hash table: index of a name, or -1 */
    size_t slots;
} lf_names;

/* Index of the name, or -1. The name has `length` bytes and need not be NUL-terminated. */
int lf_names_find(const lf_names *names, const char *name, size_t length);
/* Index of the name, which is added if it is new; -1 when there is no memory. */
int lf_names_add(lf_names *names, const char *name, size_t length);
void lf_names_clear(lf_names *names);

#endif
