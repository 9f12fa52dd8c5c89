/* What a name may hold, and how foreign text is shown in a message. */
#ifndef LF_DATA_TEXT_H
#define LF_DATA_TEXT_H

#include <stddef.h>

/* NULL when the text can name an output or a replicate, else what is wrong, to follow the subject: "is empty". */
const char *lf_name_problem(const char *text, size_t length);

enum { LF_SHOWN_BYTES = 60 };

/* Room for text as it is shown: every byte may become \xNN, then "...". */
typedef struct lf_shown_text {
    char text[4 * LF_SHOWN_BYTES + 4];
} lf_shown_text;

/* The text, cut to LF_SHOWN_BYTES bytes, with control characters and bytes that are not UTF-8 escaped. */
const char *lf_shown(lf_shown_text *shown, const char *text, size_t length);

#endif
