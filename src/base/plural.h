/* Plurals in messages. */
#ifndef LF_BASE_PLURAL_H
#define LF_BASE_PLURAL_H

#include <stddef.h>

/* What a regular noun ends with after this number: "" or "s". */
static inline const char *lf_plural(size_t count) { return count == 1 ? "" : "s"; }

#endif
