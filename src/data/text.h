/* Checks names, and makes text from files safe to display in messages. */
#ifndef LF_DATA_TEXT_H
#define LF_DATA_TEXT_H

#include <stddef.h>

/* NULL when the text is a valid name of an output or a replicate, otherwise the problem as a predicate: "is empty". */
const char *lf_name_problem(const char *text, size_t length);

/* The length of a heading without its unit: "T_in [°C]" or "p (kPa)"; *unit and *unit_length are the text in the brackets, and
 * NULL without a unit. Square brackets hold a unit unless they hold a number; parentheses hold one if it looks like a unit. */
size_t lf_split_unit(const char *text, size_t length, const char **unit, size_t *unit_length);

/* Whether a text is a unit and not a remark. */
int lf_looks_like_unit(const char *text, size_t length);

enum { LF_SHOWN_BYTES = 60 };

/* Buffer for the displayed text: every byte may become \xNN, then "...". */
typedef struct lf_shown_text {
    char text[4 * LF_SHOWN_BYTES + 4];
} lf_shown_text;

/* The text for display: cut to LF_SHOWN_BYTES bytes, with control characters and invalid UTF-8 escaped. Returns
 * shown->text. */
const char *lf_shown(lf_shown_text *shown, const char *text, size_t length);

#endif
