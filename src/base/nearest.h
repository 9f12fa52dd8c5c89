/* The word that was probably meant by a misspelt one. */
#ifndef LF_BASE_NEAREST_H
#define LF_BASE_NEAREST_H

#include <stddef.h>

/* The one of `count` words nearest to a misspelt one, or NULL when none is near. */
const char *lf_nearest(const char *word, const char *const *words, size_t count);

#endif
